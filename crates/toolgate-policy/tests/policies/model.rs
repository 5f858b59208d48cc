//! The evaluator beside a model of it, on a million random calls of random policies.
//!
//! The model is small and plain, and written from the guide: see [`oracle`]. If the two disagree,
//! the test prints the policies and the call.

mod laws;
mod oracle;
mod random;

use std::{ops::Range, thread};

use serde_json::Value;
use toolgate::Effect;
use toolgate_policy::{FakeFiles, FilePolicy, Format, LayerKind, Layers, Settings, parse_policy};

use self::random::{Call, Random, Whose, World};

const WORLDS: u64 = 11_000;
const CALLS: u64 = 100;
const LEAST: u64 = 1_000_000;

#[test]
fn a_million_random_calls_are_decided_as_the_model_does() {
    let threads = thread::available_parallelism()
        .map_or(2, usize::from)
        .min(8) as u64;
    let share = WORLDS.div_ceil(threads);
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| scope.spawn(move || compare(worker * share..(worker + 1) * share)))
            .collect();
        let done = workers.into_iter().map(|worker| worker.join().unwrap());
        done.fold([0; 3], |sum, each| [0, 1, 2].map(|at| sum[at] + each[at]))
    });
    let sum: u64 = counts.iter().sum();
    assert!(sum >= LEAST, "only {sum} calls were compared");
    // The comparison is worth something only if it sees every decision often.
    for (count, effect) in counts.into_iter().zip(["allow", "ask", "deny"]) {
        assert!(count > LEAST / 20, "only {count} calls ended in {effect}");
    }
}

fn compare(seeds: Range<u64>) -> [u64; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let mut random = Random(seed);
        let world = World::random(&mut random);
        let Some(policy) = load(&world) else {
            continue;
        };
        let layers = oracle::layers(&world);
        for _ in 0..CALLS {
            let call = Call::random(&mut random);
            let expected = oracle::effect(&layers, &call);
            let decided = policy.effect(&call.call());
            assert!(
                decided == expected,
                "{}",
                dispute(seed, &world, &policy, &call, expected)
            );
            counts[expected as usize] += 1;
        }
    }
    counts
}

/// Loads the policies, unless they contradict each other in one file.
fn load(world: &World) -> Option<FilePolicy> {
    let parsed = world.layers.iter().map(|(whose, policy)| {
        let text = policy.to_string();
        let parsed = parse_policy(&text, Format::Json).unwrap_or_else(|e| panic!("{e}"));
        (kind(*whose), parsed)
    });
    let settings = Settings::new().with_base("/w").with_files(FakeFiles::new());
    let layers = Layers::new(parsed, world.environment).unwrap_or_else(|e| panic!("{e}"));
    match layers.compile(&settings) {
        Ok(policy) => Some(policy),
        Err(refused) => {
            let text = refused.to_string();
            assert!(text.contains("the same is denied at"), "{text}");
            None
        }
    }
}

fn kind(whose: Whose) -> LayerKind {
    match whose {
        Whose::Managed => LayerKind::Managed,
        Whose::User => LayerKind::User,
        Whose::Trusted => LayerKind::Project { trusted: true },
        Whose::Untrusted => LayerKind::Project { trusted: false },
    }
}

fn dispute(seed: u64, world: &World, policy: &FilePolicy, call: &Call, expected: Effect) -> String {
    let said = policy.explain(&call.call());
    let votes = said
        .votes
        .iter()
        .map(|vote| format!("\n  {:?} {}: {}", vote.says, vote.rule.id(), vote.reason));
    let texts = world
        .layers
        .iter()
        .map(|(whose, policy): &(Whose, Value)| format!("\n  {whose:?} {policy}"));
    format!(
        "seed {seed} in {:?}: {call:?} is {:?}, should be {expected:?}{}{}",
        world.environment,
        said.effect,
        votes.collect::<String>(),
        texts.collect::<String>()
    )
}
