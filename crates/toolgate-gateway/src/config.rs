//! Which servers there are, in the format of MCP clients.

use std::{collections::BTreeMap, ffi::OsString, fmt, net::IpAddr, path::PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use url::{Host, Url};

use crate::json::Object;

/// A server behind the gateway.
#[derive(Clone, Debug)]
pub struct Server {
    pub(crate) name: Box<str>,
    pub(crate) how: How,
}

#[derive(Clone, Debug)]
pub(crate) enum How {
    Command(Command),
    Url(Url),
}

/// A program that is a server.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cwd: Option<PathBuf>,
}

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl Server {
    /// A program, started with its arguments, that speaks over its standard input and output.
    ///
    /// # Errors
    ///
    /// If the name cannot be that of a server.
    pub fn command(
        name: &str,
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, ConfigError> {
        let command = Command {
            program: program.into(),
            args: args.into_iter().collect(),
            env: BTreeMap::new(),
            cwd: None,
        };
        Self::new(name, How::Command(command))
    }

    /// A server on this machine that speaks streamable HTTP.
    ///
    /// # Errors
    ///
    /// If the address is not one of this machine, or the name cannot be that of a server.
    pub fn url(name: &str, url: &str) -> Result<Self, ConfigError> {
        let wrong = |why: &str| ConfigError(format!("the address of `{name}` {why}"));
        let url = Url::parse(url).map_err(|_| wrong("is no URL"))?;
        if url.scheme() != "http" {
            return Err(wrong("is not `http`; other machines are not reached"));
        }
        let is_here = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => IpAddr::from(ip).is_loopback(),
            Some(Host::Ipv6(ip)) => IpAddr::from(ip).is_loopback(),
            None => false,
        };
        if !is_here {
            return Err(wrong(
                "is not on this machine; other machines are not reached",
            ));
        }
        Self::new(name, How::Url(url))
    }

    fn new(name: &str, how: How) -> Result<Self, ConfigError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let is_fine = !name.is_empty()
            && name.len() <= 40
            && name.chars().all(plain)
            && !name.contains("__")
            && !name.ends_with('_');
        match is_fine {
            true => Ok(Self {
                name: name.into(),
                how,
            }),
            false => Err(ConfigError(format!(
                "a server cannot be called `{}`: letters, digits, `-`, `.` and single `_`, not at the end",
                name.escape_default()
            ))),
        }
    }

    /// What the server is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the servers of a configuration in the format of MCP clients: an object with
    /// `mcpServers`, in which each name has a `command` with `args`, `env` and `cwd`, or a `url`.
    /// Other members of the file are other programs' business.
    ///
    /// # Errors
    ///
    /// If it is no such file, a name comes twice, or a server has a member that is not known.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate_gateway::Server;
    ///
    /// let servers = Server::read_config(r#"{
    ///     "mcpServers": {
    ///         "time": {"command": "mcp-server-time", "args": ["--local-timezone=UTC"]},
    ///         "notes": {"url": "http://127.0.0.1:8080/mcp"}
    ///     }
    /// }"#)?;
    /// assert_eq!(servers[0].name(), "time");
    /// # Ok::<(), toolgate_gateway::ConfigError>(())
    /// ```
    pub fn read_config(json: &str) -> Result<Vec<Self>, ConfigError> {
        let wrong = |error: serde_json::Error| {
            let (line, column) = (error.line(), error.column());
            ConfigError(format!(
                "line {line}, column {column}: this is no configuration"
            ))
        };
        let file = Object::parse(json).map_err(wrong)?;
        let servers = file.get("mcpServers");
        let servers = servers.ok_or_else(|| ConfigError("there is no `mcpServers`".to_owned()))?;
        let servers: Named = serde_json::from_str(servers.get())
            .map_err(|error| ConfigError(format!("in `mcpServers`: {error}")))?;
        match servers.0.is_empty() {
            true => Err(ConfigError("there is no server".to_owned())),
            false => servers
                .0
                .into_iter()
                .map(|(name, raw)| Self::read(&name, &raw))
                .collect(),
        }
    }

    fn read(name: &str, raw: &RawValue) -> Result<Self, ConfigError> {
        let entry: Entry = serde_json::from_str(raw.get())
            .map_err(|error| ConfigError(format!("in `{}`: {error}", name.escape_default())))?;
        let both = || ConfigError(format!("`{name}` needs either a `command` or a `url`"));
        match (entry.command, entry.url) {
            (Some(program), None) => Self::new(
                name,
                How::Command(Command {
                    program: program.into(),
                    args: entry.args.into_iter().map(OsString::from).collect(),
                    env: entry.env,
                    cwd: entry.cwd,
                }),
            ),
            (None, Some(url)) => Self::url(name, &url),
            _ => Err(both()),
        }
    }
}

/// The servers in the order of the file, no name twice.
struct Named(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Object::deserialize(deserializer).map(|object| Self(object.into_members()))
    }
}

/// A server as it is written. `type` says again what `command` or `url` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default, rename = "type")]
    _kind: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_be_taken_apart_in_two_ways_are_refused() {
        for name in ["", "a__b", "a_", "a b", "a/b", "é", &"x".repeat(41)] {
            assert!(Server::command(name, "true", []).is_err(), "{name}");
        }
        for name in ["a", "a_b", "_a", "a-b.c", "A1"] {
            assert!(Server::command(name, "true", []).is_ok(), "{name}");
        }
    }

    #[test]
    fn other_machines_are_not_reached() {
        for url in [
            "https://example.com/mcp",
            "http://example.com/mcp",
            "http://10.0.0.1/",
            "http://127.0.0.1.example.com/",
            "http://localhost@example.com/",
            "file:///tmp",
            "x",
        ] {
            assert!(Server::url("a", url).is_err(), "{url}");
        }
        for url in [
            "http://127.0.0.1:1/mcp",
            "http://localhost/",
            "http://[::1]:3/",
        ] {
            assert!(Server::url("a", url).is_ok(), "{url}");
        }
    }

    #[test]
    fn a_configuration_with_anything_unclear_is_refused() {
        let read = |servers: &str| Server::read_config(&format!(r#"{{"mcpServers":{servers}}}"#));
        assert_eq!(
            read(r#"{"a":{"type":"stdio","command":"x"},"b":{"url":"http://[::1]/"}}"#)
                .unwrap()
                .len(),
            2
        );
        for servers in [
            r#"{"a":{"command":"x"},"a":{"command":"y"}}"#,
            r#"{"a":{"command":"x","comand":"y"}}"#,
            r#"{"a":{"command":"x","url":"http://[::1]/"}}"#,
            r#"{"a":{}}"#,
            "{}",
            "[]",
        ] {
            assert!(read(servers).is_err(), "{servers}");
        }
        assert!(Server::read_config("{}").is_err());
        assert!(Server::read_config("x").is_err());
    }
}
