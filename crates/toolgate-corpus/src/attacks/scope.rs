//! Which cases may fail, and why.
//!
//! A file can say that a case is optional, or that it needs the help of whatever runs the tool. Such
//! a case is run like any other. It may fail only if the documentation names it, or what it is made
//! of, in its table of what is out of scope.

use serde_json::Value;

use super::case::{Attack, Tag};

/// The page that says what is out of scope.
const PAGE: &str = include_str!("../../../../docs/recorded-behaviour.md");

/// The heading above the table.
const HEADING: &str = "### Out of scope";

/// Why a case may fail, if it may.
pub(super) fn excuse(attack: &Attack) -> Option<&'static str> {
    if !attack
        .tags
        .iter()
        .any(|tag| matches!(tag, Tag::Optional | Tag::HostIntegration))
    {
        return None;
    }
    let made_of = words(attack);
    let named = |name: &str| name == attack.id || made_of.iter().any(|word| word == name);
    table(PAGE).find_map(|(name, why)| named(name).then_some(why))
}

/// What the steps of a case are called, and what they put into the file system.
fn words(attack: &Attack) -> Vec<String> {
    let steps = attack.setup.iter();
    let steps = steps.filter_map(|step| serde_json::from_str::<Value>(step.get()).ok());
    let mut words = Vec::new();
    for step in steps {
        words.extend(step.get("do").and_then(Value::as_str).map(str::to_owned));
        let entries = step.get("entries").and_then(Value::as_array);
        for entry in entries.into_iter().flatten().filter_map(Value::as_object) {
            words.extend(entry.keys().cloned());
        }
    }
    words
}

/// The rows of the table: a name in backticks, and the reason.
fn table(page: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let section = page.split(HEADING).nth(1).unwrap_or_default();
    let section = section.split("\n#").next().unwrap_or_default();
    section.lines().filter_map(|line| {
        let mut cells = line.trim().trim_matches('|').split('|').map(str::trim);
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((name, cells.next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_below_the_heading_are_read() {
        let page = "| `a` | no |\n### Out of scope\n\n| case | why |\n|---|---|\n| `b` | yes |\n\n## Next\n| `c` | no |";
        assert_eq!(table(page).collect::<Vec<_>>(), [("b", "yes")]);
    }

    #[test]
    fn every_row_of_the_page_has_a_reason() {
        assert!(table(PAGE).count() > 0);
        assert!(table(PAGE).all(|(name, why)| !name.is_empty() && why.len() > 20));
    }
}
