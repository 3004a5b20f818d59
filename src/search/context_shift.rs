//! Shifts a query by its context, a text that says what the query is for. The context never
//! outweighs the query: its words together weigh less than the query's words. Its vector weighs
//! less than the query's vector.

use std::collections::HashSet;

use crate::search::ParsedQuery;
use kenning_text::tokenizer::{self, Word};

/// The share of the query's total word weight that all new words of the context get together.
const WORDS_SHARE: f32 = 0.25;

/// The largest weight of a single context word.
const MAX_WORD_WEIGHT: f32 = 0.25;

/// The weight of the context's vector when it is added to the query's vector of length 1.
const VECTOR_WEIGHT: f32 = 0.25;

/// The most context words that are used. More words of a long text only add noise and time.
const MAX_WORDS: usize = 32;

/// Adds the words of the context to the search terms. The names and the kind of the query stay as
/// they are.
///
/// Words that the query already has keep their weight. The new words share a fixed budget, so a
/// long context does not drown a short query.
pub fn add_context_words(query: &mut ParsedQuery, context: &str) {
    let known: HashSet<Word> = query.words.iter().map(|(word, _)| *word).collect();
    let new: Vec<Word> = tokenizer::of_question(context)
        .into_iter()
        .filter(|word| !known.contains(word))
        .take(MAX_WORDS)
        .collect();
    let worth: f32 = query.words.iter().map(|(_, weight)| weight).sum();
    let each = (worth * WORDS_SHARE / new.len().max(1) as f32).min(MAX_WORD_WEIGHT);
    query.words.extend(new.into_iter().map(|word| (word, each)));
}

/// Returns the query's vector, moved towards the context's and normalized to length 1.
///
/// Both vectors must have the same dimension. A zero sum has no direction, so the query's vector is
/// returned as it is.
pub fn shift_vector(query: &[f32], context: &[f32]) -> Vec<f32> {
    let sum: Vec<f32> = query.iter().zip(context).map(|(a, b)| a + VECTOR_WEIGHT * b).collect();
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        sum.into_iter().map(|value| value / length).collect()
    } else {
        query.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_context_count_for_less() {
        let mut query = ParsedQuery::new("open the session");
        let own = query.words.len();
        add_context_words(&mut query, "the database session and its pool of connections");
        assert!(query.words.len() > own);
        let worth = |words: &[(Word, f32)]| words.iter().map(|(_, weight)| weight).sum::<f32>();
        let (asked, context) = query.words.split_at(own);
        assert!(worth(context) <= WORDS_SHARE * worth(asked) + 1e-6);
        assert_eq!(query.word_set.len(), own);
    }

    #[test]
    fn a_shifted_vector_has_length_one_and_points_mostly_where_it_did() {
        let shifted = shift_vector(&[1.0, 0.0], &[0.0, 1.0]);
        let length: f32 = shifted.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-6);
        assert!(shifted[0] > 3.0 * shifted[1], "{shifted:?}");
    }
}
