//! The protocol: the only file that knows the MCP library, and where its traps are avoided.
//! Dispatch runs over our own registry, arguments are checked by us, and the transport is ours, so
//! that end of input and signals take one path and a bad line gets an answer.

use std::sync::{Arc, Mutex};

// The vocabulary of the protocol: nearly all of it is spoken here.
use rmcp::model::*;
use rmcp::service::{
    NotificationContext, Peer, RequestContext, RoleServer, RxJsonRpcMessage, ServerInitializeError,
    SubscriptionContext, TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler, serve_server};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::error_codes::{self, ErrorChannel, WireError};
use super::notifications::ChangeReceiver;
use super::profile::{AnswerForm, Profile};
use super::tool_wording::{word_contents, word_for_connection};
use super::transport::LineConnection;
use super::{ClientPresence, ServerContext, methods, prompts, resources};
use crate::engine::Engine;
use crate::front::executor::{Executor, ProgressStep};
use crate::ops::operation::{self, GatewayCall};
use crate::ops::{ListChange, OpEntry, OpError, Reply};

/// Serves over standard input and output until `offer` stops. Returns whether a client used it.
pub async fn stdio(offer: ServerContext) -> std::io::Result<ClientPresence> {
    let (input, output) = rmcp::transport::stdio_pipes();
    let wire = LineConnection::new(input, output, offer.stop.clone());
    serve(offer, wire).await
}

/// Serves one connection until it ends.
async fn serve(offer: ServerContext, wire: LineConnection) -> std::io::Result<ClientPresence> {
    let opening = None;
    match serve_server(McpServer::new(offer), WireTransport { wire, opening }).await {
        Ok(running) => {
            running.waiting().await.map_err(std::io::Error::other)?;
            Ok(ClientPresence::Used)
        }
        // No client opened a session before the input ended or a signal came.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(ClientPresence::Unused),
        Err(error) => Err(std::io::Error::other(error)),
    }
}

/// Streamable HTTP, for both generations. The HTTP entry point checks access.
#[derive(Clone)]
pub struct HttpService(StreamableHttpService<McpServer, LocalSessionManager>);

impl HttpService {
    /// Creates the service. Sessions and streams end when `end` is cancelled.
    pub fn new(offer: ServerContext, end: CancellationToken, max_body: usize) -> HttpService {
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(max_body)
            .with_cancellation_token(end);
        let serve = move || Ok(McpServer::new(offer.clone()));
        HttpService(StreamableHttpService::new(serve, Arc::default(), config))
    }

    /// Handles one HTTP request at `/mcp`.
    pub async fn handle(&self, request: axum::extract::Request) -> axum::response::Response {
        self.0.handle(request).await.map(axum::body::Body::new)
    }
}

/// The library's context of a request.
type Context = RequestContext<RoleServer>;
/// The cursor of a list request.
type PageCursor = Option<PaginatedRequestParams>;
/// The result of a handler.
type HandlerResult<T> = Result<T, ErrorData>;

/// The handler of one connection.
pub struct McpServer {
    /// The profile and the shared state.
    context: ServerContext,
    /// Changes since the connection began. The handshake takes them, so that none is lost before
    /// it.
    early_changes: Mutex<Option<ChangeReceiver>>,
}

impl ServerHandler for McpServer {
    /// The identity, capabilities and instructions of the server.
    fn get_info(&self) -> InitializeResult {
        let profile = &self.context.profile;
        let capabilities = from_json(profile.capabilities());
        let implementation = Implementation::new(&*profile.server_name, &*profile.version);
        InitializeResult::new(capabilities.unwrap_or_default())
            .with_server_info(implementation)
            .with_instructions(profile.instructions.clone())
    }

    /// `tools/list`. The client's name decides if descriptions are shortened; both protocol
    /// generations send it.
    async fn list_tools(
        &self,
        _request: PageCursor,
        context: Context,
    ) -> HandlerResult<ListToolsResult> {
        let greeted = || Some(context.peer.peer_info()?.client_info.name.clone());
        let said = methods::client_name(context.meta.get(methods::CLIENT));
        let client = said.or_else(greeted).unwrap_or_default();
        self.run_method("tools/list", move |engine, profile| Ok(profile.tool_list(engine, &client)))
            .await
    }

