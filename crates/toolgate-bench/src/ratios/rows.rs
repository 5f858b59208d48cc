//! From figures to rows with aims.

use super::{Figures, OURS, deciding, hostile};
use crate::{
    cases::at,
    engines::ENGINES,
    table::{Aim, Row, number, time},
    workload::SIZES,
};

/// The yardstick: parsing the call's own JSON.
const PARSING: &str = "parse the call's JSON";

pub(super) fn rows(figures: &Figures) -> Vec<Row> {
    let mut rows = vec![plain(figures, "bare call"), plain(figures, PARSING)];
    for rules in SIZES {
        rows.extend(layers(figures, rules));
    }
    for rules in SIZES {
        rows.extend(decisions(figures, rules));
    }
    rows.extend(policy(figures));
    rows.extend(crowds(figures));
    rows.extend(counts(figures));
    rows
}

fn plain(figures: &Figures, name: &str) -> Row {
    let ns = figures.times.get(name);
    ratio(name.to_owned(), ns, ns / figures.times.get(PARSING), None)
}

fn ratio(what: String, ns: f64, compared: f64, aim: Option<Aim>) -> Row {
    Row {
        what,
        figure: time(ns),
        compared,
        unit: " ×",
        aim,
    }
}

/// The layers, as shares of parsing.
fn layers(figures: &Figures, rules: usize) -> Vec<Row> {
    let of = |name: &str, aim: Option<f64>| {
        let name = at(name, rules);
        let ns = figures.times.get(&name);
        ratio(
            name,
            ns,
            ns / figures.times.get(PARSING),
            aim.map(Aim::AtMost),
        )
    };
    let allow = match rules {
        10 => Some(0.10),
        10_000 => Some(0.15),
        _ => None,
    };
    vec![
        of("layers, allow by tool", allow),
        of("layers, allow by capability", allow),
        of("layers, deny", None),
        of("layers, memory hit", None),
        of("layers, ask answered at once", Some(3.0)),
    ]
}

/// Decisions of all engines, as multiples of ours.
fn decisions(figures: &Figures, rules: usize) -> Vec<Row> {
    let ours = figures.times.get(&deciding(OURS, rules));
    let mut rows = vec![ratio(deciding(OURS, rules), ours, 1.0, None)];
    for engine in &ENGINES {
        let name = deciding(engine.name, rules);
        let Some(ns) = figures.times.find(&name) else {
            continue;
        };
        let aim = match engine.name {
            "RegexSet" | "globset" => Some(1.0),
            "regorus" | "cedar-policy" | "casbin" => Some(50.0),
            _ => None,
        };
        rows.push(ratio(name, ns, ns / ours, aim.map(Aim::AtLeast)));
    }
    rows
}

fn policy(figures: &Figures) -> Vec<Row> {
    let mut rows = Vec::new();
    for rules in SIZES {
        for kind in ["tool", "capability", "path", "shell", "host"] {
            rows.push(plain(
                figures,
                &at(&format!("policy, allow by {kind}"), rules),
            ));
        }
    }
    let micros = |name: &str, most: f64| {
        let ns = figures.times.get(name);
        absolute(name.to_owned(), ns / 1e3, " µs", Some(most))
    };
    rows.push(micros("typical shell line", 3.0));
    rows.push(micros("shell line of 5 commands", 10.0));
    let (line, parsing) = (
        "typical shell line",
        figures.times.get("parse 2 KB of JSON"),
    );
    let ns = figures.times.get(line);
    let what = format!("{line}, to parsing 2 KB of JSON");
    rows.push(ratio(what, ns, ns / parsing, Some(Aim::AtMost(1.0))));
    for name in figures
        .times
        .names()
        .filter(|name| name.starts_with(hostile::PREFIX))
    {
        rows.push(absolute(
            name.to_owned(),
            figures.times.get(name) / 1e6,
            " ms",
            Some(50.0),
        ));
    }
    for rules in SIZES {
        let aim = (rules == 10_000).then_some(100.0);
        let name = at("load", rules);
        let ns = figures.times.get(&name);
        rows.push(absolute(name, ns / 1e6, " ms", aim));
    }
    for engine in &ENGINES {
        if let Some(ns) = figures
            .times
            .find(&at(&format!("load, {}", engine.name), 10_000))
        {
            rows.push(absolute(
                format!("load, {}, 10000 rules", engine.name),
                ns / 1e6,
                " ms",
                None,
            ));
        }
    }
    rows
}

fn absolute(what: String, compared: f64, unit: &'static str, most: Option<f64>) -> Row {
    Row {
        what,
        figure: format!("{}{unit}", number(compared)),
        compared,
        unit,
        aim: most.map(Aim::AtMost),
    }
}

fn crowds(figures: &Figures) -> Vec<Row> {
    let mut rows = Vec::new();
    let parsing = figures.times.get(PARSING);
    for (count, it) in &figures.lookups {
        let aim = |most: f64| (*count == 1_000_000).then_some(Aim::AtMost(most));
        let short = format!("memory, one short field, {count} grants");
        rows.push(ratio(short, it.short, it.short / parsing, aim(0.35)));
        let long = format!("memory, 1 KB, {count} grants");
        rows.push(ratio(long, it.long, it.long / parsing, aim(1.4)));
    }
    for (count, it) in &figures.questions {
        let aim = |most: f64| (*count == 1_000_000).then_some(most);
        let steps = [
            ("register", it.register),
            ("answer", it.answer),
            ("withdraw", it.withdraw),
        ];
        for (step, ns) in steps {
            rows.push(absolute(
                format!("{step} a question, {count} open"),
                ns,
                " ns",
                aim(500.0),
            ));
        }
    }
    for (count, [grant, question]) in &figures.bytes {
        let aim = (*count == 1_000_000).then_some(200.0);
        rows.push(absolute(
            format!("a grant among {count}"),
            *grant,
            " B",
            None,
        ));
        rows.push(absolute(
            format!("an open question among {count}"),
            *question,
            " B",
            aim,
        ));
    }
    rows
}

/// What is counted rather than timed.
fn counts(figures: &Figures) -> Vec<Row> {
    let Some(counts) = &figures.counts else {
        return Vec::new();
    };
    crate::instructions::rows(counts)
}
