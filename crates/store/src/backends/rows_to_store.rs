//! Converts the changes of an indexer into the rows that every server stores, and the small JSON
//! documents that servers store without reading them.

use serde_json::{Value, json};

use super::remote_api::{ChunkRow, FileRow, Overview};
use super::trigrams;
use crate::StoreError;
use crate::code::{FileUpdate, IndexSettings, Skip, Stamp, folded_hash};
use kenning_model::{Problem, RepoPath, is_exported};

/// Returns the version of a file's content: the first 12 bytes of its hash, in hex.
pub fn version(hash: &[u8; 32]) -> String {
    let bytes = hash[..12].iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the row of a file.
pub fn file_row(update: &FileUpdate) -> FileRow {
    FileRow {
        path: update.stamp.path.as_str().to_string(),
        version: version(&update.hash),
        size: update.stamp.size,
        modified_ns: update.stamp.modified_ns,
        hash: update.hash,
        language: update.facts.language.to_string(),
        is_test: update.is_test,
        package: update.package.clone(),
        chunks: update.facts.chunks.len() as u32,
        symbols: update.facts.symbols.len() as u32,
    }
}

/// Returns the rows of a file's chunks, in order.
pub fn chunk_rows(update: &FileUpdate) -> Vec<ChunkRow> {
    let facts = &update.facts;
    let version = version(&update.hash);
    let rows = facts.chunks.iter().enumerate().map(|(ordinal, chunk)| {
        let lines = chunk.span.start_line..=chunk.span.end_line;
        let name = chunk.symbol.as_deref();
        ChunkRow {
            path: update.stamp.path.as_str().to_string(),
            version: version.clone(),
            ordinal: ordinal as u32,
            count: facts.chunks.len() as u32,
            language: facts.language.to_string(),
            package: update.package.clone(),
            kind: chunk.kind,
            is_test: chunk.is_test,
            is_header: chunk.outline.is_some(),
            // Computed here, because servers do not have the symbols of a file as rows.
            is_exported: name.and_then(|name| is_exported(&facts.symbols, name, lines)),
            symbol: chunk.symbol.clone(),
            scope: chunk.scope.clone(),
            signature: chunk.signature.clone(),
            span: chunk.span,
        }
    });
    rows.collect()
}

/// The hashes of the names that a file defines, folded, each once.
pub fn defined_names(update: &FileUpdate) -> Vec<u32> {
    let symbols = update.facts.symbols.iter();
    let mut names: Vec<u32> = symbols.map(|symbol| folded_hash(&symbol.name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the trigrams of a file's text.
pub fn file_trigrams(update: &FileUpdate) -> Vec<u32> {
    trigrams::extract(&update.packed.text())
}

/// Returns the hashes of a file's terms, each once.
pub fn file_terms(update: &FileUpdate) -> Vec<u32> {
    let contents = update.contents.iter();
    let mut terms: Vec<u32> =
        contents.flat_map(|content| content.terms.iter().map(|(term, _)| *term)).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Fails if a vector does not fit those of the collection.
pub fn check_dimensions(update: &FileUpdate, settings: &IndexSettings) -> Result<(), StoreError> {
    let dimension = settings.dimension as usize;
    let embeddings = update.contents.iter().filter_map(|one| one.embedding.as_ref());
    for embedding in embeddings {
        let found = embedding.vector.values.len();
        if found != dimension {
            let path = &update.stamp.path;
            let what = format!("{path}: a vector of {found} dimensions among those of {dimension}");
            return Err(StoreError::InvalidArgument { what });
        }
    }
    Ok(())
}

/// Encodes the settings, with the layout version.
pub fn settings_json(settings: &IndexSettings) -> Value {
    json!({
        "provider": settings.provider,
        "model": settings.model,
        "dimension": settings.dimension,
        "chunker": settings.chunker,
        "reference_length": settings.reference_length,
        "layout": LAYOUT,
    })
}

/// The version of the row format. Raise it when rows are stored differently; collections of another
/// version are rebuilt.
const LAYOUT: u64 = 3;

/// Decodes settings; `None` if another version of Kenning wrote them.
pub fn parse_settings(value: &Value) -> Option<IndexSettings> {
    let text = |name: &str| Some(value[name].as_str()?.to_string());
    if value["layout"].as_u64() != Some(LAYOUT) {
        return None;
    }
    Some(IndexSettings {
        provider: text("provider")?,
        model: text("model")?,
        dimension: value["dimension"].as_u64()? as u32,
        chunker: text("chunker")?,
        reference_length: value["reference_length"].as_f64()? as f32,
    })
}

/// Encodes problems as arrays of path, line and message.
pub fn problems_json(problems: &[Problem]) -> Value {
    let problem = |one: &Problem| json!([one.path.as_str(), one.line, one.message]);
    problems.iter().map(problem).collect()
}

/// Decodes problems; skips entries that are malformed.
pub fn parse_problems(value: &Value) -> Vec<Problem> {
    let problem = |one: &Value| {
        Some(Problem {
            path: parse_path(&one[0])?,
            line: one[1].as_u64().map(|line| line as u32),
            message: one[2].as_str()?.to_string(),
        })
    };
    let all = value.as_array().into_iter().flatten();
    all.filter_map(problem).collect()
}

/// Encodes the skipped files and read errors.
pub fn overview_json(overview: &Overview) -> Value {
    let skip = |one: &Skip| {
        let Stamp { path, size, modified_ns } = &one.stamp;
        json!([path.as_str(), size, modified_ns, one.reason])
    };
    json!({
        "skipped_files": overview.skips.iter().map(skip).collect::<Value>(),
        "read_errors": problems_json(&overview.read_errors),
    })
}

/// Decodes the skipped files and read errors; skips entries that are malformed.
pub fn parse_overview(value: &Value) -> Overview {
    let skip = |one: &Value| {
        Some(Skip {
            stamp: Stamp {
                path: parse_path(&one[0])?,
                size: one[1].as_u64()?,
                modified_ns: one[2].as_i64()?,
            },
            reason: one[3].as_str()?.to_string(),
        })
    };
    let skips = value["skipped_files"].as_array().into_iter().flatten();
    Overview {
        skips: skips.filter_map(skip).collect(),
        read_errors: parse_problems(&value["read_errors"]),
    }
}

fn parse_path(value: &Value) -> Option<RepoPath> {
    RepoPath::new(value.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_as_json_comes_back() {
        let path = RepoPath::new("a/b.rs").unwrap();
        let settings = IndexSettings {
            provider: "static".to_string(),
            model: "tiny".to_string(),
            dimension: 8,
            chunker: "1".to_string(),
            reference_length: 200.0,
        };
        assert_eq!(parse_settings(&settings_json(&settings)), Some(settings));
        assert_eq!(parse_settings(&json!({ "provider": "static" })), None);
        let overview = Overview {
            skips: vec![Skip {
                stamp: Stamp { path: path.clone(), size: 7, modified_ns: -1 },
                reason: "binary".to_string(),
            }],
            read_errors: vec![Problem::new(&path, "gone").at_line(3)],
        };
        assert_eq!(parse_overview(&overview_json(&overview)), overview);
    }
}
