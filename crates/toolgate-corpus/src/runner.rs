//! Runs the cases of a file, one after the other.

use std::{
    borrow::Cow,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use toolgate::Args;

use crate::{
    Finding, Report,
    case::{Case, Invalid},
    expectation,
    report::About,
    systems,
};

/// Runs every line of `text` as a case. Blank lines are none.
///
/// Time is paused: whatever sleeps in a case takes no time.
///
/// # Errors
///
/// If there can be no runtime to run them in.
pub fn seed_behaviour(text: &str) -> io::Result<Report> {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()?;
    Ok(each_line(text, |case: Case| (judge(&runtime, &case), None)))
}

/// Reads every line of `text`, and says what became of it. Blank lines are none.
pub(crate) fn each_line<T: DeserializeOwned>(
    text: &str,
    judge: impl Fn(T) -> (Finding, Option<About>),
) -> Report {
    let mut report = Report::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let id = id(line).unwrap_or_else(|| format!("line {}", number + 1));
        let (finding, about) = match read(line) {
            Ok(case) => judge(case),
            Err(invalid) => (Finding::Failed(vec![invalid.to_string()]), None),
        };
        report.add(id, finding, about);
    }
    report
}

/// Reads a case. The strict parser of the library also refuses a key that comes twice.
fn read<T: DeserializeOwned>(line: &str) -> Result<T, Invalid> {
    Args::parse(&whole(line)).map_err(|error| Invalid::new(error.to_string()))?;
    Ok(serde_json::from_str(line)?)
}

/// The line without halves of characters: a case may be about them, and they hide no key.
fn whole(line: &str) -> Cow<'_, str> {
    let half = |escape: &str| {
        let (first, second) = (escape.as_bytes().first(), escape.as_bytes().get(1));
        matches!(first, Some(b'd' | b'D')) && second.is_some_and(|b| b"89abcdefABCDEF".contains(b))
    };
    let mut parts = line.split("\\u");
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut any = false;
    for part in parts {
        let cut = half(part).then(|| part.get(4..)).flatten();
        any |= cut.is_some();
        text.push_str(if cut.is_some() { "\\ufffd" } else { "\\u" });
        text.push_str(cut.unwrap_or(part));
    }
    if any { text.into() } else { line.into() }
}

/// The id of a case, if that much can be read.
fn id(line: &str) -> Option<String> {
    let case: Value = serde_json::from_str(line).ok()?;
    Some(case.get("id")?.as_str()?.to_owned())
}

/// Runs a case. One that cannot be understood, or that panics, has failed.
fn judge(runtime: &Runtime, case: &Case) -> Finding {
    let run = async {
        expectation::check(case)?;
        systems::run(case).await
    };
    match catch_unwind(AssertUnwindSafe(|| runtime.block_on(run))) {
        Ok(Ok(finding)) => finding,
        Ok(Err(invalid)) => Finding::Failed(vec![invalid.to_string()]),
        Err(_) => Finding::Failed(vec!["it panicked".to_owned()]),
    }
}
