//! `search_code_fulltext`: chunks that contain a text, in collections by name. Modes: nearest
//! match, exact text, regular expression. It shares its search with the web page and the command
//! line.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    collection_hit, collection_name_schema, effective_top_k, find_collections, payload_filter,
    require_text, top_k_schema,
};
use crate::engine::{TextMode, TextQuery};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`collection_hit::CollectionHit`], best first. An invalid regular expression is an
/// error of the kind `BadArgument`.
pub static OP: OpEntry = OpEntry {
    name: "search_code_fulltext",
    family: Family::Collections,
    origin: Origin::Contract,
    summary: "Find text in the code of an indexed collection, as grep does and faster: the exact \
              text first, then whatever its capitals, then all of its words and camelCase parts. \
              `mode` regex takes a regular expression; `payload` narrows by path, language, kind.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<collection_hit::CollectionHit>(),
    examples: &[
        "ken search-code-fulltext 'return Err(' app",
        "ken search-code-fulltext 'fn \\w+_tests?' app --mode regex --payload '{\"language\": \"rust\"}'",
    ],
    run,
};

/// The schema of the contract, with `mode` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "textQuery": {
                "type": "string",
                "description": "Text to search for in code content"
            },
            "collectionName": collection_name_schema(),
            "payload": {
                "type": "object",
                "description": payload_filter::DESCRIPTION
            },
            "top_k": top_k_schema(),
            "mode": {
                "type": "string",
                "enum": ["text", "exact", "regex"],
                "default": "text",
                "description": "text: exact matches first, then looser ones; exact: only those; \
                                regex: a regular expression within a line"
            }
        },
        "required": ["textQuery", "collectionName"]
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchCodeFulltextArgs {
    text_query: String,
    collection_name: String,
    payload: Option<Map<String, Value>>,
    #[serde(rename = "top_k")]
    top_k: Option<usize>,
    #[serde(default)]
    mode: FulltextMode,
}

/// The value of `mode`.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FulltextMode {
    /// Exact matches first, then looser ones.
    #[default]
    Text,
    /// Exact matches only.
    Exact,
    /// A regular expression within a line.
    Regex,
}

impl FulltextMode {
    /// The mode of the search behind it.
    fn to_text_mode(self) -> TextMode {
        match self {
            FulltextMode::Text => TextMode::Nearest,
            FulltextMode::Exact => TextMode::Exact,
            FulltextMode::Regex => TextMode::Expression,
        }
    }
}

/// Searches each collection and merges the hits by score.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: SearchCodeFulltextArgs = args.parse()?;
    match arguments.mode {
        // Blanks are text like any other, as they are to `rg -F`.
        FulltextMode::Exact | FulltextMode::Regex if !arguments.text_query.is_empty() => {}
        _ => require_text("textQuery", &arguments.text_query)?,
    }
    let limit = effective_top_k(arguments.top_k);
    let payload = arguments.payload.unwrap_or_default();
    let mut hits = Vec::new();
    for index in find_collections(call, &arguments.collection_name)? {
        let Some(narrowed) = payload_filter::parse_payload(&payload, &index.collection.name)?
        else {
            continue;
        };
        let query = TextQuery {
            text: &arguments.text_query,
            mode: arguments.mode.to_text_mode(),
            filter: narrowed.filter,
            tests: narrowed.tests,
            limit,
        };
        // Each collection is ranked by itself; `best_hits` merges the lists by score.
        let found = call.engine.search_text(&index, &query)?;
        let found = found.into_iter().map(collection_hit::FoundChunk::from_text_match);
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
            (json!({}), "`textQuery` is required"),
            (json!({"textQuery": "x"}), "`collectionName` is required"),
            (json!({"textQuery": "", "collectionName": "shop"}), "`textQuery` must not be empty"),
            (
                json!({"textQuery": "", "collectionName": "shop", "mode": "exact"}),
                "`textQuery` must not be empty",
            ),
            (json!({"textQuery": " ", "collectionName": "shop"}), "`textQuery` must not be empty"),
            (
                json!({"textQuery": "x", "collectionName": "shop", "mode": "fuzzy"}),
                "`mode` must be one of text, exact, regex",
            ),
            (
                json!({"textQuery": "x", "collectionName": "shop", "payload": "rust"}),
                "`payload` must be an object",
            ),
            (
                json!({"textQuery": "x", "collectionName": "shop", "payload": {"language": 1}}),
                "`payload.language` must be text",
            ),
            (
                json!({"textQuery": "(", "collectionName": "shop", "mode": "regex"}),
                "not a regular expression: unclosed group",
            ),
        ] {
            check_refused(&shop, &OP, &arguments, ErrorKind::BadArgument, words);
        }
        let nobody = json!({"textQuery": "x", "collectionName": "nobody"});
        let words = "Collection 'nobody' not found; there are shop";
        check_refused(&shop, &OP, &nobody, ErrorKind::NotFound, words);
    }

    #[test]
    fn the_search_is_asked() {
        let shop = small_shop();
        let retry = "src/retry.rs send_with_retries";
        let tokens = "src/search/tokens.ts tokenize";
        for (arguments, expected) in [
            (json!({"textQuery": "transport.send("}), vec![retry]),
            (json!({"textQuery": "TRANSPORT.send("}), vec![retry]),
            (json!({"textQuery": "TRANSPORT.send(", "mode": "exact"}), vec![]),
            (json!({"textQuery": "\t", "mode": "exact"}), vec![]),
            (json!({"textQuery": "    t", "mode": "exact"}), vec![retry]),
            (json!({"textQuery": "retries send"}), vec![retry]),
            (json!({"textQuery": r"split\('.'\)", "mode": "regex"}), vec![tokens]),
            (json!({"textQuery": r"split\('.'\)", "mode": "exact"}), vec![]),
            (json!({"textQuery": "query", "payload": {"language": "rust"}}), vec![]),
            (json!({"textQuery": "query", "payload": {"language": "typescript"}}), vec![tokens]),
            (json!({"textQuery": "query", "payload": {"colour": "blue"}}), vec![]),
            (
                json!({"textQuery": "send_with_retries", "payload": {"isTest": true}}),
                vec!["tests/retry.rs requests_are_sent_again"],
            ),
        ] {
            let mut arguments = arguments;
            arguments["collectionName"] = "shop".into();
            assert_eq!(list_hits(&shop, &OP, &arguments), expected, "{arguments}");
        }
        for mode in ["exact", "regex"] {
            let blanks = json!({"textQuery": "    ", "collectionName": "shop", "mode": mode});
            assert!(list_hits(&shop, &OP, &blanks).contains(&retry.to_string()));
        }
        let one = json!({"textQuery": "s", "collectionName": "shop", "top_k": 1});
        assert_eq!(list_hits(&shop, &OP, &one).len(), 1);
    }

    #[test]
    fn an_answer_says_how_and_where() {
        let shop = small_shop();
        for (text, how, lines) in [
            ("transport.send", "exact", json!([3])),
            ("Transport.Send", "ignoring case", json!([3])),
        ] {
            let arguments = json!({"textQuery": text, "collectionName": "shop"});
            let hits = ask(&shop, &OP, &arguments).unwrap();
            let hit = &hits[0];
            let said = fields(hit);
            assert_eq!(said.first(), Some(&"score"));
            assert!(said.ends_with(&["match", "matchLines", "text"]), "{said:?}");
            assert_eq!((&hit["match"], &hit["matchLines"]), (&json!(how), &lines));
        }
    }
}
