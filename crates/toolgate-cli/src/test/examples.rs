//! The examples that rules carry.

use std::path::Path;

use toolgate_policy::{Loader, TriedExample};

use super::report::Report;
use crate::{fail::Fail, lint::environments, policy::PolicyArgs};

/// Runs the examples of a policy, in all of its environments. True if all hold.
pub(super) fn run(args: &PolicyArgs, file: &Path, report: &mut Report) -> Result<bool, Fail> {
    let mut all: Vec<TriedExample> = Vec::new();
    for environment in environments(args, file) {
        let mut loader = Loader::new().project(file, true);
        if let Some(name) = environment {
            loader = loader.environment(name);
        }
        let tried = loader.load()?.try_examples(&loader.settings())?;
        for example in tried {
            let is_known = |other: &TriedExample| other.place == example.place;
            if !all.iter().any(is_known) {
                all.push(example);
            }
        }
    }
    report.begin(all.len(), &file.display().to_string())?;
    for example in &all {
        report.take(
            &name(example),
            example.problem.as_ref().map(|why| wrong(example, why)),
        )?;
    }
    Ok(all.iter().all(|example| example.problem.is_none()))
}

fn name(example: &TriedExample) -> String {
    let rule = example.rule.text().unwrap_or(example.rule.id());
    let verb = match example.should_match {
        true => "matches",
        false => "does not match",
    };
    format!("`{rule}` {verb} `{}`", example.example)
}

fn wrong(example: &TriedExample, why: &str) -> String {
    format!("{}: {why}", example.place)
}
