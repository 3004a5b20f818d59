//! `search_specs`: requirements by meaning and words. It is the only operation of the family that
//! needs an index, and it says when that index is behind the files.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::engine::specs::{RequirementHit, Staleness};
use crate::ops::number_format::round_score;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use kenning_knowledge::specs::THRESHOLD;

/// Replies with a [`SearchSpecsReply`]. Without specs it is an error of the kind `NotFound`, and
/// without an index one of the kind `NoIndex`.
pub static OP: OpEntry = OpEntry {
    name: "search_specs",
    family: Family::Specs,
    origin: Origin::Contract,
    summary: "Find requirements of any spec by what they mean, best first. Ask in your own words; \
              what is not about the question is left out. Needs the index that `ken index` or \
              `spox index` builds.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<SearchSpecsReply>(),
    examples: &["ken specs search what happens when a session expires"],
    run,
};

/// The number of results by default.
const DEFAULT_TOP_K: usize = 10;
/// The most results.
const MAX_TOP_K: usize = 100;

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "What to look for, in your own words" },
            "top_k": {
                "type": "integer",
                "description": "How many results at the most",
                "default": DEFAULT_TOP_K,
                "minimum": 1
            }
        },
        "required": ["query"]
    })
}

#[derive(Deserialize)]
struct SearchSpecsArgs {
    query: String,
    top_k: Option<usize>,
}

/// The reply of `search_specs`.
#[derive(Debug, Serialize, Deserialize)]
pub struct SearchSpecsReply {
    /// The hits, best first.
    pub results: Vec<SpecHit>,
    /// The difference between index and files, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<StaleSpecs>,
    /// A hint if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One requirement.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpecHit {
    /// The spec.
    pub spec_id: String,
    /// The requirement.
    pub requirement: String,
    /// The score; a hit below the threshold is left out.
    pub score: f64,
    /// The passage that matches best.
    pub snippet: String,
    /// The scenario that the snippet is from, if it is from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The file below the root.
    pub path: String,
    /// The line of the requirement.
    pub line: u32,
}

/// The specs that differ from the index.
#[derive(Debug, Serialize, Deserialize)]
pub struct StaleSpecs {
    /// The time of the last run, in RFC 3339.
    pub indexed_at: String,
    /// Specs whose text differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Specs that are not indexed yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Indexed specs that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Specs that cannot be read now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// The command that updates the index.
    pub remedy: Cow<'static, str>,
}

/// Searches the index of specs and compares it with the files.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let SearchSpecsArgs { query, top_k } = args.parse()?;
    if query.trim().is_empty() {
        return Err(OpError::bad_argument("`query` must not be empty"));
    }
    let limit = top_k.unwrap_or(DEFAULT_TOP_K).min(MAX_TOP_K);
    let found = call.engine.fresh_specs(call.progress)?.search(&query, limit, call.progress)?;
    let is_empty = found.hits.is_empty();
    Ok(Reply::object(SearchSpecsReply {
        results: found.hits.into_iter().map(spec_hit).collect(),
        stale: stale_specs(found.staleness),
        note: is_empty.then(|| {
            format!("no requirement scores {THRESHOLD} or more; list_specs shows what there is")
        }),
    }))
}

/// Converts a hit.
fn spec_hit(hit: RequirementHit) -> SpecHit {
    SpecHit {
        spec_id: hit.spec_id,
        requirement: hit.requirement,
        score: round_score(hit.score),
        snippet: hit.snippet,
        scenario: hit.scenario,
        path: hit.path,
        line: hit.line,
    }
}

/// Converts the staleness; `None` if the index is fresh.
fn stale_specs(staleness: Staleness) -> Option<StaleSpecs> {
    staleness.is_stale().then_some(StaleSpecs {
        indexed_at: staleness.indexed_at,
        changed: staleness.changed,
        added: staleness.added,
        removed: staleness.removed,
        unreadable: staleness.unreadable,
        remedy: "run `ken index` or `spox index`".into(),
    })
}
