//! A grant that is in force.

use std::{sync::Arc, time::SystemTime};

use tokio::time::Instant;

use super::super::{Grant, GrantDecision, GrantId, GrantQuery, Ticket};
use crate::{Args, Origin, ToolId, clock::instant_at};

/// A grant that is in force: its uses are counted, and its end is watched on two clocks.
#[derive(Debug)]
pub(super) struct Live {
    grant: Grant,
    ticket: Ticket,
    /// The same end as the grant's own, on a clock that nobody can set back.
    ends: Option<Instant>,
}

impl Live {
    pub(super) fn new(grant: Grant) -> Self {
        // A no is not used up.
        let uses = grant
            .uses
            .filter(|_| grant.decision == GrantDecision::Allow);
        Self {
            ticket: uses.map_or_else(Ticket::unlimited, Ticket::limited),
            ends: grant.expires.and_then(instant_at),
            grant,
        }
    }

    pub(super) fn id(&self) -> GrantId {
        self.grant.id
    }

    pub(super) fn decision(&self) -> GrantDecision {
        self.grant.decision
    }

    pub(super) fn note(&self) -> Option<Arc<str>> {
        self.grant.note.clone()
    }

    pub(super) fn ticket(&self) -> Ticket {
        self.ticket.clone()
    }

    /// The grant, with the uses that are left.
    pub(super) fn grant(&self) -> Grant {
        Grant {
            uses: self.ticket.left(),
            ..self.grant.clone()
        }
    }

    pub(super) fn inner(&self) -> &Grant {
        &self.grant
    }

    /// Whether it has not ended, on either clock, and can still be used.
    pub(super) fn holds(&self) -> bool {
        let over = self
            .grant
            .expires
            .is_some_and(|expires| SystemTime::now() >= expires)
            || self.ends.is_some_and(|ends| Instant::now() >= ends);
        let used_up = self.ticket.left() == Some(0);
        !over && !used_up
    }

    pub(super) fn is_of_layer(&self, layer: &str) -> bool {
        &*self.grant.layer == layer
    }

    pub(super) fn is_of_session(&self, session: Option<&str>) -> bool {
        self.grant.scope.one_session && self.grant.scope.session.as_deref() == session
    }

    /// Whether it answers this ask.
    pub(super) fn answers(&self, query: &GrantQuery<'_>) -> bool {
        let grant = &self.grant;
        &*grant.layer == query.layer
            && &*grant.rule == query.rule
            && grant.named == query.named
            && grant.subject.as_deref() == query.subject
            && self.is_about(query.tool, query.origin, query.payload)
            && self.holds()
    }

    /// Whether it is about this operation, whoever asks.
    pub(super) fn is_about(&self, tool: &ToolId, origin: &Origin, payload: &Args) -> bool {
        self.grant.tool == *tool
            && self.grant.scope.is_of(origin)
            && self.reaches(origin)
            && self.matches(payload)
    }

    /// A child inherits every no, and a yes only if it may be passed on.
    fn reaches(&self, origin: &Origin) -> bool {
        let inherited = self.grant.delegable || self.grant.decision == GrantDecision::Deny;
        match inherited {
            true => self.grant.scope.agent.contains(origin.agent()),
            false => self.grant.scope.agent == *origin.agent(),
        }
    }

    fn matches(&self, payload: &Args) -> bool {
        match self.grant.exact {
            true => self.grant.payload == *payload,
            false => self.grant.payload.is_part_of(payload),
        }
    }
}
