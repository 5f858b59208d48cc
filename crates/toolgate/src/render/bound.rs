//! How long a question can become at most, without writing it out.
//!
//! Writing a question out takes longer than everything else that asking takes, and most questions
//! are nowhere near too long. This adds up what each part can become at most; only where that is
//! too much, the question has to be written out to know.

use serde_json::Value;

use super::Rendering;
use crate::{ApprovalRequest, Asked, Presentation, Rule, Suggestions};

/// What a byte that is no letter, digit, dash or underscore becomes at most. That is also what hides
/// a credential, `\{masked 1 character}`, and no two of those stand without such a byte between them.
const EACH: usize = 24;

/// What the place in a list takes at most.
const INDEX: usize = 24;

/// What a line has at most beside text of the question: label, gutter, words, numbers.
const LINE: usize = 160;

/// Whether a question is surely short enough to be shown.
pub(crate) fn surely_fits(request: &ApprovalRequest) -> bool {
    // Most questions are so short that it does not matter what is in them.
    Bound::of(request, by_length).is_some_and(|bound| bound.fits())
        || Bound::of(request, in_a_way).is_some_and(|bound| bound.fits())
}

#[derive(Debug)]
struct Bound {
    bytes: usize,
    lines: usize,
    /// What text takes at most.
    of_text: fn(&str) -> usize,
}

impl Bound {
    /// None if it has to be written out to know.
    fn of(request: &ApprovalRequest, of_text: fn(&str) -> usize) -> Option<Self> {
        let mut bound = Self {
            bytes: 0,
            lines: 0,
            of_text,
        };
        match &request.presentation {
            None => {}
            Some(Presentation::Plain { text }) => bound.block([&**text]),
            Some(Presentation::Code { language, text }) => {
                // The language may stand in front of an argument, too.
                bound.block([&**text, language, language]);
            }
            Some(Presentation::Diff { .. }) => return None,
        }
        bound.facts(request);
        request.asks.iter().for_each(|ask| bound.ask(ask, request));
        for (key, value) in request.args.as_map() {
            bound.value(of_text(key), value);
        }
        bound.suggestions(&request.suggestions);
        Some(bound)
    }

    fn fits(&self) -> bool {
        self.bytes <= Rendering::MAX_BYTES && self.lines <= Rendering::MAX_LINES
    }

    fn suggestions(&mut self, suggestions: &Suggestions) {
        let (count, times, texts) = suggestions.texts();
        // What is not written out yet has each key once, in the text or beside it.
        let all: usize = texts.into_iter().map(self.of_text).sum();
        self.bytes += count * LINE + times * 2 * all;
        self.lines += count;
    }

    fn facts(&mut self, request: &ApprovalRequest) {
        let (tool, origin) = (&request.tool, &request.origin);
        let known = [
            Some(tool.name()),
            tool.server(),
            request.call_id.as_ref().map(crate::CallId::as_str),
            origin.principal(),
            origin.project(),
            origin.session(),
            origin.branch(),
            origin.turn(),
            request.description.own(),
        ];
        for text in known {
            self.line(text);
        }
        self.line(origin.agent().parts());
        for capability in &request.capabilities {
            self.line(
                [capability.name()]
                    .into_iter()
                    .chain(capability.parameter()),
            );
        }
        // The definition, an empty list of arguments, the terms and what is masked.
        (0..5).for_each(|_| self.line([]));
    }

    fn ask(&mut self, ask: &Asked, request: &ApprovalRequest) {
        let rule = ask.rule.as_ref();
        let source = rule.and_then(Rule::source);
        self.line(ask.reason.as_deref());
        self.line([&*ask.layer].into_iter().chain(rule.map(Rule::id)));
        self.line(rule.and_then(Rule::text));
        self.line(source.map(|source| &*source.file));
        self.line(ask.subject.as_deref());
        if ask.payload != request.args {
            for (key, value) in ask.payload.as_map() {
                self.value((self.of_text)(key), value);
            }
        }
    }

    /// One line with these texts in it.
    fn line<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        self.lines += 1;
        self.bytes += LINE;
        for text in texts {
            self.bytes += (self.of_text)(text);
        }
    }

    /// Text that may have several lines.
    fn block<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        for text in texts {
            let lines = 1 + text.bytes().filter(|b| *b == b'\n').count();
            (0..=lines).for_each(|_| self.line([]));
            self.bytes += (self.of_text)(text);
        }
    }

    /// An argument, to which a way leads that takes so much.
    fn value(&mut self, way: usize, value: &Value) {
        self.bytes += way;
        match value {
            Value::String(text) => self.block([&**text]),
            Value::Array(items) => {
                self.line([]);
                for item in items {
                    self.value(way + INDEX, item);
                }
            }
            Value::Object(map) => {
                self.line([]);
                for (key, value) in map {
                    self.value(way + (self.of_text)(key), value);
                }
            }
            Value::Number(number) if number.is_i64() || number.is_u64() => self.line([]),
            Value::Number(number) => self.line([&*number.to_string()]),
            Value::Null | Value::Bool(_) => self.line([]),
        }
    }
}

