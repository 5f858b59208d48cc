//! Reads the configuration with the same strictness as a policy.

use crate::{
    Diagnostics, Located, Severity,
    diagnostic::{Diagnostic, quoted},
    load::{Decoder, Entry, Field, Fields, Kind, Node, nearest, read_yaml, shape},
};

/// What is carried over.
#[derive(Default)]
pub(super) struct Config {
    pub(super) has_sandbox: bool,
    pub(super) paths: Vec<PathConfig>,
    pub(super) custom_tools: Vec<Located<String>>,
    pub(super) rules: Vec<ShellRule>,
    pub(super) default: Option<ShellDefault>,
}

/// A sandbox.
pub(super) struct PathConfig {
    pub(super) name: Located<String>,
    pub(super) root: Located<String>,
    /// Read and write, not only read.
    pub(super) writable: bool,
    pub(super) read_approval: Option<Located<bool>>,
    pub(super) write_approval: bool,
    pub(super) suffixes: Vec<Located<String>>,
}

/// A rule over lines that begin with a text.
pub(super) struct ShellRule {
    pub(super) pattern: Located<String>,
    pub(super) allowed: bool,
    pub(super) approval_required: bool,
    /// Sandboxes in which every operand has to lie.
    pub(super) sandbox_paths: Vec<Located<String>>,
}

/// What becomes of lines that no rule matches.
pub(super) struct ShellDefault {
    pub(super) allowed: bool,
    pub(super) approval_required: Option<Located<bool>>,
}

/// A path or a rule that is being read.
struct Draft<T> {
    inner: T,
    /// Its root or its pattern.
    main: Option<Located<String>>,
}

const fn field<T>(key: &'static str, read: fn(&mut Decoder<'_>, &mut T, &Entry<'_>)) -> Field<T> {
    Field {
        key,
        about: "",
        schema: shape::any,
        read,
    }
}

const PATH: Fields<Draft<PathConfig>> = &[&[
    field("root", |d, path, e| path.main = d.text(e)),
    field("mode", |d, path, e| {
        let mode = d.word(e, &[("ro", false), ("rw", true)]);
        path.inner.writable = mode.is_some_and(|mode| mode.value);
    }),
    field("read_approval", |d, path, e| {
        path.inner.read_approval = d.flag(e);
    }),
    field("write_approval", |d, path, e| {
        path.inner.write_approval = d.flag(e).is_none_or(|flag| flag.value);
    }),
    field("suffixes", |d, path, e| {
        path.inner.suffixes = d.some_texts(e);
    }),
    field("max_file_bytes", |d, _, e| {
        d.lost(
            e,
            Severity::Warning,
            "the size of files is not limited here",
        );
    }),
]];

const RULE: Fields<Draft<ShellRule>> = &[&[
    field("pattern", |d, rule, e| rule.main = d.text(e)),
    field("allowed", |d, rule, e| {
        rule.inner.allowed = d.flag(e).is_some_and(|flag| flag.value);
    }),
    field("approval_required", |d, rule, e| {
        rule.inner.approval_required = d.flag(e).is_none_or(|flag| flag.value);
    }),
    field("sandbox_paths", |d, rule, e| {
        rule.inner.sandbox_paths = d.texts(e);
    }),
]];

const DEFAULT: Fields<ShellDefault> = &[&[
    field("allowed", |d, default, e| {
        default.allowed = d.flag(e).is_some_and(|flag| flag.value);
    }),
    field("approval_required", |d, default, e| {
        default.approval_required = d.flag(e);
    }),
]];

const SANDBOX: Fields<Config> = &[&[field("paths", |d, config, e| {
    d.paths(config, e);
})]];

/// Every rule is compared with all before it.
const MOST_RULES: usize = 10_000;

const KEYS: &[&str] = &["sandbox", "custom_tools", "shell_default", "shell_rules"];

/// Reads a configuration, and says what of it is not carried over.
pub(super) fn config(name: &str, yaml: &str) -> Result<(Config, Diagnostics), Diagnostics> {
    let mut config = Config::default();
    let notes = read_yaml(name, yaml, |d, entries| {
        for entry in entries {
            d.top(&mut config, entry);
        }
    })?;
    Ok((config, notes))
}

