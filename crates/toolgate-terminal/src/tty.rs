//! The terminal: taken over for a question, and left as it was found.

use std::{
    fmt::Write as _,
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use rustix::{
    process::getpgrp,
    termios::{
        OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcdrain, tcflush, tcgetattr,
        tcgetpgrp, tcgetwinsize, tcsetattr,
    },
};

use crate::{
    dialog::Frame,
    editor,
    error::{TerminalError, TerminalErrorKind},
    screen::{Row, Size},
    signals,
};

/// The terminal while something is asked on it. However this ends, the terminal is restored.
pub(crate) struct Tty {
    /// What the terminal can do.
    pub(crate) abilities: Abilities,
    state: Mutex<State>,
    changed: Condvar,
}

/// What a terminal can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// It has colours, and they are wanted.
    pub(crate) colours: bool,
    /// The cursor can be moved.
    pub(crate) cursor: bool,
}

struct State {
    device: File,
    before: Termios,
    raw: Termios,
    /// How many rows of the question are on the screen.
    drawn: usize,
    phase: Phase,
    /// What is to be said when an editor has given the terminal back.
    last_word: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Asking,
    /// An editor has the terminal.
    Editing,
    /// Nobody is asked any more while an editor still has the terminal.
    EndedEditing,
    /// The terminal is as it was.
    Ended,
}

impl Abilities {
    /// Looks at the environment.
    pub(crate) fn of_environment() -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let cursor = std::env::var("TERM").is_ok_and(|term| !term.is_empty() && term != "dumb");
        Self {
            colours: cursor && !set("NO_COLOR"),
            cursor,
        }
    }
}

