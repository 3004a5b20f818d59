//! A piece of code as code-indexer's users know it: what they store of each, in the spelling that
//! their program writes and in the one that its manual has.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::engine::{CodeIndex, FoundCode, FoundText, How};
use crate::ops::code::search_code::format_outline;
use crate::ops::format::round_score;
use crate::ops::{OpError, Reply};

/// A piece, and what is said of it.
pub struct FoundChunk {
    code: FoundCode,
    score: Option<f64>,
    /// How a text was found in it, and in which lines.
    found: Option<(How, Vec<u32>)>,
}

impl FoundChunk {
    pub fn from_ranked(code: FoundCode) -> FoundChunk {
        let score = Some(round_score(code.found.score));
        FoundChunk { code, score, found: None }
    }

    pub fn from_text_match(found: FoundText) -> FoundChunk {
        let found_how = Some((found.how, found.lines));
        FoundChunk { found: found_how, ..FoundChunk::from_ranked(found.code) }
    }

    /// Nothing ranks it.
    pub fn from_listed(code: FoundCode) -> FoundChunk {
        FoundChunk { code, score: None, found: None }
    }
}

/// A hit of the collections family. It has both spellings of several fields: the one that
/// code-indexer writes and the one in its manual.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionHit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    pub id: String,
    pub collection_name: String,
    pub repo: String,
    pub file_path: String,
    #[serde(rename = "file_path")]
    pub file_path_again: String,
    pub start_line: u32,
    #[serde(rename = "start_line")]
    pub start_line_again: u32,
    pub end_line: u32,
    #[serde(rename = "end_line")]
    pub end_line_again: u32,
    pub language: String,
    pub kind: Cow<'static, str>,
    #[serde(rename = "symbol_kind")]
    pub kind_again: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    #[serde(rename = "symbol_name", skip_serializing_if = "Option::is_none")]
    pub symbol_again: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    #[serde(rename = "is_exported", skip_serializing_if = "Option::is_none")]
    pub is_exported: Option<bool>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
    /// True if the file changed since it was indexed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// How a text was found: exactly, ignoring case, or by its words.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub found_how: Option<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_lines: Vec<u32>,
    pub text: String,
    /// The members of a large type, whose text is its first lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<String>,
}

pub fn collection_hits(
    index: &CodeIndex,
    pieces: Vec<FoundChunk>,
) -> Result<Vec<CollectionHit>, OpError> {
    let chunks = pieces.iter().map(|piece| &piece.code.found.chunk);
    let exported = index.exported(chunks)?;
    let collection = &index.collection.name;
    let hits = pieces.into_iter().zip(exported);
    Ok(hits.map(|(piece, exported)| collection_hit(collection, piece, exported)).collect())
}

/// Replies with the best hits of several collections, best first.
pub fn best_hits(mut hits: Vec<CollectionHit>, limit: usize) -> Reply {
    let score = |hit: &CollectionHit| hit.score.unwrap_or_default();
    // Stable, so that within a collection the order stays.
    hits.sort_by(|a, b| score(b).total_cmp(&score(a)));
    hits.truncate(limit);
    Reply::list(hits)
}

fn collection_hit(collection: &str, piece: FoundChunk, exported: Option<bool>) -> CollectionHit {
    let FoundChunk { code, score, found } = piece;
    let chunk = code.found.chunk;
    let (path, span) = (chunk.path.to_string(), chunk.span);
    let (how, lines) = found.unzip();
    let how = how.map(|how| match how {
        How::Exact => "exact",
        How::IgnoringCase => "ignoring case",
        How::Words => "words",
    });
    CollectionHit {
        score,
        id: format!("{collection}/{path}#L{}-{}", span.start_line, span.end_line),
        collection_name: collection.to_string(),
        repo: collection.to_string(),
        file_path: path.clone(),
        file_path_again: path,
        start_line: span.start_line,
        start_line_again: span.start_line,
        end_line: span.end_line,
        end_line_again: span.end_line,
        language: chunk.language,
        kind: chunk.kind.as_str().into(),
        kind_again: chunk.kind.as_str().into(),
        symbol: chunk.symbol.clone(),
        symbol_again: chunk.symbol,
        scope: chunk.scope,
        package: chunk.package,
        is_exported: exported,
        is_test: chunk.is_test,
        stale: code.is_stale,
        found_how: how.map(Cow::from),
        match_lines: lines.unwrap_or_default(),
        text: code.text.trim_end().to_string(),
        outline: format_outline(&code.outline),
    }
}
