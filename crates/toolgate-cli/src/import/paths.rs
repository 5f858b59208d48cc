//! Paths as other systems write them.

use toolgate::Effect;

use super::draft::{Draft, Section};

/// Adds what a pattern in the manner of `.gitignore` amounts to, in the workspace or behind a root
/// such as `/` or `~/`.
///
/// There, a name without a slash is meant at any depth, and a directory means what is in it.
pub(super) fn gitignore(
    draft: &mut Draft,
    effect: Effect,
    section: Section,
    (root, pattern): (&str, &str),
    from: &str,
) {
    let directory = pattern.ends_with('/');
    let name = pattern.trim_end_matches('/');
    let anchored = name.contains('/') || !root.is_empty();
    let name = name
        .strip_prefix("./")
        .unwrap_or(name)
        .trim_start_matches('/');
    if !is_plain(name) {
        return odd(draft, effect, section, from);
    }
    let at = match anchored || name == "**" {
        true => format!("{root}{name}"),
        false => format!("**/{name}"),
    };
    if effect != Effect::Allow {
        // What restricts covers what is below by itself.
        return draft.rule(effect, section, &at, from);
    }
    if let Some(above) = at.strip_suffix("/**") {
        // There it means what is in the directory; here it would mean the directory, too.
        return draft.rule(effect, section, &format!("{above}/*/**"), from);
    }
    if !directory {
        draft.rule(effect, section, &at, from);
    }
    if at != "**" {
        draft.rule(effect, section, &format!("{at}/**"), from);
    }
}

/// Adds what a glob over paths amounts to, in which `*` stands for any text, with slashes in it.
pub(super) fn glob(draft: &mut Draft, effect: Effect, section: Section, glob: &str, from: &str) {
    let everything = glob.trim_matches(['*', '/']).is_empty();
    if everything {
        return match effect {
            Effect::Allow => {
                draft.loss(from, "it covers the workspace only");
                draft.rule(effect, section, "**", from);
            }
            effect => draft.whole(effect, section, from),
        };
    }
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    match effect {
        Effect::Allow if is_plain(glob) => draft.rule(effect, section, glob, from),
        Effect::Allow => odd(draft, effect, section, from),
        effect => restrict(draft, effect, section, glob, from),
    }
}

/// Restricts the whole directory in which the first star stands.
fn restrict(draft: &mut Draft, effect: Effect, section: Section, glob: &str, from: &str) {
    let plain = glob.find(['*', '?']).map_or(glob, |at| &glob[..at]);
    let directory = match plain.len() == glob.len() {
        true => glob,
        false => plain
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory),
    };
    if directory.is_empty() || !is_plain(directory) {
        return odd(draft, effect, section, from);
    }
    if directory != glob.trim_end_matches("/**").trim_end_matches("/*") {
        draft.loss(from, format!("it restricts more now: `{directory}`"));
    }
    draft.rule(effect, section, directory, from);
}

fn odd(draft: &mut Draft, effect: Effect, section: Section, from: &str) {
    match effect {
        Effect::Allow => draft.loss(
            from,
            "it allows nothing now: the pattern cannot be said here",
        ),
        effect => draft.whole_instead(effect, section, from, "the pattern cannot be said here"),
    }
}

/// Names and stars that mean the same here.
fn is_plain(pattern: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || " _./=:@%+,-*".contains(c);
    let parts = |part: &str| part != ".." && (part == "**" || !part.contains("**"));
    !pattern.is_empty() && pattern.chars().all(fits) && pattern.split('/').all(parts)
}
