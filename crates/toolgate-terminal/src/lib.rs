//! Asks about tool calls on the terminal.
//!
//! [`TerminalPrompt`] is a handler for [`PromptLayer`](toolgate::PromptLayer). It asks on the
//! terminal that the program was started from, even if its input and output are something else, as
//! they are for a server that speaks over standard input and output.
//!
//! # What it promises
//!
//! - **What is approved was shown.** The question is written by [`Rendering`](toolgate::Rendering):
//!   in full, with everything visible. What does not fit into the window is shown page by page, and
//!   the keys that say yes count only after the last page. What is too large to be shown is
//!   refused.
//! - **No key counts that was not meant.** Whatever was typed before the question was on the screen
//!   is thrown away, and so is what comes while somebody is still typing: keys count after half a
//!   second of silence. What is pasted is no answer.
//! - **No is the default.** Return, Escape, Ctrl-C, Ctrl-D and the end of input all say no.
//! - **One question at a time**; the others wait, and it says how many do.
//! - **The terminal is left as it was found**: after an answer, when the question is withdrawn, if
//!   something panics, and if the program is ended by a signal.
//!
//! Whoever edits the arguments is shown them once more, and approves what is then on the screen.
//!
//! # Example
//!
//! ```no_run
//! use toolgate::{GateLayer, PromptLayer, ReviewLayer};
//! use toolgate_terminal::TerminalPrompt;
//! use tower::ServiceBuilder;
//!
//! # fn make<T: Clone>(tools: T) {
//! let stack = ServiceBuilder::new()
//!     .layer(ReviewLayer::new())
//!     .layer(PromptLayer::new(TerminalPrompt::new()))
//!     .layer(GateLayer::new())
//!     .service(tools);
//! # }
//! ```
//!
//! # Limits
//!
//! For Unix only. Two programs that ask on one terminal at the same time disturb each other, and so
//! do two [`TerminalPrompt`]s in one program: clone one. Nothing can restore the terminal after
//! `SIGKILL`, nor where a program ends without unwinding (`std::process::exit`, `panic = "abort"`)
//! while it asks.

#![cfg(unix)]

mod dialog;
mod editor;
mod error;
mod highlight;
mod keys;
mod layout;
mod line_edit;
mod menu;
mod prompt;
mod screen;
mod session;
mod signals;
mod tty;

pub use self::{
    error::{TerminalError, TerminalErrorKind},
    prompt::{TerminalFuture, TerminalPrompt},
};
