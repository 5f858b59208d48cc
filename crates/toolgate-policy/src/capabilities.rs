//! Rules over what a call can do.

use toolgate::{Capability, CapabilityPatterns};

use crate::{
    Place,
    finding::{Findings, Outcome, RuleIndex, Scope},
    spec::RuleSpec,
};

/// Rules over capabilities.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapabilityPart {
    patterns: CapabilityPatterns,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    rule: RuleIndex,
    outcome: Outcome,
    except: Option<CapabilityPatterns>,
}

impl CapabilityPart {
    /// Adds a rule.
    pub(crate) fn add(
        &mut self,
        rule: RuleIndex,
        outcome: Outcome,
        spec: &RuleSpec,
    ) -> Result<(), Vec<(Place, String)>> {
        let mut problems = Vec::new();
        if let Some(condition) = spec.when.first() {
            let why = "conditions on arguments belong to rules over tools".to_owned();
            problems.push((condition.at.place.clone(), why));
        }
        let mut except = CapabilityPatterns::new();
        for pattern in &spec.except {
            if let Err(error) = except.add(&pattern.value) {
                problems.push((pattern.place.clone(), error.why().to_owned()));
            }
        }
        if let Err(error) = self.patterns.add(&spec.pattern.value) {
            problems.push((spec.pattern.place.clone(), error.why().to_owned()));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        self.entries.push(Entry {
            rule,
            outcome,
            except: (!spec.except.is_empty()).then_some(except),
        });
        Ok(())
    }

    /// Reports what the rules say of a call with these capabilities.
    ///
    /// Every capability that is asked about or denied is reported. The call is allowed only if each
    /// of them is; if no rule speaks of one, this part has nothing to say for the call.
    pub(crate) fn judge<'a>(
        &self,
        capabilities: impl Iterator<Item = &'a Capability>,
        scope: &impl Scope,
        findings: &mut Findings,
    ) {
        let (mut allowed_by, mut all_allowed) = (None, true);
        for capability in capabilities {
            let mut allow = None;
            self.patterns.find(capability, |number, surely| {
                let active = |entry: &&Entry| scope.is_active(entry.rule);
                let entry = self.entries.get(number).filter(active);
                let Some(entry) = entry.filter(|entry| !entry.is_excepted(capability)) else {
                    return;
                };
                match (entry.outcome, surely) {
                    (Outcome::Allow, true) => allow = allow.or(Some(entry.rule)),
                    (Outcome::Allow, false) => {}
                    (outcome, true) => findings.rule(outcome, entry.rule),
                    // Done to something unknown: it may be what the rule is about.
                    (_, false) => findings.rule(Outcome::Ask, entry.rule),
                }
            });
            all_allowed &= allow.is_some();
            allowed_by = allowed_by.or(allow);
        }
        if let Some(rule) = allowed_by.filter(|_| all_allowed) {
            findings.rule(Outcome::Allow, rule);
        }
    }
}

impl Entry {
    fn is_excepted(&self, capability: &Capability) -> bool {
        let mut found = false;
        if let Some(except) = &self.except {
            except.find(capability, |_, surely| found |= surely);
        }
        found
    }
}
