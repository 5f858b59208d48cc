//! Runs recorded behaviour of other systems against Toolgate.
//!
//! A corpus is a file with one case a line: a composition of some source system, a call, and
//! what was observed. The runner expresses the composition with Toolgate's named parts, sends
//! the call through a real stack with a tool that takes down its runs, and compares.
//!
//! - `case`, `expectation`: what is written in the file, and which of it is to be compared.
//! - `bench`, `answer`, `fault`: the stack, its tool and its handler, and what can go wrong.
//! - `seen`, `compare`: what happened, in the words of the source system, against the case.
//! - `systems`: one file for each source system.
//! - `attacks`: a corpus of another form: what must not happen, and what must.
//!
//! A field or a word that the runner does not know fails the case. What the library cannot
//! express, or not yet, is [skipped](Skip) with the reason, once the case was read completely.

mod answer;
mod attacks;
mod bench;
mod case;
mod compare;
mod expectation;
mod fault;
mod python;
mod report;
mod runner;
mod seen;
mod skip;
mod systems;

pub use self::{
    attacks::attacks,
    report::{Finding, Report},
    runner::seed_behaviour,
    skip::{Outside, Skip},
};

#[cfg(test)]
mod tests;
