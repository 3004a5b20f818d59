//! The routes of the API and of probes, and the state that they share. The pages for people, `/`
//! among them, come from `web`.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::json;
use tokio::sync::Mutex;
use tower_http::compression::CompressionLayer;

use super::auth::AccessControl;
use super::in_flight::InFlight;
use super::jobs::{self, Jobs};
use super::metrics::{Gauge, Metrics};
use super::middleware::{RequestIds, handle_request};
use super::options::Options;
use super::problem_details::Problem;
use super::{dispatch, openapi};
use crate::engine::Engine;
use crate::front::etag::is_tag_known;
use crate::front::executor::Executor;
use crate::front::mcp::{HttpService, ServerContext};
use crate::front::shutdown::Stop;
use crate::front::web::{self, Site};
use crate::ops::{ErrorKind, OpError};

/// The state that all requests share.
pub struct HttpServer {
    /// The engine, for probes that must not wait for a slot.
    pub engine: Arc<Engine>,
    /// Runs the operations.
    pub executor: Executor,
    /// Tells when the server stops.
    pub stop: Stop,
    /// The options.
    pub options: Options,
    /// The access rules.
    pub access: AccessControl,
    /// Requests that are being answered, and jobs.
    pub in_flight: InFlight,
    /// Requests whose body is still arriving. They do not count against the concurrency limit.
    pub arriving: InFlight,
    /// Requests that wait for events.
    pub listening: InFlight,
    pub metrics: Metrics,
    /// The background jobs.
    pub jobs: Jobs,
    /// The generator of request and job ids.
    pub identifiers: RequestIds,
    /// Lets one readiness probe run at a time.
    probing: Arc<Mutex<()>>,
    mcp: HttpService,
    document: (String, HeaderValue),
}

impl HttpServer {
    /// Builds the state. The two counters belong to the caller, which waits for them at the end.
    pub fn new(
        engine: Arc<Engine>,
        offer: ServerContext,
        mcp: HttpService,
        options: Options,
        (arriving, in_flight): (InFlight, InFlight),
    ) -> HttpServer {
        HttpServer {
            engine,
            executor: offer.executor,
            stop: offer.stop,
            access: AccessControl::new(&options),
            options,
            in_flight,
            arriving,
            listening: InFlight::default(),
            metrics: Metrics::default(),
            jobs: Jobs::default(),
            identifiers: RequestIds::default(),
            probing: Arc::default(),
            mcp,
            document: openapi::served_document(),
        }
    }

    /// The state that the web pages need.
    fn page_site(&self) -> Site {
        Site {
            executor: self.executor.clone(),
            timeout: self.options.timeout,
            session: self.access.session.clone(),
        }
    }
}

/// The state, as axum hands it to a route.
type ServerState = State<Arc<HttpServer>>;
/// The result of a route.
type RouteResult = Result<Response, Problem>;

/// Builds the router. Compression is inside of the middleware, so that durations include it.
pub fn build_routes(server: Arc<HttpServer>) -> Router {
    Router::new()
        .route("/search", post(semantic))
        .route("/search/fulltext", post(fulltext))
        .route("/search/payload", post(payload))
        .route("/indexer/index", post(index))
        .route("/indexer/jobs/{id}", get(job))
        .route("/api/{operation}", post(operation))
        .route("/peer/{operation}", post(peer))
        .route("/mcp", any(mcp))
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(document))
        .with_state(server.clone())
        .merge(web::routes(server.page_site()))
        .fallback(handle_not_found)
        .method_not_allowed_fallback(handle_wrong_method)
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(server, handle_request))
}

/// `POST /search`.
async fn semantic(State(server): ServerState, request: Request) -> RouteResult {
    dispatch::call_known_operation(&server, "search_code_semantic", request).await
}

/// `POST /search/fulltext`.
async fn fulltext(State(server): ServerState, request: Request) -> RouteResult {
    dispatch::call_known_operation(&server, "search_code_fulltext", request).await
}

/// `POST /search/payload`.
async fn payload(State(server): ServerState, request: Request) -> RouteResult {
    dispatch::call_known_operation(&server, "search_code_by_payload", request).await
}

/// `POST /api/{operation}`.
async fn operation(
    State(server): ServerState,
    Path(name): Path<String>,
    request: Request,
) -> RouteResult {
    dispatch::call_operation(&server, &name, request).await
}

/// `POST /peer/{operation}`, for other machines of the same user.
async fn peer(
    State(server): ServerState,
    Path(name): Path<String>,
    request: Request,
) -> RouteResult {
    dispatch::answer_peer(&server, &name, request).await
}

/// `POST /indexer/index`.
async fn index(State(server): ServerState, request: Request) -> RouteResult {
    jobs::start_job(&server, request).await
}

