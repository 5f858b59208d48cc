//! A line as it was understood, for whoever wants to know.

use crate::finding::{Outcome, RuleIndex};

use super::{
    allows::Uncovered,
    line::{Kind, Problem, Span, Word},
    shape::Match,
    watch::Watch,
};

/// A line as it was understood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Description {
    /// What keeps the line from being taken at its word, and where.
    pub(crate) problem: Option<(String, Span)>,
    /// Every command that could be seen, each followed by those that it runs.
    pub(crate) commands: Vec<CommandDescription>,
    /// How many commands of the line itself were looked at.
    told: usize,
}

/// A command of a line.
#[derive(Clone, Debug)]
pub(crate) struct CommandDescription {
    pub(crate) words: Vec<WordDescription>,
    /// How many commands it is run by: 0 for those that stand in the line.
    pub(crate) depth: usize,
    /// Rules that deny or ask, and whether each surely matches.
    pub(crate) refused: Vec<(RuleIndex, Outcome, bool)>,
    /// Which rule allows it, for commands of the line itself.
    pub(crate) covered: Option<RuleIndex>,
    /// Why none does.
    pub(crate) why_not: Option<String>,
    /// The allow rule that comes closest.
    pub(crate) nearest: Option<RuleIndex>,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordDescription {
    /// Without its quotes.
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Whether its text is all of it: no pattern of file names, nothing that the shell expands.
    pub(crate) literal: bool,
    /// Whether it may become anything.
    pub(crate) opaque: bool,
}

impl Watch for Description {
    fn problem(&mut self, problem: Problem) {
        self.problem = Some((problem.kind.to_string(), problem.span));
    }

    fn command(&mut self, words: &[Word<'_>], depth: usize) {
        self.commands.push(CommandDescription {
            words: words.iter().map(describe).collect(),
            depth,
            refused: Vec::new(),
            covered: None,
            why_not: None,
            nearest: None,
        });
    }

    fn refused(&mut self, rule: RuleIndex, outcome: Outcome, met: Match) {
        if let Some(command) = self.commands.last_mut() {
            command.refused.push((rule, outcome, met == Match::Yes));
        }
    }

    fn covered(&mut self, result: &Result<RuleIndex, Uncovered>) {
        let told = self.told;
        self.told += 1;
        let Some(command) = self
            .commands
            .iter_mut()
            .filter(|command| command.depth == 0)
            .nth(told)
        else {
            return;
        };
        match result {
            Ok(rule) => command.covered = Some(*rule),
            Err(uncovered) => {
                command.why_not = Some(uncovered.why.clone().into_owned());
                command.nearest = uncovered.nearest;
            }
        }
    }
}

fn describe(word: &Word<'_>) -> WordDescription {
    WordDescription {
        text: word.text.clone().into_owned(),
        span: word.span,
        literal: word.is_literal(),
        opaque: word.kind == Kind::Opaque,
    }
}
