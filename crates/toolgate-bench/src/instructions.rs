//! Instructions for each call, which repeat; compared with a baseline that is checked in.

use std::{collections::BTreeMap, fmt::Write as _, fs, process::Command};

use crate::{
    callgrind, cases, page,
    table::{self, Aim, Row},
};

const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");

/// By how much a count may grow without the baseline being changed, in percent.
const SLACK: f64 = 3.0;

/// Instructions for each call, by the name of the case.
pub(crate) type Counts = Vec<(String, f64)>;

/// Passes every case with such a name through callgrind. Says which, and of how many calls.
pub(crate) fn inside(part_of_name: &str) -> bool {
    let cases = cases::counted().into_iter();
    for mut case in cases.filter(|case| case.name.contains(part_of_name)) {
        // What is made once is made before.
        (case.prepare)()();
        let mut run = (case.prepare)();
        callgrind::callgrind_measured(&mut run);
        println!("{}\t{}", case.calls, case.name);
    }
    // What was counted last is written down before another passage.
    callgrind::callgrind_measured(&mut || {});
    true
}

pub(crate) fn count() -> Counts {
    let (printed, counts) = callgrind::run("instructions");
    let cases = printed.lines().map(|line| line.split_once('\t').unwrap());
    let each = |((calls, name), count): ((&str, &str), u64)| {
        let calls: f64 = calls.parse().unwrap();
        (name.to_owned(), count as f64 / calls)
    };
    cases.zip(counts).map(each).collect()
}

/// Counts, and compares with the baseline.
pub(crate) fn check() -> bool {
    if !callgrind::is_there() {
        println!("skipped: valgrind is not installed (Debian: apt install valgrind)");
        return true;
    }
    let counts = count();
    let text = fs::read_to_string(BASELINE).unwrap_or_default();
    let (compiler, baseline) = parse(&text);
    let comparable = compiler == self::compiler();
    let mut passed = true;
    for (name, count) in &counts {
        let known = baseline.get(name.as_str()).copied();
        let grown = known.map(|known| (count / known - 1.0) * 100.0);
        let verdict = match grown {
            None => "not in the baseline".to_owned(),
            Some(grown) if grown > SLACK && comparable => format!("{grown:+.1} %: GREW"),
            Some(grown) => format!("{grown:+.1} %"),
        };
        passed &= !comparable || grown.is_some_and(|grown| grown <= SLACK);
        println!("{name:<48} {count:>10.0}  {verdict}");
    }
    println!("\n{}", table::markdown(&rows(&counts)));
    if !comparable {
        println!("the baseline is of `{compiler}`, and is not compared with this compiler");
    }
    passed
}

/// What is to be held, whatever the baseline says.
pub(crate) fn rows(counts: &Counts) -> Vec<Row> {
    let get = |name: &str| counts.iter().find(|(known, _)| known == name).unwrap().1;
    let row = |what: String, figure: f64, compared: f64, unit, most: f64| Row {
        what,
        figure: format!("{figure:.0} instructions"),
        compared,
        unit,
        aim: Some(Aim::AtMost(most)),
    };
    let mut rows = Vec::new();
    for how in ["tool", "capability"] {
        let name = format!("layers, allow by {how}");
        let (few, many) = (get(&cases::at(&name, 10)), get(&cases::at(&name, 10_000)));
        rows.push(row(cases::at(&name, 10), few, few, "", 900.0));
        rows.push(row(
            format!("{name}, 10,000 rules to 10"),
            many,
            many / few,
            " ×",
            1.3,
        ));
    }
    for how in ["tool", "capability", "path", "shell", "host"] {
        let name = format!("policy, allow by {how}");
        let (few, many) = (get(&cases::at(&name, 10)), get(&cases::at(&name, 10_000)));
        rows.push(row(
            format!("{name}, 10,000 rules to 10"),
            many,
            many / few,
            " ×",
            1.5,
        ));
    }
    let (line, parsing) = (get("typical shell line"), get("parse 2 KB of JSON"));
    rows.push(row(
        "typical shell line to parsing 2 KB of JSON".to_owned(),
        line,
        line / parsing,
        " ×",
        1.0,
    ));
    rows
}

/// Counts, and writes the baseline.
pub(crate) fn write() -> bool {
    let counts = count();
    let mut text = format!("# {}\n", compiler());
    let mut list = "| what | instructions a call |\n|---|---|\n".to_owned();
    for (name, count) in &counts {
        writeln!(text, "{count:.1}\t{name}").unwrap();
        writeln!(list, "| {name} | {count:.0} |").unwrap();
    }
    fs::write(BASELINE, text).unwrap();
    page::write(
        "instructions",
        &format!("{list}\n{}", table::markdown(&rows(&counts))),
    );
    true
}

fn parse(text: &str) -> (&str, BTreeMap<&str, f64>) {
    let (first, rest) = text.split_once('\n').unwrap_or_default();
    let counts = rest.lines().filter_map(|line| line.split_once('\t'));
    let counts = counts.filter_map(|(count, name)| Some((name, count.parse().ok()?)));
    (first.trim_start_matches("# "), counts.collect())
}

/// Who compiles, and for what: counts of another one say nothing.
fn compiler() -> String {
    let version = Command::new("rustc").arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    format!("{} for {}", version.trim(), std::env::consts::ARCH)
}
