//! Which filters of `jq` see nothing but their input.
//!
//! A few names are refused unless a dot stands right before them, where they are a field, or they
//! stand in a string. Strings may contain filters, and comments may contain quotes: where there is
//! either, names are refused in strings too.

use std::borrow::Cow;

const REFUSED: &str = "a filter that is not known to be harmless";

const NAMES: &[&str] = &[
    "env",
    "ENV",
    "import",
    "include",
    "modulemeta",
    "get_search_list",
    "input_filename",
    "__prog_args",
    "__prog_name",
];

/// Whether a filter sees nothing but its input.
pub(super) fn check(filter: &str) -> Result<(), &'static str> {
    let filter = without_strings(filter);
    let mut rest = &*filter;
    let mut before = "";
    while let Some(at) = rest.find(is_part) {
        let (skipped, word) = rest.split_at(at);
        let end = word.find(|next| !is_part(next)).unwrap_or(word.len());
        let (name, after) = word.split_at(end);
        let dots = if skipped.is_empty() { before } else { skipped };
        if NAMES.contains(&name) && !is_field(dots) {
            return Err(REFUSED);
        }
        before = name;
        rest = after;
    }
    Ok(())
}

/// The filter without what stands in its strings, if they are nothing but text.
fn without_strings(filter: &str) -> Cow<'_, str> {
    if !filter.contains('"') || filter.contains("\\(") || filter.contains('#') {
        return Cow::Borrowed(filter);
    }
    let (mut out, mut inside, mut escaped) = (String::new(), false, false);
    for c in filter.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => {
                inside = !inside;
                out.push(c);
            }
            _ if inside => {}
            _ => out.push(c),
        }
    }
    if inside {
        Cow::Borrowed(filter)
    } else {
        Cow::Owned(out)
    }
}

fn is_part(next: char) -> bool {
    next.is_ascii_alphanumeric() || next == '_'
}

fn is_field(before: &str) -> bool {
    before.ends_with('.') && !before.ends_with("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_over_the_input_are_harmless() {
        for filter in [
            ".name",
            ".scripts | keys[]",
            ".env",
            ".a.env.b",
            "map(select(.environment == \"prod\"))",
            "[.[] | {name, version}]",
            "input | .x",
            ".[\"env\"] | .x",
            "map(select(.name == \"env\" or .b == \"a\\\"env\"))",
            "",
        ] {
            assert_eq!(check(filter), Ok(()), "{filter}");
        }
    }

    #[test]
    fn filters_that_see_more_are_refused() {
        for filter in [
            "env",
            "$ENV",
            "$ENV.PATH",
            ". | env",
            ".[env]",
            "..env",
            "\"\\(env)\"",
            "input_filename, include \"x\"; .",
            "import \"a\" as a; .",
            "$__prog_args",
            "{a:env.PATH}",
            "\"a\" + env.X",
            "\"\\\"\" | env",
            ".a # \"\n| env # \"",
            "\"env",
        ] {
            assert_eq!(check(filter), Err(REFUSED), "{filter}");
        }
    }
}
