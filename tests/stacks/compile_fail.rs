//! Stacks that must not compile, and calls that must not be had.
//!
//! Each assertion is about a type, so that it cannot fail to compile for another reason than the
//! one it is there for: the whole stack is a service, and with one part missing it is not. If one
//! of these became possible, this file would no longer compile.

use toolgate::{
    Authorize, Authorized, Decision, GateLayer, PolicyLayer, PromptLayer, Proposed, ReviewLayer,
    Reviewing, ToolBlocked, ToolCall,
};
use toolgate_test::{Approver, Spy};
use tower::{BoxError, retry::RetryLayer};
use tower_layer::Layer;
use tower_service::Service;

macro_rules! is {
    ($type:ty: $($bound:tt)+) => {
        const _: fn() = || {
            fn check<T: $($bound)+>() {}
            check::<$type>();
        };
    };
}

/// Compiles only if the bound does not hold: where it holds, the call is ambiguous.
macro_rules! is_not {
    ($type:ty: $($bound:tt)+) => {
        const _: fn() = || {
            trait Ambiguous<A> {
                fn check() {}
            }
            struct Holds;
            impl<T: ?Sized> Ambiguous<()> for T {}
            impl<T: ?Sized + $($bound)+> Ambiguous<Holds> for T {}
            let _ = <$type as Ambiguous<_>>::check;
        };
    };
}

type Wrap<L, S> = <L as Layer<S>>::Service;
type Policy = PolicyLayer<fn(&ToolCall<Reviewing>) -> Decision>;
type Gated<S = Spy> = Wrap<GateLayer, S>;

// The whole stack.
is!(Wrap<ReviewLayer, Wrap<Policy, Gated>>: Service<ToolCall>);
is!(Wrap<ReviewLayer, Wrap<PromptLayer<Approver>, Wrap<Policy, Gated>>>: Service<ToolCall>);
is!(Wrap<ReviewLayer, Gated<Authorize>>: Service<ToolCall>);
// Without a gate.
is_not!(Wrap<ReviewLayer, Wrap<Policy, Spy>>: Service<ToolCall>);
is_not!(Wrap<ReviewLayer, Spy>: Service<ToolCall>);
is_not!(Wrap<ReviewLayer, Wrap<PromptLayer<Approver>, Spy>>: Service<ToolCall>);
// Without a review.
is_not!(Wrap<Policy, Gated>: Service<ToolCall>);
is_not!(Wrap<PromptLayer<Approver>, Gated>: Service<ToolCall>);
is_not!(Gated: Service<ToolCall>);
is_not!(Spy: Service<ToolCall>);
// With a policy, or the prompt, outside the review.
is_not!(Wrap<Policy, Wrap<ReviewLayer, Gated>>: Service<ToolCall>);
is_not!(Wrap<PromptLayer<Approver>, Wrap<ReviewLayer, Gated>>: Service<ToolCall>);
// With a policy inside the gate, where it would come too late.
is_not!(Wrap<ReviewLayer, Gated<Wrap<Policy, Spy>>>: Service<ToolCall>);
// With two gates, or two reviews.
is_not!(Wrap<ReviewLayer, Gated<Gated>>: Service<ToolCall>);
is_not!(Wrap<ReviewLayer, Wrap<ReviewLayer, Gated>>: Service<ToolCall>);

// An authorised call is the only one that a tool takes, and it can be had only once.
is!(Spy: Service<ToolCall<Authorized>>);
is_not!(Spy: Service<ToolCall<Reviewing>>);
is_not!(ToolCall<Authorized>: Clone);
is!(ToolCall<Proposed>: Clone);
is!(ToolCall<Reviewing>: Clone);
// It cannot come from outside.
is!(ToolCall<Proposed>: serde::de::DeserializeOwned);
is_not!(ToolCall<Authorized>: serde::de::DeserializeOwned);
is_not!(ToolCall<Reviewing>: serde::de::DeserializeOwned);
is_not!(ToolCall<Authorized>: Default);
is_not!(ToolCall<Authorized>: From<ToolCall>);
is_not!(ToolCall<Authorized>: From<ToolCall<Reviewing>>);

/// A retry around the tool would run it twice on one authorisation.
#[derive(Clone)]
struct Always;

impl<C: Clone, R, E> tower::retry::Policy<C, R, E> for Always {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut C, _: &mut Result<R, E>) -> Option<Self::Future> {
        None
    }

    fn clone_request(&mut self, request: &C) -> Option<C> {
        Some(request.clone())
    }
}

is!(Wrap<RetryLayer<Always>, Wrap<ReviewLayer, Gated>>: Service<ToolCall>);
is_not!(Wrap<ReviewLayer, Gated<Wrap<RetryLayer<Always>, Spy>>>: Service<ToolCall>);

// Every layer can be shared and moved.
is!(Wrap<ReviewLayer, Wrap<PromptLayer<Approver>, Wrap<Policy, Gated>>>: Clone + Send + Sync + std::fmt::Debug + 'static);
is!(ToolBlocked: Into<BoxError> + Send + Sync);
