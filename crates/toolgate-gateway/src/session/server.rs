//! What comes from a server.

use super::{Asked, MOST_LASTING, ReplyTo, Shared, To, Waiting, What};
use crate::{
    frame::{
        self, INVALID_PARAMS, INVALID_REQUEST, Id, Kind, METHOD_NOT_FOUND, Message, SERVER_ERROR,
    },
    json::Object,
    methods,
};

/// Which subscription a notification belongs to: the id of the request that made it.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

impl Shared {
    /// Takes a message of a server.
    pub(crate) async fn on_server(&self, server: usize, message: Message) {
        match message.kind.clone() {
            Kind::Request { id, method } => {
                if let Err(refused) = self.on_server_request(server, id, &method, message).await {
                    self.notify(server, refused).await;
                }
            }
            Kind::Notification { method } => {
                self.on_server_notification(server, &method, message).await;
            }
            Kind::Response { id } => self.on_server_response(server, &id, message.object).await,
        }
    }

    async fn on_server_request(
        &self,
        server: usize,
        id: Id,
        method: &str,
        mut message: Message,
    ) -> Result<(), String> {
        let refuse = |code, why: &str| frame::error(Some(&id), code, why);
        if !methods::server_may(method) || self.is_stateless {
            return Err(refuse(
                METHOD_NOT_FOUND,
                "the gateway does not know this method",
            ));
        }
        let Some(link) = self.link(server) else {
            return Ok(());
        };
        if link.lock().asked.contains_key(&id) {
            let why = "a request with this id is not answered yet";
            return Err(frame::error(None, INVALID_REQUEST, why));
        }
        let params = message.params();
        let mut params = params.map_err(|_| refuse(INVALID_PARAMS, methods::UNREADABLE))?;
        let mut meta = params.as_ref().and_then(|params| params.object("_meta"));
        let token = meta.as_mut().and_then(|meta| meta.remove("progressToken"));
        let has_token = token.is_some();
        let asked = Asked::ByServer {
            server,
            id: id.clone(),
            token,
        };
        let Some(at_client) = self.ask_client(asked) else {
            return Err(refuse(
                SERVER_ERROR,
                "too many requests are not answered yet",
            ));
        };
        link.lock().asked.insert(id, at_client.clone());
        if let (Some(params), Some(meta), true) = (&mut params, meta, has_token) {
            params.put("_meta", &meta.with("progressToken", &at_client.raw()));
            message.object.put("params", &*params);
        }
        message.object.put("id", &at_client.raw());
        self.tell(To::Anybody, message.object.to_json()).await;
        Ok(())
    }

    async fn on_server_notification(&self, server: usize, method: &str, message: Message) {
        if !methods::is_notification(method) {
            return;
        }
        let Ok(params) = message.params() else {
            return;
        };
        match (method, params) {
            ("notifications/cancelled", params) => {
                self.on_server_cancels(server, &params.unwrap_or_default())
                    .await;
            }
            ("notifications/progress", params) => {
                self.on_server_progress(server, message.object, params.unwrap_or_default())
                    .await;
            }
            (_, params) => {
                if method == "notifications/tools/list_changed"
                    && let Some(link) = self.link(server)
                {
                    link.lock().registry.change();
                }
                self.pass_notification(server, message.object, params).await;
            }
        }
    }

    /// Passes a notification on. If it belongs to a subscription, it is called what the client
    /// calls it.
    async fn pass_notification(&self, server: usize, mut object: Object, params: Option<Object>) {
        let meta = params.as_ref().and_then(|params| params.object("_meta"));
        let subscription = meta.as_ref().and_then(|meta| meta.get(SUBSCRIPTION));
        let Some(subscription) = subscription else {
            return self.tell(To::Anybody, object.to_json()).await;
        };
        let key = number(subscription).and_then(|id| {
            let link = self.link(server)?.lock();
            match &link.waiting.get(&id)?.reply {
                ReplyTo::Client(key, What::Listen) => Some(key.clone()),
                _ => None,
            }
        });
        if let (Some(key), Some(meta), Some(mut params)) = (key, meta.clone(), params) {
            params.put("_meta", &meta.with(SUBSCRIPTION, &key.id.raw()));
            object.put("params", &params);
            self.tell(To::About(key), object.to_json()).await;
        }
    }

    async fn on_server_cancels(&self, server: usize, params: &Object) {
        let id = params.get("requestId").and_then(Id::read);
        let at_client = id.and_then(|id| self.link(server)?.lock().asked.remove(&id));
        if let Some(at_client) = at_client
            && self.client().asked.remove(&at_client).is_some()
        {
            self.tell_cancelled(&at_client).await;
        }
    }

    /// Progress goes to whoever asked for it, and under the name that they gave it.
    async fn on_server_progress(&self, server: usize, mut object: Object, mut params: Object) {
        let id = params.get("progressToken").and_then(number);
        let found = id.and_then(|id| {
            let state = self.link(server)?.lock();
            if let Some(Waiting {
                reply: ReplyTo::Client(key, _),
                token: Some(token),
                ..
            }) = state.waiting.get(&id)
            {
                return Some((key.clone(), token.clone()));
            }
            let lasting = state.lasting.iter().find(|(number, ..)| *number == id)?;
            Some((lasting.1.clone(), lasting.2.clone()))
        });
        if let Some((key, token)) = found {
            params.set("progressToken", token);
            object.put("params", &params);
            self.tell(To::About(key), object.to_json()).await;
        }
    }

    /// An answer that nobody waits for is dropped: it is late, comes twice, or was never asked for.
    async fn on_server_response(&self, server: usize, id: &Id, mut object: Object) {
        let Some(waiting) = self.take_waiting(server, id) else {
            return;
        };
        match waiting.reply {
            ReplyTo::Inside(reply) => {
                let result = match object.object("result") {
                    Some(result) => Ok(result),
                    None => Err(object
                        .object("error")
                        .and_then(|error| error.text("message"))
                        .unwrap_or_else(|| "the server failed".to_owned())),
                };
                drop(reply.send(result));
            }
            ReplyTo::Client(key, what) => {
                match (what, object.object("result")) {
                    (What::Tools, Some(result)) => {
                        object.put("result", &self.shown_tools(server, result));
                    }
                    // What is hidden could be in it.
                    (What::Tools, None) if object.has("result") => {
                        let why = "the server's list of tools can be read in two ways";
                        return self.fail(key, SERVER_ERROR, why).await;
                    }
                    (What::Listen, Some(mut result)) => {
                        if let Some(meta) =
                            result.object("_meta").filter(|meta| meta.has(SUBSCRIPTION))
                        {
                            result.put("_meta", &meta.with(SUBSCRIPTION, &key.id.raw()));
                            object.put("result", &result);
                        }
                    }
                    _ => {}
                }
                object.put("id", &key.id.raw());
                self.reply(key, object.to_json()).await;
            }
        }
    }

    fn take_waiting(&self, server: usize, id: &Id) -> Option<Waiting> {
        let id = id.number()?;
        let mut state = self.link(server)?.lock();
        let waiting = state.waiting.remove(&id)?;
        if let (ReplyTo::Client(key, _), Some(token), true) =
            (&waiting.reply, &waiting.token, waiting.is_task)
        {
            if state.lasting.len() >= MOST_LASTING {
                state.lasting.pop_front();
            }
            let lasting = (id, key.clone(), token.clone());
            state.lasting.push_back(lasting);
        }
        Some(waiting)
    }
}

fn number(raw: &serde_json::value::RawValue) -> Option<u64> {
    Id::read(raw)?.number()
}
