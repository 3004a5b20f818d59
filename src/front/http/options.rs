//! The options of `ken http`, read from the settings. Invalid values are refused, and so is an
//! address beyond loopback without a token.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::config::Config;
use crate::front::mcp::Profile;
use crate::ops::OpError;

/// The least time for a request to arrive.
const MIN_ARRIVAL: Duration = Duration::from_secs(2);

/// The options of the server.
#[derive(Clone)]
pub struct Options {
    /// The address to listen on.
    pub host: String,
    /// The port; 0 is any free one.
    pub port: u16,
    /// The bearer token that callers must send, if one is required.
    pub token: Option<String>,
    /// Allowed values of `Host` besides loopback's. If empty beyond loopback, any is allowed.
    pub hosts: Vec<String>,
    /// Allowed values of `Origin` besides loopback's.
    pub origins: Vec<String>,
    /// The directories that callers may name, beside the served root.
    pub roots: Vec<PathBuf>,
    /// The most bytes of a body.
    pub max_body: usize,
    /// The most requests in flight.
    pub concurrency: usize,
    /// The timeout of an operation that only reads.
    pub timeout: Duration,
    /// The time that requests in flight get after a signal.
    pub drain: Duration,
    /// The tools at `/mcp`.
    pub profile: Profile,
    /// The tools for standard input and output, if MCP is served there.
    pub stdio: Option<Profile>,
    /// The name of the server over MCP.
    server_name: String,
    /// Its version; Kenning's own if absent.
    server_version: Option<String>,
}

/// The transport that serves MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// On standard input and output, in addition to `/mcp`.
    Stdio,
    /// At `/mcp`, which is always served.
    Http,
}

impl Options {
    /// Reads the options. If MCP is enabled on standard input and output, it serves `profile`.
    pub fn new(config: &Config, profile: Profile) -> Result<Options, OpError> {
        let number = |key: &str| config.number(key).unwrap_or_default();
        let text = |key: &str| config.text(key).map(str::to_string);
        // Accepts an IPv6 address in brackets, as in a URL.
        let written = text("http.host").unwrap_or_default();
        let bare = written.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = bare.map_or(written.clone(), str::to_string);
        let port = u16::try_from(number("http.port")).map_err(|_| {
            let port = number("http.port");
            OpError::bad_argument(format!("{port} is not a port")).hint("ports end at 65535")
        })?;
        let is_stdio = is_mcp_enabled(config)? && read_transport(config)? == Transport::Stdio;
        let options = Options {
            host,
            port,
            token: read_token(config)?,
            hosts: config.list("http.hosts"),
            origins: config.list("http.origins"),
            roots: config.list("http.roots").into_iter().map(PathBuf::from).collect(),
            max_body: number("http.max_body") as usize,
            concurrency: (number("http.concurrency") as usize).max(1),
            timeout: Duration::from_millis(number("http.timeout_ms")),
            drain: Duration::from_millis(number("http.drain_ms")),
            profile: Profile::all_families(),
            stdio: is_stdio.then_some(profile),
            server_name: text("mcp.server_name").unwrap_or_default(),
            server_version: text("mcp.server_version"),
        };
        if !options.is_loopback() && options.token.is_none() {
            let message = format!("{} can be reached from other machines", options.host);
            return Err(OpError::bad_argument(message)
                .hint("set a token with --token or KEN_HTTP_TOKEN, or listen on 127.0.0.1"));
        }
        Ok(options)
    }

    /// Returns how long the head and the body of a request may take to arrive. A short timeout for
    /// answers does not shorten it below `MIN_ARRIVAL`.
    pub fn arrival_timeout(&self) -> Duration {
        self.timeout.max(MIN_ARRIVAL)
    }

    /// True if only this machine can reach it.
    pub fn is_loopback(&self) -> bool {
        let address: Option<IpAddr> = self.host.parse().ok();
        self.host == "localhost" || address.is_some_and(|address| address.is_loopback())
    }

    /// Returns the profile with the configured server name and version.
    pub fn name_profile(&self, profile: Profile) -> Profile {
        let version = self.server_version.clone();
        Profile {
            server_name: self.server_name.clone().into(),
            version: version.map_or(profile.version, Into::into),
            ..profile
        }
    }
}

