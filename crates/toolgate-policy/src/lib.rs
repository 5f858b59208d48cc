//! Policy files for Toolgate: rules over tools, shell commands, paths and hosts.

mod agents;
mod alphabets;
mod binding;
mod capabilities;
mod compiled;
mod conditions;
mod diagnostic;
mod explain;
mod finding;
mod glob;
mod host;
mod import;
mod judge;
mod kinds;
mod load;
mod part;
mod path;
mod place;
mod policy;
mod programs;
mod redirects;
mod reload;
mod rules;
mod schema;
mod servers;
mod settings;
mod settle;
mod shell;
mod spec;
mod tools;

pub use self::{
    compiled::TriedExample,
    diagnostic::{Diagnostic, Diagnostics, Severity},
    explain::{
        ExplainedVote, Explanation, Nearest, Parsed, ParsedCommand, ParsedHost, ParsedLine,
        ParsedPath, ParsedWord, Says,
    },
    import::{Imported, import_llm_do},
    load::{Format, Layer, LayerKind, Layers, Loader, ParsedPolicy, parse_policy},
    part::Part,
    path::{FakeFiles, Files, Look, SystemFiles},
    place::{Located, Place},
    policy::{FilePolicy, FilePolicyLayer, FilePolicyPart, PolicyStack},
    reload::{OnChange, ReloadEvent, ReloadStatus, Reloaded, Reloading, Watching},
    schema::json_schema,
    servers::{Servers, ServersLayer},
    settings::Settings,
};

/// The code in the README is compiled, and run where it needs no file.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// The code in the tutorial is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/tutorial.md")]
mod tutorial {}
