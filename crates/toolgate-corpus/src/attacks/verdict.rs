//! What became of the call that is judged.
//!
//! The judged call is one of the calls before it if the case refers to that; or if the case does
//! not want it to be asked about, it is the same call from the same place, nothing began anew since,
//! and no answer to it was to be remembered. In all other cases it is a new call.
//!
//! A refusal has to be a decision, except in cases about the protocol of asking: there a call that
//! still waits is given all the time that it has, and has to be refused then.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the type is private to its module"
)]

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use toolgate::{Annotations, Args, ToolId};

use super::{
    bomb,
    case::{Must, Scenario},
    generate::Made,
    world::{DEADLINE, Ended, NewCall, World},
};
use crate::{case::Invalid, report::Slip};

/// What the judged call is called, if it is a new one.
pub(super) const JUDGED: &str = "the judged call";

/// Makes the call that is judged, or finds it. Says how long that took.
pub(super) fn make(world: &mut World, attack: &Scenario) -> Result<(usize, Duration), Invalid> {
    if let Some(label) = &attack.call.refers_to {
        return Ok((world.known(label)?, Duration::ZERO));
    }
    let made = match (
        &attack.call.args,
        &attack.call.args_raw,
        &attack.call.args_gen,
    ) {
        (Some(args), None, None) => Made::Text(args.get().to_owned()),
        (None, Some(text), None) => Made::Text(text.clone()),
        (None, None, Some(generator)) => generator.make(),
        _ => return Err(Invalid::new("either `args`, `args_raw` or `args_gen`")),
    };
    let started = Instant::now();
    let args = match &made {
        Made::Text(text) => Args::parse(text).ok(),
        Made::Rule { pattern, input } => {
            let judged = bomb::judge(world, pattern, input);
            return Ok((judged, started.elapsed()));
        }
        Made::Impossible => None,
    };
    if let Some(cwd) = &attack.call.context.cwd {
        world.scene.set_cwd(cwd.clone());
    }
    let tool = world.tool(&attack.call.tool, attack.call.identity.as_ref());
    let before = earlier(world, attack, &tool, args.as_ref());
    let judged = before.unwrap_or_else(|| {
        world.call(NewCall {
            context: attack.call.context.clone(),
            call_id: attack.call.call_id.clone(),
            annotations: annotations(&attack.call.annotations),
            ..NewCall::new(JUDGED, tool, args)
        })
    });
    world.settle();
    let elapsed = started.elapsed();
    Ok((world.follow(judged), elapsed))
}

/// What a tool says of itself. Of what is not of the type that it should be, nothing is believed.
pub(super) fn annotations(said: &Map<String, Value>) -> Annotations {
    let hint = |name: &str| said.get(name).and_then(Value::as_bool);
    let mut annotations = Annotations::new();
    if let Some(yes) = hint("readOnlyHint") {
        annotations = annotations.with_read_only(yes);
    }
    if let Some(yes) = hint("destructiveHint") {
        annotations = annotations.with_destructive(yes);
    }
    if let Some(yes) = hint("idempotentHint") {
        annotations = annotations.with_idempotent(yes);
    }
    if let Some(yes) = hint("openWorldHint") {
        annotations = annotations.with_open_world(yes);
    }
    annotations
}

fn earlier(world: &World, attack: &Scenario, tool: &ToolId, args: Option<&Args>) -> Option<usize> {
    if attack.must == Must::Ask {
        return None;
    }
    let same = |call: &super::world::Occurrence| {
        call.tool == *tool
            && call.args.as_ref() == args
            && attack.call.context.agrees_with(&call.context)
            && call.generation == world.restarts
    };
    let index = world.calls.iter().rposition(same)?;
    let call = world.calls.get(index)?;
    // What was said of it holds for the next one as well, and that is what is looked at.
    let only_this_one = !call.remembered && world.context_is_of(call);
    only_this_one.then_some(index)
}

/// Whether a call that ended like this, or that still waits, is what a step expects. There, asking
/// means that the policy does not decide: whoever does may then fail.
pub(super) fn is_expected(ended: Option<Ended>, must: Must) -> bool {
    let undecided = ended.is_some_and(Ended::is_undecided);
    is_wanted(ended, must) || (must == Must::Ask && undecided)
}

/// Whether a call that ended like this, or that still waits, is what a case wants.
fn is_wanted(ended: Option<Ended>, must: Must) -> bool {
    match (must, ended) {
        (Must::Allow, ended) => ended == Some(Ended::Ran),
        (Must::NotAllow, ended) => ended != Some(Ended::Ran),
        (Must::Ask, ended) => ended.is_none(),
        (Must::Deny, None | Some(Ended::Ran | Ended::Panicked)) => false,
        (Must::Deny, Some(_)) => true,
    }
}

/// In which way a call that is not what it must be went wrong.
pub(super) fn slip(world: &World, attack: &Scenario, judged: usize) -> Option<Slip> {
    let ran = world.calls.get(judged)?.ended == Some(Ended::Ran);
    match (attack.must, ran) {
        (Must::Allow, false) => Some(Slip::Refused),
        (Must::Deny | Must::Ask | Must::NotAllow, true) => Some(Slip::Allowed),
        _ => None,
    }
}

/// Compares what became of the call with what must.
pub(super) fn judge(world: &mut World, attack: &Scenario, judged: usize) -> Option<String> {
    let protocol = ["approval/", "handler/"];
    let about_asking = protocol.iter().any(|kind| attack.class.starts_with(kind));
    let asked = world.calls.iter().any(|call| call.label != JUDGED);
    let waits = |world: &World| {
        world
            .calls
            .get(judged)
            .is_some_and(|call| call.is_pending())
    };
    if attack.must == Must::Deny && about_asking && asked && waits(world) {
        world.advance(DEADLINE);
    }
    let ended = world.calls.get(judged).and_then(|call| call.ended);
    let generator = attack.call.args_gen.as_ref();
    let impossible = generator.is_some_and(super::generate::Generator::is_unserialisable);
    let refused = impossible && attack.must == Must::Ask && ended == Some(Ended::NeverMade);
    if refused || is_wanted(ended, attack.must) {
        return None;
    }
    let happened = ended.map_or_else(|| "it waits for an answer".to_owned(), |e| format!("{e:?}"));
    Some(format!("expected {:?}, but {happened}", attack.must))
}
