//! What surrounds a call makes the difference: each thing is tried both ways.

use serde_json::{Value, json};

use super::attacks;
use crate::Finding;

/// A case with a policy, what happened before, and a call.
fn case(policy: &Value, setup: &Value, call: &Value, must: &str) -> Value {
    json!({
        "id": "case", "class": "shell/chaining", "source": "own", "source_verified": false,
        "policy": policy, "setup": setup, "call": call, "must": must, "why": "", "needs": [],
        "tier": "T1-structure",
    })
}

fn run(case: &Value) -> Finding {
    let report = attacks(&case.to_string()).unwrap();
    let (_, finding) = report.entries().next().unwrap();
    finding.clone()
}

/// Checks that the call ends like this, and in no other way.
fn ends(policy: &Value, setup: &Value, call: &Value, must: &str) {
    let others = match must {
        "allow" => ["deny", "ask", "not_allow"].as_slice(),
        "deny" => &["allow", "ask"],
        "ask" => &["allow", "deny"],
        _ => panic!("{must}"),
    };
    let found = run(&case(policy, setup, call, must));
    assert_eq!(found, Finding::Passed, "{policy} {setup} {call} {must}");
    for other in others {
        let found = run(&case(policy, setup, call, other));
        let failed = matches!(found, Finding::Failed(_));
        assert!(failed, "{policy} {setup} {call} is {must}, not {other}");
    }
}

fn shell(command: &str) -> Value {
    json!({"tool": "shell", "args": {"command": command}})
}

fn fetch(url: &str) -> Value {
    json!({"tool": "fetch", "args": {"url": url}})
}

fn write(path: &str) -> Value {
    json!({"tool": "write_file", "args": {"path": path, "content": "x"}})
}

/// A policy that allows everything, and says so.
fn everything() -> Value {
    serde_json::from_str(super::source::EVERYTHING).unwrap()
}

#[test]
fn a_policy_is_loaded_in_every_form() {
    let lists = json!({"shell": {"allow": ["ls *"], "deny": ["rm *"]}});
    let text = "[shell]\nallow = [\"ls *\"]\ndeny = [\"rm *\"]\n";
    let layers = json!([{"name": "user", "policy": lists}, {"name": "managed", "policy": {"shell": {"ask": ["dd *"]}}}]);
    for policy in [
        lists.clone(),
        json!({ "config": lists }),
        json!({ "config_text": text }),
        json!({ "config_text": text, "format": "toml" }),
        json!({ "layers": layers }),
    ] {
        ends(&policy, &json!([]), &shell("ls"), "allow");
        ends(&policy, &json!([]), &shell("rm x"), "deny");
        ends(&policy, &json!([]), &shell("dd x"), "ask");
    }
    let unreadable = json!({"layers": [{"name": "managed", "policy": {"error": "fetch_failed"}}, {"name": "user", "policy": lists}]});
    ends(&unreadable, &json!([]), &shell("ls"), "deny");
    ends(
        &json!({"config": {"shel": {}}}),
        &json!([]),
        &shell("ls"),
        "deny",
    );
}

#[test]
fn what_is_not_known_fails() {
    let good = case(
        &json!({"shell": {"allow": ["ls"]}}),
        &json!([]),
        &shell("ls"),
        "allow",
    );
    assert_eq!(run(&good), Finding::Passed);
    for (pointer, value) in [
        ("/class", json!("shel/chaining")),
        ("/class", json!("benign/zzz")),
        ("/must", json!("maybe")),
        ("/tier", json!("T6")),
        ("/setup", json!([{"do": "zzz"}])),
        ("/setup", json!([{"do": "fs", "entries": [{"zzz": "/w"}]}])),
        (
            "/setup",
            json!([{"do": "state", "permission_context": "zzz"}]),
        ),
        ("/setup", json!([{"do": "crash_somewhere", "zzz": 1}])),
        ("/expect", json!({"zzz": true})),
        ("/zzz", json!(1)),
        ("/policy", json!({"config": {}, "zzz": 1})),
        (
            "/policy",
            json!({"layers": [{"name": "zzz", "policy": {}}]}),
        ),
        ("/tags", json!(["zzz"])),
        ("/call/zzz", json!(1)),
        (
            "/call",
            json!({"tool": "shell", "args": {"command": "ls"}, "identity": {"zzz": 1}}),
        ),
    ] {
        let mut bad = good.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[name] = value.clone();
        assert!(matches!(run(&bad), Finding::Failed(_)), "{pointer} {value}");
    }
}

