//! The HTTP client for servers: no proxy, no redirects, and a short connect timeout. The time for a
//! whole request is set with each.

use std::time::Duration;

use ureq::Agent;

/// Returns a client. An HTTP status is never an error, because callers read the body of failures
/// too. Redirects are not followed: they could lead a key to another host.
pub fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(5)))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("kenning/", env!("CARGO_PKG_VERSION")));
    config.build().new_agent()
}
