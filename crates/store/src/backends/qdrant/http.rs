//! HTTP requests to Qdrant, as JSON, blocking. Every request is idempotent, so failures on the way
//! are retried, on the next node if there are several.

use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::Agent;

use super::NAME;
use crate::StoreError;
use crate::backends::http_client::agent;

/// A client of one cluster.
pub struct Http {
    agent: Agent,
    /// The addresses of the nodes of one cluster.
    urls: Vec<String>,
    /// The node that answered last.
    current: AtomicUsize,
    has_answered: AtomicBool,
    key: Option<String>,
}

/// The reply to a request.
pub struct QdrantReply {
    pub status: u16,
    /// `result` of the body.
    pub result: Value,
}

impl QdrantReply {
    /// Returns the result of a request that must succeed.
    pub fn success(self, method: &str, path: &str) -> Result<Value, StoreError> {
        match self.status {
            200..=299 => Ok(self.result),
            status => Err(StoreError::Server {
                backend: NAME,
                what: format!("{method} {path}: {status} {}", self.result),
                remedy: "see the log of the server".to_string(),
            }),
        }
    }
}

/// A node that is starting or has just lost another needs so long at most.
// The pauses between attempts. A node that starts, or has just lost another, needs about their sum
// at most.
const WAITS_MS: &[u64] = &[50, 200, 500, 1000, 2000, 4000, 8000];

/// The time for a write with all its attempts. A batch that is stored late is still stored.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// The same for a read: somebody waits for the answer.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// The least time that an attempt gets, even the last.
const LEAST: Duration = Duration::from_secs(1);

/// Far above any page that is requested.
const LARGEST_ANSWER: u64 = 512 << 20;

/// The reason why an attempt failed.
enum AttemptFailure {
    /// No server listens there, or the connection broke.
    Unreachable(String),
    /// The server says that it cannot now.
    Busy(String),
    /// A server answers, but not as Qdrant does.
    Stranger(String),
}

impl Http {
    /// Prepares a client. `urls` are separated by commas.
    pub fn new(urls: &str, key: Option<&str>) -> Result<Http, StoreError> {
        let urls: Vec<String> = urls
            .split(',')
            .map(|url| url.trim().trim_end_matches('/').to_string())
            .filter(|url| !url.is_empty())
            .collect();
        let is_address = |url: &String| url.starts_with("http://") || url.starts_with("https://");
        if urls.is_empty() || !urls.iter().all(is_address) {
            return Err(StoreError::Server {
                backend: NAME,
                what: "QDRANT_URL is no address".to_string(),
                remedy: "give one such as http://localhost:6333, or several with commas"
                    .to_string(),
            });
        }
        Ok(Http {
            agent: agent(),
            urls,
            current: AtomicUsize::new(0),
            has_answered: AtomicBool::new(false),
            key: key.map(str::to_string),
        })
    }

