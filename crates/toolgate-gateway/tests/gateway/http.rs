//! Clients that speak HTTP.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    sync::oneshot,
    time::{sleep, timeout},
};
use toolgate_gateway::Gateway;

use crate::{
    client::{ALLOW, policy, told},
    server::server,
};

const ASK: &str = "default = \"ask\"\n";
const SOON: Duration = Duration::from_millis(300);

/// A gateway that listens.
struct Front {
    address: SocketAddr,
    folder: TempDir,
    over: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<std::io::Result<()>>,
}

/// What came back: the status, the headers, and what comes after them.
struct Answer {
    status: u16,
    session: String,
    rest: BufReader<TcpStream>,
}

impl Front {
    async fn new(text: &str, change: impl FnOnce(Gateway) -> Gateway) -> Self {
        let folder = TempDir::new().unwrap();
        let servers = vec![server("s", &folder.path().join("runs"))];
        let gateway = Gateway::new(policy(text), servers).unwrap();
        let gateway = gateway.with_grace(SOON).with_max_message(50_000);
        let listening = change(gateway).listen("127.0.0.1:0".parse().unwrap());
        let listening = listening.await.unwrap();
        let (over, told) = oneshot::channel::<()>();
        Self {
            address: listening.address(),
            folder,
            over,
            served: tokio::spawn(listening.serve_until(async { drop(told.await) })),
        }
    }

    /// Sends the head of a request, and `body`, and reads the head of the answer.
    async fn send(&self, head: &str, session: &str, body: &str) -> Answer {
        let length = body.len();
        let mut head = format!("{head}\r\ncontent-length: {length}\r\nconnection: close\r\n");
        if !session.is_empty() {
            head = format!("{head}mcp-session-id: {session}\r\n");
        }
        if !head.contains("\r\nhost:") {
            head = format!("{head}host: {}\r\n", self.address);
        }
        self.raw(&format!("{head}\r\n{body}")).await
    }

    async fn raw(&self, text: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut rest = BufReader::new(stream);
        let (mut status, mut session) = (0, String::new());
        loop {
            let mut line = String::new();
            rest.read_line(&mut line).await.unwrap();
            match line.trim().split_once(": ") {
                Some(("mcp-session-id", id)) => id.clone_into(&mut session),
                Some(_) => {}
                None if status == 0 => status = line[9..12].parse().unwrap(),
                None => break,
            }
        }
        Answer {
            status,
            session,
            rest,
        }
    }

    async fn post(&self, session: &str, message: &Value) -> Answer {
        self.send("POST /mcp HTTP/1.1", session, &message.to_string())
            .await
    }

    async fn stand(&self, session: &str) -> Answer {
        self.send("GET /mcp HTTP/1.1", session, "").await
    }

    /// A session of a client that can be asked.
    async fn begin(&self) -> String {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
        let mut begun = self.post("", &request(0, "initialize", &params)).await;
        assert_eq!(
            begun.message().await["result"]["serverInfo"]["name"],
            "small"
        );
        begun.session
    }

    fn runs(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("runs")).unwrap_or_default()
    }

    async fn end(self) {
        self.over.send(()).unwrap();
        timeout(Duration::from_secs(10), self.served)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
}

impl Answer {
    /// The next message.
    async fn message(&mut self) -> Value {
        self.next().await.expect("a message")
    }

    /// The next message, unless the stream ends.
    async fn next(&mut self) -> Option<Value> {
        let reading = async {
            loop {
                let mut line = String::new();
                if self.rest.read_line(&mut line).await.unwrap() == 0 {
                    return None;
                }
                if let Some(data) = line.strip_prefix("data: ") {
                    return Some(serde_json::from_str(data).unwrap());
                }
            }
        };
        timeout(Duration::from_secs(10), reading)
            .await
            .expect("in time")
    }

    async fn body(mut self) -> String {
        let mut text = String::new();
        self.rest.read_to_string(&mut text).await.unwrap();
        text
    }
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call(id: u64, tool: &str) -> Value {
    request(id, "tools/call", &json!({"name": tool, "arguments": {}}))
}

fn yes(question: &Value) -> Value {
    let result = json!({"action": "accept", "content": {"decision": "allow once"}});
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result})
}

