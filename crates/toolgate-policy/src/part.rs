//! The parts of a policy, each of which can be a layer of its own.

/// A part of a policy that can be a layer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// `[tools]`: rules over tools and their arguments; servers, secrets and the mode.
    Tools,
    /// `[capabilities]`: rules over what a call can do.
    Capabilities,
    /// `[shell]`: rules over command lines.
    Shell,
    /// `[read]` and `[write]`: rules over paths.
    Paths,
    /// `[fetch]`: rules over hosts.
    Hosts,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 5] = [
        Self::Tools,
        Self::Capabilities,
        Self::Shell,
        Self::Paths,
        Self::Hosts,
    ];

    /// The name under which the votes of its layer appear in trails.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "policy: tools",
            Self::Capabilities => "policy: capabilities",
            Self::Shell => "policy: shell",
            Self::Paths => "policy: paths",
            Self::Hosts => "policy: hosts",
        }
    }
}

/// Which parts judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    All,
    Only(Part),
}

impl Parts {
    pub(crate) fn has(self, part: Part) -> bool {
        match self {
            Self::All => true,
            Self::Only(only) => only == part,
        }
    }
}
