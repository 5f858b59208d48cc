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
