//! Connections to a carrier that are kept open and used again.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::client::{CarrierError, Request, Response};

/// One open connection.
pub struct Connection {
    last_used: Instant,
}

impl Connection {
    pub fn exchange(&self, request: &Request) -> Result<Response, CarrierError> {
        Ok(Response { status: 200, body: request.body.clone() })
    }
}

/// Keeps idle connections and evicts those that nobody used for a while.
pub struct ConnectionPool {
    idle: Mutex<Vec<Connection>>,
    max_idle: Duration,
}

impl ConnectionPool {
    pub fn new(max_idle: Duration) -> ConnectionPool {
        ConnectionPool { idle: Mutex::new(Vec::new()), max_idle }
    }

    /// Takes an idle connection, or opens a new one.
    pub fn acquire(&self) -> Result<Connection, CarrierError> {
        self.evict_stale();
        let mut idle = self.idle.lock().map_err(|_| CarrierError::Disconnected)?;
        Ok(idle.pop().unwrap_or_else(|| Connection { last_used: Instant::now() }))
    }

    /// Puts a connection back for the next request.
    pub fn release(&self, mut connection: Connection) {
        connection.last_used = Instant::now();
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(connection);
        }
    }

    fn evict_stale(&self) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.retain(|connection| connection.last_used.elapsed() < self.max_idle);
        }
    }
}
