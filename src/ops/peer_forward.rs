//! Forwards an operation to the peer that can answer it, and parses the peer's reply into the
//! operation's own type. A reply or an error crosses the wire without loss.
//!
//! On the wire, an outcome is a JSON object with one key that names its variant: `object`, `list`,
//! `document`, `text`, `notice`, `notFound` or `error`. Both machines must run versions that agree
//! on the reply types.

use serde_json::{Value, json};

use super::{Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Reply, ReplyType};
use crate::engine::Peer;

/// Every format of a document. A reply holds the format as a `&'static str`, so a text from the
/// wire is matched against this list.
const DOCUMENT_FORMATS: &[&str] = &["svg", "dot", "mermaid", "json", "markdown"];

/// The names of error kinds on the wire. They are frozen: an older peer knows only these.
const ERROR_KINDS: &[(&str, ErrorKind)] = &[
    ("bad-argument", ErrorKind::BadArgument),
    ("not-found", ErrorKind::NotFound),
    ("ambiguous", ErrorKind::Ambiguous),
    ("no-index", ErrorKind::NoIndex),
    ("unavailable", ErrorKind::ProviderUnavailable),
    ("changed", ErrorKind::Conflict),
    ("busy", ErrorKind::Busy),
    ("cancelled", ErrorKind::Cancelled),
    ("internal", ErrorKind::Internal),
];

/// Runs an operation on the machine that has its data: here, or a peer.
///
/// Only the machine with the checkout knows its packages and specs, so these are always forwarded
/// if there is a peer. Code is forwarded if the backend here does not hold it. Updates are never
/// forwarded: they write to this machine.
pub fn run_here_or_forward(
    op: &OpEntry,
    call: &Call,
    raw: &Value,
    here: impl FnOnce() -> Result<Reply, OpError>,
) -> Result<Reply, OpError> {
    if op.effect == OpEffect::Updates {
        return here();
    }
    match op.family {
        Family::Specs | Family::Packages => match call.engine.find_peer(None)? {
            Some(peer) => forward_to_peer(&peer, op, raw),
            None => here(),
        },
        Family::Code => match here() {
            Err(error) if error.kind == ErrorKind::NoIndex => {
                // The local error stays if no peer can help: it names what is missing here.
                let address = raw["path"].as_str();
                match call.engine.find_peer(address) {
                    Ok(Some(peer)) => forward_to_peer(&peer, op, raw),
                    _ => Err(error),
                }
            }
            outcome => outcome,
        },
        Family::Collections | Family::Skills => here(),
    }
}

/// Sends a call to a peer and unpacks its outcome. A reply of an unknown shape is an error that
/// blames the versions.
fn forward_to_peer(peer: &Peer, op: &OpEntry, raw: &Value) -> Result<Reply, OpError> {
    // The peer checks the arguments again with its own schema.
    let packed = peer.ask(op.name, raw);
    let packed = packed.map_err(crate::engine::EngineError::Store)?;
    unpack_outcome(packed, &op.reply).unwrap_or_else(|| {
        let message = "the machine that indexed this collection answers in a way unknown here";
        Err(OpError::internal(message).hint("run the same version of Kenning on both"))
    })
}

/// Runs an operation on this machine and packs the outcome for another. It skips forwarding, so
/// that two peers cannot forward to each other for ever.
pub fn run_for_peer(op: &OpEntry, call: &Call, raw: &Value) -> Value {
    let args = Args::check(&op.schema, raw);
    pack_outcome(args.and_then(|args| (op.run)(call, &args)))
}

