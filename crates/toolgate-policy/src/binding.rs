//! What a tool does with its arguments, and where among them it finds what is judged.

use serde_json::Value;
use smallvec::SmallVec;
use toolgate::{Args, ToolId, ToolPatterns};

use crate::{
    Place,
    finding::{Findings, Outcome},
    part::Part,
    path::Access,
    spec::{KindSpec, ToolSpec},
};

/// Which tools are known to run commands, to read and write files, or to fetch.
///
/// Some names are known without being said: `shell`, `exec`, `read_file`, `list_directory`,
/// `write_file`, `delete_file`, `copy_path`, `move_path` and `fetch`, of the host's own. For all
/// others a policy says so in `[tools.NAME]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    patterns: ToolPatterns,
    bindings: Vec<Binding>,
}

#[derive(Clone, Debug)]
struct Binding {
    kind: KindSpec,
    /// From what is judged to the name of the argument that has it.
    names: Box<[(Role, Box<str>)]>,
    ignored: Box<[Box<str>]>,
}

/// Something about a call that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Command,
    Argv,
    Cwd,
    Path,
    Paths,
    Content,
    From,
    To,
    Url,
}

/// What a call is about to do, read from its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Reading<'a> {
    pub(crate) kind: KindSpec,
    pub(crate) line: Option<&'a str>,
    pub(crate) argv: Option<SmallVec<[&'a str; 8]>>,
    pub(crate) cwd: Option<&'a str>,
    pub(crate) paths: SmallVec<[(Access, &'a str); 2]>,
    pub(crate) url: Option<&'a str>,
    problems: SmallVec<[Problem; 1]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Missing,
    OddType,
    UnknownKey,
}

impl Bindings {
    /// Adds what is said of a tool.
    pub(crate) fn add(&mut self, spec: &ToolSpec) -> Result<(), Vec<(Place, String)>> {
        let Some(kind) = spec.kind.as_ref().map(|kind| kind.value) else {
            let misplaced = spec.args.first().map(|(role, _)| &role.place);
            let misplaced = misplaced.or(spec.ignore_args.first().map(|name| &name.place));
            let why = "without `kind` nothing is read from the arguments";
            return misplaced.map_or(Ok(()), |place| Err(vec![(place.clone(), why.to_owned())]));
        };
        let (mut names, mut problems) = (Vec::new(), Vec::new());
        for (role, name) in &spec.args {
            let known = Role::parse(&role.value).filter(|role| roles(kind).contains(role));
            if let Some(known) = known {
                names.push((known, name.value.as_str().into()));
            } else {
                let known: Vec<_> = roles(kind).iter().map(|role| role.name()).collect();
                let why = format!("this kind of tool has {}", known.join(", "));
                problems.push((role.place.clone(), why));
            }
        }
        if let Err(error) = self.patterns.add(&spec.name.value) {
            problems.push((spec.name.place.clone(), error.why().to_owned()));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let ignored = spec
            .ignore_args
            .iter()
            .map(|name| name.value.as_str().into());
        self.bindings.push(Binding {
            kind,
            names: names.into(),
            ignored: ignored.collect(),
        });
        Ok(())
    }

    /// Whether anything could be read from the arguments of a tool.
    pub(crate) fn reads(&self, tool: &ToolId) -> bool {
        let mut found = tool.server().is_none() && built_in(tool.name()).is_some();
        self.patterns.find(tool, |_| found = true);
        found
    }

    /// What a call is about to do; none if its tool is of no kind.
    ///
    /// If several entries speak of a tool, the one that was written last counts.
    pub(crate) fn read<'a>(&self, tool: &ToolId, args: &'a Args) -> Option<Reading<'a>> {
        let mut found = None;
        self.patterns
            .find(tool, |number| found = found.max(Some(number)));
        if let Some(binding) = found.and_then(|number| self.bindings.get(number)) {
            return binding.read(args);
        }
        let kind = tool.server().is_none().then(|| built_in(tool.name()));
        let binding = Binding {
            kind: kind.flatten()?,
            names: Box::default(),
            ignored: Box::default(),
        };
        binding.read(args)
    }
}

impl Binding {
    fn read<'a>(&self, args: &'a Args) -> Option<Reading<'a>> {
        if self.kind == KindSpec::Plain {
            return None;
        }
        let mut reading = Reading::new(self.kind);
        let roles = roles(self.kind);
        for role in roles {
            if let Some(value) = args.get(self.name(*role)) {
                reading.take(*role, value);
            }
        }
        let is_known = |key: &str| {
            let is_role = roles.iter().any(|role| self.name(*role) == key);
            is_role || self.ignored.iter().any(|ignored| **ignored == *key)
        };
        if !args.as_map().keys().all(|key| is_known(key)) {
            reading.problems.push(Problem::UnknownKey);
        }
        if !reading.is_complete() {
            reading.problems.push(Problem::Missing);
        }
        Some(reading)
    }

    fn name(&self, role: Role) -> &str {
        let named = self.names.iter().find(|(named, _)| *named == role);
        named.map_or(role.name(), |(_, name)| name)
    }
}

