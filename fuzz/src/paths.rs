//! Paths, by what they say and by where they lead. The first line is the path, the second, if there
//! is one, the directory that the call names.
//!
//! 1. What may be written lies where writing is allowed, by its text and by where it leads.
//! 2. What leads to something that is denied is denied, however it is written.
//! 3. A path from the workspace means the same from the root.
//! 4. Moving needs what removing and writing need.
//! 5. Further rules that deny or ask never let more through.

use std::sync::LazyLock;

use serde_json::json;
use toolgate::{Effect, ToolCall};
use toolgate_policy::{FakeFiles, FilePolicy};

use crate::{
    kit,
    tree::{self, is_in, leads_to, lexical},
};

const POLICY: &str = r#"
workspace = "/w"
[read]
allow = ["**"]
deny = ["secrets", ".env"]
[write]
allow = ["src/**", "docs/**"]
deny = ["secrets", ".env"]
"#;

const FURTHER: &str = r#"
workspace = "/w"
[read]
deny = ["src/*.rs", "**/a", "docs/sub"]
[write]
ask = ["src/sub"]
deny = ["docs/*.md"]
"#;

static FILES: LazyLock<FakeFiles> = LazyLock::new(tree::files);
static BASE: LazyLock<FilePolicy> = LazyLock::new(|| kit::policy(POLICY));
static STRICTER: LazyLock<FilePolicy> = LazyLock::new(|| kit::with(POLICY, FURTHER));

/// Checks a path.
pub fn check(text: &str) {
    let (path, cwd) = match text.split_once('\n') {
        Some((path, cwd)) => (path, Some(cwd)),
        None => (text, None),
    };
    for tool in ["read_file", "write_file", "delete_file"] {
        let call = call(tool, path, cwd);
        let effect = kit::effect(&BASE, &call);
        assert!(
            kit::effect(&STRICTER, &call) >= effect,
            "a further rule let it through"
        );
        assert_eq!(BASE.explain(&call).effect, effect, "explained otherwise");
        let roots = match tool {
            "read_file" => &["/w"][..],
            _ => &["/w/src", "/w/docs"],
        };
        placed(path, cwd, effect, roots);
    }
    if cwd.is_none() {
        from_the_root(path);
    }
    moving(path, cwd.unwrap_or("docs/b.md"));
}

fn call(tool: &str, path: &str, cwd: Option<&str>) -> ToolCall {
    let mut args = json!({ "path": path });
    if let Some(args) = args.as_object_mut() {
        args.extend(cwd.map(|cwd| ("cwd".to_owned(), cwd.into())));
    }
    kit::call(tool, args)
}

fn placed(path: &str, cwd: Option<&str>, effect: Effect, roots: &[&str]) {
    let full = from(path, &from(cwd.unwrap_or("."), "/w"));
    let inside = |place: &str| roots.iter().any(|root| is_in(place, root));
    let target = leads_to(&FILES, &full);
    if effect == Effect::Allow {
        assert!(inside(&lexical(&full)), "allowed elsewhere by its text");
        let there = target.as_deref().is_some_and(inside);
        assert!(there, "allowed elsewhere, or nowhere: {target:?}");
    }
    let is_denied = |place: &str| is_in(place, "/w/secrets") || is_in(place, "/w/.env");
    if target.as_deref().is_some_and(is_denied) {
        assert_eq!(effect, Effect::Deny, "leads to what is denied: {target:?}");
    }
}

fn from(path: &str, directory: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{directory}/{path}"),
    }
}

/// What a shell or a program could take for something else at the start is not compared.
fn from_the_root(path: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let first = path.split('/').next().unwrap_or_default();
    if first.is_empty() || path == "-" || !first.chars().all(is_plain) {
        return;
    }
    for tool in ["read_file", "write_file", "delete_file"] {
        let effect = |path: &str| kit::effect(&BASE, &call(tool, path, None));
        let here = effect(path);
        for same in [
            format!("./{path}"),
            format!("/w/{path}"),
            format!("/w/./{path}"),
        ] {
            assert_eq!(here, effect(&same), "{tool}: {same} is decided otherwise");
        }
    }
}

fn moving(from: &str, to: &str) {
    let effect = |tool: &str, args| kit::effect(&BASE, &kit::call(tool, args));
    let moved = effect("move_path", json!({ "from": from, "to": to }));
    let removed = effect("delete_file", json!({ "path": from }));
    let written = effect("write_file", json!({ "path": to }));
    assert!(
        moved >= removed.max(written),
        "moving is easier than its parts"
    );
    let copied = effect("copy_path", json!({ "from": from, "to": to }));
    let read = effect("read_file", json!({ "path": from }));
    assert!(
        copied >= read.max(written),
        "copying is easier than its parts"
    );
}
