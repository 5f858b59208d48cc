//! What a capability is done to: patterns over paths and hosts.

use std::borrow::Cow;

use crate::Capability;

/// A pattern over what a capability is done to. `*` stays within one level, `**` does not.
#[derive(Clone, Debug)]
pub(super) struct Target {
    exact: Box<[Piece]>,
    /// The same for hosts, which are compared in lower case.
    lower: Box<[Piece]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Box<str>),
    /// Anything but a slash.
    Star,
    /// Anything.
    Stars,
    /// A slash and what follows, or nothing: the end of `/srv/**`.
    Below,
    /// Whole levels, or none, with the slash behind them: the middle of `/srv/**/x`, which
    /// matches `/srv/x` as well.
    Levels,
}

impl Target {
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err("the target is empty");
        }
        if text
            .chars()
            .any(|c| c.is_control() || "?[]{}\\".contains(c))
        {
            return Err("only `*` and `**` are special in a target");
        }
        if text.contains("***") {
            return Err("`***` means nothing");
        }
        if text.starts_with('/') && normal_path(text) != text {
            return Err("the path has `.`, `..` or empty parts, and would never match");
        }
        let lower = pieces(&text.to_ascii_lowercase());
        Ok(Self {
            exact: pieces(text),
            lower,
        })
    }

    /// Whether `capability` is done to this; none if that cannot be told.
    pub(super) fn matches(&self, capability: &Capability) -> Option<bool> {
        let target = capability
            .parameter()
            .filter(|t| !t.chars().any(char::is_control))?;
        if capability.name().starts_with("net.") && !target.starts_with('/') {
            let host = target.trim_end_matches('.').to_ascii_lowercase();
            return is_host(&host).then(|| matches(&self.lower, &host));
        }
        let path = normal_path(target);
        let climbs = path.split('/').any(|part| part == "..");
        if climbs || !self.has_the_same_root(&path) {
            return None;
        }
        Some(matches(&self.exact, &path))
    }

    /// Where a relative path leads to is not known here, so it cannot be compared with one that
    /// starts at the root.
    fn has_the_same_root(&self, path: &str) -> bool {
        match self.exact.first() {
            Some(Piece::Text(first)) => first.starts_with('/') == path.starts_with('/'),
            _ => true,
        }
    }
}

/// Whether it is a name or an address and nothing more: whatever else a parser may find in it, such
/// as a path or a user, cannot be compared with a pattern over hosts.
fn is_host(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b))
}

fn pieces(text: &str) -> Box<[Piece]> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at_start_of_level = pieces.is_empty() || text_ends_level(&pieces);
        rest = if rest == "/**" {
            pieces.push(Piece::Below);
            ""
        } else if let Some(after) = rest.strip_prefix("**/").filter(|_| at_start_of_level) {
            pieces.push(Piece::Levels);
            after
        } else if let Some(after) = rest.strip_prefix("**") {
            pieces.push(Piece::Stars);
            after
        } else if let Some(after) = rest.strip_prefix('*') {
            pieces.push(Piece::Star);
            after
        } else {
            take_text(rest, &mut pieces)
        };
    }
    pieces.into()
}

fn text_ends_level(pieces: &[Piece]) -> bool {
    matches!(pieces.last(), Some(Piece::Text(text)) if text.ends_with('/'))
}

/// Takes the text up to the next star, but leaves the slash of a final `/**` with it.
fn take_text<'a>(rest: &'a str, pieces: &mut Vec<Piece>) -> &'a str {
    let star = rest.find('*').unwrap_or(rest.len());
    let (text, after) = rest.split_at(star);
    let end = if after == "**" {
        text.strip_suffix('/').unwrap_or(text)
    } else {
        text
    };
    if !end.is_empty() {
        pieces.push(Piece::Text(end.into()));
    }
    rest.get(end.len()..).unwrap_or_default()
}

/// Follows all the places that the pieces so far can end at, together, so that no pattern takes
/// longer than its length times that of the text.
fn matches(pieces: &[Piece], text: &str) -> bool {
    let text = text.as_bytes();
    let mut ends = vec![false; text.len() + 1];
    ends.iter_mut().take(1).for_each(|start| *start = true);
    for piece in pieces {
        ends = advance(piece, text, &ends);
    }
    ends.last() == Some(&true)
}

/// Where `piece` can end in `text`, if it can begin at each of `starts`.
fn advance(piece: &Piece, text: &[u8], starts: &[bool]) -> Vec<bool> {
    let rest = |at: usize| text.get(at..).unwrap_or_default();
    let mut ends = vec![false; starts.len()];
    let mut reached = false;
    for (at, &starts_here) in starts.iter().enumerate() {
        let (end, ends_there) = match piece {
            Piece::Text(part) => (
                at + part.len(),
                starts_here && rest(at).starts_with(part.as_bytes()),
            ),
            Piece::Star => {
                let crosses = at > 0 && text.get(at - 1) == Some(&b'/');
                reached = starts_here || (reached && !crosses);
                (at, reached)
            }
            Piece::Stars => {
                reached |= starts_here;
                (at, reached)
            }
            Piece::Levels => {
                let level = at == 0 || text.get(at - 1) == Some(&b'/');
                reached |= starts_here;
                (at, starts_here || (reached && level))
            }
            Piece::Below => (
                text.len(),
                starts_here && matches!(rest(at).first(), None | Some(b'/')),
            ),
        };
        if let Some(end) = ends.get_mut(end) {
            *end |= ends_there;
        }
    }
    ends
}

