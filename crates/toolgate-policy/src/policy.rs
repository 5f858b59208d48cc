//! A loaded policy: what decides in a stack, and what answers without one.

mod build;
mod hidden;
mod stack;

use std::{fmt, sync::Arc, time::Duration};

use smallvec::SmallVec;
use toolgate::{
    Decision, Effect, GateLayer, Labels, Mode, ModeSwitch, Policy, PolicyLayer, Presentation,
    PromptLayer, ReviewLayer, Reviewing, ToolCall, ToolEntries, ToolId, ToolRules, Vote,
};

pub(crate) use self::build::{Written, build};
pub use self::stack::PolicyStack;
use crate::{
    Diagnostics,
    compiled::Compiled,
    explain::Explanation,
    finding::{Findings, RuleIndex},
    judge::{View, World},
    part::{Part, Parts},
    settle::{self, Found},
};

/// Applies a [`FilePolicy`] to every call.
pub type FilePolicyLayer = PolicyLayer<FilePolicy>;

/// A policy that was loaded from files, for one environment.
///
/// It is a [`Policy`], so that a [`FilePolicyLayer`] applies all of it; [`part`](Self::part) makes
/// a layer of one section; and [`effect`](Self::effect) and [`explain`](Self::explain) answer
/// without a stack. All of them share one implementation.
///
/// Cheap to clone. It never changes; see [`Reloading`](crate::Reloading) for one that does.
#[derive(Clone)]
pub struct FilePolicy(Arc<Inner>);

struct Inner {
    layers: Vec<Compiled>,
    world: World,
    warnings: Diagnostics,
    entries: ToolRules,
    /// The same from layers that nobody vouched for.
    unvouched: ToolRules,
    mode: Mode,
    deadline: Option<Duration>,
}

/// One part of a [`FilePolicy`], as a policy of its own.
#[derive(Clone, Debug)]
pub struct FilePolicyPart {
    policy: FilePolicy,
    part: Part,
}

impl FilePolicy {
    /// What the policy decides about a call that nobody answered for yet, default included.
    #[must_use]
    pub fn effect(&self, call: &ToolCall) -> Effect {
        let (labels, entries) = (Labels::new(), self.entries(call.tool()));
        let view = View::of(call, &labels, entries);
        settle::settle(&self.found(&view, Parts::All, None)).effect()
    }

    /// Everything that is to be said about a call.
    #[must_use]
    pub fn explain(&self, call: &ToolCall) -> Explanation {
        let (labels, entries) = (Labels::new(), self.entries(call.tool()));
        Explanation::new(self, &View::of(call, &labels, entries))
    }

    /// What could be wrong with the policy, although it can be used.
    #[must_use]
    pub fn warnings(&self) -> &Diagnostics {
        &self.0.warnings
    }

    /// One section, as a policy of its own. The default is not part of any: see
    /// [`gate`](Self::gate).
    pub fn part(&self, part: Part) -> FilePolicyPart {
        FilePolicyPart {
            policy: self.clone(),
            part,
        }
    }

    /// The entry of a stack, which attaches what the policy says that tools can do, and by which of
    /// their arguments answers are remembered.
    pub fn review(&self) -> ReviewLayer {
        ReviewLayer::new().with_tool_rules(self.0.entries.clone())
    }

    /// The layer that asks, in the mode and with the deadline of the policy.
    pub fn prompt<H>(&self, handler: H) -> PromptLayer<H> {
        let prompt = PromptLayer::new(handler).with_mode(ModeSwitch::new(self.0.mode));
        match self.0.deadline {
            Some(deadline) => prompt.with_deadline(deadline),
            None => prompt,
        }
    }

    /// The layer that applies the whole policy.
    pub fn layer(&self) -> FilePolicyLayer {
        PolicyLayer::new(self.clone())
    }

    /// The exit of a stack, with the default of the policy.
    pub fn gate(&self) -> GateLayer {
        match settle::default(self.0.layers.iter()) {
            Effect::Allow => GateLayer::dangerous_allow_by_default(),
            Effect::Ask => GateLayer::new(),
            Effect::Deny => GateLayer::deny_by_default(),
        }
    }

    /// How questions are answered.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.0.mode
    }

    pub(crate) fn layers(&self) -> &[Compiled] {
        &self.0.layers
    }

    pub(crate) fn world(&self) -> &World {
        &self.0.world
    }

    /// What the policy says of a tool beside decisions, vouched for and not.
    fn entries<'a>(&'a self, tool: &ToolId) -> [ToolEntries<'a>; 2] {
        [self.0.entries.of(tool), self.0.unvouched.of(tool)]
    }

    /// What the parts of each layer find in a call, as if one rule were not there.
    pub(crate) fn found(
        &self,
        call: &View<'_>,
        parts: Parts,
        without: Option<(usize, RuleIndex)>,
    ) -> Found<'_> {
        let mut found = SmallVec::new();
        for (number, layer) in self.0.layers.iter().enumerate() {
            let mut findings = Findings::default();
            let without = without
                .filter(|(of, _)| *of == number)
                .map(|(_, rule)| rule);
            layer.judge(call, parts, without, &self.0.world, &mut findings);
            found.push((layer, findings));
        }
        found
    }

    /// What the whole policy decides, or the share of one part in it: parts one by one decide what
    /// the whole does.
    fn decide_by(&self, call: &ToolCall<Reviewing>, parts: Parts) -> Decision {
        let entries = self.entries(call.tool());
        let view = View::reviewing(call, entries);
        let whole = self.found(&view, Parts::All, None);
        let settled = settle::settle(&whole);
        let line = || {
            let mut lines = self.0.layers.iter().rev();
            lines.find_map(|layer| layer.bindings.read(view.tool, view.args)?.line)
        };
        let dress = |vote| present(vote, line());
        match parts {
            Parts::All => settle::decision(settled, &whole, &dress),
            // What is decided by default is decided once.
            Parts::Only(part) if part != Part::Tools && settled.is_final_default() => {
                Decision::abstain()
            }
            Parts::Only(_) => settle::decision(settled, &self.found(&view, parts, None), &dress),
        }
    }
}

/// Shows a command line as what it is.
fn present(vote: Vote, line: Option<&str>) -> Vote {
    match line {
        Some(line) => vote.with_presentation(Presentation::Code {
            language: "sh".to_owned(),
            text: line.to_owned(),
        }),
        None => vote,
    }
}

impl Policy for FilePolicy {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        self.decide_by(call, Parts::All)
    }

    fn name(&self) -> &'static str {
        "policy"
    }
}

impl Policy for FilePolicyPart {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        self.policy.decide_by(call, Parts::Only(self.part))
    }

    fn name(&self) -> &'static str {
        self.part.name()
    }
}

impl fmt::Debug for FilePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilePolicy")
            .field("layers", &self.0.layers.len())
            .field("mode", &self.0.mode)
            .finish_non_exhaustive()
    }
}
