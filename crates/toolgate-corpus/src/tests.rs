//! What differs from what happens fails, and so does what nobody knows.

use serde_json::{Value, json};

use crate::{Finding, Skip, seed_behaviour};

/// A case that holds: a rewritten call is asked about, with what will run.
fn asked() -> Value {
    case(
        "pydantic-ai-middleware@0.2.4",
        &json!({
            "policy": [
                {"mw": "set_args", "set": {"a": 1}},
                {"mw": "chain", "of": [{"mw": "ask", "reason": "sure?"}]},
            ],
            "handler": {"kind": "approve"},
        }),
        &json!({
            "outcome": "executed",
            "args": {"x": 1, "a": 1},
            "result": "ok",
            "prompts": [{"tool": "t", "args": {"x": 1, "a": 1}, "reason": "sure?"}],
            "trace": ["before:set_args", "before:ask", "after:ask", "after:set_args"],
        }),
    )
}

/// A case that holds: a toolset refuses.
fn blocked() -> Value {
    case(
        "pydantic-ai-blocking-approval@0.9.0",
        &json!({
            "config": null,
            "toolset_decides": {"t": {"status": "blocked", "reason": "no"}},
            "handler": {"kind": "approve"},
        }),
        &json!({
            "outcome": "blocked",
            "error_type": "ApprovalBlocked",
            "reason": "Blocked t: no",
            "tool_ran": false,
            "prompts": [],
        }),
    )
}

fn case(system: &str, given: &Value, expect: &Value) -> Value {
    json!({
        "id": "made-up",
        "tier": "core",
        "system": system,
        "source": "here",
        "category": "test",
        "observed": true,
        "given": given,
        "call": {"tool": "t", "args": {"x": 1}},
        "expect": expect,
    })
}

fn run(case: &Value) -> Finding {
    let report = seed_behaviour(&case.to_string()).unwrap();
    let (id, finding) = report.entries().next().unwrap();
    assert_eq!(id, "made-up");
    finding.clone()
}

/// Puts `value` in place of what `pointer` points to, or next to it.
fn with(mut case: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match case.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        object => object[name] = value,
    }
    case
}

#[track_caller]
fn fails(case: &Value) {
    let finding = run(case);
    assert!(matches!(finding, Finding::Failed(_)), "{finding:?}: {case}");
}

#[test]
fn the_cases_themselves_hold() {
    assert_eq!(run(&asked()), Finding::Passed);
    assert_eq!(run(&blocked()), Finding::Passed);
}

#[test]
fn an_unknown_field_fails_wherever_it_stands() {
    for place in [
        "",
        "/given",
        "/given/handler",
        "/given/policy/0",
        "/given/policy/1/of/0",
        "/call",
        "/expect",
        "/expect/prompts/0",
    ] {
        fails(&with(asked(), &format!("{place}/zzz"), json!(1)));
    }
    fails(&with(blocked(), "/given/toolset_decides/t/zzz", json!(1)));
    let recommended = with(blocked(), "/recommended", json!({"why": "x"}));
    assert_eq!(run(&recommended), Finding::Passed);
    fails(&with(recommended, "/recommended/zzz", json!(1)));
}

#[test]
fn an_unknown_word_fails_wherever_it_stands() {
    for place in [
        "/tier",
        "/system",
        "/given/policy/0/mw",
        "/given/policy/1/of/0/mw",
        "/given/handler/kind",
        "/expect/outcome",
        "/expect/trace/0",
    ] {
        fails(&with(asked(), place, json!("zzz")));
    }
    fails(&with(
        blocked(),
        "/given/toolset_decides/t/status",
        json!("zzz"),
    ));
    fails(&with(asked(), "/expect/outcome", json!("executed|zzz")));
}

#[test]
fn a_field_that_means_nothing_there_fails() {
    fails(&with(asked(), "/given/policy/0/reason", json!("why")));
    fails(&with(asked(), "/given/policy/0/of", json!([])));
    fails(&with(asked(), "/given/handler/value", json!(true)));
    fails(&with(
        blocked(),
        "/given/toolset_decides/t/value",
        json!(true),
    ));
    fails(&with(asked(), "/expect/memory_is_shared", json!("yes")));
    fails(&with(asked(), "/expect/new_limit", json!(5)));
    fails(&with(asked(), "/call/batch", json!(["t"])));
}

