//! The pictures of the README show what the program shows. Somebody types in a real terminal.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

use rustix::{
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

/// The program that makes the pictures. A plain `cargo test` builds it.
fn maker() -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples/pictures");
    assert!(path.exists(), "{} is not built", path.display());
    path
}

/// Without the time that was left, which depends on the machine.
fn timeless(picture: &str) -> String {
    let lines = picture.lines().filter(|line| !line.contains(" left<"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_pictures_are_what_the_program_shows() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(maker())
        .arg(directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    for name in ["prompt.svg", "explain.svg"] {
        let made = fs::read_to_string(directory.path().join(name)).unwrap();
        let kept = fs::read_to_string(pictures.join(name)).unwrap();
        assert_eq!(
            timeless(&made),
            timeless(&kept),
            "{name} is out of date: run docs/pictures/make"
        );
        assert!(kept.len() < 16_000, "{name} is large");
    }
}

/// Reads what a terminal shows, until a text is there.
fn read_until(terminal: &mut File, text: &str) {
    let (mut all, mut bytes) = (String::new(), [0; 4096]);
    while !all.contains(text) {
        let count = terminal.read(&mut bytes).unwrap();
        assert!(count > 0, "no {text:?} in {all}");
        all += &String::from_utf8_lossy(&bytes[..count]);
    }
}

#[test]
fn a_signal_ends_the_session_and_its_folder() {
    let directory = tempfile::tempdir().unwrap();
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let device = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let mut child = Command::new(maker())
        .args(["--inside", &device, env!("CARGO_BIN_EXE_toolgate"), "demo"])
        .env("TMPDIR", directory.path())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut terminal = File::from(master);
    read_until(&mut terminal, "Your answer");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    read_until(&mut terminal, "the session was ended before its last call");
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
