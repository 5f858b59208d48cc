//! A question as a form that clients show, and what was filled in.

use serde_json::{Value, json, value::RawValue};
use toolgate::{ApprovalDecision, ApprovalRequest, AskError, AskErrorKind, Remember, Rendering};

use crate::json::{Object, raw};

const ONCE: &str = "allow once";
const SESSION: &str = "allow for this session";
const DENY: &str = "deny";

/// The parameters of `elicitation/create`: the whole question, and a form that takes nothing but
/// one of a few words and a note.
pub(crate) fn question(request: &ApprovalRequest, may_remember: bool) -> Result<Object, AskError> {
    let too_large = |_| AskError::new(AskErrorKind::TooLarge);
    let text = Rendering::of(request).map_err(too_large)?;
    let words = match may_remember && !request.suggestions.is_empty() {
        true => vec![ONCE, SESSION, DENY],
        false => vec![ONCE, DENY],
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "May it run?",
                "enum": words,
            },
            "note": {
                "type": "string",
                "title": "A word for the model (optional)",
                "maxLength": MOST_NOTE,
            },
        },
        "required": ["decision"],
    });
    let message = format!("May this tool call run?\n\n{text}");
    Ok(Object::default()
        .with("mode", "form")
        .with("message", &message)
        .with("requestedSchema", &raw(&schema)))
}

/// A note of more characters is cut off.
const MOST_NOTE: usize = 500;

/// What was filled in. Whatever is not a clear yes is a no.
pub(crate) fn answer(filled: &RawValue, may_remember: bool) -> ApprovalDecision {
    let Ok(filled) = Object::parse(filled.get()) else {
        return ApprovalDecision::decline();
    };
    let Some(content) = filled.object("content") else {
        return ApprovalDecision::decline();
    };
    let accepted = filled.text("action").as_deref() == Some("accept");
    let decision = match content.text("decision").as_deref() {
        Some(ONCE) if accepted => ApprovalDecision::approve(),
        Some(SESSION) if accepted && may_remember => {
            ApprovalDecision::approve().remembered(Remember::Session)
        }
        _ => ApprovalDecision::decline(),
    };
    match content
        .get("note")
        .map(|note| serde_json::from_str(note.get()))
    {
        Some(Ok(Value::String(note))) if !note.trim().is_empty() => {
            let note: String = note.chars().take(MOST_NOTE).collect();
            decision.with_note(note)
        }
        _ => decision,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> ApprovalDecision {
        answer(&RawValue::from_string(json.to_owned()).unwrap(), true)
    }

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        let yes = r#"{"action":"accept","content":{"decision":"allow once"}}"#;
        assert!(read(yes).approved);
        for no in [
            r#"{"action":"accept","content":{"decision":"deny"}}"#,
            r#"{"action":"accept","content":{"decision":"Allow once"}}"#,
            r#"{"action":"accept","content":{"decision":true}}"#,
            r#"{"action":"accept","content":{"decision":["allow once"]}}"#,
            r#"{"action":"accept","content":{"decision":"deny","decision":"allow once"}}"#,
            r#"{"action":"accept","content":{}}"#,
            r#"{"action":"accept"}"#,
            r#"{"action":"decline","content":{"decision":"allow once"}}"#,
            r#"{"action":"cancel"}"#,
            r#"{"content":{"decision":"allow once"}}"#,
            "null",
            "true",
            r#""allow once""#,
        ] {
            assert!(!read(no).approved, "{no}");
        }
    }

    #[test]
    fn a_session_counts_only_where_it_was_offered() {
        let json = r#"{"action":"accept","content":{"decision":"allow for this session"}}"#;
        assert_eq!(read(json).remember, Remember::Session);
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        assert!(!answer(&raw, false).approved);
    }

    #[test]
    fn a_note_goes_along() {
        let json = r#"{"action":"accept","content":{"decision":"deny","note":"not today"}}"#;
        assert_eq!(read(json).note.as_deref(), Some("not today"));
    }
}
