//! Changes to the tool rules while stacks are running.

use std::collections::HashMap;

use crate::{
    ToolId,
    sync::{AtomicBool, Ordering, RwLock, read, write},
};

/// What an override says of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Override {
    Require,
    Disable,
}

/// The overrides of the tools of one name, by server.
type Servers = Vec<(Option<Box<str>>, Override)>;

/// The overrides in force, by name and then by server. A new definition of a tool is still
/// the tool that was meant.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    any: AtomicBool,
    by_name: RwLock<HashMap<Box<str>, Servers>>,
}

impl Overrides {
    pub(super) fn set(&self, tool: &ToolId, to: Option<Override>) {
        let mut by_name = write(&self.by_name);
        let servers = by_name.entry(tool.name().into()).or_default();
        servers.retain(|(server, _)| server.as_deref() != tool.server());
        servers.extend(to.map(|to| (tool.server().map(Box::from), to)));
        if servers.is_empty() {
            by_name.remove(tool.name());
        }
        self.any.store(!by_name.is_empty(), Ordering::Release);
    }

    pub(super) fn of(&self, tool: &ToolId) -> Option<Override> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let by_name = read(&self.by_name);
        let servers = by_name.get(tool.name())?;
        servers
            .iter()
            .find(|(server, _)| server.as_deref() == tool.server())
            .map(|(_, to)| *to)
    }
}
