use super::*;
use proptest::prelude::*;

fn program(name: &str) -> Arc<Program> {
    Programs::builtin().get(name).expect(name)
}

/// Whether a rule covers a command; both are divided by spaces.
fn covers(rule: &str, line: &str) -> Result<(), String> {
    let words: Vec<&str> = split_line(line);
    judge(rule, &words)
}
fn judge(rule: &str, words: &[&str]) -> Result<(), String> {
    let rule: Vec<&str> = rule.split(' ').collect();
    let literal = rule.len() - 1;
    assert_eq!(rule[literal], "*");
    assert_eq!(rule[..literal], words[..literal]);
    let words: Vec<Word<'_>> = words
        .iter()
        .map(|text| Word {
            text,
            glob: text.starts_with("src/*"),
        })
        .collect();
    program(words[0].text)
        .covers(&words, literal)
        .map_err(|why| why.to_string())
}

/// Divides at spaces, but for those in single quotes.
fn split_line(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (nth, part) in line.split('\'').enumerate() {
        if nth % 2 == 1 {
            words.push(part);
        } else {
            words.extend(part.split_whitespace());
        }
    }
    words
}

#[test]
fn every_table_is_sound() {
    for (name, source) in builtin::TABLES {
        let program = format::program(name, source);
        assert!(program.is_ok(), "{name}: {}", program.unwrap_err());
    }
}