    /// `resources/list`, in pages.
    async fn list_resources(
        &self,
        request: PageCursor,
        _: Context,
    ) -> HandlerResult<ListResourcesResult> {
        let cursor = request.and_then(|request| request.cursor);
        let list =
            move |engine: &Engine, of: &Profile| resources::list_resources(engine, of, cursor);
        self.run_method("resources/list", list).await
    }

    /// `resources/templates/list`, in pages.
    async fn list_resource_templates(
        &self,
        request: PageCursor,
        _: Context,
    ) -> HandlerResult<ListResourceTemplatesResult> {
        let cursor = request.and_then(|request| request.cursor);
        let list = move |_: &Engine, profile: &Profile| resources::list_templates(profile, cursor);
        self.run_method("resources/templates/list", list).await
    }

    /// `resources/read`. A server without resources does not know the method.
    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> HandlerResult<ReadResourceResponse> {
        if self.context.profile.resource_capabilities().is_empty() {
            return Err(ErrorData::method_not_found::<ReadResourceRequestMethod>());
        }
        let reading = self.run_method("resources/read", move |engine, profile| {
            resources::read_resource(engine, &profile.resource_capabilities(), &request.uri)
        });
        reading.await.map(ReadResourceResult::into)
    }

    /// `prompts/list`, in pages.
    async fn list_prompts(
        &self,
        request: PageCursor,
        _: Context,
    ) -> HandlerResult<ListPromptsResult> {
        let cursor = request.and_then(|request| request.cursor);
        let list = move |_: &Engine, profile: &Profile| prompts::list_prompts(profile, cursor);
        self.run_method("prompts/list", list).await
    }

    /// `prompts/get`. A server without prompts does not know the method.
    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> HandlerResult<GetPromptResponse> {
        if self.context.profile.prompts().is_empty() {
            return Err(ErrorData::method_not_found::<GetPromptRequestMethod>());
        }
        let given = request.arguments.unwrap_or_default();
        let get = move |_: &Engine, profile: &Profile| {
            prompts::get_prompt(profile, &request.name, &given)
        };
        let answer = self.run_method("prompts/get", get).await;
        answer.map(GetPromptResult::into)
    }

