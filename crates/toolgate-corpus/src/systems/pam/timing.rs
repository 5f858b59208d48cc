//! How long middleware takes, and what may not take longer.

use std::{pin::Pin, time::Duration};

use futures_util::future::try_join_all;
use tokio::time::{sleep, timeout};

use super::{
    heard::Heard,
    node::{Node, Word},
};
use crate::{answer::seconds, case::Invalid, fault::Fault};

/// The times of a middleware. They are spent before it decides.
#[derive(Debug)]
pub(super) struct Timed {
    number: usize,
    name: String,
    class: Option<&'static str>,
    tools: Option<Vec<String>>,
    sleep: Duration,
    limit: Option<f64>,
    members: Vec<Timed>,
    together: bool,
}

impl Timed {
    /// The times of a middleware of the list.
    pub(super) fn new(node: &Node, corrected: bool) -> Result<Self, Invalid> {
        let (then, otherwise) = node.branches();
        let members = match node.mw {
            Word::When if node.holds() => then,
            Word::When => otherwise,
            _ => node.members(),
        };
        let mut members: Vec<_> = members
            .iter()
            .map(|member| Self::new(member, corrected))
            .collect::<Result<_, _>>()?;
        if !corrected {
            // Only the limit of the outermost is kept by the source.
            for member in &mut members {
                member.limit = None;
            }
        }
        Ok(Self {
            number: node.number,
            name: node.name().to_owned(),
            class: class(node.mw),
            tools: node.tools.clone(),
            sleep: seconds(node.sleep.unwrap_or(0.0))?,
            limit: node.timeout,
            members,
            together: node.mw == Word::Parallel,
        })
    }

    /// Whether there is anything to wait for, or any limit.
    pub(super) fn takes_time(&self) -> bool {
        !self.sleep.is_zero() || self.limit.is_some() || self.members.iter().any(Self::takes_time)
    }

    /// Spends the time. If it takes too long, those that had begun count as heard.
    pub(super) async fn spend(&self, tool: &str, heard: &Heard) -> Result<(), Fault> {
        let spent = self.wait(tool).await;
        if spent.is_err() {
            self.hear(tool, heard);
        }
        spent
    }

    fn wait<'a>(&'a self, tool: &'a str) -> Waiting<'a> {
        Box::pin(async move {
            if !self.is_about(tool) {
                return Ok(());
            }
            let Some(limit) = self.limit else {
                return self.work(tool).await;
            };
            let late = Fault::TimedOut {
                who: self.class,
                after: limit,
            };
            let Ok(limit) = Duration::try_from_secs_f64(limit) else {
                return Err(late);
            };
            timeout(limit, self.work(tool)).await.unwrap_or(Err(late))
        })
    }

    async fn work(&self, tool: &str) -> Result<(), Fault> {
        sleep(self.sleep).await;
        if self.together {
            try_join_all(self.members.iter().map(|m| m.wait(tool))).await?;
        } else {
            for member in &self.members {
                member.wait(tool).await?;
            }
        }
        Ok(())
    }

    fn hear(&self, tool: &str, heard: &Heard) {
        if !self.is_about(tool) {
            return;
        }
        if self.class.is_none() {
            heard.hear(self.number, &self.name);
        }
        self.members.iter().for_each(|m| m.hear(tool, heard));
    }

    fn is_about(&self, tool: &str) -> bool {
        let named = |tools: &Vec<String>| tools.iter().any(|name| name == tool);
        self.tools.as_ref().is_none_or(named)
    }
}

/// The time of one middleware, which may be a group.
type Waiting<'a> = Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + 'a>>;

/// The class of a group. That of a single middleware is not in the case.
fn class(word: Word) -> Option<&'static str> {
    match word {
        Word::Chain => Some("MiddlewareChain"),
        Word::When => Some("ConditionalMiddleware"),
        Word::Parallel => Some("ParallelMiddleware"),
        Word::AsyncGuardrail => Some("AsyncGuardrailMiddleware"),
        _ => None,
    }
}
