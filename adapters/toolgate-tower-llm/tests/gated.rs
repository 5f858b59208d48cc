//! A real agent and real tools of tower-llm; only the model follows a script.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, Authorize, Authorized, Decision, GateLayer, Grants, MemoryLayer, Origin,
    Policy, PolicyLayer, PromptLayer, Remember, ReviewLayer, Reviewing, ToolBlocked, ToolCall,
    approval_channel,
};
use toolgate_test::{Approver, Reply};
use toolgate_tower_llm::ToolGate;
use tower::{
    BoxError, Service, ServiceBuilder, ServiceExt,
    limit::ConcurrencyLimitLayer,
    service_fn,
    util::{BoxCloneService, BoxCloneSyncService},
};
use tower_llm::{
    Agent, CompositePolicy, CreateChatCompletionRequest, ToolDef, ToolInvocation, policies,
    provider::ProviderResponse, simple_chat_request,
};

type Stack = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;
type Seen = Arc<Mutex<Vec<Value>>>;

fn write(description: &'static str, seen: &Seen) -> ToolDef {
    let seen = Arc::clone(seen);
    let handler = move |args: Value| {
        seen.lock().unwrap().push(args);
        Box::pin(async { Ok(json!("written")) }) as _
    };
    ToolDef::from_handler(
        "write",
        description,
        json!({"type": "object"}),
        Arc::new(handler),
    )
}

fn by(policy: impl Policy) -> ToolGate<Stack> {
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::deny_by_default())
        .service(Authorize::new());
    ToolGate::new(BoxCloneSyncService::new(stack))
}

fn says(assistant: &Value) -> ProviderResponse {
    ProviderResponse {
        assistant: serde_json::from_value(assistant.clone()).unwrap(),
        prompt_tokens: 0,
        completion_tokens: 0,
    }
}

fn calls(args: &str) -> Value {
    let function = json!({"name": "write", "arguments": args});
    let call = json!({"id": "call-1", "type": "function", "function": function});
    json!({"role": "assistant", "content": null, "tool_calls": [call]})
}

/// Lets the model call `tool` once with `args`, and returns all that was said.
async fn run(tool: ToolDef, args: &str) -> String {
    let script = [calls(args), json!({"role": "assistant", "content": "done"})];
    let script = Arc::new(Mutex::new(VecDeque::from(script)));
    let model = service_fn(move |_: CreateChatCompletionRequest| {
        let said = script.lock().unwrap().pop_front().unwrap();
        async move { Ok::<_, BoxError>(says(&said)) }
    });
    let agent = Agent::builder(Arc::default())
        .with_provider(model)
        .tools(vec![tool])
        .policy(CompositePolicy::new(vec![
            policies::until_no_tool_calls(),
            policies::max_steps(3),
        ]))
        .build();
    let run = agent.oneshot(simple_chat_request("s", "u")).await.unwrap();
    serde_json::to_string(&run.messages).unwrap()
}

#[tokio::test]
async fn exactly_the_authorised_arguments_run() {
    let seen = Seen::default();
    let gate =
        by(|call: &ToolCall<Reviewing>| Decision::allow().with_args(call.args().with("limit", 10)));
    let tool = gate.guard(write("writes", &seen)).unwrap();
    let said = run(tool, r#"{"path": "a", "limit": 5000}"#).await;
    assert!(said.contains("written"), "{said}");
    assert_eq!(*seen.lock().unwrap(), [json!({"path": "a", "limit": 10})]);
}

#[tokio::test]
async fn a_blocked_call_is_a_result_and_the_agent_goes_on() {
    let seen = Seen::default();
    let gate = by(|_: &ToolCall<Reviewing>| Decision::deny("not on Sundays"));
    let said = run(gate.guard(write("writes", &seen)).unwrap(), "{}").await;
    assert!(
        said.contains("not on Sundays") && said.contains("done"),
        "{said}"
    );
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn arguments_that_do_not_parse_are_refused_even_if_everything_is_allowed() {
    for odd in ["", "{", "[]", "null", r#"{"path": "a"} trailing"#] {
        let seen = Seen::default();
        let gate = by(|_: &ToolCall<Reviewing>| Decision::allow());
        let said = run(gate.guard(write("writes", &seen)).unwrap(), odd).await;
        assert!(
            said.contains("arguments are not a JSON object"),
            "{odd}: {said}"
        );
        assert!(seen.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn policies_see_definition_id_and_origin() {
    let seen = Seen::default();
    let gate = by(|call: &ToolCall<Reviewing>| {
        let right = call.tool().definition().is_some()
            && call.id().is_some_and(|id| id.as_str() == "call-1")
            && call.origin().session() == Some("s")
            && call.origin().agent().to_string() == "root/helper";
        match right {
            true => Decision::allow(),
            false => Decision::deny("something is missing"),
        }
    });
    let origin = Origin::new().with_session("s").with_agent("root");
    let gate = gate.with_origin(origin.child("helper"));
    let said = run(gate.guard(write("writes", &seen)).unwrap(), "{}").await;
    assert!(said.contains("written"), "{said}");
}

#[tokio::test]
async fn a_changed_definition_voids_what_was_remembered() {
    let seen = Seen::default();
    let always = ApprovalDecision::approve().remembered(Remember::Session);
    let human = Approver::always(Reply::Say(always));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human.clone()))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let gate = ToolGate::new(stack).with_origin(Origin::new().with_session("s"));
    for _ in 0..2 {
        run(gate.guard(write("writes", &seen)).unwrap(), "{}").await;
    }
    assert_eq!(human.asked(), 1);
    run(gate.guard(write("writes elsewhere", &seen)).unwrap(), "{}").await;
    assert_eq!(human.asked(), 2);
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_dropped_call_withdraws_the_question_and_a_tool_with_a_limit_is_waited_for() {
    let seen = Seen::default();
    let (prompt, mut questions) = approval_channel(1);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let mut tool = write("writes", &seen);
    // A limit panics if it is called before it was ready.
    let limited = ServiceBuilder::new().layer(ConcurrencyLimitLayer::new(1));
    tool.service = BoxCloneService::new(limited.service(tool.service));
    let mut tool = ToolGate::new(stack).guard(tool).unwrap().service;
    let invocation = || ToolInvocation {
        id: "1".into(),
        name: "write".into(),
        arguments: json!({}),
    };

    let question = tokio::select! {
        _ = tool.call(invocation()) => panic!("nobody answered"),
        question = questions.recv() => question.unwrap(),
    };
    assert!(question.is_withdrawn());
    assert!(seen.lock().unwrap().is_empty());

    let (output, answered) = tokio::join!(tool.call(invocation()), async {
        questions.recv().await.unwrap().approve()
    });
    answered.unwrap();
    assert_eq!(output.unwrap().result, "written");
}
