//! Who answers the questions of the session.

use std::{
    collections::VecDeque,
    fs,
    io::IsTerminal,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use toolgate::{ApprovalDecision, ApprovalRequest, AskError, AskErrorKind, Remember};
#[cfg(unix)]
use tower::ServiceExt;
use tower::{BoxError, service_fn, util::BoxCloneSyncService};

use super::question;
use crate::{fail::Fail, out};

/// Whoever answers, as the layer that asks knows them.
pub(super) type Handler = BoxCloneSyncService<ApprovalRequest, ApprovalDecision, BoxError>;

/// What can be said yes to.
const TOOLS: [&str; 5] = ["read_file", "write_file", "shell", "fetch", "all"];

/// Where the answers come from.
#[derive(Debug, Clone)]
pub(super) enum Answers {
    /// Somebody at the terminal.
    Person,
    /// Nobody, since there is no terminal.
    Nobody,
    /// Yes to these tools, no to all others.
    YesTo(Vec<String>),
    /// One after the other; no when there are none left.
    Script(VecDeque<Answer>),
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    Always,
    No(Option<String>),
}

impl Answers {
    /// Yes to these tools, all of which have to be there.
    pub(super) fn yes_to(tools: &[String]) -> Result<Self, Fail> {
        let is_known = |tool: &&String| tool.is_empty() || TOOLS.contains(&tool.as_str());
        match tools.iter().find(|tool| !is_known(tool)) {
            None => Ok(Self::YesTo(tools.to_vec())),
            Some(tool) => {
                let tool = crate::text::visible(tool);
                Err(Fail::new(format!("`{tool}` is no tool of the session"))
                    .with_help(format!("there are {}", TOOLS.join(", "))))
            }
        }
    }

    /// Somebody at the terminal, if there is one.
    pub(super) fn whoever_is_there() -> Self {
        // Whoever does not see the session cannot know what the questions are about.
        match cfg!(unix) && std::io::stdout().is_terminal() {
            true => Self::Person,
            false => Self::Nobody,
        }
    }

    /// Reads answers from a file, one a line.
    pub(super) fn script(file: &Path) -> Result<Self, Fail> {
        let text = fs::read_to_string(file).map_err(|error| Fail::unreadable(file, &error))?;
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        let answers = lines.map(|(number, line)| {
            Answer::parse(line.trim()).ok_or_else(|| {
                let place = format!("{}:{}", file.display(), number + 1);
                Fail::new(format!("{place}: this is no answer"))
                    .with_help("an answer is `yes`, `always`, `no` or `no, and why`")
            })
        });
        Ok(Self::Script(answers.collect::<Result<_, _>>()?))
    }

    /// The handler that gives these answers.
    pub(super) fn handler(self) -> Handler {
        match self {
            Self::Person => person(),
            Self::Nobody => nobody(),
            other => written(other),
        }
    }

    fn next(&mut self, request: &ApprovalRequest) -> Answer {
        match self {
            Self::Person | Self::Nobody => Answer::No(None),
            Self::YesTo(tools) => {
                let is_named = |tool: &String| tool == "all" || tool == request.tool.name();
                match tools.iter().any(is_named) {
                    true => Answer::Yes,
                    false => Answer::No(None),
                }
            }
            Self::Script(answers) => answers.pop_front().unwrap_or(Answer::No(None)),
        }
    }
}

/// Somebody at the terminal.
#[cfg(unix)]
fn person() -> Handler {
    let prompt = toolgate_terminal::TerminalPrompt::new();
    BoxCloneSyncService::new(prompt.map_err(BoxError::from))
}

/// On other systems there is nothing yet that asks.
#[cfg(not(unix))]
fn person() -> Handler {
    nobody()
}

/// Shows the question. There is no answer, and so the call does not run.
fn nobody() -> Handler {
    BoxCloneSyncService::new(service_fn(|request: ApprovalRequest| async move {
        out::print(&question::text(&request)).map_err(|fail| fail.to_string())?;
        Err::<ApprovalDecision, _>(BoxError::from(AskError::new(AskErrorKind::Nobody)))
    }))
}

/// Answers that were given beforehand. Question and answer are shown.
fn written(answers: Answers) -> Handler {
    let answers = Arc::new(Mutex::new(answers));
    BoxCloneSyncService::new(service_fn(move |request: ApprovalRequest| {
        let mut held = answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = held.next(&request);
        drop(held);
        async move {
            out::print(&question::text(&request)).map_err(|fail| fail.to_string())?;
            out::print(&format!("you    {}\n", answer.words())).map_err(|fail| fail.to_string())?;
            Ok::<_, BoxError>(answer.decision())
        }
    }))
}

impl Answer {
    fn parse(line: &str) -> Option<Self> {
        match line {
            "yes" => Some(Self::Yes),
            "always" => Some(Self::Always),
            "no" => Some(Self::No(None)),
            line => {
                let why = line.strip_prefix("no,").map(str::trim);
                why.map(|why| Self::No(Some(why.to_owned())))
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Yes => "yes, this once".to_owned(),
            Self::Always => "yes, and for the rest of this session".to_owned(),
            Self::No(None) => "no".to_owned(),
            Self::No(Some(why)) => format!("no, {}", crate::text::visible(why)),
        }
    }

    fn decision(&self) -> ApprovalDecision {
        match self {
            Self::Yes => ApprovalDecision::approve(),
            Self::Always => ApprovalDecision::approve().remembered(Remember::Session),
            Self::No(None) => ApprovalDecision::decline(),
            Self::No(Some(why)) => ApprovalDecision::decline().with_note(why.as_str()),
        }
    }
}
