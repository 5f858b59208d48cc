//! The change to a file, line by line.
//!
//! Lines that stay are shown around those that do not, three before and three after. How many
//! others stay is said in their place, and the digest of all that the file would say says which.

use sha2::{Digest as _, Sha256};

use super::{
    LineKind,
    escape::{quoted, row},
    request::{Page, hex, lines, size},
};

/// How many lines that stay are shown around those that do not.
const AROUND: usize = 3;

/// As many pairs of lines as are compared. Beyond that, everything between the first and the last
/// change counts as changed.
const PAIRS: usize = 1 << 20;

/// One line of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step<'a> {
    kind: LineKind,
    line: &'a str,
}

/// Shows what would become of a file.
pub(super) fn show(page: &mut Page, path: &str, before: &str, after: &str) {
    let path = page.take(quoted(path));
    page.line(LineKind::Claim, "claim", format!("it changes {path}"));
    match (before.ends_with('\n'), after.ends_with('\n')) {
        (true, false) => page.line(LineKind::Claim, "", "the \\n at the end goes"),
        (false, true) => page.line(LineKind::Claim, "", "a \\n comes to the end"),
        _ => {}
    }
    let left_out = hunks(page, &steps(before, after));
    for (which, text) in [("before", before), ("after", after)] {
        page.line(LineKind::Detail, "", format!("{which}:{}", size(text)));
        if left_out {
            let hex = hex(&Sha256::digest(text));
            page.line(LineKind::Detail, "", format!("sha256 {hex}"));
        }
    }
}

/// Shows the steps, and says whether some were left out.
fn hunks(page: &mut Page, steps: &[Step<'_>]) -> bool {
    let changed: Vec<usize> = steps
        .iter()
        .enumerate()
        .filter_map(|(index, step)| (step.kind != LineKind::Context).then_some(index))
        .collect();
    let near = |index: usize| {
        let next = changed.partition_point(|at| *at < index);
        let after = changed.get(next).is_some_and(|at| at - index <= AROUND);
        let before = next.checked_sub(1).and_then(|last| changed.get(last));
        after || before.is_some_and(|at| index - at <= AROUND)
    };
    let (mut same, mut left_out) = (0, false);
    for (index, step) in steps.iter().enumerate() {
        if !near(index) {
            same += 1;
            left_out = true;
            continue;
        }
        unchanged(page, &mut same);
        let line = page.take(row(step.line));
        page.line(step.kind, "", line);
    }
    unchanged(page, &mut same);
    left_out
}

fn unchanged(page: &mut Page, count: &mut usize) {
    if *count > 0 {
        let s = if *count == 1 { "" } else { "s" };
        let text = format!("\\{{{count} unchanged line{s}}}");
        page.line(LineKind::Context, "", text);
    }
    *count = 0;
}

/// What stays, what goes and what comes, in order.
fn steps<'a>(before: &'a str, after: &'a str) -> Vec<Step<'a>> {
    let (old, new): (Vec<_>, Vec<_>) = (lines(before).collect(), lines(after).collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let most = old.len().min(new.len()) - head;
    let backward = old.iter().rev().zip(new.iter().rev()).take(most);
    let tail = backward.take_while(same).count();
    let middle = |lines: &[&'a str]| -> Vec<&'a str> {
        lines
            .get(head..lines.len() - tail)
            .unwrap_or_default()
            .to_vec()
    };
    let all = |kind, lines: &[&'a str]| -> Vec<Step<'a>> {
        lines.iter().map(|line| Step { kind, line }).collect()
    };
    let mut steps = all(LineKind::Context, new.get(..head).unwrap_or_default());
    steps.extend(between(&middle(&old), &middle(&new)));
    let end = new.get(new.len() - tail..).unwrap_or_default();
    steps.extend(all(LineKind::Context, end));
    steps
}

/// The shortest way from one to the other, if they are not too long to look for it.
fn between<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Step<'a>> {
    let table = match old.len().saturating_mul(new.len()) <= PAIRS {
        true => common(old, new),
        false => Vec::new(),
    };
    let width = new.len() + 1;
    let at = |i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    let (mut i, mut j) = (0, 0);
    let mut steps = Vec::new();
    loop {
        let (kind, line) = match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b && !table.is_empty() => (LineKind::Context, *a),
            (Some(a), None) => (LineKind::Removed, *a),
            (Some(a), _) if at(i + 1, j) >= at(i, j + 1) => (LineKind::Removed, *a),
            (_, Some(b)) => (LineKind::Added, *b),
            _ => return steps,
        };
        steps.push(Step { kind, line });
        i += usize::from(kind != LineKind::Added);
        j += usize::from(kind != LineKind::Removed);
    }
}

/// For every pair of places, how many lines the two have in common from there on, in order.
fn common(old: &[&str], new: &[&str]) -> Vec<u32> {
    let width = new.len() + 1;
    let mut table = vec![0_u32; (old.len() + 1) * width];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let get = |i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
            let longest = match a == b {
                true => get(i + 1, j + 1) + 1,
                false => get(i + 1, j).max(get(i, j + 1)),
            };
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = longest;
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let sign = |step: &Step<'_>| match step.kind {
            LineKind::Added => "+",
            LineKind::Removed => "-",
            _ => " ",
        };
        let steps = steps(before, after);
        steps
            .iter()
            .flat_map(|step| [sign(step), step.line, "\n"])
            .collect()
    }

    #[test]
    fn a_change_is_shown_where_it_is() {
        assert_eq!(shown("a\nb\nc\n", "a\nx\nc\n"), " a\n-b\n+x\n c\n");
        assert_eq!(shown("", "a\n"), "+a\n");
        assert_eq!(shown("a\nb\n", "b\n"), "-a\n b\n");
        assert_eq!(shown("a\na\n", "a\n"), " a\n-a\n");
    }

    proptest! {
        #[test]
        fn both_sides_can_be_read_from_a_change(
            before in "([abc]{0,2}\n){0,12}[abc]{0,2}",
            after in "([abc]{0,2}\n){0,12}[abc]{0,2}",
        ) {
            let steps = steps(&before, &after);
            let side = |other: LineKind| -> Vec<&str> {
                steps.iter().filter(|step| step.kind != other).map(|step| step.line).collect()
            };
            prop_assert_eq!(side(LineKind::Added), lines(&before).collect::<Vec<_>>());
            prop_assert_eq!(side(LineKind::Removed), lines(&after).collect::<Vec<_>>());
        }
    }
}
