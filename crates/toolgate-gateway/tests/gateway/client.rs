//! A small client.

use std::{path::PathBuf, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf,
        WriteHalf, duplex, split,
    },
    task::JoinHandle,
    time::timeout,
};
use toolgate_gateway::Gateway;
use toolgate_policy::{FilePolicy, Format, Settings, parse_policy};

use crate::server::server;

pub const ALLOW: &str = "default = \"allow\"\ndangerous_default_allow = true\n";

pub fn policy(text: &str) -> FilePolicy {
    parse_policy(text, Format::Toml)
        .unwrap()
        .compile(None, &Settings::new())
        .unwrap()
}

pub struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    served: JoinHandle<std::io::Result<()>>,
    folder: TempDir,
    next: u64,
}

impl Client {
    /// A client of one small server behind a gateway, already introduced.
    pub async fn new(text: &str, elicits: bool) -> Self {
        Self::with(text, elicits, |gateway| gateway).await
    }

    pub async fn with(text: &str, elicits: bool, change: impl FnOnce(Gateway) -> Gateway) -> Self {
        let folder = TempDir::new().unwrap();
        let servers = vec![server("s", &folder.path().join("runs"))];
        let mut client = Self::of(change(Gateway::new(policy(text), servers).unwrap()), folder);
        let capabilities = if elicits {
            json!({"elicitation": {}})
        } else {
            json!({})
        };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
                            "clientInfo": {"name": "c", "version": "1"}});
        let started = client.request("initialize", params).await;
        assert_eq!(started["result"]["serverInfo"]["name"], "small");
        assert_eq!(
            started["result"]["x-unknown"][1],
            json!(12_345_678_901_234_567_890_u64)
        );
        client
            .write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        client
    }

    pub fn of(gateway: Gateway, folder: TempDir) -> Self {
        let (near, far) = duplex(1 << 20);
        let (reader, writer) = split(far);
        let served = tokio::spawn(
            gateway
                .with_grace(Duration::from_millis(500))
                .serve(reader, writer),
        );
        let (reader, writer) = split(near);
        let lines = BufReader::new(reader).lines();
        Self {
            lines,
            writer,
            served,
            folder,
            next: 0,
        }
    }

    pub async fn raw(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    pub async fn write(&mut self, message: &Value) {
        self.raw(&message.to_string()).await;
    }

    pub async fn read(&mut self) -> Value {
        let line = timeout(Duration::from_secs(20), self.lines.next_line()).await;
        serde_json::from_str(&line.expect("in time").unwrap().expect("a line")).unwrap()
    }

    /// Whether nothing comes for a while.
    pub async fn is_quiet(&mut self) -> bool {
        timeout(Duration::from_millis(300), self.lines.next_line())
            .await
            .is_err()
    }

    pub async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.until(id).await
    }

    /// The answer to a request. What comes before is left out.
    pub async fn until(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await;
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
        }
    }

    pub async fn send_call(&mut self, tool: &str, args: Value) -> u64 {
        self.send("tools/call", json!({"name": tool, "arguments": args}))
            .await
    }

    pub async fn call(&mut self, tool: &str, args: Value) -> Value {
        let id = self.send_call(tool, args).await;
        self.until(id).await
    }

    /// The next question, and its id.
    pub async fn question(&mut self) -> Value {
        loop {
            let message = self.read().await;
            if message["method"] == "elicitation/create" {
                return message;
            }
        }
    }

    pub async fn answer(&mut self, question: &Value, decision: &str) {
        let result = json!({"action": "accept", "content": {"decision": decision}});
        self.write(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}))
            .await;
    }

    /// What the server was called for.
    pub fn runs(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.runs_file()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub fn runs_file(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    /// Goes away, and waits for the gateway to end.
    pub async fn leave(self) -> TempDir {
        drop((self.lines, self.writer));
        timeout(Duration::from_secs(10), self.served)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        self.folder
    }
}

/// What the model is told by a refusal.
pub fn told(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}
