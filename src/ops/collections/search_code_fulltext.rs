//! `search_code_fulltext`: code that has a text in it, in a collection by name.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{collection_name, named, not_empty, number_of_results, payload, top_k, wire};
use crate::engine::{TextMode, TextQuery};
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "search_code_fulltext",
    family: Family::Collections,
    origin: Origin::Contract,
    summary: "Find text in the code of an indexed collection, as grep does and faster: the exact \
              text first, then whatever its capitals, then all of its words and camelCase parts. \
              `mode` regex takes a regular expression; `payload` narrows by path, language, kind.",
    effect: Effect::Reads,
    schema,
    examples: &[
        "ken search-code-fulltext 'return Err(' app",
        "ken search-code-fulltext 'fn \\w+_tests?' app --mode regex --payload '{\"language\": \"rust\"}'",
    ],
    run,
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "textQuery": {
                "type": "string",
                "description": "Text to search for in code content"
            },
            "collectionName": collection_name(),
            "payload": {
                "type": "object",
                "description": payload::DESCRIPTION
            },
            "top_k": number_of_results(),
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
struct Arguments {
    text_query: String,
    collection_name: String,
    payload: Option<Map<String, Value>>,
    #[serde(rename = "top_k")]
    top_k: Option<usize>,
    #[serde(default)]
    mode: Mode,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Text,
    Exact,
    Regex,
}

impl Mode {
    fn meant(self) -> TextMode {
        match self {
            Mode::Text => TextMode::Nearest,
            Mode::Exact => TextMode::Exact,
            Mode::Regex => TextMode::Expression,
        }
    }
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: Arguments = args.parse()?;
    not_empty("textQuery", &arguments.text_query)?;
    let limit = top_k(arguments.top_k);
    let payload = arguments.payload.unwrap_or_default();
    let mut hits = Vec::new();
    for index in named(call, &arguments.collection_name)? {
        let Some(narrowed) = payload::parse(&payload, &index.collection.name)? else {
            continue;
        };
        let query = TextQuery {
            text: &arguments.text_query,
            mode: arguments.mode.meant(),
            filter: narrowed.filter,
            tests: narrowed.tests,
            limit,
        };
        let found = call.engine.search_text(&index, &query)?;
        let found = found.into_iter().map(wire::Piece::with_text);
        hits.extend(wire::hits(&index, found.collect())?);
    }
    Ok(wire::best(hits, limit))
}
