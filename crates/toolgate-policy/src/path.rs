//! Rules over paths.
//!
//! A path is judged twice: by what it says, with `.` and `..` taken out, and by where it leads when
//! links are followed. The worse of the two counts. In order:
//!
//! 1. Rules that deny or ask are compared with both, and with everything else that an odd path may
//!    be read as. They cover what is below, and do not care about case or Unicode form.
//! 2. Own files of this library are never written, and a built-in list of files that grant
//!    permissions or run by themselves is not written without asking.
//! 3. What is odd about the spelling is asked about, and so is what cannot be resolved.
//! 4. Rules that allow are compared as they are written. Both paths have to be covered.
//!
//! What the path is relative to comes from the policy. A working directory that comes with the call
//! moves the path and never the rules.

mod compile;
mod describe;
mod files;
mod fold;
mod index;
mod judge;
mod lexical;
mod odd;
mod pattern;
mod protected;
mod readings;
mod resolve;

use std::{borrow::Cow, collections::HashMap};

use foldhash::fast::RandomState;

pub use self::files::{FakeFiles, Files, Look, SystemFiles};
use self::index::Index;
pub(crate) use self::odd::escaped;
pub(crate) use self::{
    compile::{NumberedRule, PathSettings},
    describe::PathDescription,
};
use crate::{
    Place,
    finding::{Findings, RuleIndex, Scope},
};

/// What is wrong with a pattern, or worth knowing about it, and where it is written.
pub(crate) type Remark = (Place, String);

/// What a tool does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// Deletes it or moves it away, with everything below.
    Remove,
}

/// A path, as it comes with a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathQuery<'a> {
    pub(crate) access: Access,
    pub(crate) path: &'a str,
    /// The working directory that the call names.
    pub(crate) cwd: Option<&'a str>,
}

/// Where a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    /// In the workspace, by what it says and by where it leads.
    Inside,
    Outside,
    /// Nobody can say, because it is odd or cannot be resolved.
    Unclear,
}

/// The rules over paths of a policy, compiled.
#[derive(Clone, Debug)]
pub(crate) struct PathRules {
    read: Lists,
    write: Lists,
    /// Normalised, as are all paths here.
    workspace: Option<String>,
    home: Option<String>,
    case_insensitive: bool,
}

/// The rules over one kind of access.
#[derive(Clone, Debug, Default)]
struct Lists {
    allow: Index,
    /// Rules that deny or ask, and built-in ones. Folded.
    restrict: Index,
    /// What rules do not hold for.
    except: HashMap<RuleIndex, Index, RandomState>,
}

impl PathRules {
    /// Judges one path.
    pub(crate) fn judge(
        &self,
        query: PathQuery<'_>,
        files: &dyn Files,
        scope: &impl Scope,
        findings: &mut Findings,
    ) {
        judge::judge(self, query, files, scope, findings);
    }

    /// Judges one path, and says how.
    pub(crate) fn describe(
        &self,
        query: PathQuery<'_>,
        files: &dyn Files,
        scope: &impl Scope,
        findings: &mut Findings,
    ) -> PathDescription {
        let examined = judge::judge(self, query, files, scope, findings);
        describe::describe(self, query.access, examined)
    }

    /// Says where a path lies, whatever the rules say of it.
    pub(crate) fn whereabouts(
        &self,
        path: &str,
        cwd: Option<&str>,
        files: &dyn Files,
    ) -> Whereabouts {
        judge::whereabouts(self, path, cwd, files)
    }

    /// Whether links lead a path nowhere but to the workspace.
    pub(crate) fn stays(&self, path: &str, cwd: Option<&str>, files: &dyn Files) -> bool {
        judge::stays(self, path, cwd, files)
    }

    /// A path as rules that allow are compared with it.
    fn spelled<'p>(&self, path: &'p str) -> Cow<'p, str> {
        match self.case_insensitive {
            true => fold::fold(path),
            false => Cow::Borrowed(path),
        }
    }

    fn lists(&self, access: Access) -> &Lists {
        match access {
            Access::Read => &self.read,
            Access::Write | Access::Remove => &self.write,
        }
    }
}

#[cfg(test)]
mod corpus;
#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
