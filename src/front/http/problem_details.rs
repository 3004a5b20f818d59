//! Errors on the wire: problem details (RFC 9457), and the HTTP status of each kind of error.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::ops::{ErrorKind, OpError};

/// The media type of problem details.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// An error response.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The HTTP status.
    pub status: StatusCode,
    /// The message.
    detail: String,
    hint: Option<String>,
    /// Structured data for programs.
    data: Option<Box<Value>>,
}

impl Problem {
    /// Creates a problem without a hint.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem { status, detail: detail.into(), hint: None, data: None }
    }

    /// Sets the next step.
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Adds structured data for programs.
    pub fn with_data(mut self, more: Value) -> Problem {
        self.data = Some(Box::new(more));
        self
    }
}

impl From<OpError> for Problem {
    fn from(error: OpError) -> Problem {
        let status = match error.kind {
            ErrorKind::BadArgument | ErrorKind::Ambiguous => StatusCode::BAD_REQUEST,
            ErrorKind::NotFound | ErrorKind::NoIndex => StatusCode::NOT_FOUND,
            ErrorKind::ProviderUnavailable | ErrorKind::Conflict | ErrorKind::Cancelled => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ErrorKind::Busy => StatusCode::CONFLICT,
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let data = error.details.map(|details| Box::new(details.to_json()));
        Problem { status, detail: error.message, hint: error.hint, data }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let mut body = json!({
            "type": "about:blank",
            "title": title,
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if let Some(hint) = self.hint {
            body["hint"] = hint.into();
        }
        if let Some(more) = self.data {
            body["data"] = *more;
        }
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        // Both headers are required by the specifications of these statuses.
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_status() {
        for (kind, status) in [
            (ErrorKind::BadArgument, 400),
            (ErrorKind::Ambiguous, 400),
            (ErrorKind::NotFound, 404),
            (ErrorKind::NoIndex, 404),
            (ErrorKind::Busy, 409),
            (ErrorKind::Internal, 500),
            (ErrorKind::ProviderUnavailable, 503),
            (ErrorKind::Cancelled, 503),
        ] {
            let problem = Problem::from(OpError::new(kind, "words"));
            assert_eq!(problem.status.as_u16(), status, "{kind:?}");
        }
    }
}
