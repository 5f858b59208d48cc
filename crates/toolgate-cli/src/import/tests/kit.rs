//! What the judges have in common.

use std::path::Path;

use toolgate::{Args, Effect, ToolCall, ToolId};
use toolgate_policy::{FakeFiles, FilePolicy, Format, Settings, parse_policy};

use crate::import::{Imported, System, import};

/// A call, as all systems know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Run(&'static str),
    Read(&'static str),
    List(&'static str),
    Write(&'static str),
    Fetch(&'static str),
    Tool(Option<&'static str>, &'static str),
}

impl Act {
    fn call(self) -> ToolCall {
        let with =
            |tool: &str, key: &str, text: &str| ToolCall::new(tool, Args::new().with(key, text));
        match self {
            Self::Run(line) => with("shell", "command", line),
            Self::Read(path) => with("read_file", "path", path),
            Self::List(path) => with("list_directory", "path", path),
            Self::Write(path) => with("write_file", "path", path),
            Self::Fetch(host) => with("fetch", "url", &format!("https://{host}/")),
            Self::Tool(None, name) => ToolCall::new(name, Args::new()),
            Self::Tool(Some(server), name) => {
                ToolCall::new(ToolId::new(name).on_server(server), Args::new())
            }
        }
    }
}

/// Lines that the pools of rules are about.
pub(super) const LINES: [&str; 20] = [
    "git status",
    "git status -s",
    "git statusx",
    "git push",
    "git push origin main",
    "git push --force",
    "git log",
    "git log --oneline",
    "git checkout main",
    "npm run test",
    "npm run tests",
    "npm run test unit",
    "npm test",
    "ls src",
    "ls a",
    "rm -rf x",
    "node --version",
    "git status && rm -rf x",
    "git status && git log",
    "env git status",
];

/// Imports a configuration.
pub(super) fn imported(system: System, text: &str) -> Imported {
    import(system, Path::new("/w/config"), text).unwrap_or_else(|fail| panic!("{fail}\n{text}"))
}

pub(super) fn policy(imported: &Imported) -> FilePolicy {
    let settings = Settings::new()
        .with_base("/w")
        .with_home("/home/u")
        .with_files(FakeFiles::new());
    let parsed = parse_policy(&imported.toml, Format::Toml);
    let policy = parsed.and_then(|parsed| parsed.compile(None, &settings));
    policy.unwrap_or_else(|wrong| panic!("{wrong}\n{}", imported.toml))
}

pub(super) fn effect(policy: &FilePolicy, act: Act) -> Effect {
    policy.effect(&act.call())
}

/// Puts random calls to random configurations, and to the judge of the system.
pub(super) fn never_wider<C>(
    system: System,
    acts: &[Act],
    mut config: impl FnMut(&mut Numbers) -> (C, String),
    decides: impl Fn(&C, Act) -> Effect,
) {
    let (mut numbers, mut allowed) = (Numbers(0x9e37_79b9_7f4a_7c15), 0);
    for _ in 0..2000 {
        let (config, text) = config(&mut numbers);
        let imported = imported(system, &text);
        let policy = policy(&imported);
        for act in acts {
            let (here, there) = (effect(&policy, *act), decides(&config, *act));
            // What asks sees through wrappers here, so a wrapped command may be asked about that
            // was denied by default.
            let there = match act {
                Act::Run(line) if line.starts_with("env ") => there.min(Effect::Ask),
                _ => there,
            };
            allowed += usize::from(here == Effect::Allow);
            assert!(
                here >= there,
                "{act:?}: {here:?}, and there {there:?}\n{text}\n{}",
                imported.toml
            );
        }
    }
    // Otherwise the best import would be one that allows nothing.
    assert!(allowed > 250, "{allowed}");
}

/// Numbers that look random and are the same every time.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end).unwrap()).unwrap()
    }

    /// Some of these, in another order.
    pub(super) fn some<T: Copy>(&mut self, pool: &[T], most: usize) -> Vec<T> {
        let number = 1 + self.below(most);
        (0..number).map(|_| pool[self.below(pool.len())]).collect()
    }

    pub(super) fn one<T: Copy>(&mut self, pool: &[T]) -> T {
        pool[self.below(pool.len())]
    }
}

/// Whether a text matches a glob in which `*` is any text and `?` any character.
pub(super) fn wild(glob: &str, text: &str) -> bool {
    let mut chars = glob.chars();
    match chars.next() {
        None => text.is_empty(),
        Some('*') => {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| wild(chars.as_str(), &text[at..]))
        }
        Some('?') => text
            .chars()
            .next()
            .is_some_and(|c| wild(chars.as_str(), &text[c.len_utf8()..])),
        Some(c) => text
            .strip_prefix(c)
            .is_some_and(|rest| wild(chars.as_str(), rest)),
    }
}

/// The same, but ` *` at the end also matches nothing at all.
pub(super) fn wild_command(glob: &str, line: &str) -> bool {
    wild(glob, line)
        || glob
            .strip_suffix(" *")
            .is_some_and(|front| wild(front, line))
}

/// The commands of a line.
pub(super) fn commands(line: &str) -> Vec<&str> {
    line.split(" && ").collect()
}

/// What becomes of a line whose commands would have these effects.
///
/// Where the default is to deny, a line with a command that is asked about is asked about as a
/// whole, so all that is promised of several commands is that they are not allowed.
pub(super) fn of_line(parts: impl Iterator<Item = Effect>) -> Effect {
    match *parts.collect::<Vec<_>>() {
        [one] => one,
        ref several => several.iter().max().copied().unwrap().min(Effect::Ask),
    }
}