/// Reads the bearer token. Refuses blanks and non-ASCII characters, which a header cannot carry
/// reliably.
fn read_token(config: &Config) -> Result<Option<String>, OpError> {
    let token = config.text("http.token").filter(|token| !token.is_empty());
    let is_shown = |token: &str| token.bytes().all(|byte| byte.is_ascii_graphic());
    match token {
        Some(token) if !is_shown(token) => {
            let message = "a token is made of ASCII letters, digits and signs, without blanks";
            Err(OpError::bad_argument(message)
                .hint("choose another with --token or KEN_HTTP_TOKEN"))
        }
        token => Ok(token.map(str::to_string)),
    }
}

/// True if MCP is enabled on standard input and output.
fn is_mcp_enabled(config: &Config) -> Result<bool, OpError> {
    match config.text("mcp.enabled").unwrap_or_default() {
        "true" | "1" => Ok(true),
        "false" | "0" | "" => Ok(false),
        other => {
            let message = format!("MCP_ENABLED must be true or false, not {other:?}");
            Err(OpError::bad_argument(message))
        }
    }
}

/// Reads the transport. The obsolete `sse` gets a hint.
fn read_transport(config: &Config) -> Result<Transport, OpError> {
    match config.text("mcp.transport").unwrap_or_default() {
        "stdio" => Ok(Transport::Stdio),
        "http" => Ok(Transport::Http),
        other => {
            let message = format!("MCP_TRANSPORT must be stdio or http, not {other:?}");
            Err(OpError::bad_argument(message).hint(
                "server-sent events as a transport have gone from the protocol; \
                 http serves its successor at /mcp",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::ProcessEnv;

    fn options(variables: &[(&str, &str)]) -> Result<Options, String> {
        let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let surroundings = ProcessEnv { variables: variables.collect(), ..ProcessEnv::default() };
        let config = Config::load(Path::new("/nowhere"), &[], &surroundings).unwrap();
        Options::new(&config, Profile::from_name("code-indexer").unwrap())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn without_settings() {
        let options = options(&[]).unwrap();
        assert_eq!((options.host.as_str(), options.port), ("127.0.0.1", 3000));
        assert!(options.stdio.is_none() && options.token.is_none());
        let profile = options.name_profile(Profile::all_families());
        assert_eq!(profile.server_name, "code-indexer");
        assert_eq!(profile.version, env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn the_contracts_variables() {
        let chosen = options(&[
            ("MCP_ENABLED", "true"),
            ("MCP_SERVER_NAME", "mine"),
            ("MCP_SERVER_VERSION", "9.9"),
            ("PORT", "4000"),
        ])
        .unwrap();
        assert_eq!(chosen.port, 4000);
        let profile = chosen.name_profile(chosen.stdio.clone().unwrap());
        assert_eq!((&*profile.server_name, &*profile.version), ("mine", "9.9"));
        let over_http = [("MCP_ENABLED", "true"), ("MCP_TRANSPORT", "http")];
        assert!(options(&over_http).unwrap().stdio.is_none());
        let disabled = [("MCP_ENABLED", "false"), ("MCP_TRANSPORT", "stdio")];
        assert!(options(&disabled).unwrap().stdio.is_none());
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (variables, words) in [
            (vec![("KEN_HTTP_HOST", "0.0.0.0")], "--token"),
            (vec![("PORT", "70000")], "not a port"),
            (vec![("KEN_HTTP_TOKEN", "ü")], "ASCII"),
            (vec![("KEN_HTTP_TOKEN", "two words")], "without blanks"),
            (vec![("KEN_HTTP_TOKEN", "line\n")], "without blanks"),
            (vec![("MCP_ENABLED", "maybe")], "true or false"),
            (vec![("MCP_ENABLED", "true"), ("MCP_TRANSPORT", "sse")], "stdio or http"),
        ] {
            let error = options(&variables).err().unwrap();
            assert!(error.contains(words), "{error}");
        }
        let guarded = [("KEN_HTTP_HOST", "0.0.0.0"), ("KEN_HTTP_TOKEN", "x")];
        assert!(!options(&guarded).unwrap().is_loopback());
        for host in ["::1", "[::1]"] {
            let options = options(&[("KEN_HTTP_HOST", host)]).unwrap();
            assert!(options.is_loopback());
            assert_eq!(options.host, "::1");
        }
    }
}
