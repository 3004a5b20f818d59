//! Diversification, the last step of ranking. Each further chunk of a file scores less, so that an
//! answer shows several files.
//!
//! It only reorders and cuts to the limit. The first hit always stays first. Input must be sorted
//! by score, best first.

use std::collections::HashMap;

use crate::search::SearchHit;
use kenning_model::RepoPath;

/// The factor on a chunk's score for each chunk of its file that is already chosen.
///
/// The third chunk of a file keeps 16 % of its score. It is still shown if nothing better exists
/// elsewhere.
pub const CHUNK_DECAY: f32 = 0.4;

/// Selects the first `limit` hits by score after decay: each further hit of a file has its score
/// multiplied by `factor` once more.
///
/// This is greedy: each round takes the best remaining hit after decay. A round stops at the first
/// hit whose raw score cannot win, so it rarely scans the whole list.
pub fn select_diverse(mut ranked: Vec<SearchHit>, limit: usize, factor: f32) -> Vec<SearchHit> {
    let mut chosen: Vec<SearchHit> = Vec::with_capacity(limit.min(ranked.len()));
    let mut of_file: HashMap<RepoPath, i32> = HashMap::new();
    while chosen.len() < limit && !ranked.is_empty() {
        let decayed = |found: &SearchHit| {
            let before = of_file.get(&found.chunk.path).copied().unwrap_or(0);
            // A factor below 1 would raise a negative score.
            if found.score > 0.0 { found.score * factor.powi(before) } else { found.score }
        };
        // Ties go to the earlier hit, which keeps the order deterministic.
        let mut best = 0;
        let mut best_score = f32::MIN;
        for (place, found) in ranked.iter().enumerate() {
            // The list is sorted, so no later hit can score higher than this one.
            if found.score <= best_score {
                break;
            }
            let score = decayed(found);
            if score > best_score {
                (best, best_score) = (place, score);
            }
        }
        // `remove` shifts the tail. The list has at most a few hundred hits, so a heap would not
        // pay.
        let mut found = ranked.remove(best);
        if best_score < found.score {
            found.reasons.push(("same file", best_score - found.score));
        }
        found.score = best_score;
        *of_file.entry(found.chunk.path.clone()).or_default() += 1;
        chosen.push(found);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::found;

    #[test]
    fn further_chunks_of_a_file_make_room() {
        let found = |id: u32, path: &str, score: f32| {
            let mut found = found(path, score);
            found.chunk.id = id;
            found
        };
        let ranked = vec![
            found(1, "a", 1.0),
            found(2, "a", 0.9),
            found(3, "b", 0.6),
            found(4, "a", 0.7),
            found(5, "c", 0.1),
        ];
        let chosen = select_diverse(ranked, 4, CHUNK_DECAY);
        let ids: Vec<u32> = chosen.iter().map(|found| found.chunk.id).collect();
        assert_eq!(ids, [1, 3, 2, 4]);
        let scores: Vec<f32> = chosen.iter().map(|found| found.score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        assert_eq!(select_diverse(Vec::new(), 3, CHUNK_DECAY), []);
    }
}