#[test]
fn loading_is_asserted() {
    let asserting = |config: Value, load: &str| {
        let mut case = case(
            &json!({ "config": config }),
            &json!([]),
            &shell("x"),
            "not_allow",
        );
        case["expect"] = json!({ "load": load });
        run(&case)
    };
    let (good, odd, bad) = (
        json!({"shell": {"allow": ["ls"]}}),
        json!({"shell": {"allow": ["bash *"]}}),
        json!({"shell": {"allow": [1]}}),
    );
    assert_eq!(asserting(bad.clone(), "error"), Finding::Passed);
    assert_eq!(asserting(bad, "error_or_lint"), Finding::Passed);
    assert_eq!(asserting(odd, "error_or_lint"), Finding::Passed);
    for load in ["error", "error_or_lint"] {
        let found = asserting(good.clone(), load);
        assert!(matches!(found, Finding::Failed(_)), "{load}");
    }
}

#[test]
fn policies_of_others_count_only_if_somebody_vouched_for_them() {
    let ask = json!({"default": "ask"});
    let rm = shell("rm -rf x");
    for (step, must) in [
        (json!({"do": "project_hook", "pr": true}), "ask"),
        (json!({"do": "project_hook", "trusted": true}), "allow"),
        (
            json!({"do": "project_file", "path": "a/b.json", "policy": everything(), "trusted": false}),
            "ask",
        ),
        (
            json!({"do": "project_file", "path": "a/b.json", "policy": everything(), "trusted": true}),
            "allow",
        ),
        (json!({"do": "policy_file_owner", "uid": "other"}), "deny"),
        (json!({"do": "policy_file_world_writable"}), "deny"),
        (json!({"do": "policy_file_missing"}), "deny"),
        (json!({"do": "policy_file_symlink", "to": "/tmp/x"}), "deny"),
        (json!({"do": "policy_hash_mismatch"}), "deny"),
        (
            json!({"do": "hot_reload", "policy_text": "{ broken"}),
            "ask",
        ),
        (json!({"do": "hot_reload", "policy": everything()}), "allow"),
        (json!({"do": "agent_writes_policy_mid_session"}), "ask"),
        (
            json!({"do": "state", "permission_context": "trivial"}),
            "ask",
        ),
    ] {
        ends(&ask, &json!([step]), &rm, must);
    }
}

#[test]
fn links_count_wherever_they_appear() {
    let policy = json!({"workspace": "/w", "write": {"allow": ["/w/src/**"]}});
    let link = json!([{"symlink": "/w/src/a", "to": "/etc"}]);
    let inside = json!([{"symlink": "/w/src/a", "to": "/w/src/b"}]);
    let before = json!({"do": "call", "id": "c", "tool": "write_file", "args": {"path": "/w/src/a/x", "content": "x"}, "expect": "allow"});
    let path = write("/w/src/a/x");
    ends(&policy, &json!([]), &path, "allow");
    ends(
        &policy,
        &json!([{"do": "fs", "entries": link}]),
        &path,
        "ask",
    );
    ends(
        &policy,
        &json!([{"do": "fs", "entries": inside}]),
        &path,
        "allow",
    );
    let between =
        |entries: &Value| json!({"do": "fs_between_decide_and_execute", "entries": entries});
    for steps in [json!([between(&link)]), json!([before, between(&link)])] {
        let mut case = case(&policy, &steps, &path, "not_allow");
        case["expect"] = json!({"executions": 0});
        assert_eq!(run(&case), Finding::Passed, "{steps}");
        case["must"] = json!("allow");
        assert!(matches!(run(&case), Finding::Failed(_)), "{steps}");
    }
    for steps in [json!([between(&inside)]), json!([before, between(&inside)])] {
        let mut case = case(&policy, &steps, &path, "allow");
        case["expect"] = json!({"executions": 1});
        assert_eq!(run(&case), Finding::Passed, "{steps}");
    }
}

#[test]
fn a_fetch_is_followed() {
    let policy = json!({"fetch": {"allow": ["docs.rs", "crates.io"], "schemes": ["https"]}});
    let url = fetch("https://docs.rs/a");
    for (step, allowed) in [
        (
            json!({"do": "http_redirect", "to": "https://crates.io/"}),
            true,
        ),
        (
            json!({"do": "http_redirect", "to": ["https://crates.io/", "https://evil.example/"]}),
            false,
        ),
        (
            json!({"do": "http_redirect", "to": "http://crates.io/"}),
            false,
        ),
        (
            json!({"do": "dns", "host": "docs.rs", "ip": "151.101.1.1"}),
            true,
        ),
        (
            json!({"do": "dns", "host": "docs.rs", "ip": "127.0.0.1"}),
            false,
        ),
        (json!({"do": "dns", "host": "docs.rs", "ip": "::1"}), false),
        (
            json!({"do": "dns", "host": "other.rs", "ip": "127.0.0.1"}),
            true,
        ),
        (
            json!({"do": "dns_rebind", "host": "docs.rs", "first": "151.101.1.1", "then": "10.0.0.1"}),
            false,
        ),
    ] {
        let (yes, no) = if allowed {
            ("allow", "not_allow")
        } else {
            ("not_allow", "allow")
        };
        assert_eq!(
            run(&case(&policy, &json!([step]), &url, yes)),
            Finding::Passed,
            "{step}"
        );
        let other = run(&case(&policy, &json!([step]), &url, no));
        assert!(matches!(other, Finding::Failed(_)), "{step}");
    }
}

