//! A real router and a real client of tower-mcp, connected in memory.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, Authorize, Authorized, Decision, GateLayer, Grants, MemoryLayer, Origin,
    Policy, PolicyLayer, PromptLayer, Remember, ReviewLayer, Reviewing, ToolBlocked, ToolCall,
    approval_channel,
};
use toolgate_test::{Approver, Reply};
use toolgate_tower_mcp::ToolgateLayer;
use tower::{Layer, Service, ServiceBuilder, ServiceExt, util::BoxCloneSyncService};
use tower_mcp::{
    CallToolResult, McpRouter, RouterRequest, Tool, ToolBuilder,
    client::{ChannelTransport, McpClient},
    extract::RawArgs,
    protocol::{CallToolParams, McpRequest, McpResponse, RequestId},
};

type Stack = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;
type Seen = Arc<Mutex<Vec<Value>>>;

fn tool(name: &str, description: &str, seen: &Seen) -> Tool {
    let seen = Arc::clone(seen);
    ToolBuilder::new(name)
        .description(description)
        .read_only()
        .extractor_handler((), move |RawArgs(args): RawArgs| {
            seen.lock().unwrap().push(args);
            async { Ok(CallToolResult::text("done")) }
        })
        .build()
}

fn router(seen: &Seen) -> McpRouter {
    McpRouter::new()
        .server_info("notes", "1")
        .tool(tool("read", "reads a note", seen))
}

async fn connect(router: McpRouter, gate: ToolgateLayer<Stack>) -> McpClient {
    let client = McpClient::connect(ChannelTransport::layer(router, gate))
        .await
        .unwrap();
    client.initialize("test", "1").await.unwrap();
    client
}

fn by(policy: impl Policy) -> ToolgateLayer<Stack> {
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::deny_by_default())
        .service(Authorize::new());
    ToolgateLayer::new("notes", BoxCloneSyncService::new(stack))
}

fn allowing() -> ToolgateLayer<Stack> {
    by(|_: &ToolCall<Reviewing>| Decision::allow())
}

