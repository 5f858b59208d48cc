//! Calls one after the other, however the JSON is laid out.

use std::{collections::VecDeque, io::BufRead};

use serde::de::IgnoredAny;
use serde_json::{Map, Value, error::Category};
use toolgate::{AgentPath, Args, ToolCall};

use super::json;
use crate::{
    hook::{self, Input},
    text::unreadable_json,
};

/// The longest text of one call.
const LONGEST: usize = 4 << 20;

/// Calls one after the other.
pub(crate) enum Stream {
    /// One that is known already.
    One(Option<ToolCall>),
    /// Those of a text. An agent that is named makes those that name none.
    Text {
        objects: Objects,
        agent: Option<AgentPath>,
        ready: VecDeque<Item>,
    },
}

/// A call, or where and why there is none.
pub(crate) type Item = Result<ToolCall, String>;

impl Stream {
    /// One call that is known already.
    pub(crate) fn one(call: ToolCall) -> Self {
        Self::One(Some(call))
    }

    /// Calls from a text.
    pub(crate) fn new(objects: Objects, agent: Option<AgentPath>) -> Self {
        Self::Text {
            objects,
            agent,
            ready: VecDeque::new(),
        }
    }
}

impl Iterator for Stream {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let (objects, agent, ready) = match self {
            Self::One(call) => return call.take().map(Ok),
            Self::Text {
                objects,
                agent,
                ready,
            } => (objects, agent, ready),
        };
        loop {
            if let Some(item) = ready.pop_front() {
                return Some(item);
            }
            let calls = match objects.next()? {
                Ok((place, object)) => read(&object)
                    .into_iter()
                    .map(|item| item.map_err(|why| format!("{place}: {why}")))
                    .collect(),
                Err(why) => vec![Err(why)],
            };
            let calls = calls.into_iter();
            ready.extend(calls.map(|item| item.map(|call| with_agent(call, agent.as_ref()))));
        }
    }
}

fn with_agent(call: ToolCall, agent: Option<&AgentPath>) -> ToolCall {
    match agent {
        Some(agent) if call.origin().agent().is_empty() => {
            let origin = call.origin().clone().with_agent(agent.clone());
            call.with_origin(origin)
        }
        _ => call,
    }
}

/// Objects one after the other, each with its place.
///
/// An object is handed out as soon as its last line was read, so that a stream can be followed
/// while it is written.
pub(crate) struct Objects {
    source: Option<Box<dyn BufRead>>,
    name: String,
    line: usize,
    ready: VecDeque<Object>,
}

/// What is in an object.
type Fields = Map<String, Value>;

/// An object and where it begins, or where and why there is none.
pub(crate) type Object = Result<(String, Fields), String>;

impl Objects {
    /// Reads objects; `name` is what complaints call the text.
    pub(crate) fn new(source: Box<dyn BufRead>, name: impl Into<String>) -> Self {
        Self {
            source: Some(source),
            name: name.into(),
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
}

impl Iterator for Objects {
    type Item = Object;

    fn next(&mut self) -> Option<Object> {
        loop {
            if let Some(object) = self.ready.pop_front() {
                return Some(object);
            }
            let (line, text) = self.document()?;
            let place = format!("{} line {line}", self.name);
            match text.and_then(|text| objects(&text)) {
                Ok(objects) => {
                    let placed = objects.into_iter().map(|object| match object {
                        Ok(object) => Ok((place.clone(), object)),
                        Err(why) => Err(format!("{place}: {why}")),
                    });
                    self.ready.extend(placed);
                }
                Err(why) => return Some(Err(format!("{place}: {why}"))),
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

/// The object that a document is, or those in its list.
fn objects(text: &str) -> Result<Vec<Result<Fields, String>>, String> {
    if !text.trim_start().starts_with('[') {
        let one = Args::parse(text).map_err(|error| said(&error))?;
        return Ok(vec![Ok(one.as_map().clone())]);
    }
    let list = Args::parse(&format!("{{\"calls\":{text}}}")).map_err(|error| said(&error))?;
    let items = list.get("calls").and_then(Value::as_array);
    let object = |item: &Value| match item {
        Value::Object(object) => Ok(object.clone()),
        _ => Err("a call has to be an object".to_owned()),
    };
    Ok(items.into_iter().flatten().map(object).collect())
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
    let text = unreadable_json(error, "the call");
    // Lines are counted from where the call begins, and a reader counts those of the file.
    match text.rsplit_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(text: &'static str) -> Vec<Result<String, String>> {
        let stream = Stream::new(Objects::new(Box::new(text.as_bytes()), "x"), None);
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
