//! Which servers there are, and what they offered when they were trusted.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, PoisonError, RwLock},
};

use toolgate::{Decision, Policy, PolicyLayer, Reviewing, Rule, ToolCall};

/// Applies [`Servers`] to every call.
pub type ServersLayer = PolicyLayer<Servers>;

/// The servers that a host has registered, and which tools each of them was pinned to.
///
/// A host that connects to servers says so here. Two servers of one name cannot be told apart by
/// any rule: calls of either are denied. A tool that a pinned server did not offer when it was
/// pinned is asked about, whatever allows the server's tools by a wildcard.
///
/// A `Servers` is a handle: clones share what is registered.
///
/// # Example
///
/// ```
/// use toolgate_policy::Servers;
///
/// let servers = Servers::new();
/// servers.register("github");
/// servers.pin("github", ["get_issue", "search_code"]);
/// assert!(!servers.is_ambiguous("github"));
///
/// servers.register("github");
/// assert!(servers.is_ambiguous("github"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Servers(Arc<RwLock<HashMap<Box<str>, Registered>>>);

#[derive(Debug, Default)]
struct Registered {
    times: usize,
    pinned: Option<BTreeSet<Box<str>>>,
}

impl Servers {
    /// No servers yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes down that there is a server of this name.
    pub fn register(&self, server: impl Into<Box<str>>) {
        self.with(server.into(), |registered| registered.times += 1);
    }

    /// Takes down that a server of this name is gone.
    pub fn unregister(&self, server: impl Into<Box<str>>) {
        self.with(server.into(), |registered| {
            registered.times = registered.times.saturating_sub(1);
        });
    }

    /// Takes down which tools a server offers. Any that it offers later is asked about.
    pub fn pin<T: Into<Box<str>>>(
        &self,
        server: impl Into<Box<str>>,
        tools: impl IntoIterator<Item = T>,
    ) {
        let tools = tools.into_iter().map(Into::into).collect();
        self.with(server.into(), |registered| registered.pinned = Some(tools));
    }

    /// Whether there are several servers of this name.
    #[must_use]
    pub fn is_ambiguous(&self, server: &str) -> bool {
        self.look(server, |registered| registered.times > 1)
    }

    fn with(&self, server: Box<str>, change: impl FnOnce(&mut Registered)) {
        let mut servers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        change(servers.entry(server).or_default());
    }

    fn look(&self, server: &str, test: impl FnOnce(&Registered) -> bool) -> bool {
        let servers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        servers.get(server).is_some_and(test)
    }
}

impl Policy for Servers {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        let Some(server) = call.tool().server() else {
            return Decision::abstain();
        };
        let is_new = |registered: &Registered| {
            let pinned = registered.pinned.as_ref();
            pinned.is_some_and(|tools| !tools.contains(call.tool().name()))
        };
        if self.is_ambiguous(server) {
            Decision::deny("there are several servers of this name")
                .by(Rule::new("server.ambiguous"))
        } else if self.look(server, is_new) {
            Decision::ask("the server did not offer this tool when it was pinned")
                .by(Rule::new("server.new-tool"))
        } else {
            Decision::abstain()
        }
    }

    fn name(&self) -> &'static str {
        "servers"
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use toolgate::{Args, BlockedKind, GateLayer, ReviewLayer, ToolId};
    use toolgate_test::Spy;
    use tower::{ServiceBuilder, ServiceExt as _};

    use super::*;

    async fn outcome(servers: &Servers, server: &str, tool: &str) -> Option<BlockedKind> {
        let spy = Spy::new();
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(ServersLayer::new(servers.clone()))
            .layer(GateLayer::dangerous_allow_by_default())
            .service(spy.clone());
        let call = ToolCall::new(ToolId::new(tool).on_server(server), Args::new());
        let result = stack.oneshot(call).await;
        assert_eq!(spy.runs(), usize::from(result.is_ok()));
        result.err().map(|blocked| blocked.kind())
    }

    #[tokio::test]
    async fn two_servers_of_one_name_are_refused() {
        let servers = Servers::new();
        servers.register("a");
        assert_eq!(outcome(&servers, "a", "t").await, None);
        servers.register("a");
        assert_eq!(outcome(&servers, "a", "t").await, Some(BlockedKind::Denied));
        servers.unregister("a");
        assert_eq!(outcome(&servers, "a", "t").await, None);
    }

    #[tokio::test]
    async fn a_tool_that_came_later_is_asked_about() {
        let servers = Servers::new();
        servers.register("a");
        servers.pin("a", ["search"]);
        assert_eq!(outcome(&servers, "a", "search").await, None);
        let later = outcome(&servers, "a", "delete_all").await;
        assert_eq!(later, Some(BlockedKind::NoHandler));
        assert_eq!(outcome(&servers, "b", "delete_all").await, None);
    }
}
