//! Reordering of the best hits by the scores of a reranker.
//!
//! A reranker reads query and text together, so it is slower and better than a retriever. This
//! module knows no model: it takes scores and blends them with the order so far.

use crate::search::SearchHit;

/// The number of best hits that the reranker reads.
///
/// Cost grows linearly with this number, and hits further down rarely become the best.
pub const RERANKED_HITS: usize = 50;

/// The least score of a hit that the reranker read. A hit with a score of 0 would not be shown.
const MIN_READ: f32 = 0.1;

/// Blends the reranker's scores into the hits, with weight `say`, and sorts them. The hits of
/// `rest`, which the reranker did not read, follow.
///
/// `scores` has one entry per hit of `found`, in its order; the scale does not matter. `say` is
/// between 0 (no effect) and 1 (the reranker alone decides). The sort is stable, so ties keep their
/// former order.
pub fn reorder_hits(
    found: Vec<SearchHit>,
    rest: Vec<SearchHit>,
    scores: &[f32],
    say: f32,
) -> Vec<SearchHit> {
    let before = normalise_min_max(found.iter().map(|one| one.score));
    let read = normalise_min_max(scores.iter().copied());
    let mut reordered: Vec<SearchHit> = found
        .into_iter()
        .zip(before.into_iter().zip(read))
        .map(|(mut one, (before, read))| {
            let score = MIN_READ + (1.0 - MIN_READ) * ((1.0 - say) * before + say * read);
            one.reasons.push(("reranker", score - one.score));
            one.score = score;
            one
        })
        .collect();
    reordered.sort_by(|a, b| b.score.total_cmp(&a.score));
    // Every reranked hit scores more than half of this, so none of these ranks higher.
    let unread = rest.into_iter().map(|one| SearchHit { score: MIN_READ / 2.0, ..one });
    reordered.extend(unread);
    reordered
}

/// Maps scores to the range from 0 to 1. If all are equal, each becomes 0.
fn normalise_min_max(scores: impl Iterator<Item = f32> + Clone) -> Vec<f32> {
    let least = scores.clone().fold(f32::INFINITY, f32::min);
    let most = scores.clone().fold(f32::NEG_INFINITY, f32::max);
    let range = if most > least { most - least } else { 1.0 };
    scores.map(|score| (score - least) / range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::found;

    #[test]
    fn a_reader_counts_as_far_as_it_has_a_say() {
        let order = |say: f32| {
            let before = [("a", 1.0), ("b", 0.9), ("c", 0.1)]
                .map(|(path, score)| found(path, score))
                .to_vec();
            let after = reorder_hits(before, vec![found("d", 0.05)], &[0.2, 7.0, 0.1], say);
            let paths = after.iter().map(|one| one.chunk.path.to_string());
            paths.collect::<String>()
        };
        assert_eq!(order(0.0), "abcd");
        assert_eq!(order(0.1), "abcd");
        assert_eq!(order(0.5), "bacd");
        assert_eq!(order(1.0), "bacd");
        assert!(reorder_hits(Vec::new(), Vec::new(), &[], 1.0).is_empty());
    }
}
