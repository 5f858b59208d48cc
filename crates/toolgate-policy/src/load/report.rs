//! Collects what is wrong with one text.

use std::sync::Arc;

use crate::{
    Located, Place,
    diagnostic::{Diagnostic, Diagnostics, Source, Sources, Span},
};

/// How many problems of one text are kept. Nobody reads further, and a hostile text has millions.
const MOST: usize = 1000;

/// What is wrong with a text, so far.
pub(crate) struct Report<'s> {
    source: &'s Arc<Source>,
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl<'s> Report<'s> {
    pub(crate) fn new(source: &'s Arc<Source>) -> Self {
        Self {
            source,
            list: Vec::new(),
            left_out: 0,
        }
    }

    pub(crate) fn source(&self) -> &'s Arc<Source> {
        self.source
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        self.source.place(span)
    }

    /// A value and its place.
    pub(crate) fn located<T>(&self, value: T, span: Span) -> Located<T> {
        Located::new(value, self.place(span))
    }

    /// An error at a part of the text; it counts once it is pushed.
    pub(crate) fn error(
        &self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(code, self.place(span), message)
    }

    /// Whether what is pushed from now on is only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    /// Counts a problem without saying what it is, if there are too many to say so.
    pub(crate) fn counts_only(&mut self) -> bool {
        self.left_out += usize::from(self.is_full());
        self.is_full()
    }

    pub(crate) fn push(&mut self, problem: Diagnostic) {
        match self.is_full() {
            true => self.left_out += 1,
            false => self.list.push(problem),
        }
    }

    /// Everything that was found, in the order of the text.
    pub(crate) fn finish(self) -> Diagnostics {
        let mut all = Diagnostics::new(Sources::from(Arc::clone(self.source)));
        for problem in self.list {
            all.push(problem);
        }
        all.sort();
        if self.left_out > 0 {
            let end = self.source.place(Span::at(self.source.text().len()));
            let message = format!("{} further problems are not shown", self.left_out);
            all.push(Diagnostic::error("too-many-problems", end, message));
        }
        all
    }
}
