//! Measures what the gateway adds to a call over standard streams.
//!
//! ```sh
//! cargo build --release -p toolgate-cli
//! cargo run --release -p toolgate-gateway --example latency -- target/release/toolgate
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement may stop"
)]

use std::{
    env,
    ffi::OsString,
    io::{BufRead as _, BufReader, Write as _, stdin, stdout},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const CALLS: usize = 2_000;

fn main() {
    match env::args_os().nth(1) {
        Some(role) if role == "serve" => serve(),
        Some(toolgate) => measure(toolgate),
        None => println!("name the path of `toolgate`"),
    }
}

/// A server with one tool, which says what it was told.
fn serve() {
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let result = match message["method"].as_str() {
            Some("tools/list") => {
                json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})
            }
            _ => json!({"content": [{"type": "text", "text": message["params"].to_string()}]}),
        };
        writeln!(
            out,
            "{}",
            json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
        )
        .unwrap();
        out.flush().unwrap();
    }
}

fn measure(toolgate: OsString) {
    let folder = tempfile::TempDir::new().unwrap();
    let policy = folder.path().join("policy.toml");
    std::fs::write(
        &policy,
        "default = \"ask\"\n[tools]\nallow = [\"mcp:s/echo\"]\n",
    )
    .unwrap();
    let own = env::current_exe().unwrap();
    let mut direct = Command::new(&own);
    direct.arg("serve");
    let mut through = Command::new(toolgate);
    through
        .args(["mcp", "--no-terminal", "--name", "s", "--policy"])
        .arg(policy);
    through.arg("--").arg(own).arg("serve");
    let (mut direct, mut through) = (Peer::start(direct), Peer::start(through));
    // In turns, so that whatever else the machine does concerns both.
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        without.push(direct.call());
        with.push(through.call());
    }
    let (without, with) = (median(&mut without), median(&mut with));
    println!("{CALLS} calls each, median: {without:?} direct, {with:?} through the gateway");
    println!("added: {:?}", with.saturating_sub(without));
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Peer {
    fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (
            child.stdin.take(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let mut peer = Self {
            child,
            stdin,
            stdout,
        };
        for _ in 0..100 {
            peer.call();
        }
        peer
    }

    fn call(&mut self) -> Duration {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": "echo", "arguments": {"path": "src/main.rs", "n": 1}}});
        let (since, mut line) = (Instant::now(), String::new());
        writeln!(self.stdin.as_mut().unwrap(), "{call}").unwrap();
        self.stdout.read_line(&mut line).unwrap();
        let took = since.elapsed();
        assert!(line.contains("main.rs"), "{line}");
        took
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
