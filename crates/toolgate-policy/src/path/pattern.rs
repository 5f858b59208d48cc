//! Patterns over paths, as they are written in a policy.
//!
//! `*` stands for any run of characters within one component, `**` for any number of components,
//! none included. Nothing else is special: what other tools read as a choice or a class of
//! characters is refused, so that nobody believes in a rule that does not hold.

use super::{fold::fold, odd};
use crate::glob::Glob;

/// The longest pattern there may be, in bytes.
const LONGEST: usize = 4096;

/// A pattern over whole paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) segments: Vec<Segment>,
    /// Whether everything below is meant as well.
    pub(super) deep: bool,
}

/// A component of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// This name.
    Name(Box<str>),
    /// Any one name that matches.
    Glob(Glob),
    /// Any number of names.
    Any,
}

/// What a pattern is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Widens what is allowed: says no more than what is written.
    Allow,
    /// Narrows it: covers what is below, and a leading `**` means anywhere at all.
    Restrict,
}

/// What relative patterns are relative to, as normalised paths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchors<'a> {
    pub(super) workspace: Option<&'a str>,
    pub(super) home: Option<&'a str>,
    /// Whether names are compared without regard to case and form.
    pub(super) folded: bool,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// Says in words what is wrong with it.
    pub(super) fn parse(text: &str, purpose: Purpose, at: Anchors<'_>) -> Result<Self, String> {
        check(text)?;
        let (anchor, rest) = anchor(text, purpose, at)?;
        if purpose == Purpose::Allow && rest.ends_with('/') {
            return Err(format!(
                "a pattern that ends in `/` could mean two things; write `{}/**` for what is in the directory",
                text.trim_end_matches('/')
            ));
        }
        let mut pattern = Self::literal(anchor, at.folded);
        for component in rest.split('/').filter(|name| !matches!(*name, "" | ".")) {
            pattern.push(component, at.folded)?;
        }
        pattern.close(purpose);
        Ok(pattern)
    }

    /// The pattern that only a normalised path itself matches.
    pub(super) fn literal(path: &str, folded: bool) -> Self {
        let name = |name| Segment::Name(spelled(name, folded));
        Self {
            segments: super::lexical::components(path).map(name).collect(),
            deep: false,
        }
    }

    /// The directory that everything that matches is in, or is itself.
    pub(super) fn known(&self) -> String {
        let mut path = String::new();
        for segment in &self.segments {
            let Segment::Name(name) = segment else {
                break;
            };
            super::lexical::push_name(&mut path, name);
        }
        path
    }

    fn push(&mut self, component: &str, folded: bool) -> Result<(), String> {
        if component == ".." {
            return Err("`..` is not allowed in a pattern; write the path that is meant".into());
        }
        if component == "**" {
            if self.segments.last() != Some(&Segment::Any) {
                self.segments.push(Segment::Any);
            }
            return Ok(());
        }
        if component.contains("**") {
            return Err("`**` has to stand alone between slashes".into());
        }
        let component = spelled(component, folded);
        self.segments.push(match Glob::parse(&component) {
            Some(glob) => Segment::Glob(glob),
            None => Segment::Name(component),
        });
        Ok(())
    }

    /// Turns a trailing `**` into `deep`.
    fn close(&mut self, purpose: Purpose) {
        self.deep = purpose == Purpose::Restrict;
        if self.segments.last() == Some(&Segment::Any) {
            self.segments.pop();
            self.deep = true;
        }
    }
}

fn spelled(name: &str, folded: bool) -> Box<str> {
    match folded {
        true => fold(name).into(),
        false => name.into(),
    }
}

/// Where a pattern starts, and what of it is left.
fn anchor<'a>(
    text: &'a str,
    purpose: Purpose,
    at: Anchors<'a>,
) -> Result<(&'a str, &'a str), String> {
    if text.starts_with('/') {
        return Ok(("", text));
    }
    if let Some(rest) = text.strip_prefix("~/") {
        let home = at.home.ok_or("there is no home directory for `~`")?;
        return Ok((home, rest));
    }
    if text.starts_with('~') {
        return Err("only `~/` stands for a home directory; write other ones in full".into());
    }
    if purpose == Purpose::Restrict && (text == "**" || text.starts_with("**/")) {
        return Ok(("", text));
    }
    let workspace = at
        .workspace
        .ok_or("a relative pattern needs a `workspace`")?;
    Ok((workspace, text))
}

/// Refuses what could be misread, and what no path that is decided on could match.
fn check(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("a pattern must not be empty".into());
    }
    if text.len() > LONGEST {
        return Err(format!("a pattern must not be longer than {LONGEST} bytes"));
    }
    if text.trim() != text {
        return Err("a pattern must not begin or end with a space".into());
    }
    if let Some(c) = text.chars().find(|c| "?[]{}".contains(*c)) {
        return Err(format!(
            "only `*` and `**` are special in a pattern; `{c}` is not allowed"
        ));
    }
    if text.starts_with('!') {
        return Err(
            "a pattern cannot be turned round; write a rule of the other kind, or `except`".into(),
        );
    }
    if text.contains('\\') {
        return Err("components of a pattern are separated by `/`".into());
    }
    let literal = text.strip_prefix("~/").unwrap_or(text).replace('*', "x");
    match odd::of_pattern(&literal) {
        Some(odd) => Err(format!(
            "no path matches this pattern, because it {}",
            odd.why()
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Anchors<'_> = Anchors {
        workspace: Some("/w"),
        home: Some("/home/u"),
        folded: false,
    };

    fn allow(text: &str) -> Result<Pattern, String> {
        Pattern::parse(text, Purpose::Allow, AT)
    }

    #[test]
    fn what_could_be_misread_is_refused() {
        let bad = [
            "",
            " a",
            "a ",
            "a\0",
            "a\n",
            "../x",
            "a/../b",
            "a**",
            "**a/b",
            "a?",
            "[a-z]*",
            "{a,b}",
            "!a",
            "a\\b",
            "~root/x",
            "$HOME/x",
            "C:/x",
            "file:///x",
            "a\u{200b}",
            "src/",
            "a/%2e%2e/b",
        ];
        for text in bad {
            assert!(allow(text).is_err(), "accepted {text:?}");
        }
    }

    #[test]
    fn relative_patterns_start_at_the_workspace() {
        assert_eq!(allow("src/x"), allow("/w/src/x"));
        assert_eq!(allow("./src/./x"), allow("/w/src/x"));
        assert_eq!(allow("~/x"), allow("/home/u/x"));
        assert_eq!(allow("**/x"), allow("/w/**/x"));
        assert!(allow("src/**").unwrap().deep && !allow("src/*").unwrap().deep);
        let none = Anchors {
            workspace: None,
            home: None,
            folded: false,
        };
        assert!(Pattern::parse("src", Purpose::Allow, none).is_err());
        assert!(Pattern::parse("~/src", Purpose::Allow, none).is_err());
    }

    #[test]
    fn what_restricts_reaches_further() {
        let deny = |text| Pattern::parse(text, Purpose::Restrict, AT).unwrap();
        assert!(deny("secrets").deep && deny("secrets/") == deny("secrets"));
        assert_eq!(
            deny("**/.env").segments.first(),
            Some(&Segment::Any),
            "anywhere"
        );
    }
}
