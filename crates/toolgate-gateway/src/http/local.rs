//! Clients that speak streamable HTTP.

use std::{
    collections::HashMap,
    future::Future,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::any,
};
use futures_util::stream;
use tokio::{net::TcpListener, sync::mpsc};

use super::{EVENTS, JSON, SESSION, sse};
use crate::{
    config::Server,
    core::Core,
    frame::{self, Kind, Message, Unusable},
    gateway::{Gateway, QUEUE, Running, random_id},
    json::one_line,
    session::{ClientKey, Shared, To, ToClient},
};

/// How many sessions there may be at a time. Beyond that none begins.
const MOST_SESSIONS: usize = 64;

/// How many messages wait for a client that reads slowly. One that has more is cut off.
const MOST_UNREAD: usize = 1_024;

/// A gateway that listens.
#[must_use = "a gateway does nothing until it serves"]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<Sessions>,
}

struct Sessions {
    core: Arc<Core>,
    servers: Arc<[Server]>,
    by_id: Mutex<HashMap<String, Arc<HttpSession>>>,
    /// For exchanges that stand alone.
    stateless: Mutex<Option<Arc<HttpSession>>>,
    scopes: AtomicU64,
}

/// One session and what its client listens to.
struct HttpSession {
    session: Arc<Shared>,
    running: Mutex<Option<Running>>,
    streams: Arc<Mutex<Streams>>,
}

#[derive(Default)]
struct Streams {
    exchanges: HashMap<ClientKey, mpsc::Sender<String>>,
    standing: Option<mpsc::Sender<String>>,
}

impl Gateway {
    /// Listens for clients that speak streamable HTTP, at `/mcp` of an address of this machine.
    /// Every session has servers of its own.
    ///
    /// # Errors
    ///
    /// If the address is another machine's too, or cannot be had.
    pub async fn listen(self, address: SocketAddr) -> io::Result<Listening> {
        if !address.ip().is_loopback() {
            let why = "a gateway listens on this machine only, such as at 127.0.0.1";
            return Err(io::Error::other(why));
        }
        let listener = TcpListener::bind(address).await?;
        let (core, servers) = self.share();
        Ok(Listening {
            address: listener.local_addr()?,
            listener,
            state: Arc::new(Sessions {
                core,
                servers,
                by_id: Mutex::default(),
                stateless: Mutex::default(),
                scopes: AtomicU64::new(1),
            }),
        })
    }
}

impl Listening {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves clients until `over` resolves. Then all sessions end.
    ///
    /// # Errors
    ///
    /// If no more clients can be heard.
    pub async fn serve_until(self, over: impl Future<Output = ()> + Send) -> io::Result<()> {
        let state = Arc::clone(&self.state);
        let app = Router::new()
            .route("/mcp", any(serve))
            .with_state(Arc::clone(&state));
        let served = tokio::select! {
            served = async { axum::serve(self.listener, app).await } => served,
            () = over => Ok(()),
        };
        state.end().await;
        served
    }
}

impl Sessions {
    fn by_id(&self) -> MutexGuard<'_, HashMap<String, Arc<HttpSession>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn end(&self) {
        let mut all: Vec<_> = self.by_id().drain().map(|(_, session)| session).collect();
        all.extend(
            self.stateless
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        for session in all {
            session.end().await;
        }
    }

    /// The session that stands for all exchanges that stand alone.
    fn stateless(&self) -> io::Result<Arc<HttpSession>> {
        let mut stateless = self
            .stateless
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = &*stateless {
            return Ok(Arc::clone(session));
        }
        let session = HttpSession::start(self, true)?;
        *stateless = Some(Arc::clone(&session));
        Ok(session)
    }
}

impl HttpSession {
    fn start(sessions: &Sessions, is_stateless: bool) -> io::Result<Arc<Self>> {
        let (out, outgoing) = mpsc::channel(QUEUE);
        let running = Running::start(&sessions.core, &sessions.servers, out, is_stateless)?;
        let streams = Arc::default();
        tokio::spawn(dispatch(outgoing, Arc::clone(&streams)));
        Ok(Arc::new(Self {
            session: Arc::clone(&running.session),
            running: Mutex::new(Some(running)),
            streams,
        }))
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        lock(&self.streams)
    }

    async fn end(&self) {
        let running = self
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(running) = running {
            running.end().await;
        }
        *self.streams() = Streams::default();
    }
}

fn lock(streams: &Mutex<Streams>) -> MutexGuard<'_, Streams> {
    streams.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts each message where its client listens for it.
async fn dispatch(mut outgoing: mpsc::Receiver<ToClient>, streams: Arc<Mutex<Streams>>) {
    while let Some(ToClient { to, text }) = outgoing.recv().await {
        let mut streams = lock(&streams);
        let stream = match &to {
            To::Reply(key) => streams.exchanges.remove(key),
            To::About(key) => streams
                .exchanges
                .get(key)
                .or(streams.standing.as_ref())
                .cloned(),
            To::Anybody => {
                let standing = streams
                    .standing
                    .as_ref()
                    .filter(|stream| !stream.is_closed());
                standing
                    .or_else(|| streams.exchanges.values().next())
                    .cloned()
            }
        };
        if let Some(stream) = stream
            && stream.try_send(text).is_err()
            && let To::About(key) = &to
        {
            streams.exchanges.remove(key);
        }
    }
}

