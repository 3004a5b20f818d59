//! Receives a request's whole body before the request counts against the concurrency limit, so that
//! a slow sender takes no slot. `dispatch` parses the body.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};

use super::problem_details::Problem;
use super::routes::HttpServer;

/// The time that a body in transit gets to arrive once the server stops.
const LAST_PIECES: Duration = Duration::from_secs(2);

/// Returns the request with its whole body in memory.
pub async fn receive_body(server: &HttpServer, request: Request) -> Result<Request, Problem> {
    check_encoding(request.headers())?;
    let most = server.options.max_body;
    let announced = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > most) {
        return Err(too_long_problem(most));
    }
    let (parts, body) = request.into_parts();
    let bytes = await_body(server, to_bytes(body, most)).await?.map_err(|error| {
        if is_limit_error(&error) {
            too_long_problem(most)
        } else {
            Problem::new(StatusCode::BAD_REQUEST, format!("the body broke off: {error}"))
        }
    })?;
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// The outcome of reading a body.
type BodyResult = Result<Bytes, axum::Error>;

/// Waits for a body, for at most the arrival timeout, or a short time after the server stops.
async fn await_body(
    server: &HttpServer,
    reading: impl Future<Output = BodyResult>,
) -> Result<BodyResult, Problem> {
    let timeout = server.options.arrival_timeout();
    let stopped = async {
        server.stop.wait_until_stopped().await;
        tokio::time::sleep(LAST_PIECES).await;
    };
    tokio::select! {
        read = reading => Ok(read),
        () = tokio::time::sleep(timeout) => {
            let seconds = timeout.as_secs_f32();
            let message = format!("the body did not come within {seconds} s");
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, message)
                .hint("send as many bytes as Content-Length says, or raise http.timeout_ms"))
        }
        () = stopped => Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is shutting down, and the body did not come",
        )),
    }
}

/// The problem of a body beyond `http.max_body`.
fn too_long_problem(most: usize) -> Problem {
    let message = format!("a request may have {most} bytes at the most");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// True if the library stopped at the limit. It reports that only as a cause of its error.
fn is_limit_error(error: &axum::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<http_body_util::LengthLimitError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Refuses a compressed body, which would otherwise be reported as invalid JSON.
fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    let packed = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .find(|given| !given.as_bytes().eq_ignore_ascii_case(b"identity"));
    packed.map_or(Ok(()), |given| {
        let message = format!("the body must come as it is, not packed ({given:?})");
        Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
            .hint("send it without Content-Encoding"))
    })
}
