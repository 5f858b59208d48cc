//! To be written.
use crate::{
    Place,
    finding::{Findings, Outcome, RuleIndex, Scope},
    spec::{FetchSpec, RuleSpec},
};

#[derive(Debug)]
pub(crate) struct HostRules;
#[derive(Debug)]
pub(crate) struct Secrets;
impl Secrets {
    pub(crate) fn leak(&self, _: &str) -> bool {
        false
    }
}
impl HostRules {
    pub(crate) fn compile(
        _: &FetchSpec,
        _: &[(RuleIndex, Outcome, &RuleSpec)],
    ) -> Result<(Self, Vec<(Place, String)>), Vec<(Place, String)>> {
        Ok((Self, Vec::new()))
    }
    pub(crate) fn judge(&self, _: &str, _: &impl Scope, _: &mut Findings) {}
}
