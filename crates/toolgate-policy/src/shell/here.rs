//! Here-documents. A line with one is never taken at its word; they are read to find out where
//! commands go on behind them, and which commands stand in them.

use super::{line::ProblemKind, parse::Parser};

/// How deep here-documents inside here-documents are followed.
const LEVELS: u8 = 4;

/// A here-document whose text is still to come.
#[derive(Clone, Debug)]
pub(super) struct Here {
    pub(super) delimiter: String,
    /// `<<-`, which takes tabs off the front of lines.
    pub(super) strips: bool,
    /// Whether the text is left as it is.
    pub(super) quoted: bool,
}

impl<'a> Parser<'a> {
    /// Goes past the texts that were announced. One that does not end is read as commands.
    pub(super) fn here_documents(&mut self) {
        for here in std::mem::take(&mut self.heres) {
            let Some((body, next)) = self.body(&here) else {
                // Looking for the end once more from each further line would take too long.
                self.level = LEVELS;
                return self.problem(ProblemKind::Unfinished, self.at);
            };
            self.at = next;
            if !here.quoted && body.contains(['$', '`']) {
                self.inside(body);
            }
        }
    }

    fn body(&self, here: &Here) -> Option<(&'a str, usize)> {
        let rest = self.text.get(self.at..).filter(|_| self.level < LEVELS)?;
        let mut offset = 0;
        for line in rest.split_inclusive('\n') {
            let text = line.strip_suffix('\n').unwrap_or(line);
            let text = if here.strips {
                text.trim_start_matches('\t')
            } else {
                text
            };
            if text == here.delimiter {
                return Some((rest.get(..offset)?, self.at + offset + line.len()));
            }
            offset += line.len();
        }
        None
    }

    /// Adds the commands in the text of a here-document.
    fn inside(&mut self, body: &'a str) {
        let mut parser = Parser::new(body, self.dialect, self.level + 1);
        parser.frame.in_quotes = true;
        parser.run();
        let (line, inner) = (&mut self.line, parser.line);
        let base = [
            line.words.len(),
            line.assignments.len(),
            line.redirects.len(),
        ];
        line.words.extend(inner.words);
        line.assignments.extend(inner.assignments);
        line.redirects.extend(inner.redirects);
        let [words, assignments, redirects] = base;
        line.commands
            .extend(inner.commands.into_iter().map(|mut command| {
                shift(&mut command.words, words);
                shift(&mut command.assignments, assignments);
                shift(&mut command.redirects, redirects);
                command
            }));
    }
}

fn shift(range: &mut std::ops::Range<usize>, by: usize) {
    range.start += by;
    range.end += by;
}
