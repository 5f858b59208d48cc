//! Asks on real terminals, and types.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot start has failed")]

mod terminal;

use std::{fs, path::Path};

use rustix::{
    io::Errno,
    process::{Pid, Signal, test_kill_process},
};

use crate::terminal::{Start, silence, without_terminal};

#[test]
fn yes_runs_the_call() {
    let mut terminal = Start::new("shell").start();
    terminal.asked();
    let screen = terminal.screen();
    for part in [
        "tool       shell",
        "agent      root / releaser",
        "asked      publishes what others will see",
        "can        send to the network (net.send): \"git.example\"",
        "rm -rf build",
        "4:5",
    ] {
        assert!(screen.contains(part), "{part:?} is not in\n{screen}");
    }
    assert!(!screen.contains("hunter2"), "{screen}");
    terminal.assert_taken_over();
    terminal.types("y");
    terminal.see("toolgate: shell: approved once");
    terminal.see("ended: ran git push");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_restored();
    assert!(
        !terminal.screen().contains("May this call run?"),
        "it is cleared"
    );
}

#[test]
fn nothing_typed_before_the_question_was_there_counts() {
    let mut terminal = Start::new("shell").typed_before("yyyy\ny\n").start();
    // And somebody goes on typing.
    for _ in 0..15 {
        terminal.types("y");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    terminal.see("keys count in a moment");
    terminal.asked();
    assert!(terminal.runs() && !terminal.screen().contains("ended"));
    terminal.types("n");
    terminal.see("ended: tool `shell` blocked: declined");
}

#[test]
fn everything_that_is_no_answer_says_no() {
    for keys in ["\r", "\x1b", "\x03", "\x04", "n"] {
        let mut terminal = Start::new("shell").start();
        terminal.asked();
        terminal.types(keys);
        terminal.see("toolgate: shell: declined");
        terminal.see("ended: tool `shell` blocked: declined");
        assert_eq!(terminal.ended(), 0, "{keys:?}");
        terminal.assert_restored();
    }
}

#[test]
fn what_is_pasted_is_no_answer() {
    let mut terminal = Start::new("shell").start();
    terminal.asked();
    terminal.types("\x1b[200~y\r\x1b[201~");
    terminal.see("what is pasted is no answer");
    assert!(terminal.runs());
    terminal.types("n");
    terminal.see("declined");
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2), (Signal::HUP, 1)] {
        let mut terminal = Start::new("shell").start();
        terminal.asked();
        terminal.assert_taken_over();
        terminal.signal(signal);
        assert_eq!(terminal.ended(), -number, "it ends as it would have");
        terminal.see("nothing was approved");
        terminal.assert_restored();
    }
}

#[test]
fn a_signal_that_the_program_handles_is_left_to_it() {
    let mut terminal = Start::new("handles").start();
    terminal.asked();
    terminal.signal(Signal::TERM);
    terminal.see("toolgate: shell: withdrawn");
    terminal.see("ended: by the program itself");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_restored();
}

#[test]
fn a_panic_leaves_the_terminal_as_it_was() {
    let mut terminal = Start::new("panic").start();
    terminal.asked();
    terminal.assert_taken_over();
    assert_eq!(terminal.ended(), 101);
    terminal.assert_restored();
}

#[test]
fn a_question_that_is_withdrawn_is_taken_off_the_screen() {
    for (word, said, ended) in [
        ("withdraw", "toolgate: shell: withdrawn", "ended: dropped"),
        (
            "late",
            "toolgate: shell: not answered in time",
            "ended: tool `shell` blocked: timed out",
        ),
    ] {
        let mut terminal = Start::new(word).start();
        terminal.see("Your answer");
        terminal.see(said);
        terminal.see(ended);
        assert!(!terminal.screen().contains("Your answer"));
        assert_eq!(terminal.ended(), 0);
        terminal.assert_restored();
    }
}

#[test]
fn in_a_small_window_yes_counts_after_the_last_page() {
    let mut terminal = Start::new("long").start();
    terminal.asked();
    let mut seen = terminal.screen();
    for page in 1..=3 {
        terminal.types("y");
        terminal.see("yes counts after the last page");
        terminal.types(" ");
        terminal.see_no_more("yes counts after the last page");
        terminal.see("May this call run?");
        terminal.see("Your answer");
        assert!(terminal.runs(), "page {page}");
        seen.push_str(&terminal.screen());
    }
    for line in 1..=60 {
        assert!(
            seen.contains(&format!("| line {line}\n")),
            "line {line} was never shown"
        );
    }
    terminal.see("y yes, once");
    silence();
    terminal.types("y");
    terminal.see("ended: ran");
}

#[test]
fn a_window_that_shrinks_has_to_be_read_anew() {
    let mut terminal = Start::new("shell").size(120, 40).start();
    terminal.asked();
    terminal.see("-- all of it --");
    terminal.resize(60, 14);
    terminal.see("Space next page");
    silence();
    terminal.types("y");
    terminal.see("yes counts after the last page");
    terminal.resize(30, 8);
    terminal.see("too small");
    terminal.types("y");
    terminal.resize(120, 40);
    terminal.asked();
    assert!(terminal.runs(), "what was typed before does not count");
    terminal.types("y");
    terminal.see("ended: ran");
}