impl<'a> Reading<'a> {
    fn new(kind: KindSpec) -> Self {
        Self {
            kind,
            line: None,
            argv: None,
            cwd: None,
            paths: SmallVec::new(),
            url: None,
            problems: SmallVec::new(),
        }
    }

    fn take(&mut self, role: Role, value: &'a Value) {
        match (role, value) {
            (Role::Command, Value::String(line)) => self.line = Some(line),
            (Role::Cwd, Value::String(cwd)) => self.cwd = Some(cwd),
            (Role::Url, Value::String(url)) => self.url = Some(url),
            // What is no text is turned into one by somebody else.
            (Role::Content, Value::String(_) | Value::Array(_) | Value::Object(_)) => {}
            (Role::Path | Role::From | Role::To, Value::String(path)) => self.access(role, path),
            (Role::Paths, Value::Array(paths)) => match texts(paths) {
                Some(paths) => paths.into_iter().for_each(|path| self.access(role, path)),
                None => self.problems.push(Problem::OddType),
            },
            (Role::Argv, Value::Array(words)) => match texts(words) {
                Some(words) => self.argv = Some(words),
                None => self.problems.push(Problem::OddType),
            },
            _ => self.problems.push(Problem::OddType),
        }
    }

    fn access(&mut self, role: Role, path: &'a str) {
        let access = match (self.kind, role) {
            (KindSpec::Read, _) | (KindSpec::Copy, Role::From) => Access::Read,
            (KindSpec::Delete, _) => Access::Remove,
            // What is moved is read there, and is gone from where it was.
            (KindSpec::Move, Role::From) => {
                self.paths.push((Access::Read, path));
                Access::Remove
            }
            _ => Access::Write,
        };
        self.paths.push((access, path));
    }

    fn is_complete(&self) -> bool {
        match self.kind {
            KindSpec::Shell => self.line.is_some(),
            KindSpec::Exec => self.argv.is_some(),
            KindSpec::Read | KindSpec::Write | KindSpec::Delete => !self.paths.is_empty(),
            KindSpec::Copy => self.paths.len() == 2,
            KindSpec::Move => self.paths.len() == 3,
            KindSpec::Fetch => self.url.is_some(),
            KindSpec::Plain => true,
        }
    }

    /// The part of a policy that judges such calls.
    pub(crate) fn part(&self) -> Part {
        match self.kind {
            KindSpec::Shell | KindSpec::Exec => Part::Shell,
            KindSpec::Read
            | KindSpec::Write
            | KindSpec::Delete
            | KindSpec::Copy
            | KindSpec::Move => Part::Paths,
            KindSpec::Fetch => Part::Hosts,
            KindSpec::Plain => Part::Tools,
        }
    }

