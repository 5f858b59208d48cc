//! Redirections of a command line, judged by the rules over paths.

use crate::{
    finding::{Finding, Findings, Outcome, Scope},
    path::{Access, Files, PathQuery, PathRules},
    shell,
};

/// The rules over paths, as redirections need them.
pub(crate) struct Redirects<'a, S> {
    pub(crate) paths: &'a PathRules,
    /// Where output may go beside what the rules over writing allow.
    pub(crate) output: Option<&'a PathRules>,
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
        let is_covered = is_allowed(&found) || self.is_output(query);
        found.0.retain(|finding| finding.outcome >= Outcome::Ask);
        findings.0.append(&mut found.0);
        is_covered && (dir.is_some() || path.starts_with('/'))
    }

    fn stays(&self, path: &str, dir: Option<&str>) -> bool {
        self.paths.stays(path, dir, self.files)
    }
}

impl<S: Scope> Redirects<'_, S> {
    /// Whether output may go there: by what the path says, and by where it leads.
    fn is_output(&self, query: PathQuery<'_>) -> bool {
        let mut found = Findings::default();
        if let (Access::Write, Some(output)) = (query.access, self.output) {
            output.judge(query, self.files, &|_| true, &mut found);
        }
        is_allowed(&found)
    }
}

fn is_allowed(found: &Findings) -> bool {
    let allow = |finding: &Finding| finding.outcome == Outcome::Allow;
    !found.0.is_empty() && found.0.iter().all(allow)
}
