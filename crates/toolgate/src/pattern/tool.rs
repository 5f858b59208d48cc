//! Patterns over tools: server and name apart.

use super::{Glob, PatternError};

/// A pattern over tools.
///
/// `read_*` means tools of the host's own, `mcp:files/read_*` those of a server, and `*` every
/// tool there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolPattern {
    server: Server,
    name: Glob,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Server {
    Own,
    Named(Glob),
    Any,
}

impl ToolPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        if text == "*" {
            return Ok(Self {
                server: Server::Any,
                name: Glob::parse(text)?,
            });
        }
        let Some(remote) = text.strip_prefix("mcp:") else {
            return Ok(Self {
                server: Server::Own,
                name: Glob::parse(text)?,
            });
        };
        let Some((server, name)) = remote.split_once('/') else {
            return Err(PatternError::new(text, "expected `mcp:SERVER/TOOL`"));
        };
        let within = |error: PatternError| PatternError::new(text, error.why);
        let server = Server::Named(Glob::parse(server).map_err(within)?);
        Ok(Self {
            server,
            name: Glob::parse(name).map_err(within)?,
        })
    }

    /// The part that an index by name is built on.
    pub(crate) fn name(&self) -> &Glob {
        &self.name
    }

    /// Whether `server` is meant. The index has matched the name already.
    pub(crate) fn means_server(&self, server: Option<&str>) -> bool {
        match (&self.server, server) {
            (Server::Any, _) | (Server::Own, None) => true,
            (Server::Named(glob), Some(server)) => glob.matches(server),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolId;

    fn matches(pattern: &str, tool: &ToolId) -> bool {
        let pattern = ToolPattern::parse(pattern).unwrap();
        pattern.name().matches(tool.name()) && pattern.means_server(tool.server())
    }

    #[test]
    fn a_server_is_never_read_out_of_a_name() {
        let own = ToolId::from("files/read");
        let remote = ToolId::new("read").on_server("files");
        assert!(matches("mcp:files/read", &remote) && !matches("mcp:files/read", &own));
        assert!(!matches("read", &remote));
        assert!(matches("mcp:*/read", &remote) && !matches("mcp:other/*", &remote));
        assert!(matches("*", &own) && matches("*", &remote));
    }

    #[test]
    fn half_a_server_pattern_is_refused() {
        for pattern in ["mcp:", "mcp:files", "mcp:/read", "mcp:files/"] {
            assert!(ToolPattern::parse(pattern).is_err(), "accepted {pattern}");
        }
    }
}