async fn serve(State(sessions): State<Arc<Sessions>>, request: Request) -> Response {
    if !is_from_here(request.headers()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let id = request
        .headers()
        .get(SESSION)
        .and_then(|id| id.to_str().ok())
        .map(str::to_owned);
    let known = id.as_ref().and_then(|id| sessions.by_id().get(id).cloned());
    match (request.method(), id, known) {
        (&Method::POST, id, known) => post(&sessions, request, id.is_some(), known).await,
        (&Method::GET, _, Some(session)) => {
            let (stream, messages) = mpsc::channel(MOST_UNREAD);
            session.streams().standing = Some(stream);
            events(messages, None)
        }
        (&Method::DELETE, Some(id), Some(session)) => {
            sessions.by_id().remove(&id);
            session.end().await;
            StatusCode::OK.into_response()
        }
        (&Method::GET | &Method::DELETE, None, _) => StatusCode::BAD_REQUEST.into_response(),
        (&Method::GET | &Method::DELETE, ..) => StatusCode::NOT_FOUND.into_response(),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// A page that somebody looks at must not reach a gateway on their machine, under whatever name.
fn is_from_here(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).is_some_and(|host| is_local(&format!("http://{host}/")));
    host && text(header::ORIGIN).is_none_or(is_local)
}

fn is_local(url: &str) -> bool {
    Server::url("here", url).is_ok()
}

async fn post(
    sessions: &Arc<Sessions>,
    request: Request,
    has_id: bool,
    known: Option<Arc<HttpSession>>,
) -> Response {
    let limit = sessions.core.most_bytes;
    let Ok(body) = to_bytes(request.into_body(), limit).await else {
        let text = frame::unusable(Unusable::TooLong(limit));
        return json(StatusCode::PAYLOAD_TOO_LARGE, text);
    };
    let message = match read(&body) {
        Ok(message) => message,
        Err(why) => return json(StatusCode::BAD_REQUEST, frame::unusable(why)),
    };
    let is_start = matches!(&message.kind, Kind::Request { method, .. } if method == "initialize");
    match (known, has_id) {
        (Some(session), _) => exchange(&session, 0, message, None).await,
        (None, true) => StatusCode::NOT_FOUND.into_response(),
        (None, false) if is_start => start(sessions, message).await,
        (None, false) if crate::session::is_modern(&message) => match sessions.stateless() {
            Ok(session) => {
                let scope = sessions.scopes.fetch_add(1, Ordering::Relaxed);
                exchange(&session, scope, message, None).await
            }
            Err(_) => StatusCode::BAD_GATEWAY.into_response(),
        },
        (None, false) => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn read(body: &Bytes) -> Result<Message, Unusable> {
    let text = std::str::from_utf8(body).map_err(|_| Unusable::NotJson)?;
    Message::parse(one_line(text).as_bytes())
}

async fn start(sessions: &Arc<Sessions>, message: Message) -> Response {
    if sessions.by_id().len() >= MOST_SESSIONS {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let (Ok(id), Ok(session)) = (random_id(), HttpSession::start(sessions, false)) else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    sessions.by_id().insert(id.clone(), Arc::clone(&session));
    exchange(&session, 0, message, Some(id)).await
}

/// Takes a message, and answers with what is said about it.
async fn exchange(
    session: &Arc<HttpSession>,
    scope: u64,
    message: Message,
    new: Option<String>,
) -> Response {
    let Kind::Request { id, .. } = &message.kind else {
        session.session.on_client(scope, message).await;
        return StatusCode::ACCEPTED.into_response();
    };
    let key = ClientKey {
        scope,
        id: id.clone(),
    };
    let (stream, messages) = mpsc::channel(MOST_UNREAD);
    {
        let mut streams = session.streams();
        if streams.exchanges.contains_key(&key) {
            let why = "a request with this id is not answered yet";
            let text = frame::error(None, frame::INVALID_REQUEST, why);
            return json(StatusCode::BAD_REQUEST, text);
        }
        streams.exchanges.insert(key.clone(), stream);
    }
    // Where exchanges stand alone, going away in the middle of one is how it is cancelled.
    let abandoned = (scope != 0).then(|| Abandoned {
        session: Arc::clone(session),
        key,
    });
    session.session.on_client(scope, message).await;
    let mut response = events(messages, abandoned);
    if let Some(id) = new.and_then(|id| id.parse().ok()) {
        response.headers_mut().insert(SESSION, id);
    }
    response
}

/// Cancels an exchange when it is dropped.
struct Abandoned {
    session: Arc<HttpSession>,
    key: ClientKey,
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        if self.session.streams().exchanges.remove(&self.key).is_some() {
            let (session, key) = (Arc::clone(&self.session.session), self.key.clone());
            tokio::spawn(async move { session.abandon(&key).await });
        }
    }
}

fn events(messages: mpsc::Receiver<String>, abandoned: Option<Abandoned>) -> Response {
    let stream = stream::unfold((messages, abandoned), |(mut messages, abandoned)| async {
        let text = messages.recv().await?;
        let event = Ok::<_, io::Error>(Bytes::from(sse::event(&text)));
        Some((event, (messages, abandoned)))
    });
    let headers = [
        (header::CONTENT_TYPE, EVENTS),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from_stream(stream)).into_response()
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], text).into_response()
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listening")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
