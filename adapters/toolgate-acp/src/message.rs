//! From a question to a message, and from an outcome to an answer.

use agent_client_protocol::v1::schema::{
    ContentBlock, PermissionOption, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, TextContent, ToolCallContent, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use serde_json::Value;
use toolgate::{ApprovalDecision, ApprovalRequest, Remember, Rendering};

use crate::{AcpError, AcpErrorKind};

const ALLOW_ONCE: &str = "allow-once";
const ALLOW_ALWAYS: &str = "allow-always";
const REJECT_ONCE: &str = "reject-once";
const REJECT_ALWAYS: &str = "reject-always";

/// The question as the protocol has it. Text is rendered here, so that nothing in it hides.
pub(crate) fn question(
    request: &ApprovalRequest,
    remember: Remember,
) -> Result<RequestPermissionRequest, AcpError> {
    let session = request.origin.session().ok_or(AcpErrorKind::NoSession)?;
    let rendering = Rendering::of(request).map_err(|_| AcpErrorKind::TooLong)?;
    let text = ContentBlock::Text(TextContent::new(rendering.to_string()));
    let fields = ToolCallUpdateFields::new()
        .title(request.description.to_string())
        .status(ToolCallStatus::Pending)
        .content(vec![ToolCallContent::from(text)])
        .raw_input(Value::Object(request.args.as_map().clone()));
    let id = match &request.call_id {
        Some(id) => id.as_str().to_owned(),
        None => request.id.to_string(),
    };
    Ok(RequestPermissionRequest::new(
        session.to_owned(),
        ToolCallUpdate::new(id, fields),
        options(request, remember),
    ))
}

/// What is remembered is offered only where something is, and says how far it reaches.
pub(crate) fn options(request: &ApprovalRequest, remember: Remember) -> Vec<PermissionOption> {
    let option = |id: &str, name: String, kind| PermissionOption::new(id.to_owned(), name, kind);
    let mut options = vec![option(
        ALLOW_ONCE,
        "Allow once".into(),
        PermissionOptionKind::AllowOnce,
    )];
    let reach = request.suggestions.first().and_then(|exact| {
        let time = match remember {
            Remember::Once => return None,
            Remember::Session => "in this session",
            _ => "always",
        };
        Some(format!("{time}: {}", exact.text))
    });
    if let Some(reach) = &reach {
        let name = format!("Allow {reach}");
        options.push(option(
            ALLOW_ALWAYS,
            name,
            PermissionOptionKind::AllowAlways,
        ));
    }
    let name = "Reject once".into();
    options.push(option(REJECT_ONCE, name, PermissionOptionKind::RejectOnce));
    if let Some(reach) = &reach {
        let name = format!("Reject {reach}");
        options.push(option(
            REJECT_ALWAYS,
            name,
            PermissionOptionKind::RejectAlways,
        ));
    }
    options
}

/// What the person said. An option that was not offered is nobody's answer.
pub(crate) fn answer(
    outcome: &RequestPermissionOutcome,
    offered: &[PermissionOption],
    remember: Remember,
) -> Result<ApprovalDecision, AcpError> {
    let selected = match outcome {
        RequestPermissionOutcome::Cancelled => {
            return Ok(ApprovalDecision::decline().with_note("the turn was cancelled"));
        }
        RequestPermissionOutcome::Selected(selected) => selected,
        _ => return Err(AcpErrorKind::UnknownOutcome.into()),
    };
    let chosen = offered
        .iter()
        .find(|option| option.option_id == selected.option_id)
        .ok_or(AcpErrorKind::UnknownOption)?;
    match chosen.kind {
        PermissionOptionKind::AllowOnce => Ok(ApprovalDecision::approve()),
        PermissionOptionKind::AllowAlways => Ok(ApprovalDecision::approve().remembered(remember)),
        PermissionOptionKind::RejectOnce => Ok(ApprovalDecision::decline()),
        PermissionOptionKind::RejectAlways => Ok(ApprovalDecision::decline().remembered(remember)),
        _ => Err(AcpErrorKind::UnknownOption.into()),
    }
}
