//! What kind of project a policy is for, and what is said of each.

use std::{fmt, path::Path};

use clap::ValueEnum;

/// What kind of project a policy is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Rust,
    Node,
    Python,
    Other,
}

/// What goes into the templates, line by line.
struct Parts {
    allow: &'static [&'static str],
    ask: &'static [&'static str],
    write: &'static [&'static str],
    ask_write: &'static [&'static str],
    fetch: &'static [&'static str],
    /// Command lines that are allowed, and ones that are asked about.
    tests: (&'static [&'static str], &'static [&'static str]),
}

const POLICY: &str = include_str!("../../templates/policy.toml");
const TESTS: &str = include_str!("../../templates/tests.toml");

impl Kind {
    /// The kind of project that a directory has the files of.
    pub(crate) fn of(directory: &Path) -> Self {
        let has = |name: &str| directory.join(name).exists();
        let has_any = |names: &[&str]| names.iter().any(|name| has(name));
        if has("Cargo.toml") {
            Self::Rust
        } else if has_any(&["package.json", "deno.json"]) {
            Self::Node
        } else if has_any(&["pyproject.toml", "setup.py", "requirements.txt"]) {
            Self::Python
        } else {
            Self::Other
        }
    }

    /// A policy to start from.
    pub(crate) fn policy(self) -> String {
        let parts = self.parts();
        POLICY
            .replace("#@allow\n", &lines(parts.allow))
            .replace("#@ask\n", &lines(parts.ask))
            .replace("#@write\n", &lines(parts.write))
            .replace("#@ask-write\n", &lines(parts.ask_write))
            .replace("#@fetch\n", &lines(parts.fetch))
    }

    /// Cases that it passes.
    pub(crate) fn tests(self) -> String {
        let (allowed, asked) = self.parts().tests;
        let case = |line: &&str, expect: &str| {
            format!("\n[[case]]\ncall   = \"{line}\"\nexpect = \"{expect}\"\n")
        };
        let allowed = allowed.iter().map(|line| case(line, "allow"));
        let asked = asked.iter().map(|line| case(line, "ask"));
        TESTS.to_owned() + &allowed.chain(asked).collect::<String>()
    }

    fn parts(self) -> Parts {
        match self {
            Self::Rust => Parts {
                allow: &[
                    "cargo build *",
                    "cargo check *",
                    "cargo test *",
                    "cargo clippy *",
                    "cargo fmt *",
                    "cargo tree *",
                ],
                ask: &["cargo add *", "cargo publish *", "cargo install *"],
                write: &[
                    "src/**",
                    "tests/**",
                    "examples/**",
                    "benches/**",
                    "crates/**",
                    "docs/**",
                ],
                ask_write: &["Cargo.toml", "Cargo.lock", "build.rs"],
                fetch: &["docs.rs", "crates.io", "doc.rust-lang.org"],
                tests: (
                    &["cargo test --workspace", "cargo check && cargo test"],
                    &["cargo publish", "cargo run"],
                ),
            },
            Self::Node => Parts {
                allow: &["npm test", "npm run build", "npm run lint", "npm ls *"],
                ask: &["npm install *", "npm publish *", "npx *"],
                write: &["src/**", "lib/**", "test/**", "tests/**", "docs/**"],
                ask_write: &["package.json", "package-lock.json"],
                fetch: &["nodejs.org", "developer.mozilla.org", "docs.npmjs.com"],
                tests: (
                    &["npm test", "npm run lint && npm test"],
                    &["npm install left-pad", "node script.js"],
                ),
            },
            Self::Python => Parts {
                allow: &[
                    "pytest",
                    "pytest -q",
                    "python -m pytest",
                    "ruff check *",
                    "mypy *",
                ],
                ask: &["pip install *", "python -m pip *"],
                write: &["src/**", "tests/**", "docs/**"],
                ask_write: &["pyproject.toml", "setup.py", "requirements.txt"],
                fetch: &["docs.python.org", "pypi.org", "peps.python.org"],
                tests: (
                    &["pytest -q", "ruff check src"],
                    &["pip install requests", "python -c 'print(1)'"],
                ),
            },
            Self::Other => Parts {
                allow: &["make", "make test"],
                ask: &["make install"],
                write: &["src/**", "tests/**", "docs/**"],
                ask_write: &["Makefile"],
                fetch: &["developer.mozilla.org"],
                tests: (&["make test"], &["make install", "make deploy"]),
            },
        }
    }
}

fn lines(patterns: &[&str]) -> String {
    let line = |pattern: &&str| format!("    \"{pattern}\",\n");
    patterns.iter().map(line).collect()
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rust => "Rust",
            Self::Node => "Node",
            Self::Python => "Python",
            Self::Other => "plain",
        })
    }
}
