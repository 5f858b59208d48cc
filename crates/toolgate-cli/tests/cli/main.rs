//! The real command, run as a person runs it.

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
