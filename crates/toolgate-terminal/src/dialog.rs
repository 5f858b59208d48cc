//! One question, from the first look at it to the answer.
//!
//! This is what happens, without the terminal: keys and sizes of windows go in, rows and answers
//! come out. Time is handed in.

mod guard;
mod pager;

use std::time::{Duration, Instant};

use toolgate::{ApprovalDecision, ApprovalRequest, Args, LineKind, Remember, Rendering};

use self::{guard::Guard, pager::Pager};
use crate::{
    keys::Key,
    layout,
    line_edit::LineEdit,
    menu::{self, Item},
    screen::{Row, Size, Style, broken},
};

/// As many grants as are offered: one for each digit.
const OFFERED: usize = 9;

/// A question that is being asked.
pub(crate) struct Dialog {
    /// The question as it is shown, perhaps with arguments that were edited.
    request: ApprovalRequest,
    rendering: Rendering,
    edited: bool,
    view: View,
    details: bool,
    question: Pager,
    options: Pager,
    guard: Guard,
    message: String,
    size: Size,
    /// Whether the last frame fits into the window, so that nothing of it scrolls out of sight.
    fits: bool,
}

/// What the keys are for.
enum View {
    Question,
    /// Choosing for what, and for how long, the answer is remembered.
    Remember(Remember),
    /// A word for the model.
    Note(LineEdit),
    /// The arguments, on one line.
    Arguments(LineEdit),
}

/// What somebody wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// This is the answer.
    Answer(ApprovalDecision),
    /// The arguments are to be edited elsewhere.
    Edit,
}

/// What the dialog cannot know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    /// How many other questions wait.
    pub(crate) waiting: usize,
    /// How long there is to answer.
    pub(crate) left: Option<Duration>,
}

/// What is on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) rows: Vec<Row>,
    /// How many columns of the last row are behind the cursor.
    pub(crate) behind: usize,
}

impl Dialog {
    pub(crate) fn new(request: ApprovalRequest, rendering: Rendering) -> Self {
        Self {
            request,
            rendering,
            edited: false,
            view: View::Question,
            details: false,
            question: Pager::default(),
            options: Pager::default(),
            guard: Guard::default(),
            message: String::new(),
            size: Size {
                rows: 0,
                columns: 0,
            },
            fits: false,
        }
    }

    pub(crate) fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    /// Takes arguments that somebody has edited, to be looked at once more. Says so if they are
    /// none, or the same.
    pub(crate) fn take_edited(&mut self, text: &str) {
        self.view = View::Question;
        self.message = match Args::parse(text) {
            Err(error) => format!("not taken: {error}"),
            Ok(args) if args == self.request.args => "nothing was changed".to_owned(),
            Ok(args) => self.show_edited(args),
        };
    }

    fn show_edited(&mut self, args: Args) -> String {
        let request = self.request.edited(args);
        let Ok(rendering) = Rendering::of(&request) else {
            return "not taken: too large to be shown in full".to_owned();
        };
        (self.request, self.rendering, self.edited) = (request, rendering, true);
        (self.question, self.guard) = (Pager::default(), Guard::default());
        "these are the arguments as you changed them".to_owned()
    }

    /// Says something to whoever is asked.
    pub(crate) fn say(&mut self, message: &str) {
        message.clone_into(&mut self.message);
    }

