//! Real files, changed under a policy that is in force.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use super::*;

/// What the tests build: the patterns of what is denied in the shell.
#[expect(
    clippy::unnecessary_wraps,
    reason = "it is handed over as what builds a policy"
)]
fn denied(layers: &Layers) -> Result<Vec<String>, Diagnostics> {
    let shells = layers.iter().filter_map(|layer| layer.spec.shell.as_ref());
    let rules = shells.flat_map(|shell| &shell.rules.deny);
    Ok(rules.map(|rule| rule.pattern.value.clone()).collect())
}

struct File {
    directory: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    fn new(pattern: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("policy.toml");
        let file = Self { directory, path };
        file.write(&deny(pattern));
        file
    }

    fn write(&self, text: &str) {
        fs::write(&self.path, text).unwrap();
    }

    /// As editors do it: another file is put in its place.
    fn replace(&self, text: &str) {
        let new = self.directory.path().join(".policy.toml.new");
        fs::write(&new, text).unwrap();
        fs::rename(&new, &self.path).unwrap();
    }

    fn load(&self) -> Reloading<Vec<String>> {
        Reloading::load(Loader::new().user(&self.path), denied).unwrap()
    }
}

fn deny(pattern: &str) -> String {
    format!("[shell]\ndeny = [\"{pattern}\"]\n")
}

/// Waits for something that a thread does; a minute is for machines that are very busy.
fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn watched(policy: &Reloading<Vec<String>>, on_change: OnChange) -> Receiver<ReloadEvent> {
    let (sender, events) = channel();
    policy.watch(on_change, move |event| drop(sender.send(event.clone())));
    events
}

#[test]
fn reloading_on_demand_puts_the_new_policy_into_force() {
    let file = File::new("rm *");
    let policy = file.load();
    let before = policy.current();
    file.write(&deny("dd *"));
    assert_eq!(*policy.current(), ["rm *"], "not before it is asked for");
    assert_eq!(policy.reload().unwrap(), Reloaded::Changed);
    assert_eq!(*policy.current(), ["dd *"]);
    assert_eq!(
        *before,
        ["rm *"],
        "a call that began before keeps what it saw"
    );
    assert_eq!(policy.reload().unwrap(), Reloaded::Unchanged);
    assert_eq!(policy.status().generation, 1);
}

#[test]
fn a_broken_file_leaves_the_old_policy_in_force() {
    let file = File::new("rm *");
    let policy = file.load();
    for broken in ["{ broken", "", "[shell]\ndney = []\n"] {
        file.write(broken);
        let wrong = policy.reload().unwrap_err();
        assert!(wrong.has_errors());
        assert_eq!(*policy.current(), ["rm *"]);
        let failed = policy.status().failed.unwrap();
        assert_eq!(failed.to_string(), wrong.to_string());
    }
    file.write(&deny("rm *"));
    assert_eq!(policy.reload().unwrap(), Reloaded::Unchanged);
    assert!(policy.status().failed.is_none(), "it is well again");
    assert_eq!(policy.status().generation, 0);
}

#[test]
fn what_cannot_be_built_leaves_the_old_policy_in_force() {
    let file = File::new("rm *");
    let build = |layers: &Layers| match denied(layers)?.as_slice() {
        [one] if one == "panic" => panic!("on purpose"),
        [one] if one == "wrong" => Err(problem("wrong")),
        all => Ok(all.to_vec()),
    };
    let policy = Reloading::load(Loader::new().user(&file.path), build).unwrap();
    for text in ["wrong", "panic"] {
        file.write(&deny(text));
        assert!(policy.reload().is_err(), "{text}");
        assert_eq!(*policy.current(), ["rm *"], "{text}");
    }
    file.write(&deny("dd *"));
    assert_eq!(policy.reload().unwrap(), Reloaded::Changed);
}

#[test]
fn a_policy_that_is_gone_still_holds() {
    let file = File::new("rm *");
    let other = file.directory.path().join("base.toml");
    fs::write(&other, deny("dd *")).unwrap();
    let loader = Loader::new().managed(&other).user_if_there(&file.path);
    let policy = Reloading::load(loader, denied).unwrap();
    fs::remove_file(&file.path).unwrap();
    let wrong = policy.reload().unwrap_err();
    assert!(
        wrong.to_string().contains("was there and is gone"),
        "{wrong}"
    );
    assert_eq!(*policy.current(), ["dd *", "rm *"]);
}

