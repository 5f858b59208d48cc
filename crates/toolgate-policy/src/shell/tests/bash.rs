//! Compares what is taken at its word with what bash makes of it.
//!
//! Nothing but stubs can run: bash starts without an environment, with nothing on its path, and each
//! command is a function, or else the handler for commands that are not found. Both write their words
//! to a file. No line has a slash, so that a misread redirection stays in an empty directory.
//!
//! `BASH_LINES` and `BASH_SEED` make it longer and other.

use std::{
    fmt::Write as _,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::shell::{
    line::{Dialect, Join, Line, Operator, Redirect},
    parse::parse,
};

/// How many lines one bash reads.
const BATCH: usize = 2000;

const SCRIPT: &str = r#"
exec 9>>words
# bash writes line by line, and commands of a pipe run at once: new lines become another character.
p() { printf '%s\0' "c$#" "${@//$'\n'/$'\1'}" >&9; }
command_not_found_handle() { p "$@"; return 0; }
for n in 0 1 2; do eval "c$n() { p c$n \"\$@\"; }"; done
while IFS= read -r -d '' line <&8; do
  eval -- "$line" 0<n 1>n 2>n
  wait
  printf '%s\0' "line" >&9
done
"#;

#[test]
fn bash_reads_the_same_words() {
    let number = |name: &str, default| {
        std::env::var(name)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(default)
    };
    let (wanted, seed) = (number("BASH_LINES", 2000), number("BASH_SEED", 1));
    let mut random = Random(seed);
    let (mut accepted, mut made) = (0, 0);
    while accepted < wanted {
        let mut lines = Vec::new();
        while lines.len() < BATCH.min(usize::try_from(wanted - accepted).unwrap()) {
            let text = random.line();
            made += 1;
            if is_runnable(&parse(&text, Dialect::Bash)) {
                lines.push(text);
            }
        }
        accepted += lines.len() as u64;
        compare(&lines);
    }
    println!("{accepted} of {made} lines were taken at their word, and bash agreed on all");
}

/// Whether a line is literal, runs nothing but stubs, and no redirection of it fails.
fn is_runnable(line: &Line<'_>) -> bool {
    let stub = |name: &str| !matches!(name, "." | ":" | "[" | "[[" | "" | "wait" | "time");
    line.problem.is_none()
        && !line.commands.is_empty()
        && line.commands.iter().all(|command| {
            let redirects = line.redirects(command);
            let alone = redirects.len() == 1 && command.join != Join::Pipe;
            line.words(command)
                .first()
                .is_none_or(|word| stub(&word.text))
                && redirects.iter().all(|redirect| works(redirect, alone))
        })
}

/// Whether a redirection will not fail.
fn works(redirect: &Redirect<'_>, alone: bool) -> bool {
    match redirect.operator {
        Operator::Duplicate => matches!(&*redirect.target.text, "0" | "1" | "2") || alone,
        _ => redirect.target.text == "n",
    }
}

fn compare(lines: &[String]) {
    let directory = tempfile::tempdir().unwrap();
    let output = run(directory.path(), lines);
    let mut fields = output.split(|byte| *byte == 0);
    for text in lines {
        let mut found = Vec::new();
        loop {
            let field = fields
                .next()
                .unwrap_or_else(|| panic!("bash stopped at {text:?}"));
            if field == b"line" {
                break;
            }
            let count = std::str::from_utf8(field)
                .unwrap()
                .strip_prefix('c')
                .unwrap()
                .parse()
                .unwrap();
            let words: Vec<String> = fields
                .by_ref()
                .take(count)
                .map(|w| String::from_utf8_lossy(w).replace('\u{1}', "\n"))
                .collect();
            found.push(words);
        }
        let mut expected = expected(&parse(text, Dialect::Bash));
        // What runs in the background comes in any order.
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "bash disagrees on {text:?}");
    }
}

/// The words of the commands that run, where every one of them succeeds.
fn expected(line: &Line<'_>) -> Vec<Vec<String>> {
    let (mut all, mut skip, mut next) = (Vec::new(), false, false);
    for command in &line.commands {
        skip = if next { true } else { skip };
        let words: Vec<String> = line
            .words(command)
            .iter()
            .map(|word| word.text.clone().into_owned())
            .collect();
        if !skip && !words.is_empty() {
            all.push(words);
        }
        next = command.join == Join::Or;
        if !matches!(command.join, Join::Pipe | Join::Or) {
            skip = false;
        }
    }
    all
}

