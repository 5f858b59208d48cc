//! The real command, run as a person runs it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what the tests have in common is in no test"
)]

mod check;
mod demo;
mod diff;
mod explain;
mod grants;
mod hook;
mod import;
mod init;
mod kit;
mod lint;
mod schema;
mod test;
