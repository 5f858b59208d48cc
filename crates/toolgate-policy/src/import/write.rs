//! Writes a policy in TOML.

use std::fmt::Write;

/// One rule as it will be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) pattern: String,
    pub(super) except: Vec<String>,
    pub(super) reason: Option<&'static str>,
}

impl Rule {
    pub(super) fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            except: Vec::new(),
            reason: None,
        }
    }
}

/// What is allowed, asked about and denied in a section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) allow: Vec<Rule>,
    pub(super) ask: Vec<Rule>,
    pub(super) deny: Vec<Rule>,
}

/// Writes a section, if there is anything in it.
pub(super) fn section(out: &mut String, name: &str, section: &Section) {
    let lists = [
        ("allow", &section.allow),
        ("ask", &section.ask),
        ("deny", &section.deny),
    ];
    if lists.iter().all(|(_, rules)| rules.is_empty()) {
        return;
    }
    // Writing to a string cannot fail.
    let _ = write!(out, "\n[{name}]\n");
    for (key, rules) in lists.iter().filter(|(_, rules)| !rules.is_empty()) {
        let _ = writeln!(out, "{key} = [");
        for one in *rules {
            let _ = writeln!(out, "    {},", rule(one));
        }
        out.push_str("]\n");
    }
}

fn rule(rule: &Rule) -> String {
    if rule.except.is_empty() && rule.reason.is_none() {
        return string(&rule.pattern);
    }
    let mut text = format!("{{ pattern = {}", string(&rule.pattern));
    if !rule.except.is_empty() {
        let except: Vec<_> = rule.except.iter().map(|pattern| string(pattern)).collect();
        let _ = write!(text, ", except = [{}]", except.join(", "));
    }
    if let Some(reason) = rule.reason {
        let _ = write!(text, ", reason = {}", string(reason));
    }
    text + " }"
}

/// A string in quotes, with escapes for what cannot stand for itself.
pub(super) fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
