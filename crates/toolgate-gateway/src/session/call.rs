//! `tools/call`: the one method that is judged.

use std::sync::Arc;

use serde_json::{json, value::RawValue};
use toolgate::{ApprovalRequest, Args, ArgsLimits, Authorized, ToolBlocked, ToolCall, ToolId};
use tower::ServiceExt as _;

use super::{
    ClientKey, Shared, What,
    client::{elicits, shown},
    list::tool_id,
};
use crate::{
    ask::{Route, Way},
    form,
    frame::{self, INVALID_PARAMS, SERVER_ERROR},
    json::{Object, raw},
    registry::Definition,
    state::{self, Inner, States},
};

/// Where a request says which version of the protocol it speaks, and what its client can do.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The key of the gateway's own question among those that a client is to answer.
const QUESTION: &str = "toolgate";

/// Why a call did not run, and in which form the client is told.
enum Refused {
    /// The request is wrong.
    Wrong(i64, String),
    /// The call is refused. The model reads why.
    Result(String),
    /// Somebody has to be asked first, and the client does that.
    Deferred(Box<ApprovalRequest>),
}

/// A call as the client made it.
struct Call {
    key: ClientKey,
    server: usize,
    name: String,
    args: Args,
    params: Object,
    /// What every request of a client carries, if its protocol has no sessions.
    envelope: Option<Object>,
    inner: Inner,
    filled: Option<Box<RawValue>>,
    state: Option<String>,
}

impl Shared {
    /// Judges a call, and passes it on or refuses it.
    pub(super) async fn call(
        self: Arc<Self>,
        key: ClientKey,
        request: Object,
        params: Option<Object>,
    ) {
        let params = params.unwrap_or_default();
        self.learn_names(&params).await;
        let outcome = match self.read_call(&key, params) {
            Ok(mut call) => match self.judge(&mut call).await {
                Ok(authorised) => {
                    return self.run(call, request, authorised).await;
                }
                Err(refused) => self.refusal(&call, refused),
            },
            Err((code, why)) => Err((code, why)),
        };
        match outcome {
            Ok(result) => {
                let text = frame::result(&key.id, &result);
                self.reply(key, text).await;
            }
            Err((code, why)) => self.fail(key, code, &why).await,
        }
    }

    fn read_call(&self, key: &ClientKey, params: Object) -> Result<Call, (i64, String)> {
        let wrong = |why: String| (INVALID_PARAMS, why);
        let exposed = params.text("name");
        let exposed = exposed.ok_or_else(|| wrong("the call names no tool".to_owned()))?;
        let unknown = || wrong(format!("there is no tool `{}`", shown(&exposed)));
        let (server, name) = self.meant(&exposed).ok_or_else(unknown)?;
        let args = match params.get("arguments") {
            None => Args::new(),
            Some(args) => Args::parse_slice(args.get().as_bytes(), ArgsLimits::default())
                .map_err(|error| wrong(error.to_string()))?,
        };
        let mut call = Call {
            key: key.clone(),
            server,
            name,
            args,
            envelope: envelope(&params),
            params,
            inner: Inner::default(),
            filled: None,
            state: None,
        };
        call.take_state();
        Ok(call)
    }

    async fn judge(&self, call: &mut Call) -> Result<ToolCall<Authorized>, Refused> {
        let definition = self
            .definition(call.server, &call.name, call.envelope.as_ref())
            .await;
        let definition = definition.map_err(|why| Refused::Wrong(SERVER_ERROR, why))?;
        let Some((definition, link)) = definition.zip(self.link(call.server)) else {
            let why = "is not among the tools that its server lists, or is there more than once";
            return Err(Refused::Result(format!(
                "`{}` did not run: it {why}.",
                shown(&call.name)
            )));
        };
        let tool = tool_id(link, &call.name, definition);
        let answer = self.answered(call, &tool)?;
        let id: Arc<str> = self.next_call().to_string().into();
        let route = Route {
            way: self.way(call),
            answer,
            deferred: None,
        };
        let route = self.routes.open(Arc::clone(&id), route);
        let proposed = ToolCall::new(tool, call.args.clone())
            .with_id(id)
            .with_origin(self.origin.clone())
            .with_annotations(definition.annotations);
        match self.authority.clone().oneshot(proposed).await {
            Ok(authorised) => self.still(call, definition, authorised).await,
            Err(blocked) => Err(match route.deferred() {
                Some(request) => Refused::Deferred(Box::new(request)),
                None => refused(&blocked),
            }),
        }
    }

