//! Commands as other systems write them: text with stars that stand for any text.

use toolgate::Effect;

use super::draft::{Draft, Section};

/// Adds what a glob over command lines amounts to.
///
/// There, `*` stands for any text, with spaces in it. Here, a rule that allows has its `*` at the
/// end, behind whole words, and covers harmless options only. A rule that restricts may have stars
/// in it; it is cut behind the first, so that it covers more and not less.
pub(super) fn glob(draft: &mut Draft, effect: Effect, glob: &str, from: &str) {
    if glob.trim_matches([' ', '*']).is_empty() {
        return match effect {
            Effect::Allow => draft.loss(from, "it allowed every command; now it allows nothing"),
            effect => draft.whole(effect, Section::Shell, from),
        };
    }
    match effect {
        Effect::Allow => allow(draft, glob, from),
        effect => restrict(draft, effect, glob, from),
    }
}

fn allow(draft: &mut Draft, glob: &str, from: &str) {
    let (words, star) = match glob.strip_suffix('*') {
        Some(front) => (front, true),
        None => (glob, false),
    };
    let is_glued = star && !words.ends_with(' ');
    let words = words.trim_end_matches(' ');
    if !is_plain(words) {
        return draft.loss(
            from,
            "it allows nothing now: a command has to be plain words here",
        );
    }
    if is_glued {
        draft.loss(
            from,
            format!("it covers `{words}` and further words, no longer names"),
        );
    }
    let pattern = if star {
        format!("{words} *")
    } else {
        words.to_owned()
    };
    draft.rule(Effect::Allow, Section::Shell, &pattern, from);
}

fn restrict(draft: &mut Draft, effect: Effect, glob: &str, from: &str) {
    let is_wild = |c: char| c == '*' || c == '?';
    let (front, rest) = match glob.find(is_wild) {
        Some(at) => glob.split_at(at),
        None => (glob, ""),
    };
    if !is_plain(front.trim_end_matches(' ')) {
        // Spaces in a row are one to a shell, and nothing at the ends.
        let words: Vec<_> = glob.split(' ').filter(|word| !word.is_empty()).collect();
        return prefix(draft, effect, &words, from);
    }
    let pattern = match rest {
        "" => front.to_owned(),
        _ if front.ends_with(' ') => format!("{front}*"),
        _ => format!("{front}* *"),
    };
    if !matches!(rest, "" | "*") {
        draft.loss(from, format!("it restricts more now: `{pattern}`"));
    }
    draft.rule(effect, Section::Shell, &pattern, from);
}

/// Adds a rule over the first words of commands.
pub(super) fn prefix(draft: &mut Draft, effect: Effect, words: &[&str], from: &str) {
    let plain = words.iter().take_while(|word| is_word(word)).count();
    let known = words.get(..plain).unwrap_or_default().join(" ");
    match (plain == words.len(), effect) {
        _ if words.is_empty() => draft.loss(from, "it has no words"),
        (true, _) => draft.rule(effect, Section::Shell, &format!("{known} *"), from),
        (false, Effect::Allow) => {
            draft.loss(
                from,
                "it allows nothing now: a command has to be plain words here",
            );
        }
        (false, _) if plain == 0 => {
            let why = "it cannot be said as a pattern of words";
            draft.whole_instead(effect, Section::Shell, from, why);
        }
        (false, effect) => {
            draft.loss(from, format!("it restricts more now: `{known} *`"));
            draft.rule(effect, Section::Shell, &format!("{known} *"), from);
        }
    }
}

/// Words that mean themselves, parted by single spaces.
fn is_plain(words: &str) -> bool {
    words.split(' ').all(is_word)
}

fn is_word(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_./=:@%+,-".contains(c);
    !word.is_empty() && word.chars().all(fits)
}
