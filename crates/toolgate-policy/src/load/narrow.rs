//! What is left of a policy that nobody vouched for: only what restricts.

use toolgate::ToolDecision;

use crate::{
    Place,
    diagnostic::{Diagnostic, quoted},
    spec::{
        DefaultSpec, FetchSpec, KindSpec, ModeSpec, PolicySpec, ProtectedSpec, ShellSpec, ToolSpec,
    },
};

/// Takes everything out of a policy that could permit something, and notes each.
///
/// Only the section of the environment at hand is looked at; the others do not hold.
pub(super) fn narrow(spec: &mut PolicySpec, environment: Option<&str>) -> Vec<Diagnostic> {
    let mut notes = Notes::default();
    notes.policy(spec);
    for (name, section) in &mut spec.env {
        if Some(name.value.as_str()) == environment {
            let loosens = section
                .dangerous_loosen
                .as_ref()
                .is_some_and(|flag| flag.value);
            notes.policy(section);
            if loosens {
                // Which of them are looser would have to be worked out; none of them holds.
                drop_settings(section);
            }
        }
    }
    notes.0
}

#[derive(Default)]
struct Notes(Vec<Diagnostic>);

impl Notes {
    fn left_out(&mut self, what: &str, place: &Place) {
        let message = format!("{what} is left out, since nobody vouched for this policy");
        self.0
            .push(Diagnostic::note("untrusted", place.clone(), message));
    }

    /// Takes out a setting if it permits something.
    fn take<T>(
        &mut self,
        what: &str,
        setting: &mut Option<crate::Located<T>>,
        permits: impl FnOnce(&T) -> bool,
    ) {
        if let Some(set) = setting.take_if(|set| permits(&set.value)) {
            self.left_out(what, &set.place);
        }
    }

    /// Takes out a list of names that permits something.
    fn empty<T>(&mut self, what: &str, list: &mut Vec<crate::Located<T>>) {
        if let Some(first) = list.first() {
            self.left_out(what, &first.place);
            list.clear();
        }
    }

    fn policy(&mut self, spec: &mut PolicySpec) {
        let flag = |flag: &bool| *flag;
        self.take("`default = \"allow\"`", &mut spec.default, |default| {
            *default == DefaultSpec::Allow
        });
        self.take("this mode", &mut spec.mode, |mode| {
            matches!(mode, ModeSpec::ApproveAll | ModeSpec::Yolo)
        });
        self.take("`protected`", &mut spec.protected, |protected| {
            *protected == ProtectedSpec::None
        });
        self.take("`workspace`", &mut spec.workspace, |path| leads_out(path));
        let (default, all) = (
            &mut spec.dangerous_default_allow,
            &mut spec.dangerous_allow_all,
        );
        self.take("`dangerous_default_allow`", default, flag);
        self.take("`dangerous_allow_all`", all, flag);
        self.take(
            "everything that `dangerous_loosen` lets be looser",
            &mut spec.dangerous_loosen,
            flag,
        );
        self.take(
            "`auto_allow_read_only`",
            &mut spec.auto_allow_read_only,
            flag,
        );
        self.empty("`dangerous_lift`", &mut spec.dangerous_lift);
        self.empty("`trusted_servers`", &mut spec.trusted_servers);
        self.rules(spec);
        spec.shell.iter_mut().for_each(|shell| self.shell(shell));
        spec.fetch.iter_mut().for_each(|fetch| self.fetch(fetch));
        let tools = spec.tools.iter_mut().flat_map(|tools| &mut tools.entries);
        tools.for_each(|tool| self.tool(tool));
    }

    fn rules(&mut self, spec: &mut PolicySpec) {
        for lists in spec.sections_mut() {
            for rule in lists.allow.drain(..) {
                let what = format!("the rule that allows {}", quoted(&rule.pattern.value));
                self.left_out(&what, &rule.pattern.place);
            }
        }
    }

    fn shell(&mut self, shell: &mut ShellSpec) {
        self.empty("`env_allow`", &mut shell.env_allow);
        self.empty("`transparent_wrappers`", &mut shell.transparent_wrappers);
        self.empty("`redirect_allow`", &mut shell.redirect_allow);
    }

    fn fetch(&mut self, fetch: &mut FetchSpec) {
        if let Some(mut schemes) = fetch.schemes.take() {
            self.empty("`schemes`", &mut schemes);
        }
        if let Some(mut ports) = fetch.ports.take() {
            self.empty("`ports`", &mut ports);
        }
        if std::mem::take(&mut fetch.dangerous_private)
            && let Some(place) = &fetch.rules.place
        {
            self.left_out("`dangerous_private`", place);
        }
    }

    fn tool(&mut self, tool: &mut ToolSpec) {
        self.take(
            "`decision = \"pre_approved\"`",
            &mut tool.decision,
            |decision| *decision == ToolDecision::PreApproved,
        );
        self.take("`kind = \"plain\"`", &mut tool.kind, |kind| {
            *kind == KindSpec::Plain
        });
        self.empty("`ignore_args`", &mut tool.ignore_args);
        self.empty("`exclude_keys`", &mut tool.exclude_keys);
        if let Some(mut names) = tool.remember_by.take() {
            self.empty("`remember_by`", &mut names);
        }
    }
}

/// Takes all settings out of the section of an environment. Its rules stay.
fn drop_settings(section: &mut PolicySpec) {
    section.default = None;
    section.mode = None;
    section.allowed_servers = None;
    if let Some(shell) = &mut section.shell {
        shell.workspace_only = None;
        shell.outside = None;
        shell.dialect = None;
    }
    if let Some(tools) = &mut section.tools {
        tools.entries.clear();
    }
}

/// Whether a path is anything but a directory below the one it is said in.
fn leads_out(path: &str) -> bool {
    let mut parts = std::path::Path::new(path).components();
    let below = |part| {
        use std::path::Component::{CurDir, Normal};
        matches!(part, CurDir | Normal(_))
    };
    !parts.all(below) || path.starts_with(['~', '$', '\\']) || path.contains(':')
}
