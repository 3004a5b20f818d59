//! Access checks. A page in a browser can make its reader's machine send requests to this server.
//! Therefore `Host` must be a name of this server, which prevents DNS rebinding, and `Origin` must
//! be an allowed one. Beyond loopback, a token is required as well.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::options::Options;
use super::problem_details::Problem;
use crate::front::web::{self, BrowserSession};

/// The access rules, built once from the options.
pub struct AccessControl {
    /// The hash of the token, if one is required.
    token: Option<blake3::Hash>,
    /// The session of browsers that signed in with the token.
    pub session: BrowserSession,
    /// True if any `Host` is allowed: a token is required, which no foreign page knows.
    takes_any_host: bool,
    /// Allowed values of `Host`, in lower case.
    hosts: Vec<String>,
    /// Allowed values of `Origin`, in lower case.
    origins: Vec<String>,
}

/// Routes that need no token, because probes have none.
const OPEN_TO_ALL: [&str; 2] = ["/healthz", "/readyz"];

impl AccessControl {
    /// Builds the rules. Beyond loopback without configured hosts, any host is allowed, because a
    /// token is required there.
    pub fn new(options: &Options) -> AccessControl {
        let mut hosts: Vec<String> = options.hosts.iter().map(|host| host.to_lowercase()).collect();
        // Without a list there is no way to know the public names of this machine.
        let takes_any_host = !options.is_loopback() && hosts.is_empty();
        hosts.push(options.host.to_lowercase());
        let origins =
            options.origins.iter().map(|origin| origin.trim_end_matches('/').to_lowercase());
        AccessControl {
            token: options.token.as_ref().map(|token| blake3::hash(token.as_bytes())),
            session: BrowserSession::new(options.token.as_deref()),
            takes_any_host,
            hosts,
            origins: origins.collect(),
        }
    }

    /// Checks `Host`, then `Origin`, then the token or the session. The order matters: a foreign
    /// page must not learn if a token is right.
    pub fn check_access(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Problem> {
        self.check_host(uri, headers)?;
        self.check_origin(headers)?;
        let is_open = OPEN_TO_ALL.contains(&uri.path()) || web::OPEN_TO_ALL.contains(&uri.path());
        if is_open || self.is_signed_in(method, headers) {
            Ok(())
        } else {
            self.check_token(headers)
        }
    }

    /// True if a signed-in browser sends the request from a page of this server. The cookie alone
    /// is not enough, because a browser also sends it for other pages. `Origin` must be our own;
    /// only reads may lack it.
    fn is_signed_in(&self, method: &Method, headers: &HeaderMap) -> bool {
        let is_read = [Method::GET, Method::HEAD].contains(method);
        let is_asked_from_here = match headers.get(header::ORIGIN) {
            Some(origin) => is_own_origin(origin, headers),
            None => is_read,
        };
        is_asked_from_here && self.session.has_cookie(headers)
    }

    /// Checks that `Host` is a name of this server. Two of them are refused, because proxies
    /// disagree on which one counts.
    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        if headers.get_all(header::HOST).iter().nth(1).is_some() {
            let message = "the request has more than one Host";
            return Err(Problem::new(StatusCode::BAD_REQUEST, message));
        }
        let of_uri = uri.authority().map(|authority| authority.as_str());
        let given = of_uri.or_else(|| headers.get(header::HOST)?.to_str().ok());
        let host = given.and_then(parse_host);
        match host {
            Some(host) if self.takes_any_host || self.is_own_host(&host) => Ok(()),
            Some(host) => Err(Problem::new(
                StatusCode::FORBIDDEN,
                format!("{host:?} is not a name of this server"),
            )
            .hint("address it by its own name, or add this one to http.hosts")),
            None => Err(Problem::new(
                StatusCode::BAD_REQUEST,
                "the request has no Host that can be read",
            )),
        }
    }

