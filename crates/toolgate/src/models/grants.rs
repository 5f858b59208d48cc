//! Recording, looking up and revoking.

use std::sync::Arc;

use loom::thread;

use super::model;
use crate::{
    Answering, Args, Found, Grant, GrantDecision, GrantQuery, GrantStore as _, Grants, Origin,
    Remember, ToolId, memory::GrantScope,
};

fn grant(decision: GrantDecision) -> Grant {
    let scope = GrantScope::of(&Origin::new(), Remember::Session);
    let (layer, rule) = (Arc::from("l"), Arc::from("r"));
    Grant {
        decision,
        scope,
        layer,
        rule,
        ..Grant::blank(&ToolId::from("t"))
    }
}

fn found(grants: &Grants) -> Found {
    let (tool, origin, payload) = (ToolId::from("t"), Origin::new(), Args::new());
    let query = GrantQuery {
        tool: &tool,
        origin: &origin,
        layer: "l",
        rule: "r",
        named: true,
        subject: None,
        payload: &payload,
    };
    match grants.lookup(&query) {
        Answering::Now(found) => found.unwrap(),
        Answering::Later(_) => unreachable!("grants in memory are at hand"),
    }
}

#[test]
fn a_no_that_is_recorded_wins_whatever_else_is() {
    model(|| {
        let grants = Grants::new();
        let other = grants.clone();
        let recording = thread::spawn(move || other.add(grant(GrantDecision::Allow)));
        grants.add(grant(GrantDecision::Deny));
        assert!(matches!(found(&grants), Found::Denied(_)));
        recording.join().unwrap();
        assert!(matches!(found(&grants), Found::Denied(_)));
    });
}

#[test]
fn what_is_revoked_is_not_found_afterwards() {
    model(|| {
        let grants = Grants::new();
        let id = grants.add(grant(GrantDecision::Allow));
        let other = grants.clone();
        let looking = thread::spawn(move || matches!(found(&other), Found::Denied(_)));
        assert!(grants.revoke(id));
        assert!(matches!(found(&grants), Found::Nothing));
        assert!(!looking.join().unwrap());
    });
}
