//! From rules as they are written to an index.

use super::{HostRules, index::Index, pattern::HostPattern};
use crate::{
    Located,
    finding::{Outcome, RuleIndex},
    path::{NumberedRule, Remark},
    spec::FetchSpec,
};

/// Schemes that lead to no host.
const WITHOUT_HOST: &[&str] = &["file", "data", "javascript", "blob", "about", "mailto"];

impl HostRules {
    /// Compiles `[fetch]`. The rules are given with their numbers; `spec` says the rest.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong.
    pub(crate) fn compile(
        spec: &FetchSpec,
        rules: &[NumberedRule<'_>],
    ) -> Result<(Self, Vec<Remark>), Vec<Remark>> {
        let mut compiler = Compiler::default();
        let schemes = match &spec.schemes {
            Some(schemes) => compiler.schemes(schemes),
            None => vec!["https".into()],
        };
        let mut hosts = Self {
            allow: Index::default(),
            restrict: Index::default(),
            except: std::collections::HashMap::default(),
            schemes,
            ports: compiler.ports(spec.ports.as_deref().unwrap_or(&[])),
            dangerous_private: spec.dangerous_private,
            allowed: Vec::new(),
        };
        for rule in rules {
            compiler.rule(rule, &mut hosts);
        }
        match compiler.problems.is_empty() {
            true => Ok((hosts, compiler.remarks)),
            false => Err(compiler.problems),
        }
    }
}

#[derive(Default)]
struct Compiler {
    problems: Vec<Remark>,
    remarks: Vec<Remark>,
}

impl Compiler {
    fn rule(&mut self, &(number, outcome, rule): &NumberedRule<'_>, into: &mut HostRules) {
        let except: Vec<_> = rule
            .except
            .iter()
            .filter_map(|text| self.parse(text))
            .collect();
        if !except.is_empty() {
            into.except.insert(number, except);
        }
        let Some(pattern) = self.parse(&rule.pattern) else {
            return;
        };
        if outcome != Outcome::Allow {
            into.restrict.insert(&pattern, (outcome, number));
            return;
        }
        if pattern.is_boundless() {
            let why = "this allows far more hosts than can be known; name those that are meant";
            self.remarks.push((rule.pattern.place.clone(), why.into()));
        }
        into.allow.insert(&pattern, (outcome, number));
        into.allowed.push((number, rule.pattern.value.clone()));
    }

    fn parse(&mut self, text: &Located<String>) -> Option<HostPattern> {
        HostPattern::parse(&text.value)
            .map_err(|why| self.problems.push((text.place.clone(), why)))
            .ok()
    }

    fn schemes(&mut self, schemes: &[Located<String>]) -> Vec<String> {
        for scheme in schemes {
            let is_plain = |byte: u8| {
                byte.is_ascii_lowercase() || b"+-.".contains(&byte) || byte.is_ascii_digit()
            };
            let why = if WITHOUT_HOST.contains(&&*scheme.value) {
                "URLs of this scheme have no host"
            } else if scheme.value.is_empty() || !scheme.value.bytes().all(is_plain) {
                "a scheme is a word in small letters such as `https`, without `://`"
            } else {
                continue;
            };
            self.problems.push((scheme.place.clone(), why.into()));
        }
        schemes.iter().map(|scheme| scheme.value.clone()).collect()
    }

    fn ports(&mut self, ports: &[Located<u16>]) -> Vec<u16> {
        for port in ports.iter().filter(|port| port.value == 0) {
            self.problems
                .push((port.place.clone(), "there is no port 0".into()));
        }
        ports.iter().map(|port| port.value).collect()
    }
}

impl HostRules {
    /// Whether a rule that matched does not hold for a host.
    pub(super) fn is_except(&self, rule: RuleIndex, host: &super::pattern::Host) -> bool {
        let except = self.except.get(&rule);
        except.is_some_and(|except| except.iter().any(|pattern| pattern.matches(host)))
    }
}
