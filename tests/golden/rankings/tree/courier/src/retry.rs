//! Sends a request again when a carrier is overloaded or the connection breaks.

use std::time::Duration;

use crate::client::{CarrierError, Request, Response};

/// How often a request is sent again, and how long the client pauses in between.
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    pub max_attempts: u32,
    pub first_pause: Duration,
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy {
            max_attempts: 4,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(10),
        }
    }
}

impl RetryPolicy {
    /// The pause before an attempt: it doubles each time, and jitter spreads the clients.
    pub fn pause_before(&self, attempt: u32, jitter: f64) -> Duration {
        let doubled = self.first_pause.saturating_mul(2u32.saturating_pow(attempt));
        doubled.min(self.longest_pause).mul_f64(0.5 + jitter / 2.0)
    }

    /// True if the error may go away by itself and the request does no harm when it is repeated.
    pub fn is_retryable(&self, request: &Request, error: &CarrierError) -> bool {
        let is_temporary = matches!(
            error,
            CarrierError::Disconnected | CarrierError::Status(429) | CarrierError::Status(503)
        );
        is_temporary && request.is_idempotent()
    }
}

/// Sends until the carrier answers or the policy gives up.
pub fn send_with_retries(
    policy: &RetryPolicy,
    request: &Request,
    mut send: impl FnMut(&Request) -> Result<Response, CarrierError>,
) -> Result<Response, CarrierError> {
    let mut attempt = 0;
    loop {
        match send(request) {
            Ok(response) => return Ok(response),
            Err(error) if attempt + 1 < policy.max_attempts && policy.is_retryable(request, &error) => {
                std::thread::sleep(policy.pause_before(attempt, 0.5));
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_limit() {
        let policy = RetryPolicy::default();
        assert!(policy.pause_before(1, 1.0) > policy.pause_before(0, 1.0));
        assert_eq!(policy.pause_before(30, 1.0), policy.longest_pause);
    }
}
