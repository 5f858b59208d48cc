//! Does what the steps say.

use std::time::Duration;

use serde_json::Value;
use toolgate::{Args, ArgsError, BlockedKind};

use super::{
    case::{Context, Must},
    generate::Made as Generated,
    orders::Order,
    step::{Made, Step, Wait},
    verdict::{annotations, is_expected},
    world::{DEADLINE, Ended, NewCall, World},
};
use crate::case::Invalid;

/// What differs from what a step expects.
pub(super) type Differences = Result<Vec<String>, Invalid>;

impl World {
    /// Does what a step says.
    pub(super) fn perform(&mut self, step: &Step, order: &Order) -> Differences {
        match step {
            Step::Call(made) => return self.make(made, true),
            Step::Concurrent { steps } => return self.at_once(steps, order),
            Step::Repeat { n, step } => return self.repeat(*n, step, order),
            Step::Executed { id } => return self.executed(id),
            Step::Respond(respond) => self.respond(respond)?,
            Step::RespondRaw {
                to,
                session,
                decision,
            } => self.respond_raw(to, session.as_deref(), decision)?,
            Step::RespondFirstPending { decision } => self.respond_to_anything(*decision),
            Step::Execute { id, args } => self.execute(id, args.as_ref())?,
            Step::ExecutionFailed { id } => return self.execution_failed(id),
            Step::Advance { ms } => {
                let time = time(ms)?;
                self.advance(time);
            }
            Step::SuspendResume { ms } => self.advance(Duration::from_millis(*ms)),
            Step::Cancel { id } | Step::DropFuture { id } => {
                let index = self.known(id)?;
                let turn = self.calls.get(index).map(super::world::Occurrence::turn);
                self.drop_calls(|call| Some(call.turn()) == turn);
            }
            Step::MutateBetweenDecideAndExecute { of, args } => self.mutate(of, args)?,
            Step::Reprompt { of, args } => self.reprompt(of, args)?,
            Step::ResubmitOnTimeout { n } => return self.resubmit(*n),
            other => return self.change(other),
        }
        Ok(Vec::new())
    }

    fn make(&mut self, made: &Made, settle: bool) -> Differences {
        let context = Context {
            session: made.session.clone(),
            agent: made.agent.clone(),
            user: made.user.clone(),
            project: made.project.clone(),
            cwd: None,
        };
        self.context = context.or(&self.context);
        let args = match (&made.args, &made.args_raw, &made.args_gen) {
            (Some(args), None, None) => Args::parse(&args.to_string()).ok(),
            (None, Some(text), None) => Args::parse(text).ok(),
            (None, None, Some(generator)) => match generator.make() {
                Generated::Text(text) => Args::parse(&text).ok(),
                Generated::Rule { .. } | Generated::Impossible => None,
            },
            _ => return Err(Invalid::new("either `args`, `args_raw` or `args_gen`")),
        };
        let index = self.call(NewCall {
            context,
            call_id: made.call_id.clone(),
            deadline: made.timeout_ms.map(Duration::from_millis),
            annotations: annotations(&made.annotations),
            ..NewCall::new(
                &made.id,
                self.tool(&made.tool, made.identity.as_ref()),
                args,
            )
        });
        if settle {
            self.settle();
        }
        let expected = made.expect.filter(|_| settle);
        Ok(expected.map_or_else(Vec::new, |must| self.expect(index, must)))
    }

    fn expect(&self, index: usize, must: Must) -> Vec<String> {
        let Some(call) = self.calls.get(index) else {
            return Vec::new();
        };
        if self.executor.holds(&call.turn()) {
            return match must {
                Must::Allow => Vec::new(),
                _ => vec![format!("expected {must:?}, but it was let through")],
            };
        }
        match is_expected(call.ended, must) {
            true => Vec::new(),
            false => vec![format!("expected {must:?}, but it is {:?}", call.ended)],
        }
    }

    fn at_once(&mut self, steps: &[Step], order: &Order) -> Differences {
        let mut differences = Vec::new();
        for step in order.arrange(steps) {
            differences.extend(match step {
                Step::Call(made) => self.make(made, order.settles)?,
                other => self.perform(other, order)?,
            });
            if order.settles {
                self.settle();
            }
        }
        self.settle();
        Ok(differences)
    }

    fn repeat(&mut self, times: usize, step: &Step, order: &Order) -> Differences {
        let mut differences = Vec::new();
        for _ in 0..times {
            differences.extend(match step {
                Step::Call(made) => self.make(made, false)?,
                other => self.perform(other, order)?,
            });
        }
        self.settle();
        Ok(differences)
    }

