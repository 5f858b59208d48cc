//! Where a question about a call goes.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll},
};

use toolgate::{ApprovalDecision, ApprovalRequest, AskError, AskErrorKind, CallId};
use tower::{
    BoxError,
    util::{BoxCloneSyncService, Oneshot},
};
use tower_service::Service;

use crate::{
    session::{ClientKey, Shared},
    state::{Asked, asked},
};

/// Somebody who can be asked without the client, such as a person at the terminal.
pub type Handler = BoxCloneSyncService<ApprovalRequest, ApprovalDecision, BoxError>;

/// How a question about one call is put.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// The client gets it as the result, and calls again with the answer.
    Defer,
    /// The client is asked while the call waits.
    Elicit(ClientKey),
    /// Whoever can be asked without the client, if there is anybody.
    Aside,
}

/// One call that is judged.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) way: Way,
    /// What somebody answered to an earlier question about the same call.
    pub(crate) answer: Option<(Asked, ApprovalDecision)>,
    /// The question that is to be deferred.
    pub(crate) deferred: Option<ApprovalRequest>,
}

/// The calls that are judged, by their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes(Arc<Mutex<HashMap<Arc<str>, Route>>>);

impl Routes {
    /// Takes down how questions about a call are put, until the guard is dropped.
    pub(crate) fn open(&self, call: Arc<str>, route: Route) -> OpenRoute {
        self.lock().insert(Arc::clone(&call), route);
        OpenRoute {
            routes: self.clone(),
            call,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Route>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be done about a question.
    fn next(&self, request: &ApprovalRequest) -> Next {
        let mut routes = self.lock();
        let call = request.call_id.as_ref().map(CallId::as_str);
        let Some(route) = call.and_then(|call| routes.get_mut(call)) else {
            return Next::Failed(AskError::new(AskErrorKind::Nobody));
        };
        if let Some((to, decision)) = route.answer.take()
            && to == asked(request)
        {
            return Next::Answered(decision);
        }
        match route.way.clone() {
            Way::Defer => {
                route.deferred = Some(request.clone());
                Next::Failed(AskError::new(AskErrorKind::Nobody))
            }
            Way::Elicit(key) => Next::Elicit(key),
            Way::Aside => Next::Aside,
        }
    }
}

enum Next {
    Answered(ApprovalDecision),
    Elicit(ClientKey),
    Aside,
    Failed(AskError),
}

/// Forgets a call when it is dropped.
#[derive(Debug)]
pub(crate) struct OpenRoute {
    routes: Routes,
    call: Arc<str>,
}

impl OpenRoute {
    /// The question that is to be deferred, if there is one.
    pub(crate) fn deferred(&self) -> Option<ApprovalRequest> {
        self.routes.lock().get_mut(&self.call)?.deferred.take()
    }
}

impl Drop for OpenRoute {
    fn drop(&mut self) {
        self.routes.lock().remove(&self.call);
    }
}

/// The handler of a session.
#[derive(Clone)]
pub(crate) struct Asker {
    routes: Routes,
    session: Weak<Shared>,
    aside: Option<Handler>,
}

impl Asker {
    pub(crate) fn new(routes: Routes, session: Weak<Shared>, aside: Option<Handler>) -> Self {
        Self {
            routes,
            session,
            aside,
        }
    }

    async fn ask(self, request: ApprovalRequest) -> Result<ApprovalDecision, BoxError> {
        let nobody = || BoxError::from(AskError::new(AskErrorKind::Nobody));
        match self.routes.next(&request) {
            Next::Answered(decision) => Ok(decision),
            Next::Failed(error) => Err(error.into()),
            Next::Elicit(key) => {
                let session = self.session.upgrade().ok_or_else(nobody)?;
                Ok(session.elicit(key, request).await?)
            }
            Next::Aside => {
                let handler = self.aside.ok_or_else(nobody)?;
                Oneshot::new(handler, request).await
            }
        }
    }
}

impl fmt::Debug for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asker").finish_non_exhaustive()
    }
}

impl Service<ApprovalRequest> for Asker {
    type Response = ApprovalDecision;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<ApprovalDecision, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ApprovalRequest) -> Self::Future {
        Box::pin(self.clone().ask(request))
    }
}
