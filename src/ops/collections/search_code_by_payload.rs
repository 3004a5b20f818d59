//! `search_code_by_payload`: chunks that match metadata, by path and place, without ranking.
//!
//! Tests are filtered as chosen when indexing, unless the payload says otherwise. Several
//! collections are listed one after the other, in the given order.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    collection_hit, collection_name_schema, effective_top_k, find_collections, payload_filter,
    top_k_schema,
};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`collection_hit::CollectionHit`] without scores. An unknown collection is an error
/// that lists the known ones.
pub static OP: OpEntry = OpEntry {
    name: "search_code_by_payload",
    family: Family::Collections,
    origin: Origin::Contract,
    summary: "List the code of an indexed collection that fits metadata: path pattern, language, \
              kind, symbol, package, lines. By path and place, without a question.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<collection_hit::CollectionHit>(),
    examples: &[
        "ken search-code-by-payload app '{\"filePath\": \"/src/search/*\"}'",
        "ken search-code-by-payload app '{\"kind\": [\"class\", \"struct\"], \"package\": \"core\"}'",
    ],
    run,
};

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "collectionName": collection_name_schema(),
            "payload": {
                "type": "object",
                "description": payload_filter::DESCRIPTION
            },
            "top_k": top_k_schema()
        },
        "required": ["collectionName", "payload"]
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchCodeByPayloadArgs {
    collection_name: String,
    payload: Map<String, Value>,
    #[serde(rename = "top_k")]
    top_k: Option<usize>,
}

/// Lists the matching chunks of each collection in turn. An empty payload is refused: it would list
/// everything.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: SearchCodeByPayloadArgs = args.parse()?;
    if arguments.payload.is_empty() {
        let message = "`payload` must have at least one field, such as filePath or language";
        return Err(OpError::bad_argument(message));
    }
    let limit = effective_top_k(arguments.top_k);
    let mut hits = Vec::new();
    for index in find_collections(call, &arguments.collection_name)? {
        // A payload that cannot match this collection skips it, and is no error.
        let Some(narrowed) =
            payload_filter::parse_payload(&arguments.payload, &index.collection.name)?
        else {
            continue;
        };
        let filter = &narrowed.filter;
        let found = call.engine.list_code(&index, filter, narrowed.tests, limit)?;
        let found = found.into_iter().map(collection_hit::FoundChunk::from_listed);
        hits.extend(collection_hit::collection_hits(&index, found.collect())?);
    }
    hits.truncate(limit);
    Ok(Reply::list(hits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::ErrorKind;
    use crate::ops::collections::testing::{ask, check_refused, fields, list_hits, small_shop};

    #[test]
    fn arguments_are_checked() {
        let shop = small_shop();
        for (arguments, words) in [
            (json!({}), "`collectionName` is required"),
            (json!({"collectionName": "shop"}), "`payload` is required"),
            (
                json!({"collectionName": "shop", "payload": {}}),
                "`payload` must have at least one field",
            ),
            (json!({"collectionName": "shop", "payload": ["rust"]}), "`payload` must be an object"),
            (
                json!({"collectionName": "shop", "payload": {"startLine": "first"}}),
                "`payload.startLine` must be a number",
            ),
            (
                json!({"collectionName": "shop", "payload": {"kind": "x"}, "top_k": "all"}),
                "`top_k` must be a whole number",
            ),
        ] {
            check_refused(&shop, &OP, &arguments, ErrorKind::BadArgument, words);
        }
        let nobody = json!({"payload": {"kind": "x"}, "collectionName": "nobody"});
        let words = "Collection 'nobody' not found; there are shop";
        check_refused(&shop, &OP, &nobody, ErrorKind::NotFound, words);
    }

    #[test]
    fn the_filter_is_asked() {
        let shop = small_shop();
        let retry = "src/retry.rs send_with_retries";
        let tokens = "src/search/tokens.ts tokenize";
        for (payload, expected) in [
            (json!({"filePath": "/src/search/*"}), vec![tokens]),
            (json!({"file_path": "src/**"}), vec![retry, tokens]),
            (json!({"language": ["rust", "typescript"]}), vec![retry, tokens]),
            (json!({"symbol": "tokenize"}), vec![tokens]),
            (json!({"text": "transport"}), vec![retry]),
            (json!({"repo": "another"}), vec![]),
            (json!({"isTest": true}), vec!["tests/retry.rs requests_are_sent_again"]),
            (json!({"startLine": {"gt": 1}}), vec![]),
        ] {
            let arguments = json!({"collectionName": "shop", "payload": payload});
            assert_eq!(list_hits(&shop, &OP, &arguments), expected, "{payload}");
        }
        let one = json!({"collectionName": "shop", "payload": {"path": "src"}, "top_k": 1});
        assert_eq!(list_hits(&shop, &OP, &one), [retry]);
    }

    #[test]
    fn an_answer_has_no_score() {
        let shop = small_shop();
        let arguments = json!({"collectionName": "shop", "payload": {"isTest": true}});
        let hits = ask(&shop, &OP, &arguments).unwrap();
        let said = fields(&hits[0]);
        assert_eq!(said[..3], ["id", "collectionName", "repo"]);
        assert_eq!(hits[0]["isTest"], true);
        assert!(!said.contains(&"match") && !said.contains(&"stale"), "{said:?}");
    }
}