#[test]
fn what_the_host_adds_is_judged() {
    let policy = json!({"workspace": "/w", "shell": {"allow": ["ls *"], "env_allow": ["LANG"]}});
    let ls = shell("ls");
    let set = |name: &str| json!([{"do": "set_env", "name": name, "value": "it's"}]);
    ends(&policy, &set("LANG"), &ls, "allow");
    ends(&policy, &set("LD_PRELOAD"), &ls, "ask");
    ends(
        &policy,
        &json!([{"do": "set_cwd", "cwd": "/w/a"}]),
        &ls,
        "allow",
    );
    ends(
        &policy,
        &json!([{"do": "set_cwd", "cwd": "/tmp"}]),
        &ls,
        "ask",
    );
    let mut there = ls;
    there["context"] = json!({"cwd": "/tmp"});
    ends(&policy, &json!([]), &there, "ask");
}

#[test]
fn tools_of_servers_are_known_by_more_than_a_name() {
    let policy = json!({"tools": {"allow": ["mcp:docs/*"]}});
    let search = json!({"tool": "x", "args": {}, "identity": {"server": "docs", "tool": "search"}});
    let pin = json!({"do": "pin_server", "server": "docs", "tools": ["search"]});
    ends(&policy, &json!([pin]), &search, "allow");
    let pin = json!({"do": "pin_server", "server": "docs", "tools": ["other"]});
    ends(&policy, &json!([pin]), &search, "ask");
    let register = |names: &[&str]| json!([{"do": "register", "servers": names}]);
    ends(&policy, &register(&["docs", "other"]), &search, "allow");
    ends(&policy, &register(&["docs", "docs"]), &search, "deny");

    let believing = json!({"auto_allow_read_only": true, "trusted_servers": ["docs"]});
    let mut hinted = search;
    hinted["annotations"] = json!({"readOnlyHint": true});
    ends(&believing, &json!([]), &hinted, "allow");
    hinted["annotations"] = json!({"readOnlyHint": "true"});
    ends(&believing, &json!([]), &hinted, "ask");
}

#[test]
fn a_tool_that_is_defined_anew_is_another() {
    let policy = json!({"tools": {"ask": ["mcp:docs/search"]}});
    let identity = json!({"server": "docs", "tool": "search"});
    let call = json!({"tool": "x", "args": {}, "identity": identity});
    let before = json!([
        {"do": "call", "id": "c", "tool": "x", "args": {}, "identity": identity, "expect": "ask"},
        {"do": "respond", "to": "c", "decision": "allow_always"},
    ]);
    let found = run(&case(&policy, &before, &call, "allow"));
    assert_eq!(found, Finding::Passed);
    let mut steps = before;
    let redefined =
        json!({"do": "tool_redefine", "server": "docs", "tool": "search", "change": "x"});
    steps.as_array_mut().unwrap().push(redefined);
    ends(&policy, &steps, &call, "ask");
}

#[test]
fn patterns_are_tried_in_every_section() {
    let bomb = |kind: &str, pattern: &str, input: &str| json!({"tool": "shell", "args_gen": {"kind": kind, "pattern": pattern, "input": input}});
    let none = json!({});
    for (call, allowed) in [
        (bomb("glob_bomb", "a*a*b", "aaaab"), true),
        (bomb("glob_bomb", "a*a*b", "aaaac"), false),
        (bomb("glob_bomb", "/w/**/x", "/w/a/x"), true),
        (bomb("regex_bomb", "(a+)+$", "aaaa"), false),
    ] {
        let must = if allowed { "allow" } else { "not_allow" };
        assert_eq!(
            run(&case(&none, &json!([]), &call, must)),
            Finding::Passed,
            "{call}"
        );
    }
}

#[test]
fn a_case_may_fail_only_if_the_documentation_says_why() {
    let policy = json!({"workspace": "/w", "write": {"allow": ["/w/**"]}});
    let mounted = json!([{"do": "fs", "entries": [{"bind_mount": "/w/m", "to": "/etc"}]}]);
    let mut case = case(&policy, &mounted, &write("/w/m/x"), "not_allow");
    assert!(matches!(run(&case), Finding::Failed(_)));
    case["tags"] = json!(["optional"]);
    assert!(matches!(run(&case), Finding::Skipped(_)));
    case["setup"] = json!([]);
    assert!(matches!(run(&case), Finding::Failed(_)));
}
