//! What a path in a call is relative to.

use std::borrow::Cow;

use super::super::{
    PathRules, lexical,
    odd::{self, Oddities},
};

/// The directory that a relative path starts in.
#[derive(Debug)]
pub(super) struct Base<'a> {
    /// Normalised.
    pub(super) directory: Cow<'a, str>,
    workspace: Option<&'a str>,
    /// The working directory of the call, where it matters.
    cwd: Option<&'a str>,
    /// Whether that is outside the workspace.
    pub(super) outside: bool,
    /// Whether there is nothing that the path could be relative to.
    pub(super) unanchored: bool,
}

impl<'a> Base<'a> {
    pub(super) fn new(rules: &'a PathRules, path: &str, cwd: Option<&'a str>) -> Self {
        let workspace = rules.workspace.as_deref();
        let relative = !path.starts_with('/');
        let cwd = cwd.filter(|_| relative);
        let start = workspace.unwrap_or("");
        let directory = match cwd {
            Some(cwd) => Cow::Owned(lexical::normalize(start, cwd)),
            None => Cow::Borrowed(start),
        };
        let inside = lexical::below(&directory, start).is_some();
        let known = workspace.is_some() || cwd.is_some_and(|cwd| cwd.starts_with('/'));
        Self {
            outside: cwd.is_some() && workspace.is_some() && !inside,
            unanchored: relative && !known,
            directory,
            workspace,
            cwd,
        }
    }

    /// The absolute path, nothing taken out of it.
    pub(super) fn join<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if path.starts_with('/') {
            return Cow::Borrowed(path);
        }
        let start = self.workspace.unwrap_or("");
        Cow::Owned(match self.cwd {
            Some(cwd) if cwd.starts_with('/') => [cwd, "/", path].concat(),
            Some(cwd) => [start, "/", cwd, "/", path].concat(),
            None => [start, "/", path].concat(),
        })
    }

    /// The path for a tool that ignores the working directory of the call.
    pub(super) fn without_cwd(&self, path: &str) -> Option<String> {
        self.cwd?;
        Some(lexical::normalize(self.workspace?, path))
    }

    /// What is odd about the path, and about the directory that it starts in.
    pub(super) fn oddities(&self, path: &str) -> Oddities {
        let mut odd = odd::of_path(path);
        if let Some(cwd) = self.cwd {
            odd.extend(odd::of_path(cwd));
        }
        odd
    }
}
