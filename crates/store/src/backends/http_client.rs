//! How servers are spoken to over HTTP: directly, without following anybody elsewhere. How long an answer
//! may take is said with each request.

use std::time::Duration;

use ureq::Agent;

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
