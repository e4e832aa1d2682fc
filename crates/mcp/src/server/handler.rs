//! Which method is answered where.
//!
//! There is one [`Handler`] for each connection, and one for each request that stands for itself; what they share is
//! the [`ServerState`].

// Logging is on its way out of the protocol; the clients in the field still set its level.
#![allow(deprecated)]

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use http::request::Parts;
use offcut::{Offcut, TraceContext};
use offcut_core::causes::with_causes;
use offcut_core::report::Report;
use offcut_extract::Model;
use offcut_store::StoreError;
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::SessionRestoreMarker;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::calls::{Called, Means};
use super::client_session::{Caller, ClientSession, ClientSessions};
use super::http::session_named;
use super::sampling::ClientModel;
use super::shared_sessions::{MCP_SESSION, SharedSessions};
use super::wait::blocking;
use super::{definitions, resources};

/// What the client's model is told about all tools at once.
const INSTRUCTIONS: &str = "Outputs that are too long are cut, and kept whole: the notice in a result says what is \
                            missing and names the get_artifact call that returns it. grep and find respect .gitignore.";

/// What all connections share.
#[derive(Clone)]
pub(super) struct ServerState {
    sessions: ClientSessions,
    root: PathBuf,
    /// Whom questions go to where the client offers no model of its own.
    model: Option<Arc<dyn Model>>,
    /// The sessions whose lists of artifacts change.
    changes: broadcast::Sender<String>,
}

impl fmt::Debug for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_ref().map(|model| model.name());
        f.debug_struct("ServerState").field("root", &self.root).field("model", &model).finish_non_exhaustive()
    }
}

impl ServerState {
    pub(super) fn new(offcut: Offcut, root: PathBuf) -> ServerState {
        ServerState { sessions: ClientSessions::new(offcut), root, model: None, changes: broadcast::channel(64).0 }
    }

    /// What is told to the other processes on the same store.
    pub(super) fn shared_sessions(&self) -> SharedSessions {
        SharedSessions::new(self.sessions.offcut().clone())
    }

    pub(super) fn with_model(self, model: Arc<dyn Model>) -> ServerState {
        ServerState { model: Some(model), ..self }
    }

    pub(super) fn in_session(self, session: &str) -> Result<ServerState, StoreError> {
        Ok(ServerState { sessions: self.sessions.in_session(session)?, ..self })
    }
}

/// One connection, or one request that stands for itself.
#[derive(Debug)]
pub(super) struct Handler {
    state: Arc<ServerState>,
    client_session: Mutex<Option<Arc<ClientSession>>>,
    /// What is logged at least, where the client said so by `logging/setLevel`.
    level: Mutex<LoggingLevel>,
}

impl Handler {
    pub(super) fn new(state: Arc<ServerState>) -> Handler {
        Handler { state, client_session: Mutex::new(None), level: Mutex::new(LoggingLevel::Warning) }
    }

    /// Whose request this is.
    fn client_session(&self, context: &RequestContext<RoleServer>) -> Result<Arc<ClientSession>, ErrorData> {
        let headers = context.extensions.get::<Parts>().map(|parts| &parts.headers);
        let named = headers.and_then(session_named);
        let refused = |error: StoreError| {
            let hint = "a session is named by 1 to 56 of `A-Z a-z 0-9 . _ -`";
            ErrorData::invalid_params(format!("{}: {hint}", with_causes(&error)), None)
        };
        if headers.is_some() && is_stateless(context) {
            let client = client_name(context);
            let caller = Caller { session: named, client: &client };
            return self.state.sessions.of_request(caller).map_err(refused);
        }
        let id = headers.and_then(|headers| headers.get(MCP_SESSION)?.to_str().ok());
        let mut client_session = self.client_session.lock();
        match &*client_session {
            Some(client_session) => Ok(client_session.clone()),
            None => Ok(client_session.insert(self.state.sessions.of_connection(named, id).map_err(refused)?).clone()),
        }
    }

    /// Settles the session of a connection as its handshake says. One that was begun with another process keeps the
    /// name that it was given there.
    async fn shake_hands(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let headers = context.extensions.get::<Parts>().map(|parts| &parts.headers);
        if let Some(SessionRestoreMarker { id, .. }) = context.extensions.get::<SessionRestoreMarker>()
            && headers.and_then(session_named).is_none()
            && let Some(name) = self.state.shared_sessions().named(id).await
        {
            let named = self.state.sessions.of_connection(Some(&name), None);
            let named = named.map_err(|error| ErrorData::internal_error(with_causes(&error), None))?;
            *self.client_session.lock() = Some(named);
            return Ok(());
        }
        // Over HTTP a session without a name is known by the id that the answer brings, so by the next request.
        if headers.is_none_or(|headers| session_named(headers).is_some() || headers.contains_key(MCP_SESSION)) {
            self.client_session(context)?;
        }
        Ok(())
    }

    /// Tells whoever wants to know that an artifact was kept.
    async fn kept(&self, context: &RequestContext<RoleServer>, client_session: &ClientSession) {
        // Nobody may be listening.
        let _ = self.state.changes.send(client_session.session().to_owned());
        if !is_stateless(context) {
            let _ = context.peer.notify_resource_list_changed().await;
        }
    }

