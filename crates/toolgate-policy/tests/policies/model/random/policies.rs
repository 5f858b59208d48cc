//! Random policies.

use serde_json::{Map, Value, json};

use super::Random;

const HOSTS: [&str; 4] = ["a.test", "*.a.test", "*.test", "b.c.test"];
const CAPABILITIES: [&str; 6] = [
    "net.*",
    "net.send",
    "pay.now",
    "fs.*",
    "fs.read",
    "proc.exec",
];
const PATHS: [&str; 9] = [
    "src/**", "src/*", "src", "src/a", "src/a/b", "**/a", "*.md", "/opt/a", "**",
];
const TOOLS: [&str; 8] = [
    "alpha",
    "alpha*",
    "*_x",
    "beta",
    "mcp:srv/get",
    "mcp:srv/*",
    "mcp:other/g*",
    "shell",
];
const AGENTS: [&str; 4] = ["root", "root/*", "root/**", "root/sub"];

/// The rules of a section that has a table for everything.
fn rules(random: &mut Random, mut pattern: impl FnMut(&mut Random, &str) -> Value) -> Value {
    let mut section = Map::new();
    for effect in ["allow", "ask", "deny"] {
        let count = random.below(4);
        let list: Vec<Value> = (0..count).map(|_| pattern(random, effect)).collect();
        if !list.is_empty() {
            section.insert(effect.to_owned(), list.into());
        }
    }
    without_contradictions(&mut section);
    section.into()
}

/// A pattern that is allowed and denied is refused when a policy is loaded.
fn without_contradictions(section: &mut Map<String, Value>) {
    let name = |rule: &Value| {
        let fields = ["pattern", "tool"].iter().find_map(|key| rule.get(*key));
        fields.unwrap_or(rule).clone()
    };
    let denied = section.get("deny").and_then(Value::as_array);
    let denied: Vec<Value> = denied.into_iter().flatten().map(name).collect();
    if let Some(Value::Array(allow)) = section.get_mut("allow") {
        allow.retain(|rule| !denied.contains(&name(rule)));
    }
}

/// A rule with some of what every rule may carry.
fn rule(random: &mut Random, key: &str, pattern: &str, excepts: &[&str]) -> Map<String, Value> {
    let mut rule = Map::from_iter([(key.to_owned(), json!(pattern))]);
    if random.once_in(4) {
        rule.insert("agents".into(), json!([random.pick(&AGENTS)]));
    }
    if random.once_in(6) {
        rule.insert(
            "expires".into(),
            json!(random.pick(&["2001-01-01", "2099-01-01"])),
        );
    }
    if random.once_in(6) {
        rule.insert("environments".into(), json!([random.pick(&["ci", "lab"])]));
    }
    if !excepts.is_empty() && random.once_in(5) {
        rule.insert("except".into(), json!([random.pick(excepts)]));
    }
    rule
}

fn shell_rule(random: &mut Random, effect: &str) -> Value {
    let mut words = vec![random.pick(&["foo", "bar", "ls"]).to_owned()];
    words.extend(random.some(&["a", "b"], 2));
    let open = random.once_in(2);
    if open {
        words.push("*".to_owned());
    }
    let mut rule = rule(random, "pattern", &words.join(" "), &[]);
    if effect == "allow" && open {
        rule.insert("dangerous_wildcard".into(), json!(true));
    }
    rule.into()
}

fn test(random: &mut Random) -> Value {
    match random.below(7) {
        0 => json!({"eq": random.below(4)}),
        1 => json!({"one_of": [random.below(4), "abc"]}),
        2 => json!({"glob": random.pick(&["a*", "*c", "a*c", "abc"])}),
        3 => json!({"prefix": random.pick(&["a", "ab"])}),
        4 => json!({"min": 1, "max": 1 + random.below(3)}),
        5 => json!({"absent": true}),
        _ => json!({"any": true}),
    }
}

fn tool_rule(random: &mut Random) -> Value {
    let pattern = random.pick(&TOOLS);
    let mut rule = rule(random, "tool", pattern, &["alpha", "mcp:srv/get"]);
    if random.once_in(2) {
        let mut when = Map::from_iter([("n".to_owned(), test(random))]);
        if random.once_in(2) {
            let at = random.pick(&["s", "/s", "/o/k", "/l/0"]);
            when.insert(at.to_owned(), test(random));
        }
        rule.insert("when".into(), when.into());
    }
    rule.into()
}

fn section(random: &mut Random, name: &str) -> Value {
    let plain = |patterns: &'static [&'static str]| {
        move |random: &mut Random, _: &str| -> Value {
            let pattern = random.pick(patterns);
            rule(random, "pattern", pattern, patterns).into()
        }
    };
    match name {
        "shell" => rules(random, shell_rule),
        "fetch" => rules(random, plain(&HOSTS)),
        "capabilities" => rules(random, plain(&CAPABILITIES)),
        "tools" => rules(random, |random, _| tool_rule(random)),
        _ => rules(random, plain(&PATHS)),
    }
}

