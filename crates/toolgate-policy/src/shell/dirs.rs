//! Where a line is while its commands run.

use smallvec::{SmallVec, smallvec};

use super::line::{Join, Kind, Word};

/// How many directories a line may be in at once before it counts as lost.
const MOST: usize = 8;

/// How often a line may change its directory before it counts as lost.
const CHANGES: usize = 64;
/// The longest path of a directory; no system knows longer ones.
const LONGEST: usize = 4096;

/// A directory: absolute, or relative to a workspace whose place is not known. `None` is anywhere.
pub(super) type Dir = Option<String>;

/// Takes `.`, `..` and doubled slashes out of a path.
pub(super) fn normal(base: &str, path: &str) -> String {
    let absolute = path.starts_with('/') || base.starts_with('/');
    let base = if path.starts_with('/') { "" } else { base };
    let mut parts: SmallVec<[&str; 16]> = SmallVec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute {
        format!("/{joined}")
    } else {
        joined
    }
}

/// Where a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Inside,
    Outside,
    Unknown,
}

/// The directory that everything is to stay in.
#[derive(Clone, Debug)]
pub(super) struct Workspace(String);

impl Workspace {
    pub(super) fn new(path: Option<&str>) -> Self {
        Self(
            path.filter(|path| path.starts_with('/'))
                .map(|path| normal("", path))
                .unwrap_or_default(),
        )
    }

    pub(super) fn root(&self) -> &str {
        &self.0
    }

    fn contains(&self, path: &str) -> bool {
        let up = path == ".." || path.starts_with("../");
        match self.0.as_str() {
            "" => !path.starts_with('/') && !up,
            "/" => path.starts_with('/'),
            root => path
                .strip_prefix(root)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        }
    }

    /// Where a path lies, seen from each of the directories.
    pub(super) fn place(&self, dirs: &[Dir], path: &str) -> Where {
        if path == "/dev/null" {
            return Where::Inside;
        }
        let down = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
        let place = |dir: &Dir| match dir {
            Some(dir) if down => self.is_inside(dir),
            _ if path.starts_with('/') => self.is_inside(&normal("", path)),
            None => Where::Unknown,
            Some(dir) => self.is_inside(&normal(dir, path)),
        };
        let places: SmallVec<[Where; 4]> = dirs.iter().map(place).collect();
        let worst = |wanted| places.contains(&wanted);
        match () {
            () if worst(Where::Outside) => Where::Outside,
            () if worst(Where::Unknown) || places.is_empty() => Where::Unknown,
            () => Where::Inside,
        }
    }

    fn is_inside(&self, path: &str) -> Where {
        if self.contains(path) {
            Where::Inside
        } else {
            Where::Outside
        }
    }
}

/// The directories that a command of a line may be run in.
#[derive(Clone, Debug)]
pub(super) struct Dirs {
    now: SmallVec<[Dir; 2]>,
    /// Where the commands of this chain of `&&` may have been.
    seen: SmallVec<[Dir; 2]>,
    /// Where the list of commands up to `;` or `&` began.
    list: SmallVec<[Dir; 2]>,
    /// How often the directory was changed.
    changes: usize,
    /// Whether the list has changed the directory.
    moved: bool,
    /// Inside a pipe, where `cd` moves nobody else.
    piped: bool,
}

impl Dirs {
    pub(super) fn new(dir: Dir) -> Self {
        let now: SmallVec<[Dir; 2]> = smallvec![dir];
        Self {
            seen: now.clone(),
            list: now.clone(),
            now,
            changes: 0,
            moved: false,
            piped: false,
        }
    }

    pub(super) fn now(&self) -> &[Dir] {
        &self.now
    }

    /// Goes past a command.
    pub(super) fn pass(&mut self, words: &[Word<'_>], join: Join) {
        let piped = self.piped || join == Join::Pipe;
        self.piped = join == Join::Pipe;
        if !piped {
            self.change(words);
        }
        if !self.moved {
            return;
        }
        match join {
            Join::And | Join::Pipe => {}
            Join::Or => self.now.clone_from(&self.seen),
            Join::Then => self.settle(self.seen.clone()),
            // What went on in the background moved nobody here.
            Join::Background => self.settle(self.list.clone()),
        }
    }

    /// Begins a list of commands.
    fn settle(&mut self, dirs: SmallVec<[Dir; 2]>) {
        self.now.clone_from(&dirs);
        self.list.clone_from(&dirs);
        self.seen = dirs;
        self.moved = false;
    }

    fn change(&mut self, words: &[Word<'_>]) {
        let target = match words.first().map(|word| &*word.text) {
            Some("cd") => target(words),
            Some("pushd" | "popd" | "source" | "." | "eval") => None,
            _ => return,
        };
        let changes = self.changes;
        let go = |dir: &Dir| {
            let path = target.filter(|path| path.len() < LONGEST && changes < CHANGES)?;
            let base = if path.starts_with('/') {
                ""
            } else {
                dir.as_ref()?
            };
            Some(normal(base, path)).filter(|path| path.len() < LONGEST)
        };
        (self.moved, self.changes) = (true, self.changes + 1);
        self.now = self.now.iter().map(go).collect();
        for dir in &self.now {
            if !self.seen.contains(dir) {
                self.seen.push(dir.clone());
            }
        }
        if self.seen.len() > MOST {
            self.seen = smallvec![None];
        }
    }
}

/// Whether a command goes to a directory that nobody knows.
pub(super) fn is_lost(words: &[Word<'_>]) -> bool {
    match words.first().map(|word| &*word.text) {
        Some("cd") => target(words).is_none(),
        Some("pushd" | "popd") => true,
        _ => false,
    }
}

/// The directory that `cd` goes to, if it is written out.
fn target<'w>(words: &'w [Word<'_>]) -> Option<&'w str> {
    let flags =
        |word: &&Word<'_>| matches!(&*word.text, "-L" | "-P" | "-e" | "--") && word.is_literal();
    let mut rest = words.iter().skip(1).skip_while(flags);
    match (rest.next(), rest.next()) {
        (Some(word), None)
            if word.kind == Kind::Literal
                && !word.text.is_empty()
                && !word.text.starts_with('-') =>
        {
            Some(&word.text)
        }
        _ => None,
    }
}

/// What may be a path in a word, where nobody knows the program: all of it, the value behind `=`, or
/// what follows the letter of an option.
pub(super) fn candidates(word: &str) -> impl Iterator<Item = &str> {
    let whole = (!word.starts_with('-')).then_some(word);
    let value = word.split_once('=').map(|(_, value)| value);
    let attached = word
        .strip_prefix('-')
        .and_then(|rest| rest.find(['/', '.']).and_then(|at| rest.get(at..)));
    whole.into_iter().chain(value).chain(attached)
}
