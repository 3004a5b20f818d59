//! One request and its answer, blocking, with what went wrong sorted by what to do about it. The
//! only file of this crate that opens a socket.

use std::io::{self, ErrorKind, Read};
use std::time::Duration;

use ureq::Agent;
use ureq::http::{Response, Uri};

use crate::Secret;

/// Connections to one service, kept open between requests.
#[derive(Clone)]
pub struct Http {
    agent: Agent,
    timeout: Duration,
}

/// A reply, whatever its status.
#[derive(Debug)]
pub struct HttpReply {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

/// The reason why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpFailure {
    /// Nobody listens there: asking again at once does not help.
    Unreachable(String),
    TimedOut,
    /// The connection broke on the way.
    Broken(String),
}

/// Far above any batch: 2,048 vectors of 3,072 numbers are 75 MB as JSON.
const LARGEST_ANSWER: u64 = 256 << 20;

impl Http {
    /// Prepares a client of the service at `url`. `timeout` covers a whole request, to the end of
    /// the reply.
    pub fn new(url: &str, timeout: Duration) -> Http {
        let mut config = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            // A key goes to the address that the user gave, and to no other.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("kenning/", env!("CARGO_PKG_VERSION")));
        // A proxy, which the library finds as every program does, does not lead to this machine.
        if is_loopback(url) {
            config = config.proxy(None);
        }
        Http { agent: config.build().new_agent(), timeout }
    }

    /// Returns the time limit of a request.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Sends JSON.
    pub fn post(
        &self,
        url: &str,
        key: Option<&Secret>,
        json: &[u8],
    ) -> Result<HttpReply, HttpFailure> {
        let mut request = self
            .agent
            .post(url)
            .header("content-type", "application/json")
            .header("accept", "application/json");
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {}", key.reveal()));
        }
        read_answer(request.send(json).map_err(to_no_answer)?)
    }

    /// Sends a request without a body.
    pub fn get(&self, url: &str) -> Result<HttpReply, HttpFailure> {
        read_answer(self.agent.get(url).call().map_err(to_no_answer)?)
    }
}

/// Reads the body, up to a limit.
fn read_answer(response: Response<ureq::Body>) -> Result<HttpReply, HttpFailure> {
    let (parts, body) = response.into_parts();
    let header = |name: &str| parts.headers.get(name)?.to_str().ok()?.trim().parse().ok();
    let retry_after = header("retry-after-ms")
        .map(|milliseconds: f64| milliseconds / 1000.0)
        .or_else(|| header("retry-after"))
        .and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok());
    let mut bytes = Vec::new();
    let mut reader = body.into_with_config().limit(LARGEST_ANSWER).reader();
    reader.read_to_end(&mut bytes).map_err(to_read_failure)?;
    Ok(HttpReply { status: parts.status.as_u16(), retry_after, body: bytes })
}

/// Classifies an error of the library.
fn to_no_answer(error: ureq::Error) -> HttpFailure {
    match error {
        ureq::Error::Timeout(_) => HttpFailure::TimedOut,
        ureq::Error::Io(error) => match error.kind() {
            ErrorKind::TimedOut => HttpFailure::TimedOut,
            ErrorKind::ConnectionRefused | ErrorKind::NotFound | ErrorKind::AddrNotAvailable => {
                HttpFailure::Unreachable(error.to_string())
            }
            _ => HttpFailure::Broken(error.to_string()),
        },
        ureq::Error::Protocol(error) => HttpFailure::Broken(error.to_string()),
        other => HttpFailure::Unreachable(other.to_string()),
    }
}

/// Unwraps an error of the library from the I/O error in which it arrives.
fn to_read_failure(error: io::Error) -> HttpFailure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    match inner {
        Some(ureq::Error::Timeout(_)) => HttpFailure::TimedOut,
        _ if error.kind() == ErrorKind::TimedOut => HttpFailure::TimedOut,
        _ => HttpFailure::Broken(error.to_string()),
    }
}

/// True for addresses of this machine.
fn is_loopback(url: &str) -> bool {
    let uri: Option<Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default().trim_matches(['[', ']']);
    let address: Option<std::net::IpAddr> = host.parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_this_machine() {
        for url in ["http://localhost:1/v1", "http://127.0.0.1", "http://[::1]:80/"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["https://api.openai.com/v1", "http://localhost.example"] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
