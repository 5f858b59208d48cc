//! Policy files for Toolgate: rules over tools, shell commands, paths and hosts.

mod finding;
mod host;
mod load;
mod path;
mod place;
mod programs;
mod shell;
mod spec;

pub use self::{
    path::{FakeFiles, Files, Look, SystemFiles},
    place::{Located, Place},
};
