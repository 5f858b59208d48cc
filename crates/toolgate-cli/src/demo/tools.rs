//! The tools of the session. They do what they say, in the folder of the session.

use std::{
    fs,
    io::{self, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use serde::Deserialize;
use toolgate::{Tool, Toolbox};
use tower::BoxError;

use crate::fail::Fail;

#[derive(Deserialize)]
struct OnPath {
    path: String,
}

#[derive(Deserialize)]
struct Written {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct Line {
    command: String,
}

#[derive(Deserialize)]
struct Address {
    url: String,
}

/// The tools, in a folder.
pub(super) fn toolbox(folder: &Path) -> Result<Toolbox, Fail> {
    let read = in_folder(folder, |folder, OnPath { path }| {
        fs::read_to_string(folder.join(path))
    });
    let write = in_folder(folder, |folder, Written { path, content }| {
        fs::write(folder.join(path), &content)?;
        Ok(format!("wrote {} bytes", content.len()))
    });
    let shell = in_folder(folder, |folder, Line { command }| run(&folder, &command));
    let fetch = in_folder(folder, |_, Address { url }| fetch(&url));
    let tools = [
        Tool::new("read_file", read),
        Tool::new("write_file", write),
        Tool::new("shell", shell),
        Tool::new("fetch", fetch),
    ];
    Toolbox::new(tools).map_err(|_| Fail::own_mistake())
}

/// A tool that works in the folder, on a thread that may wait.
fn in_folder<A: Send + 'static>(
    folder: &Path,
    work: fn(PathBuf, A) -> io::Result<String>,
) -> impl Fn(A) -> std::pin::Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>> + use<A>
{
    let folder = folder.to_owned();
    move |args| {
        let folder = folder.clone();
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || work(folder, args)).await?;
            Ok(done?)
        })
    }
}

fn run(folder: &Path, command: &str) -> io::Result<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()?;
    let text = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// As much of HTTP as our own server speaks.
fn fetch(url: &str) -> io::Result<String> {
    let odd = || io::Error::new(io::ErrorKind::InvalidInput, "the address cannot be fetched");
    let rest = url.strip_prefix("http://").ok_or_else(odd)?;
    let (host, path) = rest.split_once('/').ok_or_else(odd)?;
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(
        stream,
        "GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.take(1 << 20).read_to_string(&mut answer)?;
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body);
    body.map(str::to_owned).ok_or_else(odd)
}