/// Encodes an outcome as JSON, with the variant as the key.
fn pack_outcome(outcome: Result<Reply, OpError>) -> Value {
    match outcome {
        Ok(Reply::Object(data)) => json!({ "object": data.to_json() }),
        Ok(Reply::List(data)) => json!({ "list": data.to_json() }),
        Ok(Reply::Document { text, format }) => json!({ "document": text, "format": format }),
        Ok(Reply::Text(text)) => json!({ "text": text }),
        Ok(Reply::Notice(text)) => json!({ "notice": text }),
        Ok(Reply::NotFound { text, hint }) => json!({ "notFound": text, "hint": hint }),
        Err(error) => {
            let kind = ERROR_KINDS.iter().find(|(_, kind)| *kind == error.kind);
            json!({
                "error": kind.map(|(name, _)| name),
                "message": error.message,
                "hint": error.hint,
                "data": error.details,
            })
        }
    }
}

/// Decodes an outcome; `None` if its shape, format or error kind is unknown here.
fn unpack_outcome(mut packed: Value, expected: &ReplyType) -> Option<Result<Reply, OpError>> {
    if let Some(object) = packed.get_mut("object") {
        return Some(Ok(expected.parse_object(object.take())?));
    }
    if let Some(list) = packed.get_mut("list").filter(|list| list.is_array()) {
        return Some(Ok(expected.parse_list(list.take())?));
    }
    let text = |key: &str| packed[key].as_str().map(str::to_string);
    if let Some(text) = text("document") {
        let format = packed["format"].as_str()?;
        let format = DOCUMENT_FORMATS.iter().find(|known| **known == format)?;
        return Some(Ok(Reply::Document { text, format }));
    }
    if let Some(text) = text("text") {
        return Some(Ok(Reply::Text(text)));
    }
    if let Some(text) = text("notice") {
        return Some(Ok(Reply::Notice(text)));
    }
    if let (Some(text), Some(hint)) = (text("notFound"), text("hint")) {
        return Some(Ok(Reply::NotFound { text, hint }));
    }
    let name = packed["error"].as_str()?;
    let (_, kind) = ERROR_KINDS.iter().find(|(known, _)| *known == name)?;
    let mut error = OpError::new(*kind, text("message")?);
    error.hint = text("hint");
    error.details = serde_json::from_value(packed["data"].take()).unwrap_or_default();
    Some(Err(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::ErrorDetails;

    /// Checks that an outcome is the same after it crossed the wire.
    fn check(outcome: Result<Reply, OpError>) {
        let wire = pack_outcome(outcome).to_string();
        let back = unpack_outcome(serde_json::from_str(&wire).unwrap(), &ReplyType::of::<Value>());
        assert_eq!(pack_outcome(back.unwrap()).to_string(), wire);
    }

    #[test]
    fn outcomes_cross_the_wire_unchanged() {
        let text = || "some text".to_string();
        check(Ok(Reply::object(json!({ "list": [1], "text": null }))));
        check(Ok(Reply::list([json!(1), json!({ "error": "x" })])));
        for format in ["svg", "dot", "mermaid", "json", "markdown"] {
            check(Ok(Reply::Document { text: text(), format }));
        }
        check(Ok(Reply::Text(text())));
        check(Ok(Reply::Notice(text())));
        check(Ok(Reply::NotFound { text: text(), hint: text() }));
        check(Err(OpError::bad_argument("no")
            .hint("do")
            .details(ErrorDetails::of_suggestions(["a"]))));
        check(Err(OpError::internal("oh")));
        let any = ReplyType::of::<Value>();
        assert!(unpack_outcome(json!({ "error": "new" }), &any).is_none());
        assert!(unpack_outcome(json!([]), &any).is_none());
        assert!(unpack_outcome(json!({ "object": 1 }), &ReplyType::of::<String>()).is_none());
    }

    #[test]
    fn every_kind_of_error_has_a_name() {
        for (name, kind) in ERROR_KINDS {
            let wire = pack_outcome(Err(OpError::new(*kind, "so")));
            let back = unpack_outcome(wire, &ReplyType::TEXT).unwrap();
            assert_eq!(back.unwrap_err().kind, *kind, "{name}");
        }
    }
}
