//! What a call collects on one way through a stack.

use std::{borrow::Cow, sync::Arc, time::Duration};

use smallvec::SmallVec;
use tokio::time::Instant;
use tracing::Span;

use crate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, Asked, Decision, Effect, Labels, Mode,
    ModeSwitch, RequestId, Rule, ToolCall, Trail, TrailEntry, Vote,
    approval::Terms,
    call::Reviewing,
    memory::Ticket,
    observed::Observed,
    prompt::Turn,
    sync::{AtomicBool, Ordering},
    tool_rules::PayloadKeys,
};

/// Which review a call belongs to. An open call is taken up only by its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) u64, pub(crate) u64);

/// What a call collects on one way through a stack.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one fact about the round"
)]
pub(crate) struct Round {
    pub(crate) token: Token,
    pub(crate) number: u32,
    /// Whether the call will not be sent in again, so that asking would be in vain.
    pub(crate) is_last: bool,
    pub(crate) labels: Labels,
    /// What the tool's configuration says identifies an operation.
    pub(crate) payload_keys: SmallVec<[Arc<PayloadKeys>; 2]>,
    pub(crate) requirement: Requirement,
    pub(crate) trail: Trail,
    /// Whether some layer put other arguments in place. Then nothing in the trail counts.
    pub(crate) rewritten: bool,
    pub(crate) answer: Option<Answer>,
    pub(crate) allowed_by: Option<AllowedBy>,
    /// How far the call may go.
    pub(crate) reach: Reach,
    /// The modes of the prompts that the call passed in this round.
    pub(crate) modes: SmallVec<[ModeSwitch; 1]>,
    /// Whether some policy may deny depending on arguments, so that an answer for further
    /// arguments could promise too much.
    pub(crate) denies_by_args: bool,
    /// Whether there is a memory, so that an answer can be remembered.
    pub(crate) remembers: bool,
    /// The right to ask, while the call has it. Shared by all clones of the call.
    pub(crate) turn: Option<Arc<Turn>>,
    /// Until when somebody may answer.
    pub(crate) deadline: Option<Instant>,
    /// What is remembered for this call.
    pub(crate) granted: SmallVec<[Granted; 2]>,
    /// How long somebody has been asked, in all rounds.
    pub(crate) waited: Duration,
    /// The span of the call, if anybody listens.
    pub(crate) span: Span,
    /// Where an audit reads what happened, if there is one.
    pub(crate) observed: Option<Arc<Observed>>,
}

/// A remembered yes to one ask: of this rule of this layer, for this operation.
#[derive(Clone, Debug)]
pub(crate) struct Granted {
    pub(crate) layer: &'static str,
    pub(crate) rule: GrantedRule,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) payload: Args,
    pub(crate) ticket: Ticket,
}

/// The rule whose ask is answered.
#[derive(Clone, Debug)]
pub(crate) enum GrantedRule {
    /// The one behind a vote that was cast.
    Cast(Option<Rule>, Option<Arc<str>>),
    /// The one by which the gate will ask.
    OfTheGate(&'static str),
}

impl Granted {
    /// Whether this is the yes to that vote.
    pub(crate) fn answers(&self, call: &ToolCall<Reviewing>, layer: &str, vote: &Vote) -> bool {
        let same_rule = match &self.rule {
            GrantedRule::OfTheGate(name) => vote.rule().is_some_and(|rule| rule.id() == *name),
            GrantedRule::Cast(Some(rule), _) => vote.rule().is_some_and(|r| r.id() == rule.id()),
            GrantedRule::Cast(None, reason) => {
                vote.rule().is_none() && vote.reason() == reason.as_deref()
            }
        };
        let parts = vote.request();
        let subject = parts.and_then(|parts| parts.subject.as_deref());
        let same_payload = match parts.and_then(|parts| parts.payload.as_ref()) {
            Some(payload) => *payload == self.payload,
            None => call.payload() == self.payload,
        };
        self.layer == layer && same_rule && self.subject.as_deref() == subject && same_payload
    }
}

/// How far a call may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It is only judged: nobody is asked, and nothing runs.
    Judge,
    /// It is settled, asking included, and nothing runs.
    Settle,
    /// It runs.
    #[default]
    Run,
}

/// What the tool itself requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Requirement {
    #[default]
    None,
    Approval,
    /// The tool required an approval, and an override of the tool rules lifted that.
    Lifted,
}

