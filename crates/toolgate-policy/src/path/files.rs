//! What there is in the file system.

mod fake;

use std::{fmt, fs, io};

pub use self::fake::FakeFiles;

/// What is at a path, links not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Look {
    /// Nothing.
    Missing,
    /// A plain file.
    File {
        /// How many names it has.
        links: u64,
    },
    /// A directory.
    Directory,
    /// A symbolic link, and what is written in it.
    Link(String),
    /// A pipe, a device, a socket or another thing that is not a plain file.
    Special,
    /// It cannot be found out.
    Error,
}

/// Looks things up in a file system.
///
/// Paths are decided on by what they say and by where they lead. This is how the second is found
/// out: [`SystemFiles`] asks the system, [`FakeFiles`] knows what it was told.
pub trait Files: fmt::Debug + Send + Sync {
    /// Says what is at an absolute path. All but the last component are there and are no links.
    fn look(&self, path: &str) -> Look;
}

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemFiles;

impl Files for SystemFiles {
    fn look(&self, path: &str) -> Look {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => link(path),
            Ok(found) if found.is_dir() => Look::Directory,
            Ok(found) if found.is_file() => Look::File {
                links: links(&found),
            },
            Ok(_) => Look::Special,
            Err(error) if is_missing(&error) => Look::Missing,
            Err(_) => Look::Error,
        }
    }
}

fn link(path: &str) -> Look {
    match fs::read_link(path).map(|target| target.into_os_string().into_string()) {
        Ok(Ok(target)) => Look::Link(target),
        _ => Look::Error,
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(unix)]
fn links(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

#[cfg(not(unix))]
fn links(_: &fs::Metadata) -> u64 {
    1
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_asked() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        fs::write(at("file"), "").unwrap();
        fs::hard_link(at("file"), at("same")).unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();

        assert_eq!(SystemFiles.look(&at("file")), Look::File { links: 2 });
        assert_eq!(SystemFiles.look(&at("link")), Look::Link("file".into()));
        assert_eq!(SystemFiles.look(&at("")), Look::Directory);
        assert_eq!(SystemFiles.look(&at("socket")), Look::Special);
        assert_eq!(SystemFiles.look(&at("none")), Look::Missing);
        assert_eq!(SystemFiles.look(&at("file/none")), Look::Missing);
        assert_eq!(SystemFiles.look(&at(&"x".repeat(300))), Look::Error);
        assert_eq!(SystemFiles.look("a\0b"), Look::Error);
    }
}
