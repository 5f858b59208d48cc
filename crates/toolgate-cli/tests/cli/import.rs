//! `toolgate import`.

use crate::kit::Project;

#[test]
fn a_policy_comes_out_and_what_is_lost_is_reported() {
    let project = Project::empty();
    project.write(
        ".claude/settings.json",
        r#"{"permissions": {"allow": ["Bash(git status:*)", "Bash"], "deny": ["Read(.env)"]},
            "model": "x"}"#,
    );
    let ran = project
        .run(&[
            "import",
            "claude",
            ".claude/settings.json",
            "-o",
            "toolgate.toml",
        ])
        .code(0)
        .complains("loss: Bash: it allowed every command; now it allows nothing");
    assert_eq!(ran.out, "");
    project.run(&["lint"]).code(0);
    project.run(&["check", "--", "git status -s"]).code(0);
    project.run(&["check", "--", "make"]).code(10);
    project
        .run(&["check", "-t", "read_file", "-a", "path=x/.env"])
        .code(20);
    project
        .run(&[
            "import",
            "claude",
            ".claude/settings.json",
            "-o",
            "toolgate.toml",
        ])
        .code(2)
        .complains("is there already");
    let strict = project
        .run(&["import", "claude", ".claude/settings.json", "--strict"])
        .code(1);
    assert_eq!(strict.out, "");
}

#[test]
fn what_reads_files_is_not_allowed_beside_what_denies_reading() {
    let project = Project::empty();
    project.write(
        "settings.json",
        r#"{"permissions": {"allow": ["Bash(cat *)"], "deny": ["Read(.env)"]}}"#,
    );
    let imported = project
        .run(&["import", "claude", "settings.json"])
        .code(0)
        .complains("is not held against `Read(.env)`");
    project.write("toolgate.toml", &imported.out);
    project.run(&["check", "--", "cat .env"]).code(10);
}

#[test]
fn what_was_denied_is_not_asked_about() {
    let project = Project::empty();
    for (system, text, line) in [
        (
            "claude",
            r#"{"permissions": {"deny": ["Bash(*--force*)"]}}"#,
            "git push --force",
        ),
        (
            "opencode",
            r#"{"permission": {"bash": {"*": "deny", "ls *": "allow"}}}"#,
            "make",
        ),
        ("opencode", r#"{"tools": {"bash": false}}"#, "ls"),
        (
            "gemini",
            "[[rule]]\ntoolName = \"run_shell_command\"\nargsPattern = \"x\"\ndecision = \"deny\"\n",
            "ls",
        ),
    ] {
        project.write("from", text);
        let imported = project.run(&["import", system, "from"]).code(0);
        project.write("toolgate.toml", &imported.out);
        project.run(&["check", "--", line]).code(20);
    }
}

#[test]
fn every_system_is_read() {
    let project = Project::empty();
    for (system, text) in [
        ("codex", "prefix_rule(pattern=[\"git\", \"status\"])\n"),
        (
            "gemini",
            "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"git status\"\ndecision = \"allow\"\n",
        ),
        (
            "opencode",
            "{\"permission\": {\"bash\": {\"git status *\": \"allow\"}}}",
        ),
        (
            "llm-do",
            "shell_default: { allowed: false }\nshell_rules:\n  - { pattern: git status, approval_required: false }\n",
        ),
    ] {
        project.write("from", text);
        let ran = project
            .run(&["import", system, "from"])
            .code(0)
            .says("git status *");
        project.write("policy.toml", &ran.out);
        project
            .run(&["check", "-p", "policy.toml", "--", "git status"])
            .code(0);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let project = Project::empty();
    for (system, text, part) in [
        ("claude", "{", "from: the file cannot be read"),
        (
            "claude",
            "{\"permissions\": {\"allow\": \"Bash\"}}",
            "`permissions.allow` is not a list",
        ),
        (
            "codex",
            "\n\nallow = True\n",
            "from:3: `allow` is not the call",
        ),
        (
            "codex",
            "prefix_rule(pattern=[\"git\", []], decision=\"forbidden\")",
            "from:1: `pattern` has a list without words",
        ),
        ("claude", "[]", "from: the file is not a JSON object"),
        (
            "opencode",
            "{\"tools\": {\"bash\": 1}}",
            "`tools.bash` is neither",
        ),
        ("codex", "other(x=\"y\")\n", "from:1: `other` is not known"),
        (
            "codex",
            "prefix_rule(pattern=[\"a\"], decision=\"maybe\")",
            "`maybe` is no decision",
        ),
        (
            "gemini",
            "[[rule]]\ntoolName = \"x\"\n",
            "rule 1: `decision`",
        ),
        ("gemini", "[[rule]\n", "from:1:"),
        (
            "opencode",
            "{\"permission\": {\"bash\": 1}}",
            "`bash` is none of",
        ),
        ("opencode", "{\"a\": 1, // x\n}", "from:1:"),
        ("llm-do", "shell_rules: 1\n", "from:1:"),
    ] {
        project.write("from", text);
        let ran = project
            .run(&["import", system, "from"])
            .code(2)
            .complains(part);
        assert_eq!(ran.out, "");
    }
    project
        .run(&["import", "claude", "none"])
        .code(2)
        .complains("none cannot be read");
    project
        .run(&["import", "emacs", "none"])
        .code(2)
        .complains("emacs");
}
