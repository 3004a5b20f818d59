//! The protocol: the only file that knows the MCP library, and where its traps are avoided.
//!
//! Dispatch runs over our own registry, arguments are checked by us, and the transport is ours, so
//! that end of input and signals take one path and a bad line gets an answer.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities,
    ServerJsonRpcMessage, SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{
    Peer, RequestContext, RoleServer, RxJsonRpcMessage, ServerInitializeError, SubscriptionContext,
    TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{ErrorData, ServerHandler, serve_server};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};

use super::lines::{Line, Lines};
use super::profile::Profile;
use super::stop::{Reason, Stop};
use super::wording::{self, Place, Worded};
use super::work::{Step, Workshop};
use crate::engine::Engine;
use crate::ops::{Effect, OpEntry, OpError, Reply};

/// A longer line is refused with an answer instead of being held in memory.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Serves over standard input and output; returns why it ended.
pub async fn run(engine: Arc<Engine>, profile: Profile) -> std::io::Result<Reason> {
    let stop = Stop::default();
    stop.watch_signals();
    let (input, output) = rmcp::transport::stdio_pipes();
    serve(engine, profile, input, output, stop).await
}

async fn serve<R, W>(
    engine: Arc<Engine>,
    profile: Profile,
    input: R,
    output: W,
    stop: Stop,
) -> std::io::Result<Reason>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = Server {
        profile,
        workshop: Workshop::new(engine),
        stop: stop.clone(),
    };
    let transport = LineTransport {
        lines: Lines::new(BufReader::new(input), MAX_LINE),
        output: Arc::new(Mutex::new(output)),
        stop: stop.clone(),
        has_begun: false,
    };
    match serve_server(server, transport).await {
        Ok(running) => {
            running.waiting().await.map_err(std::io::Error::other)?;
        }
        // Nobody said hello before the input ended or a signal came.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(std::io::Error::other(error)),
    }
    Ok(stop.reason())
}

struct Server {
    profile: Profile,
    workshop: Workshop,
    stop: Stop,
}

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let implementation =
            Implementation::new(self.profile.server_name, env!("CARGO_PKG_VERSION"));
        InitializeResult::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(self.profile.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.profile.tools.iter().map(|op| tool(op));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = &self.profile.tools;
        let Some(op) = tools.iter().copied().find(|op| op.name == request.name) else {
            return Err(self.unknown_tool(&request.name));
        };
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let token = context.meta.get_progress_token();
        let (steps, forwarder) = match token {
            Some(token) => {
                let (sender, receiver) = Workshop::steps();
                let forwarding = forward(context.peer.clone(), token, receiver);
                (Some(sender), Some(tokio::spawn(forwarding)))
            }
            None => (None, None),
        };
        let outcome = self
            .workshop
            .run(op, arguments, context.ct.clone(), steps)
            .await;
        if let Some(forwarder) = forwarder {
            // Progress belongs before the answer; but once the input has ended the library no
            // longer sends notifications, and waiting for one would cost the answer.
            let abort = forwarder.abort_handle();
            tokio::select! {
                _ = forwarder => {}
                () = self.stop.stopped() => abort.abort(),
            }
        }
        match outcome {
            Ok(reply) => Ok(success(&reply).into()),
            Err(error) => failure(op, &error).map(Into::into),
        }
    }

    /// The library brings a request here whose parameters it could not read. A method that it
    /// knows was then called wrongly, which is not the same as one that does not exist.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if KNOWN_METHODS.contains(&request.method.as_str()) {
            let complaint = complaint(&request);
            return Err(ErrorData::invalid_params(complaint, Some(json!({}))));
        }
        let message = format!("method {:?} does not exist here", request.method);
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            message,
            Some(json!({})),
        ))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        // An open subscription must not hold up the exit.
        tokio::select! {
            () = context.cancelled() => {}
            () = self.stop.stopped() => {}
        }
        Ok(())
    }
}

impl Server {
    fn unknown_tool(&self, name: &str) -> ErrorData {
        let known = self.profile.tools.iter().map(|op| op.name);
        let nearest = known.min_by_key(|known| strsim::damerau_levenshtein(name, known));
        let message = match nearest {
            Some(nearest) => format!("unknown tool {name:?}; did you mean {nearest:?}?"),
            None => format!("unknown tool {name:?}; this profile has no tools"),
        };
        ErrorData::invalid_params(message, Some(json!({ "suggestions": nearest })))
    }
}

/// The requests of both protocol generations.
const KNOWN_METHODS: [&str; 15] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
    "logging/setLevel",
];

