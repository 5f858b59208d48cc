use serde_json::{Value, json};
use toolgate::{Suggestion, Suggestions};

use super::*;

/// A question, and everything around it that is not there in a test.
struct Rig {
    dialog: Dialog,
    size: Size,
    now: Instant,
}

fn request(args: &Value) -> ApprovalRequest {
    let question = json!({
        "id": "0".repeat(32),
        "call_id": "call-7",
        "tool": {"name": "shell"},
        "description": "",
        "args": args,
        "asks": [{"layer": "rules", "reason": "sure?", "payload": args}],
        "capabilities": ["proc.exec"],
        "origin": {"agent": ["root", "child"]},
        "editable": true,
        "suggestions": [
            {"without": [], "text": "shell with the same command"},
            {"without": ["command"], "text": "every call of shell"},
        ],
    });
    serde_json::from_value(question).unwrap()
}

fn lines(count: usize) -> Value {
    let lines: Vec<_> = (1..=count).map(|n| format!("line {n}")).collect();
    json!({"command": lines.join("\n")})
}

impl Rig {
    /// Shows a question for long enough.
    fn new(request: ApprovalRequest, rows: usize, columns: usize) -> Self {
        let rendering = Rendering::of(&request).unwrap();
        let mut rig = Self {
            dialog: Dialog::new(request, rendering),
            size: Size { rows, columns },
            now: Instant::now(),
        };
        rig.show();
        rig.pass(1_000);
        rig
    }

    fn short() -> Self {
        Self::new(request(&json!({"command": "ls"})), 24, 80)
    }

