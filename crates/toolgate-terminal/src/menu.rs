//! The keys that count, and what they do.

use crate::screen::{Row, Style};

/// A key, and what it does.
pub(crate) struct Item(pub(crate) &'static str, pub(crate) &'static str);

/// What stands between two keys.
const GAP: &str = "   ";

/// The keys, in as many rows as they take.
pub(crate) fn rows(items: &[Item], columns: usize) -> Vec<Row> {
    let mut rows = vec![Row::default()];
    for Item(key, does) in items {
        let item = Row::of(Style::Key, *key).and(Style::Plain, format!(" {does}"));
        let Some(row) = rows.last_mut() else { break };
        let gap = if row.0.is_empty() { "" } else { GAP };
        if row.width() + gap.len() + item.width() > columns && !row.0.is_empty() {
            rows.push(item);
            continue;
        }
        if !gap.is_empty() {
            *row = std::mem::take(row).and(Style::Plain, gap);
        }
        row.0.extend(item.0);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_never_parted_from_what_they_do() {
        let items = [Item("y", "yes"), Item("n", "no"), Item("m", "maybe")];
        let shown = |columns| -> Vec<_> { rows(&items, columns).iter().map(Row::text).collect() };
        assert_eq!(shown(80), ["y yes   n no   m maybe"]);
        assert_eq!(shown(12), ["y yes   n no", "m maybe"]);
        assert_eq!(shown(5), ["y yes", "n no", "m maybe"]);
    }
}
