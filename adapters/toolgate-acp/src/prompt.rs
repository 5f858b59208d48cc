//! The handler.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use agent_client_protocol::{Client, v1::ConnectionTo};
use toolgate::{ApprovalDecision, ApprovalRequest, Remember};
use tower_service::Service;

use crate::{AcpError, message};

/// Asks the client at the other end of a connection. See the [crate docs](crate).
#[derive(Clone)]
#[must_use = "a handler does nothing until a prompt asks it"]
pub struct AcpPrompt {
    connection: ConnectionTo<Client>,
    remember: Remember,
}

impl AcpPrompt {
    /// Asks over `connection`. An "always" holds for the rest of the session.
    pub fn new(connection: ConnectionTo<Client>) -> Self {
        Self {
            connection,
            remember: Remember::Session,
        }
    }

    /// Sets for how long an "always" holds. With [`Remember::Once`] it is not offered.
    pub fn remembering(mut self, remember: Remember) -> Self {
        self.remember = remember;
        self
    }
}

impl Service<ApprovalRequest> for AcpPrompt {
    type Response = ApprovalDecision;
    type Error = AcpError;
    type Future = Pin<Box<dyn Future<Output = Result<ApprovalDecision, AcpError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AcpError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ApprovalRequest) -> Self::Future {
        let Self {
            connection,
            remember,
        } = self.clone();
        Box::pin(async move {
            let question = message::question(&request, remember)?;
            let offered = question.options.clone();
            let sent = connection.send_request(question);
            let response = sent.block_task().await.map_err(AcpError::connection)?;
            message::answer(&response.outcome, &offered, remember)
        })
    }
}

impl fmt::Debug for AcpPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcpPrompt")
            .field("remember", &self.remember)
            .finish_non_exhaustive()
    }
}
