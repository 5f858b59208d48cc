//! Files that somebody else could have written.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
};

use super::*;

struct Place {
    directory: tempfile::TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("policy.toml");
    fs::write(&path, "[shell]\nallow = [\"ls *\"]\ndeny = [\"rm *\"]\n").unwrap();
    mode(&path, 0o644);
    Place { directory, path }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Whether only root may give files away, which these tests then cannot.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn refused(path: &Path) -> String {
    let user = Loader::new().user(path).load().unwrap_err();
    let managed = Loader::new().managed(path).load().unwrap_err();
    assert_eq!(user.to_string(), managed.to_string());
    user.to_string()
}

#[test]
fn a_file_of_ones_own_is_believed() {
    let place = place();
    let layers = Loader::new().user(&place.path).load().unwrap();
    assert_eq!(
        layers.list[0]
            .spec
            .shell
            .as_ref()
            .unwrap()
            .rules
            .allow
            .len(),
        1
    );
    assert!(layers.notes().is_empty(), "{}", layers.notes());
}

#[test]
fn a_file_that_others_can_write_is_not() {
    let place = place();
    mode(&place.path, 0o646);
    let path = place.path.display();
    assert_eq!(
        refused(&place.path),
        format!(
            "error[untrusted-file]: the policy can be written by others\n --> {path}\n  |\n  \
             = help: run `chmod go-w {path}`\n\n1 error"
        )
    );
}

#[test]
fn nor_one_in_a_directory_that_others_can_write() {
    let place = place();
    for bits in [0o777, 0o1777] {
        mode(place.directory.path(), bits);
        let wrong = refused(&place.path);
        assert!(
            wrong.contains("the directory of the policy can be written"),
            "{wrong}"
        );
    }
    mode(place.directory.path(), 0o755);
    let inner = place.directory.path().join("inner");
    fs::create_dir(&inner).unwrap();
    mode(&inner, 0o755);
    let path = inner.join("policy.toml");
    fs::copy(&place.path, &path).unwrap();
    assert!(Loader::new().user(&path).load().is_ok());
    mode(place.directory.path(), 0o777);
    let wrong = refused(&path);
    assert!(
        wrong.contains("a directory above the policy can be written"),
        "{wrong}"
    );
    mode(place.directory.path(), 0o1777);
    assert!(
        Loader::new().user(&path).load().is_ok(),
        "nobody can move it from there"
    );
}

#[test]
fn nor_one_of_somebody_else() {
    if !is_root() {
        return;
    }
    let place = place();
    chown(&place.path, Some(12345), None).unwrap();
    let wrong = refused(&place.path);
    assert!(
        wrong.contains("the policy belongs to somebody else"),
        "{wrong}"
    );
    chown(&place.path, Some(0), None).unwrap();
    chown(place.directory.path(), Some(12345), None).unwrap();
    let wrong = refused(&place.path);
    assert!(
        wrong.contains("the directory of the policy belongs to somebody else"),
        "{wrong}"
    );
}

#[test]
fn a_group_that_is_not_only_ones_own_counts_as_others() {
    if !is_root() {
        return;
    }
    let place = place();
    mode(&place.path, 0o664);
    assert!(
        Loader::new().user(&place.path).load().is_ok(),
        "root's own group"
    );
    chown(&place.path, None, Some(12345)).unwrap();
    assert!(refused(&place.path).contains("can be written by others"));
}

#[test]
fn a_link_may_not_lead_out_of_its_directory() {
    let (place, other) = (place(), place_elsewhere());
    let link = place.directory.path().join("link.toml");
    symlink(&other.path, &link).unwrap();
    let wrong = refused(&link);
    assert!(
        wrong.contains("a link that leads out of its directory"),
        "{wrong}"
    );
    let project = Loader::new().project(&link, true).load().unwrap_err();
    assert!(
        project.to_string().contains("leads out"),
        "not even looked at"
    );
}

fn place_elsewhere() -> Place {
    place()
}

/// As clusters mount configuration: links within one directory.
#[test]
fn a_link_within_its_directory_is_fine() {
    let place = place();
    let link = place.directory.path().join("link.toml");
    symlink("policy.toml", &link).unwrap();
    assert!(Loader::new().user(&link).load().is_ok());
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let place = place();
    let wrong = refused(place.directory.path().parent().unwrap());
    assert!(wrong.contains("not a regular file"), "{wrong}");
    let wrong = refused(Path::new("/dev/null"));
    assert!(wrong.contains("not a regular file"), "{wrong}");
}

#[test]
fn a_project_that_others_can_write_only_restricts() {
    let place = place();
    mode(&place.path, 0o666);
    let layers = Loader::new().project(&place.path, true).load().unwrap();
    assert_eq!(layers.list[0].kind(), LayerKind::Project { trusted: false });
    let shell = layers.list[0].spec.shell.as_ref().unwrap();
    assert!(shell.rules.allow.is_empty());
    assert_eq!(shell.rules.deny.len(), 1);
    let codes: Vec<_> = layers.notes().iter().map(|note| note.code).collect();
    assert_eq!(codes, ["untrusted-file", "untrusted"]);
}
