//! What the agent does, step by step.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate::{Args, Grants, MemoryLayer, Origin, PolicyLayer, ToolBlocked, ToolCall};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt};

use super::{edits::ShowEdits, handler::Handler, policy, stage::Stage, tools};
use crate::{
    call::show,
    fail::Fail,
    out,
    style::{self, paint},
    text::{count, indented, short, wrapped},
};

/// What the agent says, and the call that it makes.
struct Step {
    says: &'static str,
    tool: &'static str,
    args: Value,
}

fn steps(port: u16) -> [Step; 9] {
    let step = |says, tool, args| Step { says, tool, args };
    let greeting = |line: &str| format!("Hello.\n{line}\nGoodbye.\n");
    let edit = |line: &str| json!({"path": "notes/greeting.txt", "content": greeting(line)});
    let run = |line: &str| json!({ "command": line });
    [
        step(
            "First I read what this is about.",
            "read_file",
            json!({"path": "README.md"}),
        ),
        step(
            "Let me see what else there is.",
            "shell",
            run("ls -a notes && cat notes/greeting.txt"),
        ),
        step(
            "There may be settings in here.",
            "read_file",
            json!({"path": "notes/../.env"}),
        ),
        step(
            "The page about greetings may help.",
            "fetch",
            json!({"url": format!("http://127.0.0.1:{port}/greetings")}),
        ),
        step(
            "I make the greeting warmer.",
            "write_file",
            edit("How are you, Ann?"),
        ),
        step(
            "The same once more, to be sure.",
            "write_file",
            edit("How are you, Ann?"),
        ),
        step(
            "I tidy up behind me.",
            "shell",
            run("ls build; rm -rf build"),
        ),
        step(
            "Nobody will notice this one.",
            "shell",
            run("cat $(echo .env)"),
        ),
        step(
            "And I look at the result.",
            "shell",
            run("cat notes/greeting.txt"),
        ),
    ]
}

/// How the steps ended.
#[derive(Default)]
struct Tally {
    ran: usize,
    blocked: usize,
}

/// Plays the session, with a stack as a program of one's own would build it.
pub(super) async fn play(stage: &Stage, handler: Handler) -> Result<(), Fail> {
    let policy = policy::load(stage.folder(), stage.port())?;
    let memory = Grants::new();
    let edits = ShowEdits {
        folder: stage.folder().to_owned(),
    };
    let mut tools = ServiceBuilder::new()
        .layer(policy.review())
        .layer(policy.prompt(handler))
        .layer(policy.layer())
        .layer(PolicyLayer::new(edits))
        .layer(MemoryLayer::new(memory.clone()))
        .layer(policy.gate())
        .timeout(Duration::from_secs(10))
        .service(tools::toolbox(stage.folder())?);
    let mut tally = Tally::default();
    for step in steps(stage.port()) {
        let call = step.call()?;
        let agent = paint(style::STRONG, "agent");
        out::print(&format!("\n{agent}  {}\n", step.says))?;
        out::print(&format!(
            "{}   {}\n",
            paint(style::FAINT, "call"),
            show(&call)
        ))?;
        let ended = match tools.ready().await {
            Ok(tools) => tools.call(call).await,
            Err(error) => Err(error),
        };
        tally.take(&ended)?;
    }
    let (ran, blocked) = (count(tally.ran, "call"), tally.blocked);
    let kept = count(memory.list().len(), "answer");
    out::print(&format!(
        "\n{ran} ran, {blocked} did not; {kept} remembered\n"
    ))
}

impl Step {
    fn call(&self) -> Result<ToolCall, Fail> {
        let args = Args::try_from(self.args.clone()).map_err(|_| Fail::own_mistake())?;
        let origin = Origin::new().with_session("demo").with_agent("root");
        Ok(ToolCall::new(self.tool, args).with_origin(origin))
    }
}

impl Tally {
    fn take(&mut self, ended: &Result<Value, BoxError>) -> Result<(), Fail> {
        match ended {
            Ok(value) => {
                self.ran += 1;
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                let lines: Vec<_> = text.lines().map(|line| short(line, 100)).collect();
                out::print(&format!("{}    it ran\n", paint(style::ALLOW, "ran")))?;
                out::print(&indented("       | ", &lines.join("\n")))
            }
            Err(error) => {
                self.blocked += 1;
                let why = match error.downcast_ref::<ToolBlocked>() {
                    Some(blocked) => blocked.for_model(),
                    None => error.to_string(),
                };
                let why = wrapped(&short(&why, 300), 73).join("\n       ");
                out::print(&format!("{}     {why}\n", paint(style::DENY, "no")))
            }
        }
    }
}
