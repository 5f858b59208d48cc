//! `pydantic-ai-blocking-approval` 0.9 with the session cache of its example.

use serde::Deserialize;
use toolgate::{ApprovalDecision, GateLayer, Grants, Remember, ReviewLayer};

use super::{
    controller::Stored,
    described::{Signatures, described, nothing},
    drive, finding,
    paba::Paba,
};
use crate::{
    Finding,
    answer::Answer,
    bench::Stack,
    case::{Case, Invalid, Turn},
};

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    memory: Vec<Stored>,
    #[serde(rename = "memory_key")]
    _memory_key: Key,
    #[serde(rename = "answers")]
    _answers: Legend,
}

/// What identifies an operation.
#[derive(Debug, Deserialize)]
enum Key {
    #[serde(rename = "(tool, json(args, sort_keys, default=str))")]
    ToolAndArgs,
}

/// What the letters mean.
#[derive(Debug, Deserialize)]
enum Legend {
    #[serde(rename = "y=once s=session n=deny")]
    YesSessionNo,
}

/// What somebody types.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    answer: Letter,
}

/// An answer in a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Letter {
    Y,
    S,
    N,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let turns = case.turns(&[])?;
    let signatures = Signatures::of_all(&turns);
    let bench = Stack::new(&GateLayer::new(), None)
        .remembering(&Grants::new())
        .policy(described(nothing, move |call| signatures.show(call)))
        .asking()
        .build(&ReviewLayer::new());
    Stored::seed(&given.memory, &bench).await?;
    let differences = drive(&turns, &bench, &Paba::default(), answer).await?;
    Ok(finding(differences))
}

fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, Invalid> {
    let typed: Option<Typed> = turn.handler()?;
    Ok(typed.map(|typed| {
        Answer::now(Ok(match typed.answer {
            Letter::Y => ApprovalDecision::approve(),
            Letter::S => ApprovalDecision::approve().remembered(Remember::Session),
            Letter::N => ApprovalDecision::decline().with_note("User denied"),
        }))
    }))
}