impl Tty {
    /// Takes the terminal over.
    pub(crate) fn open() -> Result<Arc<Self>, TerminalError> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/tty");
        let device = device.map_err(TerminalError::no_terminal)?;
        if tcgetpgrp(&device)? != getpgrp() {
            return Err(TerminalError::new(TerminalErrorKind::InBackground));
        }
        let before = tcgetattr(&device)?;
        let mut raw = before.clone();
        raw.make_raw();
        // Reading returns at once, even if no key came.
        raw.special_codes[SpecialCodeIndex::VMIN] = 0;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        let tty = Arc::new(Self {
            abilities: Abilities::of_environment(),
            state: Mutex::new(State {
                device,
                before,
                raw,
                drawn: 0,
                phase: Phase::Asking,
                last_word: String::new(),
            }),
            changed: Condvar::new(),
        });
        signals::restore(&tty);
        tty.lock().take_over(tty.abilities)?;
        Ok(tty)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody is asked any more.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.lock().phase, Phase::Ended | Phase::EndedEditing)
    }

    /// Whether an editor has the terminal.
    pub(crate) fn is_editing(&self) -> bool {
        matches!(self.lock().phase, Phase::Editing | Phase::EndedEditing)
    }

    pub(crate) fn size(&self) -> Result<Size, TerminalError> {
        let size = tcgetwinsize(&self.lock().device)?;
        // A terminal that does not say how large it is has the size that all once had.
        let or = |given: u16, usual| if given == 0 { usual } else { given.into() };
        Ok(Size {
            rows: or(size.ws_row, 24),
            columns: or(size.ws_col, 80),
        })
    }

    /// Puts a frame on the screen, in place of the last one, and waits until it is there.
    pub(crate) fn draw(&self, frame: &Frame, anew: bool) -> Result<(), TerminalError> {
        let mut state = self.lock();
        if state.phase != Phase::Asking {
            return Ok(());
        }
        let mut sent = state.erasing(self.abilities, anew);
        let rows = frame
            .rows
            .iter()
            .map(|row| row.sent(self.abilities.colours));
        sent.push_str(&rows.collect::<Vec<_>>().join("\r\n"));
        if self.abilities.cursor && frame.behind > 0 {
            // Writing to a `String` cannot fail.
            let _ = write!(sent, "\x1b[{}D", frame.behind);
        }
        state.drawn = frame.rows.len();
        state.device.write_all(sent.as_bytes())?;
        Ok(tcdrain(&state.device)?)
    }

    /// Throws away what was typed so far.
    pub(crate) fn forget_input(&self) -> Result<(), TerminalError> {
        Ok(tcflush(&self.lock().device, QueueSelector::IFlush)?)
    }

    /// Reads what was typed, without waiting for it. Empty if there is nothing.
    ///
    /// It is read only while the terminal is taken over: afterwards whatever is typed is meant for
    /// somebody else, and reading it could take for ever.
    pub(crate) fn read(&self) -> Result<Vec<u8>, TerminalError> {
        let mut state = self.lock();
        if state.phase != Phase::Asking {
            return Ok(Vec::new());
        }
        let mut bytes = [0; 256];
        let count = match state.device.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            other => other?,
        };
        Ok(bytes.get(..count).unwrap_or_default().to_vec())
    }

    /// Puts a last word in place of the question, and gives the terminal back. Does nothing if
    /// that was done before.
    pub(crate) fn end(&self, last: &Row) {
        let mut state = self.lock();
        let word = last.sent(self.abilities.colours);
        match state.phase {
            Phase::Editing => {
                (state.phase, state.last_word) = (Phase::EndedEditing, word);
                // The program may be about to end. The editor, and what it edits, go first.
                let editing = |state: &mut State| state.phase != Phase::Ended;
                let _ = self
                    .changed
                    .wait_timeout_while(state, editor::PATIENCE * 2, editing);
            }
            Phase::Asking => {
                let sent = format!("{}{word}\r\n", state.erasing(self.abilities, false));
                // There is nobody left to tell if this fails.
                let _ = state.device.write_all(sent.as_bytes());
                state.give_back(self.abilities);
                state.phase = Phase::Ended;
            }
            Phase::EndedEditing | Phase::Ended => {}
        }
    }

    /// Gives the terminal to an editor.
    pub(crate) fn begin_editing(&self) -> Result<[File; 3], TerminalError> {
        let mut state = self.lock();
        let sent = state.erasing(self.abilities, false);
        state.device.write_all(sent.as_bytes())?;
        state.drawn = 0;
        state.give_back(self.abilities);
        state.phase = Phase::Editing;
        let copy = || state.device.try_clone();
        Ok([copy()?, copy()?, copy()?])
    }

    /// Takes the terminal back from an editor, or restores it if nobody is asked any more.
    pub(crate) fn end_editing(&self) -> Result<(), TerminalError> {
        let mut state = self.lock();
        if state.phase == Phase::Editing {
            state.phase = Phase::Asking;
            return state.take_over(self.abilities);
        }
        let word = format!("\r\n{}\r\n", state.last_word);
        let _ = state.device.write_all(word.as_bytes());
        state.give_back(self.abilities);
        state.phase = Phase::Ended;
        self.changed.notify_all();
        Ok(())
    }
}

impl State {
    fn take_over(&mut self, abilities: Abilities) -> Result<(), TerminalError> {
        tcsetattr(&self.device, OptionalActions::Flush, &self.raw)?;
        // Whatever stands on this line stays. What is pasted is marked as that.
        let begin = if abilities.cursor {
            "\r\n\x1b[?2004h"
        } else {
            "\r\n"
        };
        Ok(self.device.write_all(begin.as_bytes())?)
    }

    fn give_back(&mut self, abilities: Abilities) {
        if abilities.cursor {
            let _ = self.device.write_all(b"\x1b[?2004l");
        }
        let _ = tcdrain(&self.device);
        let _ = tcsetattr(&self.device, OptionalActions::Flush, &self.before);
    }

    /// What removes the question from the screen. Where that cannot be done, it goes on below.
    fn erasing(&mut self, abilities: Abilities, anew: bool) -> String {
        let rows = std::mem::take(&mut self.drawn);
        match (abilities.cursor, rows) {
            // After the window has changed, nobody knows where the rows are.
            (true, 1..) if anew => "\x1b[H\x1b[2J".to_owned(),
            (_, 0) => String::new(),
            (true, 1) => "\r\x1b[J".to_owned(),
            (true, rows) => format!("\r\x1b[{}A\x1b[J", rows - 1),
            (false, _) => "\r\n".to_owned(),
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        let mut state = self.lock();
        if state.phase != Phase::Ended {
            state.give_back(self.abilities);
        }
    }
}
