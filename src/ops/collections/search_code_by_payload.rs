//! `search_code_by_payload`: code by what is known of it, in a collection by name.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{collection_name, named, number_of_results, payload, top_k, wire};
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "search_code_by_payload",
    family: Family::Collections,
    origin: Origin::Contract,
    summary: "List the code of an indexed collection that fits metadata: path pattern, language, \
              kind, symbol, package, lines. By path and place, without a question.",
    effect: Effect::Reads,
    schema,
    examples: &[
        "ken search-code-by-payload app '{\"filePath\": \"/src/search/*\"}'",
        "ken search-code-by-payload app '{\"kind\": [\"class\", \"struct\"], \"package\": \"core\"}'",
    ],
    run,
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "collectionName": collection_name(),
            "payload": {
                "type": "object",
                "description": payload::DESCRIPTION
            },
            "top_k": number_of_results()
        },
        "required": ["collectionName", "payload"]
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    collection_name: String,
    payload: Map<String, Value>,
    #[serde(rename = "top_k")]
    top_k: Option<usize>,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: Arguments = args.parse()?;
    if arguments.payload.is_empty() {
        let message = "`payload` must have at least one field, such as filePath or language";
        return Err(OpError::bad_argument(message));
    }
    let limit = top_k(arguments.top_k);
    let mut hits = Vec::new();
    for index in named(call, &arguments.collection_name)? {
        let Some(narrowed) = payload::parse(&arguments.payload, &index.collection.name)? else {
            continue;
        };
        let filter = &narrowed.filter;
        let found = call
            .engine
            .list_code(&index, filter, narrowed.tests, limit)?;
        let found = found.into_iter().map(wire::Piece::listed);
        hits.extend(wire::hits(&index, found.collect())?);
    }
    hits.truncate(limit);
    Ok(Reply::List(hits))
}
