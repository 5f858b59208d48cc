//! The keys of a policy, and those of its `[env.NAME]` sections.

use super::{
    decode::{Decoder, Field, Fields},
    node::{Entry, Kind},
    sections, shape, tools, words,
};
use crate::{
    diagnostic::quoted,
    spec::{PathSpec, PolicySpec},
};

/// The keys of a policy.
pub(crate) const POLICY: Fields<PolicySpec> = &[BASE, COMMON];

/// The keys of a section for one environment.
pub(crate) const ENVIRONMENT: Fields<PolicySpec> = &[OVERLAY, COMMON];

/// What only the policy as a whole may say.
const BASE: &[Field<PolicySpec>] = &[
    Field {
        key: "$schema",
        about: "The JSON Schema of this file, for editors.",
        schema: shape::text,
        read: |d, _, e| drop(d.text(e)),
    },
    Field {
        key: "version",
        about: "The version of the format. Only 1 is known.",
        schema: || serde_json::json!({ "const": VERSION }),
        read: |d, spec, e| spec.version = d.version(e),
    },
    Field {
        key: "workspace",
        about: "The directory that relative patterns are relative to.",
        schema: shape::text,
        read: |d, spec, e| spec.workspace = d.text(e),
    },
    Field {
        key: "fs",
        about: "Whether the file system tells capital letters apart. Missing means that it does.",
        schema: || shape::words(words::FILE_SYSTEMS),
        read: |d, spec, e| spec.fs = d.word(e, words::FILE_SYSTEMS),
    },
    Field {
        key: "registry",
        about: "The tools there are. Any other name is denied.",
        schema: shape::texts,
        read: |d, spec, e| spec.registry = Some(d.texts(e)),
    },
    Field {
        key: "env",
        about: "What is different in an environment, by its name.",
        schema: || {
            let section = shape::defined("environment");
            serde_json::json!({ "type": "object", "additionalProperties": section })
        },
        read: |d, spec, e| d.environments(spec, e),
    },
];

/// What only an environment may say.
const OVERLAY: &[Field<PolicySpec>] = &[
    Field {
        key: "dangerous_lift",
        about: "Ids of rules of the policy that do not hold in this environment.",
        schema: shape::texts,
        read: |d, spec, e| spec.dangerous_lift = d.texts(e),
    },
    Field {
        key: "dangerous_loosen",
        about: "Lets settings of this environment be looser than those of the policy.",
        schema: shape::flag,
        read: |d, spec, e| spec.dangerous_loosen = d.flag(e),
    },
];

