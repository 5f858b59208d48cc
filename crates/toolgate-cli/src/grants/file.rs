//! A file of grants.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use toolgate::Grant;

use crate::fail::Fail;

/// A file of grants, as a memory exports them.
#[derive(Debug)]
pub(super) struct GrantsFile {
    path: PathBuf,
    saved: Saved,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    grants: Vec<Grant>,
}

impl GrantsFile {
    pub(super) fn read(path: &Path) -> Result<Self, Fail> {
        let text = fs::read_to_string(path).map_err(|error| Fail::unreadable(path, &error))?;
        let saved: Saved = serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let place = format!("{}:{line}:{column}", path.display());
            Fail::new(format!("{place}: this is no export of grants"))
                .with_help("name the file into which a program exports its grants")
        })?;
        if saved.version != 1 {
            let message = format!(
                "{} has the unknown version {}",
                path.display(),
                saved.version
            );
            return Err(Fail::new(message).with_help("this release reads version 1"));
        }
        Ok(Self {
            path: path.to_owned(),
            saved,
        })
    }

    pub(super) fn grants(&self) -> &[Grant] {
        &self.saved.grants
    }

    /// The grant that is meant by `g3` or `3`.
    pub(super) fn find(&self, id: &str) -> Result<&Grant, Fail> {
        let mut found = self.grants().iter().filter(|grant| is_meant(grant, id));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            (Some(_), Some(_)) => Err(Fail::new(format!("more than one grant is called `{id}`"))),
            (None, _) => Err(self.unknown(id)),
        }
    }

    /// Takes out all that are named, or none.
    pub(super) fn remove(&mut self, ids: &[String]) -> Result<usize, Fail> {
        for id in ids {
            if !self.grants().iter().any(|grant| is_meant(grant, id)) {
                return Err(self.unknown(id));
            }
        }
        let before = self.grants().len();
        let grants = &mut self.saved.grants;
        grants.retain(|grant| !ids.iter().any(|id| is_meant(grant, id)));
        Ok(before - self.grants().len())
    }

    pub(super) fn clear(&mut self) -> usize {
        std::mem::take(&mut self.saved.grants).len()
    }

    /// Puts a new file in place of the old one, so that nobody ever reads half of it.
    pub(super) fn write(&self) -> Result<(), Fail> {
        let text = serde_json::to_string_pretty(&self.saved).map_err(|_| Fail::own_mistake())?;
        let beside = self
            .path
            .with_extension(format!("new-{}", std::process::id()));
        let written = self.replace(&beside, &text);
        written.map_err(|error| {
            let _ = fs::remove_file(&beside);
            Fail::unwritable(&self.path, &error)
        })
    }

    fn replace(&self, beside: &Path, text: &str) -> io::Result<()> {
        // Through a link, it is the file behind it that is replaced.
        let target = self.path.canonicalize()?;
        let mut file: File = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(beside)?;
        file.set_permissions(target.metadata()?.permissions())?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(beside, target)
    }

    fn unknown(&self, id: &str) -> Fail {
        let file = self.path.display();
        Fail::new(format!("no grant in {file} is called `{id}`"))
            .with_help(format!("`toolgate grants list {file}` shows them all"))
    }
}

fn is_meant(grant: &Grant, id: &str) -> bool {
    let own = grant.id.to_string();
    own == id || own.strip_prefix('g') == Some(id)
}
