//! What the sections over commands, paths and hosts say.

use serde_json::Value;

use super::{
    Call, Layer, Says,
    matching::{
        anchored, in_force, is_above, is_command, is_path, is_refused, lies_in, normal, pattern,
        strings,
    },
};

impl Layer {
    /// What a section that allows nothing does not cover, it has nothing to say about.
    pub(super) fn uncovered(&self, section: &str) -> Option<Says> {
        let allows = self
            .section(section)
            .iter()
            .any(|(says, _)| *says == Says::Allow);
        allows.then_some(Says::Uncovered)
    }

    pub(super) fn path(&self, access: &str, path: &str, call: &Call) -> Vec<Says> {
        if access == "read" && !self.top.contains_key("read") {
            return Vec::new();
        }
        let (mut found, covered) = self.restricted_path(access, path, call);
        found.extend(if covered {
            Some(Says::Allow)
        } else {
            self.uncovered(access)
        });
        found
    }

    /// What restricts a path, and whether it is allowed.
    pub(super) fn restricted_path(
        &self,
        access: &str,
        path: &str,
        call: &Call,
    ) -> (Vec<Says>, bool) {
        let path = normal(path);
        let folded: Vec<String> = path.iter().map(|name| name.to_lowercase()).collect();
        let is_blind = self.is("fs", "case_insensitive");
        let typed = if is_blind { &folded } else { &path };
        let (mut found, mut covered) = (Vec::new(), false);
        for (says, rule) in self.section(access) {
            let restricts = says != Says::Allow;
            let pattern = anchored(pattern(rule), restricts, restricts || is_blind);
            let excepted = strings(rule.get("except")).any(|except| match restricts {
                true => is_path(&anchored(except, false, is_blind), typed),
                false => lies_in(&anchored(except, true, true), &folded),
            });
            if restricts && is_above(&pattern, &folded) {
                found.push(Says::Odd);
            }
            if !in_force(says, rule, call) || excepted {
                continue;
            }
            match says {
                Says::Allow => covered |= is_path(&pattern, typed),
                _ if lies_in(&pattern, &folded) => found.push(says),
                _ => {}
            }
        }
        if path.is_empty() || path == ["w"] {
            found.push(Says::Odd);
        }
        (found, covered)
    }

    pub(super) fn host(&self, url: &str, call: &Call) -> Vec<Says> {
        let (scheme, rest) = url.split_once("://").unwrap();
        let (host, port) = match rest.split('/').next().unwrap().split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (rest.split('/').next().unwrap(), None),
        };
        let fetch = &self.top["fetch"];
        let schemes: Vec<&str> = strings(fetch.get("schemes")).collect();
        let ports = fetch.get("ports").and_then(Value::as_array);
        let is_scheme = schemes.contains(&scheme) || schemes.is_empty() && scheme == "https";
        let is_port = |port: &str| {
            ports.is_some_and(|ports| ports.iter().any(|known| *known.to_string() == *port))
        };
        let mut found = Vec::new();
        if !is_scheme || port.is_some_and(|port| !is_port(port)) {
            found.push(Says::Odd);
        }
        let is_host = |pattern: &str| match pattern.strip_prefix('*') {
            Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
            None => host == pattern,
        };
        let mut covered = false;
        for (says, rule) in self.section("fetch") {
            let excepted = strings(rule.get("except")).any(is_host);
            if in_force(says, rule, call) && is_host(pattern(rule)) && !excepted {
                covered |= says == Says::Allow;
                found.extend(Some(says).filter(|says| *says != Says::Allow));
            }
        }
        found.extend(if covered {
            Some(Says::Allow)
        } else {
            self.uncovered("fetch")
        });
        found
    }

    pub(super) fn shell(&self, commands: &[Vec<&str>], call: &Call) -> Vec<Says> {
        let transparent: Vec<&str> =
            strings(self.top["shell"].get("transparent_wrappers")).collect();
        let (mut found, mut covered) = (Vec::new(), true);
        for command in commands {
            let written = command.iter().position(|word| *word == ">");
            let (mut words, target) = command.split_at(written.unwrap_or(command.len()));
            if let Some(path) = target.get(1) {
                let (restricted, allowed) = self.restricted_path("write", path, call);
                found.extend(restricted);
                covered &= allowed;
            }
            let is_known = !words.contains(&"$x");
            if !is_known {
                found.push(Says::Odd);
            }
            let (mut plain, mut tries) = (true, vec![words]);
            while let ["env" | "sudo" | "timeout", rest @ ..] = words {
                plain &= transparent.contains(&words[0]);
                words = if words[0] == "timeout" {
                    &rest[1..]
                } else {
                    rest
                };
                tries.push(words);
            }
            for (says, rule) in self.section("shell") {
                if says != Says::Allow
                    && in_force(says, rule, call)
                    && is_refused(pattern(rule), words)
                {
                    found.push(says);
                }
            }
            let allowed = |words: &[&str]| {
                self.section("shell").into_iter().any(|(says, rule)| {
                    says == Says::Allow
                        && in_force(says, rule, call)
                        && is_command(pattern(rule), words)
                })
            };
            covered &= is_known && plain && allowed(words);
        }
        found.extend(if covered {
            Some(Says::Allow)
        } else {
            self.uncovered("shell")
        });
        found
    }
}
