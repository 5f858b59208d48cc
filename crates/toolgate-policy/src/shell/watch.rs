//! Looks on while a line is judged, to explain it afterwards.

use crate::finding::{Outcome, RuleIndex};

use super::{
    allows::Uncovered,
    line::{Problem, Word},
    shape::Match,
};

/// Is told what is found while a line is judged.
pub(super) trait Watch {
    /// What keeps the line from being taken at its word.
    fn problem(&mut self, _problem: Problem) {}
    /// A command, and how many commands it is run by. Those it runs follow at once.
    fn command(&mut self, _words: &[Word<'_>], _depth: usize) {}
    /// A rule that meets the last command.
    fn refused(&mut self, _rule: RuleIndex, _outcome: Outcome, _met: Match) {}
    /// The next command of the line itself is covered, or not.
    fn covered(&mut self, _result: &Result<RuleIndex, Uncovered>) {}
}

/// Nobody looks on.
pub(super) struct Nobody;

impl Watch for Nobody {}
