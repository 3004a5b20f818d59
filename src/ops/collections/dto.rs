//! A piece of code as code-indexer's users know it: what they store of each, in the spelling that
//! their program writes and in the one that its manual has.

use serde_json::{Map, Value, json};

use crate::engine::{CodeIndex, FoundCode, FoundText, How};
use crate::ops::code::search_code::outline;
use crate::ops::format::rounded;
use crate::ops::{OpError, Reply};

/// A piece, and what is said of it.
pub struct ChunkReply {
    code: FoundCode,
    score: Option<f64>,
    /// How a text was found in it, and in which lines.
    found: Option<(How, Vec<u32>)>,
}

impl ChunkReply {
    pub fn ranked(code: FoundCode) -> ChunkReply {
        let score = Some(rounded(code.found.score));
        ChunkReply { code, score, found: None }
    }

    pub fn with_text(found: FoundText) -> ChunkReply {
        let found_how = Some((found.how, found.lines));
        ChunkReply { found: found_how, ..ChunkReply::ranked(found.code) }
    }

    /// Nothing ranks it.
    pub fn listed(code: FoundCode) -> ChunkReply {
        ChunkReply { code, score: None, found: None }
    }
}

pub fn hits(index: &CodeIndex, pieces: Vec<ChunkReply>) -> Result<Vec<Value>, OpError> {
    let chunks = pieces.iter().map(|piece| &piece.code.found.chunk);
    let exported = index.exported(chunks)?;
    let collection = &index.collection.name;
    let hits = pieces.into_iter().zip(exported);
    Ok(hits.map(|(piece, exported)| hit(collection, piece, exported)).collect())
}

/// The best of several collections, best first.
pub fn best(mut hits: Vec<Value>, limit: usize) -> Reply {
    let score = |hit: &Value| hit["score"].as_f64().unwrap_or_default();
    // Stable, so that within a collection the order stays.
    hits.sort_by(|a, b| score(b).total_cmp(&score(a)));
    hits.truncate(limit);
    Reply::List(hits)
}

fn hit(collection: &str, piece: ChunkReply, exported: Option<bool>) -> Value {
    let ChunkReply { code, score, found } = piece;
    let chunk = code.found.chunk;
    let (path, span) = (chunk.path.as_str(), chunk.span);
    let id = format!("{collection}/{path}#L{}-{}", span.start_line, span.end_line);
    let (how, lines) = found.unzip();
    let how = how.map(|how| match how {
        How::Exact => "exact",
        How::IgnoringCase => "ignoring case",
        How::Words => "words",
    });
    // Of a large type, whose text is its first lines.
    let members = (!code.outline.is_empty()).then(|| outline(&code.outline));
    let fields = [
        ("score", json!(score)),
        ("id", json!(id)),
        ("collectionName", json!(collection)),
        ("repo", json!(collection)),
        ("filePath", json!(path)),
        ("file_path", json!(path)),
        ("startLine", json!(span.start_line)),
        ("start_line", json!(span.start_line)),
        ("endLine", json!(span.end_line)),
        ("end_line", json!(span.end_line)),
        ("language", json!(chunk.language)),
        ("kind", json!(chunk.kind.as_str())),
        ("symbol_kind", json!(chunk.kind.as_str())),
        ("symbol", json!(chunk.symbol)),
        ("symbol_name", json!(chunk.symbol)),
        ("scope", json!(chunk.scope)),
        ("package", json!(chunk.package)),
        ("is_exported", json!(exported)),
        ("isTest", json!(chunk.is_test.then_some(true))),
        ("stale", json!(code.is_stale.then_some(true))),
        ("match", json!(how)),
        ("matchLines", json!(lines.filter(|lines| !lines.is_empty()))),
        ("text", json!(code.text.trim_end())),
        ("outline", json!(members)),
    ];
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    let given = given.map(|(name, value)| (name.to_string(), value));
    Value::Object(given.collect::<Map<String, Value>>())
}