    /// Sends a request and returns the reply, whatever its status. Fails if no node answers.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Result<QdrantReply, StoreError> {
        self.ask_within(WRITE_TIMEOUT, method, path, body)
    }

    /// Sends a request that changes nothing.
    pub fn read(&self, path: &str, body: &Value) -> Result<QdrantReply, StoreError> {
        self.ask_within(READ_TIMEOUT, "POST", path, body)
    }

    /// Tries the nodes in turn, with growing pauses, until the deadline.
    fn ask_within(
        &self,
        patience: Duration,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<QdrantReply, StoreError> {
        let deadline = Instant::now() + patience;
        // A node that hangs leaves time to ask another.
        let share = patience / self.urls.len().min(2) as u32;
        let mut waits = WAITS_MS.iter();
        loop {
            let mut last = None;
            for _ in 0..self.urls.len() {
                let node = self.current.load(Ordering::Relaxed) % self.urls.len();
                let left = deadline.saturating_duration_since(Instant::now()).min(share).max(LEAST);
                match self.send_once(&self.urls[node], left, method, path, body) {
                    Ok(answer) => {
                        self.has_answered.store(true, Ordering::Relaxed);
                        return check_access(answer);
                    }
                    Err(failure) => last = Some(failure),
                }
                self.current.store(node + 1, Ordering::Relaxed);
            }
            let wait = match last {
                // One server that nobody started does not come up by waiting for it; one that was
                // there may be on its way back.
                Some(AttemptFailure::Unreachable(_)) if self.has_never_answered() => {
                    waits.next().filter(|wait| **wait <= 1000)
                }
                Some(AttemptFailure::Stranger(_)) => None,
                _ => waits.next(),
            };
            let pause = wait.map(|wait| Duration::from_millis(*wait));
            match pause.filter(|wait| Instant::now() + *wait < deadline) {
                Some(wait) => std::thread::sleep(wait),
                None => return Err(self.no_answer(last)),
            }
        }
    }

    /// True if its one address has never answered.
    fn has_never_answered(&self) -> bool {
        self.urls.len() == 1 && !self.has_answered.load(Ordering::Relaxed)
    }

    /// The result of a request that must succeed.
    pub fn get(&self, method: &str, path: &str, body: &Value) -> Result<Value, StoreError> {
        self.ask(method, path, body)?.success(method, path)
    }

    /// Those of several nodes that do not answer now.
    pub fn unresponsive_nodes(&self) -> Vec<String> {
        let urls = self.urls.iter().filter(|_| self.urls.len() > 1);
        let answers =
            |url: &String| self.send_once(url, READ_TIMEOUT, "GET", "/", &Value::Null).is_ok();
        let silent = urls.filter(|url| !answers(url));
        silent.cloned().collect()
    }

    /// Makes one attempt at one node.
    fn send_once(
        &self,
        url: &str,
        patience: Duration,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<QdrantReply, AttemptFailure> {
        let broken = |error: ureq::Error| AttemptFailure::Unreachable(format!("{url}: {error}"));
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{url}{path}"))
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("api-key", key);
        }
        let text = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let unsent = request
            .body(text)
            .map_err(|error| AttemptFailure::Unreachable(format!("{url}: {error}")))?;
        let request = self.agent.configure_request(unsent).timeout_global(Some(patience)).build();
        let response = self.agent.run(request).map_err(broken)?;
        let status = response.status().as_u16();
        let mut bytes = Vec::new();
        let mut reader = response.into_body().into_with_config().limit(LARGEST_ANSWER).reader();
        let read = reader.read_to_end(&mut bytes);
        read.map_err(|error| AttemptFailure::Unreachable(format!("{url}: {error}")))?;
        parse_reply(url, status, &bytes)
    }

    fn no_answer(&self, last: Option<AttemptFailure>) -> StoreError {
        let (what, remedy) = match last {
            Some(AttemptFailure::Busy(what)) => (what, "see the log of the server"),
            Some(AttemptFailure::Unreachable(what) | AttemptFailure::Stranger(what)) => {
                (what, DOWN)
            }
            None => ("nobody answers".to_string(), DOWN),
        };
        StoreError::Server { backend: NAME, what, remedy: remedy.to_string() }
    }
}

/// Parses a reply. Fails if the server is busy, or if the reply is not one of Qdrant's.
fn parse_reply(url: &str, status: u16, bytes: &[u8]) -> Result<QdrantReply, AttemptFailure> {
    let mut parsed: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let said = || String::from_utf8_lossy(&bytes[..bytes.len().min(500)]).into_owned();
    match status {
        429 | 500..=599 => Err(AttemptFailure::Busy(format!("{status} {}", said()))),
        200..=299 if parsed.get("result").is_some() => {
            Ok(QdrantReply { status, result: parsed["result"].take() })
        }
        // The reply at the server's root has a version and no `result`.
        200..=299 if parsed.get("version").is_some() => Ok(QdrantReply { status, result: parsed }),
        _ => match (status, parsed.pointer("/status/error")) {
            (_, Some(error)) => Ok(QdrantReply { status, result: error.clone() }),
            // A missing key is complained of in plain text.
            (400 | 401 | 403, None) => Ok(QdrantReply { status, result: Value::from(said()) }),
            _ => Err(AttemptFailure::Stranger(format!("{url}: {status} {}", said()))),
        },
    }
}

const DOWN: &str =
    "check that Qdrant is up and that QDRANT_URL names its REST port, 6333 by default";

/// Turns 401 and 403 into an error with advice.
fn check_access(answer: QdrantReply) -> Result<QdrantReply, StoreError> {
    match answer.status {
        401 | 403 => Err(StoreError::Server {
            backend: NAME,
            what: format!("{} {}", answer.status, answer.result),
            remedy: "set QDRANT_API_KEY to a key that may write and read here".to_string(),
        }),
        _ => Ok(answer),
    }
}