fn text(result: &CallToolResult) -> String {
    result.first_text().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn exactly_the_authorised_arguments_run_and_lists_pass() {
    let seen = Seen::default();
    let gate =
        by(|call: &ToolCall<Reviewing>| Decision::allow().with_args(call.args().with("limit", 10)));
    let client = connect(router(&seen), gate).await;
    assert_eq!(client.list_tools().await.unwrap().tools.len(), 1);
    let result = client
        .call_tool("read", json!({"path": "a", "limit": 5000}))
        .await
        .unwrap();
    assert_eq!(text(&result), "done");
    assert_eq!(*seen.lock().unwrap(), [json!({"path": "a", "limit": 10})]);
}

#[tokio::test]
async fn a_blocked_call_is_a_result_and_the_tool_does_not_run() {
    let seen = Seen::default();
    let gate = by(|_: &ToolCall<Reviewing>| Decision::deny("not on Sundays"));
    let client = connect(router(&seen), gate).await;
    let result = client.call_tool("read", json!({})).await.unwrap();
    assert!(result.is_error);
    assert!(text(&result).contains("not on Sundays"));
    assert!(text(&result).starts_with("`notes/read` did not run"));
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_unknown_or_unreadable_is_refused_even_if_everything_is_allowed() {
    let seen = Seen::default();
    let client = connect(router(&seen), allowing()).await;
    let result = client.call_tool("hidden", json!({})).await.unwrap();
    assert!(result.is_error && text(&result).contains("there is no such tool"));
    for odd in [json!([]), json!("ls"), json!(1)] {
        let result = client.call_tool("read", odd).await.unwrap();
        assert!(result.is_error && text(&result).contains("not a JSON object"));
    }
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn policies_see_server_definition_hints_and_origin() {
    let seen = Seen::default();
    let gate = by(|call: &ToolCall<Reviewing>| {
        let right = call.tool().server() == Some("notes")
            && call.tool().definition().is_some()
            && call.annotations().read_only() == Some(true)
            && call.origin().session() == Some("s")
            && call.id().is_some();
        match right {
            true => Decision::allow(),
            false => Decision::deny("something is missing"),
        }
    });
    let gate = gate.with_origin_of(|_| Origin::new().with_session("s"));
    let client = connect(router(&seen), gate).await;
    let result = client.call_tool("read", Value::Null).await.unwrap();
    assert_eq!(text(&result), "done");
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
    let gate = ToolgateLayer::new("notes", BoxCloneSyncService::new(stack))
        .with_origin(Origin::new().with_session("s"));
    let (router, tools) = router(&seen).with_dynamic_tools();
    tools.register(tool("write", "writes a note", &seen));
    let client = connect(router, gate).await;
    for _ in 0..2 {
        client.call_tool("write", json!({})).await.unwrap();
    }
    assert_eq!(human.asked(), 1);
    tools.unregister("write");
    tools.register(tool("write", "writes a note for everybody", &seen));
    client.call_tool("write", json!({})).await.unwrap();
    assert_eq!(human.asked(), 2);
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_tool_that_changes_while_it_is_asked_about_does_not_run() {
    let seen = Seen::default();
    let (prompt, mut questions) = approval_channel(1);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let gate = ToolgateLayer::new("notes", BoxCloneSyncService::new(stack));
    let (router, tools) = router(&seen).with_dynamic_tools();
    tools.register(tool("write", "writes a note", &seen));
    let client = connect(router, gate).await;
    let (answer, ()) = tokio::join!(client.call_tool("write", json!({})), async {
        let question = questions.recv().await.unwrap();
        tools.unregister("write");
        tools.register(tool("write", "writes a note for everybody", &seen));
        question.approve().unwrap();
    });
    let answer = answer.unwrap();
    assert!(answer.is_error && text(&answer).contains("no such tool"));
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_dropped_request_withdraws_the_question_and_extensions_are_kept() {
    #[derive(Clone)]
    struct Tenant;

    let seen = Seen::default();
    let (prompt, mut questions) = approval_channel(1);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let kept = Arc::new(Mutex::new(Vec::new()));
    let inner = initialized(router(&seen)).await;
    let spied = Arc::clone(&kept);
    let inner = tower::util::MapRequest::new(inner, move |request: RouterRequest| {
        let kept = request.extensions.get::<Tenant>().is_some();
        spied.lock().unwrap().push(kept);
        request
    });
    let mut service = ToolgateLayer::new("notes", stack).layer(inner);
    let request = || {
        let params: CallToolParams = serde_json::from_value(json!({"name": "read"})).unwrap();
        let mut request = RouterRequest::new(RequestId::Number(7), McpRequest::CallTool(params));
        request.extensions.insert(Tenant);
        request
    };

    let question = tokio::select! {
        _ = service.call(request()) => panic!("nobody answered"),
        question = questions.recv() => question.unwrap(),
    };
    assert!(question.is_withdrawn());
    assert!(seen.lock().unwrap().is_empty());

    let (response, answered) = tokio::join!(service.call(request()), async {
        questions.recv().await.unwrap().approve()
    });
    answered.unwrap();
    assert!(matches!(
        response.unwrap().inner,
        Ok(McpResponse::CallTool(_))
    ));
    assert_eq!(seen.lock().unwrap().len(), 1);
    assert!(kept.lock().unwrap().iter().all(|kept| *kept));
}

async fn initialized(router: McpRouter) -> McpRouter {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let request = McpRequest::Initialize(serde_json::from_value(params).unwrap());
    let request = RouterRequest::new(RequestId::Number(1), request);
    router
        .clone()
        .oneshot(request)
        .await
        .unwrap()
        .inner
        .unwrap();
    router.handle_notification(tower_mcp::protocol::McpNotification::Initialized);
    router
}
