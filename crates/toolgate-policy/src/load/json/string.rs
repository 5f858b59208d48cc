//! Strings of JSON.

use super::{Fail, Parser, Text};
use crate::diagnostic::Span;

impl<'a> Parser<'a, '_, '_> {
    /// Reads a string; its opening quote is at hand.
    pub(super) fn string(&mut self) -> Result<Text<'a>, Fail> {
        let open = self.at;
        self.at += 1;
        let plain = self.plain();
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(Text::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => text.push(self.escape()?),
                Some(b'\n' | b'\r') | None => {
                    return Err(self.fail(Span::new(open, self.at), "this string does not end"));
                }
                Some(_) => return Err(self.control()),
            }
            text.push_str(self.plain());
        }
        self.at += 1;
        Ok(Text::Owned(text))
    }

    /// Steps over what stands for itself.
    fn plain(&mut self) -> &'a str {
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
        let special = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < 0x20;
        self.at += bytes.iter().position(special).unwrap_or(bytes.len());
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn escape(&mut self) -> Result<char, Fail> {
        let start = self.at;
        self.at += 1;
        let byte = self.peek();
        self.at += usize::from(byte.is_some_and(|b| b.is_ascii()));
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => {
                let span = Span::new(start, self.at);
                return Err(self.fail(span, "JSON has no such escape"));
            }
        })
    }

    /// Reads `XXXX`, and the other half if it is one of a pair.
    fn unicode(&mut self, start: usize) -> Result<char, Fail> {
        let first = self.hex(start)?;
        let code = match first {
            0xD800..=0xDBFF => {
                let pair = self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u");
                self.at += if pair { 2 } else { 0 };
                let second = if pair { self.hex(start)? } else { 0 };
                match second {
                    0xDC00..=0xDFFF => 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                    _ => first,
                }
            }
            _ => first,
        };
        char::from_u32(code).ok_or_else(|| {
            let span = Span::new(start, self.at);
            self.fail(span, "this is half of a character")
        })
    }

    fn hex(&mut self, start: usize) -> Result<u32, Fail> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u32::from_str_radix(digits, 16) {
            Ok(code) if hex => {
                self.at += 4;
                Ok(code)
            }
            _ => {
                let span = Span::new(start, self.at);
                Err(self.fail(span, "expected four hexadecimal digits"))
            }
        }
    }

    fn control(&self) -> Fail {
        self.fail_with(
            self.here(),
            "a string holds a control character",
            "write it as an escape, such as `\\n`",
        )
    }
}
