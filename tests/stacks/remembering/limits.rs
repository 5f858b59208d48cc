//! For whom and for how long something is remembered.

use std::time::Duration;

use toolgate::{AllowedBy, BlockedKind, Origin, Remember, Rule, Vote};

use super::{Rig, no, yes};
use crate::call;

#[tokio::test]
async fn a_session_is_a_session_whatever_its_branch() {
    let rig = Rig::new([yes(Remember::Session), yes(Remember::Session)]);
    let from = |session: &str, branch: &str| {
        call("t").with_origin(Origin::new().with_session(session).with_branch(branch))
    };
    assert_eq!(rig.run(from("s", "a")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(from("s", "b")).await, Ok(AllowedBy::Memory));
    assert_eq!(rig.run(from("other", "a")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.grants.end_session(Some("s")), 1);
    assert_eq!(
        rig.run(from("s", "a")).await,
        Err(BlockedKind::HandlerFailed)
    );
}

#[tokio::test]
async fn always_spans_sessions_but_not_principals_or_projects() {
    let rig = Rig::new([yes(Remember::Always)]);
    let from = |principal: &str, project: &str, session: &str| {
        let origin = Origin::new()
            .with_principal(principal)
            .with_project(project);
        call("t").with_origin(origin.with_session(session))
    };
    assert_eq!(rig.run(from("ann", "p", "1")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(from("ann", "p", "2")).await, Ok(AllowedBy::Memory));
    for foreign in [from("bob", "p", "1"), from("ann", "q", "1"), call("t")] {
        assert_eq!(rig.run(foreign).await, Err(BlockedKind::HandlerFailed));
    }
}

#[tokio::test]
async fn a_session_grant_without_a_session_does_not_hold_in_one() {
    let rig = Rig::new([yes(Remember::Session)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    let elsewhere = call("t").with_origin(Origin::new().with_session("s"));
    assert_eq!(rig.run(elsewhere).await, Err(BlockedKind::HandlerFailed));
}

#[tokio::test]
async fn a_child_inherits_a_no_and_a_yes_only_if_it_may_be_passed_on() {
    let root = Origin::new().with_agent("root");
    let child = || call("t").with_origin(root.child("x"));
    let parent = || call("t").with_origin(root.clone());
    for (said, expected) in [
        (yes(Remember::Session), Err(BlockedKind::HandlerFailed)),
        (yes(Remember::Session).delegable(), Ok(AllowedBy::Memory)),
        (no(Remember::Session), Err(BlockedKind::RememberedDenial)),
    ] {
        let rig = Rig::new([said]);
        let _ = rig.run(parent()).await;
        assert_eq!(rig.run(child()).await, expected);
    }
    let rig = Rig::new([yes(Remember::Session).delegable()]);
    assert_eq!(rig.run(child()).await, Ok(AllowedBy::Human));
    assert_eq!(
        rig.run(parent()).await,
        Err(BlockedKind::HandlerFailed),
        "not upwards"
    );
}

#[tokio::test(start_paused = true)]
async fn a_grant_ends_in_time_and_after_its_uses() {
    let rig = Rig::new([yes(Remember::Session).expiring_in(Duration::from_secs(60))]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
    assert!(rig.grants.list().is_empty());

    let rig = Rig::new([yes(Remember::Session).for_uses(2)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    assert_eq!(rig.grants.list()[0].uses, Some(1));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
}

#[tokio::test]
async fn a_use_is_not_spent_on_a_call_that_does_not_run() {
    let mut rig = Rig::new([yes(Remember::Session).for_uses(1)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    // Another rule asks as well, and nothing is remembered for that one.
    let both = rig
        .decision
        .clone()
        .and(Vote::ask("more?").by(Rule::new("other")));
    let only = std::mem::replace(&mut rig.decision, both);
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
    rig.decision = only;
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
}

#[tokio::test(start_paused = true)]
async fn a_grant_for_longer_than_the_clock_reaches_is_one_without_an_end() {
    let rig = Rig::new([yes(Remember::Session).expiring_in(Duration::MAX)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
}
