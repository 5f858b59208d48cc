//! Rules over what a call can do.

mod patterns;
mod rules;
mod target;

use self::rules::CapabilityVerdict;
pub use self::{patterns::CapabilityPatterns, rules::CapabilityRules};
use crate::{
    Args, Capability, Decision, Effect, Policy, PolicyLayer, Reviewing, Rule, ToolCall,
    ToolDecision, ToolEntries, ToolId, ToolRules, Vote,
};

/// Applies [`Capabilities`] to every call.
pub type CapabilityLayer = PolicyLayer<Capabilities>;

/// Decides by what a call can do.
///
/// In this order:
///
/// 1. If the [tool rules](Capabilities::with_tool_rules) say that the tool is blocked or
///    pre-approved, that counts.
/// 2. If any capability is blocked, the call is denied.
/// 3. If any needs approval, the call is asked about.
/// 4. If any is pre-approved, the call is allowed.
/// 5. Otherwise nothing is said, and the gate's default decides.
///
/// The first of these lets the configuration of a tool override a blocked capability. A deny of
/// any other layer still stands.
///
/// # Example
///
/// ```
/// use toolgate::{Capabilities, CapabilityLayer, CapabilityRules, ToolDecision};
///
/// let rules = CapabilityRules::new([
///     ("fs.read", ToolDecision::PreApproved),
///     ("fs.write(/srv/reports/**)", ToolDecision::PreApproved),
///     ("proc.exec.*", ToolDecision::Blocked),
/// ])?;
/// let layer = CapabilityLayer::new(Capabilities::new(rules));
/// # let _ = layer;
/// # Ok::<(), toolgate::RulesError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a policy does nothing until a layer applies it"]
pub struct Capabilities {
    rules: CapabilityRules,
    tool_rules: Option<ToolRules>,
}

impl Capabilities {
    /// Decides by `rules`.
    pub fn new(rules: CapabilityRules) -> Self {
        Self {
            rules,
            tool_rules: None,
        }
    }

    /// Lets an explicit decision of `tool_rules` come first.
    pub fn with_tool_rules(mut self, tool_rules: ToolRules) -> Self {
        self.tool_rules = Some(tool_rules);
        self
    }
}

impl Policy for Capabilities {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        if call.labels().is_empty() && self.tool_rules.is_none() {
            return Decision::abstain();
        }
        let config = self.tool_rules.as_ref().map(|rules| rules.of(call.tool()));
        let config = config.unwrap_or_default();
        let decision = first_four_rules(&self.rules, || call.labels().iter(), &config);
        match config.required() {
            Some(ask) => decision.and(ask.with_payload(config.payload(call.args()))),
            None => decision,
        }
    }

    fn name(&self) -> &'static str {
        "capabilities"
    }

    fn denies_by_args(&self) -> bool {
        self.rules.blocks_anything()
    }
}

/// Decides as [`Capabilities`] does, without a stack.
///
/// Always votes: where the layer says nothing, because there is no capability, this asks.
///
/// # Example
///
/// ```
/// use toolgate::{
///     Args, Capability, CapabilityRules, Effect, ToolDecision, ToolRules, capability_policy,
/// };
///
/// let rules = CapabilityRules::new([("proc.exec", ToolDecision::Blocked)])?;
/// let exec: Capability = "proc.exec".parse()?;
/// let vote = capability_policy(
///     &"shell".into(),
///     &Args::new(),
///     [&exec],
///     &ToolRules::default(),
///     &rules,
/// );
/// assert_eq!(vote.effect(), Effect::Deny);
/// assert_eq!(vote.reason(), Some("capability blocked: proc.exec"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn capability_policy<'a>(
    tool: &ToolId,
    args: &Args,
    capabilities: impl IntoIterator<Item = &'a Capability>,
    config: &ToolRules,
    rules: &CapabilityRules,
) -> Vote {
    let config = config.of(tool);
    let capabilities: Vec<_> = capabilities.into_iter().collect();
    let decision = first_four_rules(rules, || capabilities.iter().copied(), &config);
    let votes = decision.votes().iter().cloned().chain(config.required());
    // Of several that are equally strict the first counts.
    let strictest = votes.reduce(|a, b| if b.effect() > a.effect() { b } else { a });
    let vote = strictest.unwrap_or_else(|| Vote::ask("needs approval").by(Rule::new("fallback")));
    match vote.effect() {
        Effect::Ask => vote.with_payload(config.payload(args)),
        Effect::Allow | Effect::Deny => vote,
    }
}

/// One deny or allow is enough; but every capability that needs approval asks for itself, so that
/// an answer to one never covers another.
fn first_four_rules<'a, I: Iterator<Item = &'a Capability>>(
    rules: &'a CapabilityRules,
    capabilities: impl Fn() -> I,
    config: &ToolEntries<'_>,
) -> Decision {
    if let Some(ToolDecision::Blocked | ToolDecision::PreApproved) = config.decision() {
        return config.vote().into();
    }
    let Some(strictest) = rules.strictest(capabilities()) else {
        return Decision::abstain();
    };
    if strictest.decision != ToolDecision::NeedsApproval {
        return vote(strictest).into();
    }
    let mut asking: Vec<_> = capabilities()
        .map(|capability| rules.of(capability))
        .filter(|verdict| verdict.decision == ToolDecision::NeedsApproval)
        .collect();
    asking.sort_by_key(|verdict| (verdict.capability.name(), verdict.rule.id()));
    asking.dedup_by_key(|verdict| (verdict.rule.id(), verdict.capability.name()));
    asking
        .into_iter()
        .map(vote)
        .fold(Decision::abstain(), Decision::and)
}

fn vote(verdict: CapabilityVerdict<'_>) -> Vote {
    let name = verdict.capability.name();
    match verdict.decision {
        ToolDecision::PreApproved => Vote::allow().by(verdict.rule.clone()),
        ToolDecision::NeedsApproval => Vote::ask(format!("capability needs approval: {name}"))
            .by(Rule::new(format!("{} for {name}", verdict.rule))),
        ToolDecision::Blocked => {
            Vote::deny(format!("capability blocked: {name}")).by(verdict.rule.clone())
        }
    }
}

#[cfg(test)]
mod tests;