/// `GET /indexer/jobs/{id}`.
async fn job(
    State(server): ServerState,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> RouteResult {
    jobs::show_job(&server, &id, &headers)
}

/// The MCP service at `/mcp`.
async fn mcp(State(server): ServerState, request: Request) -> Response {
    let is_end = request.method() == Method::DELETE;
    let mut response = explain_mcp_error(server.mcp.handle(request).await).await;
    // The library says 202 when a session has ended; clients take that for a refusal.
    if is_end && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Converts an error of the MCP transport without a content type to problem details. The protocol
/// leaves the body of an error open. A JSON body is JSON-RPC and stays as it is.
async fn explain_mcp_error(response: Response) -> Response {
    let status = response.status();
    let has_type = response.headers().contains_key(header::CONTENT_TYPE);
    if has_type || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (parts, body) = response.into_parts();
    // The library's message is one sentence; a broken body is an empty one.
    let bytes = axum::body::to_bytes(body, LONGEST_REFUSAL).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).trim().to_string();
    // The library answers 415 for any body that it cannot parse; no media type would help.
    let (status, hint) = match status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if text.contains("deserialize") => {
            (StatusCode::BAD_REQUEST, "send one JSON-RPC message as JSON")
        }
        StatusCode::NOT_ACCEPTABLE => (
            status,
            "send `Accept: application/json, text/event-stream`; `ken install` sets clients up",
        ),
        StatusCode::NOT_FOUND => (status, "begin a new session with `initialize`"),
        _ => (status, "see the transport Streamable HTTP of the Model Context Protocol"),
    };
    let mut explained = Problem::new(status, text).hint(hint).into_response();
    for (name, value) in parts.headers {
        if let Some(name) = name.filter(|name| *name != header::CONTENT_LENGTH) {
            explained.headers_mut().insert(name, value);
        }
    }
    explained
}

/// The most bytes that are read of the library's error message, which is one sentence.
const LONGEST_REFUSAL: usize = 64 << 10;

/// `GET /healthz`: the process lives.
async fn health() -> Response {
    dispatch::json_response(&json!({ "status": "ok" }))
}

/// Answers 200 if the collections can be counted in time, else 503.
async fn readiness(State(server): ServerState) -> RouteResult {
    let known = tokio::time::timeout(READY_WITHIN, count_collections(&server)).await;
    let counted = known.unwrap_or_else(|_| {
        let seconds = READY_WITHIN.as_secs();
        let message = format!("where collections are kept did not answer within {seconds} s");
        Err(OpError::new(ErrorKind::ProviderUnavailable, message)
            .hint("look at that server, and at the network on the way there"))
    });
    // Any error means that this server should get no requests.
    let count = counted.map_err(|error| {
        let mut problem = Problem::from(error);
        problem.status = StatusCode::SERVICE_UNAVAILABLE;
        problem
    })?;
    Ok(dispatch::json_response(&json!({ "status": "ready", "collections": count })))
}

/// The time after which a probe is answered with 503.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// Counts the collections on a thread outside of the executor's slots. One probe runs at a time, so
/// that a backend that hangs takes only one thread.
async fn count_collections(server: &HttpServer) -> Result<usize, OpError> {
    let turn = server.probing.clone().lock_owned().await;
    let engine = server.engine.clone();
    let known = tokio::task::spawn_blocking(move || {
        let known = engine.known_collections();
        drop(turn);
        known
    });
    match known.await {
        Ok(known) => Ok(known?.len()),
        Err(error) => Err(OpError::internal(error.to_string())),
    }
}

/// The request counters.
async fn metrics(State(server): ServerState) -> Response {
    let gauges = [
        Gauge {
            name: "ken_http_requests_in_flight",
            help: "Requests that are here and not yet answered.",
            value: server.in_flight.count(),
        },
        Gauge {
            name: "ken_http_requests_arriving",
            help: "Requests whose body is on its way.",
            value: server.arriving.count(),
        },
        Gauge {
            name: "ken_http_listeners",
            help: "Open event streams.",
            value: server.listening.count(),
        },
        Gauge {
            name: "ken_jobs_running",
            help: "Indexing jobs under way.",
            value: server.jobs.running_count(),
        },
    ];
    let text = server.metrics.render_metrics(&gauges);
    dispatch::text_response(text, "text/plain; version=0.0.4; charset=utf-8")
}

/// `GET /openapi.json`, with an entity tag.
async fn document(State(server): ServerState, headers: HeaderMap) -> Response {
    let (text, etag) = &server.document;
    let is_known = is_tag_known(&headers, etag.to_str().unwrap_or_default());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        dispatch::text_response(text.clone(), "application/json")
    };
    response.headers_mut().insert(header::ETAG, etag.clone());
    response
}

/// Answers an unknown path: a page for browsers, problem details for programs.
async fn handle_not_found(request: Request) -> Response {
    let path = request.uri().path();
    if web::is_from_browser(&request) {
        return web::not_found_page(path);
    }
    Problem::new(StatusCode::NOT_FOUND, format!("there is nothing at {path}"))
        .hint("/openapi.json lists what there is")
        .into_response()
}

/// Answers a method that a path does not take.
async fn handle_wrong_method(request: Request) -> Problem {
    let (method, path) = (request.method(), request.uri().path());
    let message = format!("{path} does not take {method}");
    let hint = match path.strip_prefix("/api/") {
        Some(_) => "send POST with the arguments as a JSON object; /openapi.json lists them",
        None => "/openapi.json says which methods there are",
    };
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, message).hint(hint)
}
