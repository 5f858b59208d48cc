//! Asking in the middle of a tool's work.

mod blocking;
mod question;

use std::{error::Error, fmt};

use tower_service::Service;

pub use self::question::Question;
use crate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, Authorized, GrantStore, Grants,
    MemoryLayer, PromptLayer, ToolBlocked, ToolCall, ask_once::ask_once,
};

const LAYER: &str = "ask handle";

/// Lets a tool ask while it works, for what nobody could know before it began.
///
/// A handle that is made [from the prompt](Self::from_prompt) of a stack asks as that stack does:
/// the same handler, deadline, mode and turns. It follows the same laws: in strict mode nothing is
/// asked and the answer is no; approve-all says yes; a handler that fails, panics or is late has
/// not approved anything; one session is asked one thing at a time; what is
/// [remembered](Self::with_memory) is not asked again.
///
/// The refusal is a [`ToolBlocked`], so that a tool hands it on with `?`. Coming from inside a tool
/// that ran, it is an error of the tool and not a refusal of its call.
///
/// Answers with other arguments are taken only [where that is said](Self::with_editing), because
/// then the tool has to go on with [those](Approved::args).
///
/// # Example
///
/// ```
/// use tower::service_fn;
/// use toolgate::{ApprovalDecision, ApprovalRequest, Args, AskHandle, Question, ToolBlocked};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ToolBlocked> {
/// let human = service_fn(|request: ApprovalRequest| async move {
///     println!("{}", request.description);
///     Ok::<_, std::io::Error>(ApprovalDecision::approve())
/// });
/// let asker = AskHandle::new(human);
///
/// let question = Question::new("clean_up", "delete 3 files that are not in version control")
///     .with_payload(Args::new().with("dir", "build"));
/// let approved = asker.ask(question).await?;
/// assert_eq!(approved.allowed_by(), toolgate::AllowedBy::Human);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a handle does nothing until somebody asks through it"]
pub struct AskHandle<H, M = Grants> {
    prompt: PromptLayer<H>,
    memory: MemoryLayer<M>,
    editing: bool,
}

impl<H> AskHandle<H> {
    /// Asks `handler`, and remembers in a memory of its own.
    pub fn new(handler: H) -> Self {
        Self::from_prompt(PromptLayer::new(handler))
    }

    /// Asks as `prompt` does, and remembers in a memory of its own.
    pub fn from_prompt(prompt: PromptLayer<H>) -> Self {
        Self {
            prompt,
            memory: MemoryLayer::new(Grants::new()),
            editing: false,
        }
    }
}

impl<H, M> AskHandle<H, M> {
    /// Remembers in `store`, which may be that of a stack.
    pub fn with_memory<N: GrantStore>(self, store: N) -> AskHandle<H, N> {
        AskHandle {
            prompt: self.prompt,
            memory: MemoryLayer::new(store),
            editing: self.editing,
        }
    }

    /// Takes answers that come with another payload, if the prompt does. The tool has to go on with
    /// [that one](Approved::args).
    pub fn with_editing(mut self) -> Self {
        self.editing = true;
        self
    }
}

impl<H, M> AskHandle<H, M>
where
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone + Send + Sync + 'static,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
    H::Future: Send,
    M: GrantStore,
{
    /// Asks, and waits for the answer. Giving up the wait withdraws the question.
    ///
    /// # Errors
    ///
    /// If nobody said yes. The [kind](ToolBlocked::kind) says why.
    pub async fn ask(&self, question: Question) -> Result<Approved, ToolBlocked> {
        let prompt = match self.editing {
            true => self.prompt.clone(),
            false => self.prompt.clone().without_editing(),
        };
        let memory = self.memory.clone();
        let (call, vote) = question.into_parts();
        let decide = move || vote.clone().into();
        let call = ask_once(prompt, memory, LAYER, decide, call).await?;
        Ok(Approved(call))
    }

    /// Asks, and blocks the thread until there is an answer. For tools that are not asynchronous.
    ///
    /// It works on a thread without a runtime, where the handler is run on a small one that has a
    /// clock and nothing else, and on threads of a multi-threaded runtime, whose other work goes
    /// on meanwhile.
    ///
    /// On the threads of a current-thread runtime it refuses at once, its blocking threads
    /// included: they cannot be told apart, and on the one that runs the tasks nobody would ever
    /// answer. There, [`ask`](Self::ask) or a `std::thread` is the way.
    ///
    /// # Errors
    ///
    /// If nobody said yes, or the thread must not block; that is of the kind
    /// [`HandlerFailed`](crate::BlockedKind::HandlerFailed), with the reason.
    pub fn ask_blocking(&self, question: Question) -> Result<Approved, ToolBlocked> {
        let answered = blocking::wait_for(self.ask(question.clone()));
        answered.unwrap_or_else(|reason| Err(question.refused(reason)))
    }
}

impl<H, M> fmt::Debug for AskHandle<H, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskHandle")
            .field("prompt", &self.prompt)
            .finish_non_exhaustive()
    }
}

/// A yes.
#[derive(Debug)]
pub struct Approved(ToolCall<Authorized>);

impl Approved {
    /// Who said so: a person, the memory, or the mode.
    #[must_use]
    pub fn allowed_by(&self) -> AllowedBy {
        self.0.allowed_by()
    }

    /// What was approved: the payload of the question, or what whoever answered made of it.
    #[must_use]
    pub fn args(&self) -> &Args {
        self.0.args()
    }

    /// What the person who approved had to say.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.0.note()
    }
}
