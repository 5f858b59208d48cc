//! Which methods pass. What is not on a list could be a tool call by another name.

/// Why a message with such parameters does not pass.
pub(crate) const UNREADABLE: &str = "the parameters are no object, or have a key twice";

/// What a client may request.
const OF_CLIENT: &[&str] = &[
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/result",
    "tools/call",
    "tools/list",
];

/// What a server may request.
const OF_SERVER: &[&str] = &[
    "elicitation/create",
    "ping",
    "roots/list",
    "sampling/createMessage",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/result",
];

pub(crate) fn client_may(method: &str) -> bool {
    OF_CLIENT.contains(&method)
}

pub(crate) fn server_may(method: &str) -> bool {
    OF_SERVER.contains(&method)
}

/// Notifications ask for nothing. Whatever calls itself one passes.
pub(crate) fn is_notification(method: &str) -> bool {
    method.starts_with("notifications/")
}