    /// `tools/call`: checks the name, runs the operation, and forwards its progress if the client
    /// sent a token.
    ///
    /// Arguments are checked by the operation and not by the library, whose errors two contracts
    /// forbid.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> HandlerResult<CallToolResponse> {
        let unknown = |error: OpError| {
            let data = error.details.map(|details| details.to_json());
            ErrorData::invalid_params(error.message, data)
        };
        let asked = self.context.profile.find_tool(&request.name).map_err(unknown)?;
        let mut op = asked;
        let mut arguments = request.arguments.map_or(Value::Null, Value::Object);
        if op.name == operation::OP.name {
            match operation::resolve(&arguments) {
                Ok(GatewayCall::Run(meant, of_operation)) => {
                    (op, arguments) = (meant, of_operation)
                }
                Ok(GatewayCall::List) => {}
                Err(error) => {
                    return failure_result(op, &error, &self.context.profile).map(Into::into);
                }
            }
        }
        let form = match self.context.profile.answer_form(op) {
            AnswerForm::Text if wants_structured(&context) => AnswerForm::TextAndStructured,
            form => form,
        };
        let forwarding = context.meta.get_progress_token().map(|token| {
            let (sender, receiver) = Executor::step_channel();
            let forwarding = forward_progress(context.peer.clone(), token, receiver);
            (sender, tokio::spawn(forwarding))
        });
        let (steps, forwarder) = forwarding.unzip();
        let cancelled = context.ct.clone();
        let outcome = self.context.executor.run_operation(op, arguments, cancelled, steps).await;
        if let Some(forwarder) = forwarder {
            // Progress belongs before the answer; but once the input has ended the library no
            // longer sends notifications, and waiting for one would cost the answer.
            let abort = forwarder.abort_handle();
            tokio::select! {
                _ = forwarder => {}
                () = self.context.stop.wait_until_stopped() => abort.abort(),
            }
        }
        match outcome {
            Ok(reply) => Ok(success_result(&reply, form, asked, &self.context.profile).into()),
            Err(error) => failure_result(op, &error, &self.context.profile).map(Into::into),
        }
    }

    /// Handles a request that the library does not know or cannot read. A method of an extension
    /// runs. A known method with wrong parameters gets another error than an unknown method.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> HandlerResult<CustomResult> {
        let CustomRequest { method, params, .. } = request;
        // Only requests of the newer generation name their version.
        let is_removed = context.meta.protocol_version().is_some() && methods::was_removed(&method);
        if methods::is_known(&method) && !is_removed {
            let complaint = methods::describe_bad_params(&method, params.as_ref());
            return Err(ErrorData::invalid_params(complaint, Some(json!({}))));
        }
        let mut methods = self.context.profile.extensions().flat_map(|known| known.methods);
        if let Some(known) = methods.find(|known| known.name == method) {
            let params = params.unwrap_or(Value::Null);
            let work = move |engine: &Engine, _: &Profile| (known.run)(engine, &params);
            return self.run_method(known.name, work).await.map(CustomResult::new);
        }
        let message = format!("method {method:?} does not exist here");
        let (code, nothing) = (ErrorCode::METHOD_NOT_FOUND, Some(json!({})));
        Err(ErrorData::new(code, message, nothing))
    }

    /// Notifies a client of the older generation of changes, without a subscription, from its
    /// handshake on.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let news = self.early_changes.lock().expect("no holder panics").take();
        let Some(mut news) = news else { return };
        let stop = self.context.stop.clone();
        let has_resources = !self.context.profile.resource_capabilities().is_empty();
        tokio::spawn(async move {
            while let Some(change) = stop.unless_stopped(news.next_change()).await.flatten() {
                let told = match change {
                    ListChange::Tools => context.peer.notify_tool_list_changed().await,
                    ListChange::Resources if !has_resources => continue,
                    ListChange::Resources => context.peer.notify_resource_list_changed().await,
                };
                if told.is_err() {
                    return;
                }
            }
        });
    }

    /// Accepts subscriptions to the lists that can change, and to nothing else.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        accepted.resources_list_changed = requested.resources_list_changed;
        Some(accepted)
    }

    /// Notifies a client of the newer generation of the changes that it subscribed to. An open
    /// subscription does not delay the exit.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut news = self.context.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.context.stop.wait_until_stopped() => return Ok(()),
                change = news.next_change() => change,
            };
            // The library keeps back what was not asked for.
            let told = match change {
                Some(ListChange::Tools) => context.sink().notify_tool_list_changed().await,
                Some(ListChange::Resources) => context.sink().notify_resource_list_changed().await,
                None => return Ok(()),
            };
            if let Err(error) = told {
                tracing::debug!("a subscriber was not told: {error}");
            }
        }
    }
}

impl McpServer {
    /// Creates the handler of one connection. It subscribes at once, so that no change before the
    /// handshake is lost.
    fn new(context: ServerContext) -> McpServer {
        let early_changes = Mutex::new(Some(context.changes.subscribe()));
        McpServer { context, early_changes }
    }

    /// Runs a method that is not a tool on a thread of its own, and converts its answer.
    async fn run_method<T: DeserializeOwned>(
        &self,
        method: &'static str,
        work: impl FnOnce(&Engine, &Profile) -> Result<Value, OpError> + Send + 'static,
    ) -> HandlerResult<T> {
        let profile = self.context.profile.clone();
        let work = move |engine: &Arc<Engine>| work(engine, &profile);
        let answer = self.context.executor.run_query(method, work).await;
        from_json(answer.map_err(|error| {
            error_codes::log_error(method, &error);
            protocol_error(error_codes::word_method_error(method, &error))
        })?)
    }
}

/// Converts an answer in the protocol's JSON to the library's type.
fn from_json<T: DeserializeOwned>(value: Value) -> HandlerResult<T> {
    serde_json::from_value(value).map_err(|error| {
        let message = format!("an answer is not what the protocol wants: {error}");
        ErrorData::internal_error(message, None)
    })
}

/// Converts a reply: text for the model, and structured content for programs that want it. `tool` is
/// the one that the client called, which may be the gateway.
fn success_result(
    reply: &Reply,
    form: AnswerForm,
    tool: &OpEntry,
    profile: &Profile,
) -> CallToolResult {
    let (text, structured) = word_contents(reply, form, tool, profile);
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = structured.filter(|_| form != AnswerForm::Text);
    result
}

