//! The gateway between a small client and a small server.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::exit,
    unreachable_pub,
    reason = "tests"
)]

mod client;
mod hostile;
mod http;
mod judging;
mod many;
mod passing;
mod server;
mod stateless;
