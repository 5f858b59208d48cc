//! Authorises tool calls of [tower-mcp] servers.
//!
//! [`ToolgateLayer`] goes where any layer of a transport goes. `tools/call` is authorised by a
//! stack that ends in [`Authorize`](toolgate::Authorize), and goes on with the authorised
//! arguments and everything else as it was. All other requests pass.
//!
//! A call that is blocked becomes a result that is marked as an error: transports would make an
//! internal error of an `Err`, and no model would read why.
//!
//! Dropping a request, as transports do when a connection ends, withdraws the question. A
//! `notifications/cancelled` does not: it goes to the router, which has not seen the call yet, and
//! layers are not told. The question then stands until it is answered or its deadline comes.
//!
//! # Example
//!
//! ```
//! # fn f(router: tower_mcp::McpRouter) -> Result<(), Box<dyn std::error::Error>> {
//! use toolgate::{Authorize, GateLayer, Origin, ReviewLayer, ToolConfig, ToolRules, ToolRulesLayer};
//! use toolgate_tower_mcp::ToolgateLayer;
//! use tower::ServiceBuilder;
//! use tower_mcp::StdioTransport;
//!
//! let rules = ToolRules::new([("mcp:files/read_*", ToolConfig::pre_approved())])?;
//! let stack = ServiceBuilder::new()
//!     .layer(ReviewLayer::new())
//!     .layer(ToolRulesLayer::new(rules))
//!     .layer(GateLayer::deny_by_default())
//!     .service(Authorize::new());
//!
//! let gate = ToolgateLayer::new("files", stack).with_origin(Origin::new().with_session("s-1"));
//! let transport = StdioTransport::new(router).layer(gate);
//! # let _ = transport;
//! # Ok(())
//! # }
//! ```
//!
//! [tower-mcp]: https://docs.rs/tower-mcp

mod service;

use std::{fmt, sync::Arc};

use toolgate::{Authorizer, Origin};
use tower::Layer;
use tower_mcp::RouterRequest;

pub use self::service::ToolgateService;

type OriginOf = dyn Fn(&RouterRequest) -> Origin + Send + Sync;

/// Authorises `tools/call`. See the [crate docs](crate) for an example.
#[derive(Clone)]
#[must_use = "a layer does nothing until it wraps a service"]
pub struct ToolgateLayer<A> {
    server: Arc<str>,
    stack: A,
    origin: Arc<OriginOf>,
}

impl<A: Authorizer> ToolgateLayer<A> {
    /// Authorises with `stack`. The tools are known as those of `server`.
    pub fn new(server: impl Into<Arc<str>>, stack: A) -> Self {
        Self {
            server: server.into(),
            stack,
            origin: Arc::new(|_| Origin::new()),
        }
    }

    /// Says where every call comes from.
    pub fn with_origin(self, origin: Origin) -> Self {
        self.with_origin_of(move |_| origin.clone())
    }

    /// Says where a call comes from, by its request: layers further out leave in its extensions
    /// what they know of the client and its session.
    pub fn with_origin_of(
        mut self,
        origin: impl Fn(&RouterRequest) -> Origin + Send + Sync + 'static,
    ) -> Self {
        self.origin = Arc::new(origin);
        self
    }
}

impl<S, A: Clone> Layer<S> for ToolgateLayer<A> {
    type Service = ToolgateService<S, A>;

    fn layer(&self, inner: S) -> Self::Service {
        ToolgateService::new(inner, self.clone())
    }
}

impl<A> fmt::Debug for ToolgateLayer<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolgateLayer")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
