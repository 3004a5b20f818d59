//! Pasted messages, as programs print them. A chunk that contains the words in a row is probably
//! the source. This reads chunk texts, so it runs only for queries that look like a message, and on
//! few chunks. It compares words and ignores signs, because a message and its source differ in
//! placeholders and quotes.

use std::collections::HashMap;

use crate::search::fusion::FusedCandidate;
use crate::search::parsed_query::{ParsedQuery, QueryKind};
use kenning_store::StoreError;
use kenning_store::backends::View;

/// The number of chunks that are read: those with the best word scores.
const MAX_READ_CHUNKS: usize = 60;

/// The shortest run of words that counts. Shorter ones match by chance.
const MIN_RUN: usize = 3;

/// The most words of a message. Longer texts are logs.
const MAX_MESSAGE_WORDS: usize = 24;

/// First words of questions and requests. Messages do not begin with them.
const QUESTION_OPENINGS: &[&str] = &[
    "how", "what", "where", "which", "who", "why", "when", "does", "do", "is", "are", "can",
    "could", "should", "find", "show", "list", "explain", "get", "give",
];

/// Returns the words of a query that looks like a message, in lower case; else nothing. A message
/// has signs that prose lacks, or begins like a sentence that is not a question.
///
/// A false positive costs little: the chunk texts are read, and no run is long enough.
pub fn message_words(query: &ParsedQuery) -> Vec<String> {
    let text = query.text.trim();
    let words: Vec<String> = split_words(&text.to_lowercase()).map(str::to_string).collect();
    let begins =
        |character: char| character.is_uppercase() || matches!(character, '"' | '\'' | '`');
    let is_sentence = text.starts_with(begins) && text.chars().any(char::is_lowercase);
    let has_signs = text.contains(['%', '"', '{', '`', '=']);
    let is_asking = text.ends_with('?')
        || words.first().is_some_and(|word| QUESTION_OPENINGS.contains(&word.as_str()));
    let is_message = query.kind != QueryKind::Name
        && (MIN_RUN..=MAX_MESSAGE_WORDS).contains(&words.len())
        && (is_sentence || has_signs)
        && !is_asking;
    if is_message { words } else { Vec::new() }
}

/// Sets `says` of the likeliest candidates: the share of the message that each has in a row.
///
/// Ties in the word score are broken by position, so the same chunks are read each time.
pub fn score_message_runs(
    view: &dyn View,
    phrase: &[String],
    candidates: &mut [FusedCandidate],
) -> Result<(), StoreError> {
    let mut likely: Vec<usize> = (0..candidates.len()).collect();
    likely.sort_by(|a, b| {
        let worth = |at: &usize| candidates[*at].retriever_scores.words;
        worth(b).total_cmp(&worth(a)).then(a.cmp(b))
    });
    likely.truncate(MAX_READ_CHUNKS);
    let chunks: Vec<_> = likely.iter().map(|at| candidates[*at].chunk.clone()).collect();
    for (at, text) in likely.into_iter().zip(view.texts(&chunks)?) {
        candidates[at].message_share = longest_run_share(phrase, &text);
    }
    Ok(())
}

/// Returns the length of the longest run of message words in the text, as a share of the message.
/// Runs shorter than `LEAST` give 0.
///
/// It tries every start in the message at every place of that word in the text. Messages have at
/// most 24 words, so this stays cheap.
fn longest_run_share(phrase: &[String], text: &str) -> f32 {
    let lower = text.to_lowercase();
    let mut places: HashMap<&str, Vec<usize>> =
        phrase.iter().map(|word| (word.as_str(), Vec::new())).collect();
    let said: Vec<&str> = split_words(&lower).collect();
    for (at, word) in said.iter().enumerate() {
        if let Some(places) = places.get_mut(word) {
            places.push(at);
        }
    }
    let mut longest = 0;
    for (start, word) in phrase.iter().enumerate() {
        for &place in &places[word.as_str()] {
            let both = phrase[start..].iter().zip(&said[place..]);
            longest = longest.max(both.take_while(|(asked, said)| asked == *said).count());
        }
    }
    if longest >= MIN_RUN { longest as f32 / phrase.len() as f32 } else { 0.0 }
}

/// Splits at everything that is not alphanumeric or `_`.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_message() {
        for (text, is_message) in [
            ("Cannot index %s with", true),
            ("Cannot iterate over null", true),
            ("No \"query\"-procedure on path", true),
            ("How are requests retried", false),
            ("Where is \"query\" parsed", false),
            ("request retry with backoff", false),
            ("Session", false),
            ("Too short", false),
            ("Is this on?", false),
        ] {
            let phrase = message_words(&ParsedQuery::new(text));
            assert_eq!(!phrase.is_empty(), is_message, "{text}");
        }
    }

    #[test]
    fn words_in_a_row() {
        let phrase: Vec<String> = ["cannot", "index", "number", "with"].map(String::from).into();
        for (text, share) in [
            ("error(\"Cannot index number with %s\")", 1.0),
            ("cannot index; cannot index number at all", 0.75),
            ("cannot index a number with it", 0.0),
            ("", 0.0),
        ] {
            assert_eq!(longest_run_share(&phrase, text), share, "{text}");
        }
    }
}