/// The sections of a policy or of an environment.
fn sections(random: &mut Random, policy: &mut Map<String, Value>, one_in: u64) {
    for name in ["shell", "read", "write", "fetch", "capabilities", "tools"] {
        if random.once_in(one_in) {
            policy.insert(name.to_owned(), section(random, name));
        }
    }
}

/// One policy.
pub(in super::super) fn policy(random: &mut Random) -> Value {
    let mut policy = Map::new();
    match random.below(5) {
        0 => drop(policy.insert("default".into(), json!("deny"))),
        1 => drop(policy.insert("default".into(), json!("ask"))),
        2 => {
            policy.insert("default".into(), json!("allow"));
            policy.insert("dangerous_default_allow".into(), json!(true));
        }
        _ => {}
    }
    if random.once_in(12) {
        policy.insert("mode".into(), json!("plan"));
    }
    if random.once_in(8) {
        policy.insert("fs".into(), json!("case_insensitive"));
    }
    if random.once_in(8) {
        policy.insert("allowed_servers".into(), json!(["srv"]));
    }
    if random.once_in(12) {
        let mut known: Vec<&str> = TOOLS
            .into_iter()
            .filter(|name| !name.contains('*'))
            .collect();
        known.extend([
            "shell",
            "exec",
            "read_file",
            "write_file",
            "fetch",
            "Alpha",
            "a_x",
            "run",
        ]);
        known.sort_unstable();
        known.dedup();
        policy.insert("registry".into(), json!(known));
    }
    sections(random, &mut policy, 2);
    if let Some(Value::Object(shell)) = policy.get_mut("shell") {
        let wrappers = random.some(&["env", "timeout"], 1);
        shell.insert("transparent_wrappers".into(), json!(wrappers));
    }
    if let Some(Value::Object(fetch)) = policy.get_mut("fetch")
        && random.once_in(2)
    {
        fetch.insert("schemes".into(), json!(["https", "http"]));
        fetch.insert("ports".into(), json!([443, 8443]));
    }
    entries(random, &mut policy);
    environments(random, &mut policy);
    policy.into()
}

fn entries(random: &mut Random, policy: &mut Map<String, Value>) {
    let Some(Value::Object(tools)) = policy.get_mut("tools") else {
        return;
    };
    for name in ["alpha", "mcp:srv/get", "run", "read_file"] {
        if !random.once_in(3) {
            continue;
        }
        let mut entry = Map::new();
        if random.once_in(2) {
            let decision = random.pick(&["pre_approved", "needs_approval", "blocked"]);
            entry.insert("decision".into(), json!(decision));
        }
        let can = random.some(&["net.send", "pay.now", "fs.read"], 2);
        entry.insert("capabilities".into(), json!(can));
        if name == "run" {
            entry.insert("kind".into(), json!("shell"));
            entry.insert("args".into(), json!({"command": "cmd"}));
            entry.insert("ignore_args".into(), json!(["why"]));
        }
        tools.insert(name.to_owned(), entry.into());
    }
}

fn environments(random: &mut Random, policy: &mut Map<String, Value>) {
    let mut all = Map::new();
    for name in ["ci", "lab"] {
        let mut section = Map::new();
        if random.once_in(3) {
            section.insert("default".into(), json!("deny"));
        }
        sections(random, &mut section, 4);
        // A rule in the section of an environment holds there anyway.
        for list in section.values_mut().filter_map(Value::as_object_mut) {
            let rules = list.values_mut().filter_map(Value::as_array_mut).flatten();
            for rule in rules.filter_map(Value::as_object_mut) {
                rule.remove("environments");
            }
        }
        all.insert(name.to_owned(), section.into());
    }
    policy.insert("env".into(), all.into());
}

/// A rule more in some section, that denies or asks.
pub(in super::super) fn restrict(random: &mut Random, policy: &mut Value) {
    let name = random.pick(&["shell", "read", "write", "fetch", "capabilities", "tools"]);
    let effect = random.pick(&["ask", "deny"]);
    let more = section(random, name);
    let more = more.get(effect).cloned().unwrap_or_default();
    let list = &mut policy[name][effect];
    let mut rules = list.take().as_array().cloned().unwrap_or_default();
    rules.extend(more.as_array().cloned().unwrap_or_default());
    *list = rules.into();
}

/// The same rules in another order, and some of them twice.
pub(in super::super) fn shuffle(random: &mut Random, policy: &mut Value) {
    match policy {
        Value::Array(list) if list.iter().all(Value::is_object) => {
            let twice = list.iter().filter(|_| random.once_in(3)).cloned();
            let twice: Vec<Value> = twice.collect();
            list.extend(twice);
            for at in 1..list.len() {
                let other = usize::try_from(random.below(at as u64 + 1)).unwrap();
                list.swap(at, other);
            }
        }
        Value::Object(map) => map.values_mut().for_each(|value| shuffle(random, value)),
        _ => {}
    }
}
