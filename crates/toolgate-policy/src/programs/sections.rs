//! Reads the part of TOML that tables are written in.
//!
//! That is: comments, headers with two names at most, and keys whose value is `true` or text without
//! escapes. Reading no more than that, a table takes microseconds instead of a millisecond.

use super::format::Problem;

/// The keys under one header. Those at the top have a header without names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// `group`, `command` or `module`, or nothing at the top.
    pub(super) of: &'static str,
    pub(super) name: &'static str,
    keys: Vec<(&'static str, &'static str)>,
}

impl Section {
    /// Takes the value of a key out.
    pub(super) fn take(&mut self, key: &str) -> Option<&'static str> {
        let at = self.keys.iter().position(|(name, _)| *name == key)?;
        Some(self.keys.swap_remove(at).1)
    }

    pub(super) fn words(&mut self, key: &str) -> Vec<&'static str> {
        self.take(key)
            .unwrap_or_default()
            .split_whitespace()
            .collect()
    }

    /// Makes sure that every key was taken out.
    pub(super) fn finish(&self) -> Result<(), Problem> {
        match self.keys.first() {
            None => Ok(()),
            Some((key, _)) => Err(format!("unknown key `{key}`")),
        }
    }
}

/// Reads all sections in the order of the file, the top first.
pub(super) fn read(mut rest: &'static str) -> Result<Vec<Section>, Problem> {
    let mut sections = vec![Section::default()];
    while let Some((line, after)) = next_line(rest) {
        rest = after;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            sections.push(parse_header(header)?);
            continue;
        }
        let (key, value) = line
            .split_once(" = ")
            .ok_or_else(|| format!("no key: `{line}`"))?;
        let value = if value == "'''" {
            let (text, after) = rest.split_once("'''\n").ok_or("text without end")?;
            rest = after;
            text
        } else {
            parse_value(value)?
        };
        insert(&mut sections, key, value)?;
    }
    Ok(sections)
}

fn next_line(rest: &'static str) -> Option<(&'static str, &'static str)> {
    (!rest.is_empty()).then(|| rest.split_once('\n').unwrap_or((rest, "")))
}

fn insert(sections: &mut [Section], key: &'static str, value: &'static str) -> Result<(), Problem> {
    let section = sections.last_mut().ok_or("no section")?;
    if section.keys.iter().any(|(name, _)| *name == key) {
        return Err(format!("`{key}` is there twice"));
    }
    section.keys.push((key, value));
    Ok(())
}

fn parse_header(header: &'static str) -> Result<Section, Problem> {
    let inside = header.strip_suffix(']');
    let (of, name) = inside
        .and_then(|inside| inside.split_once('.'))
        .ok_or_else(|| format!("no header: `[{header}`"))?;
    let quoted = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if quoted.is_none() && !name.bytes().all(bare) {
        return Err(format!("no name: `{name}`"));
    }
    Ok(Section {
        of,
        name: quoted.unwrap_or(name),
        keys: Vec::new(),
    })
}

fn parse_value(value: &'static str) -> Result<&'static str, Problem> {
    let within = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let text = within('\'').or_else(|| within('"').filter(|text| !text.contains('\\')));
    match text {
        Some(text) if !text.contains(['\'', '"']) => Ok(text),
        None if value == "true" => Ok(value),
        _ => Err(format!("no value: `{value}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::builtin::TABLES;

    /// Writes sections down again, so that they can be compared with what a TOML parser says.
    fn as_toml(sections: Vec<Section>) -> toml::Table {
        let mut table = toml::Table::new();
        for section in sections {
            let keys = section.keys.into_iter().map(|(key, value)| match value {
                "true" => (key.to_owned(), toml::Value::Boolean(true)),
                text => (key.to_owned(), toml::Value::String(text.to_owned())),
            });
            if section.of.is_empty() {
                table.extend(keys);
                continue;
            }
            let of = table.entry(section.of).or_insert(toml::Table::new().into());
            let of = of.as_table_mut().unwrap();
            let before = of.insert(
                section.name.to_owned(),
                keys.collect::<toml::Table>().into(),
            );
            assert!(before.is_none(), "{} twice", section.name);
        }
        table
    }

    #[test]
    fn a_toml_parser_reads_the_same() {
        for (name, source) in TABLES {
            let read = read(source).map(as_toml);
            assert_eq!(read, Ok(toml::from_str(source).unwrap()), "{name}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "a = 1",
            "a = false",
            "a = \"\\n\"",
            "a",
            "[a]",
            "[a.b.c]",
            "[a.b",
            "a = 'x",
            "a='x'",
            "a = '''\nx",
            "a = true\na = true",
            "a = ['x']",
            "[command.a b]",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
