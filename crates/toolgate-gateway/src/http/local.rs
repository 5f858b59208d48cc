//! Clients that speak streamable HTTP.

use std::{future::Future, io, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::any,
};
use futures_util::stream;
use tokio::{net::TcpListener, time::timeout};

use super::{
    EVENTS, JSON, SESSION,
    sessions::{Abandoned, HttpSession, Sessions},
    sse,
};
use crate::{
    config::Server,
    frame::{self, Kind, Message, Unusable},
    gateway::Gateway,
    json::one_line,
    queue,
    session::ClientKey,
};

/// A gateway that listens.
#[must_use = "a gateway does nothing until it serves"]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<Sessions>,
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
            state: Arc::new(Sessions::new(core, servers)),
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
            () = state.end_idle() => Ok(()),
            () = over => Ok(()),
        };
        state.end().await;
        served
    }
}

async fn serve(State(sessions): State<Arc<Sessions>>, request: Request) -> Response {
    if !is_from_here(request.headers()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let id = request
        .headers()
        .get(SESSION)
        .map(|id| id.to_str().unwrap_or("?").to_owned());
    let known = id.as_ref().and_then(|id| sessions.get(id));
    match (request.method(), id, known) {
        (&Method::POST, id, known) => post(&sessions, request, id.is_some(), known).await,
        (&Method::GET, _, Some(session)) => events(session.stand(), None),
        (&Method::DELETE, Some(id), Some(session)) => {
            sessions.remove(&id);
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
    let limit = sessions.core().most_bytes;
    let body = to_bytes(request.into_body(), limit);
    let Ok(body) = timeout(sessions.core().patience, body).await else {
        return StatusCode::REQUEST_TIMEOUT.into_response();
    };
    let Ok(body) = body else {
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
        (None, false) if is_start => match sessions.begin() {
            Ok(Some((id, session))) => exchange(&session, 0, message, Some(id)).await,
            Ok(None) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            Err(_) => StatusCode::BAD_GATEWAY.into_response(),
        },
        (None, false) if crate::session::is_modern(&message) => match sessions.stateless() {
            Ok((scope, session)) => exchange(&session, scope, message, None).await,
            Err(_) => StatusCode::BAD_GATEWAY.into_response(),
        },
        (None, false) => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn read(body: &Bytes) -> Result<Message, Unusable> {
    let text = std::str::from_utf8(body).map_err(|_| Unusable::NotJson)?;
    Message::parse(one_line(text).as_bytes())
}

/// Takes a message, and answers with what is said about it.
async fn exchange(
    session: &Arc<HttpSession>,
    scope: u64,
    message: Message,
    new: Option<String>,
) -> Response {
    let Kind::Request { id, .. } = &message.kind else {
        session.take(scope, message).await;
        return StatusCode::ACCEPTED.into_response();
    };
    let key = ClientKey {
        scope,
        id: id.clone(),
    };
    let Some(messages) = session.open(&key) else {
        let why = "a request with this id is not answered yet";
        let text = frame::error(None, frame::INVALID_REQUEST, why);
        return json(StatusCode::BAD_REQUEST, text);
    };
    let abandoned = Abandoned::new(Arc::clone(session), key);
    session.take(scope, message).await;
    let mut response = events(messages, Some(abandoned));
    if let Some(id) = new.and_then(|id| id.parse().ok()) {
        response.headers_mut().insert(SESSION, id);
    }
    response
}

fn events(messages: queue::Receiver<String>, abandoned: Option<Abandoned>) -> Response {
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