    fn executed(&mut self, label: &str) -> Differences {
        self.settle();
        let index = self.known(label)?;
        let ended = self.calls.get(index).and_then(|call| call.ended);
        Ok(match ended {
            Some(Ended::Ran) => Vec::new(),
            other => vec![format!("`{label}` was not executed: {other:?}")],
        })
    }

    fn execution_failed(&mut self, label: &str) -> Differences {
        let index = self.known(label)?;
        if let Some(call) = self.calls.get(index) {
            self.spy.fail_in(call.turn());
        }
        self.settle();
        let ended = self.calls.get(index).and_then(|call| call.ended);
        Ok(match ended {
            Some(Ended::Failed) => Vec::new(),
            other => vec![format!("`{label}` did not fail: {other:?}")],
        })
    }

    /// Lets a call go on that was held back. Other arguments under the same name are another call.
    fn execute(&mut self, label: &str, args: Option<&Value>) -> Result<(), Invalid> {
        let index = self.known(label)?;
        let Some(call) = self.calls.get(index) else {
            return Ok(());
        };
        match args {
            None => call.hold.release(),
            Some(args) => {
                let (tool, context) = (call.tool.clone(), call.context.clone());
                self.call(NewCall {
                    context,
                    call_id: Some(label.to_owned()),
                    ..NewCall::new(label, tool, Some(plain(args)?))
                });
            }
        }
        self.settle();
        Ok(())
    }

    /// The caller changes its own copy. Arguments are immutable, so that is all it can change.
    fn mutate(&mut self, label: &str, args: &Value) -> Result<(), Invalid> {
        let index = self.known(label)?;
        let mine = self.calls.get(index).and_then(|call| call.args.clone());
        let theirs = plain(args)?.as_map().clone();
        let mutated = theirs
            .into_iter()
            .fold(mine.unwrap_or_default(), |args, (key, value)| {
                args.with(key, value)
            });
        drop(mutated);
        self.settle();
        Ok(())
    }

    /// The call is taken back, and made again with other arguments.
    fn reprompt(&mut self, label: &str, args: &Value) -> Result<(), Invalid> {
        let index = self.known(label)?;
        let Some(call) = self.calls.get(index) else {
            return Ok(());
        };
        let (turn, tool, context) = (call.turn(), call.tool.clone(), call.context.clone());
        self.drop_calls(|call| call.turn() == turn);
        self.call(NewCall {
            context,
            ..NewCall::new(label, tool, Some(plain(args)?))
        });
        self.settle();
        Ok(())
    }

    /// The last call is made again whenever nobody answered in time.
    fn resubmit(&mut self, times: usize) -> Differences {
        let mut differences = Vec::new();
        for _ in 0..times {
            self.advance(DEADLINE);
            let Some(last) = self.calls.last() else {
                return Err(Invalid::new("there is no call to make again"));
            };
            if last.ended != Some(Ended::Blocked(BlockedKind::TimedOut)) {
                differences.push(format!("it did not time out: {:?}", last.ended));
            }
            let (context, args) = (last.context.clone(), last.args.clone());
            let again = NewCall::new(&last.label, last.tool.clone(), args);
            self.call(NewCall { context, ..again });
            self.settle();
            let open = self.broker.open().len();
            if open > 1 {
                differences.push(format!("{open} questions are open at once"));
            }
        }
        Ok(differences)
    }

    /// The last call of this label.
    pub(super) fn known(&self, label: &str) -> Result<usize, Invalid> {
        let index = self.last(label);
        index.ok_or_else(|| Invalid::new(format!("there is no call `{label}`")))
    }
}

pub(super) fn plain(args: &Value) -> Result<Args, Invalid> {
    let args = Args::parse(&args.to_string());
    args.map_err(|error: ArgsError| Invalid::new(error.to_string()))
}

/// `timeout-1` is the time that somebody has to answer, less a millisecond.
fn time(wait: &Wait) -> Result<Duration, Invalid> {
    let text = match wait {
        Wait::Millis(millis) => return Ok(Duration::from_millis(*millis)),
        Wait::Text(text) => text,
    };
    let millis = |text: &str| text.parse().ok().map(Duration::from_millis);
    let rest = text.strip_prefix("timeout");
    let time = rest.and_then(|rest| match rest.split_at_checked(1) {
        None => Some(DEADLINE),
        Some(("+", more)) => Some(DEADLINE + millis(more)?),
        Some(("-", less)) => DEADLINE.checked_sub(millis(less)?),
        Some(_) => None,
    });
    time.ok_or_else(|| Invalid::new(format!("unknown time `{text}`")))
}
