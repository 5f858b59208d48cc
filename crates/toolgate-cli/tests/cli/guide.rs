//! What the guide shows is what the command says, and what its recipes promise holds.
//!
//! A `console` block has commands behind `$ ` and what they print. A block behind a line
//! `<!-- file: NAME -->` is a file. Both are played in the order of the page, in one directory.
//! With `TOOLGATE_WRITE_GUIDE=1` the pages are written anew instead of compared.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::kit::{Project, command};

/// Where the pages call the directory that they are played in.
const HERE: &str = "/home/you/greeter";

fn guide() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

/// Files of the guide, and of a folder in it.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let found = fs::read_dir(guide().join(folder)).unwrap();
    let found = found.map(|entry| entry.unwrap().path());
    let named = |path: &PathBuf| path.to_str().unwrap().ends_with(ending);
    let mut found: Vec<_> = found.filter(named).collect();
    found.sort();
    found
}

#[test]
fn every_transcript_is_what_the_command_says() {
    let mut played = 0;
    for page in files("", ".md") {
        let text = fs::read_to_string(&page).unwrap();
        played += text.matches("\n$ ").count();
        let wanted = replayed(&text);
        if std::env::var_os("TOOLGATE_WRITE_GUIDE").is_some() {
            fs::write(&page, wanted).unwrap();
        } else {
            compare(&page, &text, &wanted);
        }
    }
    assert!(played > 15, "the pages have lost their transcripts");
}

/// Complains of the first line that is not as it should be.
fn compare(page: &Path, text: &str, wanted: &str) {
    for (number, (line, now)) in text.lines().zip(wanted.lines()).enumerate() {
        let place = format!("{}:{}", page.display(), number + 1);
        assert_eq!(line, now, "{place} is out of date");
    }
    assert_eq!(
        text.len(),
        wanted.len(),
        "{} is out of date",
        page.display()
    );
}

/// The page, with what its commands print now.
fn replayed(page: &str) -> String {
    let project = Project::empty();
    let (mut out, mut file, mut lines) = (String::new(), None, page.lines());
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        if let Some(name) = line.strip_prefix("<!-- file: ") {
            file = name.strip_suffix(" -->");
        }
        if line == "```console" {
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            out += &transcript(&project, &block);
            out += "```\n";
        } else if line.starts_with("```") && line.len() > 3 {
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            let text = block.join("\n") + "\n";
            if let Some(name) = file.take() {
                let here = project.path();
                project.write(name, &text.replace(HERE, here.to_str().unwrap()));
            }
            let _ = writeln!(out, "{text}```");
        }
    }
    out
}

/// The commands of a block, each with what it prints.
fn transcript(project: &Project, block: &[&str]) -> String {
    let mut out = String::new();
    for line in block {
        let Some(line) = line.strip_prefix("$ ") else {
            continue;
        };
        let _ = write!(out, "$ {line}\n{}", printed(project, line));
    }
    out
}

/// What a shell prints for a line, and the exit code if it is not zero.
fn printed(project: &Project, line: &str) -> String {
    let toolgate = command(&project.path());
    let folder = PathBuf::from(toolgate.get_program());
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.parent().unwrap().display());
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("{{ {line}\n}} 2>&1")])
        .current_dir(project.path())
        .env_clear()
        .env("HOME", project.path().join("home"))
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    match output.status.code() {
        Some(0) => {}
        Some(code) => drop(writeln!(text, "[exit code {code}]")),
        None => panic!("{line} did not end by itself"),
    }
    text.replace(project.path().to_str().unwrap(), HERE)
}

#[test]
fn every_recipe_loads_lints_clean_and_passes_its_tests() {
    let recipes = files("recipes", ".toml");
    let recipes = recipes
        .iter()
        .filter(|path| !path.to_str().unwrap().ends_with(".tests.toml"));
    let mut seen = 0;
    for recipe in recipes {
        seen += 1;
        let project = Project::new(&fs::read_to_string(recipe).unwrap());
        let cases = fs::read_to_string(recipe.with_extension("tests.toml")).unwrap();
        assert!(cases.matches("[[case]]").count() >= 8, "{recipe:?}");
        project.write("toolgate.tests.toml", &cases);
        project
            .run(&["lint"])
            .code(0)
            .says("nothing to complain about");
        project.run(&["test"]).code(0).says("0 failed");
        let page = fs::read_to_string(guide().join("recipes.md")).unwrap();
        let name = recipe.file_name().unwrap().to_str().unwrap();
        assert!(page.contains(name), "no page tells of {name}");
    }
    assert_eq!(seen, 4);
}

#[test]
fn every_link_leads_somewhere() {
    let pages = files("", ".md");
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap();
            if link.is_empty() || link.starts_with("https://") {
                continue;
            }
            let target = page.parent().unwrap().join(link);
            assert!(target.exists(), "{}: {link}", page.display());
        }
        let name = page.file_name().unwrap().to_str().unwrap();
        let index = fs::read_to_string(guide().join("README.md")).unwrap();
        assert!(
            name == "README.md" || index.contains(name),
            "{name} is in no index"
        );
    }
}
