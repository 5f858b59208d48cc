//! A project in a temporary directory, and the command run in it.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// A policy that says something of everything.
pub(crate) const POLICY: &str = r#"
default = "ask"

[shell]
allow = ["git status *", "ls *", "cargo test *"]
ask   = ["git push *"]
deny  = [{ pattern = "rm *", id = "no-rm", reason = "nothing is deleted here" }]

[write]
allow = ["src/**"]
deny  = [".env"]

[read]
allow = ["**"]
deny  = [".env"]

[fetch]
allow = ["docs.rs"]

[tools]
deny = ["send_*"]

[env.ci]
mode = "strict"
"#;

/// A project in a temporary directory.
pub(crate) struct Project(TempDir);

/// What the command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn new(policy: &str) -> Self {
        let project = Self::empty();
        project.write("toolgate.toml", policy);
        project
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, "")
    }

    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Ran {
        run(&self.path(), args, input.as_bytes())
    }
}

/// Runs the command in a directory, with nothing of the surroundings in its environment.
pub(crate) fn run(directory: &Path, args: &[&str], input: &[u8]) -> Ran {
    let mut child = command(directory)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may well have decided before it read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// The command, to be run in a directory.
pub(crate) fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
    command.current_dir(directory).env_clear();
    command.env("HOME", directory.join("home"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("RUST_BACKTRACE", "1");
    command
}

impl Ran {
    /// Asserts how it ended.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Asserts that it said something.
    #[track_caller]
    pub(crate) fn says(self, part: &str) -> Self {
        assert!(self.out.contains(part), "no {part:?} in {self:#?}");
        self
    }

    /// Asserts that it complained of something, and not in the words of a programmer.
    #[track_caller]
    pub(crate) fn complains(self, part: &str) -> Self {
        assert!(self.err.contains(part), "no {part:?} in {self:#?}");
        for odd in ["panicked", "backtrace", "Os {", "Error(", "::", "struct "] {
            assert!(!self.err.contains(odd), "{odd:?} in {self:#?}");
        }
        self
    }

    /// Its output as lines of JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        let parse = |line| serde_json::from_str(line).unwrap();
        self.out.lines().map(parse).collect()
    }
}
