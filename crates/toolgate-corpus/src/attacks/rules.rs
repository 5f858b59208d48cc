//! A small stand-in for policies over shell lines and tools, until they are built.
//!
//! It is narrower than what it stands for, never wider. A shell line is allowed only if it is made
//! of plain words with single spaces between them, comes as the only argument, and matches an allow
//! pattern word by word. Deny and ask patterns also look at the base name of the first word. What
//! cannot be read that way is asked about. A mode that only reads refuses everything. Precedence is
//! deny, ask, allow, default; the default asks.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate::{Args, Decision, Rule, Vote};

use crate::Missing;

/// A policy as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Spec {
    default: Option<Default_>,
    dangerous_default_allow: bool,
    dangerous_allow_all: bool,
    shell: Shell,
    tools: Tools,
    registry: Option<Vec<String>>,
    mode: Option<Mode>,
    #[serde(rename = "workspace")]
    _workspace: Option<String>,
    read: Option<Value>,
    write: Option<Value>,
    fs: Option<Value>,
    protected: Option<Value>,
    fetch: Option<Value>,
    secrets: Option<Value>,
    config: Option<Value>,
    config_text: Option<Value>,
    layers: Option<Value>,
}

/// What holds where no rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Default_ {
    Allow,
    Ask,
    Deny,
}

/// A mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Plan,
    Yolo,
}

/// Rules over shell lines.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Shell {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
    // These only ever allow more, or need more to be known than is known here.
    #[serde(rename = "env_allow")]
    _env_allow: Vec<String>,
    #[serde(rename = "transparent_wrappers")]
    _transparent_wrappers: Vec<String>,
    #[serde(rename = "redirect_allow")]
    _redirect_allow: Vec<String>,
    dialect: Option<String>,
    workspace_only: Option<bool>,
    outside: Option<String>,
}

/// Rules over tools by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Tools {
    allow: Vec<Entry>,
    ask: Vec<Entry>,
    deny: Vec<Entry>,
}

/// A tool, or a tool with conditions on its arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Entry {
    Name(String),
    When(When),
}

/// A tool with conditions on its arguments, which are all there is to be.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    tool: String,
    when: Map<String, Value>,
}

impl Spec {
    /// The part that is not built yet and that the policy needs, if it needs one.
    pub(super) fn missing(&self) -> Option<Missing> {
        let loads = self.config.is_some() || self.config_text.is_some() || self.layers.is_some();
        let paths = [&self.read, &self.write, &self.fs, &self.protected];
        let paths = paths.iter().any(|part| part.is_some())
            || self.shell.workspace_only.is_some()
            || self.shell.outside.is_some();
        let hosts = self.fetch.is_some() || self.secrets.is_some();
        let entries = [&self.tools.allow, &self.tools.ask, &self.tools.deny];
        let is_structural = |entry: &Entry| entry.name().starts_with("mcp:");
        let structural = entries.into_iter().flatten().any(is_structural);
        [
            (loads, Missing::Loader),
            (paths, Missing::Paths),
            (hosts, Missing::Hosts),
            (structural, Missing::ToolIdentity),
            (self.shell.dialect.is_some(), Missing::Shell),
        ]
        .into_iter()
        .find_map(|(needed, missing)| needed.then_some(missing))
    }

    /// Whether the policy cannot be used at all. Then everything is refused.
    fn is_refused(&self) -> bool {
        let allows_all = self.shell.allow.iter().any(|pattern| pattern.trim() == "*")
            || self.tools.allow.iter().any(|entry| entry.name() == "*");
        (allows_all && !self.dangerous_allow_all)
            || (self.default == Some(Default_::Allow) && !self.dangerous_default_allow)
    }

    /// A shell line that it allows, if it allows one.
    pub(super) fn allowed_line(&self) -> Option<String> {
        let pattern = self.shell.allow.first()?;
        Some(pattern.trim_end_matches(" *").to_owned())
    }

    /// Adds patterns that somebody else allows.
    pub(super) fn allow_lines(&mut self, patterns: &[String]) {
        self.shell.allow.extend_from_slice(patterns);
    }

