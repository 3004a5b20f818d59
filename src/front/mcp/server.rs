//! The protocol: the only file that knows the MCP library, and where its traps are avoided.
//!
//! Dispatch runs over our own registry, arguments are checked by us, and the transport is ours, so
//! that end of input and signals take one path and a bad line gets an answer.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientJsonRpcMessage, ClientRequest,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, GetMeta, Implementation,
    InitializeResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, ServerCapabilities, ServerJsonRpcMessage, SubscriptionFilter,
    Tool, ToolAnnotations,
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
use super::methods;
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
        opening: None,
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
        let unknown =
            |error: OpError| ErrorData::invalid_params(error.message, error.data.map(|data| *data));
        let op = self.profile.tool(&request.name).map_err(unknown)?;
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
            Ok(reply) => Ok(success(reply).into()),
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
        if methods::is_known(&request.method) {
            let complaint = methods::complaint(&request.method, request.params.as_ref());
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

fn success(reply: Reply) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text())]);
    result.structured_content = reply.into_structured();
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
    /// How the connection began, once it has.
    opening: Option<Opening>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    Handshake,
    Stateless,
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
        let method = value.get("method").and_then(Value::as_str);
        let has_method = value.get("method").is_some();
        let is_known_request = value["jsonrpc"] == "2.0" && method.is_some_and(methods::is_known);
        match serde_json::from_value(value) {
            Ok(message) => self.admit(message),
            // Nobody waits for an answer to a notification.
            Err(_) if has_method && id.is_none() => None,
            // The library takes parameters by name only, and says of others that it has never
            // seen such a message.
            Err(_) if is_known_request => {
                let message = "the parameters must be an object";
                self.refuse(id, ErrorData::invalid_params(message, Some(json!({}))));
                None
            }
            Err(error) => {
                let message = format!("not a JSON-RPC 2.0 message of MCP: {error}");
                self.refuse(id, ErrorData::invalid_request(message, None));
                None
            }
        }
    }

    /// The message, unless the library cannot live with it at this point: it gives up on a
    /// connection where anything but requests comes before the opening, and after a stateless one
    /// it grants a handshake only to refuse whatever relies on it.
    fn admit(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        let ClientJsonRpcMessage::Request(request) = &message else {
            return self.opening.is_some().then_some(message);
        };
        if let ClientRequest::InitializeRequest(hello) = &request.request
            && self.opening == Some(Opening::Stateless)
        {
            let requested = hello.params.protocol_version.clone();
            let supported = [ProtocolVersion::V_2026_07_28];
            let error = ErrorData::unsupported_protocol_version(requested, &supported);
            self.refuse(Some(json!(request.id)), error);
            return None;
        }
        self.opening = self.opening.or_else(|| opening(&request.request));
        Some(message)
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

/// What the library takes this request for, if none before it decided. To ask what the server
/// speaks, or whether it lives, decides nothing.
fn opening(request: &ClientRequest) -> Option<Opening> {
    match request {
        ClientRequest::InitializeRequest(_) => Some(Opening::Handshake),
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => None,
        request => {
            let meta = request.get_meta();
            let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
            let version = meta.protocol_version().filter(|_| missing.is_empty())?;
            let is_spoken = ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            is_spoken.then_some(Opening::Stateless)
        }
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use tokio::io::{AsyncBufReadExt, DuplexStream};

    use super::*;
    use crate::config::{Config, Surroundings};
    use crate::engine::Target;
    use crate::ops::{Args, Call, Family, Origin};

    const fn op(name: &'static str, run: fn(&Call, &Args) -> Result<Reply, OpError>) -> OpEntry {
        OpEntry {
            name,
            family: Family::Packages,
            origin: Origin::Kenning,
            summary: "A tool for tests",
            effect: Effect::Reads,
            schema: || json!({"type": "object", "properties": {}}),
            examples: &[],
            run,
        }
    }

    /// A client at the other end of a server that runs in this process.
    struct Peer {
        to_server: Option<DuplexStream>,
        from_server: tokio::io::Lines<BufReader<DuplexStream>>,
        server: tokio::task::JoinHandle<std::io::Result<Reason>>,
        stop: Stop,
    }

    impl Peer {
        async fn connect(tools: Vec<&'static OpEntry>) -> Peer {
            let root = std::env::temp_dir();
            let config = Config::load(&root, &[], &Surroundings::default()).unwrap();
            let engine = Arc::new(Engine::new(config, Target::Root(root)));
            let profile = Profile {
                server_name: "test",
                tools,
                instructions: String::new(),
            };
            let (to_server, input) = tokio::io::duplex(1 << 20);
            let (output, from_server) = tokio::io::duplex(1 << 20);
            let stop = Stop::default();
            let serving = serve(engine, profile, input, output, stop.clone());
            let mut peer = Peer {
                to_server: Some(to_server),
                from_server: BufReader::new(from_server).lines(),
                server: tokio::spawn(serving),
                stop,
            };
            let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                               "clientInfo": {"name": "test", "version": "1"}});
            peer.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}))
                .await;
            peer.receive().await.unwrap();
            peer.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                .await;
            peer
        }

        async fn send(&mut self, message: Value) {
            let stream = self.to_server.as_mut().unwrap();
            stream
                .write_all(format!("{message}\n").as_bytes())
                .await
                .unwrap();
        }

        async fn call(&mut self, id: u64, tool: &str, meta: Value) {
            let params = json!({"name": tool, "arguments": {}, "_meta": meta});
            self.send(
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}),
            )
            .await;
        }

        async fn receive(&mut self) -> Option<Value> {
            let line = tokio::time::timeout(Duration::from_secs(60), self.from_server.next_line());
            let line = line.await.expect("the server answers").unwrap()?;
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

    fn wait_for(flag: &AtomicBool) {
        let started = Instant::now();
        while !flag.load(Ordering::SeqCst) && started.elapsed() < Duration::from_secs(60) {
            std::thread::yield_now();
        }
    }

    /// Trap: a tool that panics never answers.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_internal_error() {
        static PANICS: OpEntry = op("panics", |_, _| panic!("on purpose"));
        let mut peer = Peer::connect(vec![&PANICS]).await;
        peer.call(1, "panics", json!({})).await;
        let answer = peer.answer(1).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("on purpose")
        );
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
        tokio::task::spawn_blocking(|| wait_for(&STARTED))
            .await
            .unwrap();
        peer.to_server = None;
        peer.stop.stopped().await;
        ENDED.store(true, Ordering::SeqCst);
        let answer = peer.answer(1).await;
        assert_eq!(answer["result"]["content"][0]["text"], "done");
        assert_eq!(peer.server.await.unwrap().unwrap(), Reason::EndOfInput);
    }

    /// Trap: nothing bounds the number of handlers that run at once.
    #[tokio::test(flavor = "multi_thread")]
    async fn many_calls_run_a_few_at_a_time() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        static HEAVY: OpEntry = op("heavy", |_, _| {
            let now = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
            MOST.fetch_max(now, Ordering::SeqCst);
            std::thread::yield_now();
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            Ok(Reply::Notice("done".to_string()))
        });
        let mut peer = Peer::connect(vec![&HEAVY]).await;
        for id in 1..=300 {
            peer.call(id, "heavy", json!({})).await;
        }
        for _ in 1..=300 {
            assert!(peer.receive().await.unwrap()["result"].is_object());
        }
        let most = MOST.load(Ordering::SeqCst);
        assert!(most <= crate::front::mcp::work::AT_ONCE, "{most} at once");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_cancelled_call_is_told() {
        static STARTED: AtomicBool = AtomicBool::new(false);
        static TOLD: AtomicBool = AtomicBool::new(false);
        static WAITS: OpEntry = op("waits", |call, _| {
            STARTED.store(true, Ordering::SeqCst);
            let started = Instant::now();
            while !call.progress.is_cancelled() && started.elapsed() < Duration::from_secs(60) {
                std::thread::yield_now();
            }
            TOLD.store(call.progress.is_cancelled(), Ordering::SeqCst);
            Ok(Reply::Notice("too late".to_string()))
        });
        let mut peer = Peer::connect(vec![&WAITS]).await;
        peer.call(7, "waits", json!({})).await;
        tokio::task::spawn_blocking(|| wait_for(&STARTED))
            .await
            .unwrap();
        let params = json!({"requestId": 7, "reason": "changed my mind"});
        peer.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
            .await;
        tokio::task::spawn_blocking(|| wait_for(&TOLD))
            .await
            .unwrap();
        assert!(TOLD.load(Ordering::SeqCst));
        // A cancelled request gets no answer; the next one does.
        peer.send(json!({"jsonrpc": "2.0", "id": 8, "method": "ping"}))
            .await;
        assert_eq!(peer.receive().await.unwrap()["id"], 8);
    }
}
