//! What one policy finds in one call.

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use serde_json::Value;
use toolgate::{Annotations, Args, Labels, Origin, Reviewing, ToolCall, ToolEntries, ToolId};

use crate::{
    binding::Reading,
    compiled::Compiled,
    finding::{By, Finding, Findings, Outcome, RuleIndex, Scope},
    part::{Part, Parts},
    path::{Access, Files, PathQuery, Whereabouts},
    redirects::Redirects,
    spec::{KindSpec, ModeSpec},
};

/// A call, as it is judged.
pub(crate) struct View<'a> {
    pub(crate) tool: &'a ToolId,
    pub(crate) args: &'a Args,
    pub(crate) origin: &'a Origin,
    pub(crate) annotations: Annotations,
    pub(crate) labels: &'a Labels,
    /// What the policy says of the tool beside decisions.
    pub(crate) entries: ToolEntries<'a>,
    /// The same from layers that nobody vouched for.
    pub(crate) unvouched: ToolEntries<'a>,
}

/// What a decision depends on beside policy and call.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl<'a> View<'a> {
    /// A call outside a stack, with the labels that somebody gave it.
    pub(crate) fn of(
        call: &'a ToolCall,
        labels: &'a Labels,
        [entries, unvouched]: [ToolEntries<'a>; 2],
    ) -> Self {
        Self {
            tool: call.tool(),
            args: call.args(),
            origin: call.origin(),
            annotations: call.annotations(),
            labels,
            entries,
            unvouched,
        }
    }

    /// A call inside a stack.
    pub(crate) fn reviewing(
        call: &'a ToolCall<Reviewing>,
        [entries, unvouched]: [ToolEntries<'a>; 2],
    ) -> Self {
        Self {
            tool: call.tool(),
            args: call.args(),
            origin: call.origin(),
            annotations: call.annotations(),
            labels: call.labels(),
            entries,
            unvouched,
        }
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").finish_non_exhaustive()
    }
}

impl Compiled {
    /// Reports everything that is to be said of a call, as if the rule `without` were not there.
    pub(crate) fn judge(
        &self,
        call: &View<'_>,
        parts: Parts,
        without: Option<RuleIndex>,
        world: &World,
        findings: &mut Findings,
    ) {
        let agent = call.origin.agent();
        let scope =
            |rule: RuleIndex| Some(rule) != without && self.rules.holds(rule, agent, &*world.now);
        let reading = self.bindings.read(call.tool, call.args);
        let kind = reading.as_ref().map(|reading| reading.kind);
        let mut by_tool = Findings::default();
        self.tools.judge(call.tool, call.args, &scope, &mut by_tool);
        if parts.has(Part::Capabilities) && !self.is_decided_by_entry(&by_tool) {
            self.judge_capabilities(call, kind, &scope, findings);
        }
        if parts.has(Part::Tools) {
            findings.0.append(&mut by_tool.0);
            self.judge_server(call, findings);
            self.judge_secrets(call, kind, findings);
            self.judge_mode(kind, findings);
        }
        if let Some(reading) = &reading {
            self.judge_reading(reading, parts, &scope, world, findings);
        }
    }

    fn judge_capabilities(
        &self,
        call: &View<'_>,
        kind: Option<KindSpec>,
        scope: &impl Scope,
        findings: &mut Findings,
    ) {
        let labels = call.labels.iter().chain(call.entries.capabilities());
        let labels = labels.chain(self.kinds.of(kind).iter());
        self.capabilities.judge(labels, scope, findings);
        // What nobody vouched for can only restrict.
        let mut restricting = Findings::default();
        let unvouched = call.unvouched.capabilities();
        self.capabilities.judge(unvouched, scope, &mut restricting);
        restricting
            .0
            .retain(|finding| finding.outcome >= Outcome::Ask);
        findings.0.append(&mut restricting.0);
    }

    /// Whether `[tools.NAME]` blocks or pre-approves the tool, which comes before what is said of
    /// its capabilities.
    fn is_decided_by_entry(&self, findings: &Findings) -> bool {
        let decides = |finding: &Finding| match finding.by {
            By::Rule(rule) => rule >= self.first_entry && finding.outcome != Outcome::Ask,
            By::Builtin(_) => false,
        };
        findings.0.iter().any(decides)
    }

    fn judge_server(&self, call: &View<'_>, findings: &mut Findings) {
        let Some(server) = call.tool.server() else {
            return;
        };
        if self
            .allowed_servers
            .as_ref()
            .is_some_and(|allowed| !allowed.contains(server))
        {
            let why = "the server is not among those that are allowed";
            findings.builtin(Outcome::Deny, "server.not-allowed", why);
        }
        let only_reads = call.annotations.read_only() == Some(true)
            && call.annotations.destructive() != Some(true);
        if only_reads && self.believed_servers.contains(server) {
            let why = "a trusted server says that the tool only reads";
            findings.builtin(Outcome::Allow, "server.read-only", why);
        }
    }

    fn judge_secrets(&self, call: &View<'_>, kind: Option<KindSpec>, findings: &mut Findings) {
        let Some(secrets) = &self.secrets else {
            return;
        };
        if kind == Some(KindSpec::Read) || !any_text(call.args, &|text| secrets.leak(text)) {
            return;
        }
        let outcome = match kind {
            Some(KindSpec::Fetch) => Outcome::Deny,
            _ => Outcome::Ask,
        };
        findings.builtin(
            outcome,
            "secret.leaves",
            "a secret value is among the arguments",
        );
    }

    fn judge_reading(
        &self,
        reading: &Reading<'_>,
        parts: Parts,
        scope: &impl Scope,
        world: &World,
        findings: &mut Findings,
    ) {
        if parts.has(reading.part()) {
            reading.report(findings);
        }
        if parts.has(Part::Paths) {
            self.judge_paths(reading, scope, world, findings);
        }
        if let (true, Some(hosts), Some(url)) = (parts.has(Part::Hosts), &self.hosts, reading.url) {
            covering(self.covering.fetch, findings, |findings| {
                hosts.judge(url, scope, findings);
            });
        }
        if parts.has(Part::Shell) {
            self.judge_shell(reading, scope, world, findings);
        }
    }

    fn judge_paths(
        &self,
        reading: &Reading<'_>,
        scope: &impl Scope,
        world: &World,
        findings: &mut Findings,
    ) {
        for (access, path) in &reading.paths {
            let (is_judged, has_to_cover) = match access {
                Access::Read => (self.has_read, self.covering.read),
                Access::Write | Access::Remove => (true, self.covering.write),
            };
            if is_judged {
                covering(has_to_cover, findings, |findings| {
                    let query = PathQuery {
                        access: *access,
                        path,
                        cwd: reading.cwd,
                    };
                    self.paths.judge(query, &*world.files, scope, findings);
                });
            }
        }
    }

    fn judge_shell(
        &self,
        reading: &Reading<'_>,
        scope: &impl Scope,
        world: &World,
        findings: &mut Findings,
    ) {
        let Some(shell) = &self.shell else {
            return;
        };
        let mut files = Redirects {
            paths: &self.paths,
            output: self.output.as_ref(),
            files: &*world.files,
            scope,
        };
        let is_elsewhere =
            |cwd| self.paths.whereabouts(cwd, None, &*world.files) != Whereabouts::Inside;
        if reading.cwd.is_some_and(is_elsewhere) {
            let why = "the directory that the call names is not known to be in the workspace";
            findings.builtin(Outcome::Ask, "shell.elsewhere", why);
        }
        covering(self.covering.shell, findings, |findings| {
            match (reading.line, &reading.argv) {
                (Some(line), _) => shell.judge(line, reading.cwd, scope, &mut files, findings),
                (None, Some(argv)) => {
                    shell.judge_argv(argv, reading.cwd, scope, &mut files, findings);
                }
                (None, None) => {}
            }
        });
    }

    /// A mode that only reads.
    fn judge_mode(&self, kind: Option<KindSpec>, findings: &mut Findings) {
        if self.mode == Some(ModeSpec::Plan) && kind != Some(KindSpec::Read) {
            let why = "only reading is permitted in this mode";
            findings.builtin(Outcome::Deny, "mode.plan", why);
        }
    }
}

/// Judges, and forgets that nothing was covered if nothing has to be.
fn covering(has_to_cover: bool, findings: &mut Findings, judge: impl FnOnce(&mut Findings)) {
    let before = findings.0.len();
    judge(findings);
    if !has_to_cover {
        let mut at = 0;
        findings.0.retain(|finding| {
            at += 1;
            at <= before || finding.outcome != Outcome::Uncovered
        });
    }
}

/// Whether any text among the arguments, keys included, passes the test.
fn any_text(args: &Args, passes: &impl Fn(&str) -> bool) -> bool {
    fn inside(value: &Value, passes: &impl Fn(&str) -> bool) -> bool {
        match value {
            Value::String(text) => passes(text),
            Value::Array(list) => list.iter().any(|value| inside(value, passes)),
            Value::Object(map) => map
                .iter()
                .any(|(key, value)| passes(key) || inside(value, passes)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    let mut entries = args.as_map().iter();
    entries.any(|(key, value)| passes(key) || inside(value, passes))
}
