//! Asks on the terminal about one call, or about several at once.
//!
//! ```sh
//! cargo run -p toolgate-terminal --example terminal
//! cargo run -p toolgate-terminal --example terminal -- edit
//! ```
//!
//! The tests of this crate run it in a terminal of their own, and type. The last line says what
//! became of the calls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use signal_hook::consts::SIGTERM;
use toolgate::{
    Args, Authorize, Authorized, Capability, CapabilityMap, Decision, GateLayer, Grants,
    MemoryLayer, Origin, Policy, PolicyLayer, Presentation, PromptLayer, ReviewLayer, Reviewing,
    Rule, RuleSource, ToolBlocked, ToolCall, Vote,
};
use toolgate_terminal::TerminalPrompt;
use tower::{ServiceBuilder, ServiceExt, util::BoxCloneSyncService};

type Stack = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    let deadline = if word == "late" { 2 } else { 300 };
    let stack = stack(Duration::from_secs(deadline));
    let ended = match &*word {
        "three" => three(&stack).await,
        "again" => {
            let first = run(&stack, shell("s-1", "ls")).await;
            format!("{first}, {}", run(&stack, shell("s-1", "pwd")).await)
        }
        "withdraw" => {
            let asking = run(&stack, shell("s-1", "ls"));
            let ended = tokio::time::timeout(Duration::from_secs(2), asking).await;
            ended.unwrap_or_else(|_| "dropped".to_owned())
        }
        "panic" => {
            let failing = tokio::time::sleep(Duration::from_secs(2));
            tokio::select! {
                ended = run(&stack, shell("s-1", "ls")) => ended,
                () = failing => fail(),
            }
        }
        "handles" => tokio::select! {
            biased;
            () = signalled() => "by the program itself".to_owned(),
            ended = run(&stack, shell("s-1", "ls")) => ended,
        },
        "edit" => run(&stack, edit()).await,
        "long" => run(&stack, long(60)).await,
        "large" => run(&stack, long(5_000)).await,
        "sneaky" => run(&stack, shell("s-1", SNEAKY)).await,
        _ => run(&stack, shell("s-1", PUSH)).await,
    };
    println!("ended: {ended}");
}

const PUSH: &str = "git push --force https://ann:hunter2@git.example/web.git main && rm -rf build";
const SNEAKY: &str =
    "ls\r\u{1b}[2K\u{202e}\u{200b}                    ; rm -rf ~\nYour answer (no): ";

/// A stack that asks about everything.
fn stack(deadline: Duration) -> Stack {
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(capabilities()))
        .layer(PromptLayer::new(TerminalPrompt::new()).with_deadline(deadline))
        .layer(PolicyLayer::new(AskAlways).named("shell"))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    BoxCloneSyncService::new(stack)
}

/// What each tool can do.
fn capabilities() -> CapabilityMap {
    let can = |words: &[&str]| -> Vec<Capability> {
        words.iter().filter_map(|word| word.parse().ok()).collect()
    };
    CapabilityMap::new([
        ("shell", can(&["proc.exec(git)", "net.send(git.example)"])),
        ("write_file", can(&["fs.write(src/main.rs)"])),
    ])
}

/// Asks about every call, and denies none.
struct AskAlways;

impl Policy for AskAlways {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        ask(call)
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}

fn ask(call: &ToolCall<Reviewing>) -> Decision {
    let place = RuleSource {
        file: "policy.toml".into(),
        line: 3,
        column: 9,
    };
    let rule = Rule::new("shell.ask.0")
        .with_text("git push *")
        .with_source(place);
    let vote = Vote::ask("publishes what others will see").by(rule);
    let text = |key| call.args().get(key).and_then(serde_json::Value::as_str);
    let presentation = match (text("command"), text("content")) {
        (Some(command), _) => Presentation::Code {
            language: "sh".to_owned(),
            text: command.to_owned(),
        },
        (_, Some(content)) => Presentation::Diff {
            path: "src/main.rs".to_owned(),
            before: BEFORE.to_owned(),
            after: content.to_owned(),
        },
        _ => return vote.into(),
    };
    vote.with_presentation(presentation).into()
}

fn call(session: &str, tool: &str, args: Args) -> ToolCall {
    let origin = Origin::new()
        .with_principal("ann")
        .with_project("web")
        .with_session(session)
        .with_agent("root");
    ToolCall::new(tool, args).with_origin(origin.child("releaser"))
}

fn shell(session: &str, command: &str) -> ToolCall {
    call(
        session,
        "shell",
        Args::new().with("command", command).with("timeout", 30),
    )
}

const BEFORE: &str = "\
//! Says hello.

use std::env;

fn main() {
    let name = env::args().nth(1);
    println!(\"hello {name:?}\");
}
";

fn edit() -> ToolCall {
    let content = BEFORE.replace("println!(\"hello {name:?}\")", "greet(name.as_deref())");
    let greet = "\nfn greet(name: Option<&str>) {\n    println!(\"hello {}\", name.unwrap_or(\"you\"));\n}\n";
    let args = Args::new()
        .with("path", "src/main.rs")
        .with("content", content + greet);
    call("s-1", "write_file", args)
}

fn long(lines: usize) -> ToolCall {
    let lines: Vec<_> = (1..=lines).map(|n| format!("line {n}")).collect();
    call("s-1", "note", Args::new().with("text", lines.join("\n")))
}

async fn three(stack: &Stack) -> String {
    let (a, b, c) = tokio::join!(
        run(stack, shell("s-1", "ls")),
        run(stack, shell("s-2", "pwd")),
        run(stack, shell("s-3", "id")),
    );
    format!("{a}, {b}, {c}")
}

/// What becomes of a call, in a few words.
async fn run(stack: &Stack, call: ToolCall) -> String {
    match stack.clone().oneshot(call).await {
        Ok(call) => match call.args().get("command").and_then(|c| c.as_str()) {
            Some(command) => format!("ran {}", command.escape_debug()),
            None => "ran".to_owned(),
        },
        Err(blocked) => {
            let source = std::error::Error::source(&blocked).map(|error| format!(" ({error})"));
            format!("{blocked}{}", source.unwrap_or_default())
        }
    }
}

/// Waits for the signal that ends programs, as some do to end in their own time.
async fn signalled() {
    let flag = Arc::new(AtomicBool::new(false));
    if signal_hook::flag::register(SIGTERM, Arc::clone(&flag)).is_err() {
        return;
    }
    while !flag.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[expect(clippy::panic, reason = "it shows what becomes of the terminal")]
fn fail() -> String {
    panic!("as it was wanted")
}
