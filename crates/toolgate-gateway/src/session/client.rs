//! What comes from the client.

use std::sync::Arc;

use futures_util::FutureExt as _;

use super::{Active, Asked, ClientKey, MOST_ACTIVE, Shared, To, What, cancelled};
use crate::{
    frame::{
        self, INVALID_PARAMS, INVALID_REQUEST, Id, Kind, METHOD_NOT_FOUND, Message, SERVER_ERROR,
    },
    json::Object,
    methods,
};

impl Shared {
    /// Takes a message of the client.
    pub(crate) async fn on_client(self: &Arc<Self>, scope: u64, message: Message) {
        match message.kind.clone() {
            Kind::Request { id, method } => {
                let key = ClientKey { scope, id };
                self.on_client_request(key, &method, message).await;
            }
            Kind::Notification { method } => {
                self.on_client_notification(scope, &method, message).await;
            }
            Kind::Response { id } => self.on_client_response(&id, message.object).await,
        }
    }

    async fn on_client_request(self: &Arc<Self>, key: ClientKey, method: &str, message: Message) {
        if let Err((to, refused)) = self.begin(&key) {
            return self.tell(to, refused).await;
        }
        if !methods::client_may(method) {
            let why = format!("the gateway does not know the method `{}`", shown(method));
            return self.fail(key, METHOD_NOT_FOUND, &why).await;
        }
        let Ok(params) = message.params() else {
            return self.fail(key, INVALID_PARAMS, methods::UNREADABLE).await;
        };
        if method == "initialize" {
            self.client().elicits = elicits(params.as_ref(), "capabilities");
        }
        match method {
            "tools/call" => {
                let call = Arc::clone(self).call(key.clone(), message.object, params);
                self.work(&key, call);
            }
            _ if self.has_several() => {
                let merged =
                    Arc::clone(self).merged(key.clone(), method.to_owned(), message.object, params);
                self.work(&key, merged);
            }
            _ => {
                let what = match method {
                    "tools/list" => What::Tools,
                    "subscriptions/listen" => What::Listen,
                    _ => What::Plain,
                };
                self.forward(0, key, what, message.object, params).await;
            }
        }
    }

    /// Takes a request down. One that has the id of another that is not answered yet is refused
    /// without an id: an answer with it would be taken for the other's.
    fn begin(&self, key: &ClientKey) -> Result<(), (To, String)> {
        let mut client = self.client();
        if client.active.contains_key(key) {
            let why = "a request with this id is not answered yet";
            return Err((To::Anybody, frame::error(None, INVALID_REQUEST, why)));
        }
        if client.active.len() >= MOST_ACTIVE {
            let why = "too many requests are not answered yet";
            return Err((
                To::Reply(key.clone()),
                frame::error(Some(&key.id), SERVER_ERROR, why),
            ));
        }
        client.active.insert(key.clone(), Active::Here(None));
        Ok(())
    }

    /// Does work that may have to wait. What need not is done before the next message is read.
    fn work(&self, key: &ClientKey, work: impl Future<Output = ()> + Send + 'static) {
        let mut work = Box::pin(work);
        if (&mut work).now_or_never().is_some() {
            return;
        }
        let task = tokio::spawn(work).abort_handle();
        if let Some(Active::Here(handle)) = self.client().active.get_mut(key) {
            *handle = Some(task);
        }
    }

    async fn on_client_notification(&self, scope: u64, method: &str, message: Message) {
        // Nobody waits to hear that it could not be read.
        let Ok(params) = message.params() else {
            return;
        };
        match (method, params) {
            ("notifications/cancelled", params) => {
                self.on_client_cancels(scope, params.unwrap_or_default())
                    .await;
            }
            ("notifications/progress", params) => {
                self.on_client_progress(message.object, params.unwrap_or_default())
                    .await;
            }
            _ if methods::is_notification(method) => {
                for server in 0..self.links.len() {
                    self.notify(server, message.object.to_json()).await;
                }
            }
            _ => {}
        }
    }

