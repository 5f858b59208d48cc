//! A server that speaks streamable HTTP.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request, Response, StatusCode, body::Incoming, header};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::timeout,
};
use url::Url;

use super::{EVENTS, JSON, SESSION, VERSION, sse::Events};
use crate::{
    frame::{self, Id, Kind, Message, SERVER_ERROR},
    json::{Object, one_line},
    queue,
    session::Shared,
};

/// Where a request says which version of the protocol it speaks.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// How many exchanges are open at a time. Beyond that messages wait.
const MOST_OPEN: usize = 512;

/// A server that speaks streamable HTTP.
pub(crate) struct Remote {
    url: Url,
    queue: queue::Receiver<String>,
}

/// What the exchanges with a server share.
struct Exchanges {
    url: Url,
    client: Client<HttpConnector, Full<Bytes>>,
    known: Mutex<Known>,
    session: Arc<Shared>,
    server: usize,
}

#[derive(Clone, Default)]
struct Known {
    session: Option<String>,
    version: Option<String>,
}

impl Remote {
    pub(crate) fn new(url: Url, queue: queue::Receiver<String>) -> Self {
        Self { url, queue }
    }

    /// Carries messages until `closing`.
    pub(crate) async fn run(
        mut self,
        session: Arc<Shared>,
        server: usize,
        mut closing: watch::Receiver<bool>,
    ) {
        let exchanges = Arc::new(Exchanges {
            url: self.url,
            client: Client::builder(TokioExecutor::new()).build_http(),
            known: Mutex::default(),
            session,
            server,
        });
        let mut open = JoinSet::new();
        loop {
            let text = tokio::select! {
                text = self.queue.recv(), if open.len() < MOST_OPEN => text,
                Some(_) = open.join_next() => continue,
                _ = closing.wait_for(|closed| *closed) => break,
            };
            match text {
                Some(text) => exchanges.start(&mut open, text).await,
                None => break,
            }
        }
        open.shutdown().await;
        let goodbye = exchanges.request(Method::DELETE, None, String::new());
        let _ = timeout(Duration::from_secs(1), goodbye).await;
        exchanges
            .session
            .server_gone(server, "the session is over")
            .await;
    }
}

impl Exchanges {
    /// Sends one message. What expects no answer has arrived before the next is sent, as it has over
    /// a pipe: a request must not overtake the notification that the client is initialised.
    async fn start(self: &Arc<Self>, open: &mut JoinSet<()>, text: String) {
        let Ok(message) = Message::parse(text.as_bytes()) else {
            return;
        };
        let is_request = matches!(message.kind, Kind::Request { .. });
        let (arrived, arrival) = oneshot::channel();
        open.spawn(Arc::clone(self).send(message, text, arrived));
        if !is_request {
            let _ = timeout(self.session.core.patience, arrival).await;
        }
    }

    /// Sends one message, and takes everything that comes back.
    async fn send(self: Arc<Self>, message: Message, text: String, arrived: oneshot::Sender<()>) {
        let outcome = self.request(Method::POST, Some(&message), text).await;
        let _ = arrived.send(());
        let id = match &message.kind {
            Kind::Request { id, .. } => Some(id.clone()),
            _ => None,
        };
        let taken = match outcome {
            Ok(response) => self.take(response, &message).await,
            Err(why) => Err(why),
        };
        // Whoever waits for an answer is told that there is none. If there was one, nobody waits.
        let why = taken.err().unwrap_or("it gave no answer");
        if let Some(id) = id {
            self.fail(&id, why).await;
        }
        if matches!(&message.kind, Kind::Notification { method } if method == "notifications/initialized")
        {
            self.listen().await;
        }
    }

    async fn fail(&self, id: &Id, why: &str) {
        let text = frame::error(
            Some(id),
            SERVER_ERROR,
            &format!("the server cannot be used: {why}"),
        );
        self.pass(text.as_bytes()).await;
    }

    /// Takes what comes without having been asked for, if the server has such a thing.
    async fn listen(&self) {
        if let Ok(response) = self.request(Method::GET, None, String::new()).await
            && response.status() == StatusCode::OK
        {
            let _ = self.take_events(response).await;
        }
    }

