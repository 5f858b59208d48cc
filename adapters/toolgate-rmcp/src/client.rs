//! Around the peer of a client.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use rmcp::{
    RoleClient,
    model::{CallToolRequestParams, CallToolResponse, Tool},
    service::{Peer, ServiceError},
};
use toolgate::{Authorizer, Definition, Definitions, Origin, Refusal, authorize};

use crate::{args, told, with_args};

/// Lets only authorised calls leave for a server.
///
/// A call is judged by the definitions that the server listed last, so list them again
/// ([`refresh`](Self::refresh)) when the server says that they changed: a tool whose definition
/// is another is another tool, and no grant for the old one counts. A name that was not listed, or
/// was listed twice, is refused.
///
/// Cloning shares the definitions.
#[derive(Clone)]
#[must_use = "only calls that are made through it are authorised"]
pub struct GatedClient<S> {
    server: Box<str>,
    peer: Peer<RoleClient>,
    stack: S,
    definitions: Arc<RwLock<Definitions>>,
}

impl<S: Authorizer> GatedClient<S> {
    /// Stands before `peer`, which the host knows as `server`, and lists its tools.
    ///
    /// # Errors
    ///
    /// If the tools cannot be listed.
    pub async fn new(
        server: impl Into<Box<str>>,
        peer: Peer<RoleClient>,
        stack: S,
    ) -> Result<Self, ServiceError> {
        let server = server.into();
        let nothing = Definitions::empty(Some(&server));
        let client = Self {
            server,
            peer,
            stack,
            definitions: Arc::new(RwLock::new(nothing)),
        };
        client.refresh().await?;
        Ok(client)
    }

    /// Lists the tools anew. What is returned is what calls are judged by from now on, and so what
    /// the model should be shown.
    ///
    /// # Errors
    ///
    /// If the tools cannot be listed. Then the old definitions stay.
    pub async fn refresh(&self) -> Result<Vec<Tool>, ServiceError> {
        let tools = self.peer.list_all_tools().await?;
        let named = tools.iter().map(|tool| (&*tool.name, tool));
        let definitions = Definitions::new(Some(&self.server), named)
            .map_err(|_| ServiceError::UnexpectedResponse)?;
        *self
            .definitions
            .write()
            .unwrap_or_else(PoisonError::into_inner) = definitions;
        Ok(tools)
    }

    /// Makes a call that comes from `origin`, if it may run.
    ///
    /// Rounds in which the server requires input are not driven, as with `call_tool_once`: send
    /// the retry through here as well, and it is judged like every other call.
    ///
    /// # Errors
    ///
    /// If the server, or the way there, fails. A call that is blocked is a result.
    pub async fn call_tool(
        &self,
        request: CallToolRequestParams,
        origin: Origin,
    ) -> Result<CallToolResponse, ServiceError> {
        match self.authorize(request, origin).await {
            Ok(request) => self.peer.call_tool_once(request).await,
            Err(refusal) => Ok(told(&refusal).into()),
        }
    }

    /// The request as it may be sent, for hosts that send it themselves.
    ///
    /// # Errors
    ///
    /// If it may not.
    pub async fn authorize(
        &self,
        request: CallToolRequestParams,
        origin: Origin,
    ) -> Result<CallToolRequestParams, Refusal> {
        let call = self.definition(&request.name)?.call(args(&request));
        let call = authorize(self.stack.clone(), call.with_origin(origin)).await?;
        // Somebody may have been asked for long. A tool that changed meanwhile is another.
        if self.definition(&request.name)?.tool() != call.tool() {
            return Err(Refusal::unknown_tool(call.tool().clone()));
        }
        Ok(with_args(request, &call))
    }

    /// What the server said last that a tool is defined as.
    fn definition(&self, name: &str) -> Result<Definition, Refusal> {
        let definitions = self.definitions.read();
        let definitions = definitions.unwrap_or_else(PoisonError::into_inner);
        definitions.get(name).cloned()
    }
}

impl<S> fmt::Debug for GatedClient<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatedClient")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
