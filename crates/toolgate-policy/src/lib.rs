//! Policy files for Toolgate: rules over tools, shell commands, paths and hosts.

mod agents;
mod binding;
mod capabilities;
mod conditions;
mod diagnostic;
mod finding;
mod host;
mod load;
mod part;
mod path;
mod place;
mod programs;
mod rules;
mod servers;
mod shell;
mod spec;
mod tools;

pub use self::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    load::{Format, ParsedPolicy, parse_policy},
    part::Part,
    place::{Located, Place},
    servers::{Servers, ServersLayer},
};
