//! Conditions on arguments.

use serde_json::{Number, Value};
use toolgate::Args;

use crate::{
    glob::Glob,
    spec::{ConditionSpec, TestSpec},
};

/// Conditions that all have to hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions(Box<[Condition]>);

#[derive(Clone, Debug)]
struct Condition {
    /// The keys from the outside in; an index of a list is a key as well.
    at: Box<[Box<str>]>,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    OneOf(Box<[Value]>),
    Glob(Glob),
    Prefix(Box<str>),
    Range(Option<Number>, Option<Number>),
    Absent,
    Any,
}

/// Whether conditions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holds {
    No,
    /// The argument is of another type than the condition speaks of: a tool that takes it anyway
    /// may take it for what is meant.
    Maybe,
    Yes,
}

impl Conditions {
    /// Reads conditions; says what is wrong with each that is.
    pub(crate) fn compile(spec: &[ConditionSpec]) -> Result<Self, Vec<(crate::Place, String)>> {
        let (mut conditions, mut problems) = (Vec::new(), Vec::new());
        for condition in spec {
            match Condition::compile(condition) {
                Ok(compiled) => conditions.push(compiled),
                Err((place, why)) => problems.push((place, why)),
            }
        }
        match problems.is_empty() {
            true => Ok(Self(conditions.into())),
            false => Err(problems),
        }
    }

    /// Whether there is nothing that has to hold.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all hold.
    pub(crate) fn hold(&self, args: &Args) -> Holds {
        let each = self.0.iter().map(|condition| condition.holds(args));
        each.min().unwrap_or(Holds::Yes)
    }

    /// Whether every argument is one that a condition speaks of. What is not spoken of could be
    /// what matters.
    pub(crate) fn speak_of_all(&self, args: &Args) -> bool {
        let spoken_of = |key: &String| {
            let mut firsts = self.0.iter().filter_map(|condition| condition.at.first());
            firsts.any(|first| **first == **key)
        };
        self.0.is_empty() || args.as_map().keys().all(spoken_of)
    }
}

impl Condition {
    fn compile(spec: &ConditionSpec) -> Result<Self, (crate::Place, String)> {
        let at = pointer(&spec.at.value).map_err(|why| (spec.at.place.clone(), why.to_owned()))?;
        let test = Test::compile(&spec.test.value);
        let test = test.map_err(|why| (spec.test.place.clone(), why.to_owned()))?;
        Ok(Self { at, test })
    }

    fn holds(&self, args: &Args) -> Holds {
        let (first, rest) = match self.at.split_first() {
            Some((first, rest)) => (args.get(first), rest),
            None => return Holds::Maybe,
        };
        let found = rest.iter().try_fold(first, |found, key| match found {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(map.get(&**key)),
            Some(Value::Array(list)) => Ok(key.parse().ok().and_then(|at: usize| list.get(at))),
            Some(_) => Err(()),
        });
        match found {
            Ok(found) => self.test.holds(found),
            Err(()) => Holds::Maybe,
        }
    }
}

impl Test {
    fn compile(spec: &TestSpec) -> Result<Self, &'static str> {
        Ok(match spec {
            TestSpec::Eq(value) => Self::OneOf([value.clone()].into()),
            TestSpec::OneOf(values) if values.is_empty() => {
                return Err("an empty list matches nothing");
            }
            TestSpec::OneOf(values) => Self::OneOf(values.clone().into()),
            TestSpec::Glob(text) if text.is_empty() => return Err("the pattern is empty"),
            TestSpec::Glob(text) => match Glob::parse(text) {
                Some(glob) => Self::Glob(glob),
                None => Self::OneOf([Value::from(text.as_str())].into()),
            },
            TestSpec::Prefix(text) if text.is_empty() => {
                return Err("every text begins with the empty one; use `any = true`");
            }
            TestSpec::Prefix(text) => Self::Prefix(text.as_str().into()),
            TestSpec::Range {
                min: None,
                max: None,
            } => return Err("a range needs `min`, `max` or both"),
            TestSpec::Range {
                min: Some(min),
                max: Some(max),
            } if is_at_most(min, max) != Some(true) => {
                return Err("`min` is greater than `max`");
            }
            TestSpec::Range { min, max } => Self::Range(min.clone(), max.clone()),
            TestSpec::Absent => Self::Absent,
            TestSpec::Any => Self::Any,
        })
    }

    fn holds(&self, found: Option<&Value>) -> Holds {
        let yes = |holds: bool| if holds { Holds::Yes } else { Holds::No };
        match (self, found) {
            (Self::Absent, found) => yes(found.is_none()),
            (_, None) => Holds::No,
            (Self::Any, Some(_)) => Holds::Yes,
            (Self::OneOf(values), Some(found)) => {
                let alike = |value: &Value| kind(value) == kind(found);
                match values.iter().any(|value| value == found) {
                    true => Holds::Yes,
                    false if values.iter().any(alike) => Holds::No,
                    false => Holds::Maybe,
                }
            }
            (Self::Glob(glob), Some(Value::String(text))) => yes(glob.matches(text)),
            (Self::Prefix(prefix), Some(Value::String(text))) => yes(text.starts_with(&**prefix)),
            (Self::Range(min, max), Some(Value::Number(number))) => {
                let above = min.as_ref().map(|min| is_at_most(min, number));
                let below = max.as_ref().map(|max| is_at_most(number, max));
                match (above.unwrap_or(Some(true)), below.unwrap_or(Some(true))) {
                    (Some(above), Some(below)) => yes(above && below),
                    _ => Holds::Maybe,
                }
            }
            (Self::Glob(_) | Self::Prefix(_) | Self::Range(..), Some(_)) => Holds::Maybe,
        }
    }
}

