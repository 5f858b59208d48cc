//! One question on the terminal.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread::sleep,
    time::{Duration, Instant, SystemTime},
};

use toolgate::{ApprovalDecision, Remember};

use crate::{
    dialog::{Dialog, Frame, Outcome, Status},
    editor,
    error::{TerminalError, TerminalErrorKind},
    keys::Keys,
    screen::{Row, Size, Style},
    tty::Tty,
};

/// How often it is looked whether a key came.
const LOOK: Duration = Duration::from_millis(25);

/// After so long nothing more belongs to the key before.
const SILENCE: Duration = Duration::from_millis(100);

/// Asks, until there is an answer or nobody wants one any more.
pub(crate) fn run(
    tty: &Tty,
    dialog: Dialog,
    waiting: &AtomicUsize,
) -> Result<ApprovalDecision, TerminalError> {
    let mut session = Session {
        tty,
        dialog,
        waiting,
        keys: Keys::default(),
        drawn: None,
        status: None,
        heard: Instant::now(),
    };
    loop {
        if tty.has_ended() {
            return Err(TerminalError::new(TerminalErrorKind::Withdrawn));
        }
        session.draw()?;
        if let Some(answer) = session.listen()? {
            tty.end(&summary(&session.dialog, &answer));
            return Ok(answer);
        }
    }
}

struct Session<'a> {
    tty: &'a Tty,
    dialog: Dialog,
    waiting: &'a AtomicUsize,
    keys: Keys,
    drawn: Option<(Frame, Size)>,
    status: Option<Status>,
    /// When the last byte came.
    heard: Instant,
}

impl Session<'_> {
    /// Shows what has changed.
    fn draw(&mut self) -> Result<(), TerminalError> {
        let size = self.tty.size()?;
        let status = self.status();
        let frame = self.dialog.frame(size, status, Instant::now());
        let last = self.drawn.as_ref();
        if last.is_some_and(|(drawn, _)| *drawn == frame) {
            return Ok(());
        }
        let anew = last.is_some_and(|(_, before)| *before != size);
        self.tty.draw(&frame, anew)?;
        self.drawn = Some((frame, size));
        if self.dialog.shown(Instant::now()) {
            // Whatever was typed until now was not meant for this.
            self.tty.forget_input()?;
            self.keys.clear();
        }
        Ok(())
    }

    /// How long there is, and how many wait. Where nothing can be drawn over, only as it was when
    /// a key was last pressed.
    fn status(&mut self) -> Status {
        if let Some(status) = self.status.filter(|_| !self.tty.abilities.cursor) {
            return status;
        }
        let expires = self.dialog.request().expires;
        let left = expires.map(|at| at.duration_since(SystemTime::now()).unwrap_or_default());
        let waiting = self.waiting.load(Ordering::Acquire);
        *self.status.insert(Status { waiting, left })
    }

    /// Takes keys, and returns the answer if they are one.
    fn listen(&mut self) -> Result<Option<ApprovalDecision>, TerminalError> {
        let bytes = self.tty.read()?;
        match bytes.is_empty() {
            true => sleep(LOOK),
            false => self.heard = Instant::now(),
        }
        self.keys.feed(&bytes);
        let silent = self.heard.elapsed() >= SILENCE;
        while let Some(key) = self.keys.next(silent) {
            self.status = None;
            match self.dialog.key(&key, Instant::now()) {
                Some(Outcome::Answer(answer)) => return Ok(Some(answer)),
                Some(Outcome::Edit) => {
                    self.edit()?;
                    return Ok(None);
                }
                None => {}
            }
        }
        Ok(None)
    }

    fn edit(&mut self) -> Result<(), TerminalError> {
        let Some(editor) = editor::of_environment() else {
            self.dialog.edit_here();
            return Ok(());
        };
        let edited = editor::edit(self.tty, &editor, &self.dialog.request().args);
        match edited? {
            Some(text) => self.dialog.take_edited(&text),
            None => self
                .dialog
                .say("the editor failed, and nothing was changed"),
        }
        // It is shown anew, and what was typed meanwhile was for the editor.
        self.drawn = None;
        Ok(())
    }
}

/// What stays on the screen of an answer.
fn summary(dialog: &Dialog, answer: &ApprovalDecision) -> Row {
    let tool = &dialog.request().tool;
    let (style, what) = match (answer.approved, answer.remember, answer.args.is_some()) {
        (false, ..) => (Style::Bad, "declined"),
        (true, _, true) => (Style::Good, "approved once, as edited"),
        (true, Remember::Once, false) => (Style::Good, "approved once"),
        (true, Remember::Session, false) => (Style::Good, "approved for this session"),
        (true, ..) => (Style::Good, "approved always"),
    };
    Row::of(Style::Label, "toolgate: ")
        .and(Style::Plain, format!("{tool}: "))
        .and(style, what)
}
