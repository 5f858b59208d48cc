//! What a subscriber sees of a call.
//!
//! A process of its own, with one test: subscribers are looked up in a cache that all threads of
//! a process share, and tests on other threads would disturb it.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};

use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, AuditLayer, Authorized, Decision, GateLayer,
    PolicyLayer, PromptLayer, ReviewLayer, Reviewing, Rule, ToolCall, TracingSink,
};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Registry,
    layer::{Context, Layer, SubscriberExt as _},
};

/// Keeps the fields of every span, and all text that was recorded anywhere.
#[derive(Clone, Default)]
struct Recorder {
    spans: Arc<Mutex<BTreeMap<u64, BTreeMap<&'static str, String>>>>,
    text: Arc<Mutex<String>>,
}

struct Fields<'a>(&'a Recorder, BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        self.0.text.lock().unwrap().push_str(&value);
        self.1
            .insert(field.name(), value.trim_matches('"').to_owned());
    }
}

impl<S: Subscriber> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = Fields(self, BTreeMap::new());
        attributes.record(&mut fields);
        self.spans
            .lock()
            .unwrap()
            .entry(id.into_u64())
            .or_default()
            .extend(fields.1);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, _: Context<'_, S>) {
        let mut fields = Fields(self, BTreeMap::new());
        record.record(&mut fields);
        self.spans
            .lock()
            .unwrap()
            .entry(id.into_u64())
            .or_default()
            .extend(fields.1);
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut Fields(self, BTreeMap::new()));
    }
}

/// Sends a call of `tool` through, and returns the fields of its one span.
async fn spans_of(tool: &str, recorder: &Recorder) -> BTreeMap<&'static str, String> {
    let human = service_fn(|_: ApprovalRequest| async {
        tokio::time::sleep(Duration::from_secs(7)).await;
        Ok::<_, BoxError>(ApprovalDecision::approve().with_note("hunter2"))
    });
    let policy = |call: &ToolCall<Reviewing>| match call.tool().name() {
        "free" | "failing" => Decision::allow().by(Rule::new("rule-free")),
        "never" => Decision::deny("no").by(Rule::new("rule-never")),
        _ => Decision::ask("sure?").by(Rule::new("rule-ask")),
    };
    let stack = ServiceBuilder::new()
        .layer(AuditLayer::new(TracingSink::new()).with_arguments())
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::new())
        .service_fn(|call: ToolCall<Authorized>| async move {
            tokio::time::sleep(Duration::from_secs(2)).await;
            match call.tool().name() {
                "failing" => Err(BoxError::from("broken")),
                _ => Ok(()),
            }
        });
    let call = ToolCall::new(tool, Args::new().with("hunter2key", "hunter2"));
    drop(stack.oneshot(call).await);
    assert!(
        !recorder.text.lock().unwrap().contains("hunter2"),
        "an argument was recorded"
    );
    let text = std::mem::take(&mut *recorder.text.lock().unwrap());
    assert_eq!(text.matches("tool call ended").count(), 1, "{text}");
    let mut spans = std::mem::take(&mut *recorder.spans.lock().unwrap());
    assert_eq!(spans.len(), 1, "one span per call");
    spans.pop_first().unwrap().1
}

fn expect(fields: &BTreeMap<&'static str, String>, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        let found = fields.get(name).map_or("nothing", |value| value);
        assert_eq!(found, *value, "{name} of {fields:?}");
    }
}

#[tokio::test(flavor = "current_thread", start_paused = true)]
async fn a_span_says_how_the_call_ended_and_how_long_it_took() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(Registry::default().with(recorder.clone()));

    let allowed = spans_of("free", &recorder).await;
    expect(
        &allowed,
        &[
            ("tool", "free"),
            ("decision", "allowed"),
            ("rule", "rule-free"),
        ],
    );
    expect(
        &allowed,
        &[("kind", "Rules"), ("rounds", "1"), ("failed", "nothing")],
    );
    expect(&allowed, &[("elapsed_us", "2000000"), ("waited_us", "0")]);

    let asked = spans_of("asked", &recorder).await;
    expect(&asked, &[("decision", "allowed"), ("rule", "rule-ask")]);
    expect(&asked, &[("kind", "Human"), ("rounds", "2")]);
    expect(
        &asked,
        &[("elapsed_us", "9000000"), ("waited_us", "7000000")],
    );

    let blocked = spans_of("never", &recorder).await;
    expect(&blocked, &[("decision", "blocked"), ("rule", "rule-never")]);
    expect(
        &blocked,
        &[("kind", "denied"), ("rounds", "1"), ("failed", "nothing")],
    );

    let failed = spans_of("failing", &recorder).await;
    expect(
        &failed,
        &[
            ("decision", "allowed"),
            ("kind", "Rules"),
            ("failed", "true"),
        ],
    );
}
