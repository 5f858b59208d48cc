//! One question, from the first look at it to the answer.
//!
//! This is what happens, without the terminal: keys and sizes of windows go in, rows and answers
//! come out. Time is handed in.

mod guard;
mod pager;
mod view;

use std::time::{Duration, Instant};

use toolgate::{ApprovalDecision, ApprovalRequest, Args, Remember, Rendering};

use self::{guard::Guard, pager::Pager};
use crate::{
    keys::Key,
    line_edit::LineEdit,
    screen::{Row, Size},
};

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
        self.question = Pager::default();
        "these are the arguments as you changed them".to_owned()
    }

    /// Says something to whoever is asked.
    pub(crate) fn say(&mut self, message: &str) {
        message.clone_into(&mut self.message);
    }

    /// Notes that the last frame is on the screen. Says whether it lets somebody do what they could
    /// not do before: then no key counts that was typed until now, and none until there was silence.
    #[must_use = "what was typed until now has to be thrown away"]
    pub(crate) fn shown(&mut self, now: Instant) -> bool {
        if !self.fits {
            return false;
        }
        let pager = self.pager();
        let (first, was_complete) = (!pager.is_seen(), pager.is_complete());
        pager.see();
        let new = first || pager.is_complete() != was_complete;
        if new {
            self.guard = Guard::from(now);
        }
        new
    }

    fn pager(&mut self) -> &mut Pager {
        match self.view {
            View::Remember(_) => &mut self.options,
            _ => &mut self.question,
        }
    }

    fn can_remember(&self) -> bool {
        !self.edited && !self.request.suggestions.is_empty()
    }

    /// Takes a key.
    pub(crate) fn key(&mut self, key: &Key, now: Instant) -> Option<Outcome> {
        // Whoever wants out gets out.
        if *key == Key::Control('c') {
            return Some(decline());
        }
        if self.guard.is_early(now) {
            EARLY.clone_into(&mut self.message);
            return None;
        }
        self.message.clear();
        match std::mem::replace(&mut self.view, View::Question) {
            View::Question => self.question_key(key),
            View::Remember(remember) => self.remember_key(key, remember),
            View::Note(line) => self.note_key(key, line),
            View::Arguments(line) => {
                self.arguments_key(key, line);
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

/// What somebody is told who types too early.
const EARLY: &str = "keys count in a moment";

fn decline() -> Outcome {
    Outcome::Answer(ApprovalDecision::decline())
}

#[cfg(test)]
mod tests;
