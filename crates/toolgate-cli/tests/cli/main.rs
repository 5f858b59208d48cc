//! The real command, run as a person runs it.

mod check;
mod explain;
mod hook;
mod init;
mod kit;
mod lint;
mod schema;
mod test;
