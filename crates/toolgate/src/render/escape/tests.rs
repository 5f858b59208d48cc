use proptest::prelude::*;

use super::*;

/// Reads back what was written, the other way round than it was written.
fn read(shown: &str, notation: Notation) -> String {
    let mut text = String::new();
    let mut rest = shown;
    while let Some(c) = rest.chars().next() {
        let (piece, length) = escape_at(rest, notation).unwrap_or((c.to_string(), c.len_utf8()));
        text.push_str(&piece);
        rest = &rest[length..];
    }
    text
}

/// What the escape that begins here stands for, and how long it is.
fn escape_at(rest: &str, notation: Notation) -> Option<(String, usize)> {
    let after = rest.strip_prefix('\\')?;
    if let Some(run) = after.strip_prefix('{') {
        let (count, what) = run.split_once(" x ")?;
        let (piece, length) = escape_at(what, notation)?;
        let whole = 2 + count.len() + 3 + length + 1;
        return Some((piece.repeat(count.parse().ok()?), whole));
    }
    if let Some(hex) = after.strip_prefix("u{") {
        let (hex, _) = hex.split_once('}')?;
        let c = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
        return Some((c.to_string(), 4 + hex.len()));
    }
    let known = match notation {
        Notation::Row => "t",
        Notation::Prose => "tnr\\",
        Notation::Quoted => "tnr\\\"",
    };
    let c = after.chars().next().filter(|c| known.contains(*c))?;
    let piece = match c {
        't' => '\t',
        'n' => '\n',
        'r' => '\r',
        other => other,
    };
    Some((piece.to_string(), 2))
}

/// Text with many of the characters that matter.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z \\\\{}u\"nrtx0-9 ]{0,6}",
        1 => " {0,40}",
        1 => "\t{0,12}",
        1 => Just("\\u{202e}".to_owned()),
        1 => Just("\\{9 x \\t}".to_owned()),
        1 => "\\PC{0,4}",
        1 => proptest::collection::vec(any::<char>(), 0..4).prop_map(String::from_iter),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn unmasked(text: &str, notation: Notation) -> String {
    written(text, notation, &[]).text
}

proptest! {
    #[test]
    fn what_is_written_can_be_read_back(text in tricky()) {
        for notation in [Notation::Quoted, Notation::Prose, Notation::Row] {
            prop_assert_eq!(&read(&unmasked(&text, notation), notation), &text);
        }
    }

    #[test]
    fn only_plain_characters_are_written(text in tricky()) {
        for notation in [Notation::Quoted, Notation::Prose, Notation::Row] {
            prop_assert!(written(&text, notation, &mask::spans(&text)).text.chars().all(is_plain));
        }
    }
}

#[test]
fn no_padding_pushes_anything_out_of_sight() {
    let pad = |c: char| format!("ls{};x", c.to_string().repeat(400));
    assert_eq!(quoted(&pad(' ')).text, "\"ls\\{400 x \\u{20}};x\"");
    assert_eq!(quoted(&pad('\t')).text, "\"ls\\{400 x \\t};x\"");
    assert_eq!(quoted(&pad('\n')).text, "\"ls\\{400 x \\n};x\"");
    assert_eq!(row(&pad('\u{2003}')).text, "ls\\{400 x \\u{2003}};x");
}

#[test]
fn code_reads_as_it_was_written() {
    let line = "        print(\"a\\n\\d\")";
    assert_eq!(row(line).text, line);
    assert_eq!(row("a\\tb\tc ").text, "a\\u{5c}tb\\tc\\u{20}");
}

#[test]
fn a_mask_says_how_much_it_hides_and_cannot_be_imitated() {
    let shown = quoted("--password=hunter2 x");
    assert_eq!(shown.text, "\"--password=\\{masked 7 characters} x\"");
    assert_eq!((shown.masked.credentials, shown.masked.characters), (1, 7));

    let imitation = "\\{masked 7 characters}";
    assert!(!quoted(imitation).text.contains("\"\\{masked"));
    assert_eq!(row(imitation).text, "\\u{5c}{masked 7 characters}");
}
