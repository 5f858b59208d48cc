//! Paths as text: `.`, `..` and repeated slashes taken out, nothing looked up.
//!
//! A normalised path begins with a slash and does not end with one. The root is the empty text, so
//! that every path is its parent, a slash, and a name.

/// Appends the components of `path`, which is taken as relative.
pub(super) fn push(out: &mut String, path: &str) {
    for component in names(path) {
        match component {
            "" | "." => {}
            ".." => pop(out),
            name => push_name(out, name),
        }
    }
}

/// Appends one name.
pub(super) fn push_name(out: &mut String, name: &str) {
    out.push('/');
    out.push_str(name);
}

/// Goes to the parent. The parent of the root is the root.
pub(super) fn pop(out: &mut String) {
    out.truncate(out.rfind('/').unwrap_or(0));
}

/// The normalised form of `path`, which is relative to `base` unless it begins with a slash.
pub(super) fn normalize(base: &str, path: &str) -> String {
    let mut out = String::with_capacity(base.len() + path.len() + 1);
    if !path.starts_with('/') {
        out.push_str(base);
    }
    push(&mut out, path);
    out
}

/// The components of a normalised path.
pub(super) fn components(path: &str) -> impl Iterator<Item = &str> {
    names(path).skip(1)
}

/// What stands between slashes, the same as `path.split('/')`. Names are short, so that looking at
/// their bytes is faster than searching for a character.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| byte == b'/');
        let (name, behind) = text.split_at(end.unwrap_or(text.len()));
        rest = end.and_then(|_| behind.get(1..));
        Some(name)
    })
}

/// What is left of `path` below `directory`, empty or with a leading slash.
pub(super) fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.strip_prefix(directory)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A normalised path as it is usually written.
pub(super) fn shown(path: &str) -> &str {
    if path.is_empty() { "/" } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_slashes_go() {
        let cases = [
            ("/w", "a/./b//c/", "/w/a/b/c"),
            ("/w", "../../..", ""),
            ("/w", "a/../.env", "/w/.env"),
            ("/w", "//w/.env", "/w/.env"),
            ("/w", "", "/w"),
            ("", "a", "/a"),
        ];
        for (base, path, expected) in cases {
            assert_eq!(normalize(base, path), expected, "{base} {path}");
        }
    }

    #[test]
    fn a_sibling_is_not_below() {
        assert_eq!(below("/w/a", "/w"), Some("/a"));
        assert_eq!(below("/w", "/w"), Some(""));
        assert_eq!(below("/w2/a", "/w"), None);
        assert_eq!(below("/a", ""), Some("/a"));
    }

    proptest::proptest! {
        #[test]
        fn names_are_what_stands_between_slashes(path in "(/|\\.|a|\u{e9}){0,20}") {
            proptest::prop_assert!(names(&path).eq(path.split('/')));
        }

        #[test]
        fn normalising_twice_changes_nothing(path in "(/|\\.|a|b|\\.\\.){0,20}") {
            let once = normalize("/w/x", &path);
            proptest::prop_assert_eq!(normalize("", &once), once.clone());
            proptest::prop_assert!(components(&once).all(|name| !matches!(name, "" | "." | "..")));
        }
    }
}