#[test]
fn a_change_is_noticed_however_it_is_made() {
    let file = File::new("rm *");
    let policy = file.load();
    let events = watched(&policy, OnChange::Reload);
    assert_ne!(policy.status().watching, Watching::No);
    file.write(&deny("dd *"));
    eventually("written", || *policy.current() == ["dd *"]);
    file.replace(&deny("mv *"));
    eventually("replaced", || *policy.current() == ["mv *"]);
    file.replace(&deny("cp *"));
    eventually("replaced again", || *policy.current() == ["cp *"]);
    // Whoever reads in the middle of a write may have seen half of it first.
    let mut events = std::iter::from_fn(|| events.recv_timeout(Duration::from_secs(60)).ok());
    assert!(events.any(|event| matches!(event, ReloadEvent::Reloaded)));
}

#[test]
fn a_broken_change_is_reported_and_the_old_policy_holds() {
    let file = File::new("rm *");
    let policy = file.load();
    let events = watched(&policy, OnChange::Reload);
    file.replace("{ broken");
    let event = events.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(matches!(event, ReloadEvent::Failed(_)), "{event}");
    assert_eq!(*policy.current(), ["rm *"]);
    assert!(policy.status().failed.is_some());
    file.replace(&deny("dd *"));
    eventually("mended", || *policy.current() == ["dd *"]);
}

#[test]
fn a_change_that_needs_consent_waits_for_it() {
    let file = File::new("rm *");
    let policy = file.load();
    let events = watched(&policy, OnChange::Report);
    file.replace("[shell]\nallow = [\"rm *\"]\n");
    let event = events.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(matches!(event, ReloadEvent::Pending), "{event}");
    assert_eq!(*policy.current(), ["rm *"]);
    assert!(policy.status().pending);
    policy.reload().unwrap();
    assert!(policy.current().is_empty());
    assert!(!policy.status().pending);
}

#[test]
fn a_change_between_loading_and_watching_is_noticed() {
    let file = File::new("rm *");
    let policy = file.load();
    file.write(&deny("dd *"));
    let _events = watched(&policy, OnChange::Reload);
    eventually("noticed", || *policy.current() == ["dd *"]);
}

#[test]
fn reading_the_files_is_not_taken_for_a_change_of_them() {
    let file = File::new("rm *");
    let policy = file.load();
    let _events = watched(&policy, OnChange::Reload);
    file.write(&deny("dd *"));
    eventually("noticed", || *policy.current() == ["dd *"]);
    std::thread::sleep(Duration::from_millis(300));
    let attempts = policy.status().attempts;
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(policy.status().attempts, attempts);
}

#[test]
fn watching_ends_with_the_last_handle() {
    let file = File::new("rm *");
    let policy = file.load();
    let other = policy.clone();
    let token = Arc::new(());
    let held = Arc::downgrade(&token);
    policy.watch(OnChange::Reload, move |_| drop(Arc::clone(&token)));
    drop(policy);
    file.write(&deny("dd *"));
    eventually("still watched", || *other.current() == ["dd *"]);
    drop(other);
    let start = Instant::now();
    eventually("the thread ended", || held.upgrade().is_none());
    assert!(
        start.elapsed() < Duration::from_millis(1900),
        "without waiting for the next look"
    );
}

#[test]
fn no_reader_sees_half_of_a_change() {
    let file = File::new("a *");
    let both = |a: &str| format!("[shell]\ndeny = [\"{a} *\"]\nask = [\"{a} *\"]\n");
    file.write(&both("a"));
    let build = |layers: &Layers| {
        let shell = layers.list[0].spec.shell.as_ref().unwrap();
        let pattern = |rules: &[crate::spec::RuleSpec]| rules[0].pattern.value.clone();
        Ok((pattern(&shell.rules.deny), pattern(&shell.rules.ask)))
    };
    let policy = Reloading::load(Loader::new().user(&file.path), build).unwrap();
    let reader = {
        let policy = policy.clone();
        std::thread::spawn(move || {
            let mut seen = std::collections::BTreeSet::new();
            while !seen.contains("z *") {
                let now = policy.current();
                assert_eq!(now.0, now.1);
                seen.insert(now.0.clone());
            }
        })
    };
    for name in ('b'..='z').map(|c| c.to_string()) {
        file.replace(&both(&name));
        policy.reload().unwrap();
    }
    reader.join().unwrap();
}

#[test]
fn what_is_shown_of_it_has_no_secrets() {
    let file = File::new("rm *");
    file.write("secrets = [\"sk-live-1\"]\n");
    let shown = format!("{:?}", file.load());
    assert!(!shown.contains("sk-live-1"), "{shown}");
    assert!(shown.contains("generation: 0"), "{shown}");
    assert!(Path::new(&file.path).exists());
}
