//! Asking the client while a call waits.

use std::sync::Arc;

use tokio::sync::oneshot;
use toolgate::{ApprovalDecision, ApprovalRequest, AskError, AskErrorKind};

use super::{Asked, ClientKey, MOST_ASKED, Shared, To, ToClient, cancelled};
use crate::{
    form,
    frame::{Id, Message},
};

impl Shared {
    /// Asks the client. The question has an id that nobody can guess, and only the answer to that
    /// id counts, once.
    pub(crate) async fn elicit(
        self: Arc<Self>,
        about: ClientKey,
        request: ApprovalRequest,
    ) -> Result<ApprovalDecision, AskError> {
        let params = form::question(&request, true)?;
        let id = Id::Text(format!("toolgate-{}", request.id));
        let (answer, answered) = oneshot::channel();
        {
            let mut client = self.client();
            if client.asked.len() >= MOST_ASKED {
                return Err(AskError::new(AskErrorKind::Overloaded));
            }
            client.asked.insert(id.clone(), Asked::Question(answer));
        }
        let text = Message::request(&id, "elicitation/create", Some(&params)).to_json();
        let question = OpenQuestion {
            session: Arc::clone(&self),
            id,
        };
        self.tell(To::About(about), text).await;
        let filled = answered
            .await
            .map_err(|_| AskError::new(AskErrorKind::Closed))?;
        drop(question);
        Ok(form::answer(&filled, true))
    }
}

/// Takes the question back if it is dropped before it was answered.
struct OpenQuestion {
    session: Arc<Shared>,
    id: Id,
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let open = self.session.client().asked.remove(&self.id);
        if open.is_some() {
            let text = cancelled(&self.id);
            // Whoever does not read in time sees a question that is no longer open.
            let _ = self.session.out.try_send(ToClient {
                to: To::Anybody,
                text,
            });
        }
    }
}
