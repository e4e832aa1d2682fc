//! The handler: which method is answered where.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::{catalogue, prompts, resources, tools};

/// What all connections share.
#[derive(Debug)]
pub(crate) struct World {
    changes: broadcast::Sender<Change>,
    /// Whether the tool that comes and goes is there.
    extra_tool: AtomicBool,
    /// Whether the prompt that comes and goes is there.
    extra_prompt: AtomicBool,
}

/// A list that is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

impl Default for World {
    fn default() -> World {
        World {
            changes: broadcast::channel(16).0,
            extra_tool: AtomicBool::new(false),
            extra_prompt: AtomicBool::new(false),
        }
    }
}

impl World {
    /// Makes the extra tool or prompt appear or go, and tells those who listen.
    pub(crate) fn change(&self, change: Change) {
        let switch = match change {
            Change::Tools => &self.extra_tool,
            Change::Prompts => &self.extra_prompt,
        };
        switch.fetch_xor(true, Ordering::Relaxed);
        // Nobody may be listening.
        let _ = self.changes.send(change);
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) world: Arc<World>,
    /// What is logged at least, where the client said so by `logging/setLevel`.
    level: Mutex<LoggingLevel>,
}

impl Fixture {
    pub(crate) fn new(world: Arc<World>) -> Fixture {
        Fixture { world, level: Mutex::new(LoggingLevel::Debug) }
    }

    /// Logs for the client, where it wants to hear of this level. Without sessions the request itself says so.
    pub(crate) async fn log(&self, context: &RequestContext<RoleServer>, level: LoggingLevel, text: &str) {
        let wanted = if is_stateless(context) {
            context.meta.log_level()
        } else {
            Some(*self.level.lock().unwrap_or_else(PoisonError::into_inner))
        };
        if wanted.is_some_and(|wanted| level as u8 >= wanted as u8) {
            let message = LoggingMessageNotificationParam::new(level, json!(text)).with_logger("conformance");
            let _ = context.peer.notify_logging_message(message).await;
        }
    }

    fn tools(&self) -> Result<Vec<Tool>, ErrorData> {
        made(catalogue::tools(self.world.extra_tool.load(Ordering::Relaxed)))
    }
}

/// Whether a request stands for itself: no handshake, no session.
pub(crate) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.meta.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// A value of the protocol from the JSON that it is on the wire.
pub(crate) fn made<T: serde::de::DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl rmcp::ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities: ServerCapabilities = serde_json::from_value(json!({
            "completions": {},
            "logging": {},
            "prompts": { "listChanged": true },
            "resources": { "listChanged": true, "subscribe": true },
            "tools": { "listChanged": true },
        }))
        .unwrap_or_default();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities).with_server_info(Implementation::new("offcut-conformance", version))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().ok()?.into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, &context).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let extra = self.world.extra_prompt.load(Ordering::Relaxed);
        Ok(ListPromptsResult::with_all_items(made(catalogue::prompts(extra))?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known = ["paris", "park", "party"].into_iter();
        let values = known.filter(|word| word.starts_with(&request.argument.value)).map(str::to_owned).collect();
        let info = CompletionInfo::with_all_values(values);
        Ok(CompleteResult::new(info.map_err(|why| ErrorData::internal_error(why, None))?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(made(catalogue::resources())?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(made(catalogue::templates())?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri)
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        resources::known(&request.uri)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::known(&request.uri)
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.world.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // The sink refuses what this subscription did not ask for.
            let _ = match change {
                Ok(Change::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            };
        }
    }
}
