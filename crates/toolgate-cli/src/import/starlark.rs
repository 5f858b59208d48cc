//! As much of Starlark as rules are written in: calls with named arguments, texts and lists.

use std::{iter::Peekable, str::Chars};

/// A call: `name(key = value, …)`.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) line: usize,
    args: Vec<(String, Node)>,
}

/// A value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Node {
    Text(String),
    List(Vec<Node>),
    /// A number, or a word such as `True`.
    Other,
}

impl Node {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Call {
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let found = self.args.iter().find(|(name, _)| name == key);
        found.map(|(_, node)| node)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.args.iter().map(|(name, _)| name.as_str())
    }
}

/// Where something is that was not expected, and what.
type Problem = (usize, String);

/// Reads all calls. Whatever else there is, is a problem: it could change what they mean.
pub(super) fn parse(text: &str) -> Result<Vec<Call>, Problem> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        line: 1,
    };
    let mut calls = Vec::new();
    loop {
        reader.skip();
        if reader.rest.peek().is_none() {
            return Ok(calls);
        }
        calls.push(reader.call()?);
    }
}

/// How deep lists may stand in each other.
const DEEPEST: usize = 8;

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}

impl Reader<'_> {
    fn problem<T>(&self, why: &str) -> Result<T, Problem> {
        Err((self.line, why.to_owned()))
    }

    /// Skips spaces, line breaks and comments.
    fn skip(&mut self) {
        while let Some(c) = self.rest.peek().copied() {
            match c {
                '#' => while self.rest.next_if(|c| *c != '\n').is_some() {},
                c if c.is_whitespace() => {
                    self.line += usize::from(c == '\n');
                    self.rest.next();
                }
                _ => return,
            }
        }
    }

    /// Takes a character if it is the next one.
    fn takes(&mut self, wanted: char) -> bool {
        self.skip();
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn word(&mut self) -> Option<String> {
        self.skip();
        let mut word = String::new();
        while let Some(c) = self
            .rest
            .next_if(|c| c.is_ascii_alphanumeric() || *c == '_')
        {
            word.push(c);
        }
        (!word.is_empty()).then_some(word)
    }

    fn call(&mut self) -> Result<Call, Problem> {
        let line = self.line;
        let Some(name) = self.word() else {
            return self.problem("a rule is expected");
        };
        if !self.takes('(') {
            return self.problem(&format!("`{name}` is not the call of a rule"));
        }
        let mut args: Vec<(String, Node)> = Vec::new();
        while !self.takes(')') {
            let key = self.word();
            let (Some(key), true) = (key, self.takes('=')) else {
                return self.problem("an argument is expected, with its name");
            };
            if args.iter().any(|(known, _)| *known == key) {
                return self.problem(&format!("`{key}` is given twice"));
            }
            args.push((key, self.node(0)?));
            if !self.takes(',') {
                match self.takes(')') {
                    true => break,
                    false => return self.problem("`,` or `)` is expected"),
                }
            }
        }
        Ok(Call { name, line, args })
    }

    fn node(&mut self, depth: usize) -> Result<Node, Problem> {
        self.skip();
        match self.rest.peek().copied() {
            Some(quote @ ('"' | '\'')) => self.text(quote).map(Node::Text),
            Some('[') if depth < DEEPEST => self.list(depth),
            Some('[') => self.problem("lists stand too deep in each other"),
            _ => match self.word() {
                Some(_) => Ok(Node::Other),
                None => self.problem("a text or a list is expected"),
            },
        }
    }

    fn list(&mut self, depth: usize) -> Result<Node, Problem> {
        self.rest.next();
        let mut list = Vec::new();
        while !self.takes(']') {
            list.push(self.node(depth + 1)?);
            if !self.takes(',') {
                match self.takes(']') {
                    true => break,
                    false => return self.problem("`,` or `]` is expected"),
                }
            }
        }
        Ok(Node::List(list))
    }

    fn text(&mut self, quote: char) -> Result<String, Problem> {
        self.rest.next();
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some(c) if c == quote => break,
                Some('\\') => match self.rest.next() {
                    Some(c @ ('\\' | '"' | '\'')) => text.push(c),
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    _ => return self.problem("the escape is not known"),
                },
                Some('\n') | None => return self.problem("the text has no end"),
                Some(c) => text.push(c),
            }
        }
        match text.is_empty() && self.rest.peek() == Some(&quote) {
            true => self.problem("a text over several lines is not read"),
            false => Ok(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        let text =
            "# why\nprefix_rule(\n  pattern = [\"git\", ['a', \"b\\\"\"]],  # x\n  n = 1,\n)\nf()";
        let calls = parse(text).unwrap();
        assert_eq!(calls.len(), 2);
        let git = Node::Text("git".to_owned());
        let choice = ["a", "b\""].map(|word| Node::Text(word.to_owned()));
        let wanted = Node::List(vec![git, Node::List(choice.into())]);
        assert_eq!(calls[0].get("pattern"), Some(&wanted));
        assert_eq!(calls[1].line, 6);
    }

    #[test]
    fn nothing_else_is() {
        for bad in [
            "x = 1",
            "f(1)",
            "f(a=\"b\" \"c\")",
            "f(a=\"b\"",
            "f(a=[\"b\")",
            "f(a=\"\"\"b\"\"\")",
            "f(a=\"b)",
            "f(a=\"\\x41\")",
            "f(a=1, a=2)",
            "for x in y: f()",
            "f(a=\"b\" + \"c\")",
            "f(a=[[[[[[[[[[\"x\"]]]]]]]]]])",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