    /// Reports what could not be read, or may mean more than was read.
    pub(crate) fn report(&self, findings: &mut Findings) {
        for problem in &self.problems {
            let (id, why) = match problem {
                Problem::Missing => ("args.missing", "an argument that is judged is missing"),
                Problem::OddType => ("args.odd-type", "an argument is of another type than usual"),
                Problem::UnknownKey => ("args.unknown", "an argument is none of those known"),
            };
            findings.builtin(Outcome::Ask, id, why);
        }
    }
}

impl Role {
    const ALL: [Self; 9] = [
        Self::Command,
        Self::Argv,
        Self::Cwd,
        Self::Path,
        Self::Paths,
        Self::Content,
        Self::From,
        Self::To,
        Self::Url,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Argv => "argv",
            Self::Cwd => "cwd",
            Self::Path => "path",
            Self::Paths => "paths",
            Self::Content => "content",
            Self::From => "from",
            Self::To => "to",
            Self::Url => "url",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == text)
    }
}

fn roles(kind: KindSpec) -> &'static [Role] {
    match kind {
        KindSpec::Shell => &[Role::Command, Role::Cwd],
        KindSpec::Exec => &[Role::Argv, Role::Cwd],
        KindSpec::Read | KindSpec::Delete => &[Role::Path, Role::Paths, Role::Cwd],
        KindSpec::Write => &[Role::Path, Role::Paths, Role::Content, Role::Cwd],
        KindSpec::Copy | KindSpec::Move => &[Role::From, Role::To, Role::Cwd],
        KindSpec::Fetch => &[Role::Url],
        KindSpec::Plain => &[],
    }
}

fn built_in(name: &str) -> Option<KindSpec> {
    Some(match name {
        "shell" => KindSpec::Shell,
        "exec" => KindSpec::Exec,
        "read_file" | "list_directory" => KindSpec::Read,
        "write_file" => KindSpec::Write,
        "delete_file" => KindSpec::Delete,
        "copy_path" => KindSpec::Copy,
        "move_path" => KindSpec::Move,
        "fetch" => KindSpec::Fetch,
        _ => return None,
    })
}

/// The texts of a list of nothing else.
fn texts(values: &[Value]) -> Option<SmallVec<[&str; 8]>> {
    values.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(value: Value) -> Args {
        Args::try_from(value).unwrap()
    }

    fn problems(tool: &str, value: Value) -> Vec<Problem> {
        let args = args(value);
        let reading = Bindings::default().read(&tool.into(), &args);
        reading.unwrap().problems.to_vec()
    }

    #[test]
    fn what_is_judged_is_found() {
        let bindings = Bindings::default();
        let args = args(json!({"from": "a", "to": "b"}));
        let moved = bindings.read(&"move_path".into(), &args).unwrap();
        let wanted = [
            (Access::Read, "a"),
            (Access::Remove, "a"),
            (Access::Write, "b"),
        ];
        assert_eq!(*moved.paths, wanted);
        assert!(moved.problems.is_empty());
        assert!(bindings.read(&"other".into(), &args).is_none());
        // A server may call its tools as it likes.
        let remote = ToolId::new("shell").on_server("x");
        assert!(bindings.read(&remote, &args).is_none());
    }

    #[test]
    fn what_is_odd_is_reported() {
        assert_eq!(problems("shell", json!({"command": "ls"})), []);
        assert_eq!(problems("shell", json!({})), [Problem::Missing]);
        assert_eq!(
            problems("shell", json!({"command": "ls", "env": {}})),
            [Problem::UnknownKey]
        );
        assert_eq!(
            problems("shell", json!({"command": ["ls"]})),
            [Problem::OddType, Problem::Missing]
        );
        assert_eq!(
            problems("exec", json!({"argv": ["ls", 1]})),
            [Problem::OddType, Problem::Missing]
        );
        assert_eq!(
            problems("read_file", json!({"paths": []})),
            [Problem::Missing]
        );
    }
}
