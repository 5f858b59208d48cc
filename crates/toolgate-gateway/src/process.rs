//! A server that is a program: started, spoken to over its pipes, and ended.

use std::{io, process::Stdio, sync::Arc, time::Duration};

use tokio::{
    io::BufReader,
    process::{Child, ChildStdin, ChildStdout},
    sync::watch,
    time::{sleep, timeout},
};

use crate::{
    config::Command,
    frame::{Message, Unusable},
    lines::{self, Line},
    queue,
    session::Shared,
};

/// A server that is a program.
pub(crate) struct Process {
    child: Child,
    /// The process group, which has the number of the program.
    group: Option<u32>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    queue: queue::Receiver<String>,
}

impl Process {
    /// Starts the program, in a process group of its own, so that all of it can be ended.
    pub(crate) fn start(command: &Command, queue: queue::Receiver<String>) -> io::Result<Self> {
        let mut start = tokio::process::Command::new(&command.program);
        start.args(&command.args).envs(&command.env);
        start
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &command.cwd {
            start.current_dir(directory);
        }
        #[cfg(unix)]
        start.process_group(0);
        let mut child = start.spawn()?;
        let pipe = || io::Error::other("the program has no pipes");
        Ok(Self {
            stdin: child.stdin.take().ok_or_else(pipe)?,
            stdout: child.stdout.take().ok_or_else(pipe)?,
            group: child.id(),
            child,
            queue,
        })
    }

    /// Carries messages until the program ends, or until `closing` and then some time.
    pub(crate) async fn run(
        mut self,
        session: Arc<Shared>,
        server: usize,
        mut closing: watch::Receiver<bool>,
    ) {
        let (mut stdin, mut queue) = (self.stdin, self.queue);
        let mut closed = closing.clone();
        let writing = tokio::spawn(async move {
            let over = async { drop(closed.wait_for(|closed| *closed).await) };
            // A pipe that is broken shows on the other one, too.
            let _ = lines::write(&mut stdin, &mut queue, over).await;
        });
        let grace = session.core.grace;
        let why = tokio::select! {
            why = read(self.stdout, &session, server) => why,
            () = left(&mut self.child, grace) => "it ended".to_owned(),
            () = over(&mut closing, grace) => "it did not end in time".to_owned(),
        };
        writing.abort();
        let status = end(&mut self.child, self.group).await;
        session.server_gone(server, &format!("{why}{status}")).await;
    }
}

/// Resolves some time after the program ended, which may show nowhere else: what it started can hold
/// its output.
async fn left(child: &mut Child, grace: Duration) {
    let _ = child.wait().await;
    sleep(grace).await;
}

/// Resolves some time after the session began to end.
async fn over(closing: &mut watch::Receiver<bool>, grace: Duration) {
    let _ = closing.wait_for(|closed| *closed).await;
    sleep(grace).await;
}

/// Reads what the program says, until it says no more. Returns why.
async fn read(stdout: ChildStdout, session: &Arc<Shared>, server: usize) -> String {
    let limit = session.core.most_bytes;
    let mut stdout = BufReader::with_capacity(64 << 10, stdout);
    loop {
        match lines::read(&mut stdout, limit).await {
            Ok(Line::Text(line)) if line.trim_ascii().is_empty() => {}
            // Programs write other things to their output, too. That is no reason to end.
            Ok(Line::Text(line)) => {
                if let Ok(message) = Message::parse(&line) {
                    session.on_server(server, message).await;
                }
            }
            // Whose answer it was cannot be known, and somebody waits for it.
            Ok(Line::TooLong) => return Unusable::TooLong(limit).to_string(),
            Ok(Line::End) => return "it ended".to_owned(),
            Err(error) => return format!("it cannot be read: {}", error.kind()),
        }
    }
}

/// Ends the program and whatever it started. Returns with what it ended, if it did so by itself.
async fn end(child: &mut Child, group: Option<u32>) -> String {
    // Its output may close a moment before it ends.
    sleep(Duration::from_millis(50)).await;
    signal(group, End::Politely);
    let ended = timeout(Duration::from_secs(1), child.wait()).await;
    signal(group, End::AtOnce);
    let status = if let Ok(status) = ended {
        status
    } else {
        let _ = child.start_kill();
        child.wait().await
    };
    match status.ok().and_then(|status| status.code()) {
        Some(code) => format!(" with status {code}"),
        None => String::new(),
    }
}

#[derive(Clone, Copy)]
enum End {
    Politely,
    AtOnce,
}

#[cfg(unix)]
fn signal(group: Option<u32>, end: End) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = group.and_then(|id| Pid::from_raw(id.cast_signed()));
    let signal = match end {
        End::Politely => Signal::TERM,
        End::AtOnce => Signal::KILL,
    };
    if let Some(group) = group {
        // It may be gone already.
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal(_: Option<u32>, _: End) {}
