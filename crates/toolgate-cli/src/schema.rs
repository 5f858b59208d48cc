//! `toolgate schema`: the format of policy files, for editors.

use std::process::ExitCode;

use crate::{exit, fail::Fail, out};

pub(crate) const HELP: &str = "\
Editors complete and check a policy by it:
  toolgate schema > toolgate.schema.json
  in TOML, the first line    #:schema ./toolgate.schema.json
  in JSON and YAML, the key  \"$schema\": \"./toolgate.schema.json\"";

pub(crate) fn run() -> Result<ExitCode, Fail> {
    let schema = serde_json::to_string_pretty(&toolgate_policy::json_schema());
    let schema = schema.map_err(|_| Fail::own_mistake())?;
    out::print(&format!("{schema}\n"))?;
    Ok(exit::FINE.into())
}
