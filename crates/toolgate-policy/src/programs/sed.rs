//! Which scripts of `sed` only print.
//!
//! Accepted are the commands `= a b c d D g G h H i l n N p P q Q s t T x y z`, labels and `{}` with any
//! addresses, and the flags of `s` that change nothing but text. Whatever runs a command (`e`) or names a file
//! (`r R w W`), and everything else, is refused; so is text that implementations of `sed` read
//! differently, such as a delimiter between brackets.

use super::delimited;

const REFUSED: &str = "a script that is not known to be harmless";

/// Whether a script only prints.
pub(super) fn check(script: &str) -> Result<(), &'static str> {
    Parser(script).script().ok_or(REFUSED)
}

struct Parser<'a>(&'a str);

impl Parser<'_> {
    fn script(&mut self) -> Option<()> {
        loop {
            self.skip(|next| next.is_ascii_whitespace() || next == ';' || next == '}');
            if self.0.is_empty() {
                return Some(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    fn peek(&self) -> Option<char> {
        self.0.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let mut rest = self.0.chars();
        let taken = rest.next()?;
        self.0 = rest.as_str();
        Some(taken)
    }

    fn skip(&mut self, is: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(is);
    }

    fn eat(&mut self, expected: char) -> bool {
        let rest = self.0.strip_prefix(expected);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn addresses(&mut self) -> Option<()> {
        if self.address()? {
            self.skip(|next| next == ' ');
            if self.eat(',') {
                self.skip(|next| next == ' ');
                let _ = self.eat('+') || self.eat('~');
                self.address()?.then_some(())?;
            }
        }
        self.skip(|next| next == ' ' || next == '!');
        Some(())
    }

    /// Reads an address if there is one, and says whether there was.
    fn address(&mut self) -> Option<bool> {
        match self.peek()? {
            '$' => {
                self.take()?;
            }
            '/' => self.regex()?,
            '\\' => {
                self.take()?;
                self.regex()?;
            }
            '0'..='9' => self.skip(|next| next.is_ascii_digit() || next == '~'),
            _ => return Some(false),
        }
        Some(true)
    }

    fn regex(&mut self) -> Option<()> {
        let delimiter = self.delimiter()?;
        self.0 = delimited::regex(self.0, delimiter)?;
        self.skip(|next| next == 'I' || next == 'M');
        Some(())
    }

    fn delimiter(&mut self) -> Option<char> {
        self.take()
            .filter(|delimiter| delimiter.is_ascii_punctuation() && *delimiter != '\\')
    }

    fn command(&mut self) -> Option<()> {
        match self.take()? {
            '{' => return Some(()),
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' => {}
            ':' | 'b' | 't' | 'T' => self.label(),
            'q' | 'Q' | 'l' => self.skip(|next| next == ' ' || next.is_ascii_digit()),
            'a' | 'i' | 'c' => self.text()?,
            's' => self.substitution()?,
            'y' => self.transliteration()?,
            _ => return None,
        }
        self.skip(|next| next == ' ' || next == '\t');
        matches!(self.peek(), None | Some(';' | '}' | '\n')).then_some(())
    }

    fn label(&mut self) {
        self.skip(|next| next == ' ');
        self.skip(|next| next.is_ascii_alphanumeric() || next == '_');
    }

    /// A line of text. A backslash may let it go on in the next one, or in the next script.
    fn text(&mut self) -> Option<()> {
        let line = self.0.split('\n').next()?;
        let text = line.trim_start_matches([' ', '\t']);
        let is_plain = text.len() < line.len() && !text.is_empty() && !text.contains('\\');
        self.0 = self.0.get(line.len()..)?;
        is_plain.then_some(())
    }

    fn substitution(&mut self) -> Option<()> {
        let delimiter = self.delimiter()?;
        self.0 = delimited::regex(self.0, delimiter)?;
        self.0 = delimited::text(self.0, delimiter)?;
        self.skip(|next| next.is_ascii_digit() || "gpiImM".contains(next));
        Some(())
    }

    fn transliteration(&mut self) -> Option<()> {
        let delimiter = self.delimiter()?;
        self.0 = delimited::regex(self.0, delimiter)?;
        self.0 = delimited::regex(self.0, delimiter)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_print_are_harmless() {
        for script in [
            "s/foo/bar/g",
            "1,20p",
            "$p",
            "/^$/d",
            "/a/,/b/p",
            "/a/I,+3!d",
            "0~3d",
            "s|a/b|c|2gI; s,x,y,p",
            "$!N;P;D",
            "/x/{s/a/b/;p}",
            "y/abc/xyz/",
            "\\,a/b,p",
            "10q",
            "2q 5",
            "s/[0-9]*/x/",
            "s/a\\/b/c/",
            "/start/,$p",
            "=",
            "$a the end; e is text",
            "1i # head",
            "/x/c new\np",
            ":a;N;$!ba;s/\\n/ /g",
            "",
        ] {
            assert_eq!(check(script), Ok(()), "{script}");
        }
    }

    #[test]
    fn scripts_that_run_read_or_write_are_refused() {
        for script in [
            "1e id",
            "e",
            "s/a/b/e",
            "s/a/b/ge",
            "s/a/b/w out",
            "w out",
            ";W out",
            "$!N;s/x/y/e",
            "r /etc/passwd",
            "R f",
            "F",
            "/x/e",
            "/x/{e id\n}",
            "1!e id",
            "p;e id",
            "p\ne id",
            "s/a/b/;w out",
            "y/a/b/;e",
            "a",
            "a\\",
            "a text\\",
            "a text\ne id",
            "i\\\ntext",
            "c",
            "atext",
            "# c\ne id",
            "s/[/]/e",
            "s/[/]/x/e",
            "s/[]/]/;s/e;s/x/;s/a/b/",
            "s\na\nb\ne",
            "s\\a\\b\\e",
            "s/a/b",
            "b x e",
            ":a e",
            ":a-b;e",
            "v",
            "p e",
            "pe",
            "10qe",
            "/a/,e",
            "s/a/b/é",
        ] {
            assert_eq!(check(script), Err(REFUSED), "{script}");
        }
    }
}
