//! Tower layers that decide which tool calls an LLM agent may make.
//!
//! A stack is built with `ServiceBuilder`, from the entry to the tool:
//!
//! ```
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//! use toolgate::{
//!     ApprovalDecision, ApprovalRequest, Args, Capabilities, CapabilityLayer, CapabilityRules,
//!     GateLayer, PromptLayer, ReviewLayer, Tool, ToolCall, ToolConfig, ToolDecision, ToolRules,
//!     ToolRulesLayer, Toolbox,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let toolbox = Toolbox::new([
//!     Tool::raw("read_file", |_| async { Ok::<_, std::io::Error>("contents") })
//!         .with_capabilities(["fs.read".parse()?]),
//! ])?;
//! let human = service_fn(|_: ApprovalRequest| async {
//!     Ok::<_, std::io::Error>(ApprovalDecision::decline())
//! });
//! let tool_rules = ToolRules::new([("delete_*", ToolConfig::blocked())])?;
//! let capability_rules = CapabilityRules::new([("fs.read", ToolDecision::PreApproved)])?;
//!
//! let tools = ServiceBuilder::new()
//!     .layer(ReviewLayer::new().describe(toolbox.clone()))
//!     .layer(PromptLayer::new(human))
//!     .layer(ToolRulesLayer::new(tool_rules.clone()))
//!     .layer(CapabilityLayer::new(
//!         Capabilities::new(capability_rules).with_tool_rules(tool_rules),
//!     ))
//!     .layer(GateLayer::new())
//!     .service(toolbox);
//!
//! let response = tools.oneshot(ToolCall::new("read_file", Args::new())).await?;
//! assert_eq!(response, "contents");
//! # Ok(())
//! # }
//! ```
//!
//! A call goes inward and collects votes; a deny ends it at once. At the gate it is authorised,
//! or it is still open, and then it climbs back out to whoever asks. An answered call goes round
//! again: every policy judges it once more, and the gate lets it through only if the answer
//! covers every rule that asked, for the very arguments that are about to run.
//!
//! The state of a call is in its type: policies see a [`ToolCall<Reviewing>`], tools take a
//! [`ToolCall<Authorized>`], and only the gate makes one of the other. A stack without a review,
//! without a gate, or with a policy outside the review does not compile.

mod adapter;
mod annotation_rules;
mod annotations;
mod approval;
mod args;
mod ask_handle;
mod ask_once;
mod async_policy;
mod audit;
mod authorize;
mod batch;
mod blocked;
mod blocked_as_result;
mod broker;
mod call;
mod capabilities;
mod capability;
mod ceiling;
mod channel;
mod check_approval;
mod clock;
mod combine;
mod continuation;
mod decision;
mod describe;
mod entries;
mod gate;
mod id;
mod memory;
mod mode;
#[cfg(all(test, toolgate_loom))]
mod models;
mod observed;
mod origin;
mod pattern;
mod policy;
mod prompt;

mod release;
mod render;
mod review;
mod round;
mod sync;
mod tool_rules;
mod toolbox;
mod trail;
mod visible;
mod vote;

pub mod future;

pub use self::{
    adapter::{Authorizer, Definition, Definitions, Refusal, authorize},
    annotation_rules::{AnnotationLayer, AnnotationRules},
    annotations::Annotations,
    approval::{
        ApprovalDecision, ApprovalRequest, Asked, Presentation, Remember, Suggestion, Suggestions,
        Words,
    },
    args::{Args, ArgsDigest, ArgsDigestError, ArgsError, ArgsLimits},
    ask_handle::{Approved, AskHandle, Question},
    async_policy::{AsyncPolicyLayer, AsyncPolicyService},
    audit::{
        Answerer, AuditLayer, AuditOutcome, AuditRecord, AuditRule, AuditService, AuditSink,
        JsonLinesSink, TracingSink,
    },
    authorize::Authorize,
    batch::run_batch,
    blocked::{BlockedError, BlockedKind, ToolBlocked},
    blocked_as_result::{BlockedAsResultLayer, BlockedAsResultService},
    broker::{
        ActiveRuntime, Address, Broker, BrokerEvent, BrokerPrompt, Choice, EventFilter,
        PermissionResponse, RespondError, RespondErrorKind, Subscription,
    },
    call::{AllowedBy, Authorized, Proposed, Reviewing, ToolCall},
    capabilities::{
        Capabilities, CapabilityLayer, CapabilityPatterns, CapabilityRules, capability_policy,
    },
    capability::{CAPABILITY_WORDS, Capability, CapabilityError, Labels},
    ceiling::{Ceiling, ParentFailed, ceiling},
    channel::{ChannelPrompt, PendingApproval, PendingApprovals, approval_channel},
    check_approval::{
        Approval, CheckApproval, CheckApprovalLayer, MemoryView, NoMemory, Remembered, SelfChecking,
    },
    combine::{Abstain, ForTools, Several, When, first_of, for_tools, strictest_of, when},
    continuation::{ContinuationLayer, ContinuationService, Iteration, Run, RunEnded},
    decision::Decision,
    describe::{CapabilityMap, Describe, DescribeError, Description},
    gate::{GateLayer, GateService},
    id::{CallId, DefinitionDigest, RequestId, ToolId},
    memory::{
        Answering, Found, Grant, GrantDecision, GrantId, GrantQuery, GrantScope, GrantStore,
        Grants, MemoryLayer, MemoryService, StoreError, Ticket,
    },
    mode::{Mode, ModeSwitch},
    origin::{AgentPath, Origin},
    pattern::{PatternError, ToolPatterns},
    policy::{Policy, PolicyLayer, PolicyService},
    prompt::{AskError, AskErrorKind, PromptLayer, PromptService, Turns},
    render::{LineKind, RenderError, RenderedLine, Rendering},
    review::{NoAsyncDescriber, ReviewLayer, ReviewService},
    tool_rules::{RulesError, ToolConfig, ToolDecision, ToolEntries, ToolRules, ToolRulesLayer},
    toolbox::{Tool, Toolbox, ToolboxError, ToolboxErrorKind},
    trail::{Trail, TrailEntry},
    vote::{Effect, Rule, RuleSource, Vote},
};
