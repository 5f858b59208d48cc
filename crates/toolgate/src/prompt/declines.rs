//! What was declined in this turn is not asked again in it.

use std::{collections::HashMap, fmt, sync::Arc};

use crate::{
    ApprovalDecision, Args, Asked, BlockedKind, Reviewing, ToolBlocked, ToolCall, ToolId,
    sync::{Mutex, lock},
};

/// What was declined in the current turn of each session. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Declines(Arc<Mutex<HashMap<Option<Box<str>>, Turn>>>);

#[derive(Default)]
struct Turn {
    name: Box<str>,
    declined: Vec<Declined>,
}

struct Declined {
    tool: ToolId,
    args: Args,
    asked: Asked,
    note: Option<Arc<str>>,
}

/// Beyond so many sessions all are forgotten, and beyond so many in a turn the oldest: what is
/// forgotten may be asked again.
const SESSIONS: usize = 4_096;
const PER_TURN: usize = 256;

impl Declines {
    /// Refuses a call whose question was declined earlier in the same turn.
    pub(super) fn earlier(&self, call: &ToolCall<Reviewing>) -> Option<ToolBlocked> {
        let name = call.origin().turn()?;
        let sessions = lock(&self.0);
        let turn = sessions
            .get(&session(call))
            .filter(|turn| &*turn.name == name)?;
        let asks = call.asks();
        let before = turn.declined.iter().find(|declined| {
            let same = |ask: &Asked| ask.is_the_same_question(&declined.asked);
            let unchanged = declined.tool == *call.tool() && declined.args == *call.args();
            unchanged && asks.iter().any(same)
        })?;
        let note = before.note.clone();
        let reason = note.unwrap_or_else(|| "declined before in this turn".into());
        Some(ToolBlocked::new(call, BlockedKind::Declined, Some(reason)))
    }

    /// Notes that somebody said no.
    pub(super) fn note(&self, call: &ToolCall<Reviewing>, asks: &[Asked], said: &ApprovalDecision) {
        let Some(name) = call.origin().turn() else {
            return;
        };
        let mut sessions = lock(&self.0);
        if sessions.len() >= SESSIONS && !sessions.contains_key(&session(call)) {
            sessions.clear();
        }
        let turn = sessions.entry(session(call)).or_default();
        if &*turn.name != name {
            *turn = Turn {
                name: name.into(),
                declined: Vec::new(),
            };
        }
        turn.declined.extend(asks.iter().map(|asked| Declined {
            tool: call.tool().clone(),
            args: call.args().clone(),
            asked: asked.clone(),
            note: said.note.clone(),
        }));
        let beyond = turn.declined.len().saturating_sub(PER_TURN);
        turn.declined.drain(..beyond);
    }
}

fn session(call: &ToolCall<Reviewing>) -> Option<Box<str>> {
    call.origin().session().map(Box::from)
}

impl fmt::Debug for Declines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declines").finish_non_exhaustive()
    }
}
