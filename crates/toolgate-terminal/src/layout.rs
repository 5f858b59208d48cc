//! From a question to rows of the screen.

use toolgate::{ApprovalRequest, LineKind, Presentation, RenderedLine, Rendering};

use crate::{
    highlight,
    screen::{Row, Style, broken},
};

/// How wide the column of labels is.
const COLUMN: usize = 11;

/// The rows of a question, for a window of so many columns. What rarely matters is left out
/// without `details`.
pub(crate) fn question(
    rendering: &Rendering,
    request: &ApprovalRequest,
    columns: usize,
    details: bool,
) -> Vec<Row> {
    let language = match &request.presentation {
        Some(Presentation::Code { language, .. }) => Some(&**language),
        _ => None,
    };
    let shown = rendering.lines().iter().filter(|line| match line.kind() {
        // What is suggested has a page of its own.
        LineKind::Detail | LineKind::Suggestion => details,
        _ => true,
    });
    shown
        .flat_map(|line| rows(line, language, columns))
        .collect()
}

/// One line, in as many rows as it takes.
fn rows(line: &RenderedLine, language: Option<&str>, columns: usize) -> Vec<Row> {
    let kind = line.kind();
    let gutter = kind.gutter();
    let room = columns.saturating_sub(COLUMN + gutter.len());
    let whole = match language.filter(|_| kind == LineKind::Code) {
        Some(language) => highlight::line(language, line.text()),
        None => Row::of(style(line), line.text()),
    };
    let mut from = 0;
    let pieces = broken(line.text(), room, true).into_iter();
    let all = pieces.enumerate().map(|(index, piece)| {
        // A line that goes on is told apart from one that begins.
        let (label, gutter) = match index {
            0 => (line.label(), gutter.to_owned()),
            _ => ("", gutter.replace('|', ":")),
        };
        let mut row = Row::of(Style::Label, format!("{label:<COLUMN$}"));
        row = row.and(gutter_style(kind), gutter);
        row.0.extend(whole.part(from, piece.len()).0);
        from += piece.len();
        row
    });
    all.collect()
}

fn style(line: &RenderedLine) -> Style {
    match (line.kind(), line.label()) {
        (_, "tool" | "server") => Style::Title,
        (LineKind::Added, _) => Style::Good,
        (LineKind::Removed, _) => Style::Bad,
        (LineKind::Claim | LineKind::Detail, _) => Style::Label,
        (LineKind::Warning, _) => Style::Warning,
        _ => Style::Plain,
    }
}

fn gutter_style(kind: LineKind) -> Style {
    match kind {
        LineKind::Added => Style::Good,
        LineKind::Removed => Style::Bad,
        _ => Style::Label,
    }
}
