//! Judging one path.

mod base;
mod report;

use smallvec::SmallVec;

use self::base::Base;
use super::{
    Lists, PathQuery, PathRules, Whereabouts,
    describe::Reading,
    files::{Files, Look},
    fold::fold,
    index::{Below, Entry},
    lexical,
    odd::{self, Odd, Oddities},
    readings::{self, Readings},
    resolve::{self, Resolved, Unresolved},
};
use crate::finding::{Findings, Outcome, RuleIndex, Scope};

/// The longest path that anything is found out about, in bytes.
const LONGEST: usize = 1 << 16;

/// What was found out about a path.
#[derive(Debug, Default)]
pub(super) struct Examined {
    /// By what it says.
    pub(super) lexical: String,
    /// By where it leads; `None` where nobody looked, because of what it says.
    pub(super) resolved: Option<Result<Resolved, Unresolved>>,
    /// What else it may be read as.
    pub(super) readings: Readings,
    pub(super) odd: Oddities,
    /// What restricts it, in order.
    pub(super) matches: SmallVec<[(Entry, Reading); 4]>,
    below: Below,
    /// The rules that allow each of the two paths.
    pub(super) allowed: Option<(RuleIndex, RuleIndex)>,
    unanchored: bool,
    /// Whether the call names a working directory that is not in the workspace.
    cwd_outside: bool,
}

/// Judges one path.
pub(super) fn judge(
    rules: &PathRules,
    query: PathQuery<'_>,
    files: &dyn Files,
    scope: &impl Scope,
    findings: &mut Findings,
) -> Examined {
    if is_too_long(query.path, query.cwd) {
        let why = "the path is longer than anybody reads";
        findings.builtin(Outcome::Deny, Odd::TooLong.id(), why);
        return Examined::default();
    }
    let base = Base::new(rules, query.path, query.cwd);
    let lists = rules.lists(query.access);
    let examined = Examiner {
        rules,
        lists,
        scope,
    }
    .examine(query.path, &base, files);
    report::report(rules, query.access, &examined, findings);
    examined
}

/// Whether judging would take its time. Nothing is worse than what follows, so that no rule that
/// denies is passed over.
fn is_too_long(path: &str, cwd: Option<&str>) -> bool {
    path.len() + cwd.map_or(0, str::len) > LONGEST
}

/// Says where a path lies.
pub(super) fn whereabouts(
    rules: &PathRules,
    path: &str,
    cwd: Option<&str>,
    files: &dyn Files,
) -> Whereabouts {
    if is_too_long(path, cwd) {
        return Whereabouts::Unclear;
    }
    let base = Base::new(rules, path, cwd);
    let (Some(workspace), true) = (&rules.workspace, base.oddities(path).is_empty()) else {
        return Whereabouts::Unclear;
    };
    let Ok(resolved) = resolve::resolve(&base.join(path), Some(workspace), files) else {
        return Whereabouts::Unclear;
    };
    let lexical = lexical::normalize(&base.directory, path);
    let inside = |path: &str| lexical::below(path, workspace).is_some();
    match inside(&lexical) && inside(&resolved.path) {
        true => Whereabouts::Inside,
        false => Whereabouts::Outside,
    }
}

/// Whether links lead a path nowhere but to the workspace. True without one, because there is
/// nothing to leave.
pub(super) fn stays(rules: &PathRules, path: &str, cwd: Option<&str>, files: &dyn Files) -> bool {
    let Some(workspace) = &rules.workspace else {
        return true;
    };
    let base = Base::new(rules, path, cwd);
    let resolved = resolve::resolve(&base.join(path), Some(workspace), files);
    let inside = |found: Resolved| lexical::below(&found.path, workspace).is_some();
    path == "/dev/null" || resolved.is_ok_and(inside)
}

struct Examiner<'a, S> {
    rules: &'a PathRules,
    lists: &'a Lists,
    scope: &'a S,
}

