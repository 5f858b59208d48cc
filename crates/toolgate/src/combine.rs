//! Several policies as one.

use std::{borrow::Cow, fmt};

use crate::{Args, Decision, Policy, Reviewing, RulesError, ToolCall, ToolId, ToolPatterns};

type BoxPolicy = Box<dyn Policy>;

/// Hears all of `policies`: the strictest vote counts, and every vote is kept.
///
/// Each sees the arguments as those before it left them.
///
/// # Example
///
/// ```
/// use toolgate::{Decision, Policy, Reviewing, ToolCall, strictest_of};
///
/// let permissive = |_: &ToolCall<Reviewing>| Decision::allow();
/// let careful = |_: &ToolCall<Reviewing>| Decision::deny("no");
/// let policy = strictest_of([Box::new(permissive) as Box<dyn Policy>, Box::new(careful)]);
/// # let _ = policy;
/// ```
pub fn strictest_of(policies: impl IntoIterator<Item = BoxPolicy>) -> Several {
    Several {
        policies: policies.into_iter().collect(),
        until_first: false,
    }
}

/// Hears `policies` one after the other, until one of them votes: first match wins.
///
/// Inside one policy this may be what is meant; between layers it never happens, so that an
/// allow cannot hide a deny. Each sees the arguments as those before it left them.
pub fn first_of(policies: impl IntoIterator<Item = BoxPolicy>) -> Several {
    Several {
        policies: policies.into_iter().collect(),
        until_first: true,
    }
}

/// The policy that [`strictest_of`] and [`first_of`] make.
#[must_use = "a policy does nothing until a layer applies it"]
pub struct Several {
    policies: Vec<BoxPolicy>,
    until_first: bool,
}

impl fmt::Debug for Several {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        write!(f, "{name} {} policies", self.policies.len())
    }
}

impl Policy for Several {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        let mut together = Decision::abstain();
        let mut seen: Cow<'_, ToolCall<Reviewing>> = Cow::Borrowed(call);
        for policy in &self.policies {
            let decision = policy.decide(&seen);
            let voted = decision.effect().is_some();
            if let Some(args) = decision.args().filter(|args| *args != seen.args()) {
                // Even if a later one puts the first arguments back: some judged others.
                together.mark_mixed();
                seen = Cow::Owned(with_args(call, args));
            }
            together.absorb(decision);
            if voted && self.until_first {
                break;
            }
        }
        together
    }

    fn denies_by_args(&self) -> bool {
        self.policies.iter().any(|policy| policy.denies_by_args())
    }

    fn name(&self) -> &'static str {
        if self.until_first {
            "first of"
        } else {
            "strictest of"
        }
    }
}

fn with_args(call: &ToolCall<Reviewing>, args: &Args) -> ToolCall<Reviewing> {
    let mut call = call.copy_to_look_at();
    call.rewrite(args.clone());
    call
}

/// Hears `policy` about the calls that `predicate` accepts, and nobody about the others.
///
/// # Example
///
/// ```
/// use toolgate::{Decision, Reviewing, ToolCall, when};
///
/// let from_child = |call: &ToolCall<Reviewing>| call.origin().agent().parts().count() > 1;
/// let policy = when(from_child, |_: &ToolCall<Reviewing>| Decision::ask("a sub-agent asks"))
///     .otherwise(|_: &ToolCall<Reviewing>| Decision::allow());
/// # let _ = policy;
/// ```
pub fn when<F, P>(predicate: F, policy: P) -> When<F, P, Abstain>
where
    F: Fn(&ToolCall<Reviewing>) -> bool + Send + Sync + 'static,
    P: Policy,
{
    When {
        predicate,
        then: policy,
        otherwise: Abstain {},
    }
}

/// The policy that [`when`] makes.
#[must_use = "a policy does nothing until a layer applies it"]
pub struct When<F, P, O> {
    predicate: F,
    then: P,
    otherwise: O,
}

impl<F, P, O> When<F, P, O> {
    /// Hears `policy` about the other calls.
    pub fn otherwise<Q: Policy>(self, policy: Q) -> When<F, P, Q> {
        When {
            predicate: self.predicate,
            then: self.then,
            otherwise: policy,
        }
    }
}

impl<F, P: fmt::Debug, O: fmt::Debug> fmt::Debug for When<F, P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When")
            .field("then", &self.then)
            .field("otherwise", &self.otherwise)
            .finish_non_exhaustive()
    }
}

impl<F, P, O> Policy for When<F, P, O>
where
    F: Fn(&ToolCall<Reviewing>) -> bool + Send + Sync + 'static,
    P: Policy,
    O: Policy,
{
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        if (self.predicate)(call) {
            self.then.decide(call)
        } else {
            self.otherwise.decide(call)
        }
    }

    fn name(&self) -> &'static str {
        "when"
    }
}

/// Says nothing of any call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Abstain {}

impl Policy for Abstain {
    fn decide(&self, _: &ToolCall<Reviewing>) -> Decision {
        Decision::abstain()
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}

/// Hears `policy` about the tools that match one of `patterns`, written as in
/// [`ToolRules`](crate::ToolRules). No pattern means no tool.
///
/// # Errors
///
/// If a pattern is invalid.
///
/// # Example
///
/// ```
/// use toolgate::{Decision, Reviewing, ToolCall, for_tools};
///
/// let policy = for_tools(["mcp:github/delete_*"], |_: &ToolCall<Reviewing>| {
///     Decision::deny("nothing is deleted there")
/// })?;
/// # let _ = policy;
/// # Ok::<(), toolgate::RulesError>(())
/// ```
pub fn for_tools<'a, P: Policy>(
    patterns: impl IntoIterator<Item = &'a str>,
    policy: P,
) -> Result<ForTools<P>, RulesError> {
    let mut tools = ToolPatterns::new();
    for text in patterns {
        let added = tools.add(text);
        added.map_err(|error| RulesError::new("tool", text, &error))?;
    }
    Ok(ForTools { tools, policy })
}

/// The policy that [`for_tools`] makes.
#[must_use = "a policy does nothing until a layer applies it"]
pub struct ForTools<P> {
    tools: ToolPatterns,
    policy: P,
}

impl<P> ForTools<P> {
    fn means(&self, tool: &ToolId) -> bool {
        let mut means = false;
        self.tools.find(tool, |_| means = true);
        means
    }
}

impl<P: fmt::Debug> fmt::Debug for ForTools<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForTools")
            .field("tools", &self.tools)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl<P: Policy> Policy for ForTools<P> {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        if self.means(call.tool()) {
            self.policy.decide(call)
        } else {
            Decision::abstain()
        }
    }

    fn name(&self) -> &'static str {
        self.policy.name()
    }

    fn denies_by_args(&self) -> bool {
        self.policy.denies_by_args()
    }
}
