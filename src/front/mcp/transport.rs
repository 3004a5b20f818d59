//! Messages as lines of JSON over a pair of pipes, and the errors for invalid ones. It knows
//! JSON-RPC and the names of methods; the caller chooses the type of a message.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::framing::{Frame, LineReader};
use super::methods;
use crate::front::shutdown::{Stop, StopReason};

/// The most bytes of a message. A longer one is refused with an answer instead of being held in
/// memory.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// JSON-RPC: the line is not JSON.
const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: the JSON is not a request.
const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: the parameters have the wrong form.
const INVALID_PARAMS: i32 = -32602;

/// Both directions of one connection.
pub struct LineConnection {
    /// The input.
    lines: LineReader<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    /// The output. A lock keeps concurrent messages whole.
    output: Arc<Mutex<Box<dyn AsyncWrite + Send + Unpin>>>,
    /// Ends the connection.
    stop: Stop,
}

impl LineConnection {
    /// Connects to a pair of pipes.
    pub fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        stop: Stop,
    ) -> LineConnection {
        LineConnection {
            lines: LineReader::new(BufReader::new(Box::new(input)), MAX_LINE),
            output: Arc::new(Mutex::new(Box::new(output))),
            stop,
        }
    }

    /// Returns the next message; invalid lines are answered here. `None` once the input has ended,
    /// or the server was stopped and has been quiet since.
    pub async fn next_message<T: DeserializeOwned>(&mut self) -> Option<T> {
        loop {
            let line = tokio::select! {
                // The stop is checked first, so that a client that keeps sending cannot delay it.
                biased;
                () = self.stop.wait_until_quiet() => return None,
                line = self.lines.next_frame(), if !self.stop.is_stopped() => line,
            };
            match line {
                Ok(Frame::Whole(line)) => {
                    if let Some(message) = self.parse_message(&line) {
                        return Some(message);
                    }
                }
                Ok(Frame::TooLong) => {
                    let message = format!("a message may have {MAX_LINE} bytes at the most");
                    self.send_error(None, error_object(INVALID_REQUEST, &message));
                }
                Ok(Frame::End) => self.stop.stop(StopReason::EndOfInput),
                Err(error) => {
                    tracing::warn!("standard input: {error}");
                    self.stop.stop(StopReason::EndOfInput);
                }
            }
        }
    }

    /// Parses a line; `None` if it was answered or dropped here. A byte order mark is ignored.
    fn parse_message<T: DeserializeOwned>(&self, line: &[u8]) -> Option<T> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            Err(failure) => {
                self.send_error(None, error_object(PARSE_ERROR, &format!("not JSON: {failure}")));
                return None;
            }
        };
        let id = value.get("id").cloned();
        let method = value.get("method").and_then(Value::as_str);
        let has_method = value.get("method").is_some();
        let is_known_request = value["jsonrpc"] == "2.0" && method.is_some_and(methods::is_known);
        match serde_json::from_value(value) {
            Ok(message) => return Some(message),
            // A notification gets no answer.
            Err(_) if has_method && id.is_none() => {}
            // The library takes parameters by name only, and says of others that it has never
            // seen such a message.
            Err(_) if is_known_request => {
                let mut complaint =
                    error_object(INVALID_PARAMS, "the parameters must be an object");
                complaint["data"] = json!({});
                self.send_error(id, complaint);
            }
            Err(failure) => {
                let message = format!("not a JSON-RPC 2.0 message of MCP: {failure}");
                self.send_error(id, error_object(INVALID_REQUEST, &message));
            }
        }
        None
    }

    /// Answers a message with an error. A task of its own writes it, because the future that waits
    /// for the next message can be dropped at any time.
    pub fn send_error(&self, id: Option<Value>, error: Value) {
        let mut answer = json!({ "jsonrpc": "2.0", "error": error });
        if let Some(id) = id.filter(|id| id.is_string() || id.is_i64() || id.is_u64()) {
            answer["id"] = id;
        }
        let writing = self.send(answer.to_string().into_bytes());
        tokio::spawn(async move {
            if let Err(error) = writing.await {
                tracing::debug!("standard output: {error}");
            }
        });
    }

    /// Sends a line. The future is independent of the connection, so that it can be spawned.
    ///
    /// Each message is flushed at once: a client waits for it, and the pipe has no other reason to
    /// be flushed.
    pub fn send(
        &self,
        mut line: Vec<u8>,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        line.push(b'\n');
        async move {
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await
        }
    }

    /// Flushes the output.
    pub async fn close(&mut self) -> std::io::Result<()> {
        self.output.lock().await.flush().await
    }
}

/// An error object of JSON-RPC.
fn error_object(code: i32, message: &str) -> Value {
    json!({ "code": code, "message": message })
}