fn complaint(request: &CustomRequest) -> String {
    let params = request.params.as_ref();
    let field = |name: &str| params.and_then(|params| params.get(name));
    if request.method != "tools/call" {
        return format!("the parameters of {} cannot be read", request.method);
    }
    if !field("name").is_some_and(Value::is_string) {
        return "tools/call needs `name`, the tool's name, as a string".to_string();
    }
    if field("arguments").is_some_and(|arguments| !arguments.is_object() && !arguments.is_null()) {
        return "`arguments` of tools/call must be an object".to_string();
    }
    "the parameters of tools/call cannot be read".to_string()
}

fn tool(op: &OpEntry) -> Tool {
    let Value::Object(schema) = (op.schema)() else {
        unreachable!("a test holds that every schema is an object");
    };
    // None of ours destroys anything or leaves the machine.
    let annotations = ToolAnnotations::new()
        .read_only(op.effect == Effect::Reads)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(op.name, op.summary, schema).annotate(annotations)
}

fn success(reply: &Reply) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text())]);
    result.structured_content = reply.structured();
    result
}

fn failure(op: &OpEntry, error: &OpError) -> Result<CallToolResult, ErrorData> {
    tracing::debug!("{}: {error}", op.name);
    let Worded {
        place,
        code,
        message,
        data,
    } = wording::word(op.family, error);
    match place {
        Place::Protocol => Err(ErrorData::new(ErrorCode(code), message, Some(data))),
        Place::Result => {
            let mut result = CallToolResult::error(vec![ContentBlock::text(message.clone())]);
            let error = json!({ "code": code, "message": message, "data": data });
            result.structured_content = Some(json!({ "error": error }));
            Ok(result)
        }
    }
}

/// Passes steps on as notifications, until the operation ends.
async fn forward(peer: Peer<RoleServer>, token: ProgressToken, mut steps: mpsc::Receiver<Step>) {
    while let Some(step) = steps.recv().await {
        let mut progress = ProgressNotificationParam::new(token.clone(), step.done as f64);
        progress.total = step.total.map(|total| total as f64);
        progress.message = Some(step.stage);
        if peer.notify_progress(progress).await.is_err() {
            return;
        }
    }
}

/// One message a line. Ends when the input does or when the server is asked to stop; the library
/// then finishes what is in flight, within a deadline of its own.
struct LineTransport<R, W> {
    lines: Lines<BufReader<R>>,
    output: Arc<Mutex<W>>,
    stop: Stop,
    /// A request has been seen. The library gives up on a connection that opens with anything
    /// else, so stray notifications before it are dropped.
    has_begun: bool,
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        write(self.output.clone(), message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = tokio::select! {
                biased;
                () = self.stop.stopped() => return None,
                line = self.lines.next() => line,
            };
            match line {
                Ok(Line::Whole(line)) => {
                    if let Some(message) = self.understand(&line) {
                        return Some(message);
                    }
                }
                Ok(Line::TooLong) => {
                    let message = format!("a message may have {MAX_LINE} bytes at the most");
                    self.refuse(None, ErrorData::invalid_request(message, None));
                }
                Ok(Line::End) => {
                    self.stop.stop(Reason::EndOfInput);
                    return None;
                }
                Err(error) => {
                    tracing::warn!("standard input: {error}");
                    self.stop.stop(Reason::EndOfInput);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.lock().await.flush().await
    }
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> LineTransport<R, W> {
    /// The message of this line, or nothing if it was answered or dropped here.
    fn understand(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            Err(error) => {
                let message = format!("not JSON: {error}");
                self.refuse(None, ErrorData::parse_error(message, None));
                return None;
            }
        };
        let id = value.get("id").cloned();
        let has_method = value.get("method").is_some();
        if has_method && id.is_none() && !self.has_begun {
            return None;
        }
        self.has_begun |= has_method;
        match serde_json::from_value(value) {
            Ok(message) => Some(message),
            // Nobody waits for an answer to a notification.
            Err(_) if has_method && id.is_none() => None,
            Err(error) => {
                let message = format!("not a JSON-RPC 2.0 message of MCP: {error}");
                self.refuse(id, ErrorData::invalid_request(message, None));
                None
            }
        }
    }

    /// Written by a task of its own: the library may drop a pending `receive` at any time.
    fn refuse(&self, id: Option<Value>, error: ErrorData) {
        let id = id.and_then(|id| serde_json::from_value(id).ok());
        let message = ServerJsonRpcMessage::error(error, id);
        let output = self.output.clone();
        tokio::spawn(async move {
            if let Err(error) = write(output, message).await {
                tracing::debug!("standard output: {error}");
            }
        });
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<W>>,
    message: TxJsonRpcMessage<RoleServer>,
) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
