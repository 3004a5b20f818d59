//! Fusion of the retrievers. Candidates are the best hits by words and by vector, with one fused
//! score, plus the definitions of the query's names.
//!
//! Fusion adds scores and not ranks, as reciprocal rank fusion would. A clear winner of one
//! retriever should stay a clear winner. The result is deterministic: ties never depend on hash
//! order or on chunk ids.

use std::collections::{HashMap, HashSet};

use crate::search::CodeSearch;
use crate::search::definition_matches::{self, DefinitionMatch};
use crate::search::parsed_query::QueryKind;
use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_store::code::{ChunkRecord, Hit};

/// A chunk before the signals are applied.
///
/// A chunk found by one retriever only has a share of 0 from the other. A chunk that is only a
/// definition has a fused score of 0.
pub struct FusedCandidate {
    pub chunk: ChunkRecord,
    /// The fused score of both retrievers, at most 1.
    pub fused: f32,
    /// The part of the fused score that each retriever contributes.
    pub shares: RetrieverScores,
    pub retriever_scores: RetrieverScores,
    /// The likelihood that it defines a name of the query, from 0 to 1.
    pub definition_likelihood: f32,
    /// The share of a pasted message that it contains in a row, from 0 to 1.
    pub message_share: f32,
}

/// The raw scores of a chunk, one per retriever; 0 if it is not among that retriever's best. Unlike
/// fused scores, they do not depend on the other chunks of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RetrieverScores {
    /// The BM25 score of the query's words.
    pub words: f32,
    /// The dot product of the two vectors.
    pub vector: f32,
}

/// The depth of each retriever's list per requested result, and its minimum.
const DEPTH_PER_RESULT: usize = 8;
const MIN_DEPTH: usize = 100;

/// The number of candidates that get signals.
///
/// Signals read file names and word occurrences, so their cost grows with this number.
const MAX_CANDIDATES: usize = 120;

/// Returns the best chunks by fused score, and every chunk that defines a name of the query.
///
/// The result is not sorted for the caller; `signals` ranks it. Definitions beyond the limit are
/// added at the end, because a definition may score low in both retrievers.
pub fn gather_candidates(
    view: &dyn View,
    search: &CodeSearch,
) -> Result<Vec<FusedCandidate>, StoreError> {
    // Each list is deeper than the answer, because a chunk in the middle of both lists may win.
    let depth = MIN_DEPTH.max(search.limit * DEPTH_PER_RESULT);
    let weight = effective_weight(search);
    let (lexical, semantic) = run_retrievers(view, search, weight, depth)?;
    let mut parts: HashMap<u32, RetrieverScores> = HashMap::new();
    for hit in &lexical {
        parts.entry(hit.chunk).or_default().words = hit.score;
    }
    for hit in &semantic {
        parts.entry(hit.chunk).or_default().vector = hit.score;
    }
    let mut shares: HashMap<u32, RetrieverScores> = HashMap::new();
    for (chunk, part) in normalise_scores(&lexical) {
        shares.entry(chunk).or_default().words = (1.0 - weight) * part;
    }
    for (chunk, part) in normalise_scores(&semantic) {
        shares.entry(chunk).or_default().vector = weight * part;
    }
    let fuse = |(chunk, share): (&u32, &RetrieverScores)| (*chunk, share.words + share.vector);
    let mut fused: HashMap<u32, f32> = shares.iter().map(fuse).collect();
    let mut defined = definition_matches::find_definitions(view, search)?;
    // A definition that neither retriever found still has to become a candidate.
    for id in defined.keys() {
        fused.entry(*id).or_default();
    }
    let mut ranked: Vec<(u32, f32)> = fused.iter().map(|(id, score)| (*id, *score)).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let most = MAX_CANDIDATES.max(search.limit * 3);
    let mut chunks = take_best_chunks(&ranked, most, |ids| view.chunks(ids))?;
    let chosen: HashSet<u32> = chunks.iter().map(|chunk| chunk.id).collect();
    let further = ranked
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| defined.contains_key(id) && !chosen.contains(id));
    chunks.extend(view.chunks(&further.collect::<Vec<u32>>())?);
    Ok(chunks
        .into_iter()
        .map(|chunk| {
            let defined = defined.remove(&chunk.id);
            FusedCandidate {
                fused: fused.get(&chunk.id).copied().unwrap_or_default(),
                shares: shares.get(&chunk.id).copied().unwrap_or_default(),
                retriever_scores: parts.get(&chunk.id).copied().unwrap_or_default(),
                definition_likelihood: defined.as_ref().map_or(0.0, |one| one.likelihood),
                message_share: 0.0,
                chunk: name_after_definition(chunk, defined),
            }
        })
        .collect())
}

