//! Calls as they were recorded.

use std::path::Path;

use serde_json::{Map, Value};
use toolgate::{AuditRecord, ToolCall};

use crate::{
    call::{Objects, from_json, objects},
    fail::Fail,
    out,
};

/// Calls as they were recorded, and what could not be replayed.
pub(super) struct History {
    objects: Objects,
    pub(super) without_arguments: usize,
    pub(super) incomplete: usize,
    pub(super) unread: usize,
}

impl History {
    pub(super) fn open(path: &Path) -> Result<Self, Fail> {
        Ok(Self {
            objects: objects(path)?,
            without_arguments: 0,
            incomplete: 0,
            unread: 0,
        })
    }

    /// The call of a record; none if it has no arguments.
    fn call(&mut self, object: Map<String, Value>) -> Result<Option<ToolCall>, String> {
        if !object.contains_key("time_us") {
            return from_json(&object).map(Some);
        }
        let record = serde_json::from_value::<AuditRecord>(Value::Object(object));
        let record = record.map_err(|_| "this is no line of an audit".to_owned())?;
        self.incomplete += usize::from(record.incomplete);
        let call = record.to_call();
        self.without_arguments += usize::from(call.is_none());
        Ok(call)
    }
}

impl Iterator for History {
    type Item = ToolCall;

    fn next(&mut self) -> Option<ToolCall> {
        loop {
            let object = self.objects.next()?;
            let call = object.and_then(|(place, object)| {
                let call = self.call(object);
                call.map_err(|why| format!("{place}: {why}"))
            });
            match call {
                Ok(Some(call)) => return Some(call),
                Ok(None) => {}
                Err(why) => {
                    self.unread += 1;
                    out::complain(&Fail::new(why));
                }
            }
        }
    }
}
