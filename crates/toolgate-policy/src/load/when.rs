//! Conditions on arguments: `when = { id = { eq = 1 } }`.

use serde_json::{Number, Value, json};

use super::{
    decode::{Decoder, Field, Fields},
    node::{Entry, Kind},
    shape,
};
use crate::{
    Located,
    diagnostic::{Span, quoted},
    spec::{ConditionSpec, TestSpec},
};

/// The tests on one argument that are being read.
#[derive(Default)]
pub(crate) struct Tests {
    found: Vec<Located<TestSpec>>,
    min: Option<(Number, Span)>,
    max: Option<(Number, Span)>,
}

/// The keys of a test.
pub(crate) const TEST: Fields<Tests> = &[&[
    Field {
        key: "eq",
        about: "Equal, and of the same type.",
        schema: shape::any,
        read: |d, tests, e| d.test(tests, e, |d, e| d.json(e).map(TestSpec::Eq)),
    },
    Field {
        key: "one_of",
        about: "Equal to one of these, and of the same type.",
        schema: || json!({ "type": "array", "minItems": 1 }),
        read: |d, tests, e| d.test(tests, e, Decoder::one_of),
    },
    Field {
        key: "glob",
        about: "A string that matches this pattern.",
        schema: shape::text,
        read: |d, tests, e| d.test(tests, e, |d, e| Some(TestSpec::Glob(d.text(e)?.value))),
    },
    Field {
        key: "prefix",
        about: "A string that begins with this.",
        schema: shape::text,
        read: |d, tests, e| d.test(tests, e, |d, e| Some(TestSpec::Prefix(d.text(e)?.value))),
    },
    Field {
        key: "min",
        about: "A number that is not smaller.",
        schema: || json!({ "type": "number" }),
        read: |d, tests, e| tests.min = d.number(e),
    },
    Field {
        key: "max",
        about: "A number that is not greater.",
        schema: || json!({ "type": "number" }),
        read: |d, tests, e| tests.max = d.number(e),
    },
    Field {
        key: "absent",
        about: "Not there.",
        schema: || json!({ "const": true }),
        read: |d, tests, e| d.test(tests, e, |d, e| d.only_true(e, TestSpec::Absent)),
    },
    Field {
        key: "any",
        about: "There, whatever it is.",
        schema: || json!({ "const": true }),
        read: |d, tests, e| d.test(tests, e, |d, e| d.only_true(e, TestSpec::Any)),
    },
]];

/// Reads all conditions of a rule.
pub(super) fn read(d: &mut Decoder<'_>, entry: &Entry<'_>) -> Vec<ConditionSpec> {
    let Some(entries) = d.entries(entry) else {
        return Vec::new();
    };
    if entries.is_empty() {
        d.nothing(entry);
    }
    let mut conditions = Vec::with_capacity(entries.len());
    for entry in entries {
        d.conditions(entry, &mut conditions);
    }
    conditions
}

impl Decoder<'_> {
    /// Reads the conditions on one argument.
    fn conditions(&mut self, entry: &Entry<'_>, into: &mut Vec<ConditionSpec>) {
        self.check_pointer(entry);
        let Kind::Table(entries) = &entry.value.kind else {
            let test = self.assignment("eq", "...");
            let at = quoted(&entry.key);
            if let Some(problem) = self.wrong_type_of(entry, "a table with a test") {
                let help = format!("write `{{ {test} }}` to say what {at} has to be equal to");
                self.report.push(problem.with_help(help));
            }
            return;
        };
        let mut tests = Tests::default();
        self.table(entries, TEST, &mut tests, |_| None);
        self.range(&mut tests);
        if entries.is_empty() {
            self.nothing(entry);
        }
        let at = self.located(entry.key.clone().into_owned(), entry.key_span);
        into.extend(tests.found.into_iter().map(|test| ConditionSpec {
            at: at.clone(),
            test,
        }));
    }

    fn nothing(&mut self, entry: &Entry<'_>) {
        let message = format!("{} says nothing", quoted(&entry.key));
        let problem = self
            .report
            .error("empty-condition", entry.value.span, message)
            .with_help("leave it out if there is no condition");
        self.report.push(problem);
    }

    fn check_pointer(&mut self, entry: &Entry<'_>) {
        let key = &*entry.key;
        let escapes = key.split('~').skip(1);
        let bad = key.starts_with('/') && !escapes.clone().all(|rest| rest.starts_with(['0', '1']));
        if bad || key.is_empty() {
            let message = format!("{} is neither a name nor a JSON pointer", quoted(key));
            let problem = self
                .report
                .error("json-pointer", entry.key_span, message)
                .with_help("in a JSON pointer `~` is written `~0`, and a `/` of a name `~1`");
            self.report.push(problem);
        }
    }

    /// Reads one test and takes it down.
    fn test(
        &mut self,
        tests: &mut Tests,
        entry: &Entry<'_>,
        read: impl FnOnce(&mut Self, &Entry<'_>) -> Option<TestSpec>,
    ) {
        if let Some(test) = read(self, entry) {
            tests.found.push(self.located(test, entry.value.span));
        }
    }

    fn json(&mut self, entry: &Entry<'_>) -> Option<Value> {
        entry.value.to_json().map_err(|odd| self.not_json(odd)).ok()
    }

    fn one_of(&mut self, entry: &Entry<'_>) -> Option<TestSpec> {
        let items = self.items(entry, "a list of values")?;
        if items.is_empty() {
            let message = "`one_of` is an empty list, so nothing is one of it";
            let problem = self.report.error("empty-list", entry.value.span, message);
            self.report.push(problem);
            return None;
        }
        let values: Result<_, _> = items.iter().map(super::node::Node::to_json).collect();
        values
            .map(TestSpec::OneOf)
            .map_err(|odd| self.not_json(odd))
            .ok()
    }

    fn number(&mut self, entry: &Entry<'_>) -> Option<(Number, Span)> {
        let Kind::Number(number) = &entry.value.kind else {
            self.wrong_type(entry, "a number");
            return None;
        };
        Some((number.clone(), entry.value.span))
    }

    fn only_true(&mut self, entry: &Entry<'_>, test: TestSpec) -> Option<TestSpec> {
        let flag = self.flag(entry)?;
        if flag.value {
            return Some(test);
        }
        let other = if test == TestSpec::Any {
            "absent"
        } else {
            "any"
        };
        let instead = self.assignment(other, "true");
        let message = format!("{} can only be `true`", quoted(&entry.key));
        let problem = self
            .report
            .error("only-true", entry.value.span, message)
            .with_help(format!("write `{instead}` for the opposite"));
        self.report.push(problem);
        None
    }

    /// Puts `min` and `max` together.
    fn range(&mut self, tests: &mut Tests) {
        let (min, max) = (tests.min.take(), tests.max.take());
        let Some(span) = min.as_ref().or(max.as_ref()).map(|(_, span)| *span) else {
            return;
        };
        if let (Some((min, _)), Some((max, at))) = (&min, &max)
            && min.as_f64() > max.as_f64()
        {
            let message = format!("no number is between {min} and {max}");
            let problem = self
                .report
                .error("empty-range", *at, message)
                .with_related(self.report.place(span), "the other end is here");
            self.report.push(problem);
        }
        let range = TestSpec::Range {
            min: min.map(|(number, _)| number),
            max: max.map(|(number, _)| number),
        };
        tests.found.push(self.located(range, span));
    }
}
