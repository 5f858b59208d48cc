//! Which programs of `awk` only print.
//!
//! Names of functions and variables that reach beyond the input are refused wherever they stand,
//! even in a string. Pipes and redirections are refused; a `>` is taken for a comparison only in a
//! statement that prints nothing. A `/` that may begin a regular expression as well as divide is
//! refused if another one follows, because what lies between them could be either.

use super::delimited;

const REFUSED: &str = "a program that is not known to be harmless";

/// Names that run commands, load code, or read what is not among the operands.
const NAMES: &[&str] = &[
    "system",
    "getline",
    "extension",
    "ENVIRON",
    "PROCINFO",
    "SYMTAB",
    "FUNCTAB",
    "ARGV",
    "ARGC",
];

/// Whether a program only prints.
pub(super) fn check(program: &str) -> Result<(), &'static str> {
    let mut names = program.split(|next: char| !next.is_ascii_alphanumeric() && next != '_');
    if names.any(|name| NAMES.contains(&name)) {
        return Err(REFUSED);
    }
    let mut lexer = Lexer {
        rest: program,
        before: Before::Start,
        printing: false,
    };
    while !lexer.rest.is_empty() {
        lexer.token().ok_or(REFUSED)?;
    }
    Ok(())
}

/// What stands before a `/`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Something after which an expression begins.
    Start,
    /// Something that can be divided.
    Operand,
    /// Either.
    Unclear,
}

struct Lexer<'a> {
    rest: &'a str,
    before: Before,
    /// Whether the statement prints.
    printing: bool,
}

impl Lexer<'_> {
    fn token(&mut self) -> Option<()> {
        let mut rest = self.rest.chars();
        let first = rest.next()?;
        if first.is_ascii_alphanumeric() || first == '_' {
            self.word();
            return Some(());
        }
        self.rest = rest.as_str();
        match first {
            ' ' | '\t' => {}
            '"' => {
                self.rest = delimited::text(self.rest, '"')?;
                self.before = Before::Operand;
            }
            '/' => self.slash()?,
            '|' => self.expect('|')?,
            '>' => self.greater()?,
            _ => self.punctuation(first)?,
        }
        Some(())
    }

    fn word(&mut self) {
        let is_part = |next: char| next.is_ascii_alphanumeric() || next == '_' || next == '.';
        let end = self.rest.find(|next| !is_part(next));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        self.printing |= word.starts_with("print");
        let keyword = [
            "print", "printf", "return", "in", "case", "do", "else", "delete",
        ];
        self.before = if keyword.contains(&word) {
            Before::Unclear
        } else {
            Before::Operand
        };
    }

    fn punctuation(&mut self, sign: char) -> Option<()> {
        match sign {
            ';' | '{' | '}' => {
                self.printing = false;
                self.before = Before::Start;
            }
            '\n' | '(' | ',' | '!' | '~' | '&' | '?' | ':' | '=' | '<' | '%' | '*' | '^' => {
                self.before = Before::Start;
            }
            ']' => self.before = Before::Operand,
            ')' | '[' | '$' | '+' | '-' => self.before = Before::Unclear,
            _ => return None,
        }
        Some(())
    }

    fn expect(&mut self, sign: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(sign)?;
        self.before = Before::Start;
        Some(())
    }

    fn greater(&mut self) -> Option<()> {
        self.before = Before::Start;
        let more = self.rest.starts_with('>');
        (!self.printing && !more).then_some(())
    }

    fn slash(&mut self) -> Option<()> {
        match self.before {
            Before::Start => {
                self.rest = delimited::regex(self.rest, '/')?;
                self.before = Before::Operand;
            }
            Before::Unclear if self.rest.contains('/') => return None,
            Before::Operand | Before::Unclear => self.before = Before::Start,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_print_are_harmless() {
        for program in [
            "{print $2}",
            "{s+=$3} END {print s}",
            "$3 > 100 {print $1}",
            "NR>=2 && /a|b/ {print \"x > y | z\"}",
            "{ if ($1 > 5) print $2; else print \"-\" }",
            "BEGIN{FS=\",\"; OFS=\"\\t\"} {print $1, $NF}",
            "{a[$1]++} END {for (k in a) print k, a[k]}",
            "{print ($1+$2)/2}",
            "{sum+=$1} END {print sum/NR}",
            "!seen[$0]++",
            "length($0) > 80",
            "$1 != \"Filesystem\" {print $5}",
            "$1 ~ /^foo/ || $2 !~ /bar$/",
            "/start/,/end/",
            "{gsub(/[0-9]+/, \"N\"); print}",
        ] {
            assert_eq!(check(program), Ok(()), "{program}");
        }
    }

    #[test]
    fn programs_that_reach_further_are_refused() {
        for program in [
            "BEGIN{system(\"id\")}",
            "BEGIN{awk::system(\"id\")}",
            "{print | \"sh\"}",
            "{print |& \"sh\"}",
            "{\"id\" | getline x}",
            "{print > \"/etc/x\"}",
            "{print >> \"x\"}",
            "{printf \"%s\", $1 > \"x\"}",
            "{print $1,\n$2 > \"x\"}",
            "BEGIN{while((getline l < \"/etc/passwd\")>0) print l}",
            "BEGIN{print ENVIRON[\"HOME\"]}",
            "@load \"x\"",
            "@include \"x\"",
            "BEGIN{f=\"sys\" \"tem\"; @f(\"id\")}",
            "BEGIN{ARGV[1]=\"/etc/passwd\"}",
            "BEGIN{(1)/\"/;print|\"sh\"}",
            "/[/]/{print|\"sh\"}",
            "/[/]/|\"sh\"",
            "# x\n{print}",
            "{print \"a}",
            "{x = \\\n1}",
        ] {
            assert_eq!(check(program), Err(REFUSED), "{program}");
        }
    }
}
