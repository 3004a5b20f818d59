//! `search_code`: ranked code for a question or a name.
//!
//! The engine searches; this file checks arguments, builds the filter, corrects misspelt names,
//! cuts to a budget, and words the notices. The first six fields of a hit are swift-index's
//! contract.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::reply_parts::{INCOMPLETE_INDEX, join_notes};
use super::{path_lookup, weak_answer};
use crate::engine::{
    AssembledHit, CodeAnswer, CodeIndex, CodeQuery, Filter, Granularity, Rerank, Tests, parse_query,
};
use crate::ops::args::path_pattern;
use crate::ops::number_format::round_score;
use crate::ops::ordered_map::OrderedMap;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use crate::search::{MissingDefinition, ParsedQuery};
use kenning_model::ChunkKind;

/// Replies with a [`SearchCodeReply`]. No result is a success with a notice, not an error.
pub static OP: OpEntry = OpEntry {
    name: "search_code",
    family: Family::Code,
    origin: Origin::Contract,
    summary: "Semantic search in an indexed codebase: ask a question in plain words, or give a \
              name to find its definition. Returns the exact code with path, lines, kind and \
              score, best first. Use it before grep.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<SearchCodeReply>(),
    examples: &[
        "ken search 'where are requests retried'",
        "ken search parseUrl --limit 3 --file-filter 'src/**'",
    ],
    run,
};

/// The most results. A longer list is no answer.
const MAX_LIMIT: usize = 200;

/// No deep paging: past this many results, refine the query.
const MAX_OFFSET: usize = 1000;

/// The schema of the contract, with filters and `explain` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "Natural language search query" },
            "limit": {
                "type": "integer", "default": 10, "minimum": 1,
                "description": "How many results; at most 200"
            },
            "offset": {
                "type": "integer", "default": 0, "minimum": 0, "maximum": MAX_OFFSET,
                "description": "How many of the best results to skip"
            },
            "semantic_weight": {
                "type": "number",
                "default": 0.7,
                "minimum": 0,
                "maximum": 1,
                "description": "0 = words only, 1 = meaning only"
            },
            "file_filter": { "type": "string", "description": "Glob pattern to filter files" },
            "path": {
                "type": "string",
                "description": "Another indexed root: its path or collection name"
            },
            "language": { "type": "string", "description": "Only this language, such as rust" },
            "kind": {
                "type": "string", "description": "Only this kind, such as function or class"
            },
            "package": { "type": "string", "description": "Only the package of this exact name" },
            "include_tests": {
                "type": "boolean",
                "description": "Find test code too (default: as chosen when indexing)"
            },
            "budget": {
                "type": "integer",
                "minimum": 1,
                "description": "About how many tokens of code to return; at least one result"
            },
            "granularity": granularity_schema(),
            "rerank": {
                "type": "boolean",
                "default": false,
                "description": "Reorder the best 50: by the service at RERANKER_URL, else locally"
            },
            "explain": {
                "type": "boolean",
                "default": false,
                "description": "Say what each score is made of"
            }
        },
        "required": ["query"]
    })
}

/// The schema of `granularity`.
fn granularity_schema() -> Value {
    json!({
        "type": "string",
        "enum": ["chunk", "function"],
        "description": "Unit of a result; default for a bug report: function"
    })
}

#[derive(Deserialize)]
struct SearchCodeArgs {
    query: String,
    limit: Option<usize>,
    #[serde(default)]
    offset: usize,
    semantic_weight: Option<f32>,
    file_filter: Option<String>,
    path: Option<String>,
    language: Option<String>,
    kind: Option<String>,
    package: Option<String>,
    include_tests: Option<bool>,
    budget: Option<usize>,
    granularity: Option<GranularityArg>,
    #[serde(default)]
    rerank: bool,
    #[serde(default)]
    explain: bool,
}

/// The values of `granularity`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GranularityArg {
    Chunk,
    Function,
}

/// Returns the unit that the caller asked for, or the one that fits the query. A kind already says
/// what a result is.
fn choose_granularity(arguments: &SearchCodeArgs, query: &ParsedQuery) -> Granularity {
    match arguments.granularity {
        Some(GranularityArg::Function) => Granularity::Function,
        None if arguments.kind.is_none() => Granularity::for_query(query),
        None | Some(GranularityArg::Chunk) => Granularity::Chunk,
    }
}

