//! The permissions in a `settings.json` of Claude Code.

use std::path::Path;

use serde_json::{Map, Value};
use toolgate::{Args, Effect};

use super::{
    commands,
    draft::{Draft, Rule, Section, becomes},
    mcp, paths,
};
use crate::{fail::Fail, style::word, text::unreadable_json};

/// Reads the permissions.
pub(super) fn read(path: &Path, text: &str) -> Result<Draft, Fail> {
    let name = path.display();
    let settings = Args::parse(text).map_err(|error| {
        let why = unreadable_json(&error, "the file");
        Fail::new(format!("{name}: {why}")).with_help("name a settings.json of Claude Code")
    })?;
    let mut draft = Draft::new(format!("Imported from {name}."));
    draft.inside_only = true;
    let empty = Map::new();
    let permissions = match settings.get("permissions") {
        None => &empty,
        Some(Value::Object(permissions)) => permissions,
        Some(_) => return Err(Fail::new(format!("{name}: `permissions` is not an object"))),
    };
    let reader = Reader {
        of_user: is_of_user(path),
    };
    for (key, value) in permissions {
        match key.as_str() {
            "allow" => reader.list(&mut draft, Effect::Allow, value, &name.to_string())?,
            "ask" => reader.list(&mut draft, Effect::Ask, value, &name.to_string())?,
            "deny" => reader.list(&mut draft, Effect::Deny, value, &name.to_string())?,
            "defaultMode" => mode(&mut draft, value),
            "disableBypassPermissionsMode" | "disableAutoMode" => {}
            other => draft.loss(other, "it is not carried over"),
        }
    }
    // Without a word about it, Claude Code reads in the directory that it works in.
    let from = "reading where it works";
    draft.rule(Effect::Allow, Section::Read, "**", from);
    hold_back_commands(&mut draft);
    Ok(draft)
}

/// Programs that Claude Code may hold against the rules over files, and others of their kind.
const FILE_COMMANDS: [&str; 48] = [
    "awk", "base64", "bat", "cat", "chmod", "chown", "cmp", "comm", "cp", "cut", "dd", "diff",
    "dir", "du", "egrep", "fgrep", "file", "find", "fold", "gawk", "grep", "head", "hexdump",
    "install", "join", "jq", "less", "ln", "ls", "mkdir", "more", "mv", "nl", "od", "paste", "rg",
    "rm", "sed", "sort", "stat", "strings", "tac", "tail", "tee", "touch", "uniq", "wc", "xxd",
];

/// What a command reads is not looked at here. So where files are restricted, a command that reads
/// or writes files is not allowed.
fn hold_back_commands(draft: &mut Draft) {
    let about_files = |rule: &&Rule| {
        let is_own = matches!(rule.section, Section::Read | Section::Write);
        let tools = [Section::Read.tools(), Section::Write.tools()].concat();
        let is_whole = rule.section == Section::Tools && tools.contains(&&*rule.pattern);
        rule.effect != Effect::Allow && (is_own || is_whole)
    };
    let restricting = draft.rules.iter().filter(about_files);
    let Some(restricting) = restricting.max_by_key(|rule| rule.effect) else {
        return;
    };
    let why = format!(
        "it allows nothing now: what a command does to files is not held against `{}`",
        restricting.from
    );
    let reads = |rule: &Rule| {
        let program = rule.pattern.split(' ').next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program);
        let allows = (rule.section, rule.effect) == (Section::Shell, Effect::Allow);
        allows && FILE_COMMANDS.contains(&program)
    };
    let restricted = restricting.from.clone();
    let is_told = draft.losses.iter().any(|loss| loss.rule == restricted);
    if draft.default == Effect::Ask && restricting.effect == Effect::Deny && !is_told {
        let what = "a command that prints or changes such a file is asked about, not denied";
        draft.loss(&restricted, what);
    }
    for rule in draft.take_out(reads) {
        draft.loss(&rule.from, why.clone());
    }
}

fn mode(draft: &mut Draft, value: &Value) {
    match value.as_str() {
        Some("default") => {}
        Some("dontAsk") => {
            draft.default = Effect::Deny;
            draft.mode = Some("strict");
        }
        Some("plan") => draft.mode = Some("plan"),
        _ => draft.loss("defaultMode", "what it lets through is asked about"),
    }
}

/// Whether the settings are those of a user, in which `/x` is not a path of the project.
fn is_of_user(path: &Path) -> bool {
    let home = std::env::var_os("HOME");
    let directory = std::path::absolute(path).ok();
    let directory = directory
        .as_deref()
        .and_then(|path| path.parent()?.parent());
    home.is_some_and(|home| directory == Some(Path::new(&home)))
}

struct Reader {
    of_user: bool,
}

impl Reader {
    fn list(
        &self,
        draft: &mut Draft,
        effect: Effect,
        value: &Value,
        name: &str,
    ) -> Result<(), Fail> {
        let problem = || {
            let word = word(effect);
            Fail::new(format!(
                "{name}: `permissions.{word}` is not a list of rules"
            ))
        };
        for rule in value.as_array().ok_or_else(problem)? {
            self.rule(draft, effect, rule.as_str().ok_or_else(problem)?);
        }
        Ok(())
    }

