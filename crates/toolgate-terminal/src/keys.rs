//! From bytes to keys.

/// A key, or something that was pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    /// A letter with the control key.
    Control(char),
    /// Text that came all at once.
    Paste(String),
    /// Anything else.
    Other,
}

const PASTE: &[u8] = b"\x1b[200~";
const PASTED: &[u8] = b"\x1b[201~";

/// Collects bytes until they are keys.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    bytes: Vec<u8>,
}

impl Keys {
    /// Takes what was read.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The next key. `silent` says that nothing else came for a while: then a lone escape is a
    /// key, and not the beginning of one.
    pub(crate) fn next(&mut self, silent: bool) -> Option<Key> {
        let (key, used) = match *self.bytes.first()? {
            0x1b => self.escape(silent)?,
            b'\r' | b'\n' => (Key::Enter, 1),
            0x7f | 0x08 => (Key::Backspace, 1),
            byte @ 1..=26 => (Key::Control(char::from(byte - 1 + b'a')), 1),
            byte if byte < 0x20 => (Key::Other, 1),
            _ => self.character(silent)?,
        };
        self.bytes.drain(..used);
        Some(key)
    }

    fn character(&self, silent: bool) -> Option<(Key, usize)> {
        let most = self.bytes.get(..4).unwrap_or(&self.bytes);
        let valid = match std::str::from_utf8(most) {
            Ok(text) => text,
            Err(error) if error.valid_up_to() > 0 => {
                let valid = most.get(..error.valid_up_to()).unwrap_or_default();
                std::str::from_utf8(valid).unwrap_or_default()
            }
            // The rest may still come.
            Err(error) if error.error_len().is_none() && !silent => return None,
            Err(_) => return Some((Key::Other, 1)),
        };
        let c = valid.chars().next()?;
        Some((Key::Char(c), c.len_utf8()))
    }

    fn escape(&self, silent: bool) -> Option<(Key, usize)> {
        if self.bytes.starts_with(PASTE) {
            return self.paste(silent);
        }
        match self.bytes.get(1) {
            None => silent.then_some((Key::Escape, 1)),
            Some(b'[') => self.sequence(silent),
            Some(b'O') => match self.bytes.get(2) {
                None => silent.then_some((Key::Other, 2)),
                Some(last) => Some((named(b"", *last), 3)),
            },
            // Some other key together with Alt.
            Some(_) => Some((Key::Other, 2)),
        }
    }

    /// `ESC [`, parameters, and a last byte.
    fn sequence(&self, silent: bool) -> Option<(Key, usize)> {
        let rest = self.bytes.get(2..).unwrap_or_default();
        let length = rest
            .iter()
            .take_while(|b| (0x20..0x40).contains(*b))
            .count();
        let parameters = rest.get(..length).unwrap_or_default();
        match rest.get(length) {
            Some(last) => Some((named(parameters, *last), length + 3)),
            None => silent.then_some((Key::Other, self.bytes.len())),
        }
    }

    /// What is pasted ends where the terminal says so, or where nothing more comes.
    fn paste(&self, silent: bool) -> Option<(Key, usize)> {
        let rest = self.bytes.get(PASTE.len()..).unwrap_or_default();
        let end = rest
            .windows(PASTED.len())
            .position(|window| window == PASTED);
        let (length, used) = match end {
            Some(end) => (end, PASTE.len() + end + PASTED.len()),
            None if silent => (rest.len(), self.bytes.len()),
            None => return None,
        };
        let text = String::from_utf8_lossy(rest.get(..length).unwrap_or_default());
        Some((Key::Paste(text.into_owned()), used))
    }
}

fn named(parameters: &[u8], last: u8) -> Key {
    match (parameters, last) {
        (_, b'A') => Key::Up,
        (_, b'B') => Key::Down,
        (_, b'C') => Key::Right,
        (_, b'D') => Key::Left,
        (_, b'H') | (b"1" | b"7", b'~') => Key::Home,
        (_, b'F') | (b"4" | b"8", b'~') => Key::End,
        (b"3", b'~') => Key::Delete,
        (b"5", b'~') => Key::PageUp,
        (b"6", b'~') => Key::PageDown,
        _ => Key::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        let mut keys = Keys::default();
        keys.feed(bytes);
        let mut found: Vec<_> = std::iter::from_fn(|| keys.next(false)).collect();
        found.extend(std::iter::from_fn(|| keys.next(true)));
        assert!(keys.bytes.is_empty());
        found
    }

    #[test]
    fn bytes_become_keys() {
        let all = "yä\r\x7f\x03\x04".as_bytes();
        let expected = [
            Key::Char('y'),
            Key::Char('ä'),
            Key::Enter,
            Key::Backspace,
            Key::Control('c'),
            Key::Control('d'),
        ];
        assert_eq!(keys(all), expected);
        assert_eq!(
            keys(b"\x1b[6~\x1b[A\x1bOF"),
            [Key::PageDown, Key::Up, Key::End]
        );
        assert_eq!(keys(b"\x1b"), [Key::Escape]);
    }

    #[test]
    fn no_letter_of_a_sequence_is_a_key() {
        for bytes in [&b"\x1b[1;5y"[..], b"\x1by", b"\x1bOy", b"\x1b[y"] {
            assert_eq!(keys(bytes), [Key::Other], "{bytes:?}");
        }
        assert!(!keys(b"\xff\xc3y").contains(&Key::Escape));
    }

    #[test]
    fn a_sequence_may_come_in_pieces() {
        let mut keys = Keys::default();
        for piece in [&b"\x1b"[..], b"[", b"6"] {
            keys.feed(piece);
            assert_eq!(keys.next(false), None);
        }
        keys.feed(b"~");
        assert_eq!(keys.next(false), Some(Key::PageDown));
    }

    #[test]
    fn what_is_pasted_is_one_thing() {
        assert_eq!(
            keys(b"\x1b[200~y\ry\x1b[201~n"),
            [Key::Paste("y\ry".to_owned()), Key::Char('n'),]
        );
        assert_eq!(keys(b"\x1b[200~yyy"), [Key::Paste("yyy".to_owned())]);
    }
}
