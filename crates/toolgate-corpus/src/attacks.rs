//! Runs attacks against real stacks.
//!
//! A case is a policy, what happened before, a call, and what must become of it. The calls that
//! happened before are made for real: they wait for answers, which come through a broker, and
//! faults are put where the case wants them.
//!
//! - `case`, `class`, `step`: what is written in the file, and which of it can be run yet.
//! - `rules`: a stand-in for policies over shell lines and tools.
//! - `generate`: arguments that are too large to be written down.
//! - `world`: the stacks, and everything around them that can fail.
//! - `perform`, `respond`: does what the steps say.
//! - `verdict`, `assertion`: what became of the call, against the case. `rendered`: what was shown.
//! - `orders`: in which orders things happen at the same time.

mod assertion;
mod case;
mod class;
mod generate;
mod orders;
mod perform;
mod rendered;
mod respond;
mod rules;
mod step;
mod verdict;
mod world;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

use self::{
    case::{Attack, Scenario},
    orders::Order,
    step::Step,
    world::World,
};
use crate::{Finding, Report, Skip, case::Invalid, runner::each_line};

/// Runs every line of `text` as an attack. Blank lines are none.
///
/// Time is paused: whatever waits in a case takes no time.
///
/// # Errors
///
/// If there can be no runtime to run them in.
pub fn attacks(text: &str) -> io::Result<Report> {
    // Every case makes runtimes of its own, so that it can shut them down.
    World::runtime()?;
    Ok(each_line(text, judge))
}

/// Runs a case. One that cannot be understood, or that panics, has failed.
fn judge(attack: Attack) -> Finding {
    match catch_unwind(AssertUnwindSafe(|| run(attack))) {
        Ok(Ok(finding)) => finding,
        Ok(Err(invalid)) => Finding::Failed(vec![invalid.to_string()]),
        Err(_) => Finding::Failed(vec!["it panicked".to_owned()]),
    }
}

fn run(attack: Attack) -> Result<Finding, Invalid> {
    if let Some(skip) = class::skip(&attack)? {
        return Ok(Finding::Skipped(skip));
    }
    let attack = attack.read()?;
    if let Some(missing) = class::missing(&attack) {
        return Ok(Finding::Skipped(Skip::Missing(missing)));
    }
    let steps = match step::read(&attack.setup)? {
        Ok(steps) => steps,
        Err(missing) => return Ok(Finding::Skipped(Skip::Missing(missing))),
    };
    let mut differences = Vec::new();
    for order in Order::all(&steps) {
        let found = run_in(&attack, &steps, &order)?;
        differences.extend(found.into_iter().map(|line| format!("{order}{line}")));
    }
    Ok(if differences.is_empty() {
        Finding::Passed
    } else {
        Finding::Failed(differences)
    })
}

/// Runs a case in one order of what happens at the same time.
fn run_in(attack: &Scenario, steps: &[Step], order: &Order) -> Result<Vec<String>, Invalid> {
    let mut world = World::new(&attack.policy)?;
    world.hold_until_executed(steps);
    let mut differences = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let found = world.perform(step, order)?;
        let place = |line| format!("step {}: {line}", index + 1);
        differences.extend(found.into_iter().map(place));
    }
    world.settle();
    let (judged, took) = verdict::make(&mut world, attack)?;
    differences.extend(verdict::judge(&mut world, attack, judged));
    differences.extend(assertion::check(&mut world, attack, judged, took)?);
    Ok(differences)
}
