//! Sign-in, if the server requires a token. The token is exchanged for a cookie that only this
//! server receives and that no script can read. The cookie does not contain the token, and ends
//! when the token changes.

use std::sync::Arc;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::html;

use super::query_string::QueryPairs;
use super::{Site, layout, response};

/// The path of the form.
pub const PATH: &str = "/sign-in";

/// The name of the cookie.
const COOKIE: &str = "ken_session";

/// The most bytes of the sign-in form, which contains only a token.
const MAX_FORM: usize = 16 * 1024;

/// The session of signed-in browsers: a cookie derived from the token. Empty if no token is
/// required.
#[derive(Clone, Default)]
pub struct BrowserSession(Option<SessionSecret>);

/// The token and the cookie that a browser may present.
#[derive(Clone)]
struct SessionSecret {
    /// The hash of the token.
    token: blake3::Hash,
    /// The value of the cookie, derived from the token. There is one for all browsers, so no
    /// sessions are stored.
    cookie: String,
}

impl BrowserSession {
    /// Derives the session from the token.
    pub fn new(token: Option<&str>) -> BrowserSession {
        BrowserSession(token.map(|token| {
            let key = blake3::derive_key("kenning 2026 web page session", token.as_bytes());
            SessionSecret {
                token: blake3::hash(token.as_bytes()),
                cookie: blake3::Hash::from(key).to_hex().to_string(),
            }
        }))
    }

    /// True if the request carries the session cookie.
    pub fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let Some(secret) = &self.0 else { return false };
        let mut cookies = headers
            .get_all(header::COOKIE)
            .into_iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'));
        let expected = blake3::hash(secret.cookie.as_bytes());
        cookies.any(|cookie| match cookie.trim().split_once('=') {
            // Hashes are compared in constant time.
            Some((COOKIE, value)) => blake3::hash(value.as_bytes()) == expected,
            _ => false,
        })
    }
}

/// The form, and the route that it posts to.
pub fn routes(site: Arc<Site>) -> Router {
    let form = |request: Request| async move {
        let pairs = QueryPairs::parse(request.uri().query().unwrap_or_default());
        show_sign_in(StatusCode::OK, pairs.get("to").unwrap_or("/"))
    };
    let enter = move |request: Request| sign_in(site.clone(), request);
    Router::new().route(PATH, get(form)).route(PATH, post(enter))
}

/// Shows the form in place of the requested page; `to` is where to go afterwards.
pub fn show_sign_in(status: StatusCode, to: &str) -> Response {
    form(status, to, None)
}

/// Renders the form, with a complaint after a wrong token.
fn form(status: StatusCode, to: &str, complaint: Option<&str>) -> Response {
    let main = html! {
        section class="sign-in" {
            h1 { "Sign in" }
            p { "This server wants the token that it was started with." }
            @if let Some(complaint) = complaint {
                p class="notice bad" role="alert" { (complaint) }
            }
            form method="post" action=(PATH) {
                input type="hidden" name="to" value=(to);
                label for="token" { "Token" }
                input id="token" type="password" name="token" autocomplete="current-password"
                    required autofocus;
                button type="submit" { "Sign in" }
            }
        }
    };
    response::page(status, layout::bare_page("Sign in", &main))
}

/// Checks the token and sets the cookie.
async fn sign_in(site: Arc<Site>, request: Request) -> Response {
    let is_secure = is_secure(request.headers());
    let body = to_bytes(request.into_body(), MAX_FORM)
        .await
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let pairs = QueryPairs::parse(&body.unwrap_or_default());
    // An open redirect would let a foreign page use this server's name.
    let to = pairs.get("to").filter(|to| is_local(to)).unwrap_or("/");
    let Some(secret) = &site.session.0 else {
        return redirect(to);
    };
    let given = pairs.get("token").unwrap_or_default().trim();
    if blake3::hash(given.as_bytes()) != secret.token {
        let complaint = "That is not the token of this server.";
        return form(StatusCode::UNAUTHORIZED, to, Some(complaint));
    }
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict{secure}", secret.cookie);
    let mut response = redirect(to);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// True if the page was loaded over TLS. Behind a proxy only the page's own origin says so.
fn is_secure(headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN);
    origin.is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

/// True for a path on this server. `//host` and `/\host` would lead to another one.
fn is_local(to: &str) -> bool {
    let is_path = to.starts_with('/') && !to[1..].starts_with(['/', '\\']);
    is_path && !to.contains(char::is_control)
}

/// Redirects with 303, so that a reload does not post again.
fn redirect(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, to);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cookie_of_the_token_counts() {
        let session = BrowserSession::new(Some("secret"));
        let value = session.0.as_ref().unwrap().cookie.clone();
        assert!(!value.contains("secret"));
        for (cookie, expected) in [
            (format!("{COOKIE}={value}"), true),
            (format!("a=b; {COOKIE}={value}; c=d"), true),
            (format!("{COOKIE}=secret"), false),
            (format!("{COOKIE}="), false),
            (format!("x{COOKIE}={value}"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            assert_eq!(session.has_cookie(&headers), expected, "{cookie}");
            assert!(!BrowserSession::default().has_cookie(&headers));
            assert!(!BrowserSession::new(Some("other")).has_cookie(&headers));
        }
    }

    #[test]
    fn nobody_is_sent_elsewhere() {
        for (to, expected) in [
            ("/", true),
            ("/file?path=a", true),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("https://evil.example", false),
            ("/a\nb", false),
            ("", false),
        ] {
            assert_eq!(is_local(to), expected, "{to}");
        }
    }
}