    /// Logs a cut for the client, where it wants to hear of it: what happened, never what was in it.
    async fn log(&self, context: &RequestContext<RoleServer>, tool: &str, report: &Report) {
        let wanted = if is_stateless(context) { context.meta.log_level() } else { Some(*self.level.lock()) };
        let level = if report.degraded.is_empty() { LoggingLevel::Info } else { LoggingLevel::Warning };
        if !report.was_truncated || wanted.is_none_or(|wanted| (level as u8) < wanted as u8) {
            return;
        }
        let data = json!({
            "tool": tool,
            "original_size": report.original_size,
            "truncated_size": report.truncated_size,
            "strategy": report.strategy,
            "artifact_id": report.artifact_id,
            "degraded": report.degraded,
        });
        let message = LoggingMessageNotificationParam::new(level, data).with_logger("offcut");
        let _ = context.peer.notify_logging_message(message).await;
    }
}

/// Whether a request stands for itself: no handshake, no connection.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.meta.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// The trace that a request belongs to: as it says itself, else as the header of its HTTP request does.
fn trace(context: &RequestContext<RoleServer>) -> Option<TraceContext> {
    let said = context.meta.get("traceparent").and_then(Value::as_str);
    let headers = context.extensions.get::<Parts>().map(|parts| &parts.headers);
    let header = || headers?.get("traceparent")?.to_str().ok();
    said.or_else(header)?.parse().ok()
}

/// The client's name for itself; empty where it has none.
fn client_name(context: &RequestContext<RoleServer>) -> String {
    context.client_info().map(|client| client.name).unwrap_or_default()
}

impl rmcp::ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            // There are none, but clients that ask for the list get one.
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            // The list is the same from the first request on, so that it never empties a provider's prompt cache.
            .enable_tools()
            .build();
        let about = Implementation::new("offcut", env!("CARGO_PKG_VERSION")).with_title("Offcut");
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // A session that the client names now holds for the whole connection.
        self.shake_hands(&context).await?;
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // All of them fit one page, so that no cursor was ever given out.
        if let Some(cursor) = request.and_then(|request| request.cursor) {
            return Err(bad_cursor(&cursor));
        }
        Ok(ListToolsResult::with_all_items(definitions::definitions()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        definitions::definitions().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(called) = Called::named(&request.name) else {
            let name: String = request.name.chars().take(80).flat_map(char::escape_debug).collect();
            return Err(ErrorData::invalid_params(
                format!("unknown tool `{name}`: tools/list has those that are"),
                None,
            ));
        };
        let client_session = self.client_session(&context)?;
        let client = client_name(&context);
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let asked = (called == Called::ToolOutput).then(|| ClientModel::of(&context)).flatten();
        let (state, at, name, trace) = (self.state.clone(), client_session.clone(), client.clone(), trace(&context));
        let (answer, kept) = blocking(&context, move |cancel| {
            let model = asked.as_ref().map(|model| model as &dyn Model).or(state.model.as_deref());
            let offcut = at.offcut(&name).in_trace(trace);
            let means = Means { offcut: &offcut, root: &state.root, model, cancel, client: &name };
            let answer = called.call(&means, &arguments);
            let kept = answer.report.as_ref().is_some_and(|report| report.artifact_created);
            if kept {
                at.hold();
            }
            (answer, kept)
        })
        .await?;
        if kept {
            self.kept(&context, &client_session).await;
        }
        if let Some(report) = &answer.report {
            self.log(&context, &request.name, report).await;
        }
        Ok(answer.into_result(&client).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let client_session = self.client_session(&context)?;
        let cursor = request.and_then(|request| request.cursor);
        blocking(&context, move |_| resources::list(&client_session.listed(), cursor.as_deref())).await?
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if let Some(cursor) = request.and_then(|request| request.cursor) {
            return Err(bad_cursor(&cursor));
        }
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let client_session = self.client_session(&context)?;
        let client = client_name(&context);
        let read = blocking(&context, move |_| resources::read(&client_session.offcut(&client), &request.uri)).await?;
        Ok(read?.into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_stateless(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.level.lock() = request.level;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The SDK takes a request that it cannot read for one of a method that it does not know.
        let method = request.method.as_str();
        if KNOWN.contains(&method) || (WITH_HANDSHAKE.contains(&method) && !is_stateless(&context)) {
            return Err(ErrorData::invalid_params(format!("the parameters of `{}` are none", request.method), None));
        }
        let method: String = request.method.chars().take(80).collect();
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("no method `{method}`"), None))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.state.changes.subscribe();
        let client_session = self.client_session(context.request_context())?;
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            match change {
                Ok(session) if session != client_session.session() => continue,
                // Too many to be told one by one: whatever it was, the list may have changed.
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            }
            // The sink refuses what this subscription did not ask for.
            let _ = context.sink().notify_resource_list_changed().await;
        }
    }
}

/// The methods that are answered, where their parameters can be read.
const KNOWN: &[&str] = &[
    "tools/call",
    "tools/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
];

/// Those that are answered only where there was a handshake.
const WITH_HANDSHAKE: &[&str] = &["initialize", "logging/setLevel"];

/// A cursor that was never given out.
pub(super) fn bad_cursor(cursor: &str) -> ErrorData {
    let cursor: String = cursor.chars().take(80).flat_map(char::escape_debug).collect();
    ErrorData::invalid_params(format!("`{cursor}` is no cursor of this list: start without one"), None)
}