/// The reply of `search_code`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchCodeReply {
    /// The hits, best first.
    pub results: Vec<CodeHit>,
    /// The commit of the index, if another one is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_commit: Option<String>,
    /// The commit that is checked out, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_commit: Option<String>,
    /// True if indexing did not finish.
    #[serde(default, skip_serializing_if = "is_false")]
    pub incomplete: bool,
    /// True if the results are probably no answer: the confidence is below the threshold of
    /// docs/ranking.md.
    #[serde(default, skip_serializing_if = "is_false")]
    pub weak: bool,
    /// The confidence that the results answer the query, from 0 to 1, of a weak answer or if
    /// `explain` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The parts of the confidence, if `explain` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<OrderedMap<f64>>,
    /// The caveats, the most important first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// One result. The first six fields are the contract's.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeHit {
    /// The path below the root.
    pub path: String,
    /// The first line of the chunk.
    pub start_line: u32,
    /// The last line of the chunk.
    pub end_line: u32,
    /// The line of the symbol's name, if it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The kind of its main symbol.
    pub kind: Cow<'static, str>,
    /// The final score. Scores are comparable within one reply only.
    pub score: f64,
    /// The text of the chunk.
    pub content: String,
    /// The members of a type that is too large to be shown whole, each with its line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<String>,
    /// The name of its main symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The enclosing definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The language, in lower case.
    pub language: String,
    /// The package of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// True for test code.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_test: bool,
    /// The file changed since it was indexed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stale: bool,
    /// The parts of the score, if `explain` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<OrderedMap<f64>>,
}

/// True for a flag that JSON leaves out.
fn is_false(value: &bool) -> bool {
    !*value
}

/// Searches, corrects a misspelt name, cuts to the budget, and chooses the most important notice.
///
/// The offset is applied after ranking: fusion and diversification need all earlier hits.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let mut arguments: SearchCodeArgs = args.parse()?;
    let cut = cut_long_query(&mut arguments.query);
    let parsed = parse_query(&arguments.query);
    check_arguments(&arguments, &parsed)?;
    let index = call.code(arguments.path.as_deref())?;
    let query = CodeQuery {
        text: &arguments.query,
        parsed: &parsed,
        limit: arguments.offset + arguments.limit.unwrap_or(10).min(MAX_LIMIT),
        semantic_weight: arguments.semantic_weight.unwrap_or(0.7),
        filter: search_filter(&index, &arguments)?,
        tests: arguments
            .include_tests
            .map(|include| if include { Tests::Included } else { Tests::Excluded }),
        rerank: if arguments.rerank { Rerank::On } else { Rerank::Off },
        granularity: choose_granularity(&arguments, &parsed),
        context: None,
    };
    let answer = call.engine.search_code(&index, &query, call.progress)?;
    let (answer, correction) = correct_name(call, &index, &query, answer)?;
    let evidence = &answer.evidence;
    let has_hits = !answer.hits.is_empty();
    let is_nothing = has_hits && evidence.is_nothing();
    let found = answer.hits.into_iter().skip(arguments.offset).filter(|_| !is_nothing);
    let hits = found.map(|found| code_hit(found, &arguments));
    let results = cut_to_budget(hits.collect(), arguments.budget);
    let is_explained = results.is_empty() && !is_nothing;
    let no_results = if is_explained { explain_no_results(&index, &arguments)? } else { None };
    let about_query =
        correction.or(no_results).or_else(|| weak_answer::weak_answer_notice(evidence)).or(cut);
    let (indexed_commit, current_commit) = answer.commit_drift.unzip();
    // Shows only the caveat about the index that explains most.
    let about_index = if let Some(behind) = index.stale_reason() {
        Some(behind.to_string())
    } else if answer.is_incomplete {
        Some(INCOMPLETE_INDEX.to_string())
    } else {
        let text = "the index is of another commit; run index_codebase to refresh it";
        indexed_commit.as_ref().map(|_| text.to_string())
    };
    let is_weak = has_hits && evidence.is_weak();
    let confidence = evidence.confidence().filter(|_| is_weak || arguments.explain);
    Ok(Reply::object(SearchCodeReply {
        results,
        indexed_commit: indexed_commit.map(short_commit),
        current_commit: current_commit.map(short_commit),
        incomplete: answer.is_incomplete,
        weak: is_weak,
        confidence: confidence.map(round_score),
        evidence: arguments.explain.then(|| weak_answer::explain_evidence(evidence)),
        notice: join_notes([answer.rerank_failure, about_index, about_query]),
    }))
}

