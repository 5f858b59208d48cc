//! A word while it is being read.

use std::borrow::Cow;

use super::line::{Kind, ProblemKind, Span, Word};

/// A word while it is being read. As long as nothing is taken off, its text is that of the line.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) start: usize,
    /// The text without its quotes, once there were any.
    owned: Option<String>,
    /// How long the text was at the first unquoted `*`, `?` or `[`.
    glob: Option<usize>,
    brace: bool,
    /// Something in it is not known before it runs.
    opaque: bool,
    continued: bool,
}

impl Draft {
    pub(super) fn new(start: usize) -> Self {
        Self {
            start,
            owned: None,
            glob: None,
            brace: false,
            opaque: false,
            continued: false,
        }
    }

    /// Goes on with a copy, because the text will differ from that of the line.
    pub(super) fn take_off(&mut self, line: &str, at: usize) -> &mut String {
        let read = || line.get(self.start..at).unwrap_or_default().to_owned();
        self.owned.get_or_insert_with(read)
    }

    /// Adds what stands in the line as it is.
    pub(super) fn push(&mut self, text: &str) {
        if let Some(owned) = &mut self.owned {
            owned.push_str(text);
        }
    }

    pub(super) fn glob(&mut self, at: usize) {
        let length = self.owned.as_ref().map_or(at - self.start, String::len);
        self.glob.get_or_insert(length);
    }

    pub(super) fn brace(&mut self) {
        self.brace = true;
    }

    pub(super) fn opaque(&mut self) {
        self.opaque = true;
    }

    pub(super) fn went_on(&mut self) {
        self.continued = true;
    }

    pub(super) fn is_continued(&self) -> bool {
        self.continued
    }

    /// The word, and what is wrong with it.
    pub(super) fn finish(self, line: &str, at: usize) -> (Word<'_>, Option<ProblemKind>) {
        let raw = line.get(self.start..at).unwrap_or_default();
        let text = self.owned.map_or(Cow::Borrowed(raw), Cow::Owned);
        let braces = self.brace && expands(&text);
        let (kind, problem) = match self.glob {
            _ if self.opaque => (Kind::Opaque, None),
            _ if braces => (Kind::Opaque, Some(ProblemKind::Brace)),
            Some(_) if raw == "[" || raw == "[[" => (Kind::Literal, None),
            Some(0) => (Kind::Opaque, Some(ProblemKind::Glob)),
            Some(length) if text.starts_with("--") && is_named(&text, length) => {
                (Kind::Glob(length), None)
            }
            Some(_) if text.starts_with(['-', '+']) => (Kind::Opaque, Some(ProblemKind::Glob)),
            Some(length) => (Kind::Glob(length), None),
            None => (Kind::Literal, None),
        };
        let span = Span {
            start: self.start,
            end: at,
        };
        (Word { text, kind, span }, problem)
    }
}

/// Whether braces may make several words of one: they do if there is a comma or two dots in them.
fn expands(text: &str) -> bool {
    let open = text.find('{').unwrap_or_default();
    let rest = text.get(open..).unwrap_or_default();
    let inside = rest.rfind('}').and_then(|end| rest.get(..end));
    let inside = inside.unwrap_or(rest);
    inside.contains(',') || inside.contains("..")
}

/// Whether the name of an option ends before the pattern begins: then only its value is not known.
fn is_named(text: &str, glob: usize) -> bool {
    text.get(..glob).is_some_and(|known| known.contains('='))
}
