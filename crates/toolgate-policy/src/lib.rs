//! Policy files for Toolgate: rules over tools, shell commands, paths and hosts.

mod agents;
mod binding;
mod capabilities;
mod conditions;
mod finding;
mod host;
mod load;
mod path;
mod place;
mod programs;
mod rules;
mod servers;
mod shell;
mod spec;
mod tools;

pub use self::place::{Located, Place};
pub use self::servers::{Servers, ServersLayer};
