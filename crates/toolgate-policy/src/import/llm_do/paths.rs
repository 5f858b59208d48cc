//! Sandboxes: directories that may be read, or read and written.

use super::{Config, Rule, Section, read::PathConfig};
use crate::{
    Diagnostics,
    diagnostic::{Diagnostic, quoted},
};

/// Makes rules over paths out of sandboxes, for reading and for writing.
pub(super) fn sections(config: &Config, losses: &mut Diagnostics) -> (Section, Section) {
    let (mut read, mut write) = (Section::default(), Section::default());
    if !config.has_sandbox {
        return (read, write);
    }
    let (mut readable, mut writable) = (Vec::new(), Vec::new());
    for path in &config.paths {
        let Some(patterns) = patterns(path, losses) else {
            continue;
        };
        named(path, losses);
        let asks = path.read_approval.as_ref().filter(|asks| asks.value);
        if let Some(asks) = asks {
            attachments(path, asks, losses);
        }
        for pattern in patterns {
            let list = if asks.is_some() {
                &mut read.ask
            } else {
                &mut read.allow
            };
            list.push(Rule::new(&pattern));
            readable.push(pattern.clone());
            if path.writable {
                let ask = path.write_approval;
                let list = if ask {
                    &mut write.ask
                } else {
                    &mut write.allow
                };
                list.push(Rule::new(&pattern));
                writable.push(pattern);
            }
        }
    }
    read.deny
        .push(everything_but(readable, "outside of every sandbox"));
    write.deny.push(everything_but(
        writable,
        "outside of every sandbox that may be written",
    ));
    (read, write)
}

/// Whatever the default, what lies outside is blocked.
fn everything_but(except: Vec<String>, reason: &'static str) -> Rule {
    Rule {
        pattern: "/**".to_owned(),
        except,
        reason: Some(reason),
    }
}

/// The patterns of a sandbox, one for each suffix that its files may have.
fn patterns(path: &PathConfig, losses: &mut Diagnostics) -> Option<Vec<String>> {
    let Some(root) = plain(&path.root.value) else {
        let message = format!("the sandbox {} is left out", quoted(&path.name.value));
        losses.push(
            Diagnostic::warning("sandbox", path.root.place.clone(), message)
                .with_label("its root is no plain path below the configuration or from `/` on"),
        );
        return None;
    };
    if path.suffixes.is_empty() {
        return Some(vec![format!("{root}**")]);
    }
    let mut patterns = Vec::new();
    for suffix in &path.suffixes {
        if is_plain(&suffix.value) && !suffix.value.contains('/') {
            patterns.push(format!("{root}**/*{}", suffix.value));
        } else {
            let message = format!("files that end in {} are left out", quoted(&suffix.value));
            losses.push(Diagnostic::warning(
                "sandbox",
                suffix.place.clone(),
                message,
            ));
        }
    }
    Some(patterns)
}

/// A root as the beginning of a pattern: nothing, or a path that ends in `/`.
fn plain(root: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in root.split('/') {
        match part {
            "" | "." => {}
            ".." => return None,
            part if is_plain(part) => parts.push(part),
            _ => return None,
        }
    }
    let mut plain = parts.join("/");
    if root.starts_with('/') {
        plain.insert(0, '/');
    }
    if !plain.is_empty() && !plain.ends_with('/') {
        plain.push('/');
    }
    Some(plain)
}

/// Whether a name stands for itself in a pattern.
fn is_plain(name: &str) -> bool {
    let special = |c: char| c.is_control() || "*?[]{}!\\$".contains(c);
    !name.contains(special) && !name.starts_with('~')
}

/// Calls named files by their sandbox; here they are named as they lie.
fn named(path: &PathConfig, losses: &mut Diagnostics) {
    let name = &path.name.value;
    let root = path.root.value.trim_start_matches("./");
    if root.trim_end_matches('/') != name {
        let message = format!(
            "paths that began with {} have to begin with {}",
            quoted(name),
            quoted(&path.root.value)
        );
        losses.push(
            Diagnostic::note("sandbox-name", path.name.place.clone(), message)
                .with_label("rules are about paths as they lie in the file system"),
        );
    }
}

fn attachments(path: &PathConfig, asks: &crate::Located<bool>, losses: &mut Diagnostics) {
    let message = format!(
        "every reading of {} is asked about",
        quoted(&path.name.value)
    );
    losses.push(
        Diagnostic::note("read-approval", asks.place.clone(), message)
            .with_label("this was about attachments only"),
    );
}