    /// Decides about a call that is made in `cwd`. An ask names the directory, so that an answer
    /// holds in that one alone.
    pub(super) fn decide(&self, tool: &str, args: &Args, cwd: Option<&str>) -> Decision {
        if self.is_refused() {
            return Decision::deny("the policy cannot be used");
        }
        if let Some(registry) = &self.registry
            && !registry.iter().any(|known| known == tool)
        {
            return Decision::deny("unknown tool");
        }
        if self.mode == Some(Mode::Plan) {
            return Decision::deny("only reading, and nothing is known to only read");
        }
        let ask = |rule: &str| {
            let rule = match cwd {
                Some(cwd) => format!("{rule} in {cwd}"),
                None => rule.to_owned(),
            };
            Decision::from(Vote::ask("needs approval").by(Rule::new(rule)))
        };
        let matches = |patterns: &[String], entries: &[Entry], strict: bool| {
            let line = (tool == "shell").then(|| line(args)).flatten();
            let line = line.filter(|_| !strict || args.len() == 1);
            let pattern = patterns.iter().find(|pattern| {
                line.as_ref()
                    .is_some_and(|line| fits(pattern, line, !strict))
            });
            let entry = entries.iter().find(|entry| entry.fits(tool, args, strict));
            pattern
                .map(String::as_str)
                .or(entry.map(Entry::name))
                .map(str::to_owned)
        };
        if matches(&self.shell.deny, &self.tools.deny, false).is_some() {
            return Decision::deny("denied by a rule");
        }
        if let Some(pattern) = matches(&self.shell.ask, &self.tools.ask, false) {
            return ask(&format!("ask {pattern}"));
        }
        let default = match (self.default, self.mode) {
            (Some(Default_::Deny), _) => Decision::deny("no rule allows it"),
            (Some(Default_::Allow), _) | (_, Some(Mode::Yolo)) => Decision::allow(),
            _ => ask("default"),
        };
        match matches(&self.shell.allow, &self.tools.allow, true) {
            Some(_) => Decision::allow(),
            None => default,
        }
    }
}

impl Entry {
    fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::When(when) => &when.tool,
        }
    }

    /// Whether a call is one of those that are meant. What allows is strict: every argument has to
    /// be one that there is a condition on.
    fn fits(&self, tool: &str, args: &Args, strict: bool) -> bool {
        let named = match self.name().strip_suffix('*') {
            Some(start) => tool.starts_with(start),
            None => tool == self.name(),
        };
        let Self::When(entry) = self else {
            return named;
        };
        let holds = |(key, condition): (&String, &Value)| {
            let wanted = condition.get("eq");
            wanted.is_some() && args.get(key) == wanted
        };
        named
            && entry.when.iter().all(holds)
            && (!strict || args.as_map().keys().all(|key| entry.when.contains_key(key)))
    }
}

/// The words of a line that has nothing but plain words.
fn line(args: &Args) -> Option<Vec<&str>> {
    let command = args.get("command")?.as_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./=:@,+-".contains(c);
    let words: Vec<_> = command.split(' ').collect();
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(plain);
    words.iter().all(is_word).then_some(words)
}

/// Whether a pattern matches: word by word, and a last `*` stands for any number of further words.
fn fits(pattern: &str, line: &[&str], base_name: bool) -> bool {
    let pattern: Vec<_> = pattern.split(' ').collect();
    let (wanted, open) = match pattern.split_last() {
        Some((&"*", wanted)) => (wanted, true),
        _ => (&*pattern, false),
    };
    let enough = line.len() == wanted.len() || (open && line.len() > wanted.len());
    let same = |(place, (wanted, word)): (usize, (&&str, &&str))| {
        let base = word.rsplit('/').next().unwrap_or_default();
        wanted == word || (base_name && place == 0 && *wanted == base)
    };
    enough && wanted.iter().zip(line).enumerate().all(same)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolgate::Effect;

    use super::*;

    fn effect(policy: Value, args: Value) -> Option<Effect> {
        let spec: Spec = serde_json::from_value(policy).unwrap();
        let args = Args::try_from(args).unwrap();
        spec.decide("shell", &args, None).effect()
    }

    #[test]
    fn only_plain_words_that_match_are_allowed() {
        let policy = json!({"shell": {"allow": ["ls *", "git status"], "deny": ["rm *"]}});
        let of = |command: &str| effect(policy.clone(), json!({ "command": command }));
        for allowed in ["ls", "ls -la /x", "git status"] {
            assert_eq!(of(allowed), Some(Effect::Allow), "{allowed}");
        }
        for asked in [
            "lsx",
            "ls ",
            " ls",
            "ls  -l",
            "ls; rm x",
            "ls $(id)",
            "ls 'a'",
            "ls\nid",
            "ls *",
            "git status -s",
            "/bin/ls",
            "",
        ] {
            assert_eq!(of(asked), Some(Effect::Ask), "{asked}");
        }
        for denied in ["rm", "rm -rf x", "/bin/rm x"] {
            assert_eq!(of(denied), Some(Effect::Deny), "{denied}");
        }
    }

    #[test]
    fn what_widens_has_to_say_so() {
        let args = || json!({"command": "x"});
        assert_eq!(
            effect(json!({"default": "allow"}), args()),
            Some(Effect::Deny)
        );
        let all = json!({"tools": {"allow": ["*"]}});
        assert_eq!(effect(all, args()), Some(Effect::Deny));
        assert_eq!(
            effect(json!({"default": "deny"}), args()),
            Some(Effect::Deny)
        );
        assert_eq!(effect(json!({}), args()), Some(Effect::Ask));
        let more = json!({"command": "ls", "cwd": "/"});
        let policy = json!({"shell": {"allow": ["ls *"]}});
        assert_eq!(effect(policy, more), Some(Effect::Ask));
    }
}
