//! A real agent and real tools of rig; only the model follows a script.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use rig_agent::{
    agent::AgentBuilder,
    test_utils::{MockCompletionModel, MockTurn},
};
use rig_core::tool::{Tool, ToolContext};
use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, Authorize, Authorized, Decision, GateLayer, Grants, MemoryLayer, Origin,
    Policy, PolicyLayer, PromptLayer, Remember, ReviewLayer, Reviewing, ToolBlocked, ToolCall,
};
use toolgate_rig::ToolgateHook;
use toolgate_test::{Approver, Reply};
use tower::{ServiceBuilder, util::BoxCloneSyncService};

type Stack = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;
type Seen = Arc<Mutex<Vec<Value>>>;

struct Write {
    seen: Seen,
    description: &'static str,
}

impl Tool for Write {
    const NAME: &'static str = "write";
    type Args = Value;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        self.description.to_owned()
    }

    fn parameters(&self) -> Value {
        json!({"type": "object"})
    }

    async fn call(&self, _: &mut ToolContext, args: Value) -> Result<String, Infallible> {
        self.seen.lock().unwrap().push(args);
        Ok("written".to_owned())
    }
}

fn by(policy: impl Policy) -> ToolgateHook<Stack> {
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::deny_by_default())
        .service(Authorize::new());
    ToolgateHook::new(BoxCloneSyncService::new(stack))
}

/// Lets the model call `write` once with `args`, and returns what it was told.
async fn told(
    hook: ToolgateHook<Stack>,
    seen: &Seen,
    description: &'static str,
    args: Value,
) -> String {
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("call-1", "write", args),
        MockTurn::text("done"),
    ]);
    let agent = AgentBuilder::new(model.clone())
        .name("root")
        .tool(Write {
            seen: Arc::clone(seen),
            description,
        })
        .add_hook(hook)
        .default_max_turns(3)
        .build();
    agent.prompt("write it").await.unwrap();
    let requests = model.requests();
    serde_json::to_string(&requests.last().unwrap().chat_history).unwrap()
}

#[tokio::test]
async fn exactly_the_authorised_arguments_run() {
    let seen = Seen::default();
    let hook =
        by(|call: &ToolCall<Reviewing>| Decision::allow().with_args(call.args().with("limit", 10)));
    let told = told(hook, &seen, "writes", json!({"path": "a", "limit": 5000})).await;
    assert!(told.contains("written"), "{told}");
    assert_eq!(*seen.lock().unwrap(), [json!({"path": "a", "limit": 10})]);
}

#[tokio::test]
async fn a_blocked_call_is_skipped_and_the_model_is_told_why() {
    let seen = Seen::default();
    let hook = by(|_: &ToolCall<Reviewing>| Decision::deny("not on Sundays"));
    let told = told(hook, &seen, "writes", json!({"path": "a"})).await;
    assert!(
        told.contains("`write` did not run") && told.contains("not on Sundays"),
        "{told}"
    );
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn arguments_that_are_no_object_never_reach_the_tool() {
    for odd in [json!([1]), json!("ls"), json!(1)] {
        let seen = Seen::default();
        let hook = by(|_: &ToolCall<Reviewing>| Decision::allow());
        told(hook, &seen, "writes", odd).await;
        assert!(seen.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn policies_see_definition_and_origin() {
    let seen = Seen::default();
    let hook = by(|call: &ToolCall<Reviewing>| {
        let right = call.tool().definition().is_some()
            && call.tool().server().is_none()
            && call.origin().session() == Some("s")
            && call.origin().turn().is_some()
            && call.id().is_some();
        match right {
            true => Decision::allow(),
            false => Decision::deny("something is missing"),
        }
    });
    let hook = hook.with_origin(Origin::new().with_session("s").with_agent("root"));
    let told = told(hook, &seen, "writes", json!({})).await;
    assert!(told.contains("written"), "{told}");
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
    let hook = ToolgateHook::new(BoxCloneSyncService::new(stack))
        .with_origin(Origin::new().with_session("s"));
    for _ in 0..2 {
        told(hook.clone(), &seen, "writes", json!({"path": "a"})).await;
    }
    assert_eq!(human.asked(), 1);
    told(hook, &seen, "writes elsewhere", json!({"path": "a"})).await;
    assert_eq!(human.asked(), 2);
    assert_eq!(seen.lock().unwrap().len(), 3);
}
