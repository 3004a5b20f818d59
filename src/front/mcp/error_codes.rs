//! The error codes and channels of each family on the wire: the table of the contracts, as code.

use serde_json::{Value, json};

use crate::ops::{ErrorDetails, ErrorKind, Family, OpEntry, OpError, Origin};

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
    /// The details, with the hint as `suggestion`.
    pub data: ErrorDetails,
}

/// The part of the protocol in which a client finds the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorChannel {
    /// A JSON-RPC error.
    Protocol,
    /// A result with `isError`, which the model gets to read.
    Result,
}

/// Words `error` as the family's contract says. Errors of our own operations are always results, so
/// that the model reads the message and its next step.
pub fn word_error(op: &OpEntry, error: &OpError) -> WireError {
    let (contract_channel, code) = wire_convention(op.family, error.kind);
    let channel = match op.origin {
        Origin::Contract => contract_channel,
        Origin::Kenning => ErrorChannel::Result,
    };
    WireError { channel, code, message: error.to_string(), data: error_data(error) }
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
        "resultType": "complete",
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

/// The details of an error, with the hint as `suggestion`.
fn error_data(error: &OpError) -> ErrorDetails {
    let mut data = error.details.as_deref().cloned().unwrap_or_default();
    data.suggestion = data.suggestion.or_else(|| error.hint.clone());
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool of the family's contract.
    fn tool(family: Family) -> &'static OpEntry {
        let mut tools = crate::ops::ALL.iter();
        tools.find(|op| op.family == family && op.origin == Origin::Contract).unwrap()
    }

    #[test]
    fn errors_of_our_own_operations_are_results() {
        for op in crate::ops::ALL.iter().filter(|op| op.origin == Origin::Kenning) {
            for kind in [ErrorKind::BadArgument, ErrorKind::NotFound, ErrorKind::Internal] {
                let worded = word_error(op, &OpError::new(kind, "words"));
                assert_eq!(worded.channel, ErrorChannel::Result, "{} {kind:?}", op.name);
            }
        }
    }

    fn check(family: Family, kind: ErrorKind, place: ErrorChannel, code: i32) {
        let worded = word_error(tool(family), &OpError::new(kind, "words").hint("do this"));
        assert_eq!((worded.channel, worded.code), (place, code), "{family:?} {kind:?}");
        assert_eq!(worded.message, "words; do this");
        assert_eq!(worded.data.suggestion.as_deref(), Some("do this"));
    }

    #[test]
    fn the_table_of_the_contracts() {
        use ErrorChannel::{Protocol, Result};
        use ErrorKind::{
            Ambiguous, BadArgument, Busy, Internal, NoIndex, NotFound, ProviderUnavailable,
        };

        for kind in [BadArgument, NotFound, NoIndex, Internal] {
            let worded = word_error(tool(Family::Specs), &OpError::new(kind, ""));
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
