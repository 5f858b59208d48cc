//! Calls one after the other, however the JSON is laid out.

use std::{collections::VecDeque, io::BufRead};

use serde::de::IgnoredAny;
use serde_json::{Map, Value, error::Category};
use toolgate::{AgentPath, Args, ToolCall};

use super::json;
use crate::hook::{self, Input};

/// The longest text of one call.
const LONGEST: usize = 4 << 20;

/// Calls one after the other.
///
/// A call is looked at as soon as its last line was read, so that a stream can be followed while it
/// is written.
pub(crate) struct Stream {
    source: Option<Box<dyn BufRead>>,
    name: String,
    agent: Option<AgentPath>,
    line: usize,
    ready: VecDeque<Item>,
}

/// A call, or where and why there is none.
pub(crate) type Item = Result<ToolCall, String>;

impl Stream {
    /// One call that is known already.
    pub(crate) fn one(call: ToolCall) -> Self {
        Self {
            source: None,
            name: String::new(),
            agent: None,
            line: 0,
            ready: VecDeque::from([Ok(call)]),
        }
    }

    /// Calls from a text. An agent that is named makes those that name none.
    pub(crate) fn new(source: Box<dyn BufRead>, name: String, agent: Option<AgentPath>) -> Self {
        Self {
            source: Some(source),
            name,
            agent,
            line: 0,
            ready: VecDeque::new(),
        }
    }

    /// Reads lines until they are a whole document. None at the end.
    fn document(&mut self) -> Option<(usize, Result<String, String>)> {
        let source = self.source.as_mut()?;
        let (mut text, mut first) = (String::new(), self.line + 1);
        loop {
            let mut line = Vec::new();
            let read = source.read_until(b'\n', &mut line);
            self.line += 1;
            match read {
                Err(error) => {
                    self.source = None;
                    return Some((self.line, Err(format!("it cannot be read: {error}"))));
                }
                Ok(0) => {
                    self.source = None;
                    return (!text.trim().is_empty()).then_some((first, Ok(text)));
                }
                Ok(_) => {}
            }
            let Ok(line) = String::from_utf8(line) else {
                return Some((self.line, Err("it is not UTF-8".to_owned())));
            };
            if text.is_empty() && line.trim().is_empty() {
                first = self.line + 1;
                continue;
            }
            text.push_str(&line);
            if text.len() > LONGEST {
                self.source = None;
                return Some((first, Err(format!("it is longer than {LONGEST} bytes"))));
            }
            if is_whole(&text) {
                return Some((first, Ok(text)));
            }
        }
    }

    fn take(&mut self, line: usize, text: &str) {
        let place = format!("{} line {line}", self.name);
        for item in calls(text) {
            let item = item.map(|call| self.with_agent(call));
            self.ready
                .push_back(item.map_err(|why| format!("{place}: {why}")));
        }
    }

    fn with_agent(&self, call: ToolCall) -> ToolCall {
        match &self.agent {
            Some(agent) if call.origin().agent().is_empty() => {
                let origin = call.origin().clone().with_agent(agent.clone());
                call.with_origin(origin)
            }
            _ => call,
        }
    }
}

impl Iterator for Stream {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            match self.document()? {
                (line, Ok(text)) => self.take(line, &text),
                (line, Err(why)) => return Some(Err(format!("{} line {line}: {why}", self.name))),
            }
        }
    }
}

/// Whether nothing is missing. What is wrong in any other way is whole, too: it stays wrong.
fn is_whole(text: &str) -> bool {
    // Only an end can complete an object or a list.
    if !text.trim_end().ends_with(['}', ']']) && text.trim_start().starts_with(['{', '[']) {
        return false;
    }
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => true,
        Err(error) => error.classify() != Category::Eof,
    }
}

fn calls(text: &str) -> Vec<Item> {
    match text.trim_start().starts_with('[') {
        true => match Args::parse(&format!("{{\"calls\":{text}}}")) {
            Ok(list) => listed(list.get("calls")),
            Err(error) => vec![Err(said(&error))],
        },
        false => match Args::parse(text) {
            Ok(one) => read(one.as_map()),
            Err(error) => vec![Err(said(&error))],
        },
    }
}

fn listed(list: Option<&Value>) -> Vec<Item> {
    let items = list
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let calls = |item: &Value| match item {
        Value::Object(object) => read(object),
        _ => vec![Err("a call has to be an object".to_owned())],
    };
    items.iter().flat_map(calls).collect()
}

/// One call, or all that the input of a hook amounts to.
fn read(object: &Map<String, Value>) -> Vec<Item> {
    if !object.contains_key("tool_name") {
        return vec![json::call(object)];
    }
    match Input::of(object).and_then(|input| hook::calls(&input)) {
        Ok(calls) => calls.list.into_iter().map(Ok).collect(),
        Err(why) => vec![Err(why)],
    }
}

/// The reason, of a call and not of its arguments.
fn said(error: &toolgate::ArgsError) -> String {
    let text = error.to_string();
    let text = text.replace("arguments cannot be read", "the call cannot be read");
    text.replace("arguments are", "the call is")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(text: &'static str) -> Vec<Result<String, String>> {
        let stream = Stream::new(Box::new(text.as_bytes()), "x".to_owned(), None);
        stream
            .map(|item| item.map(|call| call.tool().to_string()))
            .collect()
    }

    fn names(text: &'static str) -> Vec<String> {
        tools(text).into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn the_layout_does_not_matter() {
        let one = r#"{"tool": "a", "args": {}}"#;
        assert_eq!(names(one), ["a"]);
        assert_eq!(names("\n\n{\n\"tool\": \"a\",\n\"args\": {}\n}\n\n"), ["a"]);
        assert_eq!(
            names("{\"tool\":\"a\",\"args\":{}}\n\n{\"tool\":\"b\",\"args\":{}}"),
            ["a", "b"]
        );
        assert_eq!(
            names("[{\"tool\":\"a\",\"args\":{}},\n {\"tool\":\"b\",\"args\":{}}]"),
            ["a", "b"]
        );
        assert!(names("").is_empty());
    }

    #[test]
    fn a_bad_line_is_named_and_the_next_one_is_read() {
        let all =
            tools("{\"tool\":\"a\",\"tool\":\"b\",\"args\":{}}\n{\"tool\":\"c\",\"args\":{}}\n");
        assert!(
            all[0].as_ref().unwrap_err().starts_with("x line 1: "),
            "{all:?}"
        );
        assert_eq!(all[1].as_deref(), Ok("c"));
        assert!(tools("[1]")[0].is_err());
        assert!(tools("{\"tool\":\"a\"")[0].is_err());
        assert!(tools("nonsense")[0].is_err());
    }
}
