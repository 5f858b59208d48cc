//! Grants in memory.

mod live;
mod table;

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use self::table::Table;
use super::{
    Answering, Found, Grant, GrantDecision, GrantId, GrantQuery, GrantStore, StoreError,
    query::rule_name,
};
use crate::{
    ApprovalRequest, Args, MemoryView, Remembered, Reviewing, ToolCall,
    check_approval::CHECK_APPROVAL,
    sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, read, write},
};

/// Grants in memory. A `Grants` is a handle: clones share what is remembered, and an empty one is
/// shared like any other.
///
/// # Example
///
/// ```
/// use toolgate::Grants;
///
/// let grants = Grants::new();
/// let saved = grants.export()?;
/// let restored = Grants::new();
/// restored.import(&saved)?;
/// assert_eq!(restored.list(), grants.list());
/// # Ok::<(), toolgate::StoreError>(())
/// ```
#[derive(Clone, Default)]
pub struct Grants(Arc<RwLock<Table>>);

/// Grants as they are saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    grants: Vec<Grant>,
}

const VERSION: u32 = 1;

impl Grants {
    /// Makes a memory that remembers nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers a grant, and gives it an id. What was said before to the same rule for the same
    /// operation in the same scope is replaced, unless it was a no and this is a yes: a no has to be
    /// [revoked](Self::revoke).
    pub fn add(&self, grant: Grant) -> GrantId {
        self.write().add(grant)
    }

    /// Everything that is remembered and still holds, in the order in which it was given.
    #[must_use]
    pub fn list(&self) -> Vec<Grant> {
        self.read()
            .iter()
            .filter(|live| live.holds())
            .map(|live| live.grant())
            .collect()
    }

    /// Forgets one grant. False if there was none.
    pub fn revoke(&self, id: GrantId) -> bool {
        self.write().remove_one(id)
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.write() = Table::default();
    }

    /// Forgets what holds in one session only.
    pub fn end_session(&self, session: Option<&str>) -> usize {
        self.write().remove(|live| live.is_of_session(session))
    }

    /// Whether a yes is remembered to everything that `request` asks.
    #[must_use]
    pub fn is_remembered(&self, request: &ApprovalRequest) -> bool {
        let approved = |query: GrantQuery<'_>| matches!(self.find(&query), Found::Allowed(_));
        !request.asks.is_empty()
            && request.asks.iter().all(|ask| {
                approved(GrantQuery {
                    tool: &request.tool,
                    origin: &request.origin,
                    layer: &ask.layer,
                    rule: rule_name(ask.rule.as_ref(), ask.reason.as_deref()),
                    named: ask.rule.is_some(),
                    subject: ask.subject.as_deref(),
                    payload: &ask.payload,
                })
            })
    }

    /// What holds until it is revoked, as JSON. What holds in one session only is left out: a
    /// session ends with its process, unless the host [says otherwise](Self::export_with_sessions).
    ///
    /// # Errors
    ///
    /// If it cannot be written as JSON.
    pub fn export(&self) -> Result<String, StoreError> {
        let mut grants = self.list();
        grants.retain(|grant| !grant.scope.one_session);
        to_json(grants)
    }

    /// Everything that is remembered, as JSON, for hosts whose sessions outlive their processes.
    ///
    /// # Errors
    ///
    /// If it cannot be written as JSON.
    pub fn export_with_sessions(&self) -> Result<String, StoreError> {
        to_json(self.list())
    }

    /// Remembers what was exported, beside what is remembered already.
    ///
    /// # Errors
    ///
    /// If it cannot be read to the last byte. Then nothing of it is remembered.
    pub fn import(&self, json: &str) -> Result<(), StoreError> {
        let saved: Saved = serde_json::from_str(json).map_err(StoreError::new)?;
        if saved.version != VERSION {
            return Err(StoreError::new(format!(
                "unknown version {}",
                saved.version
            )));
        }
        let mut table = self.write();
        for grant in saved.grants {
            table.add(grant);
        }
        Ok(())
    }

    fn find(&self, query: &GrantQuery<'_>) -> Found {
        let table = self.read();
        let mut found = Found::Nothing;
        table.find(query, |live| match live.decision() {
            GrantDecision::Deny => found = Found::Denied(live.note()),
            GrantDecision::Allow if matches!(found, Found::Nothing) => {
                found = Found::Allowed(live.ticket());
            }
            GrantDecision::Allow => {}
        });
        found
    }

    fn read(&self) -> RwLockReadGuard<'_, Table> {
        read(&self.0)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        write(&self.0)
    }
}

fn to_json(grants: Vec<Grant>) -> Result<String, StoreError> {
    let saved = Saved {
        version: VERSION,
        grants,
    };
    serde_json::to_string_pretty(&saved).map_err(StoreError::new)
}

impl GrantStore for Grants {
    fn lookup(&self, query: &GrantQuery<'_>) -> Answering<Result<Found, StoreError>> {
        Answering::Now(Ok(self.find(query)))
    }

    fn record(&self, grants: Vec<Grant>) -> Answering<Result<(), StoreError>> {
        let mut table = self.write();
        for grant in grants {
            table.add(grant);
        }
        Answering::Now(Ok(()))
    }
}

impl MemoryView for Grants {
    /// Only what was answered to the tools' own asks. A yes that is counted, or that does not hold
    /// in strict mode, is not shown: looking at it would be using it. Neither is an answer that
    /// was given under a name of its own, because the payload alone does not say which.
    fn lookup(&self, call: &ToolCall<Reviewing>, payload: &Args) -> Option<Remembered> {
        let mut remembered = None;
        let shows_yes = !call.round().is_strict();
        self.read()
            .about(call.tool(), None, call.origin(), payload, |live| {
                let own = live.is_of_layer(CHECK_APPROVAL)
                    && live.inner().subject.is_none()
                    && live.is_about(call.tool(), call.origin(), payload)
                    && live.holds();
                match live.decision() {
                    GrantDecision::Deny if own => remembered = Some(Remembered::Denied),
                    GrantDecision::Allow if own && shows_yes && live.ticket().left().is_none() => {
                        remembered = remembered.or(Some(Remembered::Approved));
                    }
                    GrantDecision::Allow | GrantDecision::Deny => {}
                }
            });
        remembered
    }
}

impl fmt::Debug for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grants({})", self.read().len())
    }
}