impl Decoder<'_> {
    /// Configurations hold a lot that has nothing to do with approval.
    fn top(&mut self, config: &mut Config, entry: &Entry<'_>) {
        match &*entry.key {
            "sandbox" => {
                config.has_sandbox = true;
                let entries = self.entries(entry).unwrap_or_default();
                self.table(entries, SANDBOX, config, |_| None);
            }
            "custom_tools" => config.custom_tools = self.texts(entry),
            "shell_rules" => self.shell_rules(config, entry),
            "shell_default" => config.default = self.shell_default(entry),
            key => match nearest(key, KEYS.iter().copied()) {
                Some(meant) => self.misspelt(entry, meant),
                None => self.lost(
                    entry,
                    Severity::Note,
                    "this has nothing to do with approval",
                ),
            },
        }
    }

    fn misspelt(&mut self, entry: &Entry<'_>, meant: &str) {
        let message = format!("unknown key {}", quoted(&entry.key));
        let problem = self
            .report
            .error("unknown-key", entry.key_span, message)
            .with_label(format!("did you mean `{meant}`?"));
        self.report.push(problem);
    }

    /// Takes down that a key is not carried over.
    fn lost(&mut self, entry: &Entry<'_>, severity: Severity, label: &str) {
        let message = format!("{} is not carried over", quoted(&entry.key));
        let place = self.report.place(entry.key_span);
        let note = Diagnostic::new(severity, "not-carried-over", place, message);
        self.report.push(note.with_label(label));
    }

    fn paths(&mut self, config: &mut Config, entry: &Entry<'_>) {
        for path in self.entries(entry).unwrap_or_default() {
            let Some(entries) = self.entries(path) else {
                continue;
            };
            let name = self.located(path.key.clone().into_owned(), path.key_span);
            let inner = PathConfig {
                root: name.clone(),
                name,
                writable: false,
                read_approval: None,
                write_approval: true,
                suffixes: Vec::new(),
            };
            let mut draft = Draft { inner, main: None };
            self.table(entries, PATH, &mut draft, |_| None);
            match draft.main {
                Some(root) => config.paths.push(PathConfig {
                    root,
                    ..draft.inner
                }),
                None => self.needs(entries, path.key_span, "root"),
            }
        }
    }

    fn shell_rules(&mut self, config: &mut Config, entry: &Entry<'_>) {
        let items = self.items(entry, "a list of rules").unwrap_or_default();
        if items.len() > MOST_RULES {
            let message = format!("there are more than {MOST_RULES} rules");
            let problem = self.report.error("too-long", entry.value.span, message);
            self.report.push(problem);
            return;
        }
        for item in items {
            config.rules.extend(self.shell_rule(item));
        }
    }

    fn shell_rule(&mut self, node: &Node<'_>) -> Option<ShellRule> {
        let Kind::Table(entries) = &node.kind else {
            self.wrong_item(node, "a rule has to be a table");
            return None;
        };
        let inner = ShellRule {
            pattern: self.located(String::new(), node.span),
            allowed: true,
            approval_required: true,
            sandbox_paths: Vec::new(),
        };
        let mut draft = Draft { inner, main: None };
        self.table(entries, RULE, &mut draft, |_| None);
        if draft.main.is_none() {
            self.needs(entries, node.span, "pattern");
        }
        let pattern = draft.main?;
        Some(ShellRule {
            pattern,
            ..draft.inner
        })
    }

    /// Says that a key is missing, unless it is there and has been reported.
    fn needs(&mut self, entries: &[Entry<'_>], span: crate::diagnostic::Span, key: &str) {
        if !entries.iter().any(|entry| entry.key == key) {
            let message = format!("`{key}` is missing");
            self.report
                .push(self.report.error("missing-key", span, message));
        }
    }

    fn shell_default(&mut self, entry: &Entry<'_>) -> Option<ShellDefault> {
        let entries = self.entries(entry)?;
        let mut default = ShellDefault {
            allowed: true,
            approval_required: None,
        };
        self.table(entries, DEFAULT, &mut default, |_| None);
        Some(default)
    }
}
