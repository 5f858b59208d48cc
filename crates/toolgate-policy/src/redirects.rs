//! Redirections of a command line, judged by the rules over paths.

use crate::{
    finding::{Findings, Outcome, Scope},
    path::{Access, Files, PathQuery, PathRules},
    shell,
};

/// The rules over paths, as redirections need them.
pub(crate) struct Redirects<'a, S> {
    pub(crate) paths: &'a PathRules,
    pub(crate) files: &'a dyn Files,
    pub(crate) scope: &'a S,
}

impl<S: Scope> shell::Files for Redirects<'_, S> {
    fn covers(
        &mut self,
        access: shell::Access,
        path: &str,
        dir: Option<&str>,
        findings: &mut Findings,
    ) -> bool {
        let query = PathQuery {
            access: match access {
                shell::Access::Read => Access::Read,
                shell::Access::Write => Access::Write,
            },
            path,
            cwd: dir,
        };
        let mut found = Findings::default();
        self.paths.judge(query, self.files, self.scope, &mut found);
        let allowed = found
            .0
            .iter()
            .all(|finding| finding.outcome == Outcome::Allow);
        let is_covered = allowed && !found.0.is_empty();
        found.0.retain(|finding| finding.outcome >= Outcome::Ask);
        findings.0.append(&mut found.0);
        is_covered && (dir.is_some() || path.starts_with('/'))
    }

    fn stays(&self, path: &str, dir: Option<&str>) -> bool {
        self.paths.stays(path, dir, self.files)
    }
}
