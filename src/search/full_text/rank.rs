//! Ranking of text matches: by kind of match, then definitions of that name, then frequency, then
//! tests last. The path breaks ties, so that the order is deterministic.
//!
//! The parts of the score are chosen so that a better kind of match always wins. Names, frequency
//! and tests only decide within one kind.

use crate::search::full_text::{TextMatchKind, TextSearch, TextSearchHit};
use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_store::code::{ChunkRecord, TextMatch};

/// The base score of each kind of match. The other parts add less than the difference between two.
const EXACT: f32 = 0.7;
const IGNORING_CASE: f32 = 0.4;
const WORDS: f32 = 0.1;

/// A bonus for a chunk that is named exactly as the text.
const DEFINES: f32 = 0.2;
/// A bonus for a chunk whose name contains the text.
const SIMILAR_NAME: f32 = 0.05;
/// The most that frequency adds.
const FREQUENCY: f32 = 0.04;
/// A bonus that only breaks ties: of equal matches, code comes before tests.
const OUTSIDE_TESTS: f32 = 0.01;

/// Returns the best matches, at most `search.limit`. `matches` must not contain a chunk twice.
pub fn rank_matches(
    view: &dyn View,
    search: &TextSearch,
    matches: Vec<(TextMatch, TextMatchKind)>,
) -> Result<Vec<TextSearchHit>, StoreError> {
    let ids: Vec<u32> = matches.iter().map(|(found, _)| found.chunk).collect();
    let chunks = view.chunks(&ids)?;
    let mut ranked: Vec<TextSearchHit> = chunks
        .into_iter()
        .zip(matches)
        .map(|(chunk, (found, how))| TextSearchHit {
            score: score_match(&chunk, &found, how, search.text.trim()),
            chunk,
            kind: how,
            lines: found.lines,
        })
        .collect();
    ranked.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.chunk.path.cmp(&b.chunk.path)).then(a.chunk.span.cmp(&b.chunk.span))
    });
    ranked.truncate(search.limit);
    Ok(ranked)
}

/// Returns a score below 1. The symbol is compared ignoring case; an exact match of the text is
/// already in `how`.
fn score_match(chunk: &ChunkRecord, found: &TextMatch, how: TextMatchKind, text: &str) -> f32 {
    let mut score = match how {
        TextMatchKind::Exact => EXACT,
        TextMatchKind::IgnoringCase => IGNORING_CASE,
        TextMatchKind::Words => WORDS,
    };
    if let Some(symbol) = &chunk.symbol {
        let symbol = symbol.to_lowercase();
        let text = text.to_lowercase();
        if symbol == text {
            score += DEFINES;
        } else if symbol.contains(&text) {
            score += SIMILAR_NAME;
        }
    }
    let often = found.lines.len() as f32;
    // Saturates: the tenth occurrence says little more than the third.
    score += FREQUENCY * often / (often + 2.0);
    if !chunk.is_test {
        score += OUTSIDE_TESTS;
    }
    score
}
