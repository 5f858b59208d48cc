//! Rules over hosts.
//!
//! A URL is allowed if there is one way to read it and a rule allows its host. In order:
//!
//! 1. Rules that deny or ask are compared with every host that some program may find in the text.
//! 2. The text is read strictly: printable characters, a scheme, `://`, a host and perhaps a port.
//!    User names, encoded characters and anything else that parsers disagree about is asked about.
//!    A second, lenient reader has to find the same.
//! 3. Schemes and ports that the policy does not name are asked about, and so are hosts that are
//!    not on the internet.
//! 4. Rules that allow are compared with the host. `*.suffix` needs the dot.
//!
//! Where a name leads, and where an answer redirects to, is known to whoever fetches, and is another
//! call.

mod address;
mod compile;
mod describe;
mod index;
mod judge;
mod lenient;
mod pattern;
mod secrets;
mod strict;

use std::collections::HashMap;

use foldhash::fast::RandomState;

pub(crate) use self::{describe::HostDescription, secrets::Secrets};
use self::{index::Index, pattern::HostPattern};
use crate::finding::{Findings, RuleIndex, Scope};

/// The rules over hosts of a policy, compiled.
#[derive(Clone, Debug)]
pub(crate) struct HostRules {
    allow: Index,
    /// Rules that deny or ask.
    restrict: Index,
    /// What rules do not hold for.
    except: HashMap<RuleIndex, Vec<HostPattern>, RandomState>,
    schemes: Vec<String>,
    ports: Vec<u16>,
    dangerous_private: bool,
    /// The patterns that allow, for suggestions.
    allowed: Vec<(RuleIndex, String)>,
}

impl HostRules {
    /// Judges one URL.
    pub(crate) fn judge(&self, url: &str, scope: &impl Scope, findings: &mut Findings) {
        judge::judge(self, url, scope, findings);
    }

    /// Judges one URL, and says how.
    pub(crate) fn describe(
        &self,
        url: &str,
        scope: &impl Scope,
        findings: &mut Findings,
    ) -> HostDescription {
        let examined = judge::judge(self, url, scope, findings);
        describe::describe(self, examined)
    }
}

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod tests;
