//! What else a case asserts.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{AllowedBy, Args, ToolCall};
use toolgate_policy::{FilePolicy, Format};

use super::{
    case::{Must, Scenario},
    permute, policy,
    rendered::Rendered,
    world::{DEADLINE, Ended, NewCall, World},
};
use crate::case::Invalid;

/// How many questions may be open, and how many calls may wait to ask, whoever floods.
const BOUND: usize = 2_048;

/// Everything that is asserted and does not hold.
pub(super) fn check(
    world: &mut World,
    attack: &Scenario,
    judged: usize,
    took: Duration,
) -> Result<Vec<String>, Invalid> {
    let mut differences = Vec::new();
    for (name, expected) in &attack.expect {
        let found = match &**name {
            "executions" => executions(world, attack, judged, read(name, expected)?),
            "executions_max_of" => executions_of(world, &read(name, expected)?),
            "executed_args_of" => executed_args(world, &read(name, expected)?),
            "executions_with_unapproved_args" => unapproved(world, read(name, expected)?),
            "max_ms" => {
                let limit = Duration::from_millis(read(name, expected)?);
                (took > limit).then(|| format!("took {took:?}"))
            }
            "load" => load(world, read(name, expected)?),
            "all_permutations_equal" => {
                flag(name, expected)?.and_then(|()| by_order(world, judged))
            }
            "no_panic" => flag(name, expected)?.and_then(|()| panicked(world)),
            "process_alive" => flag(name, expected)?.and_then(|()| dead(world)),
            "no_leak" => flag(name, expected)?.and_then(|()| leaked(world)),
            "bounded_memory" => flag(name, expected)?.and_then(|()| unbounded(world)),
            "or_denied" => flag(name, expected)?.and(None),
            "if_asked" => shown(world, attack, judged, &read(name, expected)?, true),
            "rendered_contains" | "rendered_not_contains" | "rendered_order" => {
                let one = json!({ &**name: expected });
                shown(world, attack, judged, &read(name, &one)?, false)
            }
            _ => return Err(Invalid::new(format!("unknown assertion `{name}`"))),
        };
        differences.extend(found.map(|why| format!("{name}: expected {expected}, but {why}")));
    }
    Ok(differences)
}

/// Whether the question was shown as it was to be, or did not have to be shown.
fn shown(
    world: &World,
    attack: &Scenario,
    judged: usize,
    wanted: &Rendered,
    if_asked: bool,
) -> Option<String> {
    let call = world.calls.get(judged)?;
    let Some(text) = &call.rendered else {
        let denied = matches!(call.ended, Some(Ended::Blocked(_)));
        let enough = if_asked || attack.expect.contains_key("or_denied");
        return (!denied || !enough).then(|| "nothing was shown".to_owned());
    };
    wanted.check(text, attack)
}

fn read<'a, T: Deserialize<'a>>(name: &str, value: &'a Value) -> Result<T, Invalid> {
    T::deserialize(value).map_err(|error| Invalid::new(format!("`{name}`: {error}")))
}

/// An assertion that is only ever true.
fn flag(name: &str, value: &Value) -> Result<Option<()>, Invalid> {
    match value {
        Value::Bool(true) => Ok(Some(())),
        _ => Err(Invalid::new(format!("`{name}` is {value}"))),
    }
}

/// How loading a policy has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Load {
    Error,
    /// It can be used, but something is said about it.
    ErrorOrLint,
    Ok,
}

fn load(world: &World, wanted: Load) -> Option<String> {
    match (world.scene.policy(), wanted) {
        (Err(_), Load::Error | Load::ErrorOrLint) | (Ok(_), Load::Ok) => None,
        (Ok(policy), Load::ErrorOrLint) if !policy.warnings().is_empty() => None,
        (Ok(_), _) => Some("it was loaded".to_owned()),
        (Err(why), Load::Ok) => Some(why),
    }
}

