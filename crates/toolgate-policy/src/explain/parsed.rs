//! How the arguments of a call were understood.

use serde::Serialize;
use toolgate::Rule;

use crate::{
    binding::Reading,
    compiled::Compiled,
    finding::{Findings, RuleIndex, Scope},
    host::HostDescription,
    judge::{View, World},
    path::{PathDescription, PathQuery},
    policy::FilePolicy,
    redirects::Redirects,
    shell,
};

/// How one argument was understood.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Parsed {
    /// As a command line.
    Line(ParsedLine),
    /// As a path.
    Path(ParsedPath),
    /// As an address.
    Host(ParsedHost),
}

/// A command line as it was understood.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ParsedLine {
    /// What keeps the line from being taken at its word.
    pub problem: Option<String>,
    /// Every command that could be seen, each followed by those that it runs.
    pub commands: Vec<ParsedCommand>,
}

/// A command of a line.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ParsedCommand {
    /// Its words, without their quotes.
    pub words: Vec<ParsedWord>,
    /// How many commands it is run by: none for those that stand in the line.
    pub depth: usize,
    /// The rules that deny it or ask about it.
    pub refused_by: Vec<Rule>,
    /// The rule that allows it.
    pub covered_by: Option<Rule>,
    /// Why none does.
    pub why_not: Option<String>,
    /// The rule that comes closest to allowing it.
    pub nearest: Option<Rule>,
}

/// A word of a command.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ParsedWord {
    /// Without its quotes.
    pub text: String,
    /// Whether the shell would take it as it is.
    pub literal: bool,
}

/// A path as it was understood.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ParsedPath {
    /// With `.` and `..` taken out.
    pub lexical: String,
    /// Where it leads, if that could be found out.
    pub resolved: Option<String>,
    /// What else it may be read as.
    pub readings: Vec<String>,
    /// If no rule allows it, the one that allows something closest to it.
    pub nearest: Option<Rule>,
}

/// An address as it was understood.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ParsedHost {
    /// The scheme that every program finds in it, if there is one.
    pub scheme: Option<String>,
    /// The host that every program finds in it, if there is one.
    pub host: Option<String>,
    /// Every host that some program may find in it.
    pub readings: Vec<String>,
    /// If no rule allows the host, the one that allows something like it.
    pub nearest: Option<Rule>,
}

impl FilePolicy {
    /// How the arguments of a call are understood by the first layer that speaks of its kind.
    pub(super) fn parsed(&self, call: &View<'_>) -> Vec<Parsed> {
        let mut layers = self.layers().iter();
        let parsed = layers.find_map(|layer| {
            let parsed = layer.parsed(call, self.world());
            (!parsed.is_empty()).then_some(parsed)
        });
        parsed.unwrap_or_default()
    }
}

impl Compiled {
    fn parsed(&self, call: &View<'_>, world: &World) -> Vec<Parsed> {
        let Some(reading) = self.bindings.read(call.tool, call.args) else {
            return Vec::new();
        };
        let agent = call.origin.agent();
        let scope = |rule: RuleIndex| self.rules.holds(rule, agent, &*world.now);
        let line = self.parsed_line(&reading, &scope, world);
        let paths = reading.paths.iter().map(|(access, path)| {
            let query = PathQuery {
                access: *access,
                path,
                cwd: reading.cwd,
            };
            let mut unused = Findings::default();
            let path = self
                .paths
                .describe(query, &*world.files, &scope, &mut unused);
            Parsed::Path(self.parsed_path(path))
        });
        let host = self.hosts.as_ref().zip(reading.url).map(|(hosts, url)| {
            let host = hosts.describe(url, &scope, &mut Findings::default());
            Parsed::Host(self.parsed_host(host))
        });
        line.into_iter().chain(paths).chain(host).collect()
    }

    fn parsed_line(
        &self,
        reading: &Reading<'_>,
        scope: &impl Scope,
        world: &World,
    ) -> Option<Parsed> {
        let shell = self.shell.as_ref()?;
        let mut files = Redirects {
            paths: &self.paths,
            output: self.output.as_ref(),
            files: &*world.files,
            scope,
        };
        let mut unused = Findings::default();
        let description = match (reading.line, &reading.argv) {
            (Some(line), _) => shell.describe(line, reading.cwd, scope, &mut files, &mut unused),
            (None, Some(argv)) => {
                shell.describe_argv(argv, reading.cwd, scope, &mut files, &mut unused)
            }
            (None, None) => return None,
        };
        let commands = description.commands.into_iter();
        Some(Parsed::Line(ParsedLine {
            problem: description.problem.map(|(why, _)| why),
            commands: commands
                .map(|command| self.parsed_command(command))
                .collect(),
        }))
    }

    fn parsed_command(&self, command: shell::CommandDescription) -> ParsedCommand {
        let words = command.words.into_iter().map(|word| ParsedWord {
            text: word.text,
            literal: word.literal,
        });
        let refused = command.refused.into_iter();
        ParsedCommand {
            words: words.collect(),
            depth: command.depth,
            refused_by: refused
                .filter_map(|(rule, ..)| self.named(Some(rule)))
                .collect(),
            covered_by: self.named(command.covered),
            why_not: command.why_not,
            nearest: self.named(command.nearest),
        }
    }

    fn parsed_path(&self, path: PathDescription) -> ParsedPath {
        ParsedPath {
            lexical: path.lexical,
            resolved: path.resolved,
            readings: path.readings,
            nearest: self.named(path.nearest),
        }
    }

    fn parsed_host(&self, host: HostDescription) -> ParsedHost {
        ParsedHost {
            scheme: host.scheme,
            host: host.host,
            readings: host.readings,
            nearest: self.named(host.nearest),
        }
    }

    fn named(&self, rule: Option<RuleIndex>) -> Option<Rule> {
        Some(self.rules.get(rule?)?.rule.clone())
    }
}
