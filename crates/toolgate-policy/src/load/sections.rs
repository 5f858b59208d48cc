//! The sections with rules: `[shell]`, `[read]`, `[write]`, `[fetch]`, `[capabilities]`.

use super::{
    decode::{Decoder, Field, Fields},
    node::{Entry, Kind},
    rules::{self, RuleKind},
    shape, tools, words,
};
use crate::{
    Located,
    spec::{FetchSpec, PathSpec, RuleLists, ShellSpec},
};

/// The keys of `[shell]`.
pub(crate) const SHELL: Fields<ShellSpec> = &[&[
    Field {
        key: "allow",
        about: "Command lines that may run.",
        schema: || shape::rules("shell_rule"),
        read: |d, spec, e| spec.rules.allow = rules::read(d, e, RuleKind::Shell),
    },
    Field {
        key: "ask",
        about: "Command lines about which somebody is asked.",
        schema: || shape::rules("shell_rule"),
        read: |d, spec, e| spec.rules.ask = rules::read(d, e, RuleKind::Shell),
    },
    Field {
        key: "deny",
        about: "Command lines that never run.",
        schema: || shape::rules("shell_rule"),
        read: |d, spec, e| spec.rules.deny = rules::read(d, e, RuleKind::Shell),
    },
    Field {
        key: "env_allow",
        about: "Names of variables that may be set in front of a command.",
        schema: shape::texts,
        read: |d, spec, e| spec.env_allow = d.texts(e),
    },
    Field {
        key: "transparent_wrappers",
        about: "Programs that run another one and change nothing about it.",
        schema: shape::texts,
        read: |d, spec, e| spec.transparent_wrappers = d.texts(e),
    },
    Field {
        key: "redirect_allow",
        about: "Paths that output may be redirected to, beside what `[write]` allows.",
        schema: shape::texts,
        read: |d, spec, e| spec.redirect_allow = d.texts(e),
    },
    Field {
        key: "dialect",
        about: "The shell that runs the line. Missing means bash.",
        schema: || shape::words(words::DIALECTS),
        read: |d, spec, e| spec.dialect = d.word(e, words::DIALECTS),
    },
    Field {
        key: "workspace_only",
        about: "Says that operands have to lie in the workspace.",
        schema: shape::flag,
        read: |d, spec, e| spec.workspace_only = d.flag(e),
    },
    Field {
        key: "outside",
        about: "What becomes of operands outside the workspace. Missing means `ask`.",
        schema: || shape::words(words::OUTSIDE),
        read: |d, spec, e| spec.outside = d.word(e, words::OUTSIDE),
    },
]];

/// The keys of `[read]` and `[write]`.
pub(crate) const PATHS: Fields<PathSpec> = &[&[
    Field {
        key: "allow",
        about: "Paths that may be used.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.rules.allow = rules::read(d, e, RuleKind::Path),
    },
    Field {
        key: "ask",
        about: "Paths about which somebody is asked.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.rules.ask = rules::read(d, e, RuleKind::Path),
    },
    Field {
        key: "deny",
        about: "Paths that are never used.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.rules.deny = rules::read(d, e, RuleKind::Path),
    },
]];

/// The keys of `[fetch]`.
pub(crate) const FETCH: Fields<FetchSpec> = &[&[
    Field {
        key: "allow",
        about: "Hosts that may be talked to.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.rules.allow = rules::read(d, e, RuleKind::Host),
    },
    Field {
        key: "ask",
        about: "Hosts about which somebody is asked.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.rules.ask = rules::read(d, e, RuleKind::Host),
    },
    Field {
        key: "deny",
        about: "Hosts that are never talked to.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.rules.deny = rules::read(d, e, RuleKind::Host),
    },
    Field {
        key: "schemes",
        about: "Schemes of addresses. Missing means `https` only.",
        schema: shape::texts,
        read: |d, spec, e| spec.schemes = Some(d.texts(e)),
    },
    Field {
        key: "ports",
        about: "Ports. Missing means the usual one of the scheme.",
        schema: shape::ports,
        read: |d, spec, e| spec.ports = Some(d.ports(e)),
    },
    Field {
        key: "dangerous_private",
        about: "Lets rules cover private, loopback and link-local addresses.",
        schema: shape::flag,
        read: |d, spec, e| spec.dangerous_private = d.flag(e).is_some_and(|flag| flag.value),
    },
]];

