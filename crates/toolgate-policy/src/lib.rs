//! Policy files for Toolgate: rules over tools, shell commands, paths and hosts.

mod diagnostic;
mod finding;
mod host;
mod import;
mod load;
mod path;
mod place;
mod programs;
mod reload;
mod schema;
mod shell;
mod spec;

pub use self::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    import::{Imported, import_llm_do},
    load::{Format, Layer, LayerKind, Layers, Loader, ParsedPolicy, parse_policy},
    place::{Located, Place},
    reload::{OnChange, ReloadEvent, ReloadStatus, Reloaded, Reloading, Watching},
    schema::json_schema,
};