/// The longest query that is read whole, in bytes. Ranking uses 64 words; a vector and the marks of
/// an excerpt take time that grows with the text.
const MAX_QUERY_BYTES: usize = 16 * 1024;

/// Cuts a query that is too long, and returns a notice about it.
fn cut_long_query(query: &mut String) -> Option<String> {
    if query.len() <= MAX_QUERY_BYTES {
        return None;
    }
    let end = (0..=MAX_QUERY_BYTES).rev().find(|at| query.is_char_boundary(*at))?;
    query.truncate(end);
    let limit = MAX_QUERY_BYTES / 1024;
    Some(format!("`query` is longer than {limit} KiB; only its beginning was searched for"))
}

/// Handles a name without a definition: says where it is after all, or suggests another. A name
/// that occurs nowhere is misspelt, so the reply is about the nearest name.
fn correct_name(
    call: &Call,
    index: &CodeIndex,
    query: &CodeQuery,
    answer: CodeAnswer,
) -> Result<(CodeAnswer, Option<String>), OpError> {
    let name = match &answer.missing_definition {
        None => return Ok((answer, None)),
        Some(MissingDefinition::InTests(name)) => {
            let notice = format!("{name:?} is defined in tests alone; include_tests shows it");
            return Ok((answer, Some(notice)));
        }
        Some(MissingDefinition::OutsideFilter(name)) => {
            let notice = format!("{name:?} is defined, but not where the filters look");
            return Ok((answer, Some(notice)));
        }
        Some(MissingDefinition::Nowhere(name)) => name,
    };
    let near = index.query_graph(|graph| Ok::<_, OpError>(graph.nearest_names(name)?));
    let near = near.unwrap_or_default();
    let Some(nearest) = near.first() else {
        return Ok((answer, None));
    };
    // If a hit contains the name, it exists after all, and the reply stays.
    let is_written = answer.hits.iter().any(|one| one.text.contains(name));
    let parsed = parse_query(nearest);
    let meant =
        CodeQuery { text: nearest, parsed: &parsed, filter: query.filter.clone(), ..*query };
    let found = if is_written {
        None
    } else {
        Some(call.engine.search_code(index, &meant, call.progress)?)
    };
    Ok(match found.filter(|found| found.missing_definition.is_none()) {
        Some(found) => {
            let notice = format!("nothing here is called {name:?}; this answers {nearest:?}");
            (found, Some(notice))
        }
        None => {
            let near: Vec<String> = near.iter().map(|near| format!("{near:?}")).collect();
            let near = near.join(" or ");
            let notice = format!("nothing here is called {name:?}; did you mean {near}?");
            (answer, Some(notice))
        }
    })
}

/// Refuses arguments that can only give an empty or meaningless reply.
fn check_arguments(arguments: &SearchCodeArgs, query: &ParsedQuery) -> Result<(), OpError> {
    if arguments.query.trim().is_empty() {
        return Err(OpError::bad_argument("`query` must not be empty"));
    }
    if query.words.is_empty() {
        let message = "`query` has no words and no names to look for";
        return Err(OpError::bad_argument(message).hint("ask in words, or give a name"));
    }
    if arguments.file_filter.as_deref().is_some_and(|glob| glob.trim().is_empty()) {
        let message = "`file_filter` must not be empty";
        return Err(OpError::bad_argument(message).hint("leave it out to search everywhere"));
    }
    Ok(())
}

/// Explains an empty reply: nothing is indexed, the offset is too large, or a filter excludes
/// everything.
fn explain_no_results(
    index: &CodeIndex,
    arguments: &SearchCodeArgs,
) -> Result<Option<String>, OpError> {
    if index.files()?.is_empty() {
        let notice = "nothing is indexed here, because no file could be read; go to a repository, \
                      or list the skipped files with `ken status --skipped`";
        return Ok(Some(notice.to_string()));
    }
    if arguments.offset > 0 {
        let notice = format!("there are no results after the first {}", arguments.offset);
        return Ok(Some(notice));
    }
    if let Some(language) = &arguments.language {
        let known = index.languages()?;
        if !known.contains(&language.to_lowercase()) {
            let known = known.join(", ");
            return Ok(Some(format!(
                "no indexed file is in {language:?}; the languages here are {known}"
            )));
        }
    }
    let set: Vec<&str> = [
        ("file_filter", arguments.file_filter.is_some()),
        ("language", arguments.language.is_some()),
        ("kind", arguments.kind.is_some()),
        ("package", arguments.package.is_some()),
    ]
    .iter()
    .filter_map(|(name, is_set)| is_set.then_some(*name))
    .collect();
    if set.is_empty() {
        return Ok(None);
    }
    let shows_tests = arguments.include_tests.map_or_else(|| index.shows_tests(), Ok)?;
    let tests = if shows_tests { "" } else { ", or include_tests" };
    let set = set.join(" and ");
    Ok(Some(format!(
        "nothing that is indexed passes {set}; leave out or widen{tests} to find more"
    )))
}