/// True if the client asks for structured content, in the call or when it connected.
fn wants_structured(context: &Context) -> bool {
    let in_call = context.meta.get(STRUCTURED).is_some_and(|value| *value == json!(true));
    let capabilities = context.peer.peer_info().map(|info| json!(info.capabilities));
    in_call || capabilities.is_some_and(|told| told["experimental"][STRUCTURED].is_object())
}

/// The key by which a client asks for structured content: `true` in `_meta` of a call, or an object
/// among its experimental capabilities.
const STRUCTURED: &str = "kenning/structuredContent";

/// Converts an error to a protocol error or an error result, as the family's contract says.
fn failure_result(
    op: &OpEntry,
    error: &OpError,
    profile: &Profile,
) -> HandlerResult<CallToolResult> {
    error_codes::log_error(op.name, error);
    let mut worded = error_codes::word_error(op, error);
    // The contracts fix the wording of their own errors.
    if profile.answer_form(op) != AnswerForm::Contract {
        worded.message = word_for_connection(&worded.message, profile);
        let suggestion = worded.data.suggestion.as_deref();
        worded.data.suggestion = suggestion.map(|text| word_for_connection(text, profile));
    }
    match worded {
        worded if worded.channel == ErrorChannel::Protocol => Err(protocol_error(worded)),
        worded => from_json(error_codes::to_result(worded)),
    }
}

/// Converts to the library's error.
fn protocol_error(worded: WireError) -> ErrorData {
    ErrorData::new(ErrorCode(worded.code), worded.message, Some(worded.data.to_json()))
}

/// Passes progress on as notifications until the operation ends.
async fn forward_progress(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut steps: mpsc::Receiver<ProgressStep>,
) {
    while let Some(step) = steps.recv().await {
        let mut progress = ProgressNotificationParam::new(token.clone(), step.done as f64);
        progress.total = step.total.map(|total| total as f64);
        progress.message = Some(step.stage);
        if peer.notify_progress(progress).await.is_err() {
            return;
        }
    }
}

/// A transport with one message per line. It ends with the input, or when the server stops; the
/// library then finishes the requests in flight, within a deadline of its own.
struct WireTransport {
    /// The connection.
    wire: LineConnection,
    /// The kind of opening, once a request has decided it.
    opening: Option<FirstRequest>,
}

/// The ways to open a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstRequest {
    /// `initialize`, of the older protocol generation.
    Handshake,
    /// A request that carries its metadata, of the newer one.
    Stateless,
}

impl Transport<RoleServer> for WireTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let line = serde_json::to_vec(&message);
        let sending = line.map(|line| self.wire.send(line));
        async move { sending?.await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.wire.next_message().await?;
            if let Some(message) = self.filter_message(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.wire.close().await
    }
}

impl WireTransport {
    /// Returns the message, unless the library cannot handle it at this point. It closes a
    /// connection if anything but a request comes before the opening. After a stateless opening it
    /// accepts a handshake, but then refuses the requests that rely on it.
    fn filter_message(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        let ClientJsonRpcMessage::Request(request) = &message else {
            return self.opening.is_some().then_some(message);
        };
        if let ClientRequest::InitializeRequest(hello) = &request.request
            && self.opening == Some(FirstRequest::Stateless)
        {
            let requested = hello.params.protocol_version.clone();
            // The newer generation is the only one that this connection can still speak.
            let supported = [ProtocolVersion::V_2026_07_28];
            let error = ErrorData::unsupported_protocol_version(requested, &supported);
            self.wire.send_error(Some(json!(request.id)), json!(error));
            return None;
        }
        self.opening = self.opening.or_else(|| detect_opening(&request.request));
        Some(message)
    }
}