    /// A tool that was changed while somebody was asked is another tool. If its server said that
    /// tools changed, it is asked what they are now.
    async fn still(
        &self,
        call: &Call,
        definition: Definition,
        authorised: ToolCall<Authorized>,
    ) -> Result<ToolCall<Authorized>, Refused> {
        let now = self
            .definition(call.server, &call.name, call.envelope.as_ref())
            .await;
        if now.map_err(|why| Refused::Wrong(SERVER_ERROR, why))? == Some(definition) {
            return Ok(authorised);
        }
        let why = "its server changed it while the call was judged";
        Err(Refused::Result(format!(
            "`{}` did not run: {why}.",
            shown(&call.name)
        )))
    }

    /// How somebody is asked about a call.
    fn way(&self, call: &Call) -> Way {
        match &call.envelope {
            Some(envelope) if elicits(Some(envelope), CAPABILITIES) => Way::Defer,
            None if !self.is_stateless && self.client().elicits => Way::Elicit(call.key.clone()),
            _ => Way::Aside,
        }
    }

    /// What was answered to a question that was deferred. A state that is not genuine, or not for
    /// this call, or late, or was used before, refuses the call.
    fn answered(
        &self,
        call: &mut Call,
        tool: &ToolId,
    ) -> Result<Option<(state::Asked, toolgate::ApprovalDecision)>, Refused> {
        let Some(state) = call.state.take() else {
            return Ok(None);
        };
        let bound = state::call(&self.id, tool, &call.args);
        let Some((asked, inner)) = self.core.states.take(&state, bound) else {
            let why = "the request state is not for this call, is too old, or was used before";
            return Err(Refused::Wrong(INVALID_PARAMS, why.to_owned()));
        };
        call.inner = inner;
        let filled = call.filled.take().unwrap_or_else(|| raw(&()));
        let decision = form::answer(&filled, !self.is_stateless);
        Ok(Some((asked, decision)))
    }

    /// Passes on a call that was authorised, with the arguments that were.
    async fn run(&self, call: Call, mut request: Object, authorised: ToolCall<Authorized>) {
        let mut params = call.params;
        params.put("name", &call.name);
        if params.has("arguments") || !authorised.args().is_empty() {
            params.put("arguments", authorised.args());
        }
        if let Some(state) = call.inner.state {
            params.set("requestState", state);
        }
        if let Some(responses) = call.inner.responses {
            params.set("inputResponses", responses);
        }
        request.put("params", &params);
        self.forward(call.server, call.key, What::Plain, request, Some(params))
            .await;
    }

    /// What the client is told of a call that did not run.
    fn refusal(&self, call: &Call, refused: Refused) -> Result<Object, (i64, String)> {
        let is_modern = call.envelope.is_some();
        let text = match refused {
            Refused::Wrong(code, why) => return Err((code, why)),
            Refused::Result(text) => text,
            Refused::Deferred(request) => match self.deferral(call, &request) {
                Some(result) => return Ok(result),
                None => format!("`{}` did not run: it cannot be asked about.", request.tool),
            },
        };
        let content = json!([{"type": "text", "text": text}]);
        let result = Object::default()
            .with("content", &raw(&content))
            .with("isError", &true);
        Ok(match is_modern {
            true => result.with("resultType", "complete"),
            false => result,
        })
    }

    /// The result that asks the client to ask somebody, and to call again.
    fn deferral(&self, call: &Call, request: &ApprovalRequest) -> Option<Object> {
        let params = form::question(request, !self.is_stateless).ok()?;
        let bound = state::call(&self.id, &request.tool, &call.args);
        let state = self.core.states.make(bound, request, call.inner.clone())?;
        let question = Object::default()
            .with("method", "elicitation/create")
            .with("params", &params);
        let questions = Object::default().with(QUESTION, &question);
        let result = Object::default().with("resultType", "input_required");
        Some(
            result
                .with("inputRequests", &questions)
                .with("requestState", &state),
        )
    }
}

impl Call {
    /// Takes out what the client carries: the gateway's own state and answer, or the server's.
    fn take_state(&mut self) {
        let state = self.params.text("requestState");
        match state.filter(|state| States::is_meant(state)) {
            Some(state) => {
                let responses = self.params.object("inputResponses");
                self.filled = responses.and_then(|mut all| all.remove(QUESTION));
                self.params.remove("inputResponses");
                self.params.remove("requestState");
                self.state = Some(state);
            }
            None => {
                self.inner = Inner {
                    state: self.params.remove("requestState"),
                    responses: self.params.remove("inputResponses"),
                };
            }
        }
    }
}

/// What every request carries if the protocol has no sessions.
fn envelope(params: &Object) -> Option<Object> {
    let mut meta = params.object("_meta")?;
    meta.remove("progressToken");
    meta.has(VERSION).then_some(meta)
}

/// Whether a message belongs to a protocol that has no sessions.
pub(crate) fn is_modern(message: &frame::Message) -> bool {
    let params = message.params().ok().flatten();
    params.is_some_and(|params| envelope(&params).is_some())
}

/// What the model is told.
fn refused(blocked: &ToolBlocked) -> Refused {
    Refused::Result(blocked.for_model())
}
