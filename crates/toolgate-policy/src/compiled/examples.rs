//! Examples that rules carry, tried when a policy is compiled.

use serde_json::{Map, Value};
use toolgate::{Args, Capability, Rule, ToolId};

use super::{
    Compiled,
    build::{Numbered, Problem},
};
use crate::{
    FakeFiles, Located, Place,
    finding::{By, Findings, Outcome, RuleIndex},
    path::{Access, PathQuery},
    rules::Section,
    shell,
    spec::{ExampleSpec, RuleSpec},
};

/// An example that a rule carries, and what came of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TriedExample {
    /// The rule.
    pub rule: Rule,
    /// The example: a command line, a path, an address, the name of a tool, or arguments as JSON.
    pub example: String,
    /// Where it is written.
    pub place: Place,
    /// Whether the rule has to match it: `match` or `no_match`.
    pub should_match: bool,
    /// What is wrong, if it is not as it should be.
    pub problem: Option<String>,
}

impl TriedExample {
    /// What is wrong, and where.
    pub(super) fn into_problem(self) -> Option<Problem> {
        let why = self.problem?;
        Some((self.place, why))
    }
}

/// Tries the examples of rules.
///
/// An example is judged as if its rule were the only one, in the workspace as it is written and not
/// as it is on disk.
pub(super) fn try_all(
    compiled: &Compiled,
    section: Section,
    rules: &[Numbered<'_>],
) -> Vec<TriedExample> {
    let mut tried = Vec::new();
    for (rule, outcome, spec) in rules {
        let trial = Trial {
            compiled,
            section,
            rule: *rule,
            outcome: *outcome,
            spec,
        };
        let expected = spec.matches.iter().map(|example| (example, true));
        let unexpected = spec.no_matches.iter().map(|example| (example, false));
        for (example, wanted) in expected.chain(unexpected) {
            tried.extend(trial.tried(example, wanted));
        }
    }
    tried
}

struct Trial<'a> {
    compiled: &'a Compiled,
    section: Section,
    rule: RuleIndex,
    outcome: Outcome,
    spec: &'a RuleSpec,
}

impl Trial<'_> {
    fn tried(&self, example: &Located<ExampleSpec>, wanted: bool) -> Option<TriedExample> {
        let problem = match (self.matches(&example.value), wanted) {
            (Ok(matches), wanted) if matches == wanted => None,
            (Ok(_), true) => Some("the rule does not match this example".to_owned()),
            (Ok(_), false) => Some("the rule matches this example, and should not".to_owned()),
            (Err(why), _) => Some(why),
        };
        Some(TriedExample {
            rule: self.compiled.rules.get(self.rule)?.rule.clone(),
            example: match &example.value {
                ExampleSpec::Text(text) => text.clone(),
                ExampleSpec::Args(args) => Value::Object(args.clone()).to_string(),
            },
            place: example.place.clone(),
            should_match: wanted,
            problem,
        })
    }

    fn matches(&self, example: &ExampleSpec) -> Result<bool, String> {
        let mut findings = Findings::default();
        match (self.section, example) {
            (Section::Tools, example) => self.tool(example, &mut findings)?,
            (section, ExampleSpec::Args(args)) => {
                let text = argument(section, args)?;
                self.text(text, &mut findings)?;
            }
            (_, ExampleSpec::Text(text)) => self.text(text, &mut findings)?,
        }
        Ok(self.is_met(&findings))
    }

    /// Whether the rule has its way: an allow rule only if nothing else is left to ask about.
    fn is_met(&self, findings: &Findings) -> bool {
        let by_rule = |by: By| by == By::Rule(self.rule);
        let met = findings.0.iter().any(|finding| by_rule(finding.by));
        let clean = findings
            .0
            .iter()
            .all(|finding| finding.outcome == Outcome::Allow);
        met && (self.outcome != Outcome::Allow || clean)
    }

    fn text(&self, text: &str, findings: &mut Findings) -> Result<(), String> {
        let only = |rule: RuleIndex| rule == self.rule;
        let access = match self.section {
            Section::Read => Access::Read,
            _ => Access::Write,
        };
        match self.section {
            Section::Shell => {
                let mut files = |_: shell::Access, _: &str, _: Option<&str>, _: &mut Findings| true;
                if let Some(shell) = &self.compiled.shell {
                    shell.judge(text, None, &only, &mut files, findings);
                }
            }
            Section::Read | Section::Write => {
                let query = PathQuery {
                    access,
                    path: text,
                    cwd: None,
                };
                let files = FakeFiles::new();
                self.compiled.paths.judge(query, &files, &only, findings);
            }
            Section::Fetch => {
                if let Some(hosts) = &self.compiled.hosts {
                    hosts.judge(text, &only, findings);
                }
            }
            Section::Capabilities => {
                let parsed = text.parse::<Capability>();
                let capability = parsed.map_err(|error| error.to_string())?;
                let one = std::iter::once(&capability);
                self.compiled.capabilities.judge(one, &only, findings);
            }
            Section::Tools => {}
        }
        Ok(())
    }

    fn tool(&self, example: &ExampleSpec, findings: &mut Findings) -> Result<(), String> {
        let only = |rule: RuleIndex| rule == self.rule;
        let (name, args) = match example {
            ExampleSpec::Text(name) => (name.as_str(), Args::new()),
            ExampleSpec::Args(args) => {
                let args = Args::try_from(Value::Object(args.clone()));
                let args = args.map_err(|error| error.to_string())?;
                (self.spec.pattern.value.as_str(), args)
            }
        };
        if name.contains('*') {
            return Err("which tool is meant? the pattern has a `*` in it".to_owned());
        }
        self.compiled
            .tools
            .judge(&tool(name), &args, &only, findings);
        findings
            .0
            .retain(|finding| matches!(finding.by, By::Rule(_)));
        Ok(())
    }
}

/// The tool that a pattern without stars names.
fn tool(name: &str) -> ToolId {
    match name
        .strip_prefix("mcp:")
        .and_then(|rest| rest.split_once('/'))
    {
        Some((server, tool)) => ToolId::new(tool).on_server(server),
        None => ToolId::new(name),
    }
}

fn argument(section: Section, args: &Map<String, Value>) -> Result<&str, String> {
    let name = match section {
        Section::Shell => "command",
        Section::Read | Section::Write => "path",
        Section::Fetch => "url",
        Section::Capabilities | Section::Tools => "capability",
    };
    let text = args.get(name).and_then(Value::as_str);
    text.ok_or_else(|| format!("an example for this section has the text `{name}`"))
}
