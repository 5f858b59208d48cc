//! What the guide says that a policy decides, word by word and as slowly as it likes.
//!
//! It works on the policy as JSON. Nothing in it comes from the crate that is tested.

use serde_json::{Map, Value};
use toolgate::Effect;

mod arguments;
mod matching;

use self::matching::{Holds, commands, glob, holds, in_force, is_tool, pattern, strings};
use super::random::{Call, Whose, World};

/// What is found, the strictest last. `Uncovered`: a section that allows something does not cover
/// what it is about. `Odd`: somebody is asked, although no rule says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Allow,
    Uncovered,
    Odd,
    Ask,
    Deny,
}

/// One policy as it holds in the environment.
pub(super) struct Layer {
    whose: Whose,
    top: Map<String, Value>,
}

/// All rules of a section, each with what it says.
type Rules<'a> = Vec<(Says, &'a Value)>;

/// Puts the policies together for the environment.
pub(super) fn layers(world: &World) -> Vec<Layer> {
    let one = |(whose, policy): &(Whose, Value)| {
        let mut top = policy.as_object().unwrap().clone();
        let envs = top.remove("env").unwrap();
        each_rule(&mut top, |_, rule| holds_in(rule, world.environment));
        if let Some(Value::Object(section)) = world.environment.map(|name| envs[name].clone()) {
            for (key, value) in section {
                lay_over(&mut top, &key, value);
            }
        }
        if *whose == Whose::Untrusted {
            narrow(&mut top);
        }
        Layer { whose: *whose, top }
    };
    world.layers.iter().map(one).collect()
}

fn holds_in(rule: &Value, environment: Option<&str>) -> bool {
    let list = rule.get("environments").and_then(Value::as_array);
    list.is_none_or(|list| list.iter().any(|name| name.as_str() == environment))
}

/// Settings are replaced, rules are added.
fn lay_over(top: &mut Map<String, Value>, key: &str, value: Value) {
    let Value::Object(section) = value else {
        top.insert(key.to_owned(), value);
        return;
    };
    let base = top.entry(key).or_insert_with(|| Map::new().into());
    for (effect, rules) in section {
        match base.get_mut(&effect).and_then(Value::as_array_mut) {
            Some(list) => list.extend(rules.as_array().unwrap().clone()),
            None => base[effect] = rules,
        }
    }
}

/// Who is not trusted can only restrict.
fn narrow(top: &mut Map<String, Value>) {
    each_rule(top, |effect, _| effect != "allow");
    if top.get("default").is_some_and(|default| default == "allow") {
        top.remove("default");
    }
    for section in top.values_mut().filter_map(Value::as_object_mut) {
        for key in ["transparent_wrappers", "schemes", "ports"] {
            section.remove(key);
        }
        for entry in section.values_mut().filter_map(Value::as_object_mut) {
            entry.retain(|key, value| key != "ignore_args" && value != "pre_approved");
        }
    }
}

fn each_rule(top: &mut Map<String, Value>, mut stays: impl FnMut(&str, &Value) -> bool) {
    for section in top.values_mut().filter_map(Value::as_object_mut) {
        for effect in ["allow", "ask", "deny"] {
            if let Some(list) = section.get_mut(effect).and_then(Value::as_array_mut) {
                list.retain(|rule| stays(effect, rule));
            }
        }
    }
}

/// Deny before ask before allow before the default, whoever says it. What a managed policy denies by
/// default nobody else allows, and what is odd is no way around a default.
pub(super) fn effect(layers: &[Layer], call: &Call) -> Effect {
    let of = |vouched_for: bool| -> Vec<&str> {
        let theirs = |layer: &&Layer| (layer.whose != Whose::Untrusted) == vouched_for;
        let chosen = layers.iter().filter(theirs);
        chosen.flat_map(|layer| layer.capabilities(call)).collect()
    };
    let can = [of(true), of(false)];
    let said: Vec<Vec<Says>> = layers.iter().map(|layer| layer.says(call, &can)).collect();
    let any = |says: Says| said.iter().any(|found| found.iter().max() == Some(&says));
    let bound = layers.iter().zip(&said).any(|(layer, said)| {
        layer.whose == Whose::Managed && layer.is("default", "deny") && is_open(said)
    });
    let default = ["deny", "ask", "allow"];
    let default = default.map(|effect| layers.iter().any(|layer| layer.is("default", effect)));
    let default = match default {
        [true, ..] => Effect::Deny,
        [_, false, true] => Effect::Allow,
        _ => Effect::Ask,
    };
    match () {
        () if any(Says::Deny) || bound => Effect::Deny,
        () if any(Says::Ask) => Effect::Ask,
        () if any(Says::Odd) && !said.iter().all(|said| is_open(said)) => Effect::Ask,
        () if any(Says::Odd) => default.max(Effect::Ask),
        () if any(Says::Allow) => Effect::Allow,
        () => default,
    }
}

