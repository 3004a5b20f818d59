//! A small shop to ask, and what its answers must have.

use serde_json::Value;

use crate::engine::testing::{Shop, shop};
use crate::ops::{Call, ErrorKind, OpEntry, OpError, Reply, Silent};

const RETRY: &str = "\
/// Sends a request again until the server answers.
pub fn send_with_retries(request: &Request) -> Response {
    transport.send(request)
}
";

const TOKENS: &str = "\
/// Cuts a query into tokens.
export function tokenize(query: string): string[] {
    return query.split(' ');
}
";

const TESTS: &str = "\
#[test]
fn requests_are_sent_again() {
    send_with_retries(&request());
}
";

pub fn small_shop() -> Shop {
    shop(&[("src/retry.rs", RETRY), ("src/search/tokens.ts", TOKENS), ("tests/retry.rs", TESTS)])
}

pub fn ask(shop: &Shop, op: &OpEntry, arguments: &Value) -> Result<Vec<Value>, OpError> {
    let call = Call::new(&shop.engine, &Silent);
    match op.call(&call, arguments)? {
        Reply::List(hits) => Ok(serde_json::from_value(hits.to_json()).unwrap()),
        other => panic!("{}: {other:?}", op.name),
    }
}

/// The pieces, as `path symbol`.
pub fn list_hits(shop: &Shop, op: &OpEntry, arguments: &Value) -> Vec<String> {
    let hits = ask(shop, op, arguments).unwrap();
    let shown = hits.iter().map(|hit| {
        let symbol = hit["symbol"].as_str().unwrap_or("-");
        format!("{} {symbol}", hit["filePath"].as_str().unwrap())
    });
    shown.collect()
}

pub fn check_refused(shop: &Shop, op: &OpEntry, arguments: &Value, kind: ErrorKind, words: &str) {
    let error = ask(shop, op, arguments).unwrap_err();
    assert_eq!(error.kind, kind, "{arguments}: {error}");
    assert!(error.to_string().contains(words), "{arguments}: {error}");
}

/// The names of what is said of a piece, in order.
pub fn fields(hit: &Value) -> Vec<&str> {
    hit.as_object().unwrap().keys().map(String::as_str).collect()
}
