//! Stores: taking grants elsewhere, and stores that take their time.

use std::time::Duration;

use serde_json::json;
use toolgate::{
    Answering, BlockedKind, Decision, Found, GateLayer, Grant, GrantQuery, GrantStore, Grants,
    MemoryLayer, PolicyLayer, PromptLayer, Remember, ReviewLayer, StoreError, ToolBlocked,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{Service, ServiceBuilder, ServiceExt};

use super::{Rig, no, with, yes};
use crate::{always, call};

#[tokio::test]
async fn what_is_exported_is_imported_whole_or_not_at_all() {
    let rig = Rig::new([yes(Remember::Always), no(Remember::Session)]);
    let _ = rig.run(with(json!({"n": 1}))).await;
    let _ = rig.run(with(json!({"n": 2}))).await;
    let lasting = Grants::new();
    lasting.import(&rig.grants.export().unwrap()).unwrap();
    assert_eq!(lasting.list().len(), 1, "a session ends with its process");
    let saved = rig.grants.export_with_sessions().unwrap();
    let restored = Grants::new();
    restored.import(&saved).unwrap();
    assert_eq!(restored.list().len(), 2);

    for broken in [
        saved[..saved.len() - 3].to_owned(),
        saved.replace("\"version\": 1", "\"version\": 2"),
        saved.replace("\"allow\"", "\"alow\""),
        saved.replace("\"exact\"", "\"exakt\""),
        saved.clone() + "x",
        String::new(),
    ] {
        let grants = Grants::new();
        assert!(grants.import(&broken).is_err(), "{broken}");
        assert!(grants.list().is_empty());
    }
}

/// A store that waits before it answers, or fails.
struct Remote {
    grants: Grants,
    fails: bool,
}

impl GrantStore for Remote {
    fn lookup(&self, query: &GrantQuery<'_>) -> Answering<Result<Found, StoreError>> {
        let found = GrantStore::lookup(&self.grants, query);
        let fails = self.fails;
        Answering::Later(Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if fails {
                Err(StoreError::new("corrupt"))
            } else {
                found.wait().await
            }
        }))
    }

    fn record(&self, grants: Vec<Grant>) -> Answering<Result<(), StoreError>> {
        let recorded = self.grants.record(grants);
        Answering::Later(Box::pin(recorded.wait()))
    }
}

async fn through_remote(
    fails: bool,
    approver: &Approver,
    grants: &Grants,
) -> Result<(), ToolBlocked> {
    let mut stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(MemoryLayer::new(Remote {
            grants: grants.clone(),
            fails,
        }))
        .layer(GateLayer::new())
        .service(Spy::new());
    stack.ready().await?.call(call("t")).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_store_may_take_its_time_and_one_that_fails_has_no_grants() {
    let grants = Grants::new();
    let approver = Approver::script([Reply::Say(yes(Remember::Session)), Reply::no()]);
    through_remote(false, &approver, &grants).await.unwrap();
    through_remote(false, &approver, &grants).await.unwrap();
    assert_eq!((approver.asked(), grants.list().len()), (1, 1));
    let blocked = through_remote(true, &approver, &grants).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Declined, "it was asked about");
    assert_eq!(approver.asked(), 2);
}
