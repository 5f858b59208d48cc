//! Around a server's handler.

#![expect(
    deprecated,
    reason = "clients of older versions still use some of the methods"
)]

use std::{borrow::Cow, fmt, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
        CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult,
        DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
        InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
        ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
        SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
        UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use toolgate::{Authorizer, Definition, Definitions, Origin, Refusal, ToolCall, ToolId, authorize};

use crate::{args, told, with_args};

type OriginOf = dyn Fn(&RequestContext<RoleServer>) -> Origin + Send + Sync;

/// Runs the tools of a server only if a stack lets them.
///
/// Everything but `tools/call` goes to the handler as it is. A call is judged by what the handler
/// says at that moment that the tool is defined as; a tool that it neither knows nor lists is
/// refused. If the client cancels, or goes away, the question is withdrawn.
#[derive(Clone)]
#[must_use = "a server is authorised only if it is served through this"]
pub struct GatedServer<H, S> {
    name: Box<str>,
    handler: H,
    stack: S,
    origin: Arc<OriginOf>,
}

impl<H: ServerHandler, S: Authorizer> GatedServer<H, S> {
    /// Stands around `handler`, whose tools are known as those of the server `name`.
    pub fn new(name: impl Into<Box<str>>, handler: H, stack: S) -> Self {
        Self {
            name: name.into(),
            handler,
            stack,
            origin: Arc::new(|_| Origin::new()),
        }
    }

    /// Says where every call of this connection comes from.
    pub fn with_origin(self, origin: Origin) -> Self {
        self.with_origin_of(move |_| origin.clone())
    }

    /// Says where a call comes from, by its context: transports leave there what they know of a
    /// session. Nothing that a client may choose freely should become a principal.
    pub fn with_origin_of(
        mut self,
        origin: impl Fn(&RequestContext<RoleServer>) -> Origin + Send + Sync + 'static,
    ) -> Self {
        self.origin = Arc::new(origin);
        self
    }

    async fn authorize(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolRequestParams, Refusal> {
        let definition = self.definition(&request.name, context).await?;
        let call = definition
            .call(args(&request))
            .with_id(context.id.to_string())
            .with_origin((self.origin)(context));
        let call = self.unless_cancelled(call, context).await?;
        // Somebody may have been asked for long. A tool that changed meanwhile is another.
        let now = self.definition(&request.name, context).await?;
        if now.tool() != call.tool() {
            return Err(Refusal::unknown_tool(call.tool().clone()));
        }
        Ok(with_args(request, &call))
    }

    /// A cancelled request is no reason to go on asking. rmcp lets the handler's future run on.
    async fn unless_cancelled(
        &self,
        call: ToolCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolCall<toolgate::Authorized>, Refusal> {
        let tool = call.tool().clone();
        let authorized = authorize(self.stack.clone(), call);
        let cancelled = context.ct.run_until_cancelled(authorized).await;
        cancelled.unwrap_or_else(|| Err(Refusal::cancelled(tool)))
    }

    /// What the handler says of a tool by name, or else lists.
    async fn definition(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Definition, Refusal> {
        let tool = ToolId::new(name).on_server(self.name.clone());
        if let Some(known) = self.handler.get_tool(name) {
            return Definition::of(tool, &known);
        }
        let listed = self.listed(context).await;
        let listed = listed.map_err(|_| Refusal::unknown_tool(tool))?;
        let named = listed.iter().map(|tool| (&*tool.name, tool));
        let definitions = Definitions::new(Some(&self.name), named)?;
        definitions.get(name).cloned()
    }

    async fn listed(&self, context: &RequestContext<RoleServer>) -> Result<Vec<Tool>, ErrorData> {
        let mut tools = Vec::new();
        let mut page = None;
        for _ in 0..MOST_PAGES {
            let listed = self.handler.list_tools(page, context.clone()).await?;
            tools.extend(listed.tools);
            let Some(cursor) = listed.next_cursor else {
                return Ok(tools);
            };
            page = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
        }
        Err(ErrorData::internal_error(
            "the list of tools has no end",
            None,
        ))
    }
}

/// A handler that lists more pages than this goes round in circles.
const MOST_PAGES: usize = 1000;

impl<H, S> fmt::Debug for GatedServer<H, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatedServer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// All but `call_tool` only forwards. Every method is here: one that is left out would answer with
/// the default of the trait in place of the handler's own.
#[expect(
    deprecated,
    reason = "clients of older versions still use these methods"
)]
impl<H: ServerHandler, S: Authorizer> ServerHandler for GatedServer<H, S> {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.authorize(request, &context).await {
            Ok(request) => self.handler.call_tool(request, context).await,
            Err(refusal) => Ok(told(&refusal).into()),
        }
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.handler.ping(context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.handler.initialize(request, context).await
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.handler.discover(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.handler.complete(request, context).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.set_level(request, context).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.handler.get_prompt(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.handler.list_prompts(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.handler.list_resources(request, context).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.handler.list_resource_templates(request, context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.handler.read_resource(request, context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.unsubscribe(request, context).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.handler.list_tools(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.handler.on_custom_request(request, context).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.handler.get_task(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.cancel_task(request, context).await
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler.on_cancelled(notification, context).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler.on_progress(notification, context).await;
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler
            .on_custom_notification(notification, context)
            .await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.handler.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.handler.on_roots_list_changed(context).await;
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.handler.listen(context).await
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.handler.negotiate_initialize(request)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.handler.supported_protocol_versions()
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.handler.accepted_subscription_filter(requested)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.handler.get_tool(name)
    }

    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }
}