/// The keys of `[capabilities]`.
pub(crate) const CAPABILITIES: Fields<RuleLists> = &[&[
    Field {
        key: "allow",
        about: "Capabilities with which a tool may run.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.allow = rules::read(d, e, RuleKind::Capability),
    },
    Field {
        key: "ask",
        about: "Capabilities about which somebody is asked.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.ask = rules::read(d, e, RuleKind::Capability),
    },
    Field {
        key: "deny",
        about: "Capabilities with which a tool never runs.",
        schema: || shape::rules("rule"),
        read: |d, spec, e| spec.deny = rules::read(d, e, RuleKind::Capability),
    },
]];

/// What a section with rules has in common with every other one.
pub(super) trait Section: Default + 'static {
    /// Its rules.
    fn rules(&mut self) -> &mut RuleLists;
}

impl Section for ShellSpec {
    fn rules(&mut self) -> &mut RuleLists {
        &mut self.rules
    }
}

impl Section for PathSpec {
    fn rules(&mut self) -> &mut RuleLists {
        &mut self.rules
    }
}

impl Section for FetchSpec {
    fn rules(&mut self) -> &mut RuleLists {
        &mut self.rules
    }
}

impl Section for RuleLists {
    fn rules(&mut self) -> &mut RuleLists {
        self
    }
}

impl Decoder<'_> {
    /// Reads a section.
    pub(super) fn section<T: Section>(
        &mut self,
        entry: &Entry<'_>,
        fields: Fields<T>,
    ) -> Option<T> {
        let entries = self.entries(entry)?;
        let mut section = T::default();
        section.rules().place = Some(self.report.place(entry.key_span));
        self.table(entries, fields, &mut section, elsewhere);
        Some(section)
    }

    fn ports(&mut self, entry: &Entry<'_>) -> Vec<Located<u16>> {
        let items = self.items(entry, "a list of ports").unwrap_or_default();
        let mut ports = Vec::with_capacity(items.len());
        for item in items {
            let number = match &item.kind {
                Kind::Number(number) => number.as_u64(),
                Kind::Broken => continue,
                _ => None,
            };
            match number.and_then(|number| u16::try_from(number).ok()) {
                Some(port) if port > 0 => ports.push(self.located(port, item.span)),
                _ => {
                    let message = "a port is a number from 1 to 65535";
                    self.report
                        .push(self.report.error("port", item.span, message));
                }
            }
        }
        ports
    }
}

/// Where a key belongs that is not known where it stands.
pub(super) fn elsewhere(key: &str) -> Option<String> {
    if ["allow", "ask", "deny"].contains(&key) {
        return Some(format!(
            "`{key}` belongs into a section such as `shell`, `read`, `write`, `fetch`, \
             `capabilities` or `tools`"
        ));
    }
    let homes: [(&str, Vec<&str>); 4] = [
        ("shell", keys(SHELL)),
        ("fetch", keys(FETCH)),
        ("tools.NAME", keys(tools::TOOL)),
        ("env.NAME", keys(super::policy::ENVIRONMENT)),
    ];
    let base = keys(super::policy::POLICY).contains(&key);
    if base {
        return Some(format!("`{key}` belongs to the top of the policy"));
    }
    let home = homes.iter().find(|(_, keys)| keys.contains(&key))?;
    Some(format!("`{key}` belongs into `{}`", home.0))
}

fn keys<T>(fields: Fields<T>) -> Vec<&'static str> {
    let all = fields.iter().flat_map(|group| group.iter());
    all.map(|field| field.key).collect()
}
