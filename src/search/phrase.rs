//! Pasted messages, as programs print them. A chunk that contains the words in a row is probably
//! the source. This reads chunk texts, so it runs only for queries that look like a message, and on
//! few chunks.

use std::collections::HashMap;

use crate::search::fusion::Candidate;
use crate::search::parsed_query::{Kind, Question};
use kenning_store::StoreError;
use kenning_store::backends::View;

/// The number of chunks that are read: those with the best word scores.
const READ: usize = 60;

/// The shortest run of words that counts. Shorter ones match by chance.
const LEAST: usize = 3;

/// The most words of a message. Longer texts are logs.
const MOST: usize = 24;

/// First words of questions and requests. Messages do not begin with them.
const ASKING: &[&str] = &[
    "how", "what", "where", "which", "who", "why", "when", "does", "do", "is", "are", "can",
    "could", "should", "find", "show", "list", "explain", "get", "give",
];

/// Returns the words of a query that looks like a message, in lower case; else nothing. A message
/// has signs that prose lacks, or begins like a sentence that is not a question.
pub fn of_question(question: &Question) -> Vec<String> {
    let text = question.text.trim();
    let words: Vec<String> = words(&text.to_lowercase()).map(str::to_string).collect();
    let begins =
        |character: char| character.is_uppercase() || matches!(character, '"' | '\'' | '`');
    let is_sentence = text.starts_with(begins) && text.chars().any(char::is_lowercase);
    let has_signs = text.contains(['%', '"', '{', '`', '=']);
    let is_asking =
        text.ends_with('?') || words.first().is_some_and(|word| ASKING.contains(&word.as_str()));
    let is_message = question.kind != Kind::Name
        && (LEAST..=MOST).contains(&words.len())
        && (is_sentence || has_signs)
        && !is_asking;
    if is_message { words } else { Vec::new() }
}

/// Sets `says` of the likeliest candidates: the share of the message that each has in a row.
pub fn listen(
    view: &dyn View,
    phrase: &[String],
    candidates: &mut [Candidate],
) -> Result<(), StoreError> {
    let mut likely: Vec<usize> = (0..candidates.len()).collect();
    likely.sort_by(|a, b| {
        let worth = |at: &usize| candidates[*at].legs.words;
        worth(b).total_cmp(&worth(a)).then(a.cmp(b))
    });
    likely.truncate(READ);
    let chunks: Vec<_> = likely.iter().map(|at| candidates[*at].chunk.clone()).collect();
    for (at, text) in likely.into_iter().zip(view.texts(&chunks)?) {
        candidates[at].says = share_in_a_row(phrase, &text);
    }
    Ok(())
}

/// Returns the length of the longest run of message words in the text, as a share of the message.
/// Runs shorter than `LEAST` give 0.
fn share_in_a_row(phrase: &[String], text: &str) -> f32 {
    let lower = text.to_lowercase();
    let mut places: HashMap<&str, Vec<usize>> =
        phrase.iter().map(|word| (word.as_str(), Vec::new())).collect();
    let said: Vec<&str> = words(&lower).collect();
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
    if longest >= LEAST { longest as f32 / phrase.len() as f32 } else { 0.0 }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
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
            let phrase = of_question(&Question::new(text));
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
            assert_eq!(share_in_a_row(&phrase, text), share, "{text}");
        }
    }
}
