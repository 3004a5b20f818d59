//! The middleware of every request: assigns a request id, checks access, limits concurrency, and
//! counts and logs the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::body;
use super::jobs::accepts_events;
use super::problem_details::Problem;
use super::routes::HttpServer;
use crate::front::web;

/// The header with the request id, in requests and responses.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest request id that is accepted from a caller.
const MAX_ID: usize = 64;

/// Routes of probes, which do not count against the concurrency limit.
const UNLIMITED_ROUTES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// A generator of ids for requests and jobs. They are unique within a process, and almost certainly
/// between processes.
pub struct RequestIds {
    /// Differs between processes: a hash of time and process id.
    seed: u64,
    /// The next number.
    next: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> RequestIds {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = since.unwrap_or_default().as_nanos().to_le_bytes();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&now).update(&std::process::id().to_le_bytes());
        let hash = *hasher.finalize().as_bytes();
        let [a, b, c, d, ..] = hash;
        RequestIds { seed: u64::from(u32::from_le_bytes([a, b, c, d])), next: AtomicU64::new(1) }
    }
}

impl RequestIds {
    /// Returns a new id, such as `1f2e3d4c-7`.
    pub fn next_id(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}-{number:x}", self.seed)
    }
}

/// The outermost layer: times, counts and logs every request, and sets the headers of every
/// response.
pub async fn handle_request(
    State(server): State<Arc<HttpServer>>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = caller_id(request.headers()).unwrap_or_else(|| server.identifiers.next_id());
    // The declared route, not the path: metrics must not have a label for each path.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("unmatched".to_string(), |route| route.as_str().to_string());
    let method = request.method().clone();
    let path = request.uri().path().to_string();
    let origin = request.headers().get(header::ORIGIN).cloned();
    // Everything from here on also holds for refused requests.
    let mut response = admit_request(&server, request, next).await;
    let status = response.status().as_u16();
    let took = started.elapsed();
    server.metrics.record_request(&route, &method, status, took);
    let milliseconds = took.as_secs_f32() * 1e3;
    tracing::info!(%id, "{method} {path} {status} {milliseconds:.1} ms");
    let headers = response.headers_mut();
    if let Some(origin) = origin
        && !headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN)
    {
        server.access.allow_origin(&origin, headers);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    let plain = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, plain);
    response
}

/// Returns the request id that the caller or a proxy sent, if it is valid.
fn caller_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    let is_name = (1..=MAX_ID).contains(&id.len()) && id.bytes().all(is_plain);
    is_name.then(|| id.to_string())
}

/// Checks access and the concurrency limit, receives the body, and runs the route.
async fn admit_request(server: &HttpServer, request: Request, next: Next) -> Response {
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    if let Some(response) = server.access.answer_preflight(method, headers) {
        return response;
    }
    if let Err(problem) = server.access.check_access(method, uri, headers) {
        tracing::debug!("refused: {problem:?}");
        if problem.status == StatusCode::UNAUTHORIZED && web::is_from_browser(&request) {
            let to = uri.path_and_query().map_or("/", |to| to.as_str());
            return web::show_sign_in(StatusCode::UNAUTHORIZED, to);
        }
        return problem.into_response();
    }
    if server.stop.is_stopped() {
        let message = "the server is shutting down";
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, message).into_response();
    }
    // Probes must be able to see that a busy server is alive.
    if UNLIMITED_ROUTES.contains(&uri.path()) {
        return next.run(request).await;
    }
    // Event streams have no end of their own, so a stopping server does not wait for them.
    let is_listener = method == Method::GET && accepts_events(headers);
    let counted = if is_listener { &server.listening } else { &server.in_flight };
    let arriving = server.arriving.try_enter(usize::MAX);
    let request = match body::receive_body(server, request).await {
        Ok(request) => request,
        Err(problem) => return close_connection(problem.into_response()),
    };
    let flight = counted.try_enter(server.options.concurrency);
    // Dropped only now: a waiter on both counters must see the request in one of them.
    drop(arriving);
    match flight {
        Some(flight) => flight.hold_until_sent(next.run(request).await),
        None => Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many requests are under way")
            .hint("try again in a second")
            .into_response(),
    }
}

/// Closes the connection after this response. Otherwise the unread rest of the body would be parsed
/// as the next request.
fn close_connection(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}
