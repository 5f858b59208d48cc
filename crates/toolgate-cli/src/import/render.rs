//! A policy as TOML, one rule a line.

use std::fmt::Write;

use serde_json::Value;
use toolgate::Effect;

use super::draft::{Draft, Rule, Section};
use crate::style::word;

/// The policy, and which rule stands in which line, counted from one.
pub(super) fn render(draft: &Draft) -> (String, Vec<(u32, usize)>) {
    let mut page = Page::default();
    page.line(&format!("# {}", draft.title));
    page.line("");
    page.line("version = 1");
    page.line(&format!("default = \"{}\"", word(draft.default)));
    if let Some(mode) = draft.mode {
        page.line(&format!("mode = \"{mode}\""));
    }
    page.line("workspace = \".\"");
    for section in Section::ALL {
        let of_section: Vec<_> = draft
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule.section == section)
            .collect();
        if of_section.is_empty() {
            continue;
        }
        page.line("");
        page.line(&format!("[{}]", section.name()));
        if section == Section::Shell && draft.inside_only {
            page.line("workspace_only = true");
            if draft.outside_denied {
                page.line("outside = \"deny\"");
            }
        }
        for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
            let rules = of_section.iter().filter(|(_, rule)| rule.effect == effect);
            page.list(word(effect), rules.map(|(number, rule)| (*number, *rule)));
        }
    }
    (page.text, page.places)
}

#[derive(Default)]
struct Page {
    text: String,
    line: u32,
    places: Vec<(u32, usize)>,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.line += 1;
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn list<'a>(&mut self, name: &str, rules: impl Iterator<Item = (usize, &'a Rule)>) {
        let mut rules = rules.peekable();
        if rules.peek().is_none() {
            return;
        }
        self.line(&format!("{name} = ["));
        for (number, one) in rules {
            self.line(&format!("    {},", rule(one)));
            self.places.push((self.line, number));
        }
        self.line("]");
    }
}

fn rule(rule: &Rule) -> String {
    let pattern = quoted(&rule.pattern);
    if rule.when.is_none() && rule.reason.is_none() {
        return pattern;
    }
    let key = match rule.section {
        Section::Tools => "tool",
        _ => "pattern",
    };
    let mut text = format!("{{ {key} = {pattern}");
    if let Some((argument, values)) = &rule.when {
        let values: Vec<_> = values.iter().map(value).collect();
        let argument = quoted(argument);
        let _ = write!(
            text,
            ", when = {{ {argument} = {{ one_of = [{}] }} }}",
            values.join(", ")
        );
    }
    if let Some(reason) = &rule.reason {
        let _ = write!(text, ", reason = {}", quoted(reason));
    }
    text + " }"
}

fn value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Text in quotes, with escapes for what cannot stand for itself.
fn quoted(text: &str) -> String {
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
