//! Whoever is asked: a broker, or something in its place that does not work.

use std::{
    future::pending,
    panic::resume_unwind,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use futures_util::future::{Either, select};
use tokio::{sync::Notify, time::sleep};
use toolgate::{
    ApprovalDecision, ApprovalRequest, AskError, AskErrorKind, Broker, BrokerPrompt,
    approval_channel,
};
use tower::BoxError;
use tower_service::Service;

use super::{super::step::Behaviour, DEADLINE};
use crate::{bench::lock, fault::Fault};

/// Whoever is asked.
#[derive(Clone)]
pub(in crate::attacks) struct Hand {
    behaviour: Arc<Mutex<Behaviour>>,
    broker: BrokerPrompt,
    gone: Arc<Notify>,
}

impl Hand {
    pub(super) fn new(broker: &Broker) -> Self {
        Self {
            behaviour: Arc::default(),
            broker: broker.prompt("tools"),
            gone: Arc::default(),
        }
    }

    pub(super) fn set(&self, behaviour: Behaviour) {
        *lock(&self.behaviour) = behaviour;
    }

    /// Whether there is nobody at all.
    pub(super) fn is_absent(&self) -> bool {
        *lock(&self.behaviour) == Behaviour::Absent
    }

    /// Goes away while questions wait.
    pub(in crate::attacks) fn disconnect(&self) {
        self.gone.notify_waiters();
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<ApprovalDecision, BoxError>> + Send>>;

impl Service<ApprovalRequest> for Hand {
    type Response = ApprovalDecision;
    type Error = BoxError;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ApprovalRequest) -> Answering {
        let behaviour = *lock(&self.behaviour);
        if behaviour != Behaviour::Decides {
            return Box::pin(fail(behaviour, request));
        }
        let (answering, gone) = (self.broker.call(request), Arc::clone(&self.gone));
        Box::pin(async move {
            match select(answering, Box::pin(gone.notified())).await {
                Either::Left((answer, _)) => Ok(answer?),
                Either::Right(_) => Err(AskError::new(AskErrorKind::Closed).into()),
            }
        })
    }
}

/// Fails in the way that a case wants.
async fn fail(
    behaviour: Behaviour,
    request: ApprovalRequest,
) -> Result<ApprovalDecision, BoxError> {
    match behaviour {
        Behaviour::Panic | Behaviour::MalformedInputRender => {
            // Without a word on the terminal: it is what the case wants.
            resume_unwind(Box::new("as the case wants it"))
        }
        Behaviour::Hang => pending().await,
        Behaviour::Timeout => {
            sleep(DEADLINE * 2).await;
            Ok(ApprovalDecision::approve())
        }
        Behaviour::DropSender => {
            let (mut prompt, questions) = approval_channel(1);
            drop(questions);
            Ok(prompt.call(request).await?)
        }
        // What a program writes is read like anything else that comes from outside.
        Behaviour::MalformedOutput => Ok(serde_json::from_str("{\"approved\": tru")?),
        Behaviour::TwoAnswers => {
            let written = "{\"approved\": true}\n{\"error\": \"crashed\"}";
            Ok(serde_json::from_str(written)?)
        }
        Behaviour::Missing => Err(std::io::Error::from(std::io::ErrorKind::NotFound).into()),
        other => Err(Fault::raised("Error", format!("{other:?}")).into()),
    }
}