#[test]
fn without_colours_none_are_sent() {
    for (variable, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let mut terminal = Start::new("shell").with(variable, value).start();
        terminal.asked();
        terminal.types("n");
        terminal.see("ended");
        let sent = terminal.sent();
        let colour = sent.split("\x1b[").skip(1).any(|code| {
            let end = code.find(|c: char| c.is_ascii_alphabetic());
            end.is_some_and(|end| code[end..].starts_with('m'))
        });
        assert!(!colour, "{variable}: {sent:?}");
        let escapes = sent.contains('\x1b');
        assert_eq!(
            escapes,
            variable == "NO_COLOR",
            "a dumb terminal gets text alone"
        );
    }
    let mut terminal = Start::new("shell").with("NO_COLOR", "").start();
    terminal.asked();
    terminal.types("n");
    terminal.see("ended");
    assert!(
        terminal.sent().contains("\x1b[1m"),
        "otherwise there are colours"
    );
}

#[test]
fn nothing_in_a_call_repaints_the_question() {
    let mut terminal = Start::new("sneaky").start();
    terminal.asked();
    let (screen, sent) = (terminal.screen(), terminal.sent());
    for part in [
        "\\u{d}\\u{1b}[2K\\u{202e}\\u{200b}\\{20 x \\u{20}}; rm -rf ~",
        "| Your answer",
    ] {
        assert!(screen.contains(part), "{part} is not in\n{screen}");
    }
    assert!(
        !sent.contains('\u{202e}') && !sent.contains("\x1b[2K"),
        "{sent:?}"
    );
    terminal.types("n");
    terminal.see("declined");
}

#[test]
fn one_question_at_a_time() {
    let mut terminal = Start::new("three").start();
    terminal.asked();
    terminal.see("1 of 3");
    terminal.see("| ls");
    terminal.types("y");
    terminal.see("1 of 2");
    terminal.see("| pwd");
    assert!(terminal.runs());
    silence();
    terminal.types("mnot here\r");
    terminal.see("| id");
    silence();
    assert!(!terminal.screen().contains("1 of"));
    terminal.types("y");
    terminal.see("ended: ran ls, tool `shell` blocked: declined: not here, ran id");
    terminal.ended();
    terminal.assert_restored();
}

#[test]
fn what_is_remembered_is_what_was_chosen() {
    let mut terminal = Start::new("again").start();
    terminal.asked();
    terminal.types("a");
    terminal.see("3. every call of shell - with any command, timeout at all");
    silence();
    terminal.types("3");
    terminal.see("toolgate: shell: approved always");
    // The second one is not asked about.
    terminal.see("ended: ran ls, ran pwd");

    let mut terminal = Start::new("again").start();
    terminal.asked();
    terminal.types("s");
    terminal.see("1. shell with the same command, timeout");
    silence();
    terminal.types("1");
    terminal.see("toolgate: shell: approved for this session");
    terminal.asked();
    terminal.types("n");
    terminal.see("ended: ran ls, tool `shell` blocked: declined");
}

#[test]
fn arguments_are_edited_in_an_editor() {
    // As much of a command as some people have there.
    let editor = "printf '{\"command\": \"ls\"}' >";
    let mut terminal = Start::new("shell").with("EDITOR", editor).start();
    terminal.asked();
    terminal.types("e");
    terminal.see("these are the arguments as you changed them");
    terminal.see("command: \"ls\"");
    silence();
    terminal.types("y");
    terminal.see("approved once, as edited");
    terminal.see("ended: ran ls");
    terminal.ended();
    terminal.assert_restored();
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let mut terminal = Start::new("shell").with("EDITOR", "false").start();
    terminal.asked();
    terminal.types("e");
    terminal.see("the editor failed, and nothing was changed");
    terminal.types("n");
    terminal.see("declined");
}

#[test]
fn neither_the_editor_nor_what_it_edits_outlives_the_question() {
    for (word, signal) in [("late", None), ("shell", Some(Signal::TERM))] {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(word);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        let pid = directory.join("pid");
        let editor = format!("sh -c 'echo $$ > {} && exec sleep 60' sh", pid.display());
        let mut terminal = Start::new(word)
            .with("EDITOR", &editor)
            .with("TMPDIR", directory.to_str().unwrap())
            .start();
        terminal.asked();
        terminal.types("e");
        terminal.see_no_more("Your answer");
        silence();
        if let Some(signal) = signal {
            assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
            terminal.signal(signal);
        }
        terminal.ended();
        terminal.see("toolgate: ");
        terminal.assert_restored();
        let pid: i32 = fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
        let gone = test_kill_process(Pid::from_raw(pid).unwrap());
        assert_eq!(gone, Err(Errno::SRCH), "{word}: the editor lives on");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "{word}");
    }
}

#[test]
fn it_asks_on_the_terminal_whatever_its_output_is() {
    let mut terminal = Start::new("shell").piped().start();
    terminal.asked();
    terminal.types("y");
    let output = terminal.output();
    assert!(output.starts_with("ended: ran git push"), "{output}");
    assert!(!output.contains("May this call run?"), "{output}");
}

#[test]
fn without_a_terminal_it_refuses_and_says_why() {
    let output = without_terminal("shell");
    assert!(output.contains("blocked: nobody to ask"), "{output}");
    assert!(
        output.contains("there is no terminal to ask on"),
        "{output}"
    );
}

#[test]
fn what_is_too_large_is_not_asked_about() {
    let mut terminal = Start::new("large").start();
    terminal.see("blocked: too large to be shown");
    terminal.ended();
    assert!(!terminal.sent().contains("May this call run?"));
}
