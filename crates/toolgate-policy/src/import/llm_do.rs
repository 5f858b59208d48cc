//! The YAML configuration of llm-do: sandbox paths, custom tools, shell rules.
//!
//! There the first rule that matches decides, a rule matches every line that begins with its text,
//! and paths outside of all sandboxes are blocked. Here the strictest rule decides and rules match
//! whole words. Wherever the two differ, what comes out permits less, and a loss is reported.

mod paths;
mod read;
mod shell;

use self::read::Config;
use super::{
    Imported,
    write::{self, Rule, Section},
};
use crate::{
    Diagnostics, Format, Settings,
    diagnostic::{Diagnostic, quoted},
    load,
};

/// Makes a policy out of the YAML configuration of llm-do. `name` is what reports call the file.
///
/// # Errors
///
/// Says what is wrong with the configuration, or which restriction of it cannot be carried over.
///
/// # Example
///
/// ```
/// let yaml = "
/// shell_default: { allowed: false }
/// shell_rules:
///   - { pattern: git status, approval_required: false }
/// ";
/// let imported = toolgate_policy::import_llm_do("worker.yaml", yaml)?;
/// assert!(imported.toml.contains("\"git status *\""));
/// # Ok::<(), toolgate_policy::Diagnostics>(())
/// ```
pub fn import_llm_do(name: &str, yaml: &str) -> Result<Imported, Diagnostics> {
    let (config, mut losses) = read::config(name, yaml)?;
    let toml = policy(&config, &mut losses);
    losses.sort();
    if losses.has_errors() {
        return Err(losses);
    }
    // What we write has to be a policy; if it is not, nobody should have to find out later.
    let settings = Settings::new().with_base("/").with_home("/");
    load::parse_policy(&toml, Format::Toml)?.compile(None, &settings)?;
    Ok(Imported { toml, losses })
}

fn policy(config: &Config, losses: &mut Diagnostics) -> String {
    let blocked = config
        .default
        .as_ref()
        .is_some_and(|default| !default.allowed);
    let default = if blocked { "deny" } else { "ask" };
    let mut out = format!(
        "# Imported from the configuration of llm-do.\nversion = 1\ndefault = \"{default}\"\n"
    );
    if config.has_sandbox {
        // Roots are relative to the directory of the configuration.
        out.push_str("workspace = \".\"\n");
    }
    let (read, write) = paths::sections(config, losses);
    write::section(&mut out, "shell", &shell::section(config, losses));
    write::section(&mut out, "read", &read);
    write::section(&mut out, "write", &write);
    write::section(&mut out, "tools", &tools(config, losses));
    out
}

/// Custom tools, and those that are always asked about.
fn tools(config: &Config, losses: &mut Diagnostics) -> Section {
    let mut section = Section::default();
    for tool in &config.custom_tools {
        let message = format!("{} is asked about", quoted(&tool.value));
        losses.push(
            Diagnostic::note("custom-tool", tool.place.clone(), message)
                .with_label("whether it asks for itself is written in its code")
                .with_help("move it to `allow` if it runs without approval"),
        );
        section.ask.push(Rule::new(&tool.value));
    }
    for tool in ["worker_call", "worker_create"] {
        section.ask.push(Rule::new(tool));
    }
    section
}
