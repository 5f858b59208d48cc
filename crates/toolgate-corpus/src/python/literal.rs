//! Reads the few Python expressions that a case may hold.

use serde_json::Number;

use super::Python;

/// A literal, or a name called with keywords: `ToolDenied(message='no')`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Literal(Python),
    Call(String, Vec<(String, Python)>),
}

/// Reads all of `text`; none if it is anything else.
pub(crate) fn expression(text: &str) -> Option<Expression> {
    let mut reader = Reader { rest: text.trim() };
    let read = match reader.name() {
        Some(name) if reader.eats("(") => Expression::Call(name, reader.keywords()?),
        Some(name) => Expression::Literal(constant(&name)?),
        None => Expression::Literal(reader.literal()?),
    };
    reader.rest.is_empty().then_some(read)
}

fn constant(name: &str) -> Option<Python> {
    match name {
        "None" => Some(Python::None),
        "True" => Some(Python::Bool(true)),
        "False" => Some(Python::Bool(false)),
        _ => None,
    }
}

/// Reads from the left.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Takes `token` and the space after it, if it comes next.
    fn eats(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Takes what comes next, as long as `is` holds.
    fn take_while(&mut self, is: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !is(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken.to_owned()
    }

    fn name(&mut self) -> Option<String> {
        let starts = self.rest.starts_with(|c: char| c.is_alphabetic());
        starts.then(|| self.take_while(|c| c.is_alphanumeric() || c == '_'))
    }

    fn keywords(&mut self) -> Option<Vec<(String, Python)>> {
        self.until(")", |reader| {
            let key = reader.name()?;
            reader.eats("=").then_some(())?;
            Some((key, reader.literal()?))
        })
    }

    fn literal(&mut self) -> Option<Python> {
        if let Some(name) = self.name() {
            return constant(&name);
        }
        if self.eats("[") {
            return Some(Python::List(self.until("]", Self::literal)?));
        }
        if self.eats("{") {
            let entries = self.until("}", |reader| {
                let key = reader.string()?;
                reader.eats(":").then_some(())?;
                Some((key, reader.literal()?))
            })?;
            return Some(Python::Dict(entries));
        }
        if self.rest.starts_with(['\'', '"']) {
            return Some(Python::Str(self.string()?));
        }
        let digits = self.take_while(|c| c.is_ascii_digit() || "+-.eE".contains(c));
        let number: Number = serde_json::from_str(&digits).ok()?;
        Some(Python::Number(number))
    }

    /// Reads what is separated by commas, up to `end`.
    fn until<T>(&mut self, end: &str, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = Vec::new();
        while !self.eats(end) {
            all.push(one(self)?);
            if !self.eats(",") && !self.rest.starts_with(end) {
                return None;
            }
        }
        Some(all)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| "'\"".contains(*c))?;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = self.rest.get(at + 1..)?.trim_start();
                return Some(text);
            }
            text.push(match c {
                '\\' => match chars.next()?.1 {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    c @ ('\\' | '\'' | '"') => c,
                    _ => return None,
                },
                c => c,
            });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_constants_and_calls() {
        assert_eq!(
            expression("True"),
            Some(Expression::Literal(Python::Bool(true)))
        );
        let Some(Expression::Call(name, keywords)) =
            expression("ToolApproved(override_args={'x': 42}, kind='tool-approved')")
        else {
            panic!("not read");
        };
        assert_eq!(name, "ToolApproved");
        let [(key, args), (_, kind)] = keywords.as_slice() else {
            panic!("two keywords");
        };
        assert_eq!(
            (&**key, args.to_string()),
            ("override_args", "{'x': 42}".to_owned())
        );
        assert_eq!(*kind, Python::Str("tool-approved".to_owned()));
    }

    #[test]
    fn refuses_anything_else() {
        for text in [
            "",
            "yes",
            "ToolApproved(",
            "f(1)",
            "True False",
            "[1 2]",
            "'a",
        ] {
            assert_eq!(expression(text), None, "read {text:?}");
        }
    }
}
