//! The searchable fields of a chunk. The words of its path, scope, name, signature and doc comment
//! count beside those of its body. Its vector is made from all of them.
//!
//! The weights are field weights in the sense of BM25F: a word counts as often as its fields say,
//! before saturation.

use kenning_model::{Chunk, RepoPath};
use kenning_text::bm25;
use kenning_text::tokenizer::TermCounter;

/// The weight of a word in each field. A name says more about a chunk than its body.
const BODY: f32 = 1.0;
const NAME: f32 = 3.0;
const SCOPE: f32 = 1.0;
const SIGNATURE: f32 = 1.0;
const DOC: f32 = 0.5;
const OUTLINE: f32 = 0.5;
const DIRECTORY: f32 = 0.5;
const FILE_NAME: f32 = 2.0;

/// The most bytes of a chunk that are embedded. Longer texts gain nothing from more words.
const MAX_EMBEDDED: usize = 4000;

/// Returns the words of a chunk with their BM25 weights, each word once. Weights include the length
/// normalization, so that a search only multiplies by the idf.
pub fn weigh_terms(
    path: &RepoPath,
    chunk: &Chunk,
    text: &str,
    reference_length: f32,
) -> Vec<(u32, f32)> {
    let file_name = path.file_name();
    let directory = path.as_str().strip_suffix(file_name).unwrap_or_default();
    let (mut counted, length) = TermCounter::count_terms(|counts| {
        counts.add(text, BODY);
        counts.add(directory, DIRECTORY);
        counts.add(file_name, FILE_NAME);
        for (part, worth) in [
            (&chunk.symbol, NAME),
            (&chunk.scope, SCOPE),
            (&chunk.signature, SIGNATURE),
            (&chunk.doc, DOC),
            (&chunk.outline, OUTLINE),
        ] {
            counts.add(part.as_deref().unwrap_or_default(), worth);
        }
    });
    for (_, worth) in &mut counted {
        *worth = bm25::weight(*worth, length, reference_length);
    }
    counted
}

/// The part of a file's path that is embedded with each chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddedPath {
    /// Its whole path.
    Path,
    /// Its name alone, so that a vector that is kept by its text outlives a move.
    FileName,
}

/// Returns the text from which the chunk's vector is made. The most specific fields come first,
/// because long texts are cut at the end.
pub fn embedding_text(path: &RepoPath, chunk: &Chunk, text: &str, place: EmbeddedPath) -> String {
    let place = match place {
        EmbeddedPath::Path => path.as_str(),
        EmbeddedPath::FileName => path.file_name(),
    };
    let mut all = String::with_capacity(text.len() + 200);
    let parts = [
        Some(place),
        chunk.scope.as_deref(),
        chunk.symbol.as_deref(),
        chunk.signature.as_deref(),
        chunk.doc.as_deref(),
        chunk.outline.as_deref(),
        Some(text),
    ];
    for part in parts.into_iter().flatten().filter(|part| !part.is_empty()) {
        all.push_str(part);
        all.push('\n');
    }
    let end = (0..=all.len().min(MAX_EMBEDDED)).rev().find(|at| all.is_char_boundary(*at));
    all.truncate(end.unwrap_or_default());
    all
}
