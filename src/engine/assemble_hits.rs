//! Assembly of hits: adds the text of each chunk, whether it is stale, and the member outline of a
//! type that is too large for one chunk. It does not rank.

use std::collections::HashMap;
use std::path::Path;

use super::EngineError;
use crate::indexing::count_stale_files;
use crate::search::SearchHit;
use kenning_model::RepoPath;
use kenning_store::backends::View;
use kenning_store::code::ChunkRecord;

/// A hit as it is shown.
pub struct AssembledHit {
    pub hit: SearchHit,
    pub text: String,
    /// The outline of a type that was split: line and signature of each member.
    pub outline: Vec<(u32, String)>,
    /// True if the file changed since it was indexed.
    pub is_stale: bool,
}

/// Returns the number of extra hits to rank, because some are merged into others. It is so small
/// that a search for the usual ten does not look deeper.
pub fn overfetch(limit: usize) -> usize {
    2 + limit / 16
}

/// The length at which signatures are cut.
const MAX_SIGNATURE: usize = 160;

/// Assembles the first `limit` hits, with duplicate headers merged.
///
/// `checkout` is the root to compare with; `None` if the files are on another machine. Without it,
/// no hit counts as stale.
pub fn assemble(
    view: &dyn View,
    checkout: Option<&Path>,
    found: Vec<SearchHit>,
    limit: usize,
) -> Result<Vec<AssembledHit>, EngineError> {
    let chunks: Vec<ChunkRecord> = found.iter().map(|found| found.chunk.clone()).collect();
    let headers = view.are_headers(&chunks)?;
    let mut places = merge_headers(found.into_iter().zip(headers).collect());
    places.truncate(limit);
    add_texts(view, checkout, places)
}

/// Assembles all hits without merging.
///
/// Listings use it, in which each chunk is a result of its own.
pub fn assemble_unmerged(
    view: &dyn View,
    checkout: Option<&Path>,
    found: Vec<SearchHit>,
) -> Result<Vec<AssembledHit>, EngineError> {
    let places = found.into_iter().map(|found| HitWithHeader { hit: found, header: None });
    add_texts(view, checkout, places.collect())
}

/// All texts are read in one call. Staleness is checked once per file, not per hit.
fn add_texts(
    view: &dyn View,
    checkout: Option<&Path>,
    places: Vec<HitWithHeader>,
) -> Result<Vec<AssembledHit>, EngineError> {
    let chunks: Vec<ChunkRecord> = places.iter().map(|place| place.hit.chunk.clone()).collect();
    let texts = view.texts(&chunks)?;
    let mut stale: HashMap<RepoPath, bool> = HashMap::new();
    let mut shown = Vec::with_capacity(places.len());
    for (HitWithHeader { hit: found, header }, text) in places.into_iter().zip(texts) {
        let path = &found.chunk.path;
        let is_stale = match stale.get(path) {
            Some(is_stale) => *is_stale,
            None => {
                let is_stale = is_stale(view, checkout, path)?;
                stale.insert(path.clone(), is_stale);
                is_stale
            }
        };
        shown.push(AssembledHit {
            outline: match &header {
                Some(header) => member_outline(view, header)?,
                None => Vec::new(),
            },
            hit: found,
            text,
            is_stale,
        });
    }
    Ok(shown)
}

/// A hit, and the header of the type whose outline is shown with it.
struct HitWithHeader {
    hit: SearchHit,
    header: Option<ChunkRecord>,
}

/// Merges a header with the chunk that contains it. A header repeats the first lines of the next
/// chunk. If both are hits, the better position shows the chunk, with the header's outline.
///
/// It is quadratic in the number of hits, of which there are a few dozen at most.
fn merge_headers(found: Vec<(SearchHit, bool)>) -> Vec<HitWithHeader> {
    let mut places: Vec<HitWithHeader> = Vec::with_capacity(found.len());
    for (found, is_header) in found {
        let chunk = &found.chunk;
        let other = places.iter_mut().find(|place| {
            let other = &place.hit.chunk;
            other.path == chunk.path
                && match (place.header.is_some(), is_header) {
                    (false, true) => contains(other, chunk),
                    (true, false) => contains(chunk, other),
                    _ => false,
                }
        });
        match (other, is_header) {
            (Some(place), true) => place.header = Some(found.chunk),
            (Some(place), false) => {
                place.hit.chunk = name_after_header(&place.hit.chunk, found.chunk)
            }
            (None, _) => places
                .push(HitWithHeader { header: is_header.then(|| found.chunk.clone()), hit: found }),
        }
    }
    places
}

