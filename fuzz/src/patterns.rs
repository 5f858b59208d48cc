//! Patterns over tools and capabilities. The first line is a name, every further line a pattern.
//!
//! 1. A pattern matches what a plain reading of it matches, with others beside it and without.
//! 2. A server is never read out of a name.
//! 3. A capability is written as it was read.

use toolgate::{Capability, CapabilityPatterns, ToolId, ToolPatterns};

/// Checks a name against patterns.
pub fn check(text: &str) {
    let mut lines = text.split('\n');
    let name = lines.next().unwrap_or_default();
    let patterns: Vec<&str> = lines.take(16).collect();
    tools(name, &patterns);
    if let Ok(capability) = name.parse::<Capability>() {
        assert_eq!(capability.to_string(), name, "written otherwise");
        capabilities(&capability, &patterns);
    }
}

fn tools(name: &str, patterns: &[&str]) {
    let mut all = ToolPatterns::new();
    let valid = patterns.iter().filter(|pattern| all.add(pattern).is_ok());
    let valid: Vec<&str> = valid.copied().collect();
    let own = ToolId::new(name);
    let (server, rest) = name.split_once('/').unwrap_or(("s", name));
    let remote = ToolId::new(rest).on_server(server);
    for tool in [own, remote] {
        let mut found = Vec::new();
        all.find(&tool, |number| found.push(number));
        found.sort_unstable();
        let matching = valid
            .iter()
            .enumerate()
            .filter(|(_, pattern)| means(pattern, &tool));
        let expected: Vec<usize> = matching.map(|(number, _)| number).collect();
        assert_eq!(found, expected, "{valid:?}");
    }
}

fn means(pattern: &str, tool: &ToolId) -> bool {
    match (pattern.strip_prefix("mcp:"), tool.server()) {
        _ if pattern == "*" => true,
        (None, None) => matches(pattern, tool.name()),
        (Some(pattern), Some(server)) => {
            let halves = pattern.split_once('/');
            halves.is_some_and(|(on, name)| matches(on, server) && matches(name, tool.name()))
        }
        _ => false,
    }
}

/// Whether a name matches, trying every length for every star.
fn matches(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    // Whether what was read of the pattern matches so many characters of the name.
    let mut reach = vec![false; name.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for c in pattern.chars() {
        let mut next = vec![false; name.len() + 1];
        let mut any = false;
        for (at, place) in next.iter_mut().enumerate() {
            let before = at.checked_sub(1);
            any |= reach.get(at) == Some(&true);
            let one =
                before.is_some_and(|at| reach.get(at) == Some(&true) && name.get(at) == Some(&c));
            *place = if c == '*' { any } else { one };
        }
        reach = next;
    }
    reach.last() == Some(&true)
}

fn capabilities(capability: &Capability, patterns: &[&str]) {
    let mut all = CapabilityPatterns::new();
    let valid = patterns.iter().filter(|pattern| all.add(pattern).is_ok());
    let valid: Vec<&str> = valid.copied().collect();
    let mut found = Vec::new();
    all.find(capability, |number, surely| found.push((number, surely)));
    found.sort_unstable();
    let alone = valid.iter().enumerate().filter_map(|(number, pattern)| {
        let surely = alone(pattern, capability)?;
        let name = pattern.split('(').next().unwrap_or_default();
        assert!(
            matches(name, capability.name()),
            "{pattern} by another name"
        );
        let open = !pattern.contains('(');
        assert!(!open || surely, "{pattern} means every target");
        Some((number, surely))
    });
    assert_eq!(found, alone.collect::<Vec<_>>(), "others beside it count");
}

fn alone(pattern: &str, capability: &Capability) -> Option<bool> {
    let mut one = CapabilityPatterns::new();
    one.add(pattern).ok()?;
    let mut found = None;
    one.find(capability, |_, surely| found = Some(surely));
    found
}
