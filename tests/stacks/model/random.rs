//! Random stacks over a small world: arguments are one number from 0 to 3.

/// How many different arguments there are.
pub(super) const ARGS: usize = 4;

/// How many different labels there are.
pub(super) const LABELS: usize = 3;

/// A random number generator that any seed suits (`SplitMix64`).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    /// True once in `in_all` times.
    fn once_in(&mut self, in_all: u64) -> bool {
        self.below(in_all) == 0
    }

    fn args(&mut self) -> usize {
        usize::try_from(self.below(ARGS as u64)).unwrap()
    }
}

/// A stack, the call that goes through it, and what the person who is asked will say.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub(super) args: usize,
    pub(super) layers: Vec<Layer>,
    /// What the call can do with each of the arguments.
    pub(super) labels: [Vec<usize>; ARGS],
    /// For which arguments the tool itself requires an approval.
    pub(super) tool_requires: [bool; ARGS],
    /// Whether the tool rules lift that.
    pub(super) lifted: bool,
    pub(super) default: Default,
    /// What the person says, question by question. None: there is nobody to ask.
    pub(super) replies: Option<Vec<Reply>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Default {
    Ask,
    Deny,
    Allow,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    Yes,
    No,
    Edit(usize),
    Fail,
}

#[derive(Clone, Debug)]
pub(super) enum Layer {
    /// A policy, applied by one of the two layers there are.
    One { policy: Policy, asynchronous: bool },
    /// Several as one.
    Several { policies: Vec<Policy>, first: bool },
    /// A policy that hears only of some arguments.
    When {
        then: Policy,
        otherwise: Option<Policy>,
        on: [bool; ARGS],
    },
    /// Capability rules: what each of the labels calls for, if there is a rule for it.
    Capabilities { decisions: [Option<Vote>; LABELS] },
}

/// What a policy says for each of the arguments.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    pub(super) name: usize,
    pub(super) says: [Say; ARGS],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Say {
    pub(super) vote: Option<Vote>,
    pub(super) rewrite: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Vote {
    Allow,
    Ask,
    Deny,
}

impl Stack {
    pub(super) fn random(random: &mut Random) -> Self {
        let layers = (0..random.below(5))
            .map(|n| Layer::random(random, n))
            .collect();
        let replies = (!random.once_in(3)).then(|| (0..9).map(|_| Reply::random(random)).collect());
        Self {
            args: random.args(),
            layers,
            labels: std::array::from_fn(|_| (0..LABELS).filter(|_| random.once_in(3)).collect()),
            tool_requires: std::array::from_fn(|_| random.once_in(6)),
            lifted: random.once_in(3),
            default: match random.below(4) {
                0 => Default::Deny,
                1 => Default::Allow,
                _ => Default::Ask,
            },
            replies,
        }
    }
}

impl Reply {
    fn random(random: &mut Random) -> Self {
        match random.below(12) {
            0 | 1 => Self::No,
            2 | 3 => Self::Edit(random.args()),
            4 => Self::Fail,
            _ => Self::Yes,
        }
    }
}

impl Layer {
    fn random(random: &mut Random, number: u64) -> Self {
        let name = usize::try_from(number).unwrap() * 10;
        match random.below(8) {
            0 => Self::Several {
                policies: (0..random.below(4))
                    .zip(name..)
                    .map(|(_, name)| Policy::random(random, name))
                    .collect(),
                first: random.once_in(2),
            },
            1 => Self::When {
                then: Policy::random(random, name),
                otherwise: random.once_in(2).then(|| Policy::random(random, name + 1)),
                on: std::array::from_fn(|_| random.once_in(2)),
            },
            2 => Self::Capabilities {
                decisions: std::array::from_fn(|_| Vote::random(random)),
            },
            kind => Self::One {
                policy: Policy::random(random, name),
                asynchronous: kind == 3,
            },
        }
    }
}

impl Policy {
    fn random(random: &mut Random, name: usize) -> Self {
        Self {
            name,
            says: std::array::from_fn(|_| Say::random(random)),
        }
    }
}

impl Say {
    fn random(random: &mut Random) -> Self {
        let vote = Vote::random(random);
        let rewrite = random.once_in(8).then(|| random.args());
        Self { vote, rewrite }
    }
}

impl Vote {
    fn random(random: &mut Random) -> Option<Self> {
        match random.below(16) {
            0 => Some(Self::Deny),
            1..=4 => Some(Self::Ask),
            5..=9 => Some(Self::Allow),
            _ => None,
        }
    }
}
