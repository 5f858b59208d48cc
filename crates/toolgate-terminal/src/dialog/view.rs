//! What a dialog looks like.

use std::time::{Duration, Instant};

use toolgate::{LineKind, Remember, RenderedLine};

use super::{Dialog, EARLY, Frame, Status, View, pager::Pager};
use crate::{
    layout,
    menu::{self, Item},
    screen::{Row, Size, Style, broken, width},
};

/// As many grants as are offered: one for each digit.
const OFFERED: usize = 9;

/// What is asked for, and what happens without an answer.
const DEFAULT: &str = "Your answer (no): ";

impl Dialog {
    /// What the screen shows, in a window of this size.
    pub(crate) fn frame(&mut self, size: Size, status: Status, now: Instant) -> Frame {
        (self.size, self.fits) = (size, false);
        if self.message == EARLY && self.guard.is_open(now) {
            self.message.clear();
        }
        if !size.is_enough() {
            (self.question, self.options) = (Pager::default(), Pager::default());
            let text = "The window is too small to show the question. Esc: no";
            let most = broken(text, size.columns.max(3) - 1, true).into_iter();
            let rows = most
                .take(size.rows.max(1))
                .map(|row| Row::of(Style::Warning, row));
            return Frame {
                rows: rows.collect(),
                behind: 0,
            };
        }
        // The last column stays free: terminals differ in what happens there.
        let columns = size.columns - 1;
        let body = self.body(columns);
        let (input, behind) = self.input(columns);
        // Which keys count depends on whether there is more to see.
        let menus = [true, false].map(|all| menu::rows(&self.items(all), columns));
        let menu = menus.iter().map(Vec::len).max().unwrap_or(0);
        let room = size.rows.saturating_sub(2 + menu + input.len());
        self.pager().fit(body.len(), room, columns);
        let page = self.pager().page();
        let [all, not_all] = menus;
        let mut rows = vec![title(columns, status)];
        rows.extend(body.into_iter().skip(page.start).take(page.len()));
        rows.push(self.separator(columns));
        rows.extend(if self.pager().ends_here() {
            all
        } else {
            not_all
        });
        rows.extend(input);
        self.fits = rows.len() <= size.rows && rows.iter().all(|row| row.width() <= columns);
        Frame { rows, behind }
    }

    fn body(&self, columns: usize) -> Vec<Row> {
        let View::Remember(remember) = self.view else {
            return layout::question(&self.rendering, &self.request, columns, self.details);
        };
        let how_long = match remember {
            Remember::Session => "Yes, and for the rest of this session do not ask about:",
            _ => "Yes, and from now on never again ask about:",
        };
        let heading = broken(how_long, columns, true).into_iter();
        let mut rows: Vec<_> = heading.map(|row| Row::of(Style::Title, row)).collect();
        for (index, line) in self.offered().enumerate() {
            let style = if index == 0 {
                Style::Plain
            } else {
                Style::Warning
            };
            let pieces = broken(line, columns.saturating_sub(5), true)
                .into_iter()
                .enumerate();
            rows.extend(pieces.map(|(index, piece)| {
                let indent = if index == 0 { "  " } else { "     " };
                Row::of(Style::Plain, indent).and(style, piece)
            }));
        }
        let more = self.request.suggestions.len().saturating_sub(OFFERED);
        if more > 0 {
            let text = format!("({more} broader ones are not offered here)");
            let pieces = broken(&text, columns, true).into_iter();
            rows.extend(pieces.map(|piece| Row::of(Style::Label, piece)));
        }
        rows
    }

    /// What the answer can be remembered for, from narrow to broad, with its number.
    fn offered(&self) -> impl Iterator<Item = &str> {
        let lines = self.rendering.lines().iter();
        let offered = lines.filter(|line| line.kind() == LineKind::Suggestion);
        offered.map(RenderedLine::text).take(OFFERED)
    }

    fn separator(&mut self, columns: usize) -> Row {
        let text = self.pager().position();
        let dashes = columns.saturating_sub(text.len() + 4);
        Row::of(Style::Label, format!("-- {text} {}", "-".repeat(dashes)))
    }

    /// The keys that count, if everything was shown or not.
    fn items(&self, all: bool) -> Vec<Item> {
        let back = || Item("Esc", "back");
        match &self.view {
            View::Note(_) => vec![Item("Enter", "no, and say this"), back()],
            View::Arguments(_) => vec![Item("Enter", "show the call with these"), back()],
            View::Remember(_) => {
                let pick = Item("1-9", "choose");
                match all {
                    true => vec![pick, back()],
                    false => vec![pick, Item("Space", "next page"), back()],
                }
            }
            View::Question => self.question_items(all),
        }
    }

    fn question_items(&self, all: bool) -> Vec<Item> {
        let mut items = Vec::new();
        if !all {
            items.extend([Item("Space", "next page"), Item("b", "page back")]);
        } else if self.edited {
            items.push(Item("y", "yes, with these arguments"));
        } else {
            items.push(Item("y", "yes, once"));
            if self.can_remember() {
                items.extend([Item("s", "for this session"), Item("a", "always")]);
            }
        }
        items.extend([Item("n", "no"), Item("m", "no, and say why")]);
        if self.request.editable {
            items.push(Item("e", "edit"));
        }
        items.push(match self.details {
            false => Item("d", "details"),
            true => Item("d", "fewer details"),
        });
        items
    }

    /// The rows in which somebody types, and how much of the last is behind the cursor.
    fn input(&self, columns: usize) -> (Vec<Row>, usize) {
        let (prompt, line) = match &self.view {
            View::Note(line) => ("Why not? ", line),
            View::Arguments(line) => ("Arguments: ", line),
            View::Question | View::Remember(_) => return (self.answer(columns), 0),
        };
        let (before, after) = line.shown();
        let text = format!("{prompt}{before}{after}");
        let rows = broken(&text, columns, false)
            .into_iter()
            .map(|row| Row::of(Style::Title, row));
        let mut rows: Vec<_> = rows.collect();
        // Whoever types that much sees the end of it.
        let most = (self.size.rows / 3).max(1);
        rows.drain(..rows.len().saturating_sub(most));
        let last = rows.last().map_or(0, Row::width);
        (rows, width(&after).min(last))
    }
}

impl Dialog {
    /// Where the answer is typed, and what was said about the last one, in full.
    fn answer(&self, columns: usize) -> Vec<Row> {
        let asked = Row::of(Style::Title, DEFAULT);
        if width(&self.message) <= columns.saturating_sub(DEFAULT.len()) {
            return vec![asked.and(Style::Warning, &*self.message)];
        }
        let said = broken(&self.message, columns, true).into_iter();
        let said = said.map(|row| Row::of(Style::Warning, row));
        said.chain([asked]).collect()
    }
}

fn title(columns: usize, status: Status) -> Row {
    const TITLE: &str = "May this call run?";
    let mut right = String::new();
    if status.waiting > 0 {
        right = format!("1 of {}", status.waiting + 1);
    }
    if let Some(left) = status.left {
        let gap = if right.is_empty() { "" } else { "   " };
        let seconds = left.as_secs();
        right = format!("{right}{gap}{}:{:02} left", seconds / 60, seconds % 60);
    }
    let room = columns.saturating_sub(TITLE.len());
    let soon = status
        .left
        .is_some_and(|left| left < Duration::from_secs(30));
    let style = if soon { Style::Warning } else { Style::Label };
    Row::of(Style::Title, TITLE).and(style, format!("{right:>room$}"))
}
