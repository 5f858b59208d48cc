//! One record for every outcome.

mod future;
mod json_lines;
mod record;
mod sink;

use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use tower_layer::Layer;
use tower_service::Service;

use self::future::Recorder;
pub use self::{
    future::AuditFuture,
    json_lines::JsonLinesSink,
    record::{Answerer, AuditOutcome, AuditRecord, AuditRule},
    sink::{AuditSink, TracingSink},
};
use crate::ToolCall;

/// Hands one record to a sink for every call, however it ends: allowed, blocked, failed, or given
/// up by whoever made it.
///
/// Stands outside of the review. It changes nothing: neither the call nor the result, and a sink
/// that fails or panics fails alone.
///
/// A record holds a digest of the arguments. It holds the arguments themselves only where that is
/// [asked for](Self::with_arguments), and never those under a key that is
/// [excluded](Self::exclude_keys). The reasons of rules are in it as the policies wrote them.
///
/// # Example
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use tower::{ServiceBuilder, ServiceExt};
/// use toolgate::{
///     Args, AuditLayer, AuditOutcome, AuditRecord, Authorize, BlockedKind, GateLayer,
///     ReviewLayer, ToolCall,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let log = Arc::new(Mutex::new(Vec::new()));
/// let sink = {
///     let log = log.clone();
///     move |record: &AuditRecord| log.lock().unwrap().push(record.clone())
/// };
/// let stack = ServiceBuilder::new()
///     .layer(AuditLayer::new(sink))
///     .layer(ReviewLayer::new())
///     .layer(GateLayer::deny_by_default())
///     .service(Authorize::new());
///
/// stack.oneshot(ToolCall::new("format_disk", Args::new())).await.unwrap_err();
///
/// let records = log.lock().unwrap();
/// let kind = BlockedKind::Denied;
/// assert_eq!(records[0].outcome, AuditOutcome::Blocked { kind });
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a layer does nothing until it wraps a service"]
pub struct AuditLayer {
    settings: Arc<Settings>,
}

#[derive(Clone)]
struct Settings {
    sink: Arc<dyn AuditSink>,
    arguments: bool,
    exclude_keys: Vec<Box<str>>,
}

impl AuditLayer {
    /// Hands records to `sink`.
    pub fn new(sink: impl AuditSink) -> Self {
        Self {
            settings: Arc::new(Settings {
                sink: Arc::new(sink),
                arguments: false,
                exclude_keys: Vec::new(),
            }),
        }
    }

    /// Puts the arguments into the records, so that the calls can be
    /// [made again](AuditRecord::to_call), against another policy for instance.
    pub fn with_arguments(mut self) -> Self {
        Arc::make_mut(&mut self.settings).arguments = true;
        self
    }

    /// Leaves out what stands under these keys, however deep. It is not in the digest either,
    /// because a short secret could be guessed from that.
    pub fn exclude_keys<K: Into<Box<str>>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        settings
            .exclude_keys
            .extend(keys.into_iter().map(Into::into));
        self
    }
}

impl fmt::Debug for AuditLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLayer")
            .field("arguments", &self.settings.arguments)
            .field("exclude_keys", &self.settings.exclude_keys)
            .finish_non_exhaustive()
    }
}

impl<S> Layer<S> for AuditLayer {
    type Service = AuditService<S>;

    fn layer(&self, inner: S) -> AuditService<S> {
        AuditService {
            inner,
            audit: self.clone(),
        }
    }
}

/// The service that [`AuditLayer`] makes.
#[derive(Clone, Debug)]
pub struct AuditService<S> {
    inner: S,
    audit: AuditLayer,
}

impl<S: Service<ToolCall>> Service<ToolCall> for AuditService<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = AuditFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall) -> Self::Future {
        let recorder = Recorder::new(Arc::clone(&self.audit.settings), &mut call);
        // The recorder is there first: policies run inside of this, and may panic.
        let future = self.inner.call(call);
        AuditFuture::new(future, recorder)
    }
}
