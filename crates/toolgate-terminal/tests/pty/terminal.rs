//! A terminal for tests: a real device, somebody who types, and a screen to look at.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    num::NonZero,
    os::unix::process::ExitStatusExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{Mode, OFlags, open},
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Termios, Winsize, tcgetattr, tcsetwinsize},
};

/// No test waits for anything longer than this.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that runs in a terminal.
pub(crate) struct Terminal {
    master: File,
    /// Keeps the device there when the program has ended.
    slave: File,
    child: Child,
    screen: Arc<Mutex<Screen>>,
    before: Termios,
}

struct Screen {
    parser: vt100::Parser,
    /// Every byte that was sent.
    sent: Vec<u8>,
}

/// How a program is started.
pub(crate) struct Start {
    word: &'static str,
    rows: u16,
    columns: u16,
    environment: Vec<(&'static str, String)>,
    typed_before: &'static str,
    output: Stdio,
    which: &'static str,
}

/// Where the examples of this crate are. A plain `cargo test` builds them.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        path.exists(),
        "{} is not built: a plain `cargo test` does so",
        path.display()
    );
    path
}

/// A program that has no terminal at all, and what it says.
pub(crate) fn without_terminal(word: &str) -> String {
    let output = Command::new(example("in_terminal"))
        .args(["-", "only"])
        .arg(example("terminal"))
        .arg(word)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

impl Start {
    pub(crate) fn new(word: &'static str) -> Self {
        Self {
            word,
            rows: 24,
            columns: 80,
            environment: vec![("TERM", "xterm".to_owned()), ("NO_COLOR", "1".to_owned())],
            typed_before: "",
            output: Stdio::inherit(),
            which: "all",
        }
    }

    pub(crate) fn size(mut self, columns: u16, rows: u16) -> Self {
        (self.rows, self.columns) = (rows, columns);
        self
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    /// What somebody types before the program even runs.
    pub(crate) fn typed_before(mut self, text: &'static str) -> Self {
        self.typed_before = text;
        self
    }

    /// The input and output of the program are not the terminal.
    pub(crate) fn piped(mut self) -> Self {
        (self.output, self.which) = (Stdio::piped(), "only");
        self
    }

    pub(crate) fn start(self) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let device = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = open(&*device, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let (mut master, slave) = (File::from(master), File::from(slave));
        tcsetwinsize(&master, winsize(self.columns, self.rows)).unwrap();
        master.write_all(self.typed_before.as_bytes()).unwrap();
        let before = tcgetattr(&slave).unwrap();
        let child = Command::new(example("in_terminal"))
            .arg(&device)
            .arg(self.which)
            .arg(example("terminal"))
            .arg(self.word)
            .env_remove("VISUAL")
            .env_remove("EDITOR")
            .env("RUST_BACKTRACE", "0")
            .envs(self.environment)
            .stdin(Stdio::null())
            .stdout(self.output)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let screen = Arc::new(Mutex::new(Screen {
            parser: vt100::Parser::new(some(self.rows), some(self.columns), 0),
            sent: Vec::new(),
        }));
        watch(master.try_clone().unwrap(), Arc::clone(&screen));
        Terminal {
            master,
            slave,
            child,
            screen,
            before,
        }
    }
}

fn winsize(columns: u16, rows: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

fn some(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// Follows what is sent, until the terminal is gone.
fn watch(mut master: File, screen: Arc<Mutex<Screen>>) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = master.read(&mut bytes) {
            let mut screen = screen.lock().unwrap();
            let sent = bytes.get(..count).unwrap_or_default();
            screen.parser.process(sent);
            screen.sent.extend_from_slice(sent);
        }
    });
}

/// Types nothing, for longer than keys are held back.
pub(crate) fn silence() {
    thread::sleep(Duration::from_millis(800));
}

impl Terminal {
    /// What is on the screen.
    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().parser.screen().contents()
    }

    /// Every byte that was sent to the terminal.
    pub(crate) fn sent(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap().sent).into_owned()
    }

    fn until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let started = Instant::now();
        while !holds(&self.screen()) {
            let waited = started.elapsed();
            assert!(
                waited < PATIENCE,
                "{what}, but the screen shows\n{}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until something is on the screen.
    pub(crate) fn see(&self, text: &str) {
        self.until(&format!("waited for {text:?}"), |screen| {
            screen.contains(text)
        });
    }

    /// Waits until something is no longer on the screen.
    pub(crate) fn see_no_more(&self, text: &str) {
        self.until(&format!("waited for no {text:?}"), |screen| {
            !screen.contains(text)
        });
    }

    /// Waits until somebody can answer.
    pub(crate) fn asked(&self) {
        self.see("Your answer (no): ");
        silence();
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Makes the window another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let mut screen = self.screen.lock().unwrap();
        screen
            .parser
            .screen_mut()
            .set_size(some(rows), some(columns));
        tcsetwinsize(&self.master, winsize(columns, rows)).unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Whether the program still runs.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the program to end, and returns its exit code, or the signal that ended it as a
    /// negative number.
    pub(crate) fn ended(&mut self) -> i32 {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "it goes on\n{}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(10));
        };
        status.code().unwrap_or_else(|| -status.signal().unwrap())
    }

    /// What the program wrote, if its output was not the terminal.
    pub(crate) fn output(&mut self) -> String {
        let mut text = String::new();
        let output = self.child.stdout.as_mut().unwrap();
        output.read_to_string(&mut text).unwrap();
        text
    }

    /// The terminal is as it was before the program ran.
    pub(crate) fn assert_restored(&self) {
        let now = tcgetattr(&self.slave).unwrap();
        assert_eq!(format!("{now:?}"), format!("{:?}", self.before));
        // What is pasted is marked only while somebody is asked.
        let sent = self.sent();
        assert!(
            sent.rfind("\x1b[?2004h") <= sent.rfind("\x1b[?2004l"),
            "{sent:?}"
        );
    }

    /// The terminal is not as it was: somebody is asked on it.
    pub(crate) fn assert_taken_over(&self) {
        let now = tcgetattr(&self.slave).unwrap();
        assert_ne!(format!("{now:?}"), format!("{:?}", self.before));
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
