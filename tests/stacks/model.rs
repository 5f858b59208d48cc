//! The whole decision path beside a model of it, on a million random stacks and calls.
//!
//! The model is small and plain, and written from the laws: see [`oracle`]. The stacks are built
//! from the library's real layers: see [`build`]. If the two disagree, the test prints the stack.

mod build;
mod oracle;
mod random;

use std::thread;

use self::random::{Random, Stack};

const STACKS: u64 = 1_000_000;

#[test]
fn a_million_random_stacks_decide_as_the_model_does() {
    let threads = thread::available_parallelism()
        .map_or(2, usize::from)
        .min(8) as u64;
    let share = STACKS.div_ceil(threads);
    let ended = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| scope.spawn(move || compare(worker * share..(worker + 1) * share)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .fold(Tally::default(), Tally::add)
    });
    // The comparison is worth something only if it sees every way to end often.
    for (what, count) in ended.each() {
        assert!(
            count > STACKS / 2_000,
            "only {count} stacks ended as {what}"
        );
    }
}

fn compare(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let stack = Stack::random(&mut Random::new(seed));
        let expected = oracle::run(&stack);
        let happened = build::run(&stack);
        assert_eq!(happened, expected, "seed {seed}: {stack:?}");
        tally.count(&expected.end);
    }
    tally
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally([u64; 8]);

impl Tally {
    const NAMES: [&str; 8] = [
        "ran by rules",
        "ran by a person",
        "ran by default",
        "denied",
        "declined",
        "nobody to ask",
        "asking failed",
        "unsettled",
    ];

    fn count(&mut self, end: &oracle::End) {
        let name = match end {
            oracle::End::Ran { by, .. } => *by,
            oracle::End::Blocked(how) => *how,
        };
        let index = Self::NAMES.iter().position(|known| *known == name).unwrap();
        self.0[index] += 1;
    }

    fn add(self, other: Self) -> Self {
        let mut sum = self;
        sum.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
        sum
    }

    fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Self::NAMES.into_iter().zip(self.0)
    }
}