/// What both may say.
const COMMON: &[Field<PolicySpec>] = &[
    Field {
        key: "default",
        about: "What holds where no rule speaks. Missing means `ask`.",
        schema: || shape::words(words::DEFAULTS),
        read: |d, spec, e| spec.default = d.word(e, words::DEFAULTS),
    },
    Field {
        key: "dangerous_default_allow",
        about: "Has to be true for `default = \"allow\"` and `mode = \"yolo\"`.",
        schema: shape::flag,
        read: |d, spec, e| spec.dangerous_default_allow = d.flag(e),
    },
    Field {
        key: "dangerous_allow_all",
        about: "Has to be true for the pattern `*` among what is allowed.",
        schema: shape::flag,
        read: |d, spec, e| spec.dangerous_allow_all = d.flag(e),
    },
    Field {
        key: "mode",
        about: "How questions are answered.",
        schema: || shape::words(words::MODES),
        read: |d, spec, e| spec.mode = d.word(e, words::MODES),
    },
    Field {
        key: "deadline",
        about: "How long somebody may think, such as `5m` or `90s`.",
        schema: shape::duration,
        read: |d, spec, e| spec.deadline = d.duration(e),
    },
    Field {
        key: "protected",
        about: "Which files are protected against writing, whatever is allowed.",
        schema: || shape::words(words::PROTECTED),
        read: |d, spec, e| spec.protected = d.word(e, words::PROTECTED),
    },
    Field {
        key: "allowed_servers",
        about: "The servers whose tools may be called at all.",
        schema: shape::texts,
        read: |d, spec, e| spec.allowed_servers = Some(d.texts(e)),
    },
    Field {
        key: "trusted_servers",
        about: "The servers whose hints are believed.",
        schema: shape::texts,
        read: |d, spec, e| spec.trusted_servers = d.texts(e),
    },
    Field {
        key: "auto_allow_read_only",
        about: "Allows tools of trusted servers that say that they only read.",
        schema: shape::flag,
        read: |d, spec, e| spec.auto_allow_read_only = d.flag(e),
    },
    Field {
        key: "secrets",
        about: "Values that must not leave.",
        schema: shape::texts,
        read: |d, spec, e| d.secrets(spec, e),
    },
    Field {
        key: "shell",
        about: "Rules over command lines.",
        schema: || shape::defined("shell"),
        read: |d, spec, e| spec.shell = d.section(e, sections::SHELL),
    },
    Field {
        key: "read",
        about: "Rules over paths that are read.",
        schema: || shape::defined("paths"),
        read: |d, spec, e| spec.read = d.section::<PathSpec>(e, sections::PATHS),
    },
    Field {
        key: "write",
        about: "Rules over paths that are written.",
        schema: || shape::defined("paths"),
        read: |d, spec, e| spec.write = d.section::<PathSpec>(e, sections::PATHS),
    },
    Field {
        key: "fetch",
        about: "Rules over hosts.",
        schema: || shape::defined("fetch"),
        read: |d, spec, e| spec.fetch = d.section(e, sections::FETCH),
    },
    Field {
        key: "capabilities",
        about: "Rules over what tools can do.",
        schema: || shape::defined("capabilities"),
        read: |d, spec, e| spec.capabilities = d.section(e, sections::CAPABILITIES),
    },
    Field {
        key: "tools",
        about: "Rules over tools by name, and what is said of single tools.",
        schema: || shape::defined("tools"),
        read: |d, spec, e| spec.tools = tools::read(d, e),
    },
];

/// The version of the format that is read.
const VERSION: u32 = 1;

impl Decoder<'_> {
    /// Reads a whole policy.
    pub(super) fn policy(&mut self, entries: &[Entry<'_>]) -> PolicySpec {
        let mut spec = PolicySpec::default();
        self.table(entries, POLICY, &mut spec, sections::elsewhere);
        spec
    }

    fn version(&mut self, entry: &Entry<'_>) -> Option<crate::Located<u32>> {
        let Kind::Number(number) = &entry.value.kind else {
            self.wrong_type(entry, "the number 1");
            return None;
        };
        if number.as_u64() == Some(u64::from(VERSION)) {
            return Some(self.located(VERSION, entry.value.span));
        }
        let message = format!("version {number} of the format is not known");
        let problem = self
            .report
            .error("unknown-version", entry.value.span, message)
            .with_help("this release reads version 1");
        self.report.push(problem);
        None
    }

    fn secrets(&mut self, spec: &mut PolicySpec, entry: &Entry<'_>) {
        self.hide(&entry.value);
        spec.secrets = self.raw_texts(entry);
    }

    fn environments(&mut self, spec: &mut PolicySpec, entry: &Entry<'_>) {
        for section in self.entries(entry).unwrap_or_default() {
            let Some(entries) = self.entries(section) else {
                continue;
            };
            if section.key.trim().is_empty() {
                let message = "an environment needs a name";
                let problem = self.report.error("empty-string", section.key_span, message);
                self.report.push(problem);
            }
            let mut overlay = PolicySpec::default();
            self.table(entries, ENVIRONMENT, &mut overlay, of_the_base);
            let name = self.located(section.key.clone().into_owned(), section.key_span);
            spec.env.push((name, overlay));
        }
    }
}

/// What is said of a key that an environment does not know.
fn of_the_base(key: &str) -> Option<String> {
    let base = BASE.iter().any(|field| field.key == key);
    let said = || {
        format!(
            "{} is said once, for the whole policy and not for an environment",
            quoted(key)
        )
    };
    base.then(said).or_else(|| sections::elsewhere(key))
}