/// Cuts a commit to twelve hex digits.
fn short_commit(mut commit: String) -> String {
    if commit.is_char_boundary(12) {
        commit.truncate(12);
    }
    commit
}

/// Builds the filter. A path without wildcards selects everything below it.
fn search_filter(index: &CodeIndex, arguments: &SearchCodeArgs) -> Result<Filter, OpError> {
    let globs = arguments.file_filter.iter();
    let globs = globs.map(|text| path_pattern(path_lookup::strip_root(index, text)));
    let kind = arguments.kind.as_deref().map(parse_kind).transpose()?;
    Ok(Filter {
        globs: globs.collect(),
        languages: arguments.language.iter().map(|name| name.to_lowercase()).collect(),
        defining: kind.into_iter().collect(),
        packages: arguments.package.iter().cloned().collect(),
        ..Filter::default()
    })
}

/// Parses a kind; the error lists the known ones.
fn parse_kind(text: &str) -> Result<ChunkKind, OpError> {
    ChunkKind::parse(text).ok_or_else(|| {
        let known: Vec<&str> = ChunkKind::ALL.iter().map(|kind| kind.as_str()).collect();
        OpError::bad_argument(format!("`kind` must be one of {}", known.join(", ")))
    })
}

/// Converts a found chunk to its wire form.
fn code_hit(found: AssembledHit, arguments: &SearchCodeArgs) -> CodeHit {
    let chunk = found.hit.chunk;
    let reasons = found.hit.reasons.iter();
    let why = reasons.map(|(name, value)| (name.to_string(), round_score(*value)));
    CodeHit {
        path: chunk.path.to_string(),
        start_line: chunk.span.start_line,
        end_line: chunk.span.end_line,
        line: chunk.line.filter(|line| *line != chunk.span.start_line),
        kind: chunk.kind.as_str().into(),
        score: round_score(found.hit.score),
        content: found.text.trim_end().to_string(),
        outline: format_outline(&found.outline),
        symbol: chunk.symbol,
        scope: chunk.scope,
        language: chunk.language,
        package: chunk.package,
        is_test: chunk.is_test,
        stale: found.is_stale,
        why: arguments.explain.then(|| why.collect()),
    }
}

/// The most members in an outline.
const SHOWN_MEMBERS: usize = 40;

/// Formats the members of a large type as `14: fn login(…)`, the rest counted.
pub fn format_outline(members: &[(u32, String)]) -> Vec<String> {
    let shown = members.iter().take(SHOWN_MEMBERS);
    let shown = shown.map(|(line, signature)| format!("{line}: {signature}"));
    let more = members.len().checked_sub(SHOWN_MEMBERS);
    let more = more.filter(|more| *more > 0);
    shown.chain(more.map(|more| format!("… {more} more"))).collect()
}

/// Cuts hits to a budget of tokens. The first is returned whatever it costs, because an empty
/// answer costs another question.
fn cut_to_budget(mut hits: Vec<CodeHit>, budget: Option<usize>) -> Vec<CodeHit> {
    /// The bytes per token of code, in the tokenizers of today.
    const BYTES_PER_TOKEN: usize = 4;
    let Some(budget) = budget else {
        return hits;
    };
    let mut spent = 0;
    let fitting = hits.iter().take_while(|hit| {
        let outline: usize = hit.outline.iter().map(|line| line.len() + 4).sum();
        spent += (hit.content.len() + outline) / BYTES_PER_TOKEN;
        spent <= budget
    });
    let fitting = fitting.count().max(1);
    hits.truncate(fitting);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_query_is_cut_between_characters() {
        let mut query = "é ".repeat(MAX_QUERY_BYTES / 3);
        assert_eq!(cut_long_query(&mut query), None);
        query += "é é";
        assert!(cut_long_query(&mut query).is_some());
        assert!(query.len() <= MAX_QUERY_BYTES && query.len() + "é".len() > MAX_QUERY_BYTES);
    }
}
