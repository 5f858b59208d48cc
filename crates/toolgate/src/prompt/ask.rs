//! From an open call to an answer, or to the reason why there is none.

use std::{
    error::Error,
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
    task::Poll,
};

use futures_util::{
    FutureExt as _,
    future::{Either, select},
};
use tokio::time::{Instant, sleep_until};
use tower::util::Oneshot;
use tower_service::Service;

use super::{PromptLayer, Settings, error::kind_of};
use crate::{
    ApprovalDecision, ApprovalRequest, BlockedKind, Mode, Rendering, Reviewing, ToolBlocked,
    ToolCall,
    approval::Terms,
    blocked::Stage,
    clock::{instant_in, time_in},
    mode::TurnedStrict,
    observed::Waiting,
    render::surely_fits,
    review::trace::record_waiting,
    round::{Answer, AnsweredBy},
};

type BoxError = Box<dyn Error + Send + Sync>;

impl<H> PromptLayer<H>
where
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone,
    H::Error: Into<BoxError>,
{
    /// Asks about an open call. Whatever comes of it goes back out as a [`ToolBlocked`]: with an
    /// answer, to be reviewed again, or with the reason why there is none.
    pub(super) async fn ask(self: Arc<Self>, mut call: ToolCall<Reviewing>) -> ToolBlocked {
        if call.round().is_last {
            return ToolBlocked::unsettled(&call);
        }
        let settings = &self.settings;
        let since = Instant::now();
        let deadline = call
            .round()
            .deadline
            .or_else(|| settings.deadline.and_then(instant_in));
        call.round_mut().deadline = deadline;
        // It may have been over while the call was reviewed again.
        if deadline.is_some_and(|deadline| since >= deadline) {
            return ToolBlocked::new(&call, BlockedKind::TimedOut, None);
        }
        let copy = call.copy_to_look_at();
        let _waiting = Waiting::begin(&call);
        // From before anybody is asked, so that no switch falls between.
        let strict = settings.mode.turned_strict();
        let mut asking = pin!(self.take_turn(call, since));
        // Whoever answers at once needs no clock.
        if let Poll::Ready(ended) = poll_fn(|cx| Poll::Ready(asking.as_mut().poll(cx))).await {
            return ended;
        }
        match select(pin!(interrupted(strict, deadline)), asking).await {
            Either::Left((kind, _)) => {
                record_waiting(&copy.round().span, copy.round().waited + since.elapsed());
                ToolBlocked::new(&copy, kind, None)
            }
            Either::Right((ended, _)) => ended,
        }
    }

    /// What would become of an open call, by the mode alone.
    pub(super) fn judge(&self, call: ToolCall<Reviewing>) -> ToolBlocked {
        match self.settings.mode.get() {
            Mode::Interactive => ToolBlocked::pending(call, Stage::Open),
            Mode::ApproveAll if call.asks_for_parent() => ToolBlocked::pending(call, Stage::Open),
            Mode::ApproveAll => ToolBlocked::pending(call, Stage::Settled),
            Mode::Strict => strict(&call),
        }
    }

    async fn take_turn(&self, mut call: ToolCall<Reviewing>, since: Instant) -> ToolBlocked {
        if let Some(ended) = self.settings.without_asking(&mut call) {
            return ended;
        }
        if !call.round().has_turn() {
            let turn = self.settings.turns.take(call.origin().session()).await;
            let Some((turn, waited)) = turn else {
                return ToolBlocked::new(&call, BlockedKind::Overloaded, None);
            };
            call.round_mut().turn = Some(Arc::new(turn));
            if waited {
                call.round_mut().waited += since.elapsed();
                return ToolBlocked::pending(call, Stage::TurnCame);
            }
        }
        // The mode may have been switched meanwhile.
        match self.settings.without_asking(&mut call) {
            Some(ended) => ended,
            None => self.put(call, since).await,
        }
    }

    /// Puts the question to the handler.
    async fn put(&self, mut call: ToolCall<Reviewing>, since: Instant) -> ToolBlocked {
        let request = match call.question(&self.settings.terms(&call)) {
            Ok(request) => request,
            Err(error) => return failed(&call, error.into()),
        };
        if !self.settings.any_size && !surely_fits(&request) && Rendering::of(&request).is_err() {
            return ToolBlocked::new(&call, BlockedKind::TooLarge, None);
        }
        let asks = request.asks.clone();
        let offered = request.suggestions.clone();
        let handler = Oneshot::new(self.handler.clone(), request);
        let answered = AssertUnwindSafe(handler).catch_unwind().await;
        let round = call.round_mut();
        round.waited += since.elapsed();
        let deadline = round.deadline.take();
        record_waiting(&round.span, round.waited);
        // A handler that did not yield meanwhile has not been interrupted.
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return ToolBlocked::new(&call, BlockedKind::TimedOut, None);
        }
        let decision = match answered {
            Ok(Ok(decision)) => decision.tidy(),
            Ok(Err(error)) => return failed(&call, error.into()),
            Err(_) => return failed(&call, "the handler panicked".into()),
        };
        if decision.args.is_some() && !self.settings.editable {
            return failed(
                &call,
                "the answer changes arguments that must not be changed".into(),
            );
        }
        if !decision.is_one_of(&offered) {
            return failed(&call, "the answer is for more than was offered".into());
        }
        if !decision.approved {
            self.settings.declines.note(&call, &asks, &decision);
        }
        let answer = Answer::new(asks, call.args(), decision, AnsweredBy::Handler);
        let answer = answer.knowing(call.labels());
        close(call, answer)
    }
}

