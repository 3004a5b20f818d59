//! The routes. The pages for people, `/` among them, come from `web`.

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

use super::auth::Gate;
use super::in_flight::InFlight;
use super::jobs::{self, Jobs};
use super::metrics::{Gauge, Metrics};
use super::middleware::{Identifiers, attend};
use super::options::Options;
use super::problem::Problem;
use super::{dispatch, openapi};
use crate::engine::Engine;
use crate::front::etag::is_known;
use crate::front::executor::Executor;
use crate::front::mcp::{HttpService, Offer};
use crate::front::shutdown::Stop;
use crate::front::web::{self, Site};
use crate::ops::{ErrorKind, OpError};

/// The state that all requests share.
pub struct Door {
    pub engine: Arc<Engine>,
    pub workshop: Executor,
    pub stop: Stop,
    pub options: Options,
    pub gate: Gate,
    pub in_flight: InFlight,
    /// Requests whose body is still arriving. They do not count against the concurrency limit.
    pub arriving: InFlight,
    /// Requests that wait for events.
    pub listening: InFlight,
    pub metrics: Metrics,
    pub jobs: Jobs,
    pub identifiers: Identifiers,
    probing: Arc<Mutex<()>>,
    mcp: HttpService,
    document: (String, HeaderValue),
}

impl Door {
    pub fn new(
        engine: Arc<Engine>,
        offer: Offer,
        mcp: HttpService,
        options: Options,
        (arriving, in_flight): (InFlight, InFlight),
    ) -> Door {
        Door {
            engine,
            workshop: offer.workshop,
            stop: offer.stop,
            gate: Gate::new(&options),
            options,
            in_flight,
            arriving,
            listening: InFlight::default(),
            metrics: Metrics::default(),
            jobs: Jobs::default(),
            identifiers: Identifiers::default(),
            probing: Arc::default(),
            mcp,
            document: openapi::served(),
        }
    }

    fn site(&self) -> Site {
        Site {
            workshop: self.workshop.clone(),
            timeout: self.options.timeout,
            session: self.gate.session.clone(),
        }
    }
}

type Shared = State<Arc<Door>>;
type Answer = Result<Response, Problem>;

pub fn routes(door: Arc<Door>) -> Router {
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
        .with_state(door.clone())
        .merge(web::routes(door.site()))
        .fallback(nowhere)
        .method_not_allowed_fallback(wrong_method)
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(door, attend))
}

async fn semantic(State(door): Shared, request: Request) -> Answer {
    dispatch::known(&door, "search_code_semantic", request).await
}

async fn fulltext(State(door): Shared, request: Request) -> Answer {
    dispatch::known(&door, "search_code_fulltext", request).await
}

async fn payload(State(door): Shared, request: Request) -> Answer {
    dispatch::known(&door, "search_code_by_payload", request).await
}

async fn operation(State(door): Shared, Path(name): Path<String>, request: Request) -> Answer {
    dispatch::operation(&door, &name, request).await
}

async fn peer(State(door): Shared, Path(name): Path<String>, request: Request) -> Answer {
    dispatch::peer(&door, &name, request).await
}

async fn index(State(door): Shared, request: Request) -> Answer {
    jobs::start(&door, request).await
}

async fn job(State(door): Shared, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    jobs::look(&door, &id, &headers)
}

async fn mcp(State(door): Shared, request: Request) -> Response {
    let is_end = request.method() == Method::DELETE;
    let mut response = explained(door.mcp.handle(request).await).await;
    // The library says 202 when a session has ended; clients take that for a refusal.
    if is_end && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Converts an error of the MCP transport without a content type to problem details. The protocol
/// leaves the body of an error open. A JSON body is JSON-RPC and stays as it is.
async fn explained(response: Response) -> Response {
    let status = response.status();
    let has_type = response.headers().contains_key(header::CONTENT_TYPE);
    if has_type || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let text = axum::body::to_bytes(body, LONGEST_REFUSAL).await;
    let text = text.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).trim().to_string();
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

async fn health() -> Response {
    dispatch::json_response(&json!({ "status": "ok" }))
}

/// Answers 200 if the collections can be counted in time, else 503.
async fn readiness(State(door): Shared) -> Answer {
    let known = tokio::time::timeout(READY_WITHIN, count_collections(&door)).await;
    let count = known.unwrap_or_else(|_| {
        let seconds = READY_WITHIN.as_secs();
        let message = format!("where collections are kept did not answer within {seconds} s");
        Err(OpError::new(ErrorKind::ProviderUnavailable, message)
            .hint("look at that server, and at the network on the way there"))
    });
    // Any error means that this server should get no requests.
    let count = count.map_err(|error| {
        let mut problem = Problem::from(error);
        problem.status = StatusCode::SERVICE_UNAVAILABLE;
        problem
    })?;
    Ok(dispatch::json_response(&json!({ "status": "ready", "collections": count })))
}

/// A probe does not wait longer.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// Not among the questions, which may have to wait for each other; one at a time, so that probes of a
/// server that hangs do not take one thread after the other.
async fn count_collections(door: &Door) -> Result<usize, OpError> {
    let turn = door.probing.clone().lock_owned().await;
    let engine = door.engine.clone();
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

async fn metrics(State(door): Shared) -> Response {
    let gauges = [
        Gauge {
            name: "ken_http_requests_in_flight",
            help: "Requests that are here and not yet answered.",
            value: door.in_flight.count(),
        },
        Gauge {
            name: "ken_http_requests_arriving",
            help: "Requests whose body is on its way.",
            value: door.arriving.count(),
        },
        Gauge {
            name: "ken_http_listeners",
            help: "Callers that wait for events.",
            value: door.listening.count(),
        },
        Gauge {
            name: "ken_jobs_running",
            help: "Indexing jobs under way.",
            value: door.jobs.running(),
        },
    ];
    let text = door.metrics.render(&gauges);
    dispatch::typed(text, "text/plain; version=0.0.4; charset=utf-8")
}

async fn document(State(door): Shared, headers: HeaderMap) -> Response {
    let (text, etag) = &door.document;
    let is_known = is_known(&headers, etag.to_str().unwrap_or_default());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        dispatch::typed(text.clone(), "application/json")
    };
    response.headers_mut().insert(header::ETAG, etag.clone());
    response
}

async fn nowhere(request: Request) -> Response {
    let path = request.uri().path();
    if web::is_looked_at(&request) {
        return web::nowhere(path);
    }
    Problem::new(StatusCode::NOT_FOUND, format!("there is nothing at {path}"))
        .hint("/openapi.json lists what there is")
        .into_response()
}

async fn wrong_method(request: Request) -> Problem {
    let (method, path) = (request.method(), request.uri().path());
    let message = format!("{path} does not take {method}");
    let hint = match path.strip_prefix("/api/") {
        Some(_) => "send POST with the arguments as a JSON object; /openapi.json lists them",
        None => "/openapi.json says which methods there are",
    };
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, message).hint(hint)
}
