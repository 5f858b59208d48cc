//! Words of programs whose options are known. The first line says which program, every further
//! line is a word.
//!
//! 1. An option that runs, writes or sends something is not covered by `*`, whatever follows it.
//! 2. Words that are allowed as a list are allowed as a line in quotes, and the other way round.
//! 3. A rule that spells out more words covers no less.
//! 4. A denied program is denied with any words, and a denied option wherever it stands.

use std::sync::LazyLock;

use toolgate::Effect;
use toolgate_policy::FilePolicy;

use crate::kit;

/// A rule, and words that it must not cover.
const HARMFUL: [(&str, &[&str]); 30] = [
    ("find", &["-exec", "rm", "{}", ";"]),
    ("find", &["-delete"]),
    ("find", &["-fprint", "x"]),
    ("git log", &["--output=x"]),
    ("git diff", &["--ext-diff"]),
    ("git diff", &["--output", "x"]),
    ("git", &["-c", "core.pager=x", "log"]),
    ("git", &["--exec-path=x", "log"]),
    ("git grep", &["-Ox"]),
    ("sort", &["--compress-program=x"]),
    ("sort", &["--compress-prog=x"]),
    ("sort", &["-o", "x"]),
    ("sort", &["-ox"]),
    ("rg", &["--pre=x"]),
    ("rg", &["--pre", "x"]),
    ("sed", &["-i", "s/a/b/"]),
    ("sed", &["s/a/b/e"]),
    ("sed", &["-n", "w x"]),
    ("sed", &["-f", "x"]),
    ("tar", &["--to-command=x", "-xf", "a"]),
    ("tar", &["-I", "x", "-tf", "a"]),
    ("less", &["-ox"]),
    ("date", &["-s", "x"]),
    ("awk", &["BEGIN { system(\"x\") }"]),
    ("awk", &["-f", "x"]),
    ("man", &["-P", "x"]),
    ("tree", &["-o", "x"]),
    ("file", &["-C"]),
    ("uniq", &["a", "b"]),
    ("xxd", &["-r", "a", "b"]),
];

/// Programs of which only the words are looked at.
const PLAIN: [&str; 16] = [
    "ls",
    "cat",
    "grep",
    "head",
    "tail",
    "wc",
    "cut",
    "tr",
    "diff",
    "du",
    "ps",
    "stat",
    "jq",
    "cargo test",
    "git status",
    "git show",
];

struct Known {
    rule: &'static str,
    harmful: &'static [&'static str],
    allow: Option<FilePolicy>,
    deny: FilePolicy,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let plain = PLAIN.map(|rule| (rule, &[][..]));
    let all = HARMFUL.into_iter().chain(plain);
    all.map(|(rule, harmful)| known(rule, harmful)).collect()
});

static RM: LazyLock<FilePolicy> = LazyLock::new(|| {
    let denied = r#"deny = ["rm -r *", "git push --force *", "find * -delete *"]"#;
    kit::policy(&format!("[shell]\n{denied}\n"))
});

fn known(rule: &'static str, harmful: &'static [&'static str]) -> Known {
    let program = rule.split(' ').next().unwrap_or_default();
    Known {
        rule,
        harmful,
        allow: try_policy(&format!("[shell]\nallow = [\"{rule} *\"]\n")),
        deny: kit::policy(&format!("[shell]\ndeny = [\"{program} *\"]\n")),
    }
}

/// None if `*` behind these words is refused when the policy is loaded, which is as good.
fn try_policy(toml: &str) -> Option<FilePolicy> {
    let parsed = toolgate_policy::parse_policy(toml, toolgate_policy::Format::Toml).ok()?;
    parsed.compile(None, &kit::settings()).ok()
}

/// Checks the words of a program.
pub fn check(text: &str) {
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let number = first
        .bytes()
        .fold(0_usize, |sum, byte| sum * 31 % 65_521 + usize::from(byte));
    let named = KNOWN.iter().find(|known| known.rule == first);
    let Some(known) = named.or_else(|| KNOWN.get(number % KNOWN.len())) else {
        return;
    };
    let words: Vec<&str> = lines.collect();
    let argv: Vec<&str> = known.rule.split(' ').chain(words.iter().copied()).collect();
    let denied = kit::effect(&known.deny, &kit::argv(&argv));
    assert_eq!(denied, Effect::Deny, "the program is denied");
    denied_options(&words);
    if let Some(policy) = &known.allow {
        covered(policy, known, &argv, &words);
    }
}

fn covered(policy: &FilePolicy, known: &Known, argv: &[&str], words: &[&str]) {
    let effect = kit::effect(policy, &kit::argv(argv));
    let quoted: Vec<_> = argv.iter().map(|word| kit::quote(word)).collect();
    let line = kit::effect(policy, &kit::line(&quoted.join(" ")));
    // No reader of lines takes a control character for itself.
    let is_text = !argv.concat().contains(char::is_control);
    assert!(
        !is_text || effect == line,
        "a line is decided otherwise: {quoted:?}"
    );
    if !known.harmful.is_empty() {
        let rule = known.rule.split(' ');
        let all: Vec<_> = rule
            .chain(known.harmful.iter().copied())
            .chain(words.iter().copied())
            .collect();
        let harmful = kit::effect(policy, &kit::argv(&all));
        assert!(harmful > Effect::Allow, "allowed: {all:?}");
    }
    let spelled = words
        .first()
        .filter(|word| effect == Effect::Allow && is_plain(word));
    if let Some(word) = spelled {
        longer(known.rule, word, argv);
    }
}

fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_/.".contains(&b))
}

/// A longer rule may be refused when it is loaded; if it is not, it covers what a shorter one does.
fn longer(rule: &str, word: &str, argv: &[&str]) {
    if let Some(policy) = try_policy(&format!("[shell]\nallow = [\"{rule} {word} *\"]\n")) {
        let effect = kit::effect(&policy, &kit::argv(argv));
        assert_eq!(
            effect,
            Effect::Allow,
            "`{rule} *` covers more than `{rule} {word} *`: {argv:?}"
        );
    }
}

fn denied_options(words: &[&str]) {
    if words
        .iter()
        .any(|word| word.starts_with("--") || word.is_empty())
    {
        return;
    }
    let denied = |before: &[&str], after: &[&str]| {
        let all = [before, words, after].concat();
        let effect = kit::effect(&RM, &kit::argv(&all));
        assert_eq!(effect, Effect::Deny, "not denied: {all:?}");
    };
    denied(&["rm"], &["-r"]);
    denied(&["rm"], &["--recursive"]);
    denied(&["rm", "-fr"], &[]);
    // An option before it may take it for its value.
    if words.last().is_none_or(|last| !last.starts_with('-')) {
        denied(&["git", "push"], &["--force"]);
    }
    denied(&["git", "push", "-f"], &[]);
}
