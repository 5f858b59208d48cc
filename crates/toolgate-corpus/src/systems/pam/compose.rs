//! Middleware as policies.

use std::sync::Arc;

use toolgate::{
    Args, Decision, Effect, Policy, Reviewing, Rule, ToolCall, Vote, first_of, for_tools,
    strictest_of, when,
};

use super::{
    heard::Heard,
    node::{Node, Timing, Word},
    timing::Timed,
};
use crate::{bench::Stack, case::Invalid, fault::Fault};

/// A policy among others.
type Member = Box<dyn Policy>;

/// The rule of a policy that failed inside a group. It refuses, and says so.
pub(super) const RAISED: &str = "raised";

/// Makes policies of middleware.
pub(super) struct Composer {
    /// Whether the case says what is safer than the source's own composition.
    corrected: bool,
    heard: Arc<Heard>,
}

impl Composer {
    /// Makes policies that take down when they are heard.
    pub(super) fn new(corrected: bool, heard: Arc<Heard>) -> Self {
        Self { corrected, heard }
    }

    /// A policy that counts the rounds, and says nothing.
    pub(super) fn rounds(&self) -> impl Policy + use<> {
        let heard = Arc::clone(&self.heard);
        move |_: &ToolCall<Reviewing>| {
            heard.begin();
            Decision::abstain()
        }
    }

    /// Adds one middleware of the list to a stack.
    pub(super) fn add(&self, stack: Stack, node: &Node) -> Result<Stack, Invalid> {
        let timed = Arc::new(Timed::new(node, self.corrected)?);
        let fault = node.fault();
        if fault.is_none() && !timed.takes_time() {
            return Ok(stack.policy(Arc::<dyn Policy>::from(self.policy(node)?)));
        }
        let policy = Arc::<dyn Policy>::from(match fault {
            Some(_) => self.heard_only(node)?,
            None => self.policy(node)?,
        });
        let tools = node.tools.clone();
        let heard = Arc::clone(&self.heard);
        Ok(stack.waiting_policy(move |call| {
            let (timed, policy) = (Arc::clone(&timed), Arc::clone(&policy));
            let named = |tools: &Vec<String>| tools.iter().any(|name| name == call.tool().name());
            let fault = fault.clone().filter(|_| tools.as_ref().is_none_or(named));
            let heard = Arc::clone(&heard);
            async move {
                timed.spend(call.tool().name(), &heard).await?;
                let decision = policy.decide(&call);
                fault.map_or(Ok(decision), Err)
            }
        }))
    }

    /// A policy that is heard and says nothing, in place of one that fails.
    fn heard_only(&self, node: &Node) -> Result<Member, Invalid> {
        if node.mw == Word::When {
            return Ok(Box::new(|_: &ToolCall<Reviewing>| Decision::abstain()));
        }
        filtered(node, self.leaf(node, |_| Decision::abstain()))
    }

    fn policy(&self, node: &Node) -> Result<Member, Invalid> {
        if let Some(fault) = node.fault() {
            return filtered(node, self.leaf(node, move |_| raised(&fault)));
        }
        let policy = match node.mw {
            Word::Chain => self.chain(node.members())?,
            Word::When => {
                let (then, otherwise) = node.branches();
                let (holds, then) = (node.holds(), Arc::<dyn Policy>::from(self.chain(then)?));
                let otherwise = Arc::<dyn Policy>::from(self.chain(otherwise)?);
                Box::new(when(move |_: &ToolCall<Reviewing>| holds, then).otherwise(otherwise))
            }
            Word::Parallel => self.group(node.members())?,
            Word::AsyncGuardrail => self.guarded(node)?,
            _ => {
                let decide = decision(node);
                self.leaf(node, decide)
            }
        };
        filtered(node, policy)
    }

    fn leaf(
        &self,
        node: &Node,
        decide: impl Fn(&ToolCall<Reviewing>) -> Decision + Send + Sync + 'static,
    ) -> Member {
        let heard = Arc::clone(&self.heard);
        let (number, name) = (node.number, node.name().to_owned());
        Box::new(move |call: &ToolCall<Reviewing>| {
            heard.hear(number, &name);
            decide(call)
        })
    }

    /// One after the other, until one of them decides; or all of them.
    fn chain(&self, nodes: &[Node]) -> Result<Member, Invalid> {
        if self.corrected {
            return Ok(Box::new(strictest_of(self.each(nodes)?)));
        }
        let mut flat = Vec::new();
        flatten(nodes, &mut flat);
        let members: Result<Vec<_>, _> = flat.into_iter().map(|n| self.policy(n)).collect();
        Ok(Box::new(first_of(members?)))
    }

    /// All of them: on the same arguments, as the source does, or one after the other.
    fn group(&self, nodes: &[Node]) -> Result<Member, Invalid> {
        if self.corrected {
            return Ok(Box::new(strictest_of(self.each(nodes)?)));
        }
        let mut by_time: Vec<&Node> = nodes.iter().collect();
        by_time.sort_by(|a, b| a.sleep.unwrap_or(0.0).total_cmp(&b.sleep.unwrap_or(0.0)));
        let last = by_time.last().map_or(0, |node| node.number);
        let members: Result<Vec<_>, Invalid> = nodes
            .iter()
            .map(|node| Ok((node.number == last, self.policy(node)?)))
            .collect();
        Ok(side_by_side(members?))
    }