#[test]
fn what_did_not_happen_fails() {
    fails(&with(asked(), "/expect/outcome", json!("blocked")));
    fails(&with(asked(), "/expect/args", json!({"x": 1})));
    fails(&with(asked(), "/expect/args/a", json!(1.0)));
    fails(&with(asked(), "/expect/result", json!("no")));
    fails(&with(asked(), "/expect/prompts", json!([])));
    fails(&with(asked(), "/expect/prompts/0/reason", json!("really?")));
    fails(&with(asked(), "/expect/prompts/0/args", json!({"x": 1})));
    fails(&with(asked(), "/expect/trace", json!(["before:ask"])));
    fails(&with(asked(), "/expect/trace/2", json!("after:zzz")));
    fails(&with(blocked(), "/expect/outcome", json!("executed")));
    fails(&with(blocked(), "/expect/outcome", json!("asked|error")));
    fails(&with(blocked(), "/expect/reason", json!("Blocked t: yes")));
    fails(&with(blocked(), "/expect/reason", json!(null)));
    fails(&with(blocked(), "/expect/error_type", json!("TypeError")));
    fails(&with(blocked(), "/expect/tool_ran", json!(true)));
    fails(&with(blocked(), "/expect/args", json!({"x": 1})));
}

#[test]
fn what_is_given_counts() {
    fails(&with(asked(), "/given/handler", json!(null)));
    fails(&with(asked(), "/given/handler/kind", json!("deny")));
    fails(&with(asked(), "/given/policy/0/set", json!({"a": 2})));
    fails(&with(asked(), "/given/policy/1/of/0/mw", json!("deny")));
    fails(&with(asked(), "/call/args", json!({"x": 2})));
    let status = "/given/toolset_decides/t/reason";
    fails(&with(blocked(), status, json!("because")));
}

#[test]
fn what_is_recommended_counts_for_more_than_what_was_seen() {
    // The source hides the deny behind the allow, and only that is recorded.
    let given = json!({
        "policy": [{"mw": "chain", "of": [{"mw": "allow"}, {"mw": "deny", "reason": "no"}]}],
        "handler": null,
    });
    let seen = json!({"outcome": "executed", "trace": ["before:allow", "after:allow"]});
    let case = case("pydantic-ai-middleware@0.2.4", &given, &seen);
    assert_eq!(run(&case), Finding::Passed);

    let safe = json!({"outcome": "blocked", "reason": "no"});
    let corrected = with(case, "/recommended", safe);
    assert_eq!(run(&corrected), Finding::Passed);
    fails(&with(corrected, "/recommended/reason", json!("yes")));
}

#[test]
fn unsafe_behaviour_without_a_better_one_is_looked_at_and_skipped() {
    let given = json!({"require_approval": ["t"], "handler": {"returns": "no"}});
    let seen = json!({"outcome": "executed"});
    let case = case("pydantic-ai-shields@0.3.4", &given, &seen);
    assert!(matches!(
        run(&case),
        Finding::Skipped(Skip::NotReproduced(_))
    ));
}

#[test]
fn rules_over_commands_decide() {
    let given = json!({
        "rules": [{"pattern": "ls", "allowed": true}], "default": null,
    });
    let asked = json!({"decision": "ask", "outcome": "asked"});
    let mut case = case("llm-do@04e569b/llm_do/shell.py", &given, &asked);
    case["call"] = json!({"tool": "shell", "args": {"command": "ls"}});
    assert_eq!(run(&case), Finding::Passed);

    let allowed = with(
        case.clone(),
        "/given/rules/0/approval_required",
        json!(false),
    );
    fails(&allowed);
    let expected = json!({"decision": "allow", "outcome": "executed"});
    assert_eq!(run(&with(allowed, "/expect", expected)), Finding::Passed);

    fails(&with(case.clone(), "/given/rules/0/zzz", json!(1)));
    fails(&with(case.clone(), "/call/args/command", json!(1)));
    fails(&with(case, "/expect/zzz", json!(1)));
}

/// A case with steps: what is remembered, and what the mode makes of it.
fn steps(mode: &str) -> Value {
    let given = json!({
        "mode": mode, "callback": "sync", "via": "request_approval", "memory": [],
    });
    let mut case = case("pydantic-ai-blocking-approval@0.8.0", &given, &json!({}));
    let fields = case.as_object_mut().unwrap();
    let call = fields.remove("call").unwrap();
    fields.remove("expect");
    let kept = json!([{"tool": "t", "args_json": "{\"x\": 1}", "approved": true}]);
    let asked = json!({
        "call": call,
        "handler": {"kind": "approve", "remember": "session"},
        "expect": {"outcome": "executed", "prompt_count": 1, "memory_after": kept},
    });
    let remembered = json!({
        "call": call, "expect": {"outcome": "executed", "prompt_count": 0},
    });
    let forgotten = json!({"op": "clear_session_approvals", "expect": {"memory_after": []}});
    fields.insert("steps".to_owned(), json!([asked, remembered, forgotten]));
    case
}

