//! Plots on logarithmic axes, as SVG.

use std::fmt::Write as _;

/// One line of a plot.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 52.0;
const COLOURS: [&str; 8] = [
    "#d1495b", "#00798c", "#edae49", "#30638e", "#66a182", "#8d6a9f", "#7f7f7f", "#b5651d",
];

struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    /// From one power of ten to another.
    fn around(values: impl Iterator<Item = f64> + Clone) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        let from = least.log10().floor();
        let to = most.log10().ceil().max(from + 1.0);
        Self { from, to }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        (value.log10() - self.from) / (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let (from, to) = (self.from, self.to);
        std::iter::successors(Some(from), |at| Some(at + 1.0))
            .take_while(move |at| *at <= to)
            .map(|at| 10_f64.powf(at))
    }
}

/// A plot with both axes logarithmic.
pub(crate) fn plot(
    title: &str,
    x: &str,
    y: &str,
    series: &[Series],
    show: fn(f64) -> String,
) -> String {
    let points = || series.iter().flat_map(|series| series.points.iter());
    let across = Axis::around(points().map(|(x, _)| *x));
    let up = Axis::around(points().map(|(_, y)| *y));
    let at_x = |value: f64| LEFT + across.place(value) * (WIDTH - LEFT - RIGHT);
    let at_y = |value: f64| HEIGHT - BOTTOM - up.place(value) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{title}</text>\n"
    );
    for tick in across.ticks() {
        let (x, bottom) = (at_x(tick), HEIGHT - BOTTOM);
        writeln!(svg, "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>").unwrap();
        writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            grouped(tick)
        )
        .unwrap();
    }
    for tick in up.ticks() {
        let (y, right) = (at_y(tick), WIDTH - RIGHT);
        writeln!(svg, "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/>").unwrap();
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            show(tick)
        )
        .unwrap();
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{x}</text>",
        HEIGHT - 12.0
    )
    .unwrap();
    writeln!(svg, "<text x=\"14\" y=\"{0}\" transform=\"rotate(-90 14 {0})\" text-anchor=\"middle\">{y}</text>", HEIGHT / 2.0).unwrap();
    for (number, series) in series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<_> = series
            .points
            .iter()
            .map(|&(x, y)| (at_x(x), at_y(y)))
            .collect();
        let path: Vec<_> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        )
        .unwrap();
        for (x, y) in &points {
            writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"
            )
            .unwrap();
        }
        let y = TOP + 14.0 + 18.0 * number as f64;
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{y}\" fill=\"{colour}\">{}</text>",
            WIDTH - RIGHT + 14.0,
            series.name
        )
        .unwrap();
    }
    svg.push_str("</svg>\n");
    svg
}

/// A whole number with its thousands apart.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
