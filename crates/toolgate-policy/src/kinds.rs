//! What a call can do, as far as its kind tells.

use std::sync::Arc;

use toolgate::{Capability, CapabilityError};

use crate::spec::KindSpec;

/// The capabilities of each kind of tool.
#[derive(Clone, Debug)]
pub(crate) struct KindLabels {
    exec: Arc<[Capability]>,
    read: Arc<[Capability]>,
    write: Arc<[Capability]>,
    both: Arc<[Capability]>,
    fetch: Arc<[Capability]>,
    none: Arc<[Capability]>,
}

impl KindLabels {
    pub(crate) fn new() -> Result<Self, CapabilityError> {
        let labels = |names: &[&str]| names.iter().map(|name| name.parse()).collect();
        Ok(Self {
            exec: labels(&["proc.exec"])?,
            read: labels(&["fs.read"])?,
            write: labels(&["fs.write"])?,
            both: labels(&["fs.read", "fs.write"])?,
            fetch: labels(&["net.fetch"])?,
            none: labels(&[])?,
        })
    }

    pub(crate) fn of(&self, kind: Option<KindSpec>) -> &Arc<[Capability]> {
        match kind {
            Some(KindSpec::Shell | KindSpec::Exec) => &self.exec,
            Some(KindSpec::Read) => &self.read,
            Some(KindSpec::Write) => &self.write,
            Some(KindSpec::Copy | KindSpec::Move) => &self.both,
            Some(KindSpec::Fetch) => &self.fetch,
            Some(KindSpec::Plain) | None => &self.none,
        }
    }
}
