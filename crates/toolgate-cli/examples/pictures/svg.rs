//! A screen as a picture: a dark window, which looks the same on light and dark pages.

use std::fmt::Write;

use vt100::{Cell, Color, Screen};

const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 16.0;
const PAPER: &str = "#16191d";
const INK: &str = "#d6dbe1";
const FAINT: &str = "#8b949e";
/// The eight colours and the eight bright ones.
const COLOURS: [&str; 16] = [
    "#5c6370", "#f47067", "#6bc46d", "#e2b33f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#d6dbe1",
    "#8b949e", "#ff938a", "#8ddb8c", "#f0c75e", "#96d0ff", "#eedcff", "#7ee7ee", "#ffffff",
];

/// How a stretch of text looks.
#[derive(Clone, PartialEq, Eq)]
struct Look {
    colour: &'static str,
    bold: bool,
    underline: bool,
}

/// Draws everything from the line with this text to the last one with something on it.
pub(crate) fn of(screen: &Screen, from: &str) -> String {
    let (rows, columns) = size(screen);
    let used = (0..rows).filter(|row| is_used(screen, *row));
    let used: Vec<_> = used.collect();
    let mut begins = used.iter().filter(|row| text(screen, **row).contains(from));
    let (first, last) = (begins.next().copied(), used.last().copied());
    let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
    let width = f32::from(columns) * CELL.0 + 2.0 * MARGIN;
    let height = f32::from(last - first + 1) * CELL.1 + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" font-size=\"14\" fill=\"{INK}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', \
         monospace\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\" stroke=\"#3d444d\"/>\n"
    );
    for row in first..=last {
        let y = MARGIN + f32::from(row - first) * CELL.1 + 13.0;
        line(&mut out, screen, row, y);
    }
    out.push_str("</svg>\n");
    out
}

fn size(screen: &Screen) -> (u16, u16) {
    let (rows, columns) = screen.size();
    (rows.get(), columns.get())
}

fn is_used(screen: &Screen, row: u16) -> bool {
    !text(screen, row).trim().is_empty()
}

fn text(screen: &Screen, row: u16) -> String {
    let (_, columns) = size(screen);
    screen
        .rows(0, columns)
        .nth(usize::from(row))
        .unwrap_or_default()
}

/// Writes the stretches of one line, each at its place and as wide as it is on the terminal.
fn line(out: &mut String, screen: &Screen, row: u16, y: f32) {
    let (_, columns) = size(screen);
    let mut column = 0;
    while column < columns {
        let (text, look) = stretch(screen, row, column, columns);
        let trimmed = text.trim_start();
        let begin = text.chars().count() - trimmed.chars().count();
        let shown = trimmed.trim_end();
        if !shown.is_empty() {
            let at = f32::from(column) + cells(begin);
            draw(out, shown, &look, (MARGIN + at * CELL.0, y));
        }
        column += u16::try_from(text.chars().count())
            .unwrap_or(columns)
            .max(1);
    }
}

/// The text from here on that looks the same.
fn stretch(screen: &Screen, row: u16, from: u16, columns: u16) -> (String, Look) {
    let first = screen.cell(row, from).map_or(PLAIN, look);
    let mut text = String::new();
    for column in from..columns {
        let Some(cell) = screen.cell(row, column).filter(|cell| look(cell) == first) else {
            break;
        };
        match cell.has_contents() {
            true => text.push_str(cell.contents()),
            false => text.push(' '),
        }
    }
    (text, first)
}

const PLAIN: Look = Look {
    colour: INK,
    bold: false,
    underline: false,
};

fn look(cell: &Cell) -> Look {
    // What is printed the other way round stands out enough if it is bright.
    let colour = match (cell.fgcolor(), cell.dim(), cell.inverse()) {
        (_, _, true) => "#ffffff",
        (Color::Idx(number), ..) => COLOURS.get(usize::from(number)).copied().unwrap_or(INK),
        (_, true, _) => FAINT,
        _ => INK,
    };
    Look {
        colour,
        bold: cell.bold() || cell.inverse(),
        underline: cell.underline(),
    }
}

fn draw(out: &mut String, text: &str, look: &Look, (x, y): (f32, f32)) {
    let width = cells(text.chars().count()) * CELL.0;
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{width:.1}\" xml:space=\"preserve\""
    );
    if look.colour != INK {
        let _ = write!(out, " fill=\"{}\"", look.colour);
    }
    if look.bold {
        out.push_str(" font-weight=\"bold\"");
    }
    if look.underline {
        out.push_str(" text-decoration=\"underline\"");
    }
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, ">{text}</text>");
}

/// A number of cells, none of which is wide: the program shows those escaped.
fn cells(count: usize) -> f32 {
    u16::try_from(count).map_or(0.0, f32::from)
}
