//! What everything takes, in one run, compared with the aims.

mod hostile;
mod rows;

use std::{fs, hint::black_box, time::Instant};

use toolgate::Effect;

use crate::{
    callgrind,
    cases::{self, Case},
    crowds::{self, CROWDS, Lookups, Questions},
    engines::ENGINES,
    instructions::{self, Counts},
    measure::{Times, once},
    plot::{Series, plot},
    stacks, table,
    workload::{COMMON, SIZES, WHOLE, Workload},
};

/// Everything that was measured.
pub(crate) struct Figures {
    pub(crate) times: Times,
    pub(crate) lookups: Vec<(usize, Lookups)>,
    pub(crate) questions: Vec<(usize, Questions)>,
    /// What a grant and an open question take, each among so many.
    pub(crate) bytes: Vec<(usize, [f64; 2])>,
    /// Instructions, if they could be counted.
    pub(crate) counts: Option<Counts>,
}

/// The name under which a decision of an engine is measured.
pub(crate) fn deciding(engine: &str, rules: usize) -> String {
    cases::at(&format!("one decision, {engine}"), rules)
}

pub(crate) const OURS: &str = "toolgate";

/// Measures, prints the table, and says whether every aim is met.
pub(crate) fn run(write: bool) -> bool {
    let began = Instant::now();
    let figures = measure();
    let rows = rows::rows(&figures);
    let table = table::markdown(&rows);
    println!("{table}");
    let short = rows.iter().filter(|row| !row.is_met()).count();
    println!(
        "{short} short of their aim; measured in {} s",
        began.elapsed().as_secs()
    );
    if write {
        write_plots(&figures);
        crate::page::write("figures", &table);
    }
    short == 0
}

fn measure() -> Figures {
    let mut cases = cases::yardsticks();
    let mut times = Times::default();
    for rules in SIZES {
        cases.extend(cases::layers(rules));
        cases.extend(cases::policy(rules));
        cases.extend(engines(rules, &mut times));
    }
    cases.extend(cases::lines());
    cases.extend(hostile::cases());
    times.extend(Times::of(cases));
    for rules in SIZES {
        let text = Workload::new(WHOLE, rules).policy_file();
        let loads = (0..5).map(|_| once(|| drop(black_box(stacks::load(&text)))));
        times.add(cases::at("load", rules), loads.reduce(f64::min).unwrap());
    }
    Figures {
        times,
        lookups: CROWDS.map(|count| (count, Lookups::among(count))).into(),
        questions: CROWDS.map(|count| (count, Questions::among(count))).into(),
        bytes: CROWDS.map(|count| (count, crowds::bytes(count))).into(),
        counts: callgrind::is_there().then(instructions::count),
    }
}

/// Every engine with the same rules and calls, after it was seen that all agree.
fn engines(rules: usize, times: &mut Times) -> Vec<Case> {
    let workload = Workload::new(COMMON, rules);
    let calls = workload.calls();
    let policy = stacks::policy(&workload);
    let mut cases = vec![cases::deciding(deciding(OURS, rules), &policy, &calls)];
    for engine in ENGINES.iter().filter(|engine| rules <= engine.most) {
        let mut decide = None;
        let loading = once(|| decide = Some((engine.build)(&workload.rules, &calls)));
        times.add(cases::at(&format!("load, {}", engine.name), rules), loading);
        let mut decide = decide.unwrap();
        let mut took = 0.0;
        for (number, call) in calls.iter().enumerate() {
            let mut effect = Effect::Ask;
            took += once(|| effect = decide(number));
            assert_eq!(effect, call.expected, "{} on {call:?}", engine.name);
        }
        // What takes milliseconds is measured on fewer calls.
        let measured = if took > 1e8 { 4 } else { calls.len() };
        cases.push(Case::shared(
            deciding(engine.name, rules),
            measured,
            move || {
                for number in 0..measured {
                    black_box(decide(black_box(number)));
                }
            },
        ));
    }
    cases
}

fn write_plots(figures: &Figures) {
    let names = [OURS]
        .into_iter()
        .chain(ENGINES.iter().map(|engine| engine.name));
    let series = names.map(|name| {
        let point =
            |rules: usize| Some((rules as f64, figures.times.find(&deciding(name, rules))?));
        Series {
            name: name.to_owned(),
            points: SIZES.into_iter().filter_map(point).collect(),
        }
    });
    let series: Vec<_> = series.collect();
    let svg = plot(
        "One decision, by the number of rules",
        "rules",
        "time",
        &series,
        table::time,
    );
    save("decisions.svg", &svg);
    let line = |name: &str, points: Vec<(f64, f64)>| Series {
        name: name.to_owned(),
        points: points
            .into_iter()
            .filter(|(_, bytes)| *bytes > 0.0)
            .collect(),
    };
    let of = |which: usize| {
        let all = figures.bytes.iter();
        all.map(move |(count, bytes)| (*count as f64, bytes[which] * *count as f64))
    };
    let (grants, asks) = (of(0), of(1));
    let series = [
        line("grants", grants.collect()),
        line("open questions", asks.collect()),
    ];
    let bytes = |bytes: f64| format!("{} KB", table::number(bytes / 1e3));
    save(
        "memory.svg",
        &plot(
            "Memory, by how many there are",
            "how many",
            "memory",
            &series,
            bytes,
        ),
    );
}

fn save(name: &str, svg: &str) {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/plots");
    fs::create_dir_all(directory).unwrap();
    fs::write(format!("{directory}/{name}"), svg).unwrap();
}
