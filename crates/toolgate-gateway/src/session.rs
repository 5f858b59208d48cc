//! One client and its servers: who waits for what.
//!
//! Ids never cross. What the client calls a request, what a server calls it, and what the gateway
//! calls it on either side are four names, and the tables here are the only place where they meet.

mod call;
mod client;
mod elicit;
mod list;
mod merge;
mod server;

pub(crate) use self::call::is_modern;

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::value::RawValue;
use tokio::{sync::oneshot, task::AbortHandle, time::timeout};
use toolgate::Origin;

use crate::{
    ask::{Asker, Routes},
    authority::{self, Authority},
    core::Core,
    frame::{self, Id, SERVER_ERROR},
    json::Object,
    queue,
    registry::Registry,
};

/// What a request of the client is known by: its id, within the exchange that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientKey {
    pub(crate) scope: u64,
    pub(crate) id: Id,
}

/// A message for the client, and what it is about.
#[derive(Debug)]
pub(crate) struct ToClient {
    pub(crate) to: To,
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) enum To {
    /// The answer to a request.
    Reply(ClientKey),
    /// Something about a request that is not answered yet.
    About(ClientKey),
    /// Nothing more comes about a request, because it was cancelled.
    Over(ClientKey),
    /// About no request in particular.
    Anybody,
}

/// What is shared by everything that happens in a session.
pub(crate) struct Shared {
    pub(crate) core: Arc<Core>,
    id: String,
    origin: Origin,
    out: queue::Sender<ToClient>,
    links: Vec<Link>,
    client: Mutex<Client>,
    routes: Routes,
    authority: Authority,
    calls: AtomicU64,
    /// Whether exchanges stand alone: then nothing is asked or told in between.
    is_stateless: bool,
    owners: Mutex<merge::Owners>,
}

#[derive(Debug, Default)]
struct Client {
    active: HashMap<ClientKey, Active>,
    /// Requests that the client has to answer, by the ids that they have there.
    asked: HashMap<Id, Asked>,
    next: u64,
    elicits: bool,
}

/// A request of the client that is not answered yet.
#[derive(Debug)]
enum Active {
    /// It is judged, or several servers are asked.
    Here(Option<AbortHandle>),
    /// It is with a server, under an id.
    There(usize, u64),
}

/// A request that the client has to answer.
#[derive(Debug)]
enum Asked {
    ByServer {
        server: usize,
        id: Id,
        token: Option<Box<RawValue>>,
    },
    /// A question of the gateway.
    Question(oneshot::Sender<Box<RawValue>>),
}

/// The way to one server.
pub(crate) struct Link {
    name: Box<str>,
    out: queue::Sender<String>,
    state: Mutex<ServerState>,
    refreshing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct ServerState {
    next: u64,
    waiting: HashMap<u64, Waiting>,
    /// Progress goes on for tasks whose request was answered.
    lasting: VecDeque<(u64, ClientKey, Box<RawValue>)>,
    /// Requests of the server that the client has not answered yet.
    asked: HashMap<Id, Id>,
    registry: Registry,
    gone: Option<String>,
}

/// A request that a server has to answer.
struct Waiting {
    reply: ReplyTo,
    token: Option<Box<RawValue>>,
    is_task: bool,
}

enum ReplyTo {
    Client(ClientKey, What),
    Inside(oneshot::Sender<Result<Object, String>>),
}

/// What is special about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Plain,
    Tools,
    Listen,
}

/// How much the tables of a session hold. Beyond that a request is refused.
const MOST_ACTIVE: usize = 4_096;
const MOST_ASKED: usize = 1_024;
const MOST_LASTING: usize = 1_024;