    /// Checks that the page that sends the request is allowed. Programs send no `Origin` and pass.
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        match headers.get(header::ORIGIN) {
            Some(origin) if !self.is_origin_allowed(origin) && !is_own_origin(origin, headers) => {
                Err(Problem::new(
                    StatusCode::FORBIDDEN,
                    "pages of this origin may not call this server",
                )
                .hint("add the origin to http.origins if it is yours"))
            }
            _ => Ok(()),
        }
    }

    /// True if an origin is listed, or is on a host of this server.
    fn is_origin_allowed(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        let origin = origin.to_lowercase();
        if self.origins.contains(&origin) {
            return true;
        }
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.and_then(parse_host).is_some_and(|host| self.is_own_host(&host))
    }

    /// True for loopback and the configured names.
    fn is_own_host(&self, host: &str) -> bool {
        let bare = host.trim_matches(['[', ']']);
        let address: Option<IpAddr> = bare.parse().ok();
        host == "localhost"
            || address.is_some_and(|address| address.is_loopback())
            || self.hosts.iter().any(|known| known == host || known == bare)
    }

    /// Checks the bearer token.
    fn check_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let given = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| {
                let (scheme, token) = value.split_once(' ')?;
                scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
            });
        // Hashes are compared in constant time, and say nothing of the token's length.
        match given {
            Some(given) if blake3::hash(given.as_bytes()) == *token => Ok(()),
            _ => Err(Problem::new(StatusCode::UNAUTHORIZED, "this server wants a token")
                .hint("send it as `Authorization: Bearer …`")),
        }
    }

    /// Answers a CORS preflight request of an allowed origin; `None` for any other request.
    pub fn answer_preflight(&self, method: &Method, headers: &HeaderMap) -> Option<Response> {
        let is_preflight = method == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let origin = headers.get(header::ORIGIN).filter(|_| is_preflight)?;
        if !self.is_origin_allowed(origin) {
            return None;
        }
        let mut response = StatusCode::NO_CONTENT.into_response();
        for (name, value) in [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
            (
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                "authorization, content-type, last-event-id, mcp-method, mcp-name, \
                 mcp-protocol-version, mcp-session-id, x-request-id",
            ),
            (header::ACCESS_CONTROL_MAX_AGE, "600"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        self.allow_origin(origin, response.headers_mut());
        Some(response)
    }

    /// Lets a page of an admitted origin read the answer.
    pub fn allow_origin(&self, origin: &HeaderValue, headers: &mut HeaderMap) {
        if self.is_origin_allowed(origin) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.append(header::VARY, HeaderValue::from_static("origin"));
            let exposed = HeaderValue::from_static("mcp-session-id, x-request-id");
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
    }
}

/// True if the page came from this server, under the name that the request uses. That name was
/// checked before.
fn is_own_origin(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let same = authority.zip(host);
    same.is_some_and(|(authority, host)| authority.eq_ignore_ascii_case(host))
}

/// Returns the host of `host:port` in lower case; `None` if it is neither a name nor an address.
///
/// For example, `Example.org:80` gives `example.org`, and `[::1]:3000` gives `[::1]`. Brackets
/// stay, because a bare IPv6 address is no valid host.
fn parse_host(authority: &str) -> Option<String> {
    let authority = authority.to_lowercase();
    // The colons of an IPv6 address are inside brackets.
    let end = authority.find(']').map_or(0, |end| end + 1);
    let port = authority[end..].find(':').map(|at| end + at);
    let (host, port) = match port {
        Some(at) => (&authority[..at], Some(&authority[at + 1..])),
        None => (authority.as_str(), None),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_host = match host.strip_prefix('[') {
        Some(rest) => {
            rest.strip_suffix(']').is_some_and(|address| address.parse::<IpAddr>().is_ok())
        }
        None => !host.is_empty() && host.chars().all(is_plain),
    };
    (is_host && port.is_none_or(is_port)).then(|| host.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{Config, ProcessEnv};
    use crate::front::mcp::Profile;

    fn gate(settings: &[(&str, &str)]) -> AccessControl {
        let settings: Vec<_> =
            settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let surroundings = ProcessEnv::default();
        let config = Config::load(Path::new("/nowhere"), &settings, &surroundings).unwrap();
        AccessControl::new(&Options::new(&config, Profile::all_families()).unwrap())
    }

    fn check(gate: &AccessControl, path: &str, headers: &[(&'static str, &str)], expected: u16) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let outcome = gate.check_access(&Method::GET, &path.parse().unwrap(), &map);
        let status = outcome.map_or_else(|problem| problem.status.as_u16(), |()| 200);
        assert_eq!(status, expected, "{path} {headers:?}");
    }

    #[test]
    fn hosts_on_loopback() {
        let gate = gate(&[]);
        for (host, expected) in [
            ("localhost", 200),
            ("localhost:3000", 200),
            ("127.0.0.1:3000", 200),
            ("127.8.8.8", 200),
            ("[::1]:3000", 200),
            ("LOCALHOST", 200),
            ("evil.example", 403),
            ("evil.example:3000", 403),
            ("localhost.evil.example", 403),
            ("127.0.0.1.evil.example", 403),
            ("[fe80::1]:3000", 403),
            ("local host", 400),
            ("localhost:x", 400),
            ("[::1", 400),
            ("", 400),
        ] {
            check(&gate, "/search", &[("host", host)], expected);
        }
        check(&gate, "/search", &[], 400);
        let twice = [("host", "localhost"), ("host", "localhost")];
        check(&gate, "/search", &twice, 400);
        check(&gate, "http://evil.example/search", &[("host", "localhost")], 403);
    }

    #[test]
    fn origins_on_loopback() {
        let gate = gate(&[("http.origins", "https://app.example")]);
        for (origin, expected) in [
            ("http://localhost:6274", 200),
            ("http://127.0.0.1", 200),
            ("https://[::1]:8080", 200),
            ("https://app.example", 200),
            ("https://app.example:444", 403),
            ("http://app.example", 403),
            ("https://evil.example", 403),
            ("http://localhost.evil.example", 403),
            ("file://localhost", 403),
            ("null", 403),
            ("", 403),
        ] {
            check(&gate, "/mcp", &[("host", "localhost"), ("origin", origin)], expected);
        }
    }

    #[test]
    fn a_token_beyond_loopback() {
        let gate = gate(&[("http.host", "0.0.0.0"), ("http.token", "secret")]);
        let host = ("host", "ken.example");
        check(&gate, "/search", &[host], 401);
        for (given, expected) in [
            ("Bearer secret", 200),
            ("bearer secret", 200),
            ("Bearer secre", 401),
            ("Bearer secrets", 401),
            ("Basic secret", 401),
            ("secret", 401),
        ] {
            check(&gate, "/search", &[host, ("authorization", given)], expected);
        }
        check(&gate, "/healthz", &[host], 200);
        let named = self::gate(&[
            ("http.host", "0.0.0.0"),
            ("http.token", "secret"),
            ("http.hosts", "ken.example"),
        ]);
        check(&named, "/healthz", &[host], 200);
        check(&named, "/healthz", &[("host", "other.example")], 403);
    }
}
