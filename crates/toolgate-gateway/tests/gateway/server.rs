//! A small server, played by this very test program when it is started as one.

use std::{
    collections::HashMap,
    fs::OpenOptions,
    io::{BufRead as _, Write as _, stdin, stdout},
    path::Path,
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use toolgate_gateway::Server;

const ROLE: &str = "TOOLGATE_TEST_SERVER";

/// A configuration in which this program is the server. Each call that it runs is a line in `runs`.
pub fn server(name: &str, runs: &Path) -> Server {
    let program = std::env::current_exe().unwrap();
    let config = json!({"mcpServers": {name: {
        "command": program,
        "args": ["--exact", "server::play", "--nocapture"],
        "env": {ROLE: runs},
    }}});
    Server::read_config(&config.to_string()).unwrap().remove(0)
}

/// Not a test, unless it was started by [`server`].
#[test]
fn play() {
    let Ok(runs) = std::env::var(ROLE) else {
        return;
    };
    let mut server = Playing {
        runs,
        version: 1,
        doubled: false,
        asked: HashMap::new(),
    };
    println!("this line is no message");
    for line in stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        server.take(&message);
    }
    std::process::exit(0);
}

struct Playing {
    runs: String,
    version: u32,
    /// Whether a name is on both pages of the list, which nobody is told.
    doubled: bool,
    asked: HashMap<String, Value>,
}

impl Playing {
    fn take(&mut self, message: &Value) {
        let id = message["id"].clone();
        match message["method"].as_str() {
            Some("initialize") => reply(
                &id,
                &json!({
                    "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "small", "version": "1"}, "x-unknown": [1.0, 12_345_678_901_234_567_890_u64],
                }),
            ),
            Some("tools/list") if message["params"]["cursor"] == "odd" => println!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[],"tools":[{{"name":"never"}}]}}}}"#
            ),
            Some("tools/list") => {
                // In two pages.
                if message["params"]["cursor"].is_null() {
                    let tools = json!([self.echo(), tool("never"), tool("slow")]);
                    reply(&id, &json!({"tools": tools, "nextCursor": "2"}));
                } else {
                    let names = [
                        "change", "crash", "huge", "twice", "ask", "progress", "hang", "leave",
                        "say", "double", "same", "same",
                    ];
                    let mut tools: Vec<_> = names.into_iter().map(tool).collect();
                    if self.doubled {
                        tools.push(json!({"name": "slow", "inputSchema": {}}));
                    }
                    reply(&id, &json!({"tools": tools}));
                }
            }
            Some("resources/list") => {
                let name = Path::new(&self.runs).file_name().unwrap().to_str();
                reply(
                    &id,
                    &json!({"resources": [{"uri": format!("demo://{}", name.unwrap())}]}),
                );
            }
            Some("prompts/list") => reply(&id, &json!({"prompts": [{"name": "hello"}]})),
            Some("tools/call") => self.call(&id, &message["params"]),
            Some("notifications/cancelled") => {
                self.log(&format!("cancelled {}", message["params"]["reason"]));
            }
            Some(_) if !id.is_null() => reply(&id, &json!({"echo": message["params"]})),
            Some(_) => {}
            None => {
                // Refusals of its other requests are no answers.
                if let Some(call) = self.asked.remove(id.as_str().unwrap_or_default()) {
                    reply(&call, &json!({"content": [], "got": message["result"]}));
                }
            }
        }
    }

    fn echo(&self) -> Value {
        let description = format!("version {}", self.version);
        json!({"name": "echo", "description": description, "inputSchema": {"type": "object"},
               "annotations": {"readOnlyHint": true, "destructiveHint": false}})
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let name = params["name"].as_str().unwrap();
        self.log(name);
        let result = json!({"content": [], "got": params["arguments"], "meta": params["_meta"]});
        match name {
            "slow" => {
                let (id, wait) = (id.clone(), params["arguments"]["ms"].as_u64().unwrap_or(0));
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(wait));
                    reply(&id, &result);
                });
            }
            "change" => {
                self.version += 1;
                send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
                reply(id, &result);
            }
            "crash" => std::process::exit(3),
            "huge" => reply(id, &json!({"content": "x".repeat(200_000)})),
            "twice" => {
                reply(id, &json!({"content": [], "first": true}));
                reply(id, &json!({"content": [], "first": false}));
                reply(&json!(999_999), &json!({"content": [], "nobody": true}));
            }
            "ask" => {
                // The client uses the same id for its call.
                let own = "1".to_owned();
                self.asked.insert(own.clone(), id.clone());
                send(&json!({"jsonrpc": "2.0", "id": own, "method": "roots/list"}));
                send(&json!({"jsonrpc": "2.0", "id": own, "method": "roots/list"}));
                send(&json!({"jsonrpc": "2.0", "id": "2", "method": "shell/run"}));
            }
            "progress" => {
                let token = params["_meta"]["progressToken"].clone();
                let progress = |token: Value| {
                    json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": 1}})
                };
                send(&progress(token));
                send(&progress(json!("somebody else's")));
                reply(id, &result);
            }
            "hang" => {}
            // What it started holds its output.
            "leave" => {
                std::process::Command::new("sleep")
                    .arg("20")
                    .spawn()
                    .unwrap();
                std::process::exit(3);
            }
            "say" => {
                let line = params["arguments"]["line"].as_str().unwrap();
                println!("{line}");
                reply(id, &result);
            }
            "double" => {
                self.doubled = true;
                reply(id, &result);
            }
            _ => reply(id, &result),
        }
    }

    fn log(&self, line: &str) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.runs)
            .unwrap();
        writeln!(file, "{line}").unwrap();
    }
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}})
}

fn reply(id: &Value, result: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn send(message: &Value) {
    let mut out = stdout().lock();
    writeln!(out, "{message}").unwrap();
    out.flush().unwrap();
}
