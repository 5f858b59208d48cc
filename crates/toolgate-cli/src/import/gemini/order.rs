//! What becomes of priorities.

use toolgate::Effect;

use super::{Draft, Rule};

/// Adds rules: that for everything else, and the others.
pub(super) fn add(draft: &mut Draft, mut rules: Vec<Rule<'_>>) {
    let lowest = rules.iter().map(|rule| rule.priority).min();
    let mut last = rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| Some(rule.priority) == lowest);
    if let (Some((at, rule)), None) = (last.next(), last.next())
        && rule.is_for_everything()
        && rule.effect != Effect::Allow
    {
        draft.default = rule.effect;
        rules.remove(at);
    }
    for rule in &mut rules {
        // Where it does not hold, the default might, and that must not be stricter.
        if rule.effect != Effect::Allow && !rule.conditions.is_empty() {
            rule.effect = rule.effect.max(draft.default);
        }
    }
    for rule in &rules {
        rule.add(draft);
        if let Some(allowing) = rules.iter().find(|other| other.is_held_back_by(rule)) {
            let there = &allowing.from;
            draft.loss(
                &rule.from,
                format!("{there} came before it, and comes behind it now"),
            );
        }
    }
}

impl Rule<'_> {
    fn is_for_everything(&self) -> bool {
        let plain = self.conditions.is_empty() && self.prefixes.is_empty();
        plain && self.server.is_none() && self.tools == ["*"]
    }

    /// Whether it allows, and came before one that restricts something of the same.
    fn is_held_back_by(&self, other: &Rule<'_>) -> bool {
        let alike = |one: &str, two: &str| one == two || one.contains('*') || two.contains('*');
        let begins = |one: &str, two: &str| one.starts_with(two) || two.starts_with(one);
        let meet = |mine: &[&str], theirs: &[&str], alike: &dyn Fn(&str, &str) -> bool| {
            let any = |one: &&str| theirs.iter().any(|two| alike(one, two));
            mine.is_empty() || theirs.is_empty() || mine.iter().any(any)
        };
        let effects = (self.effect, other.effect) != (Effect::Allow, Effect::Allow);
        self.effect == Effect::Allow
            && effects
            && self.priority > other.priority
            && meet(&self.tools, &other.tools, &alike)
            && meet(&self.prefixes, &other.prefixes, &begins)
            && (self.server == other.server || other.server.is_none())
    }
}
