//! What an imported policy allows, the system that it comes from would have allowed.
//!
//! For each system there is a judge here that works as that system does, written from its
//! documentation and using nothing of ours. Random configurations are imported, and random calls
//! are put to both.

mod claude;
mod codex;
mod gemini;
mod kit;
mod opencode;