impl Settings {
    /// How the call ends without anybody being asked, if it does.
    fn without_asking(&self, call: &mut ToolCall<Reviewing>) -> Option<ToolBlocked> {
        // Another prompt of the stack may be strict.
        if call.round().is_strict() {
            return Some(strict(call));
        }
        match self.mode.get() {
            Mode::Interactive => self.declines.earlier(call),
            Mode::Strict => Some(strict(call)),
            // What the parent agent would ask about is not for the mode of its child to answer.
            Mode::ApproveAll if call.asks_for_parent() => self.declines.earlier(call),
            Mode::ApproveAll => {
                let asks = call.asks();
                let yes = ApprovalDecision::approve();
                let answer = Answer::new(asks, call.args(), yes, AnsweredBy::Mode);
                Some(close(call.clone(), answer))
            }
        }
    }

    fn terms(&self, call: &ToolCall<Reviewing>) -> Terms {
        let left = call
            .round()
            .deadline
            .map(|until| until.saturating_duration_since(Instant::now()));
        Terms {
            expires: left.and_then(time_in),
            editable: self.editable,
        }
    }
}

/// Resolves when nobody may answer any more, and says why.
async fn interrupted(strict: TurnedStrict, deadline: Option<Instant>) -> BlockedKind {
    let Some(deadline) = deadline else {
        strict.await;
        return BlockedKind::Strict;
    };
    match select(strict, pin!(sleep_until(deadline))).await {
        Either::Left(_) => BlockedKind::Strict,
        Either::Right(_) => BlockedKind::TimedOut,
    }
}

fn strict(call: &ToolCall<Reviewing>) -> ToolBlocked {
    ToolBlocked::new(call, BlockedKind::Strict, call.first_ask_reason())
}

/// Attaches the answer to the call, and sends it back out to be reviewed again.
fn close(mut call: ToolCall<Reviewing>, answer: Answer) -> ToolBlocked {
    if answer.approved() {
        call.rewrite(answer.args().clone());
    }
    if let Some(observed) = &call.round().observed {
        observed.answer(&answer);
    }
    call.round_mut().answer = Some(answer);
    ToolBlocked::pending(call, Stage::Answered)
}

fn failed(call: &ToolCall<Reviewing>, error: BoxError) -> ToolBlocked {
    ToolBlocked::new(call, kind_of(&*error), None).with_source(error)
}