/// The shell, found here because it is given no path to find anything on.
fn bash() -> std::path::PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|dir| dir.join("bash"))
        .find(|file| file.is_file());
    found.expect("this test needs bash")
}

fn run(directory: &Path, lines: &[String]) -> Vec<u8> {
    std::fs::write(directory.join("n"), "").unwrap();
    let mut input = std::fs::File::create(directory.join("lines")).unwrap();
    for line in lines {
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\0").unwrap();
    }
    let script = format!("exec 8<lines\n{SCRIPT}");
    let status = Command::new(bash())
        .args(["--norc", "--noprofile", "-c", &script])
        .current_dir(directory)
        .env_clear()
        .env("PATH", directory.join("none"))
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read(directory.join("words")).unwrap()
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }

    /// A line that mostly makes sense, with characters thrown in that may not.
    fn line(&mut self) -> String {
        let mut line = String::new();
        for _ in 0..=self.below(4) {
            self.command(&mut line);
            line.push_str(self.pick(&[
                " && ", "||", " | ", ";", "\n", " & ", "|&", "&&\n", " ;\n", "&", "\n\n", "",
            ]));
        }
        for _ in 0..self.below(3) {
            let at = self.below(line.chars().count() + 1);
            let at = line.char_indices().nth(at).map_or(line.len(), |(at, _)| at);
            let odd = self.pick(&ODD);
            line.insert_str(at, odd);
        }
        line
    }

    fn command(&mut self, line: &mut String) {
        let front = [
            "",
            "",
            "",
            "",
            "x=1 ",
            "x=",
            "q+=a ",
            "2>n ",
            "x='a b' q=\"\" ",
            ">n x=2 ",
        ];
        line.push_str(self.pick(&front));
        line.push_str(self.pick(&[
            "c0", "c1", "c2", "c\"0\"", "\\c1", "'c2'", "\"\"c0", "c1x", "xq", "c\\\n0",
        ]));
        for _ in 0..self.below(5) {
            line.push_str(self.pick(&[" ", "  ", "\t", " \\\n", " \t"]));
            self.word(line);
        }
        line.push_str(self.pick(&[
            "", "", "", " 2>&1", ">n", " 2>n", " <n", "&>n", " >>n", " >&2", ">|n", " 2>&-", " <>n",
        ]));
    }

    fn word(&mut self, line: &mut String) {
        for _ in 0..=self.below(3) {
            match self.below(4) {
                0 => line.push_str(self.pick(&PIECES)),
                1 => {
                    let inside = self.pick(&INSIDE).replace('\'', "");
                    write!(line, "'{inside}'").unwrap();
                }
                2 => {
                    let inside = self.pick(&INSIDE);
                    write!(line, "\"{inside}\"").unwrap();
                }
                _ => line.push_str(self.pick(&ODD)),
            }
        }
    }
}

const PIECES: [&str; 24] = [
    "a", "x", "-x", "--x=y", "x.q", "1", "2", "x*", "x?q", "x[q]", "a=b", "=", "{}", "{a}",
    "x@{0}", "é", "修", "a~", "^", "%", "+", ",", "..", "!",
];
const INSIDE: [&str; 22] = [
    "", "a b", "; c0", "x\ny", "a\\\\b", "\\\"", "\\$", "$", "\\`", "\\x", "\\\n", "#", "*", "~",
    "é 修", "&& |", "<n>", "(", "'", "{a,b}", "!", "\\",
];
const ODD: [&str; 50] = [
    "'", "\"", "\\", "$", "`", "~", "{", "}", ",", "..", "[", "]", "*", "?", "!", "#", "=", ":",
    "^", "%", "@", "+", "-", "(", ")", "<", ">", "&", "|", ";", " ", "\t", "\n", "\r", "\\\n",
    "\\ ", "\\'", "\\\"", "\\\\", "a", "0", "1", "2", "é", "à", "\u{a0}", "\u{200b}", "\u{b}",
    "time ", "{x}",
];
