//! Diagnostics as text: the place, the lines of the file, a mark under what is meant.

use std::fmt::{self, Write};

use super::{Diagnostic, Diagnostics, Severity, excerpt};
use crate::Place;

/// Writes all of them, and how many there are.
pub(super) fn write(out: &mut impl Write, all: &Diagnostics, color: bool) -> fmt::Result {
    let paint = Paint(color);
    for diagnostic in all {
        Block::new(all, diagnostic, paint).write(out)?;
        out.write_char('\n')?;
    }
    summary(out, all)
}

fn summary(out: &mut impl Write, all: &Diagnostics) -> fmt::Result {
    let mut parts = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let count = all.iter().filter(|d| d.severity == severity).count();
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            parts.push(format!("{count} {severity}{plural}"));
        }
    }
    out.write_str(&parts.join(", "))
}

/// The colours of a terminal, or none.
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    const BOLD: &'static str = "1";
    const BLUE: &'static str = "1;34";

    fn severity(severity: Severity) -> &'static str {
        match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;32",
        }
    }

    fn text(self, style: &str, text: &str) -> String {
        if self.0 && !text.is_empty() {
            format!("\x1b[{style}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// One diagnostic with everything that belongs to it.
struct Block<'a> {
    all: &'a Diagnostics,
    diagnostic: &'a Diagnostic,
    paint: Paint,
    /// How wide the numbers of lines are.
    gutter: usize,
}

impl<'a> Block<'a> {
    fn new(all: &'a Diagnostics, diagnostic: &'a Diagnostic, paint: Paint) -> Self {
        let related = diagnostic.related.iter().map(|(place, _)| place.line);
        let last = related.fold(diagnostic.place.line, u32::max);
        Self {
            all,
            diagnostic,
            paint,
            gutter: last.to_string().len(),
        }
    }

    fn write(&self, out: &mut impl Write) -> fmt::Result {
        let Diagnostic { severity, code, .. } = *self.diagnostic;
        let head = self
            .paint
            .text(Paint::severity(severity), &format!("{severity}[{code}]"));
        let message = format!(": {}", excerpt::visible(&self.diagnostic.message));
        writeln!(out, "{head}{}", self.paint.text(Paint::BOLD, &message))?;
        self.excerpt(out, &self.diagnostic.place, &self.diagnostic.label, true)?;
        for (place, what) in &self.diagnostic.related {
            let head = self.paint.text(Paint::severity(Severity::Note), "note");
            writeln!(out, "{head}: {}", excerpt::visible(what))?;
            self.excerpt(out, place, "", false)?;
        }
        self.help(out)
    }

    fn help(&self, out: &mut impl Write) -> fmt::Result {
        let Some(help) = &self.diagnostic.help else {
            return Ok(());
        };
        let pad = " ".repeat(self.gutter + 1);
        writeln!(out, "{pad}{}", self.paint.text(Paint::BLUE, "|"))?;
        let mut mark = self.paint.text(Paint::BLUE, "=") + " help: ";
        for line in help.lines().flat_map(wrapped) {
            writeln!(out, "{pad}{mark}{}", excerpt::visible(&line))?;
            mark = " ".repeat("= help: ".len());
        }
        Ok(())
    }

    /// The place, the line there, and a mark under what is meant.
    fn excerpt(
        &self,
        out: &mut impl Write,
        place: &Place,
        label: &str,
        primary: bool,
    ) -> fmt::Result {
        let blue = |text: &str| self.paint.text(Paint::BLUE, text);
        let pad = " ".repeat(self.gutter);
        let file = excerpt::visible(&place.file);
        let (line, column) = (place.line, place.column);
        if line == 0 {
            // The file as a whole, or no file at all.
            return match file.is_empty() {
                true => Ok(()),
                false => writeln!(out, "{pad}{} {file}", blue("-->")),
            };
        }
        writeln!(out, "{pad}{} {file}:{line}:{column}", blue("-->"))?;
        let Some(shown) = excerpt::line(&self.all.sources, place) else {
            return self.without_text(out, label);
        };
        let (style, mark) = match primary {
            true => (Paint::severity(self.diagnostic.severity), "^"),
            false => (Paint::BLUE, "-"),
        };
        let number = format!("{line:>width$} |", width = self.gutter);
        let mut under = mark.repeat(shown.width);
        if !label.is_empty() {
            under = under + " " + &excerpt::visible(label);
        }
        writeln!(out, "{pad} {}", blue("|"))?;
        writeln!(out, "{} {}", blue(&number), shown.text)?;
        let before = " ".repeat(shown.before);
        writeln!(
            out,
            "{pad} {} {before}{}",
            blue("|"),
            self.paint.text(style, &under)
        )
    }

    /// The file is not at hand, but what there is to say is said.
    fn without_text(&self, out: &mut impl Write, label: &str) -> fmt::Result {
        if label.is_empty() {
            return Ok(());
        }
        let pad = " ".repeat(self.gutter + 1);
        let mark = self.paint.text(Paint::BLUE, "=");
        writeln!(out, "{pad}{mark} {}", excerpt::visible(label))
    }
}

/// Breaks a long line between words.
fn wrapped(line: &str) -> Vec<String> {
    const WIDTH: usize = 90;
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) if last.len() + word.len() < WIDTH => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
