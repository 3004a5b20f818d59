//! `search_code_semantic`: ranked code for a question, in collections by name. It is `search_code`
//! with another wire form; `prompt` shifts the query vector between otherwise equal answers.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    collection_hit, collection_name_schema, effective_top_k, find_collections, require_text,
    top_k_schema,
};
use crate::engine::{CodeQuery, Filter, Granularity, Rerank, parse_query};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`collection_hit::CollectionHit`], best first. An unknown collection is an error
/// that lists the known ones.
pub static OP: OpEntry = OpEntry {
    name: "search_code_semantic",
    family: Family::Collections,
    origin: Origin::Contract,
    summary: "Semantic search in an indexed collection: ask in plain words, get the code with \
              score, path, lines, kind and symbol, best first. `prompt` says what you are after \
              and tips the scale between otherwise equal answers.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<collection_hit::CollectionHit>(),
    examples: &[
        "ken search-code-semantic 'where are requests retried' app",
        "ken search-code-semantic 'open a session' app --prompt 'I am fixing the database pool'",
    ],
    run,
};

/// The weight of vectors against words: the default of `search_code`.
const SEMANTIC_WEIGHT: f32 = 0.7;

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "Natural language search query" },
            "collectionName": collection_name_schema(),
            "prompt": {
                "type": "string",
                "description": "Context for query refinement: what the answer is wanted for"
            },
            "top_k": top_k_schema()
        },
        "required": ["query", "collectionName"]
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchCodeSemanticArgs {
    query: String,
    collection_name: String,
    prompt: Option<String>,
    #[serde(rename = "top_k")]
    top_k: Option<usize>,
}

/// Searches each collection and merges the hits by score. Scores of collections with different
/// models are comparable only roughly.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: SearchCodeSemanticArgs = args.parse()?;
    require_text("query", &arguments.query)?;
    let limit = effective_top_k(arguments.top_k);
    let prompt = arguments.prompt.as_deref();
    let parsed = parse_query(&arguments.query);
    let mut hits = Vec::new();
    for index in find_collections(call, &arguments.collection_name)? {
        let query = CodeQuery {
            text: &arguments.query,
            parsed: &parsed,
            limit,
            semantic_weight: SEMANTIC_WEIGHT,
            filter: Filter::default(),
            tests: None,
            // The original reranks whenever it can, so no argument asks for it.
            rerank: if call.engine.has_reranker() { Rerank::On } else { Rerank::Off },
            granularity: Granularity::Chunk,
            context: prompt.filter(|prompt| !prompt.trim().is_empty()),
        };
        let answer = call.engine.search_code(&index, &query, call.progress)?;
        let found = answer.hits.into_iter().map(collection_hit::FoundChunk::from_ranked);
        hits.extend(collection_hit::collection_hits(&index, found.collect())?);
    }
    Ok(collection_hit::best_hits(hits, limit))
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
            (json!({}), "`query` is required"),
            (json!({"query": "x"}), "`collectionName` is required"),
            (json!({"collectionName": "shop"}), "`query` is required"),
            (json!({"query": 3, "collectionName": "shop"}), "`query` must be a string"),
            (json!({"query": " ", "collectionName": "shop"}), "`query` must not be empty"),
            (json!({"query": "x", "collectionName": ","}), "`collectionName` must not be empty"),
            (
                json!({"query": "x", "collectionName": "shop", "top_k": 0}),
                "`top_k` must be at least 1",
            ),
            (
                json!({"query": "x", "collectionName": "shop", "prompt": []}),
                "`prompt` must be a string",
            ),
        ] {
            check_refused(&shop, &OP, &arguments, ErrorKind::BadArgument, words);
        }
        let nobody = json!({"query": "x", "collectionName": "nobody"});
        let words = "Collection 'nobody' not found; there are shop";
        check_refused(&shop, &OP, &nobody, ErrorKind::NotFound, words);
    }

    #[test]
    fn the_search_is_asked() {
        let shop = small_shop();
        let retry = json!({"query": "send a request again", "collectionName": "shop"});
        let tokens = json!({"query": "cut a question into words", "collectionName": "shop"});
        // Tests are left out as the index says. The worst of both lists has a score of 0.
        assert_eq!(list_hits(&shop, &OP, &retry), ["src/retry.rs send_with_retries"]);
        assert_eq!(list_hits(&shop, &OP, &tokens)[0], "src/search/tokens.ts tokenize");
        let one = json!({"query": "send a request again", "collectionName": "shop", "topK": 1});
        assert_eq!(list_hits(&shop, &OP, &one).len(), 1);
        // Named twice, it is asked once.
        let twice = json!({"query": "send a request again", "collectionName": "shop,shop"});
        assert_eq!(list_hits(&shop, &OP, &twice), list_hits(&shop, &OP, &retry));
        // The stated purpose of a query moves the scores.
        let score = |arguments: &Value| ask(&shop, &OP, arguments).unwrap()[0]["score"].clone();
        let mut with_prompt = retry.clone();
        with_prompt["prompt"] = json!("I am mending the transport of responses");
        assert_ne!(score(&with_prompt), score(&retry));
        let mut with_none = retry.clone();
        with_none["prompt"] = json!(" ");
        assert_eq!(score(&with_none), score(&retry));
    }

    #[test]
    fn an_answer_has_its_fields() {
        let shop = small_shop();
        let arguments = json!({"query": "send a request again", "collectionName": "shop"});
        let hits = ask(&shop, &OP, &arguments).unwrap();
        let hit = &hits[0];
        assert_eq!(
            fields(hit),
            [
                "score",
                "id",
                "collectionName",
                "repo",
                "filePath",
                "file_path",
                "startLine",
                "start_line",
                "endLine",
                "end_line",
                "language",
                "kind",
                "symbol_kind",
                "symbol",
                "symbol_name",
                "is_exported",
                "text"
            ]
        );
        assert_eq!(hit["id"], "shop/src/retry.rs#L1-4");
        assert_eq!((&hit["startLine"], &hit["endLine"]), (&json!(1), &json!(4)));
        assert_eq!(hit["kind"], "function");
        assert_eq!(hit["is_exported"], true);
        let text = hit["text"].as_str().unwrap();
        assert!(text.starts_with("/// Sends a request") && text.ends_with('}'), "{text}");
        let scores = hits.iter().map(|hit| hit["score"].as_f64().unwrap());
        assert!(scores.is_sorted_by(|before, after| before >= after));
    }
}
