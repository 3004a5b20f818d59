//! The chunks that are worth a closer look: the best of each list, with one score for both, and the
//! definitions of the names that were asked for.

use std::collections::HashMap;

use super::Search;
use super::definitions::{self, Defined};
use super::question::Kind;
use crate::store::StoreError;
use crate::store::backends::View;
use crate::store::code::{ChunkRecord, Hit};

/// A chunk before the signals are heard.
pub struct Candidate {
    pub chunk: ChunkRecord,
    /// Of both lists, up to 1.
    pub fused: f32,
    pub legs: Legs,
    /// How likely it defines what the question names, from 0 to 1.
    pub defines: f32,
}

/// What each list itself said of a chunk; 0 where it was not among the list's best. Unlike what is
/// made of them, these do not depend on the other chunks of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Legs {
    /// The sum of what the question's words are worth.
    pub words: f32,
    /// The dot product of the two vectors.
    pub meaning: f32,
}

/// How deep each list is looked into, for each result that is wanted, and at least.
const DEPTH_PER_RESULT: usize = 8;
const MIN_DEPTH: usize = 100;

/// How many candidates are looked at closely.
const MAX_CANDIDATES: usize = 120;

pub fn gather(view: &dyn View, search: &Search) -> Result<Vec<Candidate>, StoreError> {
    let depth = MIN_DEPTH.max(search.limit * DEPTH_PER_RESULT);
    let weight = effective_weight(search);
    let (lexical, semantic) = legs(view, search, weight, depth)?;
    let mut parts: HashMap<u32, Legs> = HashMap::new();
    for hit in &lexical {
        parts.entry(hit.chunk).or_default().words = hit.score;
    }
    for hit in &semantic {
        parts.entry(hit.chunk).or_default().meaning = hit.score;
    }
    let mut fused: HashMap<u32, f32> = HashMap::new();
    for (hits, share) in [(&lexical, 1.0 - weight), (&semantic, weight)] {
        for (chunk, part) in normalise(hits) {
            *fused.entry(chunk).or_default() += share * part;
        }
    }
    let mut defined = definitions::gather(view, search)?;
    for id in defined.keys() {
        fused.entry(*id).or_default();
    }
    let mut ranked: Vec<(u32, f32)> = fused.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let most = MAX_CANDIDATES.max(search.limit * 3);
    let mut ids = Vec::with_capacity(most);
    for (place, (id, _)) in ranked.iter().enumerate() {
        if place < most || defined.contains_key(id) {
            ids.push(*id);
        }
    }
    let scores: HashMap<u32, f32> = ranked.into_iter().collect();
    let chunks = view.chunks(&ids)?.into_iter();
    Ok(chunks
        .map(|chunk| {
            let defined = defined.remove(&chunk.id);
            Candidate {
                fused: scores.get(&chunk.id).copied().unwrap_or_default(),
                legs: parts.get(&chunk.id).copied().unwrap_or_default(),
                defines: defined.as_ref().map_or(0.0, |one| one.likeness),
                chunk: present(chunk, defined),
            }
        })
        .collect())
}

/// Of small things in one chunk, the one that was asked for gives it its name.
fn present(chunk: ChunkRecord, defined: Option<Defined>) -> ChunkRecord {
    match defined {
        Some(Defined { symbol, .. }) if chunk.symbol.as_ref() != Some(&symbol.name) => {
            ChunkRecord {
                kind: symbol.kind,
                symbol: Some(symbol.name),
                scope: symbol.scope,
                ..chunk
            }
        }
        _ => chunk,
    }
}

/// By words and by meaning; a leg that counts for nothing is not taken.
fn legs(
    view: &dyn View,
    search: &Search,
    weight: f32,
    depth: usize,
) -> Result<(Vec<Hit>, Vec<Hit>), StoreError> {
    let (words, filter) = (&search.question.words, search.filter);
    match search.vector {
        Some(vector) if weight >= 1.0 => {
            Ok((Vec::new(), view.search_vector(vector, filter, depth)?))
        }
        Some(vector) if weight > 0.0 => view.search_both(words, vector, filter, depth),
        _ => Ok((view.search_terms(words, filter, depth)?, Vec::new())),
    }
}

/// What the user's weight means between the two lists as they are scored here. Words say more than
/// meaning, most of all about a name; the ends of the scale stay what they are.
fn effective_weight(search: &Search) -> f32 {
    let weight = search.semantic_weight.clamp(0.0, 1.0);
    match (search.question.kind, search.vector) {
        (_, None) => 0.0,
        (Kind::Name, Some(_)) => weight.powf(2.5),
        (Kind::Words, Some(_)) => weight.powf(1.4),
        (Kind::Report, Some(_)) => weight.powf(3.0),
    }
}

/// Scores from 0, the last of the best, to 1, the first; below 0 what is only there because more was
/// asked for, so that it does not change how the best are ranked.
fn normalise(hits: &[Hit]) -> impl Iterator<Item = (u32, f32)> {
    let most = hits.first().map_or(0.0, |hit| hit.score);
    let last = hits.get(MIN_DEPTH - 1).or(hits.last());
    let least = last.map_or(0.0, |hit| hit.score);
    let range = if most > least { most - least } else { 1.0 };
    let floor = if most > least { least } else { most - 1.0 };
    hits.iter()
        .map(move |hit| (hit.chunk, (hit.score - floor) / range))
}
