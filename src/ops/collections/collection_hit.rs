//! The hit of the collections family. It has the fields that code-indexer stores, in the spelling
//! that the program writes and in the one that its manual documents.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::engine::{AssembledHit, AssembledTextHit, CodeIndex, TextMatchKind};
use crate::ops::code::search_code::format_outline;
use crate::ops::number_format::round_score;
use crate::ops::{OpError, Reply};

/// A chunk with its score and the way in which it was found.
pub struct FoundChunk {
    /// The chunk with its text.
    code: AssembledHit,
    /// Absent if nothing ranked it.
    score: Option<f64>,
    /// The kind of the text match, and its lines.
    found: Option<(TextMatchKind, Vec<u32>)>,
}

impl FoundChunk {
    /// A chunk of a ranked search.
    pub fn from_ranked(code: AssembledHit) -> FoundChunk {
        let score = Some(round_score(code.hit.score));
        FoundChunk { code, score, found: None }
    }

    /// A chunk that contains a text.
    pub fn from_text_match(found: AssembledTextHit) -> FoundChunk {
        let found_how = Some((found.kind, found.lines));
        FoundChunk { found: found_how, ..FoundChunk::from_ranked(found.assembled) }
    }

    /// A chunk of a plain list, without a score.
    pub fn from_listed(code: AssembledHit) -> FoundChunk {
        FoundChunk { code, score: None, found: None }
    }
}

/// A hit of the collections family. It has both spellings of several fields: the one that
/// code-indexer writes and the one in its manual.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionHit {
    /// The score; absent for plain lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// `collection/path#L1-9`: stable as long as the file does not change.
    pub id: String,
    /// The collection.
    pub collection_name: String,
    /// The same, as the manual calls it.
    pub repo: String,
    /// The path below the root.
    pub file_path: String,
    /// The path in the manual's spelling.
    #[serde(rename = "file_path")]
    pub file_path_again: String,
    /// The first line.
    pub start_line: u32,
    /// The first line in the manual's spelling.
    #[serde(rename = "start_line")]
    pub start_line_again: u32,
    /// The last line.
    pub end_line: u32,
    /// The last line in the manual's spelling.
    #[serde(rename = "end_line")]
    pub end_line_again: u32,
    /// The language, in lower case.
    pub language: String,
    /// The kind of its main symbol.
    pub kind: Cow<'static, str>,
    /// The kind in the manual's spelling.
    #[serde(rename = "symbol_kind")]
    pub kind_again: Cow<'static, str>,
    /// The main symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The symbol in the manual's spelling.
    #[serde(rename = "symbol_name", skip_serializing_if = "Option::is_none")]
    pub symbol_again: Option<String>,
    /// The enclosing definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The package of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// True if the main symbol is public; absent without one.
    #[serde(rename = "is_exported", skip_serializing_if = "Option::is_none")]
    pub is_exported: Option<bool>,
    /// True for test code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
    /// True if the file changed since it was indexed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// How a text was found: exactly, ignoring case, or by its words.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub found_how: Option<Cow<'static, str>>,
    /// The lines that match, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_lines: Vec<u32>,
    /// The text of the chunk.
    pub text: String,
    /// The members of a large type, whose text is its first lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<String>,
}

/// Converts the chunks of one collection. Visibility is looked up for all of them at once.
pub fn collection_hits(
    index: &CodeIndex,
    pieces: Vec<FoundChunk>,
) -> Result<Vec<CollectionHit>, OpError> {
    let chunks = pieces.iter().map(|piece| &piece.code.hit.chunk);
    let exported = index.are_exported(chunks)?;
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

/// Converts one chunk, filling both spellings.
fn collection_hit(collection: &str, piece: FoundChunk, exported: Option<bool>) -> CollectionHit {
    let FoundChunk { code, score, found } = piece;
    let chunk = code.hit.chunk;
    let (path, span) = (chunk.path.to_string(), chunk.span);
    let (how, lines) = found.unzip();
    let how = how.map(|how| match how {
        TextMatchKind::Exact => "exact",
        TextMatchKind::IgnoringCase => "ignoring case",
        TextMatchKind::Words => "words",
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
