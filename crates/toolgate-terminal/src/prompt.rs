//! The handler.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    thread,
    time::SystemTime,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use toolgate::{ApprovalDecision, ApprovalRequest, Rendering};
use tower_service::Service;

use crate::{
    dialog::Dialog,
    error::{TerminalError, TerminalErrorKind},
    screen::{Row, Style},
    session,
    tty::Tty,
};

/// Asks on the terminal. See the [crate docs](crate) for what it promises.
///
/// Clones share the terminal: they ask one after the other. Works in any runtime; a question takes
/// a thread of its own while it is asked.
///
/// From the first question on, the signals that end a program (`SIGHUP`, `SIGINT`, `SIGQUIT`,
/// `SIGTERM`) are caught, to restore the terminal first. Those that the program had already taken
/// care of are left to it.
#[derive(Clone)]
#[must_use = "a handler does nothing until a prompt asks it"]
pub struct TerminalPrompt {
    shared: Arc<Shared>,
    by: Option<Arc<str>>,
}

struct Shared {
    /// The right to use the terminal, given in the order of asking.
    turn: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl TerminalPrompt {
    /// Asks on the terminal that the program was started from.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                turn: Arc::new(Semaphore::new(1)),
                waiting: AtomicUsize::new(0),
            }),
            by: None,
        }
    }

    /// Says who sits at the terminal. Answers and what is remembered of them then name them.
    pub fn answered_by(mut self, principal: impl Into<Arc<str>>) -> Self {
        self.by = Some(principal.into());
        self
    }

    async fn ask(self, request: ApprovalRequest) -> Result<ApprovalDecision, TerminalError> {
        let too_large = |_| TerminalError::new(TerminalErrorKind::TooLarge);
        let rendering = Rendering::of(&request).map_err(too_large)?;
        let turn = self.shared.clone().wait().await?;
        let tty = Tty::open()?;
        let withdrawal = Withdrawal {
            tty: Arc::clone(&tty),
            expires: request.expires,
            tool: request.tool.to_string(),
        };
        let (answer, answered) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        let dialog = Dialog::new(request, rendering);
        thread::Builder::new()
            .name("toolgate-terminal".to_owned())
            .spawn(move || {
                let result = session::run(&tty, dialog, &shared.waiting);
                // Whoever asks next finds the terminal as it was.
                drop((tty, turn));
                // There may be nobody left who wants to know.
                let _ = answer.send(result);
            })?;
        let lost = |_| TerminalError::new(TerminalErrorKind::Lost);
        let decision = answered.await.map_err(lost)??;
        drop(withdrawal);
        Ok(match self.by {
            Some(by) => decision.by(by),
            None => decision,
        })
    }
}

impl Shared {
    /// Waits for the terminal.
    async fn wait(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TerminalError> {
        let waiting = Waiting::begin(&self);
        let turn = Arc::clone(&self.turn).acquire_owned().await;
        drop(waiting);
        turn.map_err(|_| TerminalError::new(TerminalErrorKind::Lost))
    }
}

/// Counts a question that waits for the terminal, for as long as it does.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(shared: &'a Shared) -> Self {
        shared.waiting.fetch_add(1, Ordering::AcqRel);
        Self(&shared.waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Takes the question off the terminal if nobody wants the answer any more. It does so itself, at
/// once: there may be no more time for anybody else if the program is about to end.
struct Withdrawal {
    tty: Arc<Tty>,
    expires: Option<SystemTime>,
    tool: String,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let late = self.expires.is_some_and(|at| at <= SystemTime::now());
        let what = if late {
            "not answered in time"
        } else {
            "withdrawn"
        };
        let word = Row::of(Style::Label, "toolgate: ")
            .and(Style::Plain, format!("{}: ", self.tool))
            .and(Style::Bad, what);
        self.tty.end(&word);
    }
}

impl Default for TerminalPrompt {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TerminalPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalPrompt").finish_non_exhaustive()
    }
}

impl Service<ApprovalRequest> for TerminalPrompt {
    type Response = ApprovalDecision;
    type Error = TerminalError;
    type Future = TerminalFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TerminalError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ApprovalRequest) -> TerminalFuture {
        TerminalFuture(Box::pin(self.clone().ask(request)))
    }
}

/// The answer of whoever sits at the terminal. Dropping it withdraws the question.
pub struct TerminalFuture(Pin<Box<Asking>>);

type Asking = dyn Future<Output = Result<ApprovalDecision, TerminalError>> + Send;

impl Future for TerminalFuture {
    type Output = Result<ApprovalDecision, TerminalError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl fmt::Debug for TerminalFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalFuture").finish_non_exhaustive()
    }
}
