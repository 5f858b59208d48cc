//! Files that hold together.

use std::{fs, path::PathBuf};

use super::*;

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn missing(&self) -> PathBuf {
        self.0.path().join("missing.toml")
    }
}

#[test]
fn each_layer_stays_a_policy_of_its_own() {
    let files = Files::new();
    let managed = files.write("managed.toml", "default = \"deny\"\n");
    let user = files.write("user.json", "{\"shell\":{\"allow\":[\"ls *\"]}}");
    let project = files.write("project", "default: ask\n");
    let loader = Loader::new()
        .managed(managed)
        .user(user)
        .project(project, true);
    let layers = loader.load().unwrap();
    let kinds: Vec<_> = layers
        .iter()
        .map(|layer| layer.kind().to_string())
        .collect();
    assert_eq!(kinds, ["managed", "user", "project"]);
    let defaults: Vec<_> = layers
        .iter()
        .map(|layer| layer.spec.default.is_some())
        .collect();
    assert_eq!(defaults, [true, false, true]);
}

#[test]
fn a_layer_that_cannot_be_read_is_never_skipped() {
    let files = Files::new();
    let good = files.write("good.toml", "default = \"deny\"\n");
    let bad = files.write("bad.toml", "defualt = \"deny\"\n");
    let odd = files.write("odd.toml", "");
    fs::write(&odd, b"default = \"\xff\"\n").unwrap();
    for loader in [
        Loader::new().managed(files.missing()).user(&good),
        Loader::new().user(files.missing()).managed(&good),
        Loader::new().project(files.missing(), true).managed(&good),
        Loader::new().managed(&bad).user(&good),
        Loader::new().managed(&good).user_if_there(&bad),
        Loader::new().managed(&good).project(&bad, false),
        Loader::new().managed(&odd).user(&good),
    ] {
        assert!(loader.load().is_err(), "{loader:?}");
    }
    let both = Loader::new().managed(&bad).user(files.missing()).load();
    let codes: Vec<_> = both.unwrap_err().iter().map(|d| d.code).collect();
    assert_eq!(
        codes,
        ["unknown-key", "unreadable"],
        "all problems of all files"
    );
}

#[test]
fn files_that_need_not_be_there_need_not_be_there() {
    let files = Files::new();
    let good = files.write("good.toml", "default = \"deny\"\n");
    let loader = Loader::new()
        .managed(&good)
        .user_if_there(files.missing())
        .project_if_there(files.missing(), false);
    assert_eq!(loader.load().unwrap().iter().count(), 1);
}

#[test]
fn no_policy_at_all_is_an_error() {
    let files = Files::new();
    for loader in [Loader::new(), Loader::new().user_if_there(files.missing())] {
        let wrong = loader.load().unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "error[no-policy]: no policy was found\n\n1 error"
        );
    }
}

#[test]
fn an_environment_has_to_be_known_to_one_of_them() {
    let files = Files::new();
    let one = files.write(
        "one.toml",
        "default = \"ask\"\n[env.ci]\ndefault = \"deny\"\n",
    );
    let other = files.write("other.toml", "default = \"ask\"\n");
    let loader = Loader::new().managed(&one).user(&other);
    let layers = loader.clone().environment("ci").load().unwrap();
    let default = |layer: &Layer| layer.spec.default.as_ref().unwrap().value;
    assert_eq!(default(&layers.list[0]), crate::spec::DefaultSpec::Deny);
    assert_eq!(default(&layers.list[1]), crate::spec::DefaultSpec::Ask);
    let wrong = loader.environment("cl").load().unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "error[unknown-environment]: there is no environment `cl`\n  |\n  \
         = help: there are `ci`\n\n1 error"
    );
}

#[test]
fn a_file_can_be_pinned_to_its_digest() {
    let files = Files::new();
    let path = files.write("policy.toml", "default = \"deny\"\n");
    let right = "b7d8dc90df7d47f65b60b61f5c8ce71dd4fbd8a5afbd0e5fd7c3fc6a4d1b0e3a";
    let digest = digest_of("default = \"deny\"\n");
    assert_ne!(digest, right);
    let loader = Loader::new().managed(&path);
    assert!(loader.clone().expect_sha256(&path, &digest).load().is_ok());
    let upper = digest.to_uppercase();
    assert!(loader.clone().expect_sha256(&path, upper).load().is_ok());
    for wrong in [right, "", "abc", &digest[..63]] {
        let wrong = loader
            .clone()
            .expect_sha256(&path, wrong)
            .load()
            .unwrap_err();
        assert!(wrong.to_string().contains("its SHA-256 differs"), "{wrong}");
    }
    fs::write(&path, "default = \"ask\"\n").unwrap();
    assert!(loader.clone().expect_sha256(&path, &digest).load().is_err());
    let stray = loader
        .expect_sha256("other.toml", &digest)
        .load()
        .unwrap_err();
    assert!(stray.to_string().contains("not there"), "{stray}");
}

fn digest_of(text: &str) -> String {
    use sha2::Digest;
    let bytes = sha2::Sha256::digest(text);
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

#[test]
fn what_is_not_text_is_shown_where_it_is() {
    let files = Files::new();
    let path = files.write("p.toml", "");
    fs::write(&path, b"a = 1\nb = \"x\xff\"\n").unwrap();
    let wrong = Loader::new().user(&path).load().unwrap_err();
    let first = wrong.iter().next().unwrap();
    assert_eq!(
        (first.code, first.place.line, first.place.column),
        ("not-utf8", 2, 7)
    );
}

#[test]
fn what_is_shown_of_layers_has_no_secrets() {
    let files = Files::new();
    let path = files.write("p.toml", "secrets = [\"sk-live-1\"]\n");
    let layers = Loader::new().user(path).load().unwrap();
    assert!(!format!("{layers:?}").contains("sk-live-1"));
}
