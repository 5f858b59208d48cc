//! The folder that the session is played in, and the server that it fetches from.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::server::Server;
use crate::fail::Fail;

/// What is in the folder at the beginning.
const FILES: [(&str, &str); 4] = [
    (
        "README.md",
        "# Greeter\n\nSays hello. The greeting is in notes/greeting.txt.\n",
    ),
    ("notes/greeting.txt", "Hello.\nHow are you?\nGoodbye.\n"),
    (".env", "API_KEY=not-a-real-key\n"),
    ("build/old.txt", "left over\n"),
];

/// The folder that the session is played in, and the server that it fetches from.
#[derive(Debug)]
pub(super) struct Stage {
    folder: TempDir,
    server: Server,
}

impl Stage {
    pub(super) fn build() -> Result<Self, Fail> {
        let failed = |error: io::Error| Fail::new(format!("the folder cannot be made: {error}"));
        let folder = tempfile::Builder::new()
            .prefix("toolgate-demo-")
            .tempdir()
            .map_err(failed)?;
        for (name, text) in FILES {
            let path = folder.path().join(name);
            let parent = path.parent().unwrap_or(folder.path());
            fs::create_dir_all(parent).map_err(failed)?;
            fs::write(&path, text).map_err(failed)?;
        }
        let server = Server::start()
            .map_err(|error| Fail::new(format!("no port of this machine is free: {error}")))?;
        Ok(Self { folder, server })
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn port(&self) -> u16 {
        self.server.port()
    }

    /// Leaves the folder where it is.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}
