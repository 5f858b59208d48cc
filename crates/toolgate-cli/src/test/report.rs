//! How tests are reported.

use std::fmt::Write;

use crate::{
    fail::Fail,
    out,
    style::{self, paint},
    text::{count, indented, visible},
};

/// How the tests fared so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    passed: usize,
    failures: Vec<(String, String)>,
    skipped: usize,
    why_skipped: &'static str,
}

impl Report {
    /// Says how many tests of which file are about to run.
    pub(super) fn begin(&self, tests: usize, file: &str) -> Result<(), Fail> {
        let gap = if self.ran() == 0 { "" } else { "\n" };
        out::print(&format!(
            "{gap}running {} of {file}\n",
            count(tests, "test")
        ))
    }

    /// Takes down one test; `wrong` says in which way it failed.
    pub(super) fn take(&mut self, name: &str, wrong: Option<String>) -> Result<(), Fail> {
        let name = visible(name).into_owned();
        let result = match &wrong {
            None => paint(style::ALLOW, "ok"),
            Some(_) => paint(style::DENY, "FAILED"),
        };
        out::print(&format!("test {name} ... {result}\n"))?;
        match wrong {
            None => self.passed += 1,
            Some(wrong) => self.failures.push((name, wrong)),
        }
        Ok(())
    }

    /// Takes down tests that were not run.
    pub(super) fn skipped(&mut self, tests: usize, why: &'static str) {
        self.skipped += tests;
        self.why_skipped = why;
    }

    pub(super) fn is_passed(&self) -> bool {
        self.failures.is_empty() && self.skipped == 0
    }

    fn ran(&self) -> usize {
        self.passed + self.failures.len()
    }

    /// Says what failed, and how many.
    pub(super) fn finish(&self) -> Result<(), Fail> {
        let mut text = String::new();
        if !self.failures.is_empty() {
            text += "\nfailures:\n";
        }
        for (name, wrong) in &self.failures {
            let _ = write!(text, "\n---- {name} ----\n{}", indented("  ", wrong));
        }
        let result = match self.is_passed() {
            true => paint(style::ALLOW, "ok"),
            false => paint(style::DENY, "FAILED"),
        };
        let (passed, failed) = (self.passed, self.failures.len());
        let _ = write!(
            text,
            "\ntest result: {result}. {passed} passed; {failed} failed"
        );
        if self.skipped > 0 {
            let why = self.why_skipped;
            let _ = write!(text, "; {} not run, because {why}", self.skipped);
        }
        if self.ran() + self.skipped == 0 {
            text += " (there are none: see `toolgate test --help`)";
        }
        out::print(&format!("{text}\n"))
    }
}