/// Whether another order of the same rules decides otherwise.
fn by_order(world: &World, judged: usize) -> Option<String> {
    let spec = world.scene.spec();
    let policy = spec
        .text()
        .ok()
        .and_then(|(text, _)| serde_json::from_str(text).ok())?;
    let call = world.calls.get(judged)?;
    let call = ToolCall::new(call.tool.clone(), call.args.clone()?);
    let effect = |policy: &FilePolicy| policy.effect(&call);
    let before = world.scene.policy().as_ref().map(effect).ok();
    permute::orders(&policy).iter().find_map(|text| {
        let loaded = policy::load(text, Format::Json, &world.scene.settings());
        let now = loaded.as_ref().map(effect).ok();
        (now != before).then(|| format!("{before:?} becomes {now:?} with {text}"))
    })
}

/// How often the judged call ran. If it must not, every call with its arguments counts.
fn executions(world: &World, attack: &Scenario, judged: usize, expected: usize) -> Option<String> {
    let call = world.calls.get(judged)?;
    let is_it = |run: &&super::world::Run| match attack.must {
        Must::Allow => run.turn == call.turn(),
        _ => run.tool == call.tool && Some(&run.args) == call.args.as_ref(),
    };
    let count = world.spy.runs().iter().filter(is_it).count();
    (count != expected).then(|| format!("it ran {count} times"))
}

fn executions_of(world: &World, most: &BTreeMap<String, usize>) -> Option<String> {
    most.iter().find_map(|(label, most)| {
        let count = runs_of(world, label).len();
        (count > *most).then(|| format!("`{label}` ran {count} times"))
    })
}

/// The arguments of every run of the calls of this label.
fn runs_of(world: &World, label: &str) -> Vec<Args> {
    let labelled = world.calls.iter().filter(|call| call.label == label);
    let turns: Vec<_> = labelled.map(super::world::Occurrence::turn).collect();
    let runs = world.spy.runs().into_iter();
    runs.filter(|run| turns.contains(&run.turn))
        .map(|run| run.args)
        .collect()
}

fn executed_args(world: &World, wanted: &BTreeMap<String, Args>) -> Option<String> {
    wanted.iter().find_map(|(label, args)| {
        let runs = runs_of(world, label);
        let same = !runs.is_empty() && runs.iter().all(|run| run == args);
        (!same).then(|| format!("`{label}` ran {} times, not only with these", runs.len()))
    })
}

/// A run that no rule allows needs a question with these arguments that was answered with yes.
fn unapproved(world: &World, expected: usize) -> Option<String> {
    let approved = |run: &super::world::Run| {
        let shown = (run.tool.clone(), run.args.clone());
        run.by == AllowedBy::Rules || world.approved.contains(&shown)
    };
    let runs = world.spy.runs();
    let count = runs.iter().filter(|run| !approved(run)).count();
    (count != expected).then(|| format!("there were {count}"))
}

fn panicked(world: &World) -> Option<String> {
    let panicked = |call: &super::world::Occurrence| call.ended == Some(Ended::Panicked);
    let any = world.calls.iter().any(panicked);
    any.then(|| "a call panicked".to_owned())
}

/// Whatever went wrong, what is allowed still runs.
fn dead(world: &mut World) -> Option<String> {
    if let Some(panicked) = panicked(world) {
        return Some(panicked);
    }
    let line = world.scene.allowed_line()?;
    // A checker that fails refuses everything, and that is as it should be.
    world.scene.set_checker(super::step::Behaviour::Decides);
    let args = Args::new().with("command", line);
    let index = world.call(NewCall::new("alive", "shell", Some(args)));
    world.settle();
    let ended = world.calls.get(index)?.ended;
    (ended != Some(Ended::Ran)).then(|| format!("an allowed call is {ended:?}"))
}

/// When everybody had time to answer, nothing is left of any question.
fn leaked(world: &mut World) -> Option<String> {
    world.advance(DEADLINE);
    let waiting = world.calls.iter().filter(|call| call.is_pending()).count();
    let open = world.broker.open().len();
    let left = waiting > 0 || open > 0 || !world.turns.is_idle();
    left.then(|| format!("{waiting} calls wait, and {open} questions are open"))
}

fn unbounded(world: &World) -> Option<String> {
    let waiting = world.calls.iter().filter(|call| call.is_pending()).count();
    let open = world.broker.open().len();
    (waiting.max(open) > BOUND).then(|| format!("{waiting} calls wait, {open} are asked about"))
}
