//! Converts rows to Qdrant points and back. The payload fields are listed in `schema`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::{chunk_id, file_id, filter};
use crate::backends::remote_api::{ChunkRow, FileRow};
use crate::backends::{filter_pushdown, rows_to_store};
use crate::code::{ChunkContent, FileUpdate};
use kenning_model::{ChunkKind, Span};
use kenning_text::bm25;

/// Returns the point of one chunk. The BM25 weights are the quantized ones of the embedded store,
/// so that scores agree.
pub fn chunk_points(update: &FileUpdate) -> Vec<Value> {
    let chunks = rows_to_store::chunk_rows(update).into_iter().zip(&update.contents);
    chunks.map(|(row, content)| chunk_point(&row, content)).collect()
}

fn chunk_point(row: &ChunkRow, content: &ChunkContent) -> Value {
    let (terms, weights): (Vec<u32>, Vec<f32>) = content
        .terms
        .iter()
        // Quantized and restored, so that scores equal those of the embedded store.
        .map(|(term, weight)| (*term, f32::from(bm25::quantise(*weight)) * bm25::WEIGHT_STEP))
        .unzip();
    let mut vectors = json!({ "bm25": { "indices": terms, "values": weights } });
    if let Some(embedding) = &content.embedding {
        vectors["dense"] = Value::from(embedding.vector.restore());
    }
    json!({
        "id": chunk_id(&row.path, &row.version, row.ordinal),
        "vector": vectors,
        "payload": {
            "point_type": "chunk",
            "version": row.version,
            "chunk_key": filter::chunk_key(&row.path, row.ordinal),
            "path": row.path,
            "dirs": filter_pushdown::directories(&row.path),
            "endings": filter_pushdown::endings(&row.path),
            "ordinal": row.ordinal,
            "count": row.count,
            "language": row.language,
            "package": row.package,
            "kind": row.kind.as_str(),
            "test": row.is_test,
            "header": row.is_header,
            "exported": row.is_exported,
            "symbol": row.symbol,
            "scope": row.scope,
            "signature": row.signature,
            "start_line": row.span.start_line,
            "end_line": row.span.end_line,
            "start_byte": row.span.start_byte,
            "end_byte": row.span.end_byte,
        },
    })
}

/// Returns the point of a file: its row, and the vectors and fields that it is looked up by.
pub fn file_point(update: &FileUpdate) -> Value {
    let row = rows_to_store::file_row(update);
    let sparse = |indices: Vec<u32>| {
        // Only presence counts: a dot product is then the number of shared indices.
        let values = vec![1.0; indices.len()];
        json!({ "indices": indices, "values": values })
    };
    let file_problems = &update.facts.problems;
    let problems = (!file_problems.is_empty()).then(|| rows_to_store::problems_json(file_problems));
    json!({
        "id": file_id(&row.path),
        "vector": {
            "words": sparse(rows_to_store::file_terms(update)),
            "trigrams": sparse(rows_to_store::file_trigrams(update)),
        },
        "payload": {
            "point_type": "file",
            "version": row.version,
            "path": row.path,
            "size": row.size,
            "modified_ns": row.modified_ns,
            "hash": BASE64.encode(row.hash),
            "language": row.language,
            "test": row.is_test,
            "package": row.package,
            "chunks": row.chunks,
            "symbols": row.symbols,
            "name_hashes": rows_to_store::defined_names(update),
            "text_blob": BASE64.encode(update.packed.packed_text()),
            "symbols_blob": BASE64.encode(update.packed.packed_symbols()),
            "problems": problems,
        },
    })
}

/// The payload fields of a file's point that make up its [`FileRow`]; the blobs are not among them.
pub const FILE_FIELDS: &[&str] = &[
    "path",
    "size",
    "modified_ns",
    "hash",
    "language",
    "test",
    "package",
    "chunks",
    "symbols",
    "version",
];

/// Reads the payload of a file's point; `None` if a field is missing.
pub fn file_row(payload: &Value) -> Option<FileRow> {
    let hash = decode_base64(&payload["hash"])?;
    Some(FileRow {
        path: text(&payload["path"])?,
        version: text(&payload["version"])?,
        size: payload["size"].as_u64()?,
        modified_ns: payload["modified_ns"].as_i64()?,
        hash: hash.try_into().ok()?,
        language: text(&payload["language"])?,
        is_test: payload["test"].as_bool()?,
        package: text(&payload["package"]),
        chunks: number(&payload["chunks"])?,
        symbols: number(&payload["symbols"])?,
    })
}

/// Reads the payload of a chunk's point; `None` if a field is missing.
pub fn chunk_row(payload: &Value) -> Option<ChunkRow> {
    Some(ChunkRow {
        path: text(&payload["path"])?,
        version: text(&payload["version"])?,
        ordinal: number(&payload["ordinal"])?,
        count: number(&payload["count"])?,
        language: text(&payload["language"])?,
        package: text(&payload["package"]),
        kind: ChunkKind::parse(payload["kind"].as_str()?)?,
        is_test: payload["test"].as_bool()?,
        is_header: payload["header"].as_bool()?,
        is_exported: payload["exported"].as_bool(),
        symbol: text(&payload["symbol"]),
        scope: text(&payload["scope"]),
        signature: text(&payload["signature"]),
        span: Span {
            start_line: number(&payload["start_line"])?,
            end_line: number(&payload["end_line"])?,
            start_byte: number(&payload["start_byte"])?,
            end_byte: number(&payload["end_byte"])?,
        },
    })
}

/// Decodes bytes, which JSON carries as base64.
pub fn decode_base64(value: &Value) -> Option<Vec<u8>> {
    BASE64.decode(value.as_str()?).ok()
}

fn text(value: &Value) -> Option<String> {
    Some(value.as_str()?.to_string())
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}
