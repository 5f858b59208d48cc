//! One piece at a time: `cargo bench -p toolgate-bench --no-default-features -- "allow by path"`.
//!
//! Each run is of many calls; `instructions` and `ratios` say what one call takes.

#![expect(
    clippy::unwrap_used,
    reason = "a measurement: where it goes wrong it has to stop"
)]

use toolgate_bench::Piece;

fn main() {
    divan::main();
}

fn names() -> Vec<String> {
    let pieces = Piece::all();
    pieces.iter().map(|piece| piece.name().to_owned()).collect()
}

#[divan::bench(args = names())]
fn piece(bencher: divan::Bencher<'_, '_>, name: &str) {
    let found = Piece::all().into_iter().find(|piece| piece.name() == name);
    let piece = std::sync::Mutex::new(found.unwrap());
    let prepare = || piece.lock().unwrap().prepare();
    bencher
        .with_inputs(prepare)
        .bench_local_values(|mut run| run());
}
