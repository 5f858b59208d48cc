//! What long inputs cost. The input is a front, a line with what is repeated behind it, and an end.
//!
//! However it is made, a line, a path or an address of 32 KiB is judged in less than a second.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use serde_json::json;
use toolgate::ToolCall;
use toolgate_policy::FilePolicy;

use crate::kit;

const LENGTH: usize = 32 << 10;

static POLICY: LazyLock<FilePolicy> = LazyLock::new(|| {
    kit::policy(
        r#"
workspace = "/w"
secrets = ["hunter2-and-a-half"]
[shell]
allow = ["git log *", "echo *", "find *", "sed *"]
ask = ["git push *", "aws * b * c *"]
deny = ["rm -rf *", "aws a*a*b *", "* --no-such *"]
workspace_only = true
transparent_wrappers = ["env", "timeout"]
[read]
allow = ["**"]
deny = ["**/a/**/b", "**/*a*b"]
[write]
allow = ["src/**"]
[fetch]
allow = ["*.rust-lang.org"]
"#,
    )
});

/// Checks what an input costs that goes on and on.
pub fn check(text: &str) {
    let mut lines = text.splitn(3, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (front, unit, end) = (next(), next(), next());
    if unit.is_empty() {
        return;
    }
    let long = format!("{front}{}{end}", unit.repeat(LENGTH / unit.len()));
    in_time("a line", &kit::line(&long));
    in_time("a path", &kit::call("read_file", json!({ "path": long })));
    in_time("an address", &kit::call("fetch", json!({ "url": long })));
    let words: Vec<&str> = long.split(' ').collect();
    in_time("words", &kit::argv(&words));
}

fn in_time(what: &str, call: &ToolCall) {
    let start = Instant::now();
    let _ = POLICY.effect(call);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(1), "{what} took {took:?}");
}