/// What text of this length takes at most, with quotes and a dot.
fn by_length(text: &str) -> usize {
    EACH * (text.len() + 2)
}

/// What text takes at most, with quotes and a dot.
fn in_a_way(text: &str) -> usize {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_';
    let words = text.bytes().filter(is_word).count();
    words + EACH * (text.len() - words + 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::render::{
        RenderedLine,
        escape::{prose, quoted, row, secret},
        request,
    };

    /// Text of everything that becomes longer when it is shown.
    fn text() -> impl Strategy<Value = String> {
        let pieces = [
            "a",
            " ",
            "\n",
            "\n\n\n\n\n",
            "\t",
            "\\",
            "\\u{",
            "\"",
            "\u{202e}",
            "\u{10ffff}",
            "\u{7f}",
            "         ",
            "password=x ",
            "token: y,",
            "Bearer 1",
            "sk-abcdefghijklmnop",
            "ghp_0123456789abcdef0123",
            "é",
            "\u{0}",
            "--api-key z ",
            "password= ",
            "secret=\"\"",
        ];
        // Mostly one piece over and over, so that what each becomes outweighs what a line may have.
        let piece = prop::sample::select(pieces.to_vec());
        let other = prop::sample::select(pieces.to_vec());
        let pieces = (piece, other, 0..200_usize);
        pieces.prop_map(|(piece, other, times)| [piece, other].concat().repeat(times))
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            text().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn object() -> impl Strategy<Value = Value> {
        let map = prop::collection::btree_map(text(), value(), 0..4);
        map.prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    fn question() -> impl Strategy<Value = ApprovalRequest> {
        let texts = prop::collection::vec(text(), 10);
        let how = (0..3_u8, any::<bool>());
        (texts, object(), object(), how).prop_map(|(texts, args, payload, (shown, offered))| {
            let presentation = match shown {
                0 => Value::Null,
                1 => json!({"kind": "code", "language": texts[0], "text": texts[1]}),
                _ => json!({"kind": "plain", "text": texts[1]}),
            };
            let rule = json!({"id": texts[2], "text": texts[3],
                "source": {"file": texts[4], "line": 1, "column": u32::MAX}});
            let request = json!({
                "id": "0".repeat(32),
                "tool": {"name": texts[5], "server": texts[6]},
                "description": texts[7],
                "args": args,
                "asks": [{"layer": texts[8], "rule": rule, "reason": texts[9], "payload": payload}],
                "capabilities": ["fs.write(/a\u{202e}b)"],
                "presentation": presentation,
                "origin": {"session": texts[0], "agent": ["root", texts[1]]},
                "editable": true,
                "suggestions": [{"without": [texts[2]], "text": texts[3]}],
            });
            let mut request: ApprovalRequest = serde_json::from_value(request).unwrap();
            if offered {
                let payloads = request.asks.iter().map(|ask| ask.payload.clone());
                request.suggestions = Suggestions::offer(&request.tool, payloads, false);
            }
            request
        })
    }

    proptest! {
        #[test]
        fn no_text_becomes_longer_than_its_bound(text in text()) {
            for shown in [quoted(&text), secret(&text), prose(&text), row(&text)] {
                prop_assert!(shown.text.len() <= in_a_way(&text), "{text:?}");
            }
        }

        #[test]
        fn nothing_becomes_longer_than_the_bound(question in question()) {
            for of_text in [in_a_way, by_length] {
                let bound = Bound::of(&question, of_text).unwrap();
                let rendering = request::render(&question);
                let bytes: usize = rendering.lines.iter().map(RenderedLine::len).sum();
                prop_assert!(bytes <= bound.bytes, "{bytes} bytes of {}", bound.bytes);
                prop_assert!(rendering.lines.len() <= bound.lines);
            }
        }
    }

    #[test]
    fn an_ordinary_question_surely_fits_and_a_large_one_does_not() {
        let of = |length: usize| {
            let request = json!({
                "id": "0".repeat(32), "tool": {"name": "t"}, "description": "t()",
                "args": {"content": "x".repeat(length)}, "asks": [], "capabilities": [],
                "origin": {}, "editable": false, "suggestions": [],
            });
            serde_json::from_value::<ApprovalRequest>(request).unwrap()
        };
        assert!(surely_fits(&of(1_000)));
        assert!(!surely_fits(&of(Rendering::MAX_BYTES)));
    }
}
