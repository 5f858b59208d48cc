//! Files that a line opens by redirection.

use crate::finding::Findings;

use super::line::{Operator, Redirect};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The rules over paths, as redirections need them.
pub(crate) trait Files {
    /// Judges one access. Reports rules that deny or ask and everything odd, as for any other
    /// access, but neither what allows nor that nothing does: that is what it returns.
    ///
    /// A relative path is seen from `dir`; without one nobody knows from where, and nothing covers it.
    fn covers(
        &mut self,
        access: Access,
        path: &str,
        dir: Option<&str>,
        findings: &mut Findings,
    ) -> bool;

    /// Whether a path in the workspace stays there when links are followed, seen from `dir`.
    fn stays(&self, path: &str, dir: Option<&str>) -> bool;
}

impl<F: FnMut(Access, &str, Option<&str>, &mut Findings) -> bool> Files for F {
    fn covers(
        &mut self,
        access: Access,
        path: &str,
        dir: Option<&str>,
        findings: &mut Findings,
    ) -> bool {
        self(access, path, dir, findings)
    }

    fn stays(&self, _: &str, _: Option<&str>) -> bool {
        true
    }
}

/// Whether a redirection opens no file that matters.
pub(super) fn is_free(redirect: &Redirect<'_>) -> bool {
    match redirect.operator {
        Operator::Duplicate => true,
        Operator::Read | Operator::Write => {
            redirect.target.is_literal() && redirect.target.text == "/dev/null"
        }
        Operator::ReadWrite | Operator::Here => false,
    }
}

/// The accesses that a redirection makes.
pub(super) fn accesses(operator: Operator) -> &'static [Access] {
    match operator {
        Operator::Read => &[Access::Read],
        Operator::Write => &[Access::Write],
        Operator::ReadWrite => &[Access::Read, Access::Write],
        Operator::Duplicate | Operator::Here => &[],
    }
}

/// Whether bash opens a connection in place of a file.
pub(super) fn is_network(path: &str) -> bool {
    path.contains("/dev/tcp/") || path.contains("/dev/udp/")
}
