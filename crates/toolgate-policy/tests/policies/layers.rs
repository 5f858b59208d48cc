//! Files of several owners, together.

use toolgate::{Args, Effect, ToolCall};
use toolgate_policy::{FilePolicy, Format, LayerKind, Layers, Settings, parse_policy};

const UNTRUSTED: LayerKind = LayerKind::Project { trusted: false };
const TRUSTED: LayerKind = LayerKind::Project { trusted: true };

fn policy(layers: &[(LayerKind, &str)]) -> FilePolicy {
    let parsed = layers.iter().map(|(kind, text)| {
        let parsed = parse_policy(text, Format::Toml);
        (*kind, parsed.unwrap_or_else(|e| panic!("{e}")))
    });
    let layers = Layers::new(parsed, None).unwrap_or_else(|e| panic!("{e}"));
    let compiled = layers.compile(&Settings::new().with_base("/w"));
    compiled.unwrap_or_else(|e| panic!("{e}"))
}

fn shell(line: &str) -> ToolCall {
    ToolCall::new("shell", Args::new().with("command", line))
}

#[test]
fn the_strictest_of_all_counts() {
    let managed = "[shell]\ndeny = [\"curl *\"]\nask = [\"git push *\"]";
    let user = "[shell]\nallow = [\"curl *\", \"git push *\", \"ls *\"]";
    let both = policy(&[(LayerKind::Managed, managed), (LayerKind::User, user)]);
    assert_eq!(both.effect(&shell("curl https://x.example")), Effect::Deny);
    assert_eq!(both.effect(&shell("git push")), Effect::Ask);
    assert_eq!(both.effect(&shell("ls -l")), Effect::Allow);
}

#[test]
fn what_a_managed_layer_denies_by_default_nobody_gives_back() {
    let managed = "default = \"deny\"\n[shell]\nallow = [\"ls *\"]";
    let user = "[shell]\nallow = [\"pwd\"]";
    let both = policy(&[(LayerKind::Managed, managed), (LayerKind::User, user)]);
    assert_eq!(both.effect(&shell("ls")), Effect::Allow);
    assert_eq!(both.effect(&shell("pwd")), Effect::Deny);
}

#[test]
fn a_project_that_nobody_vouched_for_only_restricts() {
    let user = "[shell]\nallow = [\"ls *\"]";
    let project = "[shell]\nallow = [\"pwd\"]\ndeny = [\"ls *\"]";
    let untrusted = policy(&[(LayerKind::User, user), (UNTRUSTED, project)]);
    assert_eq!(untrusted.effect(&shell("pwd")), Effect::Ask);
    assert_eq!(untrusted.effect(&shell("ls")), Effect::Deny);
    let trusted = policy(&[(LayerKind::User, user), (TRUSTED, project)]);
    assert_eq!(trusted.effect(&shell("pwd")), Effect::Allow);
}

#[test]
fn a_project_does_not_give_a_tool_what_the_user_allows() {
    let user = "[capabilities]\nallow = [\"fs.read\"]\ndeny = [\"net.send\"]";
    let project = "[tools.wipe]\ncapabilities = [\"fs.read\"]";
    let call = ToolCall::new("wipe", Args::new());
    let untrusted = policy(&[(LayerKind::User, user), (UNTRUSTED, project)]);
    assert_eq!(untrusted.effect(&call), Effect::Ask);
    let trusted = policy(&[(LayerKind::User, user), (TRUSTED, project)]);
    assert_eq!(trusted.effect(&call), Effect::Allow);
}

#[test]
fn a_project_may_say_that_a_tool_does_what_the_user_denies() {
    let user = "[capabilities]\ndeny = [\"net.send\"]\n[tools]\nallow = [\"post\"]";
    let project = "[tools.post]\ncapabilities = [\"net.send\"]";
    let both = policy(&[(LayerKind::User, user), (UNTRUSTED, project)]);
    assert_eq!(
        both.effect(&ToolCall::new("post", Args::new())),
        Effect::Deny
    );
}
