//! Rules that cannot mean what they say.

use std::collections::HashMap;

use super::build::{Numbered, Problems};
use crate::{
    Located, Place,
    finding::Outcome,
    rules::Section,
    spec::{DefaultSpec, ModeSpec, PolicySpec, ProtectedSpec, RuleSpec},
};

/// Whether a rule holds for everybody, always and without exception.
fn is_unconditional(rule: &RuleSpec) -> bool {
    rule.when.is_empty()
        && rule.agents.is_empty()
        && rule.expires.is_none()
        && rule.except.is_empty()
}

/// Rules of one section that allow and deny exactly the same: the one that allows is dead.
pub(super) fn contradictions(rules: &[Numbered<'_>]) -> Problems {
    let plain = rules.iter().filter(|(_, _, rule)| is_unconditional(rule));
    let of = |wanted: Outcome| {
        let chosen = plain
            .clone()
            .filter(move |(_, outcome, _)| *outcome == wanted);
        chosen.map(|(_, _, rule)| *rule)
    };
    let denied: HashMap<&str, &RuleSpec> = of(Outcome::Deny)
        .map(|rule| (&*rule.pattern.value, rule))
        .collect();
    let both =
        of(Outcome::Allow).filter_map(|rule| Some((rule, *denied.get(&*rule.pattern.value)?)));
    both.map(|(allow, deny)| {
        let why = format!(
            "the same is denied at {}, so this never allows anything",
            deny.pattern.place
        );
        (allow.pattern.place.clone(), why)
    })
    .collect()
}

/// Rules that allow every tool or host there is, without saying that this is dangerous.
pub(super) fn too_broad(rules: &[Numbered<'_>], spec: &PolicySpec) -> Problems {
    if spec
        .dangerous_allow_all
        .as_ref()
        .is_some_and(|all| all.value)
    {
        return Vec::new();
    }
    let everything = |rule: &RuleSpec| rule.pattern.value == "*" && rule.when.is_empty();
    let rules = rules
        .iter()
        .filter(|(_, outcome, _)| *outcome == Outcome::Allow);
    rules
        .filter(|(_, _, rule)| everything(rule))
        .map(|(_, _, rule)| {
            let why = "`*` allows everything there is, which needs `dangerous_allow_all = true`";
            (rule.pattern.place.clone(), why.to_owned())
        })
        .collect()
}

/// Why a rule that allows tools by a name that none has is useless, which harms nobody.
pub(super) fn matches_nothing(rule: &RuleSpec) -> Option<(Place, String)> {
    let pattern = &rule.pattern;
    let is_special = |c: char| matches!(c, '?' | '[' | ']' | '{' | '}' | '\\' | ' ');
    let why = "only `*` is special, and no tool has such a name, so the rule never matches";
    pattern
        .value
        .contains(is_special)
        .then(|| (pattern.place.clone(), why.to_owned()))
}

/// Rules that name a tool which is not among those that there are: what denies or asks is meant to
/// protect and does not, so the policy is refused; what allows is only useless.
pub(super) fn unknown_tools(tools: &[Numbered<'_>], spec: &PolicySpec) -> (Problems, Problems) {
    let Some(registry) = &spec.registry else {
        return (Vec::new(), Vec::new());
    };
    let known = |name: &str| registry.iter().any(|tool| tool.value == name);
    let dead = tools.iter().filter(|(_, _, rule)| {
        let name = &*rule.pattern.value;
        !name.contains('*') && !name.starts_with("mcp:") && !known(name)
    });
    let said = dead.map(|(_, outcome, rule)| {
        let why = "there is no such tool in `registry`, so the rule never matches".to_owned();
        (*outcome, (rule.pattern.place.clone(), why))
    });
    let (allow, strict): (Vec<_>, Vec<_>) =
        said.partition(|(outcome, _)| *outcome == Outcome::Allow);
    let problems = |list: Vec<(Outcome, _)>| list.into_iter().map(|(_, problem)| problem).collect();
    (problems(strict), problems(allow))
}

/// Rules that change nothing: another one says the same, or something stricter of the same. The
/// part over command lines finds its own twins, because it knows what its patterns mean.
pub(super) fn useless(section: Section, rules: &[Numbered<'_>]) -> Problems {
    let mut found = Vec::new();
    let mut first: HashMap<(&str, Outcome), &RuleSpec> = HashMap::new();
    let plain = rules.iter().filter(|(_, _, rule)| is_unconditional(rule));
    for (_, outcome, rule) in plain.clone() {
        let key = (&*rule.pattern.value, *outcome);
        match first.get(&key) {
            Some(other) if section != Section::Shell => {
                let why = format!("{} says the same", other.pattern.place);
                found.push((rule.pattern.place.clone(), why));
            }
            Some(_) => {}
            None => drop(first.insert(key, rule)),
        }
    }
    for (_, outcome, rule) in plain {
        let stricter = match outcome {
            Outcome::Allow => Outcome::Ask,
            Outcome::Ask => Outcome::Deny,
            Outcome::Deny | Outcome::Uncovered => continue,
        };
        if let Some(other) = first.get(&(&*rule.pattern.value, stricter)) {
            let what = match stricter {
                Outcome::Deny => "denied",
                _ => "asked about",
            };
            let why = format!(
                "the same is {what} at {}, so this changes nothing",
                other.pattern.place
            );
            found.push((rule.pattern.place.clone(), why));
        }
    }
    found
}

/// Programs that print what is in any file that they are given.
const READERS: &[&str] = &[
    "awk", "base64", "bat", "cat", "cmp", "comm", "cut", "diff", "egrep", "fgrep", "fold", "gawk",
    "grep", "head", "hexdump", "jq", "less", "more", "nl", "od", "paste", "rev", "rg", "sed",
    "sort", "strings", "tac", "tail", "tee", "uniq", "xxd", "yq", "zcat",
];

/// Rules that let a program read any file, beside rules that deny to read some: what a program opens
/// is judged as a command line alone.
pub(super) fn read_by_programs(shell: &[Numbered<'_>], read: &[Numbered<'_>]) -> Problems {
    if read.iter().all(|(_, outcome, _)| *outcome != Outcome::Deny) {
        return Vec::new();
    }
    let allowed = shell
        .iter()
        .filter(|(_, outcome, _)| *outcome == Outcome::Allow);
    let reads_any = |pattern: &str| {
        let words: Vec<&str> = pattern.split_whitespace().collect();
        matches!(words.as_slice(), [program, .., "*"] if READERS.contains(program))
    };
    allowed
        .filter(|(_, _, rule)| reads_any(&rule.pattern.value))
        .map(|(_, _, rule)| {
            let why = "this prints files that `[read]` denies as well";
            (rule.pattern.place.clone(), why.to_owned())
        })
        .collect()
}

/// Everything that a policy calls dangerous itself, so that whoever reviews it does not miss it.
pub(crate) fn dangers(spec: &PolicySpec) -> Problems {
    let mut found = Vec::new();
    let mut say = |place: &Place, why: &str| found.push((place.clone(), why.to_owned()));
    let allows = |default: &&Located<DefaultSpec>| default.value == DefaultSpec::Allow;
    if let Some(default) = spec.default.as_ref().filter(allows) {
        let why = "what no rule speaks of runs without a question";
        say(&default.place, why);
    }
    if let Some(all) = spec.dangerous_allow_all.as_ref().filter(|all| all.value) {
        say(&all.place, "`*` may allow everything here");
    }
    match &spec.mode {
        Some(Located {
            value: ModeSpec::ApproveAll,
            place,
        }) => {
            say(place, "what would be asked about is approved");
        }
        Some(Located {
            value: ModeSpec::Yolo,
            place,
        }) => {
            say(place, "what no rule speaks of runs without a question");
        }
        _ => {}
    }
    if let Some(Located {
        value: ProtectedSpec::None,
        place,
    }) = &spec.protected
    {
        say(
            place,
            "no file is protected against writing but those that rules name",
        );
    }
    let fetch = spec.fetch.as_ref().filter(|fetch| fetch.dangerous_private);
    if let Some(place) = fetch.and_then(|fetch| fetch.rules.place.as_ref()) {
        say(place, "addresses of the local network can be allowed");
    }
    let shell = spec.shell.iter().flat_map(|shell| &shell.rules.allow);
    for rule in shell.filter(|rule| rule.dangerous_wildcard) {
        say(
            &rule.pattern.place,
            "`*` covers every option here, harmless or not",
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::{Format, Settings, parse_policy};

    /// How often a policy is told that a program reads what is denied.
    fn told(text: &str) -> usize {
        let policy = parse_policy(text, Format::Toml).unwrap();
        let policy = policy.compile(None, &Settings::new()).unwrap();
        let warnings = policy.warnings().iter();
        warnings
            .filter(|warning| warning.message.contains("prints files"))
            .count()
    }

    #[test]
    fn a_program_that_reads_any_file_is_pointed_out_where_some_are_denied() {
        let shell =
            "workspace = '/w'\n[shell]\nallow = ['cat *', 'sed -n *', 'ls *', 'cat README.md']\n";
        assert_eq!(told(&format!("{shell}[read]\ndeny = ['**/.env']\n")), 2);
        assert_eq!(told(&format!("{shell}[read]\nallow = ['**']\n")), 0);
        assert_eq!(told(shell), 0);
    }
}
