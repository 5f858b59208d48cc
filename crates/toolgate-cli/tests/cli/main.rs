//! The real command, run as a person runs it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what the tests have in common is in no test"
)]

mod check;
mod demo;
mod diff;
mod explain;
mod grants;
#[cfg(unix)]
mod guide;
mod hook;
mod import;
mod init;
mod kit;
mod lint;
mod mcp;
#[cfg(unix)]
mod pictures;
mod schema;
mod test;
