//! Where something is written.

use std::{fmt, sync::Arc};

use toolgate::RuleSource;

/// A place in a file. Lines and columns count from one, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as it was named when it was loaded.
    pub file: Arc<str>,
    /// The line; zero means the file as a whole.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// How many characters are meant, on this line.
    pub length: u32,
}

impl Place {
    /// The place as rules carry it.
    #[must_use]
    pub fn source(&self) -> RuleSource {
        RuleSource {
            file: (&*self.file).into(),
            line: self.line,
            column: self.column,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

/// A value, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it is written.
    pub place: Place,
}

impl<T> Located<T> {
    /// Says where `value` is written.
    pub fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }

    /// The same place, another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Located<U> {
        Located {
            value: f(self.value),
            place: self.place,
        }
    }
}