    fn pass(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    fn frame(&mut self) -> Vec<String> {
        let status = Status::default();
        let frame = self.dialog.frame(self.size, status, self.now);
        frame.rows.iter().map(Row::text).collect()
    }

    fn show(&mut self) -> String {
        let rows = self.frame();
        let _ = self.dialog.shown(self.now);
        rows.join("\n")
    }

    fn key(&mut self, key: &Key) -> Option<Outcome> {
        self.pass(600);
        let outcome = self.dialog.key(key, self.now);
        self.show();
        outcome
    }

    fn keys(&mut self, keys: &str) -> Option<Outcome> {
        keys.chars().fold(None, |_, c| self.key(&Key::Char(c)))
    }
}

fn answer(outcome: Option<Outcome>) -> ApprovalDecision {
    match outcome {
        Some(Outcome::Answer(answer)) => answer,
        other => panic!("no answer, but {other:?}"),
    }
}

#[test]
fn it_shows_what_one_has_to_know() {
    let shown = Rig::short().show();
    for part in [
        "May this call run?",
        "tool       shell",
        "agent      root / child",
        "can        run programs (proc.exec)",
        "asked      sure?",
        "           by rules",
        "arguments  command: \"ls\"",
        "y yes, once   s for this session   a always   n no",
        "Your answer (no): ",
    ] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    assert!(!shown.contains("call-7"), "a detail: {shown}");
    let mut rig = Rig::short();
    rig.keys("d");
    let details = rig.show();
    assert!(details.contains("call-7"), "{details}");
    assert!(details.contains("with any command at all"), "{details}");
}

#[test]
fn how_many_wait_and_how_long_there_is() {
    let mut rig = Rig::short();
    let status = Status {
        waiting: 2,
        left: Some(Duration::from_secs(272)),
    };
    let frame = rig.dialog.frame(rig.size, status, rig.now);
    assert!(frame.rows[0].text().ends_with("1 of 3   4:32 left"));
}

#[test]
fn answers_are_what_was_chosen() {
    let yes = ApprovalDecision::approve;
    let broad: Suggestion = request(&json!({})).suggestions[1].clone();
    let session = yes().remembered(Remember::Session);
    let always = yes().remembered(Remember::Always);
    for (keys, expected) in [
        ("y", yes()),
        ("n", ApprovalDecision::decline()),
        ("q", ApprovalDecision::decline()),
        ("s1", session.clone()),
        ("s2", session.suggested(&broad)),
        ("a1", always.clone()),
        ("a2", always.suggested(&broad)),
    ] {
        assert_eq!(answer(Rig::short().keys(keys)), expected, "{keys}");
    }
}

#[test]
fn everything_that_is_no_answer_says_no() {
    for key in [
        Key::Enter,
        Key::Escape,
        Key::Control('c'),
        Key::Control('d'),
    ] {
        let outcome = Rig::short().key(&key);
        assert_eq!(answer(outcome), ApprovalDecision::decline(), "{key:?}");
    }
    for key in ["x", "Y", "1", "9"] {
        assert_eq!(Rig::short().keys(key), None, "{key}");
    }
    let paste = Key::Paste("y".to_owned());
    assert_eq!(Rig::short().key(&paste), None);
}

#[test]
fn no_key_counts_before_silence() {
    let request = request(&json!({"command": "ls"}));
    let rendering = Rendering::of(&request).unwrap();
    let mut dialog = Dialog::new(request, rendering);
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let key = |dialog: &mut Dialog, ms| dialog.key(&Key::Char('y'), at(ms)).is_some();
    assert!(!key(&mut dialog, 10_000), "nothing is on the screen");
    let size = Size {
        rows: 24,
        columns: 80,
    };
    dialog.frame(size, Status::default(), at(20_000));
    assert!(!key(&mut dialog, 20_000), "it is drawn, and not there yet");
    assert!(dialog.shown(at(20_000)));
    assert!(!key(&mut dialog, 20_400));
    assert!(!key(&mut dialog, 20_800), "somebody is still typing");
    assert!(key(&mut dialog, 21_300));
}

#[test]
fn yes_counts_after_the_last_page() {
    let mut rig = Rig::new(request(&lines(40)), 24, 80);
    assert!(rig.show().contains("Space next page"));
    for keys in ["y", "s", "a"] {
        assert_eq!(rig.keys(keys), None, "{keys}");
        assert!(
            rig.show().contains("yes counts after the last page"),
            "{keys}"
        );
    }
    rig.key(&Key::End);
    assert_eq!(rig.keys("y"), None, "the middle was skipped");
    rig.key(&Key::Home);
    rig.keys("  ");
    assert!(rig.show().contains("line 40"));
    assert!(answer(rig.keys("y")).approved);
}

#[test]
fn what_comes_in_one_go_is_no_answer_to_what_was_not_shown() {
    let mut rig = Rig::new(request(&lines(20)), 24, 80);
    // As if all of it had been read at once.
    assert_eq!(rig.dialog.key(&Key::Char(' '), rig.now), None);
    assert_eq!(rig.dialog.key(&Key::Char('y'), rig.now), None);

    let mut rig = Rig::short();
    assert_eq!(rig.dialog.key(&Key::Char('s'), rig.now), None);
    assert_eq!(rig.dialog.key(&Key::Char('2'), rig.now), None);
}

#[test]
fn what_was_typed_before_the_last_page_was_there_does_not_count() {
    let mut rig = Rig::new(request(&lines(20)), 24, 80);
    assert_eq!(rig.dialog.key(&Key::Char(' '), rig.now), None);
    rig.frame();
    assert!(rig.dialog.shown(rig.now), "and so the terminal forgets it");
    rig.pass(400);
    assert_eq!(rig.dialog.key(&Key::Char('y'), rig.now), None);
    rig.pass(600);
    rig.frame();
    assert!(!rig.dialog.shown(rig.now), "nothing is new");
    assert!(answer(rig.dialog.key(&Key::Char('y'), rig.now)).approved);
}

#[test]
fn no_is_no_on_every_page() {
    let mut rig = Rig::new(request(&lines(40)), 24, 80);
    assert!(!answer(rig.keys("n")).approved);
}

#[test]
fn another_window_has_to_be_read_anew() {
    let mut rig = Rig::new(request(&lines(8)), 24, 80);
    rig.size = Size {
        rows: 14,
        columns: 60,
    };
    rig.show();
    assert_eq!(rig.keys("y"), None);

    let mut rig = Rig::short();
    rig.size = Size {
        rows: 5,
        columns: 20,
    };
    assert!(rig.show().replace('\n', "").contains("too small"));
    assert_eq!(rig.dialog.key(&Key::Char('y'), rig.now), None);
    rig.size = Size {
        rows: 24,
        columns: 80,
    };
    rig.show();
    assert_eq!(rig.dialog.key(&Key::Char('y'), rig.now), None, "too early");
    rig.size = Size {
        rows: 5,
        columns: 20,
    };
    rig.show();
    assert!(!answer(rig.key(&Key::Escape)).approved);
}

#[test]
fn every_frame_fits_into_its_window() {
    let long = json!({"command": "word ".repeat(200), "ä": lines(30)});
    for (rows, columns) in [(10, 40), (11, 55), (16, 60), (24, 80), (50, 200), (10, 300)] {
        for keys in ["", "d", "m", "s", "a"] {
            let mut rig = Rig::new(request(&long), rows, columns);
            while !rig.dialog.question.is_complete() {
                rig.keys(" ");
            }
            rig.keys(keys);
            rig.key(&Key::Paste("x".repeat(500)));
            let frame = rig.dialog.frame(rig.size, Status::default(), rig.now);
            assert!(rig.dialog.fits, "{rows}x{columns} {keys}");
            assert!(frame.rows.len() <= rows && frame.rows.iter().all(|r| r.width() < columns));
        }
    }
}

#[test]
fn every_row_is_on_some_page() {
    for (rows, columns) in [(10, 40), (13, 47), (24, 80)] {
        let mut rig = Rig::new(request(&lines(57)), rows, columns);
        let mut seen = rig.show();
        while !rig.dialog.question.is_complete() {
            rig.keys(" ");
            seen.push_str(&rig.show());
        }
        for n in 1..=57 {
            assert!(
                seen.contains(&format!("| line {n}\n")),
                "{n} in {rows}x{columns}"
            );
        }
    }
}

#[test]
fn a_word_for_the_model_goes_with_the_no() {
    let mut rig = Rig::short();
    rig.keys("m");
    rig.keys("use yarn");
    assert!(rig.show().contains("Why not? use yarn"));
    let no = answer(rig.key(&Key::Enter));
    assert_eq!(no, ApprovalDecision::decline().with_note("use yarn"));

    let mut rig = Rig::short();
    rig.keys("my");
    assert_eq!(rig.key(&Key::Escape), None, "back to the question");
    assert!(answer(rig.keys("y")).approved);
}

#[test]
fn going_back_is_no_answer() {
    for key in [Key::Escape, Key::Enter, Key::Backspace] {
        let mut rig = Rig::short();
        rig.keys("a");
        assert_eq!(rig.key(&key), None);
        assert!(rig.show().contains("y yes, once"));
    }
    let mut rig = Rig::short();
    rig.keys("a");
    assert!(!answer(rig.key(&Key::Control('c'))).approved);
}

#[test]
fn edited_arguments_are_shown_before_they_are_approved() {
    let mut rig = Rig::short();
    assert_eq!(rig.keys("e"), Some(Outcome::Edit));
    rig.dialog.take_edited(r#"{"command": "pwd"}"#);
    assert_eq!(
        rig.dialog.key(&Key::Char('y'), rig.now),
        None,
        "not shown yet"
    );
    let shown = rig.show();
    assert!(
        shown.contains("command: \"pwd\"") && !shown.contains("\"ls\""),
        "{shown}"
    );
    assert_eq!(rig.dialog.key(&Key::Char('y'), rig.now), None, "too early");
    for keys in ["s", "a"] {
        assert_eq!(rig.keys(keys), None, "it is not remembered");
        assert!(rig.show().contains("command: \"pwd\""));
    }
    let edited = Args::parse(r#"{"command": "pwd"}"#).unwrap();
    assert_eq!(answer(rig.keys("y")), ApprovalDecision::edit(edited));
}

#[test]
fn what_cannot_be_taken_leaves_the_call_as_it_is() {
    let large = json!({"command": "x".repeat(Rendering::MAX_BYTES)}).to_string();
    for (text, said) in [
        ("{\"command\"", "not taken: "),
        ("[]", "not taken: "),
        ("{\"a\": 1, \"a\": 2}", "not taken: "),
        (r#"{"command": "ls"}"#, "nothing was changed"),
        (&large, "not taken: too large"),
    ] {
        let mut rig = Rig::short();
        rig.dialog.take_edited(text);
        assert!(rig.show().contains(said), "{text}");
        assert_eq!(answer(rig.keys("y")), ApprovalDecision::approve());
    }
}

#[test]
fn why_it_cannot_be_taken_is_said_to_the_end() {
    for columns in [40, 60, 80] {
        let mut rig = Rig::short();
        rig.size.columns = columns;
        rig.dialog.take_edited("{\"command\"");
        let shown = rig.show().replace('\n', "");
        let whole = "not taken: arguments cannot be read: unexpected end at line 1 column 10";
        assert!(shown.contains(whole), "{columns}: {shown}");
        assert_eq!(answer(rig.keys("y")), ApprovalDecision::approve());
    }
}

#[test]
fn arguments_can_be_edited_on_the_spot() {
    let mut rig = Rig::short();
    rig.dialog.edit_here();
    assert!(rig.show().contains(r#"Arguments: {"command":"ls"}"#));
    for key in [
        Key::Left,
        Key::Left,
        Key::Char(' '),
        Key::Char('x'),
        Key::Enter,
    ] {
        rig.key(&key);
    }
    assert!(rig.show().contains("command: \"ls x\""));
}

#[test]
fn what_is_not_offered_has_no_key() {
    let mut plain = request(&json!({"command": "ls"}));
    plain.suggestions = Suggestions::default();
    plain.editable = false;
    let mut rig = Rig::new(plain, 24, 80);
    let shown = rig.show();
    assert!(
        shown.contains("y yes, once   n no   m no, and say why   d details"),
        "{shown}"
    );
    for keys in ["s", "a", "e"] {
        assert_eq!(rig.keys(keys), None);
    }
    assert!(rig.show().contains("y yes, once"));
}