/// Resolves `.`, `..` and empty parts by name alone. What climbs out of a relative path stays.
fn normal_path(path: &str) -> Cow<'_, str> {
    let absolute = path.starts_with('/');
    let odd = |part: &str| matches!(part, "" | "." | "..");
    if path == "/" || !path.split('/').skip(usize::from(absolute)).any(odd) {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let root = if absolute { "/" } else { "" };
    Cow::Owned(format!("{root}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, capability: &str) -> Option<bool> {
        Target::parse(pattern)
            .unwrap()
            .matches(&capability.parse().unwrap())
    }

    #[test]
    fn a_star_stays_within_its_level() {
        assert_eq!(matches("/srv/*", "fs.write(/srv/a)"), Some(true));
        assert_eq!(matches("/srv/*", "fs.write(/srv/a/b)"), Some(false));
        assert_eq!(matches("/srv/**", "fs.write(/srv/a/b)"), Some(true));
        assert_eq!(matches("/srv/**", "fs.write(/srv)"), Some(true));
        assert_eq!(matches("/srv/**", "fs.write(/srvx/a)"), Some(false));
        assert_eq!(
            matches("/srv/**/x.*", "fs.write(/srv/a/b/x.rs)"),
            Some(true)
        );
    }

    #[test]
    fn a_path_cannot_climb_out() {
        assert_eq!(
            matches("/srv/**", "fs.write(/srv/../etc/passwd)"),
            Some(false)
        );
        assert_eq!(
            matches("/etc/**", "fs.write(/srv/../etc/passwd)"),
            Some(true)
        );
        assert_eq!(matches("/etc/**", "fs.write(//etc/./passwd)"), Some(true));
        assert_eq!(matches("src/**", "fs.write(src/../../etc)"), None);
        assert_eq!(matches(".git/**", "fs.write(./.git//config)"), Some(true));
        assert_eq!(
            matches("src/**", "fs.write(src/../.git/config)"),
            Some(false)
        );
        assert_eq!(matches("/srv/**", "fs.write(/srv/a\u{0}b)"), None);
    }

    #[test]
    fn two_stars_may_stand_for_no_level_at_all() {
        for path in ["/srv/.env", "/srv/a/.env", "/srv/a/b/.env"] {
            assert_eq!(
                matches("/srv/**/.env", &format!("fs.read({path})")),
                Some(true),
                "{path}"
            );
        }
        assert_eq!(matches("/srv/**/.env", "fs.read(/srv/a.env)"), Some(false));
        assert_eq!(matches("**/.env", "fs.read(.env)"), Some(true));
        assert_eq!(matches("**/.env", "fs.read(/a/.env)"), Some(true));
        assert_eq!(matches("**", "fs.read(/a/.env)"), Some(true));
        assert_eq!(matches("a**b", "fs.read(a/x/b)"), Some(true));
    }

    #[test]
    fn a_relative_path_cannot_be_compared_with_the_root() {
        assert_eq!(matches("/srv/**", "fs.write(srv/x)"), None);
        assert_eq!(matches("srv/**", "fs.write(/srv/x)"), None);
    }

    #[test]
    fn a_host_needs_the_dot_and_ignores_case() {
        assert_eq!(
            matches("*.Example.com", "net.fetch(API.example.COM.)"),
            Some(true)
        );
        assert_eq!(
            matches("*.example.com", "net.fetch(evilexample.com)"),
            Some(false)
        );
        assert_eq!(
            matches("example.com", "net.fetch(example.com.evil.org)"),
            Some(false)
        );
        for odd in [
            "evil.org?x=.example.com",
            "evil.org#.example.com",
            "a@b.example.com",
        ] {
            let odd = format!("net.fetch({odd})");
            assert_eq!(matches("*.example.com", &odd), None, "{odd}");
        }
        assert_eq!(matches("Example.com", "x.y(example.com)"), Some(false));
    }

    #[test]
    fn what_would_never_match_is_refused() {
        for pattern in ["", "a?", "[a]", "/a/../b", "/a//b", "/a/", "***", "a\tb"] {
            assert!(Target::parse(pattern).is_err(), "accepted {pattern:?}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = Target::parse(&"*a".repeat(60)).unwrap();
        let long: Capability = format!("x.y({}b)", "a".repeat(100_000)).parse().unwrap();
        assert_eq!(pattern.matches(&long), Some(false));
    }
}
