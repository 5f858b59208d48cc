//! Every tool that an agent has.

use serde_json::json;

use super::{ALLOW, ASK, DENY, effect, input};

#[test]
fn tools_are_judged_by_what_they_do() {
    let patch = |path: &str| format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch");
    for (tool, args, wanted) in [
        (
            "Bash",
            json!({"command": "ls -l", "description": "d", "timeout": 1}),
            ALLOW,
        ),
        ("Bash", json!({"command": "rm x"}), DENY),
        (
            "Bash",
            json!({"command": "ls", "dangerouslyDisableSandbox": true}),
            ASK,
        ),
        ("Bash", json!({"command": "ls", "cwd": "/"}), ASK),
        ("Bash", json!({"command": ["ls", "-l"]}), ALLOW),
        ("Bash", json!({"command": 1}), None),
        ("Bash", json!({}), None),
        (
            "Monitor",
            json!({"command": "rm x", "persistent": true}),
            DENY,
        ),
        ("PowerShell", json!({"command": "rm x"}), DENY),
        ("PowerShell", json!({"command": "ls"}), ASK),
        (
            "exec_command",
            json!({"cmd": "ls", "yield_time_ms": 1}),
            ALLOW,
        ),
        ("exec_command", json!({"cmd": "rm x"}), DENY),
        (
            "exec_command",
            json!({"cmd": "ls", "command": "rm x"}),
            None,
        ),
        (
            "exec_command",
            json!({"cmd": "ls > a", "workdir": "/w/src"}),
            ALLOW,
        ),
        (
            "exec_command",
            json!({"cmd": "ls > a", "workdir": "/"}),
            ASK,
        ),
        (
            "exec_command",
            json!({"cmd": "ls > a", "workdir": "src"}),
            ALLOW,
        ),
        (
            "exec_command",
            json!({"cmd": "ls > a", "workdir": "src/.."}),
            ASK,
        ),
        ("exec_command", json!({"cmd": "ls", "workdir": 1}), None),
        (
            "exec_command",
            json!({"cmd": "ls", "sandbox_permissions": "require_escalated"}),
            ASK,
        ),
        (
            "shell",
            json!({"command": ["rm", "x"], "timeout_ms": 1}),
            DENY,
        ),
        ("shell", json!({"command": ["bash", "-lc", "rm x"]}), DENY),
        ("shell_command", json!({"command": "rm x"}), DENY),
        ("local_shell", json!({"command": ["ls"]}), ALLOW),
        (
            "Read",
            json!({"file_path": "/w/a", "offset": 1, "limit": 2}),
            ALLOW,
        ),
        ("Read", json!({"file_path": "/w/x/../.env"}), DENY),
        ("Read", json!({"file_path": "/etc/passwd"}), ASK),
        ("Read", json!({"path": "/w/a"}), None),
        ("Read", json!({"file_path": "/w/a", "path": "/w/.env"}), ASK),
        (
            "Write",
            json!({"file_path": "/w/src/a", "content": "x"}),
            ALLOW,
        ),
        (
            "Edit",
            json!({"file_path": "/w/a", "old_string": "x", "new_string": "y"}),
            ASK,
        ),
        (
            "MultiEdit",
            json!({"file_path": "/w/src/a", "edits": []}),
            ALLOW,
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": "/w/src/a", "new_source": "x"}),
            ALLOW,
        ),
        ("Glob", json!({"pattern": "**/*.rs"}), ALLOW),
        ("Glob", json!({"pattern": "/etc/*"}), ASK),
        ("Glob", json!({"pattern": "*", "path": "/etc"}), ASK),
        ("Glob", json!({"pattern": "*/../../*"}), ASK),
        ("LS", json!({"path": "/w/src"}), ALLOW),
        (
            "WebFetch",
            json!({"url": "https://docs.rs/", "prompt": "p"}),
            ALLOW,
        ),
        (
            "WebFetch",
            json!({"url": "https://docs.rs.evil/", "prompt": "p"}),
            ASK,
        ),
        ("WebSearch", json!({"query": "q"}), DENY),
        ("TodoWrite", json!({"todos": []}), ALLOW),
        ("Unheard", json!({}), ASK),
        ("apply_patch", json!({"command": patch("src/a")}), ALLOW),
        ("apply_patch", json!({"command": patch("../a")}), ASK),
        ("apply_patch", json!({"command": "*** Begin Patch\n"}), None),
    ] {
        assert_eq!(effect(&input(tool, args.clone())), wanted, "{tool} {args}");
    }
}