impl Link {
    pub(crate) fn new(name: &str, out: queue::Sender<String>) -> Self {
        Self {
            name: name.into(),
            out,
            state: Mutex::default(),
            refreshing: tokio::sync::Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    pub(crate) fn new(
        core: &Arc<Core>,
        id: String,
        links: Vec<Link>,
        out: queue::Sender<ToClient>,
        is_stateless: bool,
    ) -> Arc<Self> {
        Arc::new_cyclic(|session| {
            let routes = Routes::default();
            let asker = Asker::new(routes.clone(), session.clone(), core.aside.clone());
            Self {
                authority: authority::build(core, asker),
                origin: Origin::new().with_session(id.as_str()),
                core: Arc::clone(core),
                id,
                out,
                links,
                client: Mutex::default(),
                routes,
                calls: AtomicU64::new(0),
                is_stateless,
                owners: Mutex::default(),
            }
        })
    }

    fn client(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn link(&self, server: usize) -> Option<&Link> {
        self.links.get(server)
    }

    /// Whether names have to say which server is meant.
    fn has_several(&self) -> bool {
        self.links.len() > 1
    }

    /// Whether no server is left.
    pub(crate) fn is_over(&self) -> bool {
        self.links.iter().all(Link::is_gone)
    }

    fn next_call(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Resolves when nobody reads what goes to the client any more.
    pub(crate) async fn unheard(&self) {
        self.out.closed().await;
    }

    /// Sends to the client. If it is gone, so is whoever would have read it.
    pub(crate) async fn tell(&self, to: To, text: String) {
        let _ = self.out.send(ToClient { to, text }).await;
    }

    /// Answers a request, unless it was cancelled or answered before.
    async fn reply(&self, key: ClientKey, text: String) {
        if self.client().active.remove(&key).is_some() {
            self.tell(To::Reply(key), text).await;
        }
    }

    async fn fail(&self, key: ClientKey, code: i64, message: &str) {
        let text = frame::error(Some(&key.id), code, message);
        self.reply(key, text).await;
    }

    /// Puts a request to a server on behalf of the client.
    async fn forward(
        &self,
        server: usize,
        key: ClientKey,
        what: What,
        mut request: Object,
        mut params: Option<Object>,
    ) {
        let Some(link) = self.link(server) else {
            return self
                .fail(key, SERVER_ERROR, "there is no such server")
                .await;
        };
        let mut meta = params.as_ref().and_then(|params| params.object("_meta"));
        let token = meta.as_mut().and_then(|meta| meta.remove("progressToken"));
        let is_task = params.as_ref().is_some_and(|params| params.has("task"));
        let entered = {
            let reply = ReplyTo::Client(key.clone(), what);
            link.enter(Waiting {
                reply,
                token: token.clone(),
                is_task,
            })
        };
        let id = match entered {
            Ok(id) => id,
            Err(gone) => return self.fail(key, SERVER_ERROR, &gone).await,
        };
        let is_wanted = match self.client().active.get_mut(&key) {
            Some(active) => {
                *active = Active::There(server, id);
                true
            }
            None => false,
        };
        if !is_wanted {
            link.lock().waiting.remove(&id);
            return;
        }
        if let (Some(params), Some(meta), true) = (&mut params, meta, token.is_some()) {
            params.put("_meta", &meta.with("progressToken", &id));
            request.put("params", &*params);
        }
        request.put("id", &id);
        if let Err(gone) = self.put(server, link, request.to_json()).await {
            link.lock().waiting.remove(&id);
            self.fail(key, SERVER_ERROR, &gone).await;
        }
    }

    /// Puts a message where it is sent from. A server that reads nothing any more is given up: the
    /// client, and whatever else it says, would wait with it.
    async fn put(&self, server: usize, link: &Link, text: String) -> Result<(), String> {
        match timeout(self.core.patience, link.out.send(text)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(_)) => {}
            Err(_) => {
                let why = "it does not read what it is sent";
                self.server_gone(server, why).await;
            }
        }
        Err(link.gone_text())
    }

    /// Puts a request of the gateway's own to a server.
    async fn request(
        &self,
        server: usize,
        method: &str,
        params: Option<&Object>,
    ) -> Result<Object, String> {
        let Some(link) = self.link(server) else {
            return Err("there is no such server".to_owned());
        };
        let (reply, answered) = oneshot::channel();
        let reply = ReplyTo::Inside(reply);
        let id = link.enter(Waiting {
            reply,
            token: None,
            is_task: false,
        })?;
        let _entry = Entry { link, id };
        let id = Id::Number(i64::try_from(id).unwrap_or_default());
        let request = frame::Message::request(&id, method, params);
        self.put(server, link, request.to_json()).await?;
        match timeout(self.core.patience, answered).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(link.gone_text())),
            Err(_) => Err(format!("the server `{}` does not answer", link.name)),
        }
    }

    /// Sends to a server that nobody answers. If it is gone, that was said before.
    async fn notify(&self, server: usize, text: String) {
        if let Some(link) = self.link(server)
            && !link.is_gone()
        {
            let _ = self.put(server, link, text).await;
        }
    }

    /// Everybody who waits for a server is told that it is gone.
    pub(crate) async fn server_gone(&self, server: usize, why: &str) {
        let Some(link) = self.link(server) else {
            return;
        };
        let (waiting, asked) = {
            let mut state = link.lock();
            // The first reason is why; the others follow from it.
            state.gone.get_or_insert_with(|| why.to_owned());
            (
                std::mem::take(&mut state.waiting),
                std::mem::take(&mut state.asked),
            )
        };
        let gone = link.gone_text();
        for (_, waiting) in waiting {
            match waiting.reply {
                ReplyTo::Client(key, _) => self.fail(key, SERVER_ERROR, &gone).await,
                ReplyTo::Inside(reply) => drop(reply.send(Err(gone.clone()))),
            }
        }
        for at_client in asked.into_values() {
            self.withdraw(&at_client).await;
        }
    }

    /// The client is gone: what is still judged ends, and its questions are withdrawn.
    pub(crate) fn client_gone(&self) {
        let mut client = self.client();
        let asked = std::mem::take(&mut client.asked);
        client.active.retain(|_, active| match active {
            Active::Here(task) => {
                if let Some(task) = task {
                    task.abort();
                }
                false
            }
            // Its server may still answer before it ends.
            Active::There(..) => true,
        });
        drop((client, asked));
        self.core.grants.end_session(Some(&self.id));
    }

    /// Takes a request back that the client has not answered yet.
    async fn withdraw(&self, at_client: &Id) {
        if self.client().asked.remove(at_client).is_some() {
            self.tell(To::Anybody, cancelled(at_client)).await;
        }
    }
}

/// The notification that nobody waits for an answer any more.
fn cancelled(id: &Id) -> String {
    let params = Object::default().with("requestId", &id.raw());
    frame::notification("notifications/cancelled", &params)
}

impl Link {
    /// Takes down that somebody waits for an answer. Fails if the server is gone.
    fn enter(&self, waiting: Waiting) -> Result<u64, String> {
        let mut state = self.lock();
        if state.gone.is_some() {
            drop(state);
            return Err(self.gone_text());
        }
        state.next += 1;
        let id = state.next;
        state.waiting.insert(id, waiting);
        Ok(id)
    }

    fn is_gone(&self) -> bool {
        self.lock().gone.is_some()
    }

    fn gone_text(&self) -> String {
        let state = self.lock();
        let why = state.gone.as_deref().unwrap_or("it cannot be reached");
        format!("the server `{}` is gone: {why}", self.name)
    }
}

/// Forgets a request of the gateway's own if nobody waits for it any more.
struct Entry<'a> {
    link: &'a Link,
    id: u64,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.link.lock().waiting.remove(&self.id);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}
