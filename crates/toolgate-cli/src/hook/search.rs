//! A search reads everything below a directory, so everything there has to be readable.

use std::{fs, path::Path};

use toolgate::{Args, Effect};
use toolgate_policy::FilePolicy;

use super::{Input, answer::Answer};
use crate::verdict::Verdict;

/// How many files are looked at before somebody is asked instead.
const MOST: usize = 4_000;

/// What agents do not search in.
const LEFT_OUT: [&str; 6] = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"];

/// Judges every file below a directory, as far as there are not too many.
pub(super) fn judge(policy: &FilePolicy, directory: &Path, input: &Input, answer: &mut Answer) {
    let mut left = MOST;
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        // A file, or something that nobody can search: it was judged itself.
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name();
            let kind = entry.file_type().ok();
            let is = |test: fn(&fs::FileType) -> bool| kind.as_ref().is_some_and(test);
            // A search follows no links.
            if is(fs::FileType::is_symlink) {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else {
                let why = "there is too much below it to look at: search in a narrower path";
                return answer.at_least(Effect::Ask, why.to_owned());
            };
            left = rest;
            if is(fs::FileType::is_dir) {
                if !LEFT_OUT.iter().any(|out| name == *out) {
                    open.push(entry.path());
                }
                continue;
            }
            refuse(policy, &entry.path(), input, answer);
            if answer.effect() == Effect::Deny {
                return;
            }
        }
    }
}

/// Takes into account what the policy says of one file, unless it allows to read it.
fn refuse(policy: &FilePolicy, file: &Path, input: &Input, answer: &mut Answer) {
    let Some(path) = file.to_str() else {
        let why = "a file below it has a name that is not UTF-8";
        return answer.at_least(Effect::Ask, why.to_owned());
    };
    let call = input.call("read_file", Args::new().with("path", path));
    if policy.effect(&call) == Effect::Allow {
        return;
    }
    let verdict = Verdict::of(policy, &call);
    if verdict.effect != Effect::Allow {
        let why = format!(
            "it would also read a file that may not be read: {}; search in a narrower path",
            verdict.sentence()
        );
        answer.at_least(verdict.effect, why);
    }
}