/// Returns the kind of opening that the library sees in this request, if no earlier one decided
/// it. A ping or a discovery decides nothing.
fn detect_opening(request: &ClientRequest) -> Option<FirstRequest> {
    match request {
        ClientRequest::InitializeRequest(_) => Some(FirstRequest::Handshake),
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => None,
        request => {
            let meta = request.get_meta();
            let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
            let version = meta.protocol_version().filter(|_| missing.is_empty())?;
            let is_spoken = ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            is_spoken.then_some(FirstRequest::Stateless)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

    use super::*;
    use crate::config::{Config, ProcessEnv};
    use crate::engine::Target;
    use crate::front::mcp::notifications::ChangeBroadcast;
    use crate::front::mcp::profile::OfferedParts;
    use crate::front::shutdown::{Stop, StopReason};
    use crate::ops::{
        Args, Call, Extension, Family, FamilyCapabilities, Method, OpEffect, Origin, ReplyType,
        Resource, ResourceBody, ResourceContents, Template, resource_not_found,
    };

    const fn op(name: &'static str, run: fn(&Call, &Args) -> Result<Reply, OpError>) -> OpEntry {
        OpEntry {
            name,
            family: Family::Packages,
            origin: Origin::Kenning,
            summary: "A tool for tests",
            effect: OpEffect::Reads,
            schema: LazyLock::new(|| json!({"type": "object", "properties": {}})),
            reply: ReplyType::TEXT,
            examples: &[],
            run,
        }
    }

    fn profile(tools: Vec<&'static OpEntry>) -> Profile {
        Profile {
            server_name: "test".into(),
            version: "1".into(),
            tools,
            offerings: vec![&Shelf],
            surface: OfferedParts::Whole,
            instructions: String::new(),
            ..Profile::all_families()
        }
    }

    /// A family with two addresses, a method of its own and a description that is made up.
    #[derive(Debug)]
    struct Shelf;

    impl FamilyCapabilities for Shelf {
        fn family(&self) -> Family {
            Family::Packages
        }

        fn scheme(&self) -> Option<&'static str> {
            Some("shelf")
        }

        fn resources(&self, _engine: &Engine) -> Result<Vec<Resource>, OpError> {
            Ok(vec![Resource {
                uri: "shelf://book".to_string(),
                name: "book".to_string(),
                mime_type: "text/plain",
                ..Resource::default()
            }])
        }

        fn templates(&self) -> Vec<Template> {
            vec![Template {
                uri_template: "shelf://{name}",
                name: "things",
                description: "Whatever stands on the shelf",
                mime_type: None,
            }]
        }

        fn read(&self, _engine: &Engine, uri: &str) -> Result<ResourceContents, OpError> {
            let (mime_type, body) = match uri {
                "shelf://book" => ("text/plain", ResourceBody::Text("words".to_string())),
                "shelf://box" => ("application/octet-stream", ResourceBody::Bytes(vec![0, 255])),
                "shelf://trap" => panic!("on purpose"),
                _ => return Err(resource_not_found(uri)),
            };
            Ok(ResourceContents { mime_type, body })
        }

        fn extension(&self) -> Option<&'static Extension> {
            Some(&Extension {
                id: "test/shelf",
                settings: || json!({"deep": true}),
                methods: &[Method {
                    name: "shelf/count",
                    run: |_, params| match params["of"].as_str() {
                        Some("books") => Ok(json!({"count": 1})),
                        Some(other) => Err(resource_not_found(other)),
                        None => Err(OpError::bad_argument("`of` is required")),
                    },
                }],
            })
        }

        fn description(&self, _engine: &Engine, tool: &str, _client: &str) -> Option<String> {
            (tool == "living").then(|| "As it is now".to_string())
        }
    }

    fn stateless(mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        params
    }

    /// Checks that both generations of the protocol serve a family alike; `params` adds their
    /// fields.
    async fn check_shelf(peer: &mut Peer, params: fn(Value) -> Value, not_found: i64) {
        let listed = peer.request(1, "resources/list", params(json!({}))).await;
        let book = json!({"uri": "shelf://book", "name": "book", "mimeType": "text/plain"});
        assert_eq!(listed["result"]["resources"], json!([book]), "{listed}");
        let templates = peer.request(2, "resources/templates/list", params(json!({}))).await;
        let template = &templates["result"]["resourceTemplates"][0];
        assert_eq!(template["uriTemplate"], "shelf://{name}");
        let reads = [
            ("shelf://book", json!({"text": "words"})),
            ("shelf://box", json!({"blob": "AP8="})),
            ("shelf://nothing", json!({"code": not_found})),
            ("other://book", json!({"code": not_found})),
            ("no address", json!({"code": not_found})),
            ("shelf://trap", json!({"code": -32603})),
        ];
        for (uri, expected) in reads {
            let answer = peer.request(3, "resources/read", params(json!({"uri": uri}))).await;
            let contents = &answer["result"]["contents"][0];
            for (field, value) in expected.as_object().unwrap() {
                let found = [&contents[field], &answer["error"][field]];
                assert!(found.contains(&value), "{uri}: {answer}");
            }
        }
        let calls = [
            (json!({"of": "books"}), json!(1), Value::Null),
            (json!({"of": "maps"}), Value::Null, json!(-32602)),
            (json!({}), Value::Null, json!(-32602)),
        ];
        for (given, count, code) in calls {
            let answer = peer.request(4, "shelf/count", params(given)).await;
            assert_eq!(answer["result"]["count"], count, "{answer}");
            assert_eq!(answer["error"]["code"], code, "{answer}");
        }
        let tools = peer.request(5, "tools/list", params(json!({}))).await;
        assert_eq!(tools["result"]["tools"][0]["description"], "As it is now");
    }

    static LIVING: OpEntry = op("living", |_, _| Ok(Reply::Notice(String::new())));

    #[tokio::test(flavor = "multi_thread")]
    async fn offerings_after_a_handshake() {
        let changes = ChangeBroadcast::default();
        let mut peer = Peer::open(profile(vec![&LIVING]), changes.clone());
        let server = peer.greet().await;
        let capabilities = &server["capabilities"];
        assert_eq!(capabilities["resources"]["listChanged"], true, "{server}");
        assert_eq!(capabilities["extensions"]["test/shelf"]["deep"], true);
        check_shelf(&mut peer, |params| params, -32002).await;
        changes.notifier()(ListChange::Tools);
        let told = peer.receive().await.unwrap();
        assert_eq!(told["method"], "notifications/tools/list_changed");
        changes.notifier()(ListChange::Resources);
        let told = peer.receive().await.unwrap();
        assert_eq!(told["method"], "notifications/resources/list_changed");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn offerings_without_a_handshake() {
        let changes = ChangeBroadcast::default();
        let mut peer = Peer::open(profile(vec![&LIVING]), changes.clone());
        check_shelf(&mut peer, stateless, -32602).await;
        let wanted = json!({"notifications": {"resourcesListChanged": true}});
        peer.send(json!({"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen",
                         "params": stateless(wanted)}))
            .await;
        let acknowledged = peer.receive().await.unwrap();
        assert_eq!(acknowledged["params"]["notifications"], json!({"resourcesListChanged": true}));
        // Only what was asked for; a change may come before the subscription stands.
        let told = loop {
            changes.notifier()(ListChange::Tools);
            changes.notifier()(ListChange::Resources);
            tokio::select! {
                told = peer.receive() => break told.unwrap(),
                () = tokio::time::sleep(PAUSE) => {}
            }
        };
        assert_eq!(told["method"], "notifications/resources/list_changed");
        peer.to_server = None;
        assert_eq!(peer.server.await.unwrap().unwrap(), StopReason::EndOfInput);
    }

    /// The originals' profiles have tools and nothing else.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_bare_surface_has_no_resources() {
        let mut profile = profile(vec![&LIVING]);
        profile.surface = OfferedParts::Tools;
        let mut peer = Peer::open(profile, ChangeBroadcast::default());
        let server = peer.greet().await;
        assert_eq!(server["capabilities"], json!({"tools": {"listChanged": true}}));
        let uri = json!({"uri": "shelf://book"});
        let answer = peer.request(1, "resources/read", uri).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        let answer = peer.request(2, "shelf/count", json!({"of": "books"})).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        let tools = peer.request(3, "tools/list", json!({})).await;
        assert_eq!(tools["result"]["tools"][0]["description"], "As it is now");
    }

    /// A client at the other end of a server that runs in this process.
    struct Peer {
        to_server: Option<DuplexStream>,
        from_server: tokio::io::Lines<BufReader<DuplexStream>>,
        server: tokio::task::JoinHandle<std::io::Result<StopReason>>,
        stop: Stop,
    }

    impl Peer {
        async fn connect(tools: Vec<&'static OpEntry>) -> Peer {
            let mut peer = Peer::open(profile(tools), ChangeBroadcast::default());
            peer.greet().await;
            peer
        }

        /// Nothing has been said yet.
        fn open(profile: Profile, changes: ChangeBroadcast) -> Peer {
            Peer::open_with_timeout(profile, changes, Duration::from_secs(600))
        }

        /// The server gives a question this much time.
        fn open_with_timeout(
            profile: Profile,
            changes: ChangeBroadcast,
            timeout: Duration,
        ) -> Peer {
            let root = std::env::temp_dir();
            let config = Config::load(&root, &[], &ProcessEnv::default()).unwrap();
            let engine = Arc::new(Engine::new(config, Target::Root(root)));
            let (to_server, input) = tokio::io::duplex(1 << 20);
            let (output, from_server) = tokio::io::duplex(1 << 20);
            let stop = Stop::default();
            let wire = LineConnection::new(input, output, stop.clone());
            let offer = ServerContext {
                profile,
                executor: Executor::new(engine, stop.clone(), timeout),
                changes,
                stop: stop.clone(),
            };
            let ended = stop.clone();
            let serving = async move {
                serve(offer, wire).await?;
                Ok::<_, std::io::Error>(ended.reason())
            };
            Peer {
                to_server: Some(to_server),
                from_server: BufReader::new(from_server).lines(),
                server: tokio::spawn(serving),
                stop,
            }
        }

        /// The handshake of the older generation; what the server says of itself.
        async fn greet(&mut self) -> Value {
            let peer = self;
            let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                               "clientInfo": {"name": "test", "version": "1"}});
            peer.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}))
                .await;
            let server = peer.receive().await.unwrap();
            peer.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
            server["result"].clone()
        }

        async fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
            self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
                .await;
            self.answer(id).await
        }

        async fn send(&mut self, message: Value) {
            let stream = self.to_server.as_mut().unwrap();
            stream.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }

        async fn call(&mut self, id: u64, tool: &str, meta: Value) {
            let params = json!({"name": tool, "arguments": {}, "_meta": meta});
            self.send(
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}),
            )
            .await;
        }

        async fn receive(&mut self) -> Option<Value> {
            let line = tokio::time::timeout(Duration::from_secs(60), self.from_server.next_line())
                .await
                .expect("the server answers")
                .unwrap()?;
            Some(serde_json::from_str(&line).unwrap())
        }

        /// The answer to `id`, past any notifications.
        async fn answer(&mut self, id: u64) -> Value {
            loop {
                let message = self.receive().await.expect("an answer before the end");
                if message["id"] == id {
                    return message;
                }
            }
        }
    }

    /// Between two looks at a condition.
    const PAUSE: Duration = Duration::from_millis(1);

    fn wait_for(flag: &AtomicBool) {
        let started = Instant::now();
        while !flag.load(Ordering::SeqCst) && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(PAUSE);
        }
    }

    /// Trap: a tool that panics never answers.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_internal_error() {
        static PANICS: OpEntry = op("panics", |_, _| panic!("on purpose"));
        let mut peer = Peer::connect(vec![&PANICS]).await;
        peer.call(1, "panics", json!({})).await;
        let answer = peer.answer(1).await;
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], -32603, "{answer}");
        assert!(error["message"].as_str().unwrap().contains("on purpose"));
    }

    /// Trap: after the end of input a handler that awaits its progress notification blocks, and
    /// its answer is lost.
    #[tokio::test(flavor = "multi_thread")]
    async fn progress_after_the_end_of_input_does_not_cost_the_answer() {
        static STARTED: AtomicBool = AtomicBool::new(false);
        static ENDED: AtomicBool = AtomicBool::new(false);
        static REPORTS: OpEntry = op("reports", |call, _| {
            call.progress.report("before", 1, Some(100));
            STARTED.store(true, Ordering::SeqCst);
            wait_for(&ENDED);
            for done in 2..100 {
                call.progress.report("after", done, Some(100));
            }
            Ok(Reply::Notice("done".to_string()))
        });
        let mut peer = Peer::connect(vec![&REPORTS]).await;
        peer.call(1, "reports", json!({"progressToken": "p"})).await;
        let progress = peer.receive().await.unwrap();
        assert_eq!(progress["method"], "notifications/progress");
        assert_eq!(progress["params"]["total"], 100.0);
        tokio::task::spawn_blocking(|| wait_for(&STARTED)).await.unwrap();
        peer.to_server = None;
        peer.stop.wait_until_stopped().await;
        ENDED.store(true, Ordering::SeqCst);
        let answer = peer.answer(1).await;
        assert_eq!(answer["result"]["content"][0]["text"], "done");
        assert_eq!(peer.server.await.unwrap().unwrap(), StopReason::EndOfInput);
    }

    /// Trap: nothing bounds the number of handlers that run at once.
    #[tokio::test(flavor = "multi_thread")]
    async fn many_calls_run_a_few_at_a_time() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        static RELEASED: AtomicBool = AtomicBool::new(false);
        static HEAVY: OpEntry = op("heavy", |_, _| {
            let now = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
            MOST.fetch_max(now, Ordering::SeqCst);
            wait_for(&RELEASED);
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            Ok(Reply::Notice("done".to_string()))
        });
        let mut peer = Peer::connect(vec![&HEAVY]).await;
        for id in 1..=100 {
            peer.call(id, "heavy", json!({})).await;
        }
        // The server reads in order: once it answers this, it has taken on all the others.
        peer.send(json!({"jsonrpc": "2.0", "id": 0, "method": "ping"})).await;
        assert_eq!(peer.receive().await.unwrap()["id"], 0);
        RELEASED.store(true, Ordering::SeqCst);
        for _ in 1..=100 {
            assert!(peer.receive().await.unwrap()["result"].is_object());
        }
        let most = MOST.load(Ordering::SeqCst);
        assert!(most <= crate::front::executor::MAX_QUERIES, "{most} at once");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_question_that_takes_too_long_is_refused_and_stopped() {
        static STOPPED: AtomicBool = AtomicBool::new(false);
        static ENDLESS: OpEntry = op("endless", |call, _| {
            let started = Instant::now();
            while !call.progress.is_cancelled() && started.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(PAUSE);
            }
            STOPPED.store(call.progress.is_cancelled(), Ordering::SeqCst);
            Ok(Reply::Notice("too late".to_string()))
        });
        let timeout = Duration::from_millis(20);
        let changes = ChangeBroadcast::default();
        let mut peer = Peer::open_with_timeout(profile(vec![&ENDLESS]), changes, timeout);
        peer.greet().await;
        peer.call(1, "endless", json!({})).await;
        let error = &peer.answer(1).await["result"]["structuredContent"]["error"];
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("endless took longer than 0.02 s"), "{error}");
        assert!(message.contains("mcp.timeout_ms"), "{error}");
        tokio::task::spawn_blocking(|| wait_for(&STOPPED)).await.unwrap();
        assert!(STOPPED.load(Ordering::SeqCst));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_newer_generation_lacks_methods_and_has_typed_error_results() {
        static FAILS: OpEntry = op("fails", |_, _| Err(OpError::internal("on purpose")));
        let mut peer = Peer::open(profile(vec![&FAILS]), ChangeBroadcast::default());
        for (id, method) in (1..).zip(["logging/setLevel", "resources/subscribe", "initialize"]) {
            let answer = peer.request(id, method, stateless(json!({}))).await;
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        }
        let call = stateless(json!({"name": "fails", "arguments": {}}));
        let answer = peer.request(9, "tools/call", call).await;
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_cancelled_call_is_told() {
        static STARTED: AtomicBool = AtomicBool::new(false);
        static TOLD: AtomicBool = AtomicBool::new(false);
        static WAITS: OpEntry = op("waits", |call, _| {
            STARTED.store(true, Ordering::SeqCst);
            let started = Instant::now();
            while !call.progress.is_cancelled() && started.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(PAUSE);
            }
            TOLD.store(call.progress.is_cancelled(), Ordering::SeqCst);
            Ok(Reply::Notice("too late".to_string()))
        });
        let mut peer = Peer::connect(vec![&WAITS]).await;
        peer.call(7, "waits", json!({})).await;
        tokio::task::spawn_blocking(|| wait_for(&STARTED)).await.unwrap();
        let params = json!({"requestId": 7, "reason": "changed my mind"});
        peer.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
            .await;
        tokio::task::spawn_blocking(|| wait_for(&TOLD)).await.unwrap();
        assert!(TOLD.load(Ordering::SeqCst));
        // A cancelled request gets no answer; the next one does.
        peer.send(json!({"jsonrpc": "2.0", "id": 8, "method": "ping"})).await;
        assert_eq!(peer.receive().await.unwrap()["id"], 8);
    }
}