#[tokio::test]
async fn pages_and_other_names_of_this_machine_are_refused() {
    let front = Front::new(ALLOW, |gateway| gateway).await;
    let ping = request(1, "ping", &json!({})).to_string();
    for header in [
        "host: example.com",
        "host: 127.0.0.1.example.com",
        "host: localhost@example.com",
        "host: 10.0.0.1",
        "origin: https://example.com",
        "origin: http://example.com",
        "origin: null",
        "origin: http://localhost.example.com",
        "origin: file://",
    ] {
        let head = format!("POST /mcp HTTP/1.1\r\n{header}");
        assert_eq!(front.send(&head, "", &ping).await.status, 403, "{header}");
        let head = format!("GET /mcp HTTP/1.1\r\n{header}");
        assert_eq!(front.send(&head, "", "").await.status, 403, "{header}");
    }
    let head = "POST /mcp HTTP/1.1\r\norigin: http://localhost:3000";
    assert_eq!(front.send(head, "", &ping).await.status, 400);
    // No name at all.
    let bare = format!(
        "POST /mcp HTTP/1.0\r\ncontent-length: {}\r\n\r\n{ping}",
        ping.len()
    );
    assert_eq!(front.raw(&bare).await.status, 403);
    front.end().await;
}

#[tokio::test]
async fn sessions_are_known_by_their_ids_until_they_end() {
    let front = Front::new(ALLOW, |gateway| gateway).await;
    let (one, other) = (front.begin().await, front.begin().await);
    assert_ne!(one, other);
    let ping = request(1, "ping", &json!({}));
    assert_eq!(front.post("", &ping).await.status, 400);
    assert_eq!(front.stand("").await.status, 400);
    for id in ["x", "00000000000000000000000000000000", "\u{e9}"] {
        assert_eq!(front.post(id, &ping).await.status, 404, "{id}");
        assert_eq!(front.stand(id).await.status, 404, "{id}");
    }
    // The same id is another request in another session.
    let mut slow = front.post(&one, &call(1, "hang")).await;
    assert!(front.post(&other, &ping).await.message().await["result"].is_object());
    assert_eq!(front.post(&one, &ping).await.status, 400);
    let ended = front.send("DELETE /mcp HTTP/1.1", &one, "").await;
    assert_eq!(ended.status, 200);
    assert!(
        slow.next()
            .await
            .is_none_or(|answer| answer["error"].is_object())
    );
    assert_eq!(front.post(&one, &ping).await.status, 404);
    assert_eq!(
        front.send("PUT /mcp HTTP/1.1", &other, "").await.status,
        405
    );
    front.end().await;
}

#[tokio::test]
async fn bodies_that_are_no_message_are_refused() {
    let front = Front::new(ALLOW, |gateway| gateway.with_patience(SOON)).await;
    let session = front.begin().await;
    let long = request(1, "ping", &json!({"x": "y".repeat(60_000)})).to_string();
    let twice = r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#;
    for (body, status, code) in [
        ("hello", 400, -32700),
        ("", 400, -32700),
        ("[]", 400, -32600),
        (twice, 400, -32600),
        (&*long, 413, -32600),
    ] {
        let refused = front.send("POST /mcp HTTP/1.1", &session, body).await;
        assert_eq!(refused.status, status);
        let refused: Value = serde_json::from_str(&refused.body().await).unwrap();
        assert_eq!(refused["error"]["code"], code);
    }
    let slow = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-length: 9\r\n\r\n{{",
        front.address
    );
    assert_eq!(
        timeout(Duration::from_secs(10), front.raw(&slow))
            .await
            .unwrap()
            .status,
        408
    );
    front.end().await;
}

#[tokio::test]
async fn a_question_is_answered_over_http() {
    let front = Front::new(ASK, |gateway| gateway).await;
    let (session, other) = (front.begin().await, front.begin().await);
    let mut asking = front.post(&session, &call(1, "echo")).await;
    let question = asking.message().await;
    assert_eq!(question["method"], "elicitation/create");
    // Another session cannot answer it.
    assert_eq!(front.post(&other, &yes(&question)).await.status, 202);
    sleep(Duration::from_millis(100)).await;
    assert_eq!(front.runs(), "");
    assert_eq!(front.post(&session, &yes(&question)).await.status, 202);
    assert!(asking.message().await["result"]["isError"].is_null());
    assert!(asking.next().await.is_none());
    assert_eq!(front.runs(), "echo\n");
    front.end().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_its_stream() {
    let front = Front::new(&format!("{ASK}[tools]\nallow = [\"mcp:s/hang\"]\n"), |it| {
        it
    })
    .await;
    let session = front.begin().await;
    for tool in ["echo", "hang"] {
        let mut waiting = front.post(&session, &call(1, tool)).await;
        if tool == "echo" {
            waiting.message().await;
        }
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                               "params": {"requestId": 1}});
        assert_eq!(front.post(&session, &cancelled).await.status, 202);
        while let Some(message) = waiting.next().await {
            assert_eq!(message["method"], "notifications/cancelled");
        }
    }
    // Its id is free again.
    let answer = front
        .post(&session, &request(1, "ping", &json!({})))
        .await
        .message()
        .await;
    assert!(answer["result"].is_object());
    front.end().await;
}

