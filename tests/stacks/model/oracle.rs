//! What the laws say should happen. Plain, slow, and without a line of the library.

use std::collections::BTreeSet;

use super::random::{Default, LABELS, Layer, Policy, Reply, Stack, Vote};

/// What happened: how it ended, and what the person was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Happened {
    pub(super) end: End,
    pub(super) questions: Vec<Question>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Ran { args: usize, by: &'static str },
    Blocked(&'static str),
}

/// The arguments that were shown, and who asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) args: usize,
    pub(super) asked: BTreeSet<String>,
}

/// How often a call is sent in before it counts as one that will not settle.
const ROUNDS: usize = 8;

pub(super) fn run(stack: &Stack) -> Happened {
    let mut questions = Vec::new();
    let end = judge(stack, &mut questions);
    Happened { end, questions }
}

fn judge(stack: &Stack, questions: &mut Vec<Question>) -> End {
    let mut args = stack.args;
    let mut approved: Option<Question> = None;
    let mut declined = false;
    for round in 1..=ROUNDS {
        let Some(heard) = hear(stack, args) else {
            return End::Blocked("denied");
        };
        if declined {
            return End::Blocked("declined");
        }
        // Somebody judged other arguments than those that would run.
        if heard.changed {
            args = heard.args;
            continue;
        }
        let mut asked = heard.asked;
        if stack.tool_requires[args] && !stack.lifted {
            asked.insert("tool".to_owned());
        }
        if asked.is_empty() {
            match (heard.allowed, stack.default) {
                (true, _) => {
                    return End::Ran {
                        args,
                        by: "ran by rules",
                    };
                }
                (false, Default::Allow) => {
                    return End::Ran {
                        args,
                        by: "ran by default",
                    };
                }
                (false, Default::Deny) => return End::Blocked("denied"),
                (false, Default::Ask) => {
                    asked.insert("default".to_owned());
                }
            }
        }
        if approved.is_some_and(|yes| yes.args == args && asked.is_subset(&yes.asked)) {
            return End::Ran {
                args,
                by: "ran by a person",
            };
        }
        let Some(replies) = &stack.replies else {
            return End::Blocked("nobody to ask");
        };
        // Whatever the answer, it would come too late.
        if round == ROUNDS {
            break;
        }
        let question = Question { args, asked };
        questions.push(question.clone());
        approved = None;
        match replies[questions.len() - 1] {
            Reply::Fail => return End::Blocked("asking failed"),
            Reply::No => declined = true,
            Reply::Yes => approved = Some(question),
            Reply::Edit(edited) => {
                args = edited;
                approved = Some(Question { args, ..question });
            }
        }
    }
    End::Blocked("unsettled")
}

/// What the policies say in one round, if none denies.
struct Heard {
    args: usize,
    changed: bool,
    asked: BTreeSet<String>,
    allowed: bool,
}

fn hear(stack: &Stack, start: usize) -> Option<Heard> {
    let mut heard = Heard {
        args: start,
        changed: false,
        asked: BTreeSet::new(),
        allowed: false,
    };
    for layer in &stack.layers {
        match layer {
            Layer::One { policy, .. } => heard.policy(policy)?,
            Layer::Several { policies, first } => heard.several(policies, *first)?,
            Layer::When {
                then,
                otherwise,
                on,
            } => {
                let chosen = if on[heard.args] {
                    Some(then)
                } else {
                    otherwise.as_ref()
                };
                if let Some(policy) = chosen {
                    heard.policy(policy)?;
                }
            }
            // Labels are those of the arguments at the start of the round.
            Layer::Capabilities { decisions } => {
                heard.capabilities(&stack.labels[start], *decisions)?;
            }
        }
    }
    Some(heard)
}

impl Heard {
    fn policy(&mut self, policy: &Policy) -> Option<()> {
        let say = policy.says[self.args];
        self.vote(&policy.name.to_string(), say.vote)?;
        if let Some(rewrite) = say.rewrite {
            self.changed |= rewrite != self.args;
            self.args = rewrite;
        }
        Some(())
    }

    /// A deny among several is a deny, even if a later one comes after a rewrite.
    fn several(&mut self, policies: &[Policy], first: bool) -> Option<()> {
        for policy in policies {
            let votes = policy.says[self.args].vote.is_some();
            self.policy(policy)?;
            if votes && first {
                break;
            }
        }
        Some(())
    }

    /// The strictest label counts, and every one that is asked about asks for itself. One without
    /// a rule is asked about.
    fn capabilities(&mut self, labels: &[usize], rules: [Option<Vote>; LABELS]) -> Option<()> {
        let calls_for = |label: usize| rules[label].unwrap_or(Vote::Ask);
        let strictest = labels.iter().map(|&label| calls_for(label)).max();
        for &label in labels
            .iter()
            .filter(|&&label| Some(calls_for(label)) == strictest)
        {
            let rule = rules[label].map_or("unknown", |_| "known");
            self.vote(&format!("label.{label} {rule}"), strictest)?;
        }
        Some(())
    }

    fn vote(&mut self, who: &str, vote: Option<Vote>) -> Option<()> {
        match vote {
            Some(Vote::Deny) => return None,
            Some(Vote::Ask) => {
                self.asked.insert(who.to_owned());
            }
            Some(Vote::Allow) => self.allowed = true,
            None => {}
        }
        Some(())
    }
}
