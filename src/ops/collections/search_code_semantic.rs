//! `search_code_semantic`: code that answers a question, in a collection by name.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{collection_name, named, not_empty, number_of_results, top_k, wire};
use crate::engine::{CodeQuery, Filter, Rerank};
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "search_code_semantic",
    family: Family::Collections,
    origin: Origin::Contract,
    summary: "Semantic search in an indexed collection: ask in plain words, get the code with \
              score, path, lines, kind and symbol, best first. `prompt` says what you are after \
              and tips the scale between otherwise equal answers.",
    effect: Effect::Reads,
    schema,
    examples: &[
        "ken search-code-semantic 'where are requests retried' app",
        "ken search-code-semantic 'open a session' app --prompt 'I am fixing the database pool'",
    ],
    run,
};

/// How much of the search goes by meaning: what `search_code` does unless told.
const SEMANTIC_WEIGHT: f32 = 0.7;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "Natural language search query" },
            "collectionName": collection_name(),
            "prompt": {
                "type": "string",
                "description": "Context for query refinement: what the answer is wanted for"
            },
            "top_k": number_of_results()
        },
        "required": ["query", "collectionName"]
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    query: String,
    collection_name: String,
    prompt: Option<String>,
    #[serde(rename = "top_k")]
    top_k: Option<usize>,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: Arguments = args.parse()?;
    not_empty("query", &arguments.query)?;
    let limit = top_k(arguments.top_k);
    let prompt = arguments.prompt.as_deref();
    let mut hits = Vec::new();
    for index in named(call, &arguments.collection_name)? {
        let query = CodeQuery {
            text: &arguments.query,
            limit,
            semantic_weight: SEMANTIC_WEIGHT,
            filter: Filter::default(),
            tests: None,
            rerank: match call.engine.has_reranker() {
                true => Rerank::On,
                false => Rerank::Off,
            },
            context: prompt.filter(|prompt| !prompt.trim().is_empty()),
        };
        let answer = call.engine.search_code(&index, &query, call.progress)?;
        let found = answer.found.into_iter().map(wire::Piece::ranked);
        hits.extend(wire::hits(&index, found.collect())?);
    }
    Ok(wire::best(hits, limit))
}