/// Returns the first `most` chunks. Chunks with the score of the last one are ordered by path and
/// span, not by id. An index that grew has other ids than one built at once.
///
/// `ranked` is sorted by score, then by id. Only the ties at the cut need their records, so the
/// rest is never reordered.
fn take_best_chunks(
    ranked: &[(u32, f32)],
    most: usize,
    chunks: impl Fn(&[u32]) -> Result<Vec<ChunkRecord>, StoreError>,
) -> Result<Vec<ChunkRecord>, StoreError> {
    let ids = |ranked: &[(u32, f32)]| -> Vec<u32> { ranked.iter().map(|(id, _)| *id).collect() };
    let Some((_, last)) = ranked.get(most) else {
        return chunks(&ids(ranked));
    };
    let better = ranked.partition_point(|(_, score)| score.total_cmp(last).is_gt());
    let equal = ranked[better..].partition_point(|(_, score)| score.total_cmp(last).is_ge());
    if better >= most {
        return chunks(&ids(&ranked[..most]));
    }
    let mut best = chunks(&ids(&ranked[..better]))?;
    let mut tied = chunks(&ids(&ranked[better..better + equal]))?;
    tied.sort_by(|a, b| (&a.path, a.span).cmp(&(&b.path, b.span)));
    best.extend(tied.into_iter().take(most - better));
    Ok(best)
}

/// Names the chunk after the definition that matched. A chunk may contain several small symbols.
fn name_after_definition(chunk: ChunkRecord, defined: Option<DefinitionMatch>) -> ChunkRecord {
    match defined {
        Some(DefinitionMatch { symbol, .. }) => ChunkRecord {
            kind: symbol.kind,
            symbol: Some(symbol.name),
            scope: symbol.scope,
            line: Some(symbol.line).filter(|line| chunk.span.has_line(*line)),
            ..chunk
        },
        None => chunk,
    }
}

/// Runs the two retrievers, by words and by vector. A retriever with weight 0 does not run.
///
/// Both run over the same filter. `search_both` lets a backend answer both in one request.
fn run_retrievers(
    view: &dyn View,
    search: &CodeSearch,
    weight: f32,
    depth: usize,
) -> Result<(Vec<Hit>, Vec<Hit>), StoreError> {
    let (words, filter) = (&search.query.words, search.filter);
    // If a model knows no part of the query, its vector is zero. Every chunk would then be equally
    // near.
    let vector = search.vector.filter(|vector| vector.iter().any(|value| *value != 0.0));
    match vector {
        None if weight >= 1.0 => Ok((Vec::new(), Vec::new())),
        Some(vector) if weight >= 1.0 => {
            Ok((Vec::new(), view.search_vector(vector, filter, depth)?))
        }
        Some(vector) if weight > 0.0 => view.search_both(words, vector, filter, depth),
        _ => Ok((view.search_terms(words, filter, depth)?, Vec::new())),
    }
}

/// Maps the user's semantic weight to the scale of the two lists. Words are stronger evidence than
/// vectors, most of all in a report or for a name. The ends 0 and 1 stay fixed.
///
/// The exponents bend the scale in the middle and leave both ends alone.
fn effective_weight(search: &CodeSearch) -> f32 {
    let weight = search.semantic_weight.clamp(0.0, 1.0);
    match (search.query.kind, search.vector) {
        (_, None) => 0.0,
        (QueryKind::Name, Some(_)) => weight.powf(2.5),
        (QueryKind::Words, Some(_)) => weight.powf(1.4),
        (QueryKind::Report, Some(_)) => weight.powf(3.0),
    }
}

/// Normalizes scores to 0 (the hit at `MIN_DEPTH`, or the last) up to 1 (the first). Deeper hits
/// score below 0, so that a larger limit does not change the order of the best.
fn normalise_scores(hits: &[Hit]) -> impl Iterator<Item = (u32, f32)> {
    let most = hits.first().map_or(0.0, |hit| hit.score);
    let last = hits.get(MIN_DEPTH - 1).or(hits.last());
    let least = last.map_or(0.0, |hit| hit.score);
    let range = if most > least { most - least } else { 1.0 };
    let floor = if most > least { least } else { most - 1.0 };
    hits.iter().map(move |hit| (hit.chunk, (hit.score - floor) / range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::found;

    #[test]
    fn of_equal_scores_the_first_paths_are_kept_whatever_their_ids() {
        let paths = ["e", "d", "c", "b", "a", "f"];
        let chunks = |ids: &[u32]| -> Result<Vec<ChunkRecord>, StoreError> {
            let of = |id: &u32| ChunkRecord { id: *id, ..found(paths[*id as usize], 0.0).chunk };
            Ok(ids.iter().map(of).collect())
        };
        let kept = |scores: [f32; 6], most: usize| -> String {
            let ranked: Vec<(u32, f32)> = (0..).zip(scores).collect();
            let best = take_best_chunks(&ranked, most, chunks).unwrap();
            best.iter().map(|chunk| chunk.path.to_string()).collect()
        };
        assert_eq!(kept([9.0, 2.0, 2.0, 2.0, 2.0, 1.0], 3), "eab");
        assert_eq!(kept([9.0, 2.0, 2.0, 2.0, 2.0, 1.0], 5), "edcba");
        assert_eq!(kept([3.0; 6], 2), "ab");
        assert_eq!(kept([6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 2), "ed");
        assert_eq!(kept([6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 9), "edcbaf");
    }
}
