//! The peer: the `ken http` of the machine that indexed a collection. It alone has the checkout,
//! the graph, the packages and the specs. Machines that share only the backend ask it for these.

use std::io::Read;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use super::http_client::agent;
use crate::StoreError;

/// A client of one peer.
pub struct Peer {
    agent: Agent,
    url: String,
    token: Option<String>,
}

const NAME: &str = "peer";

/// The peer's own queries take no longer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Far above any reply; bounds the memory that a wrong server can make us use.
const LARGEST_ANSWER: u64 = 256 << 20;

impl Peer {
    /// Prepares a client. Sends nothing.
    pub fn new(url: &str, token: Option<&str>) -> Peer {
        Peer {
            agent: agent(),
            url: url.trim_end_matches('/').to_string(),
            token: token.map(str::to_string),
        }
    }

    /// Runs an operation on the peer and returns its packed reply.
    pub fn ask(&self, operation: &str, arguments: &Value) -> Result<Value, StoreError> {
        let url = format!("{}/peer/{operation}", self.url);
        let failed = |why: String, remedy: &str| StoreError::Server {
            backend: NAME,
            what: format!("{url}: {why}"),
            remedy: remedy.to_string(),
        };
        let mut builder = self.agent.post(&url).content_type("application/json");
        if let Some(token) = &self.token {
            builder = builder.header("authorization", format!("Bearer {token}"));
        }
        let request = builder.config().timeout_global(Some(REQUEST_TIMEOUT)).build();
        let response = request
            .send(arguments.to_string())
            .map_err(|error| failed(error.to_string(), SILENT))?;
        let status = response.status().as_u16();
        let mut body = String::new();
        let reader = response.into_body().into_with_config().limit(LARGEST_ANSWER);
        let read = reader.reader().read_to_string(&mut body);
        read.map_err(|error| failed(error.to_string(), SILENT))?;
        match (status, serde_json::from_str(&body)) {
            (200, Ok(packed)) => Ok(packed),
            (401 | 403, _) => Err(failed(status.to_string(), STRANGER)),
            _ => Err(failed(format!("{status} {}", shorten_body(&body)), SILENT)),
        }
    }
}

/// Returns the beginning of a body, for an error message.
fn shorten_body(body: &str) -> String {
    body.chars().take(300).collect()
}

const SILENT: &str = "it is the `ken http` of the machine that indexed this collection: check that it is up and \
     that the address it was indexed with (http.advertise) can be reached from here";
const STRANGER: &str =
    "give both the same http.token, and let the other be addressed by that name (http.hosts)";
