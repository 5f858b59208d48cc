//! Redirections.

use super::{
    frame::End,
    here::Here,
    line::{Kind, Operator, ProblemKind, Redirect, Span, Word},
    parse::Parser,
};

impl<'a> Parser<'a> {
    /// `<` or `>`, with what belongs to it.
    pub(super) fn redirection(&mut self) {
        let start = self.descriptor();
        if self.sees("<(") || self.sees(">(") {
            return self.open(End::Paren, 2);
        }
        let (operator, length) = self.redirect_operator();
        self.at += length;
        self.sign_ends(start);
        let span = Span {
            start,
            end: self.at,
        };
        if self.frame.redirect.replace((operator, span)).is_some() {
            self.problem(ProblemKind::Redirect, start);
        }
        if operator == Operator::Here {
            self.problem(ProblemKind::Here, start);
        }
    }

    /// Takes back a word that is the number of a descriptor, and ends any other.
    fn descriptor(&mut self) -> usize {
        let Some(draft) = &self.frame.draft else {
            return self.at;
        };
        let (start, continued) = (draft.start, draft.is_continued());
        let raw = self.text.get(start..self.at).unwrap_or_default();
        let digit = raw.len() == 1 && raw.bytes().all(|b| b.is_ascii_digit());
        let odd = raw.starts_with('{') || raw.bytes().all(|b| b.is_ascii_digit()) || continued;
        if digit && self.peek(0) != Some(b'&') {
            self.frame.draft = None;
            return start;
        }
        if odd && !digit {
            self.problem(ProblemKind::Redirect, start);
        }
        self.end_word();
        self.at
    }

    fn redirect_operator(&mut self) -> (Operator, usize) {
        const OPERATORS: [(&str, Operator); 13] = [
            ("&>>", Operator::Write),
            ("&>", Operator::Write),
            ("<<<", Operator::Here),
            ("<<-", Operator::Here),
            ("<<", Operator::Here),
            ("<>", Operator::ReadWrite),
            ("<&", Operator::Duplicate),
            (">&", Operator::Duplicate),
            (">>", Operator::Write),
            (">|", Operator::Write),
            ("<", Operator::Read),
            (">", Operator::Write),
            ("&", Operator::Write),
        ];
        let found = OPERATORS.iter().find(|(text, _)| self.sees(text));
        found.map_or((Operator::Write, 1), |(text, operator)| {
            (*operator, text.len())
        })
    }

    /// The word behind a redirection.
    pub(super) fn target(&mut self, operator: Operator, span: Span, mut word: Word<'a>) {
        let sign = self.text.get(span.start..span.end).unwrap_or_default();
        if let Kind::Glob(_) = word.kind {
            word.kind = Kind::Opaque;
            self.problem(ProblemKind::Glob, word.span.start);
        }
        let raw = self
            .text
            .get(word.span.start..word.span.end)
            .unwrap_or_default();
        let operator = match operator {
            // What another descriptor reads from, nobody can say.
            Operator::Duplicate if is_descriptor(raw) => {
                if sign == "<&" && raw != "-" {
                    self.problem(ProblemKind::Redirect, span.start);
                }
                Operator::Duplicate
            }
            Operator::Duplicate if sign == ">&" && !is_descriptor(&word.text) => Operator::Write,
            Operator::Duplicate => {
                self.problem(ProblemKind::Redirect, span.start);
                Operator::Write
            }
            other => other,
        };
        if operator == Operator::Here && !sign.ends_with("<<<") {
            self.expect_here(sign.ends_with('-'), &word);
        }
        self.redirects.push(Redirect {
            operator,
            target: word,
        });
    }

    fn expect_here(&mut self, strips: bool, word: &Word<'a>) {
        let raw = self
            .text
            .get(word.span.start..word.span.end)
            .unwrap_or_default();
        let quoted = raw.contains(['\'', '"', '\\']);
        self.heres.push(Here {
            delimiter: word.text.clone().into_owned(),
            strips,
            quoted,
        });
    }
}

/// Whether a word names a descriptor: one digit, or the sign that closes it.
fn is_descriptor(word: &str) -> bool {
    matches!(word.as_bytes(), [b'0'..=b'9' | b'-'])
}
