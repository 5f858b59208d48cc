//! Runs attacks against real stacks.
//!
//! A case is a policy, what happened before, a call, and what must become of it. The calls that
//! happened before are made for real: they wait for answers, which come through a broker, and
//! faults are put where the case wants them.
//!
//! - `case`, `class`, `step`: what is written in the file.
//! - `policy`, `names`, `disk`, `source`: policies as they are written, the file system that they
//!   look at, and where they come from.
//! - `generate`, `bomb`: arguments that are too large to be written down, and patterns that take
//!   too long.
//! - `network`: where fetches lead.
//! - `world`: the stacks, and everything around them that can fail.
//! - `perform`, `change`, `respond`: does what the steps say.
//! - `verdict`, `assertion`, `permute`: what became of the call, against the case. `rendered`: what
//!   was shown.
//! - `scope`: which cases may fail, and why.
//! - `orders`: in which orders things happen at the same time.

mod assertion;
mod bomb;
mod case;
mod change;
mod class;
mod disk;
mod generate;
mod names;
mod network;
mod orders;
mod perform;
mod permute;
mod policy;
mod rendered;
mod respond;
mod scope;
mod source;
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
    world::World,
};
use crate::{
    Finding, Report, Skip,
    case::Invalid,
    report::{About, Slip},
    runner::each_line,
};

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

/// What was found wrong with a case.
#[derive(Debug, Default)]
struct Wrong {
    differences: Vec<String>,
    slip: Option<Slip>,
}

/// Runs a case. One that cannot be understood, or that panics, has failed.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is handed over as what judges a line"
)]
fn judge(attack: Attack) -> (Finding, Option<About>) {
    let wrong = match catch_unwind(AssertUnwindSafe(|| run(&attack))) {
        Ok(Ok(wrong)) => wrong,
        Ok(Err(invalid)) => Wrong::because(invalid.to_string()),
        Err(_) => Wrong::because("it panicked".to_owned()),
    };
    let about = About {
        tier: attack.tier.to_string(),
        class: attack.class.clone(),
        slip: wrong.slip,
    };
    let finding = match scope::excuse(&attack) {
        _ if wrong.differences.is_empty() => Finding::Passed,
        Some(why) => Finding::Skipped(Skip::OutOfScope(why)),
        None => Finding::Failed(wrong.differences),
    };
    (finding, Some(about))
}

fn run(attack: &Attack) -> Result<Wrong, Invalid> {
    class::check(&attack.class)?;
    let scenario = attack.read()?;
    let mut wrong = Wrong::default();
    for order in Order::all(&scenario.steps) {
        let found = run_in(&scenario, &order)?;
        let lines = found.differences.into_iter();
        wrong
            .differences
            .extend(lines.map(|line| format!("{order}{line}")));
        wrong.slip = wrong.slip.or(found.slip);
    }
    Ok(wrong)
}

/// Runs a case in one order of what happens at the same time.
fn run_in(attack: &Scenario, order: &Order) -> Result<Wrong, Invalid> {
    let mut world = World::new(&attack.policy)?;
    world.hold_until_executed(&attack.steps);
    let mut differences = Vec::new();
    for (index, step) in attack.steps.iter().enumerate() {
        let found = world.perform(step, order)?;
        let place = |line| format!("step {}: {line}", index + 1);
        differences.extend(found.into_iter().map(place));
    }
    world.settle();
    let (judged, took) = verdict::make(&mut world, attack)?;
    let verdict = verdict::judge(&mut world, attack, judged);
    let slip = verdict
        .as_ref()
        .and_then(|_| verdict::slip(&world, attack, judged));
    differences.extend(verdict);
    differences.extend(assertion::check(&mut world, attack, judged, took)?);
    Ok(Wrong { differences, slip })
}

impl Wrong {
    fn because(why: String) -> Self {
        Self {
            differences: vec![why],
            slip: None,
        }
    }
}

#[cfg(test)]
mod tests;
