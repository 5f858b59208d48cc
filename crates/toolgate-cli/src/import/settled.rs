//! Makes sure that what was imported is a policy.

use toolgate::Effect;
use toolgate_policy::{Diagnostics, FakeFiles, Format, Settings, Severity, parse_policy};

use super::{
    Imported,
    draft::{Draft, Rule},
    render::render,
};
use crate::fail::Fail;

/// Takes out what a policy cannot say, until the rest is one.
///
/// A rule that allows goes. In place of one that restricts, everything that it could be about is
/// restricted.
pub(super) fn settle(mut draft: Draft) -> Result<Imported, Fail> {
    drop_contradicted(&mut draft);
    loop {
        let (toml, places) = render(&draft);
        let Err(wrong) = compile(&toml) else {
            if draft.deny_what_asks_too_broadly() {
                continue;
            }
            let losses = draft.losses;
            return Ok(Imported { toml, losses });
        };
        let errors = wrong.iter().filter(|one| one.severity == Severity::Error);
        let mut bad: Vec<(usize, String)> = errors
            .filter_map(|one| {
                let place = places.iter().find(|(line, _)| *line == one.place.line);
                Some((place?.1, one.message.clone()))
            })
            .collect();
        // From the last to the first, so that numbers stay what they are.
        bad.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        bad.dedup_by_key(|(number, _)| *number);
        if bad.is_empty() {
            return Err(Fail::Policy(wrong));
        }
        for (number, why) in bad {
            let rule = draft.rules.remove(number);
            replace(&mut draft, &rule, &why);
        }
    }
}

fn compile(toml: &str) -> Result<(), Diagnostics> {
    // What is on this machine has nothing to do with it.
    let settings = Settings::new()
        .with_base("/workspace")
        .with_home("/home/user")
        .with_files(FakeFiles::new());
    parse_policy(toml, Format::Toml)?.compile(None, &settings)?;
    Ok(())
}

fn replace(draft: &mut Draft, rule: &Rule, why: &str) {
    match rule.effect {
        Effect::Allow => draft.loss(&rule.from, format!("it allows nothing now: {why}")),
        effect => draft.whole_instead(effect, rule.section, &rule.from, why),
    }
}

/// What is allowed and restricted by the same pattern is restricted.
fn drop_contradicted(draft: &mut Draft) {
    let restricting: Vec<_> = draft
        .rules
        .iter()
        .filter(|rule| rule.effect != Effect::Allow && rule.when.is_none())
        .map(|rule| (rule.section, rule.pattern.clone()))
        .collect();
    let is_dead = |rule: &Rule| {
        rule.effect == Effect::Allow && restricting.contains(&(rule.section, rule.pattern.clone()))
    };
    for rule in draft.take_out(is_dead) {
        draft.loss(
            &rule.from,
            "it allows nothing now: another rule restricts the same",
        );
    }
}
