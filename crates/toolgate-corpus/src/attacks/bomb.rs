//! Patterns that take very long, if they are matched carelessly.

use serde_json::json;
use toolgate::{Args, Effect, ToolCall, ToolId};
use toolgate_policy::Format;

use super::{
    policy,
    verdict::JUDGED,
    world::{Ended, NewCall, World},
};

/// The sections that a pattern can stand in.
const SECTIONS: [&str; 5] = ["tools", "shell", "read", "write", "fetch"];

/// Takes `pattern` as what each section allows, and holds `input` against it. A pattern that is
/// refused permits nothing. The call counts as allowed if it is anywhere.
pub(super) fn judge(world: &mut World, pattern: &str, input: &str) -> usize {
    let allowed = SECTIONS.map(|section| allows(world, section, pattern, input));
    let ended = match allowed.contains(&true) {
        true => Ended::Ran,
        false => Ended::Failed,
    };
    world.take_down(&NewCall::new(JUDGED, input, Some(Args::new())), ended)
}

fn allows(world: &World, section: &str, pattern: &str, input: &str) -> bool {
    let text = json!({"workspace": "/w", section: {"allow": [pattern]}}).to_string();
    let Ok(policy) = policy::load(&text, Format::Json, &world.scene.settings()) else {
        return false;
    };
    let with = |key: &str| Args::new().with(key, input);
    let (tool, args) = match section {
        "shell" => ("shell", with("command")),
        "read" => ("read_file", with("path")),
        "write" => ("write_file", with("path")),
        "fetch" => ("fetch", with("url")),
        _ => (input, Args::new()),
    };
    policy.effect(&ToolCall::new(ToolId::new(tool), args)) == Effect::Allow
}
