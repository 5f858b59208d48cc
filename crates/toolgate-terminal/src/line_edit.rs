//! A line of text that somebody types.

use crate::keys::Key;

/// A line of text, and where in it the next character goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineEdit {
    before: String,
    after: String,
}

impl LineEdit {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            before: text.to_owned(),
            after: String::new(),
        }
    }

    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.before, self.after)
    }

    /// The text before and after the cursor, with everything visible.
    pub(crate) fn shown(&self) -> (String, String) {
        (visible(&self.before), visible(&self.after))
    }

    /// Changes the text, if the key is one that does.
    pub(crate) fn key(&mut self, key: &Key) {
        match key {
            Key::Char(c) => self.before.push(*c),
            Key::Paste(text) => {
                let one_line = text
                    .trim_end_matches(['\r', '\n'])
                    .replace(['\r', '\n', '\t'], " ");
                self.before
                    .extend(one_line.chars().filter(|c| !c.is_control()));
            }
            Key::Backspace => drop(self.before.pop()),
            Key::Delete | Key::Control('d') => drop(first(&mut self.after)),
            Key::Control('u') => self.before.clear(),
            Key::Control('k') => self.after.clear(),
            Key::Control('w') => self.erase_word(),
            Key::Left => self
                .after
                .insert_str(0, &self.before.pop().map(String::from).unwrap_or_default()),
            Key::Right => self.before.extend(first(&mut self.after)),
            Key::Home | Key::Control('a') => {
                self.after.insert_str(0, &self.before);
                self.before.clear();
            }
            Key::End | Key::Control('e') => self.before.push_str(&std::mem::take(&mut self.after)),
            _ => {}
        }
    }

    fn erase_word(&mut self) {
        let kept = self.before.trim_end();
        let kept = kept.rfind(' ').map_or(0, |space| space + 1);
        self.before.truncate(kept);
    }
}

/// Takes the first character.
fn first(text: &mut String) -> Option<char> {
    let c = text.chars().next()?;
    text.drain(..c.len_utf8());
    Some(c)
}

/// What somebody typed or pasted, with everything visible.
fn visible(text: &str) -> String {
    let plain = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    let mut shown = String::new();
    for c in text.chars() {
        match plain(c) {
            true => shown.push(c),
            false => shown.extend(c.escape_unicode()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Key]) -> (String, String) {
        let mut line = LineEdit::new("ab cd");
        for key in keys {
            line.key(key);
        }
        (line.before, line.after)
    }

    #[test]
    fn keys_edit_the_line() {
        use Key::{Backspace, Char, Control, Delete, End, Home, Left, Paste, Right};
        for (keys, before, after) in [
            (vec![Char('x')], "ab cdx", ""),
            (vec![Left, Char('x')], "ab cx", "d"),
            (vec![Home, Right, Delete], "a", " cd"),
            (vec![Home, End, Backspace], "ab c", ""),
            (vec![Control('w')], "ab ", ""),
            (vec![Control('u')], "", ""),
            (vec![Left, Control('k')], "ab c", ""),
            (vec![Paste("x\ny\x1b\n".to_owned())], "ab cdx y", ""),
        ] {
            assert_eq!(
                typed(&keys),
                (before.to_owned(), after.to_owned()),
                "{keys:?}"
            );
        }
    }

    #[test]
    fn nothing_that_is_pasted_hides() {
        let mut line = LineEdit::default();
        line.key(&Key::Paste("a\u{202e}b".to_owned()));
        assert_eq!(line.shown().0, "a\\u{202e}b");
    }
}