/// Names the wider chunk after the type of its header, because the hit is about the type.
fn name_after_header(header: &ChunkRecord, wider: ChunkRecord) -> ChunkRecord {
    ChunkRecord {
        kind: header.kind,
        symbol: header.symbol.clone(),
        scope: header.scope.clone(),
        line: header.line,
        ..wider
    }
}

/// True if one chunk contains the bytes of the other. Both must be of one file.
fn contains(outer: &ChunkRecord, inner: &ChunkRecord) -> bool {
    outer.span.start_byte <= inner.span.start_byte && inner.span.end_byte <= outer.span.end_byte
}

/// Returns the line and signature of each member; the name where there is no signature.
fn member_outline(
    view: &dyn View,
    header: &ChunkRecord,
) -> Result<Vec<(u32, String)>, EngineError> {
    let members = view.members(header)?.into_iter();
    let lines = members.map(|member| {
        let signature = member.signature.unwrap_or(member.name);
        (member.line, shorten_signature(signature))
    });
    Ok(lines.collect())
}

/// Cuts at a character boundary and marks the cut with `…`.
fn shorten_signature(mut signature: String) -> String {
    if signature.len() > MAX_SIGNATURE {
        let end = (0..=MAX_SIGNATURE).rev().find(|at| signature.is_char_boundary(*at));
        signature.truncate(end.unwrap_or_default());
        signature.push('…');
    }
    signature
}

/// True if the file on disk differs from the indexed one, by size and time. A file that is not
/// indexed is not stale.
fn is_stale(
    view: &dyn View,
    checkout: Option<&Path>,
    path: &RepoPath,
) -> Result<bool, EngineError> {
    let Some(root) = checkout else {
        return Ok(false);
    };
    let stored = view.file(path)?.map(|file| file.stamp);
    let stamps: Vec<_> = stored.into_iter().collect();
    Ok(count_stale_files(root, &stamps) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::{ChunkKind, Span};

    fn found(path: &str, bytes: std::ops::Range<u32>) -> SearchHit {
        SearchHit {
            chunk: ChunkRecord {
                file_chunks: 0..1,
                id: 0,
                path: RepoPath::new(path).unwrap(),
                language: "rust".to_string(),
                package: None,
                kind: ChunkKind::Struct,
                is_test: false,
                symbol: None,
                scope: None,
                line: None,
                span: Span { start_byte: bytes.start, end_byte: bytes.end, ..Span::default() },
            },
            score: 1.0,
            reasons: Vec::new(),
            retriever_scores: Default::default(),
        }
    }

    /// Path, bytes and whether it is a header, of what was found and of what is shown.
    fn check(ranked: &[(&str, std::ops::Range<u32>, bool)], expected: &[(u32, bool)]) {
        let ranked =
            ranked.iter().map(|(path, bytes, is_header)| (found(path, bytes.clone()), *is_header));
        let merged = merge_headers(ranked.collect());
        let shown =
            merged.iter().map(|place| (place.hit.chunk.span.end_byte, place.header.is_some()));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_header_and_the_chunk_that_begins_with_it_are_one() {
        let (header, first) = (("a", 10..20, true), ("a", 10..90, false));
        let other = ("b", 10..90, false);
        check(&[header.clone(), other.clone(), first.clone()], &[(90, true), (90, false)]);
        check(&[first.clone(), other.clone(), header.clone()], &[(90, true), (90, false)]);
        check(&[header.clone(), other], &[(20, true), (90, false)]);
        // Another part of the type, and the header of a type within.
        check(&[header.clone(), ("a", 90..200, false)], &[(20, true), (200, false)]);
        check(&[header, ("a", 12..15, true)], &[(20, true), (15, true)]);
    }

    #[test]
    fn long_signatures_are_cut_between_characters() {
        assert_eq!(shorten_signature("fn a()".to_string()), "fn a()");
        let long = shorten_signature("é".repeat(200));
        assert_eq!(long.chars().count(), MAX_SIGNATURE / 2 + 1);
    }
}