/// Whether no rule decides about a call, or not about all of it.
fn is_open(said: &[Says]) -> bool {
    let covered = said.contains(&Says::Allow) && !said.contains(&Says::Uncovered);
    !covered && said.iter().all(|says| *says < Says::Ask)
}

impl Layer {
    fn is(&self, key: &str, value: &str) -> bool {
        self.top.get(key).is_some_and(|found| found == value)
    }

    fn section(&self, name: &str) -> Rules<'_> {
        let of = |(key, says)| {
            let list = self
                .top
                .get(name)
                .and_then(|section| section[key].as_array());
            list.into_iter().flatten().map(move |rule| (says, rule))
        };
        let kinds = [
            ("allow", Says::Allow),
            ("ask", Says::Ask),
            ("deny", Says::Deny),
        ];
        kinds.into_iter().flat_map(of).collect()
    }

    fn entry(&self, call: &Call) -> Option<&Value> {
        let name = match call.server {
            Some(server) => format!("mcp:{server}/{}", call.tool),
            None => call.tool.to_owned(),
        };
        self.top.get("tools")?.get(name)
    }

    /// Everything that a policy finds.
    fn says(&self, call: &Call, can: &[Vec<&str>; 2]) -> Vec<Says> {
        let mut found = self.tools(call);
        let decided = self.decision(call);
        found.extend(decided);
        if !matches!(decided, Some(Says::Allow | Says::Deny)) {
            found.extend(self.by_capabilities(call, can));
        }
        let listed = |key: &str, name: &str| {
            let list = self.top.get(key).and_then(Value::as_array);
            list.is_none_or(|list| list.iter().any(|known| known == name))
        };
        let name = match call.server {
            Some(server) => format!("mcp:{server}/{}", call.tool),
            None => call.tool.to_owned(),
        };
        if !listed("registry", &name) || call.server.is_some_and(|s| !listed("allowed_servers", s))
        {
            found.push(Says::Deny);
        }
        if self.is("mode", "plan") && self.kind(call) != Some("read") {
            found.push(Says::Deny);
        }
        if let Some(kind) = self.kind(call) {
            found.extend(self.by_arguments(kind, call));
        }
        found
    }

    fn decision(&self, call: &Call) -> Option<Says> {
        Some(match self.entry_folded(call)?.as_str()? {
            "blocked" => Says::Deny,
            "needs_approval" => Says::Ask,
            _ => Says::Allow,
        })
    }

    /// The decision of an entry; what restricts ignores case.
    fn entry_folded(&self, call: &Call) -> Option<&Value> {
        let exact = self.entry(call).and_then(|entry| entry.get("decision"));
        let lower = Call {
            tool: if call.tool == "Alpha" {
                "alpha"
            } else if call.tool == "Get" {
                "get"
            } else {
                call.tool
            },
            ..call.clone()
        };
        let folded = self.entry(&lower).and_then(|entry| entry.get("decision"));
        exact.or(folded.filter(|decision| **decision != "pre_approved"))
    }

    fn kind(&self, call: &Call) -> Option<&'static str> {
        match (call.server, call.tool) {
            (Some(_), _) => None,
            (_, "run") => self.entry(call).map(|_| "shell"),
            (_, "shell") => Some("shell"),
            (_, "exec") => Some("exec"),
            (_, "read_file") => Some("read"),
            (_, "write_file") => Some("write"),
            (_, "delete_file") => Some("delete"),
            (_, "copy_path") => Some("copy"),
            (_, "move_path") => Some("move"),
            (_, "fetch") => Some("fetch"),
            _ => None,
        }
    }

    fn tools(&self, call: &Call) -> Vec<Says> {
        let mut found = Vec::new();
        for (says, rule) in self.section("tools") {
            let folded = says != Says::Allow;
            let excepted = strings(rule.get("except")).any(|except| is_tool(except, call, false));
            if !in_force(says, rule, call) || !is_tool(pattern(rule), call, folded) || excepted {
                continue;
            }
            let when = rule.get("when").and_then(Value::as_object);
            let holds = when
                .into_iter()
                .flatten()
                .map(|(at, test)| holds(at, test, &call.args));
            let spoken_of = |key: &String| {
                let firsts = when.unwrap().keys().map(|at| at.trim_start_matches('/'));
                firsts
                    .map(|at| at.split('/').next())
                    .any(|first| first == Some(key))
            };
            let all = when.is_none() || call.args.as_object().unwrap().keys().all(spoken_of);
            match (says, holds.min().unwrap_or(Holds::Yes)) {
                (Says::Allow, Holds::Yes) if all => found.push(Says::Allow),
                (Says::Ask | Says::Deny, Holds::Yes) => found.push(says),
                (Says::Ask | Says::Deny, Holds::OtherType) => found.push(Says::Ask),
                _ => {}
            }
        }
        found
    }

    fn capabilities(&self, call: &Call) -> Vec<&str> {
        let entry = self.entry(call);
        strings(entry.and_then(|entry| entry.get("capabilities"))).collect()
    }

    /// Any of what a call can do is denied or asked about; it is allowed only if all of it is that
    /// somebody vouched for.
    fn by_capabilities(&self, call: &Call, [can, unvouched]: &[Vec<&str>; 2]) -> Vec<Says> {
        let by_kind: &[&str] = match self.kind(call) {
            Some("shell" | "exec") => &["proc.exec"],
            Some("read") => &["fs.read"],
            Some("write") => &["fs.write"],
            Some("delete") => &["fs.delete"],
            Some("copy") => &["fs.read", "fs.write"],
            Some("move") => &["fs.read", "fs.write", "fs.delete"],
            Some("fetch") => &["net.fetch"],
            _ => &[],
        };
        let all: Vec<&str> = can.iter().chain(by_kind).copied().collect();
        let of = |name: &str| {
            let matching = self
                .section("capabilities")
                .into_iter()
                .filter(move |(says, rule)| {
                    let excepted = strings(rule.get("except")).any(|except| glob(except, name));
                    in_force(*says, rule, call) && glob(pattern(rule), name) && !excepted
                });
            matching.map(|(says, _)| says).collect::<Vec<_>>()
        };
        let each: Vec<Vec<Says>> = all.iter().map(|name| of(name)).collect();
        let mut found = each.concat();
        found.extend(unvouched.iter().flat_map(|name| of(name)));
        found.retain(|says| *says != Says::Allow);
        if !each.is_empty() && each.iter().all(|said| said.contains(&Says::Allow)) {
            found.push(Says::Allow);
        }
        found
    }

    fn by_arguments(&self, kind: &str, call: &Call) -> Vec<Says> {
        let text = |name: &str| call.args.get(name).and_then(Value::as_str);
        let mut found = Vec::new();
        let command = if call.tool == "run" { "cmd" } else { "command" };
        let known = [command, "argv", "path", "content", "from", "to", "url"];
        let ignored = self.entry(call).and_then(|entry| entry.get("ignore_args"));
        let ignored: Vec<&str> = strings(ignored).collect();
        let is_known =
            |key: &String| known.contains(&key.as_str()) || ignored.contains(&key.as_str());
        if !call.args.as_object().unwrap().keys().all(is_known) {
            found.push(Says::Odd);
        }
        for (access, name) in match kind {
            "read" => &[("read", "path")][..],
            "write" | "delete" => &[("write", "path")],
            "copy" | "move" => &[("read", "from"), ("write", "to")],
            _ => &[],
        } {
            found.extend(self.path(access, text(name).unwrap(), call));
        }
        if kind == "move" {
            found.extend(self.path("write", text("from").unwrap(), call));
        }
        if let (Some(url), true) = (text("url"), self.top.contains_key("fetch")) {
            found.extend(self.host(url, call));
        }
        let argv = call
            .args
            .get("argv")
            .map(|words| vec![strings(Some(words)).collect()]);
        if let Some(commands) = argv.or_else(|| text(command).map(commands))
            && self.top.contains_key("shell")
        {
            found.extend(self.shell(&commands, call));
        }
        found
    }
}