    /// What the screen shows, in a window of this size.
    pub(crate) fn frame(&mut self, size: Size, status: Status, now: Instant) -> Frame {
        (self.size, self.fits) = (size, false);
        if self.message == EARLY && self.guard.is_open(now) {
            self.message.clear();
        }
        if !size.is_enough() {
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

    /// Notes that the last frame is on the screen.
    pub(crate) fn shown(&mut self, now: Instant) {
        if self.fits {
            self.pager().see();
            self.guard.shown(now);
        }
    }

    fn pager(&mut self) -> &mut Pager {
        match self.view {
            View::Remember(_) => &mut self.options,
            _ => &mut self.question,
        }
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
            let text = format!("  (and {more} broader ones)");
            rows.push(Row::of(Style::Label, text));
        }
        rows
    }

    /// What the answer can be remembered for, from narrow to broad, with its number.
    fn offered(&self) -> impl Iterator<Item = &str> {
        let lines = self.rendering.lines().iter();
        let offered = lines.filter(|line| line.kind() == LineKind::Suggestion);
        offered.map(toolgate::RenderedLine::text).take(OFFERED)
    }

    fn can_remember(&self) -> bool {
        !self.edited && !self.request.suggestions.is_empty()
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
            View::Question | View::Remember(_) => {
                let room = columns.saturating_sub(DEFAULT.len());
                let said = broken(&self.message, room, true).into_iter().next();
                let row = Row::of(Style::Title, DEFAULT).and(Style::Warning, said.unwrap_or(""));
                return (vec![row], 0);
            }
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
        (rows, crate::screen::width(&after).min(last))
    }

    /// Takes a key.
    pub(crate) fn key(&mut self, key: Key, now: Instant) -> Option<Outcome> {
        // Whoever wants out gets out.
        if key == Key::Control('c') {
            return Some(decline());
        }
        if self.guard.is_early(now) {
            EARLY.clone_into(&mut self.message);
            return None;
        }
        self.message.clear();
        match std::mem::replace(&mut self.view, View::Question) {
            View::Question => self.question_key(&key),
            View::Remember(remember) => self.remember_key(&key, remember),
            View::Note(line) => self.note_key(&key, line),
            View::Arguments(line) => {
                self.arguments_key(&key, line);
                None
            }
        }
    }

    fn question_key(&mut self, key: &Key) -> Option<Outcome> {
        match key {
            Key::Char('n' | 'q') | Key::Enter | Key::Escape | Key::Control('d') => {
                return Some(decline());
            }
            Key::Char('y') if self.may_approve() => return Some(self.once()),
            Key::Char('s') if self.can_remember() && self.may_approve() => {
                self.choose(Remember::Session);
            }
            Key::Char('a') if self.can_remember() && self.may_approve() => {
                self.choose(Remember::Always);
            }
            Key::Char('m') => self.view = View::Note(LineEdit::default()),
            Key::Char('e') if self.request.editable => return Some(Outcome::Edit),
            Key::Char('d') => {
                self.details = !self.details;
                self.question = Pager::default();
            }
            Key::Paste(_) => "what is pasted is no answer".clone_into(&mut self.message),
            _ => self.question.turn(key),
        }
        None
    }

    /// Whether a yes counts: everything was on the screen.
    fn may_approve(&mut self) -> bool {
        let may = self.question.is_complete() && self.fits;
        if !may {
            "yes counts after the last page".clone_into(&mut self.message);
        }
        may
    }

    fn once(&self) -> Outcome {
        Outcome::Answer(match self.edited {
            true => ApprovalDecision::edit(self.request.args.clone()),
            false => ApprovalDecision::approve(),
        })
    }

    fn choose(&mut self, remember: Remember) {
        self.options = Pager::default();
        self.view = View::Remember(remember);
    }

    fn remember_key(&mut self, key: &Key, remember: Remember) -> Option<Outcome> {
        self.view = View::Remember(remember);
        match key {
            Key::Control('d') => return Some(decline()),
            Key::Escape | Key::Enter | Key::Backspace => self.view = View::Question,
            Key::Char(digit @ '1'..='9') => return self.chosen(*digit, remember),
            _ => self.options.turn(key),
        }
        None
    }

    fn chosen(&mut self, digit: char, remember: Remember) -> Option<Outcome> {
        if !self.options.is_complete() || !self.fits {
            "choosing counts after the last page".clone_into(&mut self.message);
            return None;
        }
        let index = usize::try_from(digit.to_digit(10)?).ok()?.checked_sub(1)?;
        let suggestion = self.request.suggestions.get(index)?;
        let yes = ApprovalDecision::approve().remembered(remember);
        Some(Outcome::Answer(yes.suggested(suggestion)))
    }

    fn note_key(&mut self, key: &Key, mut line: LineEdit) -> Option<Outcome> {
        match key {
            Key::Escape => return None,
            Key::Enter => {
                let (text, no) = (line.text(), ApprovalDecision::decline());
                let note = text.trim();
                return Some(Outcome::Answer(match note.is_empty() {
                    true => no,
                    false => no.with_note(note),
                }));
            }
            key => line.key(key),
        }
        self.view = View::Note(line);
        None
    }

    /// Begins to edit the arguments here, for want of an editor.
    pub(crate) fn edit_here(&mut self) {
        let text = serde_json::to_string(&self.request.args).unwrap_or_default();
        let room = self
            .size
            .columns
            .saturating_mul(self.size.rows.saturating_sub(6) / 2);
        match text.len() < room {
            true => self.view = View::Arguments(LineEdit::new(&text)),
            false => self.say("too long to be edited here: set EDITOR"),
        }
    }

    fn arguments_key(&mut self, key: &Key, mut line: LineEdit) {
        match key {
            Key::Escape => {}
            Key::Enter => self.take_edited(&line.text()),
            key => {
                line.key(key);
                self.view = View::Arguments(line);
            }
        }
    }
}

/// What is asked for, and what happens without an answer.
const DEFAULT: &str = "Your answer (no): ";

/// What somebody is told who types too early.
const EARLY: &str = "keys count in a moment";

fn decline() -> Outcome {
    Outcome::Answer(ApprovalDecision::decline())
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

#[cfg(test)]
mod tests;
