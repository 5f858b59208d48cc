//! What the fuzzer starts from: the recorded attacks, taken apart.

use serde_json::Value;

/// Inputs, each for the target of that name.
pub type Seeds = Vec<(&'static str, Vec<u8>)>;

/// Takes the cases of `attacks.jsonl` apart.
#[must_use]
pub fn from_attacks(jsonl: &str) -> Seeds {
    let mut seeds = own();
    let cases = jsonl
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for case in cases {
        from_case(&case, &mut seeds);
    }
    seeds.sort();
    seeds.dedup();
    seeds
}

fn from_case(case: &Value, seeds: &mut Seeds) {
    let mut add = |target, text: &str| seeds.push((target, text.as_bytes().to_vec()));
    let args = case.pointer("/call/args");
    let text = |key: &str| args.and_then(|args| args.get(key)).and_then(Value::as_str);
    if let Some(line) = text("command") {
        add("shell", line);
        let words: Vec<&str> = line.split_whitespace().collect();
        add("options", &words.join("\n"));
        add("costs", &format!("\n{line} "));
    }
    for path in ["path", "from", "to", "cwd"].into_iter().filter_map(text) {
        add("paths", path);
    }
    if let Some(url) = text("url") {
        add("hosts", url);
    }
    if let Some(args) = args.filter(|args| args.is_object()) {
        add("args", &args.to_string());
    }
    if let Some(raw) = case.pointer("/call/args_raw").and_then(Value::as_str) {
        add("args", raw);
    }
    for policy in ["/policy/config_text", "/policy/config", "/policy"] {
        let policy = case.pointer(policy);
        let written = policy.map(|policy| {
            policy
                .as_str()
                .map_or_else(|| policy.to_string(), str::to_owned)
        });
        if let Some(policy) = written {
            add("loader", &policy);
            add("layers", &policy);
        }
    }
}

/// A few that no attack has.
fn own() -> Seeds {
    let toml = "default = \"deny\"\n[shell]\nallow = [\"ls *\"]\n[env.ci]\nmode = \"strict\"\n";
    let yaml = "shell:\n  deny: [rm *]\ntools:\n  send:\n    decision: blocked\n";
    let worker = "attachment_policy: {}\nshell_rules:\n  - pattern: git status\n    allowed: true\nsandbox:\n  paths:\n    a: {root: ./a, mode: rw}\n";
    let own = [
        ("loader", toml),
        ("layers", toml),
        ("loader", yaml),
        ("layers", yaml),
        ("llm_do", worker),
        ("patterns", "read_file\nread_*\n*\nmcp:files/*\n*file"),
        ("patterns", "files/read\nmcp:*/read\nread"),
        ("patterns", "fs.write(/srv/a)\nfs.*\nfs.write(/srv/**)\n*"),
        ("paths", "src/../src/new\n/w/docs"),
        ("hosts", "https://docs.rs/hunter2%2Dand-a-half"),
        ("costs", "sh -c '\nrm a;\n'"),
    ];
    own.map(|(target, text)| (target, text.as_bytes().to_vec()))
        .into()
}