    async fn request(
        &self,
        method: Method,
        message: Option<&Message>,
        text: String,
    ) -> Result<Response<Incoming>, &'static str> {
        let known = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut request = Request::builder()
            .method(method)
            .uri(self.url.as_str())
            .header(header::CONTENT_TYPE, JSON)
            .header(header::ACCEPT, "application/json, text/event-stream");
        if let Some(session) = &known.session {
            request = request.header(SESSION, session);
        }
        let (version, named) = described(message);
        if let Some(version) = version.or(known.version) {
            request = request.header(VERSION, version);
        }
        for (name, value) in named {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::from(text))
            .map_err(|_| "the request cannot be made")?;
        self.client
            .request(request)
            .await
            .map_err(|_| "it cannot be reached")
    }

    async fn take(&self, response: Response<Incoming>, to: &Message) -> Result<(), &'static str> {
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let is_start = matches!(&to.kind, Kind::Request { method, .. } if method == "initialize");
        if is_start {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.session = header(SESSION);
        }
        let content = header("content-type").unwrap_or_default();
        if content.starts_with(EVENTS) {
            return self.take_events(response).await;
        }
        let status = response.status();
        let body = http_body_util::Limited::new(response.into_body(), self.session.core.most_bytes);
        let body = body
            .collect()
            .await
            .map_err(|_| "its answer is too long, or broke off")?;
        if content.starts_with(JSON) {
            self.pass(&body.to_bytes()).await;
        }
        match status.is_success() {
            true => Ok(()),
            false if status == StatusCode::NOT_FOUND => Err("it does not know the session"),
            false => Err("it refused the message"),
        }
    }

    async fn take_events(&self, response: Response<Incoming>) -> Result<(), &'static str> {
        let limit = self.session.core.most_bytes;
        let (mut body, mut events) = (response.into_body(), Events::default());
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| "its answer broke off")?;
            let Ok(bytes) = frame.into_data() else {
                continue;
            };
            let mut found = Vec::new();
            let taken = events.take(&bytes, limit, |data| found.push(data));
            for data in found {
                self.pass(&data).await;
            }
            taken.map_err(|_| "its answer is too long")?;
        }
        Ok(())
    }

    /// Passes on what the server said, if it is a message.
    async fn pass(&self, json: &[u8]) {
        let text = String::from_utf8_lossy(json);
        if let Ok(message) = Message::parse(one_line(&text).as_bytes()) {
            self.note_version(&message.object);
            self.session.on_server(self.server, message).await;
        }
    }

    /// Every message after the first says which version was agreed on.
    fn note_version(&self, object: &Object) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.version.is_none() {
            let result = object.object("result");
            known.version = result.and_then(|result| result.text("protocolVersion"));
        }
    }
}

/// Text as a header can carry it. What a header would change is in base64, as the protocol has it.
fn header_text(text: String) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    match is_plain {
        true => text,
        false => format!("=?base64?{}?=", base64(text.as_bytes())),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS.get((three >> (18 - 6 * place) & 63) as usize);
            let digit = digit.filter(|_| place <= chunk.len());
            text.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    text
}

/// What the headers say of a message, if its protocol has no sessions.
fn described(message: Option<&Message>) -> (Option<String>, Vec<(&'static str, String)>) {
    let params = message.and_then(|message| message.params().ok().flatten());
    let meta = params.as_ref().and_then(|params| params.object("_meta"));
    let version = meta.and_then(|meta| meta.text(META_VERSION));
    let (Some(Kind::Request { method, .. }), true) =
        (message.map(|message| &message.kind), version.is_some())
    else {
        return (version, Vec::new());
    };
    let mut named = vec![("mcp-method", method.clone())];
    let name = params.and_then(|params| params.text("name").or_else(|| params.text("uri")));
    named.extend(name.map(|name| ("mcp-name", header_text(name))));
    (version, named)
}

#[cfg(test)]
mod tests {
    use super::header_text;

    #[test]
    fn what_a_header_would_change_is_in_base64() {
        let as_header = |text: &str| header_text(text.to_owned());
        assert_eq!(as_header("get weather"), "get weather");
        assert_eq!(as_header("é"), "=?base64?w6k=?=");
        assert_eq!(as_header(" a"), "=?base64?IGE=?=");
        assert_eq!(as_header("a\nb"), "=?base64?YQpi?=");
        assert_eq!(as_header("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
    }
}