#[tokio::test]
async fn a_client_that_hangs_up_takes_its_question_along() {
    let front = Front::new(ASK, |gateway| gateway).await;
    let session = front.begin().await;
    let mut standing = front.stand(&session).await;
    let mut asking = front.post(&session, &call(1, "echo")).await;
    let question = asking.message().await;
    drop(asking);
    let withdrawn = standing.message().await;
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    front.post(&session, &yes(&question)).await;
    let answer = front
        .post(&session, &request(1, "ping", &json!({})))
        .await
        .message()
        .await;
    assert!(answer["result"].is_object());
    assert_eq!(front.runs(), "");
    front.end().await;
}

#[tokio::test]
async fn a_stream_that_is_asked_for_again_takes_the_place_of_the_other() {
    let front = Front::new(ALLOW, |gateway| gateway).await;
    let session = front.begin().await;
    let mut first = front.stand(&session).await;
    let mut second = front.stand(&session).await;
    assert!(first.next().await.is_none());
    front
        .post(&session, &call(1, "change"))
        .await
        .message()
        .await;
    assert_eq!(
        second.message().await["method"],
        "notifications/tools/list_changed"
    );
    // What comes when it is gone goes to whoever listens, and not to streams that nobody reads.
    drop(second);
    let hung_up = front.post(&session, &call(2, "hang")).await;
    drop(hung_up);
    sleep(Duration::from_millis(100)).await;
    let mut asking = front.post(&session, &call(3, "ask")).await;
    assert_eq!(asking.message().await["method"], "roots/list");
    front.end().await;
}

#[tokio::test]
async fn a_session_that_nobody_uses_ends() {
    let front = Front::new(ALLOW, |gateway| gateway.with_idle(SOON)).await;
    let (killed, listening) = (front.begin().await, front.begin().await);
    let standing = front.stand(&listening).await;
    sleep(SOON * 4).await;
    let ping = request(1, "ping", &json!({}));
    assert_eq!(front.post(&killed, &ping).await.status, 404);
    assert_eq!(front.post(&listening, &ping).await.status, 200);
    drop(standing);
    front.end().await;
}

#[tokio::test]
async fn clients_that_never_leave_do_not_lock_others_out() {
    let front = Front::new(ALLOW, |gateway| gateway).await;
    let first = front.begin().await;
    for _ in 0..64 {
        front.begin().await;
    }
    assert_eq!(
        front
            .post(&first, &request(1, "ping", &json!({})))
            .await
            .status,
        404
    );
    front.end().await;
}

/// A call of a protocol without sessions.
fn alone(id: u64, tool: &str) -> Value {
    let mut call = call(id, tool);
    call["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    call
}

#[tokio::test]
async fn exchanges_that_stand_alone_hear_nothing_of_each_other() {
    let front = Front::new(ALLOW, |gateway| gateway).await;
    let mut waiting = front.post("", &alone(1, "hang")).await;
    while front.runs() != "hang\n" {
        sleep(Duration::from_millis(5)).await;
    }
    // The server says to all that its tools changed.
    let mut other = front.post("", &alone(1, "change")).await;
    assert!(other.message().await["result"].is_object());
    // The server dies, and the next exchange has another.
    let mut crash = front.post("", &alone(1, "crash")).await;
    assert!(crash.message().await["error"].is_object());
    assert!(waiting.message().await["error"].is_object());
    let answer = front.post("", &alone(1, "echo")).await.message().await;
    assert!(answer["result"].is_object(), "{answer}");
    front.end().await;
}

#[tokio::test]
async fn with_nobody_to_ask_an_exchange_that_stands_alone_is_refused() {
    let front = Front::new(ASK, |gateway| gateway).await;
    let answer = front.post("", &alone(1, "echo")).await.message().await;
    assert!(told(&answer).contains("nobody is there"));
    assert_eq!(front.runs(), "");
    front.end().await;
}