impl<S: Scope> Examiner<'_, S> {
    fn examine(&self, path: &str, base: &Base<'_>, files: &dyn Files) -> Examined {
        let mut examined = Examined {
            lexical: lexical::normalize(&base.directory, path),
            readings: readings::of(path, &base.directory, self.rules.home.as_deref()),
            odd: base.oddities(path),
            unanchored: base.unanchored,
            cwd_outside: base.outside,
            ..Examined::default()
        };
        examined.readings.extend(base.without_cwd(path));
        if !examined.odd.contains(&Odd::TooLong) {
            let workspace = self.rules.workspace.as_deref();
            examined.resolved = Some(resolve::resolve(&base.join(path), workspace, files));
        }
        self.restrict_all(&mut examined);
        self.allow_all(&mut examined);
        examined
    }

    fn restrict_all(&self, examined: &mut Examined) {
        let matches = &mut examined.matches;
        let mut below = self.restrict(&examined.lexical, Reading::Lexical, matches);
        if let Some(resolved) = examined.resolved_elsewhere() {
            let resolved = resolved.to_owned();
            let matches = &mut examined.matches;
            below.add(self.restrict(&resolved, Reading::Resolved, matches));
        }
        for reading in &examined.readings {
            self.restrict(reading, Reading::Other, &mut examined.matches);
        }
        examined.below = below;
        let places = [Some(&*examined.lexical), examined.resolved_path()];
        let special = places.into_iter().flatten().find_map(odd::of_place);
        examined.odd.extend(special);
        examined.matches.sort_unstable();
        examined.matches.dedup_by_key(|(entry, _)| *entry);
    }

    fn restrict(
        &self,
        path: &str,
        reading: Reading,
        matches: &mut SmallVec<[(Entry, Reading); 4]>,
    ) -> Below {
        self.lists.restrict.walk(&fold(path), |entry| {
            let holds = match entry {
                Entry::Rule(_, rule) => self.scope.is_active(rule) && !self.is_except(rule, path),
                Entry::Protected(_) | Entry::Own => true,
            };
            if holds {
                matches.push((entry, reading));
            }
        })
    }

    /// Whether a rule that denies or asks does not hold for a path.
    fn is_except(&self, rule: RuleIndex, path: &str) -> bool {
        let Some(except) = self.lists.except.get(&rule) else {
            return false;
        };
        let mut found = false;
        except.walk(&self.rules.spelled(path), |_| found = true);
        found
    }

    fn allow_all(&self, examined: &mut Examined) {
        let Some(lexical) = self.allow(&examined.lexical) else {
            return;
        };
        let resolved = match examined.resolved_elsewhere() {
            Some(path) => self.allow(path),
            None => Some(lexical),
        };
        examined.allowed = resolved.map(|resolved| (lexical, resolved));
    }

    /// The first rule that allows a path.
    fn allow(&self, path: &str) -> Option<RuleIndex> {
        let mut first: Option<RuleIndex> = None;
        self.lists.allow.walk(&self.rules.spelled(path), |entry| {
            let Entry::Rule(_, rule) = entry else {
                return;
            };
            let earlier = first.is_none_or(|first| rule < first);
            if earlier && self.scope.is_active(rule) && !self.is_except_folded(rule, path) {
                first = Some(rule);
            }
        });
        first
    }

    /// Whether a rule that allows does not hold for a path.
    fn is_except_folded(&self, rule: RuleIndex, path: &str) -> bool {
        let Some(except) = self.lists.except.get(&rule) else {
            return false;
        };
        let mut found = false;
        except.walk(&fold(path), |_| found = true);
        found
    }
}

impl Examined {
    /// Where the path leads, if somebody knows.
    pub(super) fn resolved_path(&self) -> Option<&str> {
        match &self.resolved {
            Some(Ok(resolved)) => Some(&resolved.path),
            _ => None,
        }
    }

    /// Where the path leads, if that is not what it says.
    fn resolved_elsewhere(&self) -> Option<&str> {
        self.resolved_path().filter(|path| *path != self.lexical)
    }

    fn end(&self) -> Option<&Look> {
        match &self.resolved {
            Some(Ok(resolved)) => Some(&resolved.end),
            _ => None,
        }
    }
}
