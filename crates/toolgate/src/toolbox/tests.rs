use tower::ServiceExt;

use super::*;
use crate::{Args, Authorize, BlockedError, DefinitionDigest, GateLayer, ReviewLayer};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

fn add() -> Tool {
    #[derive(serde::Deserialize)]
    struct Add {
        a: i64,
        b: i64,
    }
    Tool::new(
        "add",
        |add: Add| async move { Ok::<_, BoxError>(add.a + add.b) },
    )
}

async fn authorized(tool: impl Into<ToolId>, json: &str) -> ToolCall<Authorized> {
    let stack = tower::ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(GateLayer::dangerous_allow_by_default())
        .service(Authorize::new());
    stack
        .oneshot(ToolCall::new(tool, Args::parse(json).unwrap()))
        .await
        .unwrap()
}

async fn run(
    toolbox: &Toolbox,
    tool: impl Into<ToolId>,
    json: &str,
) -> Result<Value, ToolboxError> {
    toolbox.clone().oneshot(authorized(tool, json).await).await
}

#[tokio::test]
async fn routes_by_tool_and_reads_typed_arguments() {
    let toolbox = Toolbox::new([add()]).unwrap();
    assert_eq!(
        run(&toolbox, "add", r#"{"a": 1, "b": 2}"#).await.unwrap(),
        3
    );
    let shape = run(&toolbox, "add", r#"{"a": "secret"}"#)
        .await
        .unwrap_err();
    assert_eq!(shape.kind(), ToolboxErrorKind::InvalidArgs);
    assert!(!shape.to_string().contains("secret"), "{shape}");
    let unknown = run(&toolbox, "sub", "{}").await.unwrap_err();
    assert_eq!(unknown.kind(), ToolboxErrorKind::Unknown);
    assert_eq!(unknown.to_string(), "there is no tool `sub`");
}

#[tokio::test]
async fn a_tool_of_another_server_or_definition_is_another_tool() {
    let digest = DefinitionDigest::new([7; 32]);
    let id = ToolId::new("add").on_server("math").defined_as(digest);
    let tool = Tool::raw(id.clone(), |_| async { Ok::<_, BoxError>("ran") });
    let toolbox = Toolbox::new([tool]).unwrap();
    assert!(run(&toolbox, id.clone(), "{}").await.is_ok());
    assert!(run(&toolbox, id.without_definition(), "{}").await.is_ok());
    let changed = id.clone().defined_as(DefinitionDigest::new([8; 32]));
    for other in [
        ToolId::from("add"),
        ToolId::new("add").on_server("x"),
        changed,
    ] {
        let error = run(&toolbox, other, "{}").await.unwrap_err();
        assert_eq!(error.kind(), ToolboxErrorKind::Unknown);
    }
}

#[test]
fn a_tool_that_comes_twice_is_refused() {
    let error = Toolbox::new([add(), add()]).unwrap_err();
    assert_eq!(error.kind(), ToolboxErrorKind::Twice);
    assert!(error.to_string().contains("`add`"));
}

#[tokio::test]
async fn a_failing_tool_is_not_a_refusal() {
    let toolbox = Toolbox::new([Tool::raw("t", |_| async {
        Err::<(), _>(BoxError::from("broken"))
    })])
    .unwrap();
    let error = run(&toolbox, "t", "{}").await.unwrap_err();
    assert_eq!(error.kind(), ToolboxErrorKind::Failed);
    assert!(error.into_blocked().is_err());
}
