//! What a question is asked for: a text beside it that says more of what is meant. It shifts the
//! question and never replaces it: its words together count for less than the question's own, and
//! its direction for less than the question's.

use std::collections::HashSet;

use super::Question;
use crate::embed::tokenizer::{self, Word};

/// Of the worth of the question's words, so much goes to all new words of the context together.
const WORDS_SHARE: f32 = 0.25;

/// No single word of a context counts for more.
const MAX_WORD: f32 = 0.25;

/// How far the question's vector, of length 1, is moved towards the context's.
const SHIFT: f32 = 0.25;

/// Beyond this many, more words of a long text only add noise and time.
const MAX_WORDS: usize = 32;

/// Adds the words of the context to those that are searched for. What the question names, and what
/// kind it is, stays.
pub fn add_words(question: &mut Question, context: &str) {
    let known: HashSet<Word> = question.words.iter().map(|(word, _)| *word).collect();
    let new: Vec<Word> = tokenizer::of_question(context)
        .into_iter()
        .filter(|word| !known.contains(word))
        .take(MAX_WORDS)
        .collect();
    let worth: f32 = question.words.iter().map(|(_, weight)| weight).sum();
    let each = (worth * WORDS_SHARE / new.len().max(1) as f32).min(MAX_WORD);
    question.words.extend(new.into_iter().map(|word| (word, each)));
}

/// The question's vector, moved towards the context's; of length 1 again.
pub fn shifted(question: &[f32], context: &[f32]) -> Vec<f32> {
    let sum = question.iter().zip(context).map(|(a, b)| a + SHIFT * b);
    let sum: Vec<f32> = sum.collect();
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        sum.into_iter().map(|value| value / length).collect()
    } else {
        question.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_context_count_for_less() {
        let mut question = Question::new("open the session");
        let own = question.words.len();
        add_words(&mut question, "the database session and its pool of connections");
        assert!(question.words.len() > own);
        let worth = |words: &[(Word, f32)]| words.iter().map(|(_, weight)| weight).sum::<f32>();
        let (asked, context) = question.words.split_at(own);
        assert!(worth(context) <= WORDS_SHARE * worth(asked) + 1e-6);
        assert_eq!(question.word_set.len(), own);
    }

    #[test]
    fn a_shifted_vector_has_length_one_and_points_mostly_where_it_did() {
        let shifted = shifted(&[1.0, 0.0], &[0.0, 1.0]);
        let length: f32 = shifted.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-6);
        assert!(shifted[0] > 3.0 * shifted[1], "{shifted:?}");
    }
}
