//! The error codes and channels of each family on the wire: the table of the contracts, as code.

use serde_json::{Value, json};

use crate::ops::{ErrorKind, Family, OpError};

/// JSON-RPC: the parameters are wrong.
pub const INVALID_PARAMS: i32 = -32602;
/// JSON-RPC: an internal error.
pub const INTERNAL: i32 = -32603;
/// Server-defined: an unknown name or a missing index.
const NOT_FOUND: i32 = -32001;
/// Server-defined: any other failure of swift-index.
const SERVER: i32 = -32000;
/// MCP: an unknown resource.
const RESOURCE_NOT_FOUND: i32 = -32002;

/// An error with its channel and code.
#[derive(Clone, Debug, PartialEq)]
pub struct WireError {
    /// The part of the protocol that carries it.
    pub channel: ErrorChannel,
    /// The JSON-RPC code.
    pub code: i32,
    /// Message and hint in one text.
    pub message: String,
    /// Structured details; always an object.
    pub data: Value,
}

/// The part of the protocol in which a client finds the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorChannel {
    /// A JSON-RPC error.
    Protocol,
    /// A result with `isError`, which the model gets to read.
    Result,
}

/// Words `error` as the family's contract says.
pub fn word_error(family: Family, error: &OpError) -> WireError {
    let (place, code) = wire_convention(family, error.kind);
    WireError { channel: place, code, message: error.to_string(), data: error_data(error) }
}

/// Words an error of a method that is not a tool's: a resource, or a method of an extension.
pub fn word_method_error(method: &str, error: &OpError) -> WireError {
    let code = match error.kind {
        // The library gives newer clients the code that their revision wants.
        ErrorKind::NotFound if method == "resources/read" => RESOURCE_NOT_FOUND,
        ErrorKind::NotFound | ErrorKind::BadArgument | ErrorKind::Ambiguous => INVALID_PARAMS,
        _ => INTERNAL,
    };
    WireError {
        channel: ErrorChannel::Protocol,
        code,
        message: error.to_string(),
        data: error_data(error),
    }
}

/// An error as a result that the model gets to read, in the protocol's JSON.
pub fn to_result(worded: WireError) -> Value {
    let WireError { code, message, data, .. } = worded;
    let error = json!({ "code": code, "message": message, "data": data });
    json!({
        "content": [{ "type": "text", "text": message }],
        "isError": true,
        "structuredContent": { "error": error },
    })
}

/// Logs an error: an internal one as an error, any other for debugging only.
pub fn log_error(what: &str, error: &OpError) {
    match error.kind {
        ErrorKind::Internal => tracing::error!("{what}: {error}"),
        _ => tracing::debug!("{what}: {error}"),
    }
}

/// The table: which channel and code a family's contract wants for a kind of error.
fn wire_convention(family: Family, kind: ErrorKind) -> (ErrorChannel, i32) {
    use ErrorChannel::{Protocol, Result};
    use ErrorKind::{Ambiguous, BadArgument, NoIndex, NotFound};

    match (family, kind) {
        // spox reports every error as a result, so that the model reads it.
        (Family::Specs, BadArgument) => (Result, INVALID_PARAMS),
        (Family::Specs, NotFound | NoIndex | Ambiguous) => (Result, NOT_FOUND),
        (Family::Specs, _) => (Result, INTERNAL),
        (_, BadArgument | Ambiguous) => (Protocol, INVALID_PARAMS),
        (Family::Code, _) => (Protocol, SERVER),
        // shire reports only a missing index as a result.
        (Family::Packages, NoIndex) => (Result, NOT_FOUND),
        (Family::Packages, _) => (Protocol, INTERNAL),
        (Family::Collections | Family::Skills, NotFound | NoIndex) => (Protocol, NOT_FOUND),
        (Family::Collections | Family::Skills, _) => (Protocol, INTERNAL),
    }
}

/// The data of an error, with the hint as `suggestion`.
fn error_data(error: &OpError) -> Value {
    let mut data = match error.data.as_deref() {
        Some(Value::Object(map)) => Value::Object(map.clone()),
        Some(other) => json!({ "detail": other }),
        None => json!({}),
    };
    if let Some(hint) = &error.hint
        && data.get("suggestion").is_none()
    {
        data["suggestion"] = Value::from(hint.as_str());
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, kind: ErrorKind, place: ErrorChannel, code: i32) {
        let worded = word_error(family, &OpError::new(kind, "words").hint("do this"));
        assert_eq!((worded.channel, worded.code), (place, code), "{family:?} {kind:?}");
        assert_eq!(worded.message, "words; do this");
        assert_eq!(worded.data["suggestion"], "do this");
    }

    #[test]
    fn the_table_of_the_contracts() {
        use ErrorChannel::{Protocol, Result};
        use ErrorKind::{
            Ambiguous, BadArgument, Busy, Internal, NoIndex, NotFound, ProviderUnavailable,
        };

        for kind in [BadArgument, NotFound, NoIndex, Internal] {
            let worded = word_error(Family::Specs, &OpError::new(kind, ""));
            assert_eq!(worded.channel, Result, "{kind:?}");
        }
        check(Family::Code, BadArgument, Protocol, -32602);
        check(Family::Code, NotFound, Protocol, -32000);
        check(Family::Code, NoIndex, Protocol, -32000);
        check(Family::Code, ProviderUnavailable, Protocol, -32000);
        check(Family::Code, Busy, Protocol, -32000);
        check(Family::Collections, BadArgument, Protocol, -32602);
        check(Family::Collections, NotFound, Protocol, -32001);
        check(Family::Collections, NoIndex, Protocol, -32001);
        check(Family::Collections, Internal, Protocol, -32603);
        check(Family::Skills, BadArgument, Protocol, -32602);
        check(Family::Skills, NotFound, Protocol, -32001);
        check(Family::Skills, Ambiguous, Protocol, -32602);
        check(Family::Skills, Internal, Protocol, -32603);
        check(Family::Packages, BadArgument, Protocol, -32602);
        check(Family::Packages, NoIndex, Result, -32001);
        check(Family::Packages, Internal, Protocol, -32603);
    }
}