fn kind(value: &Value) -> std::mem::Discriminant<Value> {
    std::mem::discriminant(value)
}

/// Exact for integers; none if it cannot be told.
fn is_at_most(a: &Number, b: &Number) -> Option<bool> {
    let integer = |number: &Number| {
        let signed = number.as_i64().map(i128::from);
        signed.or_else(|| number.as_u64().map(i128::from))
    };
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a <= b),
        _ => a.as_f64().zip(b.as_f64()).map(|(a, b)| a <= b),
    }
}

/// The keys of a JSON pointer, or the name of an argument.
fn pointer(text: &str) -> Result<Box<[Box<str>]>, &'static str> {
    match text.strip_prefix('/') {
        None if text.is_empty() => Err("the name of an argument is missing"),
        None => Ok([text.into()].into()),
        Some(rest) => {
            let unescape = |key: &str| key.replace("~1", "/").replace("~0", "~").into();
            let bad = |key: &str| key.replace("~0", "").replace("~1", "").contains('~');
            match rest.split('/').any(bad) {
                true => Err("in a JSON pointer `~` is written `~0`, and `/` in a key `~1`"),
                false => Ok(rest.split('/').map(unescape).collect()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::{Located, Place};

    fn place() -> Place {
        Place {
            file: Arc::from("test"),
            line: 1,
            column: 1,
            length: 1,
        }
    }

    fn condition(at: &str, test: TestSpec) -> ConditionSpec {
        ConditionSpec {
            at: Located::new(at.to_owned(), place()),
            test: Located::new(test, place()),
        }
    }

    fn holds(at: &str, test: TestSpec, args: Value) -> Holds {
        let conditions = Conditions::compile(&[condition(at, test)]).unwrap();
        conditions.hold(&Args::try_from(args).unwrap())
    }

    #[test]
    fn equality_is_typed() {
        let one = || TestSpec::Eq(json!(1));
        assert_eq!(holds("id", one(), json!({"id": 1})), Holds::Yes);
        assert_eq!(holds("id", one(), json!({"id": 2})), Holds::No);
        assert_eq!(holds("id", one(), json!({"id": 1.0})), Holds::No);
        for odd in [json!("1"), json!(true), json!([1]), json!(null)] {
            assert_eq!(holds("id", one(), json!({ "id": odd })), Holds::Maybe);
        }
        assert_eq!(holds("id", one(), json!({})), Holds::No);
    }

    #[test]
    fn a_pointer_looks_inside() {
        let any = || TestSpec::Eq(json!("x"));
        assert_eq!(
            holds("/a/0/b~1c", any(), json!({"a": [{"b/c": "x"}]})),
            Holds::Yes
        );
        assert_eq!(holds("/a/1", any(), json!({"a": ["x"]})), Holds::No);
        assert_eq!(holds("/a/b", any(), json!({"a": "x"})), Holds::Maybe);
        assert_eq!(holds("a.b", any(), json!({"a": {"b": "x"}})), Holds::No);
    }

    #[test]
    fn texts_and_numbers() {
        let glob = |text: &str| TestSpec::Glob(text.to_owned());
        assert_eq!(
            holds("p", glob("/srv/*.txt"), json!({"p": "/srv/a.txt"})),
            Holds::Yes
        );
        assert_eq!(
            holds("p", glob("/srv/*.txt"), json!({"p": "/srv/a.txt2"})),
            Holds::No
        );
        assert_eq!(holds("p", glob("a"), json!({"p": "ab"})), Holds::No);
        assert_eq!(holds("p", glob("a*"), json!({"p": ["ab"]})), Holds::Maybe);
        let up_to = |max: i64| TestSpec::Range {
            min: Some(0.into()),
            max: Some(max.into()),
        };
        assert_eq!(holds("n", up_to(10), json!({"n": 10})), Holds::Yes);
        assert_eq!(holds("n", up_to(10), json!({"n": 10.5})), Holds::No);
        assert_eq!(holds("n", up_to(10), json!({"n": -1})), Holds::No);
        let big = 9_007_199_254_740_993_i64;
        assert_eq!(holds("n", up_to(big - 1), json!({ "n": big })), Holds::No);
        assert_eq!(holds("n", up_to(10), json!({"n": "10"})), Holds::Maybe);
        assert_eq!(holds("n", TestSpec::Absent, json!({})), Holds::Yes);
        assert_eq!(holds("n", TestSpec::Absent, json!({"n": null})), Holds::No);
    }

    #[test]
    fn what_is_not_spoken_of_is_noticed() {
        let spec = [
            condition("/a/b", TestSpec::Any),
            condition("c", TestSpec::Any),
        ];
        let conditions = Conditions::compile(&spec).unwrap();
        let speak = |args: Value| conditions.speak_of_all(&Args::try_from(args).unwrap());
        assert!(speak(json!({"a": 1, "c": 2})) && speak(json!({})));
        assert!(!speak(json!({"a": 1, "d": 2})));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let number = |n: i64| Some(n.into());
        for (at, test) in [
            ("", TestSpec::Any),
            ("/a~2", TestSpec::Any),
            ("a", TestSpec::OneOf(Vec::new())),
            ("a", TestSpec::Prefix(String::new())),
            (
                "a",
                TestSpec::Range {
                    min: None,
                    max: None,
                },
            ),
            (
                "a",
                TestSpec::Range {
                    min: number(2),
                    max: number(1),
                },
            ),
        ] {
            assert!(Conditions::compile(&[condition(at, test)]).is_err());
        }
    }
}
