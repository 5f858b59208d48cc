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
    delete: Arc<[Capability]>,
    copy: Arc<[Capability]>,
    moved: Arc<[Capability]>,
    fetch: Arc<[Capability]>,
    none: Arc<[Capability]>,
}

impl KindLabels {
    pub(crate) fn new() -> Result<Self, CapabilityError> {
        let labels = |names: &[&str]| {
            let parsed = names.iter().map(|name| name.parse::<Capability>());
            parsed.collect::<Result<Arc<[_]>, _>>()
        };
        Ok(Self {
            exec: labels(&["proc.exec"])?,
            read: labels(&["fs.read"])?,
            write: labels(&["fs.write"])?,
            delete: labels(&["fs.delete"])?,
            copy: labels(&["fs.read", "fs.write"])?,
            moved: labels(&["fs.read", "fs.write", "fs.delete"])?,
            fetch: labels(&["net.fetch"])?,
            none: labels(&[])?,
        })
    }

    pub(crate) fn of(&self, kind: Option<KindSpec>) -> &Arc<[Capability]> {
        match kind {
            Some(KindSpec::Shell | KindSpec::Exec) => &self.exec,
            Some(KindSpec::Read) => &self.read,
            Some(KindSpec::Write) => &self.write,
            Some(KindSpec::Delete) => &self.delete,
            Some(KindSpec::Copy) => &self.copy,
            Some(KindSpec::Move) => &self.moved,
            Some(KindSpec::Fetch) => &self.fetch,
            Some(KindSpec::Plain) | None => &self.none,
        }
    }
}
