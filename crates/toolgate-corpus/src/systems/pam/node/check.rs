//! Refuses what does not go with a middleware.

use super::{Members, Node, Word};
use crate::case::Invalid;

/// A field, whether it is there, and whether it can be.
type Has = (&'static str, bool, bool);

/// Refuses what does not go with the word, anywhere.
pub(in crate::systems::pam) fn check_all(nodes: &[Node]) -> Result<(), Invalid> {
    nodes.iter().try_for_each(|node| {
        node.check()?;
        node.children()
            .try_for_each(|child| check_all(std::slice::from_ref(child)))
    })
}

impl Node {
    fn check(&self) -> Result<(), Invalid> {
        let needed = self.needed();
        let allowed = self.allowed();
        let wrong = needed.iter().find(|(_, has, can)| has != can);
        let wrong = wrong.or_else(|| allowed.iter().find(|(_, has, can)| *has && !can));
        match wrong {
            Some((field, ..)) => Err(Invalid::new(format!(
                "`{field}` and the middleware `{}`",
                self.mw.text()
            ))),
            None => Ok(()),
        }
    }

    /// What is there if and only if the word is one of those that need it.
    fn needed(&self) -> [Has; 8] {
        use Word::{AsyncGuardrail, Chain, Parallel, Raise, ReplaceArgs, SetArgs, When};
        let says = |words: &[Word]| words.contains(&self.mw);
        let group = says(&[Chain, Parallel, AsyncGuardrail]);
        let one = matches!(self.of, Some(Members::One(_)));
        [
            ("set", self.set.is_some(), says(&[SetArgs])),
            ("to", self.to.is_some(), says(&[ReplaceArgs])),
            ("error", self.error.is_some(), says(&[Raise])),
            ("of", self.of.is_some(), group),
            ("of", one, says(&[AsyncGuardrail])),
            ("predicate", self.predicate.is_some(), says(&[When])),
            ("then", self.then.is_some(), says(&[When])),
            ("timing", self.timing.is_some(), says(&[AsyncGuardrail])),
        ]
    }

    /// What can be there with some words.
    fn allowed(&self) -> [Has; 5] {
        use Word::{Allow, Ask, Deny, Parallel, Raise, RaiseBlocked, When};
        let says = |words: &[Word]| words.contains(&self.mw);
        let decides = says(&[Allow, Deny, Ask]);
        let reasons = decides || says(&[RaiseBlocked]);
        [
            ("reason", self.reason.is_some(), reasons),
            ("modified_args", self.modified_args.is_some(), decides),
            ("message", self.message.is_some(), says(&[Raise])),
            ("else", self.otherwise.is_some(), says(&[When])),
            ("strategy", self.strategy.is_some(), says(&[Parallel])),
        ]
    }
}
