//! To be written.
use std::{borrow::Cow, fmt, sync::Arc};
pub(crate) struct Programs;
impl Programs {
    pub(crate) fn builtin() -> Self {
        Self
    }
    pub(crate) fn get(&self, _program: &str) -> Option<Arc<Program>> {
        None
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Ordinary,
    Interpreter,
    Wrapper,
    Builtin,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) glob: bool,
}
#[derive(Debug)]
pub(crate) struct Program;
#[derive(Debug)]
pub(crate) struct NotCovered;
impl fmt::Display for NotCovered {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}
pub(crate) struct Split<'a> {
    pub(crate) operands: Vec<&'a str>,
    pub(crate) options: Vec<OptionWord<'a>>,
}
pub(crate) struct OptionWord<'a> {
    pub(crate) canonical: Cow<'a, str>,
    pub(crate) value: Option<&'a str>,
}
impl Program {
    pub(crate) fn role(&self) -> Role {
        Role::Ordinary
    }
    pub(crate) fn covers(&self, _words: &[Word<'_>], _literal: usize) -> Result<(), NotCovered> {
        Ok(())
    }
    pub(crate) fn split<'a>(&self, _words: &[&'a str]) -> Split<'a> {
        Split {
            operands: vec![],
            options: vec![],
        }
    }
    pub(crate) fn paths<'a>(&self, words: &[&'a str]) -> Vec<&'a str> {
        words.to_vec()
    }
}