impl Default for Round {
    fn default() -> Self {
        Self {
            token: Token::default(),
            number: 0,
            is_last: false,
            labels: Labels::new(),
            payload_keys: SmallVec::new(),
            requirement: Requirement::None,
            trail: Trail::default(),
            rewritten: false,
            answer: None,
            allowed_by: None,
            reach: Reach::Run,
            modes: SmallVec::new(),
            denies_by_args: false,
            remembers: false,
            turn: None,
            deadline: None,
            granted: SmallVec::new(),
            waited: Duration::ZERO,
            span: Span::none(),
            observed: None,
        }
    }
}

impl Round {
    /// Begins the review that `token` stands for.
    pub(crate) fn begin(&mut self, token: Token, max_rounds: u32) {
        self.token = token;
        self.number = 1;
        self.is_last = max_rounds <= 1;
    }

    /// Whether, as of now, nothing is asked about, and what was approved before does not count.
    pub(crate) fn is_strict(&self) -> bool {
        self.modes.iter().any(|mode| mode.get() == Mode::Strict)
    }

    /// Whether an answer still holds: one that the mode gave holds only as long as the mode does.
    pub(crate) fn still_holds(&self, answer: &Answer) -> bool {
        let approves_all = || self.modes.iter().any(|mode| mode.get() == Mode::ApproveAll);
        answer.by() == AnsweredBy::Handler || approves_all()
    }

    /// Whether it is this call's turn to ask.
    pub(crate) fn has_turn(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.is_held())
    }

    /// Lets the next question be asked, whoever else holds a clone of this call.
    pub(crate) fn release_turn(&mut self) {
        if let Some(turn) = self.turn.take() {
            turn.release();
        }
    }

    /// Counts another round.
    pub(crate) fn count(&mut self, max_rounds: u32) {
        self.number += 1;
        self.is_last = self.number >= max_rounds;
    }

    /// Forgets what was said of the call, but not the answer that came with it.
    pub(crate) fn again(&mut self) {
        self.denies_by_args = false;
        self.remembers = false;
        self.granted.clear();
        self.modes.clear();
        self.labels = Labels::new();
        self.payload_keys.clear();
        self.requirement = Requirement::None;
        self.trail.clear();
        self.rewritten = false;
    }
}

/// A vote that was just cast ends the call.
#[derive(Debug)]
pub(crate) struct Denied;

impl ToolCall<Reviewing> {
    /// Takes down what `layer` said.
    #[inline]
    pub(crate) fn take_down(
        &mut self,
        layer: &'static str,
        decision: Decision,
    ) -> Result<(), Denied> {
        match decision.says_nothing() {
            true => Ok(()),
            false => self.take_down_all(layer, decision),
        }
    }

    fn take_down_all(&mut self, layer: &'static str, decision: Decision) -> Result<(), Denied> {
        let (lifts, mixed) = (decision.lifts_requirement(), decision.is_mixed());
        let (votes, args) = decision.into_parts();
        let round = self.round_mut();
        let mut denied = false;
        votes.for_each(|vote| {
            denied |= vote.effect() == Effect::Deny;
            round.trail.push(layer, vote);
        });
        round.rewritten |= mixed;
        if lifts && round.requirement == Requirement::Approval {
            round.requirement = Requirement::Lifted;
        }
        if denied {
            return Err(Denied);
        }
        if let Some(args) = args {
            self.rewrite(args);
        }
        Ok(())
    }

    /// The question that the asks of this round amount to.
    pub(crate) fn question(&self, terms: &Terms) -> Result<ApprovalRequest, getrandom::Error> {
        let asking = || self.trail().saying(Effect::Ask);
        let parts = || asking().filter_map(|entry| entry.vote().request());
        let description = parts().find_map(|parts| parts.description.clone());
        let presentation = parts().find_map(|parts| parts.presentation.clone());
        let id = RequestId::random()?;
        Ok(ApprovalRequest::new(
            id,
            self,
            terms,
            description,
            presentation,
        ))
    }

    /// Every ask of this round.
    pub(crate) fn asks(&self) -> Vec<Asked> {
        let asking = self.trail().saying(Effect::Ask);
        asking
            .map(|entry| self.asked(entry.layer(), entry.vote()))
            .collect()
    }