    async fn on_client_cancels(&self, scope: u64, mut params: Object) {
        let Some(id) = params.get("requestId").and_then(Id::read) else {
            return;
        };
        let key = ClientKey { scope, id };
        let active = self.client().active.remove(&key);
        let was_open = active.is_some();
        match active {
            Some(Active::Here(Some(task))) => task.abort(),
            Some(Active::There(server, id)) => {
                if let Some(link) = self.link(server) {
                    link.lock().waiting.remove(&id);
                }
                params.put("requestId", &id);
                let text = frame::notification("notifications/cancelled", &params);
                self.notify(server, text).await;
            }
            Some(Active::Here(None)) | None => {}
        }
        if was_open {
            self.tell(To::Over(key), String::new()).await;
        }
    }

    /// A client that went away in the middle of an exchange has cancelled it.
    pub(crate) async fn abandon(&self, key: &ClientKey) {
        let params = Object::default().with("requestId", &key.id.raw());
        self.on_client_cancels(key.scope, params).await;
    }

    /// Nobody would read the answer to a request: it is judged no further, and what is asked about it
    /// is withdrawn. What a server has begun goes on, as the protocol has it.
    /// Returns whether it ended.
    pub(crate) fn unheard_of(&self, key: &ClientKey) -> bool {
        let mut client = self.client();
        let is_here = matches!(client.active.get(key), Some(Active::Here(_)));
        if is_here && let Some(Active::Here(Some(task))) = client.active.remove(key) {
            task.abort();
        }
        is_here
    }

    async fn on_client_progress(&self, mut object: Object, mut params: Object) {
        let Some(at_client) = params.get("progressToken").and_then(Id::read) else {
            return;
        };
        let found = match self.client().asked.get(&at_client) {
            Some(Asked::ByServer {
                server,
                token: Some(token),
                ..
            }) => Some((*server, token.clone())),
            _ => None,
        };
        if let Some((server, token)) = found {
            params.set("progressToken", token);
            object.put("params", &params);
            self.notify(server, object.to_json()).await;
        }
    }

    async fn on_client_response(&self, at_client: &Id, mut object: Object) {
        let asked = self.client().asked.remove(at_client);
        match asked {
            Some(Asked::ByServer { server, id, .. }) => {
                if let Some(link) = self.link(server) {
                    link.lock().asked.remove(&id);
                }
                object.put("id", &id.raw());
                self.notify(server, object.to_json()).await;
            }
            // An error is no answer: the question then fails.
            Some(Asked::Question(answer)) => {
                if let Some(result) = object.remove("result") {
                    drop(answer.send(result));
                }
            }
            None => {}
        }
    }

    /// Puts a request of a server to the client. None if too many are open.
    pub(super) fn ask_client(&self, asked: Asked) -> Option<Id> {
        let mut client = self.client();
        if client.asked.len() >= super::MOST_ASKED {
            return None;
        }
        client.next += 1;
        let id = Id::Number(i64::try_from(client.next).ok()?);
        client.asked.insert(id.clone(), asked);
        Some(id)
    }

    pub(super) async fn tell_cancelled(&self, at_client: &Id) {
        self.tell(To::Anybody, cancelled(at_client)).await;
    }
}

/// Whether a client offers to ask somebody by a form.
pub(super) fn elicits(params: Option<&Object>, key: &str) -> bool {
    let capabilities = params.and_then(|params| params.object(key));
    let elicitation = capabilities.and_then(|all| all.object("elicitation"));
    // One that says nothing more means forms; one that says only `url` does not.
    elicitation.is_some_and(|how| how.has("form") || !how.has("url"))
}

/// A name in an error message: short, and nothing in it is invisible.
pub(super) fn shown(name: &str) -> String {
    let short = name.chars().take(64);
    short.flat_map(char::escape_default).collect()
}
