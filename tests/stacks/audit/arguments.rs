//! What of the arguments is in a record.

use serde_json::json;
use toolgate::{
    Annotations, Args, AuditRecord, BlockedKind, Decision, Origin, ToolBlocked, ToolCall,
};
use toolgate_test::Reply;
use tower::ServiceExt;

use super::{Rig, blocked};

fn secret() -> ToolCall {
    let args = json!({"to": "bob@example.com", "password": "hunter2", "auth": [{"password": "hunter2", "n": 1}]});
    ToolCall::new("t", args.try_into().unwrap())
        .with_id("c-1")
        .with_origin(Origin::new().with_session("s").with_agent("root"))
        .with_annotations(Annotations::new().with_destructive(true))
}

#[tokio::test(start_paused = true)]
async fn arguments_are_in_a_record_only_if_asked_for_and_not_excluded() {
    let mut rig = Rig::new(Decision::allow(), Reply::no());
    rig.stack().oneshot(secret()).await.unwrap();
    let record = rig.log.only();
    assert!(record.args.is_none() && record.to_call().is_none());
    assert_eq!(record.digest, secret().args().digest());
    assert!(!serde_json::to_string(&record).unwrap().contains("hunter2"));

    rig.audit = rig.log.layer().with_arguments().exclude_keys(["password"]);
    rig.stack().oneshot(secret()).await.unwrap();
    let record = rig.log.only();
    let text = serde_json::to_string(&record).unwrap();
    assert!(
        !text.contains("hunter2") && text.contains("bob@example.com"),
        "{text}"
    );
    assert!(record.incomplete);
    let kept: Args = json!({"to": "bob@example.com", "auth": [{"n": 1}]})
        .try_into()
        .unwrap();
    assert_eq!(record.args.as_ref(), Some(&kept));
    assert_eq!(
        record.digest,
        kept.digest(),
        "a digest gives no secret away"
    );
    assert!(!format!("{record:?}").contains("bob@example.com"));
    assert_eq!(serde_json::from_str::<AuditRecord>(&text).unwrap(), record);
    let unknown = text.replacen('{', r#"{"approved":true,"#, 1);
    assert!(serde_json::from_str::<AuditRecord>(&unknown).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_recorded_call_can_be_made_again_under_another_policy() {
    let mut rig = Rig::new(Decision::allow(), Reply::no());
    rig.audit = rig.log.layer().with_arguments();
    rig.stack().oneshot(secret()).await.unwrap();
    let record = rig.log.only();
    let again = record.to_call().unwrap();
    assert_eq!(again.args(), secret().args());
    assert_eq!(
        (again.id(), again.origin()),
        (secret().id(), secret().origin())
    );
    assert_eq!(again.annotations(), secret().annotations());

    rig.decision = Decision::deny("no longer");
    let ended = rig.stack().oneshot(again).await.unwrap_err();
    assert_eq!(
        ended.downcast::<ToolBlocked>().unwrap().kind(),
        BlockedKind::Denied
    );
    let replayed = rig.log.only();
    assert_eq!(replayed.outcome, blocked(BlockedKind::Denied));
    assert_eq!(replayed.digest, record.digest);
    assert_eq!(rig.tool.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_were_edited_are_recorded_beside_the_proposed_ones() {
    let edited = Args::new().with("n", 2);
    let mut rig = Rig::new(Decision::ask("sure?"), Reply::edit(edited.clone()));
    rig.audit = rig.log.layer().with_arguments();
    rig.stack()
        .oneshot(ToolCall::new("t", Args::new().with("n", 1)))
        .await
        .unwrap();
    let record = rig.log.only();
    assert_eq!(record.digest, Args::new().with("n", 1).digest());
    assert_eq!(record.ran_digest, Some(edited.digest()));
    assert_eq!(
        (record.args, record.ran_args),
        (Some(Args::new().with("n", 1)), Some(edited))
    );
    let plain = Rig::new(Decision::allow(), Reply::no()).run().await;
    assert_eq!((plain.ran_digest, plain.ran_args), (None, None));
}

#[tokio::test(start_paused = true)]
async fn edited_arguments_are_kept_back_like_others() {
    let edited: Args = json!({"n": 2, "password": "hunter2"}).try_into().unwrap();
    let mut rig = Rig::new(Decision::ask("sure?"), Reply::edit(edited));
    rig.audit = rig.log.layer().exclude_keys(["password"]);
    let record = rig.run().await;
    let shown = Args::new().with("n", 2);
    assert_eq!((record.args, record.ran_args), (None, None));
    assert_eq!(
        record.ran_digest,
        Some(shown.digest()),
        "nor can it be guessed"
    );

    rig.audit = rig.log.layer().with_arguments().exclude_keys(["password"]);
    let record = rig.run().await;
    assert_eq!(record.ran_args, Some(shown));
}

#[tokio::test(start_paused = true)]
async fn what_is_left_out_further_down_is_left_out_too() {
    for args in [
        json!({"a": {"password": 1}}),
        json!({"a": [[{"password": 1}]]}),
    ] {
        let mut rig = Rig::new(Decision::allow(), Reply::no());
        rig.audit = rig.log.layer().with_arguments().exclude_keys(["password"]);
        let call = ToolCall::new("t", args.try_into().unwrap());
        rig.stack().oneshot(call).await.unwrap();
        let record = rig.log.only();
        assert!(record.incomplete, "{record:?}");
        assert!(!serde_json::to_string(&record).unwrap().contains("password"));
    }
}
