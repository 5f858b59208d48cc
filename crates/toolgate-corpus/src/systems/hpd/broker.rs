//! Responses that come as events.
//!
//! A response that is not for the open question, or not of its kind, is refused, and the question
//! stays open. The source ends the call with an error if it is of another kind.

use futures_util::{
    FutureExt as _,
    future::{Either, select},
};
use serde_json::Value;
use toolgate::{Broker, BrokerEvent, EventFilter, PermissionResponse, RespondErrorKind};

use super::{
    Response,
    given::{Given, Responses},
    response::Object,
    stack::Build,
};
use crate::{
    Finding,
    answer::seconds,
    bench::{Attempt, Ended},
    case::{Case, Invalid},
    compare::compare,
    fault::Fault,
    seen::Seen,
    systems::finding,
};

/// Runs a case.
pub(super) async fn run(case: &Case, given: &Given, build: &Build<'_>) -> Result<Finding, Invalid> {
    let (call, expectation) = case.only_call()?;
    let responses: Vec<&Object> = match (&given.response, &given.responses) {
        (Some(response), None) => response.event().into_iter().collect(),
        (None, Some(Responses::InTurn(responses))) => details(responses)?,
        _ => return Err(Invalid::new("either `response` or `responses`")),
    };
    let broker = Broker::new();
    let mut events = broker.subscribe(EventFilter::all());
    let bench = build.brokered(&broker);
    // Whatever is not answered by then waits in vain.
    let patience = seconds(1.0)?;
    let calling = bench
        .call_and_drop(&call, None, Some(patience))
        .boxed_local();
    let (mut attempt, delivered) = match select(calling, events.recv().boxed_local()).await {
        Either::Left((attempt, _)) => (attempt, Vec::new()),
        Either::Right((event, calling)) => {
            let Some(BrokerEvent::Requested { address, request }) = event else {
                return Err(Invalid::new("the first event is no question"));
            };
            let respond = |object: &&Object| {
                let mut response =
                    PermissionResponse::new(request.id, address.clone(), object.choice());
                response.address.source = object.source().into();
                deliver(&broker, response, object.id())
            };
            let delivered: Vec<_> = responses.iter().map(respond).collect();
            let mut attempt = calling.await;
            attempt.shown.push((*request).clone());
            (attempt, delivered)
        }
    };
    mismatch(&mut attempt, &responses, &delivered);
    let mut seen = Seen::new(&attempt, &build.voice);
    let is_ok = |index: usize| delivered.get(index).is_some_and(Result::is_ok);
    seen.set("delivered", is_ok(0));
    seen.set("second_delivered", is_ok(1));
    Ok(finding(compare(&expectation, &seen)?))
}

fn details(responses: &[Response]) -> Result<Vec<&Object>, Invalid> {
    let details = responses.iter().map(|response| match response {
        Response::Object(object) => Ok(&**object),
        Response::Word(word) => Err(Invalid::new(format!("`{word:?}` as one of several"))),
    });
    details.collect()
}

/// Sends a response as it would come from another process; none of its fields is known to be good.
fn deliver(
    broker: &Broker,
    response: PermissionResponse,
    id: Option<&str>,
) -> Result<(), Option<RespondErrorKind>> {
    let mut json = serde_json::to_value(response).map_err(|_| None)?;
    if let (Some(id), Some(fields)) = (id, json.as_object_mut()) {
        fields.insert("id".to_owned(), Value::from(id));
    }
    let response: PermissionResponse = serde_json::from_value(json).map_err(|_| None)?;
    broker.respond(response).map_err(|error| Some(error.kind()))
}

/// Puts it as the source does that a response was of another kind.
fn mismatch(
    attempt: &mut Attempt,
    responses: &[&Object],
    delivered: &[Result<(), Option<RespondErrorKind>>],
) {
    let refused = Err(Some(RespondErrorKind::NotYours));
    let other = |object: &&Object| object.source() != "tools";
    if delivered.first() == Some(&refused)
        && responses.first().is_some_and(other)
        && matches!(attempt.ended, Ended::Dropped)
    {
        let expected = "Response type mismatch. Expected PermissionResponseEvent";
        attempt.ended = Ended::Failed(Fault::raised(
            "InvalidOperationException",
            format!("{expected}, got ContinuationResponseEvent"),
        ));
    }
}
