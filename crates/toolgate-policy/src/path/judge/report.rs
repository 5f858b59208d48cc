//! From what was found out about a path to findings.

use super::{
    super::{Access, PathRules, lexical, protected},
    Entry, Examined, Findings, Look, Outcome, Unresolved,
};

pub(super) fn report(
    rules: &PathRules,
    access: Access,
    examined: &Examined,
    findings: &mut Findings,
) {
    for (entry, _) in &examined.matches {
        restricted(*entry, findings);
    }
    for odd in &examined.odd {
        findings.builtin(Outcome::Ask, odd.id(), format!("the path {}", odd.why()));
    }
    below(access, examined, findings);
    workspace(rules, examined, findings);
    base(examined, findings);
    end(
        access,
        rules.lists(access).restrict.has_rules(),
        examined,
        findings,
    );
    match examined.allowed {
        Some((lexical, resolved)) => {
            findings.rule(Outcome::Allow, lexical);
            if resolved != lexical {
                findings.rule(Outcome::Allow, resolved);
            }
        }
        None => findings.builtin(
            Outcome::Uncovered,
            "path.uncovered",
            "no rule allows the path",
        ),
    }
}

fn restricted(entry: Entry, findings: &mut Findings) {
    match entry {
        Entry::Rule(outcome, rule) => findings.rule(outcome, rule),
        Entry::Protected(group) => {
            let what = protected::GROUPS.get(usize::from(group));
            let what = what.map_or("protected", |group| group.what);
            findings.builtin(
                Outcome::Ask,
                "path.protected",
                format!("the file is {what}, which no rule allows to be written"),
            );
        }
        Entry::Own => findings.builtin(
            Outcome::Deny,
            "path.own-file",
            "the file belongs to what decides about calls",
        ),
    }
}

/// What is below a directory goes with it.
fn below(access: Access, examined: &Examined, findings: &mut Findings) {
    let below = examined.below;
    if below.own && access == Access::Remove {
        restricted(Entry::Own, findings);
    }
    let removes = access == Access::Remove && examined.end() == Some(&Look::Directory);
    if below.rule || below.own || (removes && below.rule_somewhere) {
        findings.builtin(
            Outcome::Ask,
            "path.directory",
            "a rule speaks of something below this directory",
        );
    }
}

fn workspace(rules: &PathRules, examined: &Examined, findings: &mut Findings) {
    let workspace = rules.spelled(rules.workspace.as_deref().unwrap_or(""));
    let holds = |path: &str| lexical::below(&workspace, &rules.spelled(path)).is_some();
    if holds(&examined.lexical) || examined.resolved_path().is_some_and(holds) {
        findings.builtin(
            Outcome::Ask,
            "path.workspace",
            "the path is the whole workspace, or more",
        );
    }
}

fn base(examined: &Examined, findings: &mut Findings) {
    if examined.cwd_outside {
        findings.builtin(
            Outcome::Ask,
            "path.cwd-outside",
            "the working directory is not in the workspace",
        );
    }
    if examined.unanchored {
        findings.builtin(
            Outcome::Ask,
            "path.no-workspace",
            "the path is relative, and there is no workspace",
        );
    }
}

fn end(access: Access, restricts: bool, examined: &Examined, findings: &mut Findings) {
    let (id, why) = match &examined.resolved {
        Some(Err(Unresolved::TooManyLinks)) => {
            ("path.unresolved", "the path leads through too many links")
        }
        Some(Err(Unresolved::Error)) => (
            "path.unresolved",
            "the file system cannot say where the path leads",
        ),
        Some(Ok(found)) => match found.end {
            Look::Special if found.path != "/dev/null" => (
                "path.special-file",
                "the path leads to a pipe, a device or a socket",
            ),
            // One of the other names may be one that a rule speaks of.
            Look::File { links: 2.. } if access == Access::Write || restricts => {
                ("path.hard-link", "the file has other names as well")
            }
            _ => return,
        },
        None => return,
    };
    findings.builtin(Outcome::Ask, id, why);
}
