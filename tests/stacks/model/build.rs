//! The same stacks, built from the library's real layers.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::FutureExt as _;
use serde_json::Value;
use toolgate::{
    AllowedBy, ApprovalRequest, Args, AsyncPolicyLayer, BlockedKind, Capabilities, CapabilityLayer,
    CapabilityRules, Decision, Describe, DescribeError, Description, GateLayer, Policy as _,
    PolicyLayer, PromptLayer, ReviewLayer, Reviewing, Rule, ToolBlocked, ToolCall, ToolDecision,
    ToolEntries, ToolRules, ToolRulesLayer, Vote as RealVote, first_of, strictest_of, when,
};
use toolgate_test::{Approver, Reply as RealReply, Spy};
use tower::{Layer as _, ServiceExt, service_fn, util::BoxCloneSyncService};

use super::{
    oracle::{End, Happened, Question},
    random::{Default, LABELS, Layer, Policy, Reply, Stack, Vote},
};

type Inside = BoxCloneSyncService<ToolCall<Reviewing>, Value, ToolBlocked>;

pub(super) fn run(stack: &Stack) -> Happened {
    let tool = Spy::new();
    let approver = stack
        .replies
        .as_ref()
        .map(|replies| Approver::script(replies.iter().map(reply)));
    let mut inside: Inside = BoxCloneSyncService::new(gate(stack.default).layer(tool.clone()));
    for layer in stack.layers.iter().rev() {
        inside = wrap(layer, inside);
    }
    inside = BoxCloneSyncService::new(ToolRulesLayer::new(tool_rules(stack)).layer(inside));
    if let Some(approver) = &approver {
        inside = BoxCloneSyncService::new(PromptLayer::new(approver.clone()).layer(inside));
    }
    let review = ReviewLayer::new().describe(Labels(stack.clone()));
    let call = ToolCall::new("t", args(stack.args));
    let ended = review
        .layer(inside)
        .oneshot(call)
        .now_or_never()
        .expect("nothing waits");
    let questions = approver
        .map(|approver| approver.questions())
        .unwrap_or_default();
    Happened {
        end: end(ended, &tool),
        questions: questions.iter().map(question).collect(),
    }
}

fn args(number: usize) -> Args {
    Args::new().with("n", number)
}

fn number(args: &Args) -> usize {
    let number = args.get("n").and_then(Value::as_u64).unwrap();
    usize::try_from(number).unwrap()
}

fn gate(default: Default) -> GateLayer {
    match default {
        Default::Ask => GateLayer::new(),
        Default::Deny => GateLayer::deny_by_default(),
        Default::Allow => GateLayer::dangerous_allow_by_default(),
    }
}

fn tool_rules(stack: &Stack) -> ToolRules {
    let rules = ToolRules::default();
    if stack.lifted {
        rules.disable_for("t");
    }
    rules
}

fn reply(reply: &Reply) -> RealReply {
    match reply {
        Reply::Yes => RealReply::yes(),
        Reply::No => RealReply::no(),
        Reply::Edit(edited) => RealReply::edit(args(*edited)),
        Reply::Fail => RealReply::Fail,
    }
}

fn wrap(layer: &Layer, inside: Inside) -> Inside {
    match layer {
        Layer::One {
            policy,
            asynchronous: false,
        } => BoxCloneSyncService::new(PolicyLayer::new(real(policy)).layer(inside)),
        Layer::One {
            policy,
            asynchronous: true,
        } => {
            let policy = Arc::new(real(policy));
            let service = service_fn(move |call: ToolCall<Reviewing>| {
                std::future::ready(Ok::<_, std::io::Error>(policy.decide(&call)))
            });
            let layer = AsyncPolicyLayer::new(service).named("policy");
            BoxCloneSyncService::new(layer.layer(inside))
        }
        Layer::Several { policies, first } => {
            let policies = policies
                .iter()
                .map(|p| Box::new(real(p)) as Box<dyn toolgate::Policy>);
            let several = if *first {
                first_of(policies)
            } else {
                strictest_of(policies)
            };
            BoxCloneSyncService::new(PolicyLayer::new(several).layer(inside))
        }
        Layer::When {
            then,
            otherwise,
            on,
        } => {
            let on = *on;
            let chosen = when(move |call| on[number(call.args())], real(then));
            match otherwise {
                Some(policy) => {
                    let layer = PolicyLayer::new(chosen.otherwise(real(policy)));
                    BoxCloneSyncService::new(layer.layer(inside))
                }
                None => BoxCloneSyncService::new(PolicyLayer::new(chosen).layer(inside)),
            }
        }
        Layer::Capabilities { decisions } => {
            let layer = CapabilityLayer::new(capabilities(*decisions));
            BoxCloneSyncService::new(layer.layer(inside))
        }
    }
}