    fn rule(&self, draft: &mut Draft, effect: Effect, rule: &str) {
        let (tool, specifier) = match rule.split_once('(') {
            None => (rule, None),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(specifier) => (tool, Some(specifier)),
                None => return unclear(draft, effect, rule),
            },
        };
        let specifier = specifier.filter(|specifier| *specifier != "*");
        match (tool, specifier) {
            ("Bash", None) => commands::glob(draft, effect, "*", rule),
            ("Bash", Some(glob)) => {
                let spaced = glob.strip_suffix(":*").map(|front| format!("{front} *"));
                commands::glob(draft, effect, spaced.as_deref().unwrap_or(glob), rule);
            }
            ("Read", pattern) => self.path(draft, effect, Section::Read, pattern, rule),
            ("Edit", pattern) => self.path(draft, effect, Section::Write, pattern, rule),
            ("Write" | "MultiEdit" | "NotebookEdit", pattern) => match effect {
                Effect::Allow => {
                    draft.loss(
                        rule,
                        "it allows nothing now: `Edit(…)` allows to write files",
                    );
                }
                effect => self.path(draft, effect, Section::Write, pattern, rule),
            },
            ("WebFetch", specifier) => fetch(draft, effect, specifier, rule),
            (tool, None) if tool.starts_with("mcp__") => {
                mcp::glued(draft, effect, &tool["mcp__".len()..], rule);
            }
            (tool, specifier) => named(draft, effect, tool, specifier, rule),
        }
    }

    fn path(
        &self,
        draft: &mut Draft,
        effect: Effect,
        section: Section,
        pattern: Option<&str>,
        rule: &str,
    ) {
        let Some(pattern) = pattern else {
            return paths::glob(draft, effect, section, "**", rule);
        };
        let rooted = if let Some(rest) = pattern.strip_prefix("//") {
            ("/", rest)
        } else if let Some(rest) = pattern.strip_prefix("~/") {
            ("~/", rest)
        } else if pattern.starts_with('/') && self.of_user {
            // Seen from the directory of the settings, which are not in the project.
            ("~/.claude/", pattern.trim_start_matches('/'))
        } else {
            ("", pattern)
        };
        paths::gitignore(draft, effect, section, rooted, rule);
    }
}

fn unclear(draft: &mut Draft, effect: Effect, rule: &str) {
    match effect {
        Effect::Allow => draft.loss(rule, "it allows nothing now: it is no rule"),
        // There it does nothing, whatever it was meant to do.
        _ => draft.whole_instead(Effect::Ask, Section::Tools, rule, "it is no rule"),
    }
}

fn fetch(draft: &mut Draft, effect: Effect, specifier: Option<&str>, rule: &str) {
    let host = match specifier {
        None => None,
        Some(specifier) => match specifier.strip_prefix("domain:") {
            Some(host) => Some(host),
            None if effect == Effect::Allow => {
                return draft.loss(rule, "it allows nothing now: it names no domain");
            }
            None => {
                return draft.whole_instead(effect, Section::Fetch, rule, "it names no domain");
            }
        },
    };
    match (host.filter(|host| *host != "*"), effect) {
        (None, Effect::Allow) => {
            draft.loss(rule, "it allowed every host; now it allows nothing");
        }
        (None, effect) => draft.whole(effect, Section::Fetch, rule),
        (Some(host), Effect::Allow) => draft.rule(effect, Section::Fetch, host, rule),
        (Some(host), effect) => {
            let host = host.strip_prefix("*.").unwrap_or(host);
            draft.rule(effect, Section::Fetch, host, rule);
            draft.rule(effect, Section::Fetch, &format!("*.{host}"), rule);
        }
    }
}

/// A tool by its name, perhaps with an argument.
fn named(draft: &mut Draft, effect: Effect, tool: &str, specifier: Option<&str>, rule: &str) {
    let when = match (specifier, effect) {
        (None, _) => None,
        (Some(_), Effect::Allow) => {
            return draft.loss(
                rule,
                "it allows nothing now: only whole tools can be allowed",
            );
        }
        (Some(specifier), effect) => {
            let when = condition(tool, specifier);
            if when.is_none() {
                let now = becomes(effect);
                draft.loss(rule, format!("every call of the tool is {now} now"));
            }
            when
        }
    };
    if tool.contains('*') && effect == Effect::Allow {
        return draft.loss(rule, "it allows nothing now: name the tools one by one");
    }
    let names: &[&str] = match tool {
        "Agent" | "Task" => &["Agent", "Task"],
        _ => &[tool],
    };
    for name in names {
        draft.push(Rule {
            section: Section::Tools,
            effect,
            pattern: (*name).to_owned(),
            when: when.clone(),
            reason: None,
            from: rule.to_owned(),
        });
    }
}

/// The argument that a rule is about, and what it has to be.
fn condition(tool: &str, specifier: &str) -> Option<(String, Vec<Value>)> {
    let (key, value) = match (specifier.split_once(':'), tool) {
        (Some((key, value)), _) => (key, value),
        (None, "Agent" | "Task") => ("subagent_type", specifier),
        (None, _) => return None,
    };
    if value.contains('*') || key.is_empty() || key.starts_with('/') {
        return None;
    }
    let mut values = vec![Value::String(value.to_owned())];
    // There, a number or a flag is compared as text.
    let scalar = serde_json::from_str::<Value>(value).ok();
    values.extend(scalar.filter(|it| it.is_boolean() || it.is_i64()));
    Some((key.to_owned(), values))
}
