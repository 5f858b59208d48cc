//! What a patch in the form of `apply_patch` changes.

/// One thing that a patch does to the files.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    Write { path: String, text: String },
    Delete { path: String },
    Move { from: String, to: String },
}

/// Everything that a patch changes; or why that cannot be told.
///
/// Every line has to be one that the form knows: what is not understood here could be understood
/// by whoever applies the patch.
pub(super) fn changes(text: &str) -> Result<Vec<Change>, String> {
    let mut lines = text.trim_end_matches(['\n', ' ']).split('\n').peekable();
    if lines.next() != Some("*** Begin Patch") {
        return Err("the patch does not begin with `*** Begin Patch`".to_owned());
    }
    let mut changes = Vec::new();
    while let Some(line) = lines.next() {
        if line == "*** End Patch" {
            return match (lines.next(), changes.is_empty()) {
                (None, false) => Ok(changes),
                (None, true) => Err("the patch changes nothing".to_owned()),
                (Some(_), _) => Err("the patch goes on behind its end".to_owned()),
            };
        }
        if let Some(path) = line.strip_prefix("*** Delete File: ") {
            changes.push(Change::Delete { path: named(path)? });
            continue;
        }
        let add = line.strip_prefix("*** Add File: ");
        let named_file = add.or_else(|| line.strip_prefix("*** Update File: "));
        let path = named(named_file.ok_or("the patch has a line that is not understood")?)?;
        let moved = lines
            .peek()
            .and_then(|line| line.strip_prefix("*** Move to: "));
        if let Some(to) = moved {
            let to = named(to)?;
            lines.next();
            changes.push(Change::Write {
                path: to.clone(),
                text: String::new(),
            });
            changes.push(Change::Move {
                from: path.clone(),
                to,
            });
        }
        let mut content = String::new();
        while let Some(line) = lines.next_if(|line| is_content(line)) {
            content.push_str(line);
            content.push('\n');
        }
        changes.push(Change::Write {
            path,
            text: content,
        });
    }
    Err("the patch has no end".to_owned())
}

/// What stands between the heads: lines that stay, go or come, and what parts them.
fn is_content(line: &str) -> bool {
    line.is_empty()
        || line.starts_with([' ', '+', '-'])
        || line.starts_with("@@")
        || line == "*** End of File"
}

fn named(path: &str) -> Result<String, String> {
    match path.trim() == path && !path.is_empty() {
        true => Ok(path.to_owned()),
        false => Err("the patch names a file that is not one".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(body: &str) -> String {
        format!("*** Begin Patch\n{body}*** End Patch\n")
    }

    #[test]
    fn every_file_is_found() {
        let text = patch(
            "*** Add File: a\n+x\n*** Update File: b\n@@ f\n-x\n+y\n*** Delete File: c\n\
             *** Update File: d\n*** Move to: e\n@@\n x\n",
        );
        let found = changes(&text).unwrap();
        let paths = found.iter().map(|change| match change {
            Change::Write { path, .. } => format!("write {path}"),
            Change::Delete { path } => format!("delete {path}"),
            Change::Move { from, to } => format!("move {from} {to}"),
        });
        let paths: Vec<_> = paths.collect();
        let wanted = [
            "write a", "write b", "delete c", "write e", "move d e", "write d",
        ];
        assert_eq!(paths, wanted);
    }

    #[test]
    fn what_is_not_understood_is_not_guessed() {
        for bad in [
            "",
            "*** Begin Patch\n",
            "*** Begin Patch\n*** End Patch\n",
            "*** Begin Patch\n*** Add File: a\n+x\n",
            "*** Begin Patch\n*** Rename File: a\n*** End Patch\n",
            "*** Begin Patch\n*** Add File:  a\n*** End Patch\n",
            "*** Begin Patch\n*** Add File: \n*** End Patch\n",
            "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n*** Add File: b\n+x\n",
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n",
            " *** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n",
        ] {
            assert!(changes(bad).is_err(), "{bad:?}");
        }
    }
}