#[test]
fn what_is_remembered_counts() {
    let case = steps("interactive");
    assert_eq!(run(&case), Finding::Passed);

    let kept = "/steps/0/expect/memory_after";
    fails(&with(case.clone(), kept, json!([])));
    fails(&with(
        case.clone(),
        &format!("{kept}/0/approved"),
        json!(false),
    ));
    fails(&with(case.clone(), &format!("{kept}/0/tool"), json!("u")));
    fails(&with(case.clone(), &format!("{kept}/0/zzz"), json!(1)));
    fails(&with(
        case.clone(),
        "/steps/0/handler/remember",
        json!("none"),
    ));
    fails(&with(case.clone(), "/steps/1/call/args/x", json!(2)));
    fails(&with(
        case.clone(),
        "/steps/1/expect/prompt_count",
        json!(1),
    ));
    fails(&with(
        case.clone(),
        "/steps/2/expect/memory_after",
        json!([{}]),
    ));
    let stored = json!([{"tool": "t", "args": {"x": 1}, "approved": false}]);
    fails(&with(case.clone(), "/given/memory", stored));
    fails(&with(case.clone(), "/steps/2/op", json!("zzz")));
    fails(&with(case.clone(), "/steps/2/op", json!("next_iteration")));
    fails(&with(case.clone(), "/given/mode", json!("strict")));
    fails(&with(case.clone(), "/given/mode", json!("zzz")));
    fails(&with(case.clone(), "/given/via", json!("zzz")));
    fails(&with(case, "/steps/0/handler/kind", json!("zzz")));
}

#[test]
fn batches_and_events_count() {
    let calls = json!([
        {"tool": "f", "args": {"p": 1}, "call_id": "1"},
        {"tool": "f", "args": {"p": 2}, "call_id": "2"},
    ]);
    let given = json!({"batch": calls, "responses": {"1": "approve", "2": "deny"}});
    let expect = json!({"outcome": "executed", "executed": ["1"], "blocked": ["2"]});
    let mut batch = case("HPD-Agent#A", &given, &expect);
    batch["call"] = json!({"batch": ["f", "f"]});
    assert_eq!(run(&batch), Finding::Passed);
    fails(&with(batch.clone(), "/given/responses/2", json!("approve")));
    fails(&with(batch.clone(), "/given/responses/2", json!("zzz")));
    fails(&with(batch.clone(), "/expect/executed", json!(["2"])));
    fails(&with(batch.clone(), "/expect/blocked", json!([])));
    fails(&with(batch, "/call/batch", json!(["f"])));

    let given =
        json!({"attr_requires": true, "response": {"permission_id": "x", "approved": true}});
    let expect = json!({"outcome": "asked", "delivered": false, "tool_ran": false});
    let event = case("HPD-Agent#A", &given, &expect);
    assert_eq!(run(&event), Finding::Passed);
    fails(&with(
        event.clone(),
        "/given/response/permission_id",
        json!("<same>"),
    ));
    fails(&with(event.clone(), "/expect/delivered", json!(true)));
    fails(&with(event, "/given/response/zzz", json!(1)));
}

#[test]
fn iterations_count() {
    let given = json!({
        "max_iterations": 2, "extension_amount": 3, "state_limit": 5,
        "response": {"approved": true, "extension_amount": 4},
    });
    let expect = json!({
        "outcome": "executed", "new_limit": 9, "terminated": false, "tool_ran": true,
        "prompts": [{"iteration_shown": 6, "limit": 5}],
    });
    let mut case = case(
        "HPD-Agent ContinuationPermissionMiddleware",
        &given,
        &expect,
    );
    case["call"] = json!({"iteration": 5});
    assert_eq!(run(&case), Finding::Passed);
    for (place, other) in [
        ("/given/max_iterations", json!(1)),
        ("/given/state_limit", json!(8)),
        ("/given/state_limit", json!(4)),
        ("/given/response/extension_amount", json!(0)),
        ("/given/response/approved", json!(false)),
        ("/given/response", json!("timeout")),
        ("/given/response", json!(null)),
        ("/call/iteration", json!(4)),
        ("/call/tool", json!("t")),
        ("/expect/new_limit", json!(8)),
        ("/expect/terminated", json!(true)),
        ("/expect/prompts", json!([])),
        ("/expect/prompts/0/iteration_shown", json!(5)),
    ] {
        fails(&with(case.clone(), place, other));
    }
    let refused = json!({"outcome": "blocked", "terminated": true, "tool_ran": false});
    for response in [json!({"approved": false}), json!("timeout"), json!("error")] {
        let refused = with(case.clone(), "/expect", refused.clone());
        let refused = with(refused, "/given/response", response);
        assert_eq!(run(&refused), Finding::Passed);
        fails(&with(refused, "/expect/outcome", json!("executed")));
    }
}

#[test]
fn what_is_no_case_fails() {
    for line in [
        r#"{"id": "made-up""#,
        "[]",
        "null",
        r#"{"id": "made-up", "id": "made-up"}"#,
        r#"{"id": "made-up"}"#,
    ] {
        let report = seed_behaviour(line).unwrap();
        assert_eq!((report.passed(), report.failed()), (0, 1), "{line}");
    }
    // The second `x` would silently take the place of the first.
    let twice = asked().to_string().replace(r#""x":1}"#, r#""x":1,"x":1}"#);
    assert_eq!(seed_behaviour(&twice).unwrap().failed(), 1);
}
