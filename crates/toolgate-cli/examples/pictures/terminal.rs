//! A real terminal, the real program in it, and somebody who types.

use std::{
    error::Error,
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{Read, Write},
    num::NonZero,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

type Failed = Box<dyn Error>;

/// Nothing is waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that runs in a terminal.
pub(crate) struct Terminal {
    master: File,
    /// Keeps the device there when the program has ended.
    _device: File,
    child: Child,
    parser: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    /// Starts the command in a directory, in a window of so many columns and rows.
    pub(crate) fn start(
        directory: &Path,
        args: &[&str],
        (columns, rows): (u16, u16),
    ) -> Result<Self, Failed> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let device = ptsname(&master, Vec::new())?.into_string()?;
        let master = File::from(master);
        tcsetwinsize(&master, window(columns, rows))?;
        let kept = OpenOptions::new().read(true).open(&device)?;
        let child = Command::new(std::env::current_exe()?)
            .arg("--inside")
            .args([Path::new(&device), &program()?])
            .args(args)
            .current_dir(directory)
            .env("TERM", "xterm-256color")
            .env("HOME", directory)
            .env_remove("NO_COLOR")
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null())
            .spawn()?;
        let parser = vt100::Parser::new(some(rows), some(columns), 0);
        let parser = Arc::new(Mutex::new(parser));
        follow(master.try_clone()?, Arc::clone(&parser));
        Ok(Self {
            master,
            _device: kept,
            child,
            parser,
        })
    }

    /// What is to be seen.
    pub(crate) fn screen(&self) -> vt100::Screen {
        let parser = self.parser.lock().unwrap_or_else(PoisonError::into_inner);
        parser.screen().clone()
    }

    /// Waits until something is on the screen.
    pub(crate) fn wait_for(&self, text: &str) -> Result<(), Failed> {
        let began = Instant::now();
        while !self.screen().contents().contains(text) {
            if began.elapsed() > PATIENCE {
                let shown = self.screen().contents();
                return Err(format!("waited for {text:?}, and the screen shows\n{shown}").into());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Lets everything be shown, and keys count again.
    pub(crate) fn settle() {
        thread::sleep(Duration::from_millis(900));
    }

    /// Answers the question that is on the screen.
    pub(crate) fn answer(&mut self, key: &str) -> Result<(), Failed> {
        self.wait_for("Your answer")?;
        Self::settle();
        self.master.write_all(key.as_bytes())?;
        Ok(())
    }

    /// Answers everything that is still asked, until the program has ended.
    pub(crate) fn answer_all(&mut self, key: &str) -> Result<(), Failed> {
        let began = Instant::now();
        while self.child.try_wait()?.is_none() {
            if began.elapsed() > PATIENCE {
                self.child.kill()?;
                return Err("the session did not end".into());
            }
            Self::settle();
            if self.screen().contents().contains("Your answer") {
                self.master.write_all(key.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Waits for the end of the program, and of what it said.
    pub(crate) fn ended(&mut self) -> Result<(), Failed> {
        self.child.wait()?;
        Self::settle();
        Ok(())
    }
}

/// The command that was built beside this one.
fn program() -> Result<PathBuf, Failed> {
    let own = std::env::current_exe()?;
    let built = own.ancestors().nth(2).ok_or("built in no directory")?;
    let program = built.join("toolgate");
    match program.exists() {
        true => Ok(program),
        false => Err(format!("{} is not built", program.display()).into()),
    }
}

/// Shows what is sent, until the terminal is gone.
fn follow(mut master: File, parser: Arc<Mutex<vt100::Parser>>) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = master.read(&mut bytes) {
            let mut parser = parser.lock().unwrap_or_else(PoisonError::into_inner);
            parser.process(bytes.get(..count).unwrap_or_default());
        }
    });
}

fn window(columns: u16, rows: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

fn some(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap_or(NonZero::<u16>::MIN)
}

/// Takes a terminal for its own, and becomes the program that runs in it.
pub(crate) fn become_program(mut words: impl Iterator<Item = OsString>) -> Result<(), Failed> {
    let mut next = || words.next().ok_or("too few arguments");
    let (device, program) = (next()?, next()?);
    // Whoever leads a session has no terminal, until it takes one.
    rustix::process::setsid()?;
    let terminal = OpenOptions::new().read(true).write(true).open(device)?;
    rustix::process::ioctl_tiocsctty(&terminal)?;
    let failed = Command::new(program)
        .args(words)
        .stdin(terminal.try_clone()?)
        .stdout(terminal.try_clone()?)
        .stderr(terminal)
        .exec();
    Err(failed.into())
}
