//! The formats that a policy can be written in.

use std::path::Path;

/// A format that a policy can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// TOML, the format to write by hand.
    Toml,
    /// JSON, strictly.
    Json,
    /// YAML, one plain document.
    Yaml,
}

impl Format {
    /// The format of a file, by the ending of its name.
    ///
    /// ```
    /// use toolgate_policy::Format;
    ///
    /// assert_eq!(Format::of("toolgate.yml".as_ref()), Some(Format::Yaml));
    /// assert_eq!(Format::of("toolgate".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "toml" => Some(Self::Toml),
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    /// The format that a text without a name is most likely written in.
    ///
    /// ```
    /// use toolgate_policy::Format;
    ///
    /// assert_eq!(Format::guess("{ \"default\": \"ask\" }"), Format::Json);
    /// assert_eq!(Format::guess("default = \"ask\""), Format::Toml);
    /// assert_eq!(Format::guess("default: ask"), Format::Yaml);
    /// ```
    pub fn guess(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
        match first {
            None => Self::Toml,
            Some("null") => Self::Json,
            Some(line) if line.starts_with('{') => Self::Json,
            Some(line) if line.starts_with('[') => Self::bracket(line),
            Some(line) if line.starts_with("---") || line.starts_with(['%', '-']) => Self::Yaml,
            Some(line) => Self::key(line),
        }
    }

    /// `[shell]` heads a table, `["a"]` is a list.
    fn bracket(line: &str) -> Self {
        let inner = line.trim_start_matches('[');
        let head = inner.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        match head && line.contains(']') && !line.contains(',') {
            true => Self::Toml,
            false => Self::Json,
        }
    }

    /// What stands behind the first key tells.
    fn key(line: &str) -> Self {
        let colon = line.find(": ").or_else(|| line.ends_with(':').then_some(0));
        match (line.find('='), colon) {
            (Some(equals), Some(colon)) if colon < equals => Self::Yaml,
            (None, Some(_)) => Self::Yaml,
            _ => Self::Toml,
        }
    }
}
