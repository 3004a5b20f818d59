//! The HTTP client that talks to carriers.

use crate::pool::ConnectionPool;
use crate::retry::{RetryPolicy, send_with_retries};

/// A request to a carrier.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub body: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Put,
    Post,
}

impl Request {
    /// True if the carrier may receive it twice without harm.
    pub fn is_idempotent(&self) -> bool {
        self.method != Method::Post
    }
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

/// The ways in which a carrier fails to answer.
#[derive(Debug, PartialEq, Eq)]
pub enum CarrierError {
    Disconnected,
    TimedOut,
    Status(u16),
}

/// Talks to one carrier over pooled connections.
pub struct CarrierClient {
    pool: ConnectionPool,
    policy: RetryPolicy,
}

impl CarrierClient {
    pub fn new(pool: ConnectionPool, policy: RetryPolicy) -> CarrierClient {
        CarrierClient { pool, policy }
    }

    /// The time windows in which the carrier delivers to a postal code.
    pub fn time_windows(&self, postal_code: &str) -> Result<Vec<String>, CarrierError> {
        let path = format!("/windows/{postal_code}");
        let request = Request { method: Method::Get, path, body: Vec::new() };
        let response = self.send(&request)?;
        let text = String::from_utf8_lossy(&response.body);
        Ok(text.lines().map(str::to_string).collect())
    }

    fn send(&self, request: &Request) -> Result<Response, CarrierError> {
        send_with_retries(&self.policy, request, |request| {
            let connection = self.pool.acquire()?;
            connection.exchange(request)
        })
    }
}
