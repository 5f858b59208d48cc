//! A tool that counts its runs.

use std::{
    future::{Ready, ready},
    marker::PhantomData,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use serde_json::Value;
use toolgate::{AllowedBy, Args, Authorized, ToolBlocked, ToolCall};
use tower_service::Service;

/// A tool that takes any call, writes down what it ran with, and returns its arguments.
///
/// Clones write into the same book. `E` is the error type of the stack it stands in.
pub struct Spy<E = ToolBlocked> {
    book: Arc<Mutex<Vec<Run>>>,
    error: PhantomData<fn() -> E>,
}

#[derive(Clone, Debug)]
struct Run {
    args: Args,
    by: AllowedBy,
}

impl Spy {
    /// Makes a spy for a stack whose error is [`ToolBlocked`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_error()
    }
}

impl Default for Spy {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Spy<E> {
    /// Makes a spy for a stack with an error type of its own.
    #[must_use]
    pub fn with_error() -> Self {
        Self {
            book: Arc::default(),
            error: PhantomData,
        }
    }

    /// How often the tool ran.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.book().len()
    }

    /// The arguments that it ran with, in order.
    #[must_use]
    pub fn args(&self) -> Vec<Args> {
        self.book().into_iter().map(|run| run.args).collect()
    }

    /// How the calls came to be allowed, in order.
    #[must_use]
    pub fn allowed_by(&self) -> Vec<AllowedBy> {
        self.book().into_iter().map(|run| run.by).collect()
    }

    fn book(&self) -> Vec<Run> {
        self.book
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl<E> Clone for Spy<E> {
    fn clone(&self) -> Self {
        Self {
            book: Arc::clone(&self.book),
            error: PhantomData,
        }
    }
}

impl<E> std::fmt::Debug for Spy<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Spy({} runs)", self.runs())
    }
}

impl<E> Service<ToolCall<Authorized>> for Spy<E> {
    type Response = Value;
    type Error = E;
    type Future = Ready<Result<Value, E>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), E>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall<Authorized>) -> Self::Future {
        let run = Run {
            args: call.args().clone(),
            by: call.allowed_by(),
        };
        let response = Value::Object(run.args.as_map().clone());
        self.book
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(run);
        ready(Ok(response))
    }
}
