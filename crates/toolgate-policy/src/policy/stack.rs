//! A whole stack from a policy.

use toolgate::{
    Decision, GateLayer, GrantStore, MemoryLayer, Policy, PromptLayer, ReviewLayer, Reviewing,
    ToolCall,
};
use tower_layer::Stack;

use super::{FilePolicy, FilePolicyLayer};
use crate::{Diagnostics, Loader, Reloading};

/// The layers of a whole stack, from the gate outward.
pub type PolicyStack<H, M> = Stack<
    GateLayer,
    Stack<MemoryLayer<M>, Stack<FilePolicyLayer, Stack<PromptLayer<H>, ReviewLayer>>>,
>;

impl FilePolicy {
    /// All layers that the policy stands for, from the review to the gate, with `handler` to be
    /// asked and `memory` to remember what was answered.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{
    ///     ApprovalDecision, ApprovalRequest, Args, BlockedKind, Grants, Tool, ToolCall, Toolbox,
    /// };
    /// use toolgate_policy::{Format, Settings, parse_policy};
    /// use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), BoxError> {
    /// let text = r#"
    ///     [shell]
    ///     allow = ["git status *"]
    ///     deny  = ["rm *"]
    /// "#;
    /// let policy = parse_policy(text, Format::Toml)?.compile(None, &Settings::new())?;
    /// let human = service_fn(|_: ApprovalRequest| async {
    ///     Ok::<_, BoxError>(ApprovalDecision::decline())
    /// });
    /// let toolbox = Toolbox::new([Tool::raw("shell", |_| async { Ok::<_, BoxError>("ran") })])?;
    /// let tools = ServiceBuilder::new()
    ///     .layer(policy.stack(human, Grants::new()))
    ///     .service(toolbox);
    ///
    /// let call = |line: &str| ToolCall::new("shell", Args::new().with("command", line));
    /// assert_eq!(tools.clone().oneshot(call("git status -s")).await?, "ran");
    /// let error = tools.oneshot(call("env rm -rf /")).await.unwrap_err();
    /// assert!(error.to_string().contains("denied by `rm *`"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn stack<H, M: GrantStore>(&self, handler: H, memory: M) -> PolicyStack<H, M> {
        let outer = Stack::new(self.prompt(handler), self.review());
        let outer = Stack::new(self.layer(), outer);
        Stack::new(self.gate(), Stack::new(MemoryLayer::new(memory), outer))
    }
}

/// A call is judged by the policy that is in force when it is judged, as a whole. Mode, deadline and
/// what tools are remembered by are those of the policy that the stack was made from.
impl Policy for Reloading<FilePolicy> {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        self.current().decide(call)
    }

    fn name(&self) -> &'static str {
        "policy"
    }
}

impl Reloading<FilePolicy> {
    /// Loads a policy that follows its files.
    ///
    /// # Errors
    ///
    /// Says everything that is wrong with any of the files.
    pub fn policy(loader: Loader) -> Result<Self, Diagnostics> {
        let settings = loader.settings();
        Self::load(loader, move |layers| layers.compile(&settings))
    }
}
