//! What was measured, and whether it meets its aim.

use std::fmt::Write as _;

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    /// The figure, with its unit.
    pub(crate) figure: String,
    /// What it is compared by: a ratio, a time, a number of bytes.
    pub(crate) compared: f64,
    pub(crate) unit: &'static str,
    pub(crate) aim: Option<Aim>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    AtMost(f64),
    #[cfg(feature = "engines")]
    AtLeast(f64),
}

impl Aim {
    fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtMost(most) => figure <= most,
            #[cfg(feature = "engines")]
            Self::AtLeast(least) => figure >= least,
        }
    }

    fn text(self, unit: &str) -> String {
        match self {
            Self::AtMost(most) => format!("≤ {}{unit}", number(most)),
            #[cfg(feature = "engines")]
            Self::AtLeast(least) => format!("≥ {}{unit}", number(least)),
        }
    }
}

impl Row {
    pub(crate) fn is_met(&self) -> bool {
        self.aim.is_none_or(|aim| aim.is_met(self.compared))
    }

    fn cells(&self) -> [String; 5] {
        let verdict = match (self.aim, self.is_met()) {
            (None, _) => "",
            (Some(_), true) => "pass",
            (Some(_), false) => "short",
        };
        let aim = self.aim.map_or(String::new(), |aim| aim.text(self.unit));
        let compared = format!("{}{}", number(self.compared), self.unit);
        [
            self.what.clone(),
            self.figure.clone(),
            compared,
            aim,
            verdict.to_owned(),
        ]
    }
}

/// The rows as Markdown, which reads well on a terminal, too.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let titles = ["what", "figure", "compared", "aim", ""].map(str::to_owned);
    let cells: Vec<[String; 5]> = rows.iter().map(Row::cells).collect();
    let width = |column: usize| {
        let all = cells.iter().chain([&titles]);
        all.map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    let mut line = |row: &[String; 5]| {
        for (cell, width) in row.iter().zip(widths) {
            write!(text, "| {cell:<width$} ").unwrap();
        }
        text.push_str("|\n");
    };
    line(&titles);
    line(&widths.map(|width| "-".repeat(width)));
    cells.iter().for_each(line);
    text
}

/// A number with as many digits as say something.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        small if small >= 1.0 => format!("{value:.2}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        _ => format!("{value:.3}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
    }
}

#[cfg(feature = "engines")]
/// A time, in a unit that suits it.
pub(crate) fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{} ns", number(ns)),
        ns if ns < 1e6 => format!("{} µs", number(ns / 1e3)),
        ns => format!("{} ms", number(ns / 1e6)),
    }
}
