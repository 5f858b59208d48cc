//! Which filters of `jq` see nothing but their input.
//!
//! A few names are refused unless a dot stands right before them, where they are a field. That
//! holds in strings too: these may contain filters.

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
    let mut rest = filter;
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
        ] {
            assert_eq!(check(filter), Err(REFUSED), "{filter}");
        }
    }
}
