//! A question as text for a person.

mod args;
mod bound;
mod diff;
mod escape;
mod mask;
mod request;
mod time;

use std::{error::Error, fmt};

pub(crate) use self::bound::surely_fits;
use crate::ApprovalRequest;

/// How wide the column of labels is.
const COLUMN: usize = 11;

/// A question as text for a person.
///
/// What a person sees must be what runs. This is made by the library, so that no handler
/// gets it wrong:
///
/// - Everything is shown, in an order that does not depend on how it was sent. Nothing is cut off:
///   what is [too large](RenderError) cannot be shown, and so cannot be approved. (The one thing
///   that is left out are lines that a change leaves as they are; how many, and a digest of the
///   whole, stand in their place.)
/// - Nothing is invisible. What is not printable ASCII or a plain letter is written `\u{..}`. Long
///   runs of blanks are counted: `\{500 x \t}`.
/// - No value begins a line. Text of several lines stands behind a gutter that it cannot imitate.
/// - What the library does not know to be true is called a claim.
/// - Credentials are masked, and it says where and how much. What could be more than a credential
///   is not.
///
/// Two questions that differ read differently, unless they differ only in what is masked.
///
/// [`Display`](fmt::Display) writes it as plain text; [`lines`](Self::lines) are for those who
/// want to add colours or wrap it.
///
/// # Example
///
/// ```
/// use toolgate::{ApprovalDecision, ApprovalRequest, AskError, AskErrorKind, Rendering};
///
/// async fn ask(request: ApprovalRequest) -> Result<ApprovalDecision, AskError> {
///     let Ok(text) = Rendering::of(&request) else {
///         return Err(AskError::new(AskErrorKind::TooLarge));
///     };
///     println!("{text}");
///     // … and read the answer.
///     Ok(ApprovalDecision::decline())
/// }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Rendering {
    lines: Vec<RenderedLine>,
    masked: usize,
}

/// One line of a [`Rendering`].
#[derive(Clone, PartialEq, Eq)]
pub struct RenderedLine {
    kind: LineKind,
    label: &'static str,
    text: String,
}

/// What a line of a [`Rendering`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineKind {
    /// Something that the library or the host knows.
    Fact,
    /// The same, if it rarely matters.
    Detail,
    /// Something that nobody has checked: words of a tool, a server, a model or a policy.
    Claim,
    /// An argument, or the beginning of one that has several lines.
    Argument,
    /// One line of text.
    Text,
    /// One line of code.
    Code,
    /// A line that a change leaves as it is.
    Context,
    /// A line that a change adds.
    Added,
    /// A line that a change removes.
    Removed,
    /// What a remembered answer would permit.
    Suggestion,
    /// Something to be aware of.
    Warning,
}

impl LineKind {
    /// What stands before each line of this kind, so that no text can be taken for a line of its
    /// own.
    #[must_use]
    pub fn gutter(self) -> &'static str {
        match self {
            Self::Text | Self::Code => "  | ",
            Self::Context => "  |   ",
            Self::Added => "  | + ",
            Self::Removed => "  | - ",
            _ => "",
        }
    }
}

impl RenderedLine {
    /// What the line is.
    #[must_use]
    pub fn kind(&self) -> LineKind {
        self.kind
    }

    /// What the line is about, if it is the first about that.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// What it says, without label and gutter.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Rendering {
    /// As many bytes as a person may be asked to read.
    pub const MAX_BYTES: usize = 64 * 1024;

    /// As many lines as a person may be asked to read.
    pub const MAX_LINES: usize = 2_000;

    /// Writes out a question.
    ///
    /// # Errors
    ///
    /// If it is longer than [`MAX_BYTES`](Self::MAX_BYTES) or [`MAX_LINES`](Self::MAX_LINES). Who
    /// cannot be shown a call cannot approve it.
    pub fn of(request: &ApprovalRequest) -> Result<Self, RenderError> {
        let rendering = request::render(request);
        let bytes: usize = rendering.lines.iter().map(RenderedLine::len).sum();
        match bytes > Self::MAX_BYTES || rendering.lines.len() > Self::MAX_LINES {
            true => Err(RenderError(())),
            false => Ok(rendering),
        }
    }

    /// The lines, from the first to the last.
    #[must_use]
    pub fn lines(&self) -> &[RenderedLine] {
        &self.lines
    }

    /// How many credentials are masked.
    #[must_use]
    pub fn masked(&self) -> usize {
        self.masked
    }
}

impl RenderedLine {
    /// How many bytes it takes, with its end.
    fn len(&self) -> usize {
        COLUMN + self.kind.gutter().len() + self.text.len() + 1
    }
}

impl fmt::Display for RenderedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gutter = self.kind.gutter();
        write!(f, "{:<COLUMN$}{gutter}{}", self.label, self.text)
    }
}

impl fmt::Display for Rendering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// Shows how much there is, never what.
impl fmt::Debug for Rendering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rendering({} lines)", self.lines.len())
    }
}

/// Shows the kind, never the text.
impl fmt::Debug for RenderedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RenderedLine({:?})", self.kind)
    }
}

/// A question that is too large to be shown in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderError(());

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call is too large to be shown in full")
    }
}

impl Error for RenderError {}

#[cfg(test)]
mod tests;
