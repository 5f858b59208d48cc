//! Text that is not what it seems. Each test fails when its hole is put back.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use toolgate::{
    AgentPath, Answering, ApprovalDecision, Args, AskHandle, Authorize, CallId, Capability,
    CapabilityMap, Decision, Found, GateLayer, Grant, GrantQuery, GrantStore, Grants, PolicyLayer,
    PromptLayer, Question, Remember, ReviewLayer, StoreError, ToolCall,
};
use toolgate_test::{Approver, Reply};
use tower::{ServiceBuilder, ServiceExt};

use crate::always;

const ODD: &str = "a\u{1b}[2K\u{202e}\u{9b}\n\u{13441}b";

fn is_plain(text: &str) -> bool {
    let plain = |c: char| c == ' ' || c.is_ascii_graphic();
    text.chars().all(plain)
}

/// Whatever a question has in words can be put on a terminal as it is.
#[tokio::test]
async fn the_words_of_a_question_hide_nothing() {
    let approver = Approver::always(Reply::no());
    let labels = CapabilityMap::new([("t", ["fs.write".parse::<Capability>().unwrap().on(ODD)])]);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(labels))
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(always(Decision::ask(ODD))))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let args = Args::new().with("x", ODD);
    stack.oneshot(ToolCall::new("t", args)).await.unwrap_err();
    let question = approver.questions().pop().unwrap();
    let words: Vec<_> = question
        .capabilities
        .iter()
        .map(Capability::words)
        .collect();
    assert!(is_plain(&question.description));
    assert!(is_plain(&question.reasons().join("; ")));
    assert!(is_plain(&words.join("; ")), "{words:?}");
}

/// Names that a model may have chosen are shown with everything visible.
#[test]
fn names_hide_nothing() {
    let agent = AgentPath::from("root").join(ODD);
    assert!(is_plain(&agent.to_string()));
    let id = CallId::new(ODD);
    assert!(is_plain(&id.to_string()) && is_plain(&format!("{id:?}")));
}

/// Shows what it is asked, as whoever debugs a store would.
#[derive(Clone)]
struct Nosy(Grants, Arc<Mutex<String>>);

impl GrantStore for Nosy {
    fn lookup(&self, query: &GrantQuery<'_>) -> Answering<Result<Found, StoreError>> {
        write!(self.1.lock().unwrap(), "{query:?}").unwrap();
        GrantStore::lookup(&self.0, query)
    }

    fn record(&self, grants: Vec<Grant>) -> Answering<Result<(), StoreError>> {
        write!(self.1.lock().unwrap(), "{grants:?}").unwrap();
        self.0.record(grants)
    }
}

/// What a tool asks about is in no debug output on the way.
#[tokio::test]
async fn debug_shows_nothing_of_what_a_tool_asks() {
    let yes = ApprovalDecision::approve().remembered(Remember::Session);
    let approver = Approver::always(Reply::Say(yes));
    let shown = Arc::<Mutex<String>>::default();
    let store = Nosy(Grants::new(), Arc::clone(&shown));
    let asker = AskHandle::new(approver.clone()).with_memory(store);
    asker
        .ask(Question::new("pay", "send hunter2 to bob"))
        .await
        .unwrap();
    let question = approver.questions().pop().unwrap();
    let shown = shown.lock().unwrap().clone() + &format!("{:?} {question:?}", question.asks);
    assert!(shown.contains("ask handle"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
}