    /// Whether some ask is one of a parent agent.
    pub(crate) fn asks_for_parent(&self) -> bool {
        let mut parts = self
            .trail()
            .saying(Effect::Ask)
            .filter_map(|entry| entry.vote().request());
        parts.any(|parts| parts.of_parent)
    }

    pub(crate) fn first_ask_reason(&self) -> Option<Arc<str>> {
        let mut asking = self.trail().saying(Effect::Ask);
        asking.find_map(|entry| entry.vote().shared_reason())
    }

    pub(crate) fn payload(&self) -> Args {
        PayloadKeys::combined(&self.round().payload_keys).select(self.args())
    }

    fn asked(&self, layer: &'static str, vote: &Vote) -> Asked {
        let parts = vote.request();
        let payload = parts.and_then(|parts| parts.payload.clone());
        Asked {
            layer: Cow::Borrowed(layer),
            rule: vote.rule().cloned(),
            reason: vote.shared_reason(),
            subject: parts.and_then(|parts| parts.subject.clone()),
            payload: payload.unwrap_or_else(|| self.payload()),
        }
    }
}

/// Who gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnsweredBy {
    Handler,
    Mode,
}

/// What somebody said to a question: for these rules, for these arguments, once.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    decision: ApprovalDecision,
    args: Args,
    asks: Arc<[Asked]>,
    /// What the call could do when somebody was shown it.
    labels: Option<Labels>,
    by: AnsweredBy,
    /// Shared by all clones of the call, so that a retry cannot use the answer again.
    used: Arc<AtomicBool>,
    recorded: Arc<AtomicBool>,
}

impl Answer {
    pub(crate) fn new(
        asks: Vec<Asked>,
        shown: &Args,
        decision: ApprovalDecision,
        by: AnsweredBy,
    ) -> Self {
        let args = decision.args.clone().unwrap_or_else(|| shown.clone());
        Self {
            decision,
            args,
            asks: asks.into(),
            labels: None,
            by,
            used: Arc::default(),
            recorded: Arc::default(),
        }
    }

    /// Notes what whoever answered was told that the call can do.
    pub(crate) fn knowing(mut self, labels: &Labels) -> Self {
        self.labels = Some(labels.clone());
        self
    }

    pub(crate) fn by(&self) -> AnsweredBy {
        self.by
    }

    pub(crate) fn decision(&self) -> &ApprovalDecision {
        &self.decision
    }

    pub(crate) fn asks(&self) -> &[Asked] {
        &self.asks
    }

    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded.load(Ordering::Acquire)
    }

    pub(crate) fn mark_recorded(&self) {
        self.recorded.store(true, Ordering::Release);
    }

    pub(crate) fn approved(&self) -> bool {
        self.decision.approved
    }

    pub(crate) fn note(&self) -> Option<&str> {
        self.decision.note.as_deref()
    }

    /// The arguments that the answer was given for.
    pub(crate) fn args(&self) -> &Args {
        &self.args
    }

    /// Whether the answer was given to this ask.
    pub(crate) fn covers(&self, call: &ToolCall<Reviewing>, entry: &TrailEntry) -> bool {
        let now = call.asked(entry.layer(), entry.vote());
        self.asks.iter().any(|ask| {
            ask.is(&now.layer, now.rule.as_ref(), now.reason.as_deref())
                && self.is_about(ask, now.subject.as_deref(), &now.payload)
        })
    }

    /// Whether the same is asked now as when somebody answered. Arguments that they edited make
    /// another operation of it, and a mode looks at none.
    pub(crate) fn is_about(&self, ask: &Asked, subject: Option<&str>, payload: &Args) -> bool {
        !self.is_for_what_was_shown()
            || (ask.subject.as_deref() == subject && ask.payload == *payload)
    }

    /// Whether the call can do nothing that somebody who answered was not told of.
    pub(crate) fn knows(&self, labels: &Labels) -> bool {
        let Some(known) = self
            .labels
            .as_ref()
            .filter(|_| self.is_for_what_was_shown())
        else {
            return true;
        };
        labels.iter().all(|label| known.iter().any(|k| k == label))
    }

    fn is_for_what_was_shown(&self) -> bool {
        self.by == AnsweredBy::Handler && self.decision.args.is_none()
    }

    /// Uses the answer up. True for whoever comes first, among all clones of the call.
    pub(crate) fn use_up(&self) -> bool {
        !self.used.swap(true, Ordering::AcqRel)
    }
}
