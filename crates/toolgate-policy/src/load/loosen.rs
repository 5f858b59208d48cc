//! Which settings of an environment are looser than those of the base, and so have to be meant.
//!
//! A section may add rules of any kind, as the base may. What it must not do unnoticed is to take
//! back what the base says: a stricter default or mode, a list of servers, how a tool is judged.

use std::collections::HashMap;

use toolgate::ToolDecision;

use crate::{
    Located, Place,
    diagnostic::Diagnostic,
    spec::{
        DefaultSpec, DialectSpec, FetchSpec, ModeSpec, OutsideSpec, PolicySpec, ShellSpec,
        ToolSpec, ToolsSpec,
    },
};

/// Everything in a section that is looser than the base, unless the section says that it is meant.
pub(super) fn problems(base: &PolicySpec, over: &PolicySpec) -> Vec<Diagnostic> {
    if over
        .dangerous_loosen
        .as_ref()
        .is_some_and(|flag| flag.value)
    {
        return Vec::new();
    }
    let mut found = Found::default();
    policy(&mut found, base, over);
    if let Some(over) = &over.shell {
        let default = ShellSpec::default();
        shell(&mut found, base.shell.as_ref().unwrap_or(&default), over);
    }
    if let Some(over) = &over.fetch {
        let default = FetchSpec::default();
        fetch(&mut found, base.fetch.as_ref().unwrap_or(&default), over);
    }
    if let Some(over) = &over.tools {
        let default = ToolsSpec::default();
        tools(&mut found, base.tools.as_ref().unwrap_or(&default), over);
    }
    found.0
}

#[derive(Default)]
struct Found(Vec<Diagnostic>);

impl Found {
    /// Reports a setting, and where the base says something stricter.
    fn looser(&mut self, what: &str, place: &Place, base: Option<&Place>) {
        let message = format!("{what} is looser here than in the policy itself");
        let problem = Diagnostic::error("loosened", place.clone(), message)
            .with_help("write `dangerous_loosen = true` in the section if that is meant");
        self.0.push(match base {
            Some(base) => problem.with_related(base.clone(), "the policy itself says this"),
            None => problem,
        });
    }

    /// Compares a setting that both may have.
    fn compare<T: Copy>(
        &mut self,
        what: &str,
        base: Option<&Located<T>>,
        over: Option<&Located<T>>,
        looser: impl FnOnce(Option<T>, T) -> bool,
    ) {
        if let Some(over) = over
            && looser(base.map(|base| base.value), over.value)
        {
            self.looser(what, &over.place, base.map(|base| &base.place));
        }
    }

    /// Reports entries of a list that the list of the base does not have.
    fn widened<T: PartialEq>(
        &mut self,
        what: &str,
        base: Option<&[Located<T>]>,
        over: Option<&Vec<Located<T>>>,
        usual: impl Fn(&T) -> bool,
    ) {
        for entry in over.into_iter().flatten() {
            let known = match base {
                Some(base) => base.iter().any(|known| known.value == entry.value),
                None => usual(&entry.value),
            };
            if !known {
                let first = base.and_then(<[_]>::first).map(|known| &known.place);
                self.looser(what, &entry.place, first);
            }
        }
    }
}

fn policy(found: &mut Found, base: &PolicySpec, over: &PolicySpec) {
    // To allow needs a dangerous key of its own.
    found.compare(
        "`default`",
        base.default.as_ref(),
        over.default.as_ref(),
        |b, o| b == Some(DefaultSpec::Deny) && o == DefaultSpec::Ask,
    );
    found.compare(
        "`mode`",
        base.mode.as_ref(),
        over.mode.as_ref(),
        looser_mode,
    );
    let (before, now) = (&base.auto_allow_read_only, &over.auto_allow_read_only);
    found.compare(
        "`auto_allow_read_only`",
        before.as_ref(),
        now.as_ref(),
        |b, o| o && b != Some(true),
    );
    let servers = base.allowed_servers.as_deref();
    // Without a list every server may be called, so any list is stricter.
    found.widened(
        "`allowed_servers`",
        servers,
        over.allowed_servers.as_ref(),
        |_| true,
    );
}

/// Only a change that is certainly stricter is not looser. The two dangerous modes need a dangerous
/// word or key of their own.
fn looser_mode(base: Option<ModeSpec>, over: ModeSpec) -> bool {
    use ModeSpec::{ApproveAll, Interactive, Plan, Strict, Yolo};
    let base = base.unwrap_or(Interactive);
    match over {
        ApproveAll | Yolo => false,
        Interactive => matches!(base, Strict | Plan),
        Strict => base == Plan,
        Plan => base == Strict,
    }
}

fn shell(found: &mut Found, base: &ShellSpec, over: &ShellSpec) {
    let (before, now) = (&base.workspace_only, &over.workspace_only);
    found.compare("`workspace_only`", before.as_ref(), now.as_ref(), |b, o| {
        b == Some(true) && !o
    });
    found.compare(
        "`outside`",
        base.outside.as_ref(),
        over.outside.as_ref(),
        |b, o| b == Some(OutsideSpec::Deny) && o == OutsideSpec::Ask,
    );
    found.compare(
        "`dialect`",
        base.dialect.as_ref(),
        over.dialect.as_ref(),
        |b, o| b == Some(DialectSpec::Unknown) && o != DialectSpec::Unknown,
    );
}

fn fetch(found: &mut Found, base: &FetchSpec, over: &FetchSpec) {
    let https = |scheme: &String| scheme == "https";
    let usual = |port: &u16| *port == 443;
    found.widened(
        "`schemes`",
        base.schemes.as_deref(),
        over.schemes.as_ref(),
        https,
    );
    found.widened("`ports`", base.ports.as_deref(), over.ports.as_ref(), usual);
}

fn tools(found: &mut Found, base: &ToolsSpec, over: &ToolsSpec) {
    let name = |tool: &'_ ToolSpec| tool.name.value.clone();
    let known: HashMap<_, _> = base.entries.iter().map(|tool| (name(tool), tool)).collect();
    for tool in &over.entries {
        one_tool(found, known.get(&tool.name.value).copied(), tool);
    }
}

/// Some names say what a tool does, so that a kind is looser even where the base says nothing.
fn one_tool(found: &mut Found, base: Option<&ToolSpec>, over: &ToolSpec) {
    let before = base.and_then(|base| base.decision.as_ref());
    let rank = |decision: ToolDecision| match decision {
        ToolDecision::PreApproved => 0,
        ToolDecision::NeedsApproval => 1,
        ToolDecision::Blocked => 2,
    };
    found.compare("`decision`", before, over.decision.as_ref(), |b, o| {
        o == ToolDecision::PreApproved || b.is_some_and(|b| rank(o) < rank(b))
    });
    let kind = over.kind.as_ref().map(|kind| &kind.place);
    let args = over.args.first().map(|(role, _)| &role.place);
    let ignored = over.ignore_args.first().map(|name| &name.place);
    let excluded = over.exclude_keys.first().map(|name| &name.place);
    let remembered = over.remember_by.iter().flatten().next().map(|n| &n.place);
    let changed = [
        ("`kind`", kind),
        ("`args`", args),
        ("`ignore_args`", ignored),
        ("`exclude_keys`", excluded),
        ("`remember_by`", remembered),
    ];
    for (what, place) in changed {
        if let Some(place) = place {
            found.looser(what, place, base.map(|base| &base.name.place));
        }
    }
}
