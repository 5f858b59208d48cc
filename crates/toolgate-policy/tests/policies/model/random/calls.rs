//! Random calls.

use serde_json::{Value, json};
use toolgate::{AgentPath, Args, Origin, ToolCall, ToolId};

use super::Random;

/// A call, as plain as it can be.
#[derive(Clone, Debug)]
pub(in super::super) struct Call {
    pub(in super::super) server: Option<&'static str>,
    pub(in super::super) tool: &'static str,
    pub(in super::super) args: Value,
    pub(in super::super) agent: Vec<&'static str>,
}

impl Call {
    pub(in super::super) fn random(random: &mut Random) -> Self {
        let server = *random.pick(&[&None, &None, &None, &Some("srv"), &Some("other")]);
        let own = ["alpha", "Alpha", "alpha_x", "beta", "gamma", "a_x"];
        let kinds = [
            "shell",
            "shell",
            "exec",
            "run",
            "read_file",
            "write_file",
            "delete_file",
            "copy_path",
            "move_path",
            "fetch",
            "fetch",
        ];
        let tool = match server {
            Some(_) => random.pick(&["get", "put", "Get"]),
            None if random.once_in(3) => random.pick(&own),
            None => random.pick(&kinds),
        };
        let agent: &[&str] = random.pick(&[
            &[][..],
            &["root"],
            &["root", "sub"],
            &["root", "sub", "x"],
            &["other"],
        ]);
        let mut args = arguments(random, tool);
        if server.is_none() && random.once_in(12) {
            args["odd"] = json!(1);
        }
        Self {
            server,
            tool,
            args,
            agent: agent.to_vec(),
        }
    }

    pub(in super::super) fn call(&self) -> ToolCall {
        let id = ToolId::new(self.tool);
        let id = match self.server {
            Some(server) => id.on_server(server),
            None => id,
        };
        let agent = self.agent.iter();
        let agent = agent.fold(AgentPath::default(), |path, name| path.join(name));
        let args = Args::try_from(self.args.clone()).unwrap();
        ToolCall::new(id, args).with_origin(Origin::new().with_agent(agent))
    }
}

fn arguments(random: &mut Random, tool: &str) -> Value {
    match tool {
        "shell" => json!({"command": line(random)}),
        "run" => json!({"cmd": line(random), "why": "because"}),
        "exec" => {
            let mut words = vec![program(random)];
            words.extend(random.some(&["a", "b", "c"], 3));
            json!({ "argv": words })
        }
        "read_file" | "delete_file" => json!({"path": path(random)}),
        "write_file" => json!({"path": path(random), "content": "x"}),
        "copy_path" | "move_path" => json!({"from": path(random), "to": path(random)}),
        "fetch" => json!({"url": url(random)}),
        _ => anything(random),
    }
}

fn anything(random: &mut Random) -> Value {
    let mut args = json!({});
    if !random.once_in(4) {
        args["n"] = match random.below(6) {
            0 => json!("abc"),
            1 => json!(1.5),
            n => json!(n - 1),
        };
    }
    if random.once_in(2) {
        args["s"] = json!(random.pick(&["abc", "abd", "c"]));
    }
    if random.once_in(4) {
        args["o"] = json!({"k": random.below(4)});
        args["l"] = json!(["abc", 2]);
    }
    args
}

fn program(random: &mut Random) -> String {
    random
        .pick(&["foo", "foo", "bar", "ls", "/bin/foo", "baz"])
        .to_owned()
}

/// A command line: words, wrappers, several commands, redirections, and something unknown.
fn line(random: &mut Random) -> String {
    let mut line = String::new();
    for number in 0..=random.below(3) {
        if number > 0 {
            line += random.pick(&[" && ", " ; ", " | ", "\n"]);
        }
        line += random.pick(&["", "", "", "env ", "sudo ", "timeout 5 ", "sudo env "]);
        line += &program(random);
        for word in random.some(&["a", "b", "c", "'a'"], 3) {
            line = line + " " + &word;
        }
        if random.once_in(12) {
            line += " $x";
        }
        if random.once_in(6) {
            line = line + " > " + &path(random);
        }
    }
    line
}

fn path(random: &mut Random) -> String {
    let mut names = vec![
        random
            .pick(&["src", "src", "Src", "docs", "a", "/opt", "/w/src", "."])
            .to_owned(),
    ];
    names.extend(random.some(&["a", "b", "A", "x.md", ".", ".."], 2));
    names.join("/")
}

fn url(random: &mut Random) -> String {
    let scheme = random.pick(&["https", "https", "http", "ftp"]);
    let host = random.pick(&[
        "a.test",
        "b.a.test",
        "c.b.a.test",
        "b.c.test",
        "xa.test",
        "test.example",
    ]);
    let port = random.pick(&["", "", ":8443", ":22"]);
    format!("{scheme}://{host}{port}/{}", random.pick(&["", "x?y=z"]))
}