fn real(policy: &Policy) -> impl Fn(&ToolCall<Reviewing>) -> Decision + Send + Sync + 'static {
    let Policy { name, says } = policy.clone();
    let rule = Rule::new(name.to_string());
    move |call| {
        let say = says[number(call.args())];
        let vote = say.vote.map(|vote| match vote {
            Vote::Allow => RealVote::allow(),
            Vote::Ask => RealVote::ask("asked"),
            Vote::Deny => RealVote::deny("denied"),
        });
        let decision = Decision::from(vote.map(|vote| vote.by(rule.clone())));
        match say.rewrite {
            Some(rewrite) => decision.with_args(args(rewrite)),
            None => decision,
        }
    }
}

fn capabilities(decisions: [Option<Vote>; LABELS]) -> Capabilities {
    let entries = decisions.iter().enumerate().filter_map(|(label, vote)| {
        let decision = match (*vote)? {
            Vote::Allow => ToolDecision::PreApproved,
            Vote::Ask => ToolDecision::NeedsApproval,
            Vote::Deny => ToolDecision::Blocked,
        };
        Some((format!("label.{label}"), decision))
    });
    Capabilities::new(CapabilityRules::new(entries).unwrap())
}

struct Labels(Stack);

impl Describe for Labels {
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        _: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        let number = number(call.args());
        let labels = self.0.labels[number]
            .iter()
            .map(|label| format!("label.{label}").parse());
        let description = Description::new().with(labels.collect::<Result<Vec<_>, _>>()?);
        Ok(if self.0.tool_requires[number] {
            description.requiring_approval()
        } else {
            description
        })
    }
}

fn end(ended: Result<Value, ToolBlocked>, tool: &Spy) -> End {
    match ended {
        Ok(_) => ran(tool),
        Err(blocked) => {
            assert_eq!(tool.runs(), 0, "{blocked}");
            End::Blocked(how(blocked.kind()))
        }
    }
}

fn ran(tool: &Spy) -> End {
    assert_eq!(tool.runs(), 1);
    let by = match tool.allowed_by()[0] {
        AllowedBy::Rules => "ran by rules",
        AllowedBy::Human => "ran by a person",
        AllowedBy::Default => "ran by default",
        other => unreachable!("{other:?}"),
    };
    End::Ran {
        args: number(&tool.args()[0]),
        by,
    }
}

fn how(kind: BlockedKind) -> &'static str {
    match kind {
        BlockedKind::Denied => "denied",
        BlockedKind::Declined => "declined",
        BlockedKind::NoHandler => "nobody to ask",
        BlockedKind::HandlerFailed => "asking failed",
        BlockedKind::Unsettled => "unsettled",
        other => unreachable!("{other:?}"),
    }
}

fn question(request: &ApprovalRequest) -> Question {
    let asked = request.asks.iter().map(|ask| {
        let id = ask.rule.as_ref().map_or("?", Rule::id);
        match (id, id.split_once(" for ")) {
            ("tool requires approval", _) => "tool".to_owned(),
            (_, Some((rule, label))) if rule == label => format!("{label} known"),
            (_, Some((_, label))) => format!("{label} unknown"),
            _ => id.to_owned(),
        }
    });
    Question {
        args: number(&request.args),
        asked: asked.collect::<BTreeSet<_>>(),
    }
}
