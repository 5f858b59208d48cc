//! Questions that are put as a source system puts them.

use toolgate::{Args, Decision, Effect, Policy, Reviewing, Rule, ToolCall, Vote};

use crate::case::{Act, ToolUse, Turn};

/// How the calls of a case are shown: `t(x=1)`, with the arguments in the order of the case.
#[derive(Clone, Debug, Default)]
pub(super) struct Signatures(Vec<(String, Args, String)>);

impl Signatures {
    /// How the call is shown.
    pub(super) fn of(call: &ToolUse) -> Self {
        Self(vec![(
            call.tool.clone(),
            call.args.clone(),
            call.signature(),
        )])
    }

    /// How the calls of all turns are shown.
    pub(super) fn of_all(turns: &[Turn<'_>]) -> Self {
        let calls = turns.iter().filter_map(|turn| match &turn.act {
            Act::Call(call) => Some(Self::of(call).0),
            Act::Op(_) => None,
        });
        Self(calls.flatten().collect())
    }

    /// How `call` is shown.
    pub(super) fn show(&self, call: &ToolCall<Reviewing>) -> String {
        let known = self
            .0
            .iter()
            .find(|(tool, args, _)| tool == call.tool().name() && args == call.args());
        known.map_or_else(|| call.tool().to_string(), |(_, _, shown)| shown.clone())
    }
}

/// Hears `policy`, and asks where it says nothing. Every question says `describe`.
pub(super) fn described(
    policy: impl Policy,
    describe: impl Fn(&ToolCall<Reviewing>) -> String + Send + Sync + 'static,
) -> impl Policy {
    move |call: &ToolCall<Reviewing>| {
        let decision = policy.decide(call);
        let describe = |vote: &Vote| match vote.effect() {
            Effect::Ask => vote.clone().with_description(describe(call)),
            Effect::Allow | Effect::Deny => vote.clone(),
        };
        if decision.effect().is_none() {
            let vote = Vote::ask("needs approval").by(Rule::new("fallback"));
            return describe(&vote).into();
        }
        let votes = decision.votes().iter();
        votes.fold(Decision::abstain(), |all, vote| all.and(describe(vote)))
    }
}

/// Says nothing, so that what is [described] is always asked.
pub(super) fn nothing(_: &ToolCall<Reviewing>) -> Decision {
    Decision::abstain()
}