    /// What a guardrail wraps. The source drops its filter, and unless it waits, all it says.
    fn guarded(&self, node: &Node) -> Result<Member, Invalid> {
        let Some(inner) = node.members().first() else {
            return Err(Invalid::new("a guardrail wraps one middleware"));
        };
        match (self.corrected, node.timing) {
            (true, _) => self.policy(inner),
            (false, Some(Timing::Blocking)) => {
                let decide = decision(inner);
                match inner.mw {
                    Word::Chain | Word::When | Word::Parallel => self.policy(inner),
                    _ => Ok(self.leaf(inner, decide)),
                }
            }
            (false, _) => Ok(Box::new(|_: &ToolCall<Reviewing>| Decision::abstain())),
        }
    }

    fn each(&self, nodes: &[Node]) -> Result<Vec<Member>, Invalid> {
        nodes.iter().map(|node| self.policy(node)).collect()
    }
}

/// The source puts the members of a chain within a chain in its place, whatever it is about.
fn flatten<'a>(nodes: &'a [Node], flat: &mut Vec<&'a Node>) {
    for node in nodes {
        match node.mw {
            Word::Chain => flatten(node.members(), flat),
            _ => flat.push(node),
        }
    }
}

/// What a single middleware says.
fn decision(node: &Node) -> impl Fn(&ToolCall<Reviewing>) -> Decision + Send + Sync + use<> {
    let word = node.mw;
    let rule = Rule::new(format!("{} {}", node.name(), node.number));
    let unsaid = match word {
        Word::RaiseBlocked => "Tool blocked",
        _ => "",
    };
    let reason = node.reason.clone().unwrap_or_else(|| unsaid.to_owned());
    let modified = node.modified_args.clone();
    let (set, to) = (node.set.clone(), node.to.clone());
    move |call| {
        let with = |decision: Decision, args: Option<Args>| match args {
            Some(args) => decision.with_args(args),
            None => decision,
        };
        match word {
            Word::Allow => with(Vote::allow().by(rule.clone()).into(), modified.clone()),
            Word::Deny | Word::RaiseBlocked => Vote::deny(&*reason).by(rule.clone()).into(),
            Word::Ask => with(
                Vote::ask(&*reason).by(rule.clone()).into(),
                modified.clone(),
            ),
            Word::SetArgs => with(Decision::abstain(), set.as_ref().map(|s| merged(call, s))),
            Word::ReplaceArgs => with(Decision::abstain(), to.clone()),
            _ => Decision::abstain(),
        }
    }
}

fn merged(call: &ToolCall<Reviewing>, set: &Args) -> Args {
    let entries = set.as_map().iter();
    entries.fold(call.args().clone(), |args, (key, value)| {
        args.with(key, value.clone())
    })
}

/// A policy cannot fail, so one that wants to refuses.
fn raised(fault: &Fault) -> Decision {
    match fault {
        Fault::Raised { class, message } => {
            let rule = Rule::new(RAISED).with_text(class.as_str());
            Vote::deny(message.as_str()).by(rule).into()
        }
        other => Decision::deny(other.to_string()),
    }
}

/// Hears all on the same arguments. The strictest says what is put in their place; if nobody
/// votes, the last to finish does.
fn side_by_side(members: Vec<(bool, Member)>) -> Member {
    Box::new(move |call: &ToolCall<Reviewing>| {
        let decisions: Vec<_> = members
            .iter()
            .map(|(last, policy)| (*last, policy.decide(call)))
            .collect();
        let strictest: Option<Effect> = decisions.iter().filter_map(|(_, d)| d.effect()).max();
        let deciding = decisions.iter().find(|(last, d)| match strictest {
            Some(_) => d.effect() == strictest,
            None => *last,
        });
        let args = deciding.and_then(|(_, d)| d.args().cloned());
        let votes = decisions.iter().flat_map(|(_, d)| d.votes());
        let together = votes.fold(Decision::abstain(), |all, vote| all.and(vote.clone()));
        match args {
            Some(args) => together.with_args(args),
            None => together,
        }
    })
}

/// Hears a policy about the tools that the middleware is about.
fn filtered(node: &Node, policy: Member) -> Result<Member, Invalid> {
    let Some(tools) = node.tools.clone() else {
        return Ok(policy);
    };
    let policy = Arc::<dyn Policy>::from(policy);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if tools
        .iter()
        .all(|tool| !tool.is_empty() && tool.chars().all(plain))
    {
        let names = tools.iter().map(String::as_str);
        let policy = for_tools(names, policy).map_err(|e| Invalid::new(e.to_string()))?;
        return Ok(Box::new(policy));
    }
    // Names are exact here, and would be patterns there.
    let named = move |call: &ToolCall<Reviewing>| tools.iter().any(|t| t == call.tool().name());
    Ok(Box::new(when(named, policy)))
}
