//! Taking answers.

use std::{fmt, task::Waker};

use super::{
    Broker, BrokerEvent, PermissionResponse,
    table::{End, Table},
};
use crate::sync::lock;

impl Broker {
    /// Answers a question.
    ///
    /// # Errors
    ///
    /// If the question is not open, or it is not for this principal or from this address to answer
    /// it. The question stays as it is.
    pub fn respond(&self, mut response: PermissionResponse) -> Result<(), RespondError> {
        let may_answer = self.may_answer(&response);
        let waker = {
            let mut table = lock(&self.0.table);
            check(&mut table, &response, may_answer).map_err(RespondError)?;
            let (id, choice) = (response.id, response.choice);
            let address = std::mem::take(&mut response.address);
            let entry = table
                .get_mut(id)
                .ok_or(RespondError(RespondErrorKind::NoSuchRequest))?;
            let waker = entry.answer(response.into_decision());
            self.tell(|| BrokerEvent::Answered {
                address,
                id,
                choice,
            });
            waker
        };
        waker.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Whether this principal may answer. Asked while nothing is locked.
    fn may_answer(&self, response: &PermissionResponse) -> bool {
        let request = lock(&self.0.table).request(response.id);
        request.is_some_and(|request| (self.0.may_answer)(&request, response.principal.as_deref()))
    }
}

fn check(
    table: &mut Table,
    response: &PermissionResponse,
    may_answer: bool,
) -> Result<(), RespondErrorKind> {
    let (active, end) = (
        table.is_active(&response.address),
        table.end_of(response.id),
    );
    let Some(entry) = table.get_mut(response.id) else {
        return Err(match end {
            Some(End::Answered) => RespondErrorKind::AlreadyAnswered,
            Some(End::Withdrawn) => RespondErrorKind::Withdrawn,
            Some(End::Expired) => RespondErrorKind::Expired,
            None if !active => RespondErrorKind::NotActive,
            None => RespondErrorKind::NoSuchRequest,
        });
    };
    if !entry.is_from(&response.address) || !may_answer {
        return Err(RespondErrorKind::NotYours);
    }
    if !entry.is_waiting() {
        return Err(RespondErrorKind::AlreadyAnswered);
    }
    if entry.is_expired() {
        return Err(RespondErrorKind::Expired);
    }
    let remember = response.choice.decision().remember;
    let offered = &entry.request.suggestions;
    if !offered.permit(remember, &response.without) {
        return Err(RespondErrorKind::NotOffered);
    }
    if response.args.is_some() && !entry.request.editable {
        return Err(RespondErrorKind::NotEditable);
    }
    Ok(())
}

/// An answer that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RespondError(RespondErrorKind);

/// Why an answer does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RespondErrorKind {
    /// There is no such question.
    NoSuchRequest,
    /// Somebody answered it before.
    AlreadyAnswered,
    /// It came too late.
    Expired,
    /// Whoever asked has gone.
    Withdrawn,
    /// No runtime serves that agent, session and branch.
    NotActive,
    /// The question came from elsewhere, or this principal may not answer it.
    NotYours,
    /// The arguments must not be changed.
    NotEditable,
    /// It is to be remembered for more than was offered.
    NotOffered,
}

impl RespondError {
    /// Why the answer does not count.
    #[must_use]
    pub fn kind(self) -> RespondErrorKind {
        self.0
    }
}

impl fmt::Display for RespondError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            RespondErrorKind::NoSuchRequest => "there is no such question",
            RespondErrorKind::AlreadyAnswered => "the question was answered before",
            RespondErrorKind::Expired => "the question has expired",
            RespondErrorKind::Withdrawn => "the question was withdrawn",
            RespondErrorKind::NotActive => "no runtime serves that agent, session and branch",
            RespondErrorKind::NotYours => "the question is not yours to answer",
            RespondErrorKind::NotEditable => "the arguments must not be changed",
            RespondErrorKind::NotOffered => "it was not offered to remember that",
        })
    }
}

impl std::error::Error for RespondError {}
