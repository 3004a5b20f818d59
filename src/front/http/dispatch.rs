//! From a request to an operation and back: the body is its arguments, the response is its reply.
//! All routes that call operations go through here.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::problem_details::Problem;
use super::routes::HttpServer;
use crate::front::executor::timeout_error;
use crate::ops::{self, Call, OpEffect, OpEntry, OpError, Reply, Silent};

/// `POST /api/{op}`: any operation.
pub async fn call_operation(
    server: &HttpServer,
    name: &str,
    request: Request,
) -> Result<Response, Problem> {
    let op = ops::find(name).ok_or_else(|| unknown_operation(name))?;
    let arguments = parse_arguments(request).await?;
    refuse_unknown(op, &arguments)?;
    Ok(reply_response(run_operation(server, op, arguments).await?))
}

/// `POST /peer/{op}`: another machine asks in place of its caller, because only this one can
/// answer. The outcome is always a success here and is packed, so that nothing of it is lost.
pub async fn answer_peer(
    server: &HttpServer,
    name: &str,
    request: Request,
) -> Result<Response, Problem> {
    let questions = |op: &&OpEntry| op.effect == OpEffect::Reads;
    let op = ops::find(name).filter(questions).ok_or_else(|| unknown_operation(name))?;
    let arguments = parse_arguments(request).await?;
    let work = server.executor.run_query(op.name, move |engine| {
        let call = Call::new(engine, &Silent);
        Ok(op.answer_peer(&call, &arguments))
    });
    Ok(json_response(&await_in_time(server, op.name, work).await?))
}

/// Refuses unknown arguments. MCP ignores them for the sake of agents; the author of an HTTP client
/// wants to know of a typing error.
fn refuse_unknown(op: &OpEntry, arguments: &Value) -> Result<(), Problem> {
    let unknown = op.unknown_argument(arguments);
    unknown.map_or(Ok(()), |error| Err(error.into()))
}

/// Calls an operation that a route names itself.
pub async fn call_known_operation(
    server: &HttpServer,
    name: &str,
    request: Request,
) -> Result<Response, Problem> {
    let mut arguments = parse_arguments(request).await?;
    // Over HTTP, code-indexer takes a list of collections; the operation takes them in one text.
    if let Value::Array(names) = &arguments["collectionName"] {
        let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
        if let Some(names) = names {
            arguments["collectionName"] = names.join(",").into();
        }
    }
    let op = ops::find(name).expect("the registry has it");
    refuse_unknown(op, &arguments)?;
    Ok(reply_response(run_operation(server, op, arguments).await?))
}

/// Parses the JSON object of a body; an empty body is an empty object.
pub async fn parse_arguments(request: Request) -> Result<Value, Problem> {
    check_content_type(request.headers())?;
    // All of it is here, and no longer than it may be.
    let bytes = to_bytes(request.into_body(), usize::MAX)
        .await
        .map_err(|error| bad_request(&format!("the body cannot be read: {error}")))?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    match serde_json::from_slice(&bytes) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err(bad_request("the body must be a JSON object")),
        Err(error) => Err(bad_request(&format!("the body is not JSON: {error}"))),
    }
}

/// A problem with status 400.
fn bad_request(detail: &str) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, detail)
}

/// Refuses a body that says that it is not JSON. A missing type is accepted.
fn check_content_type(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let given = given.to_str().unwrap_or_default();
    let media_type = given.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        let message = format!("the body must be application/json, not {given:?}");
        Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
    }
}

/// The problem for an unknown operation, with a similar name.
fn unknown_operation(name: &str) -> Problem {
    let message = format!("there is no operation {name:?}");
    Problem::new(StatusCode::NOT_FOUND, message).hint(ops::suggest_name(name))
}

/// Runs an operation on a thread of its own. It is cancelled when the caller disconnects. Reads
/// have a timeout; updates have none.
async fn run_operation(
    server: &HttpServer,
    op: &'static OpEntry,
    arguments: Value,
) -> Result<Reply, Problem> {
    // Axum drops this future when the caller disconnects; the guard then cancels the work.
    let cancelled = CancellationToken::new();
    let _when_the_caller_leaves = cancelled.clone().drop_guard();
    let work = server.executor.run_operation(op, arguments, cancelled, None);
    match op.effect {
        OpEffect::Updates => work.await.map_err(|error| log_problem(op.name, error)),
        OpEffect::Reads => await_in_time(server, op.name, work).await,
    }
}

/// Awaits the work for at most `http.timeout_ms`, then answers 503. Here the time runs while the
/// question waits for a slot, too.
pub async fn await_in_time<T>(
    server: &HttpServer,
    name: &str,
    work: impl Future<Output = Result<T, OpError>>,
) -> Result<T, Problem> {
    let timeout = server.options.timeout;
    let outcome = tokio::time::timeout(timeout, work).await;
    outcome
        .unwrap_or_else(|_| Err(timeout_error(name, timeout)))
        .map_err(|error| log_problem(name, error))
}

/// Converts an error to a problem. Logs internal errors, which are not the caller's mistake.
fn log_problem(name: &str, error: OpError) -> Problem {
    if error.kind == ops::ErrorKind::Internal {
        tracing::error!("{name}: {error}");
    }
    Problem::from(error)
}

/// Converts a reply to a response with its media type.
fn reply_response(reply: Reply) -> Response {
    match reply {
        Reply::Object(data) | Reply::List(data) => json_response(&data.to_json()),
        Reply::Document { text, format } => text_response(text, media_type(format)),
        Reply::Text(text) => text_response(text, "text/plain; charset=utf-8"),
        // A notice means that there is no answer, which a program must not take for success.
        Reply::Notice(text) => Problem::new(StatusCode::NOT_FOUND, text).into_response(),
        Reply::NotFound { text, hint } => {
            Problem::new(StatusCode::NOT_FOUND, text).hint(hint).into_response()
        }
    }
}

/// The media type of a document's format.
pub fn media_type(format: &str) -> &'static str {
    match format {
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "dot" => "text/vnd.graphviz; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

/// A response with JSON.
pub fn json_response(value: &Value) -> Response {
    text_response(value.to_string(), "application/json")
}

/// A response with a text of a given media type.
pub fn text_response(text: String, media_type: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    let media_type = HeaderValue::from_static(media_type);
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}
