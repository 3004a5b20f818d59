//! The tokenizer for the word index. It is code-aware: an identifier counts as itself in any
//! spelling (`parse_url`, `parseURL`), and as each of its parts. Parts are stemmed, so that
//! `parsing` finds `Parser`. It does not weigh the words. [`crate::prose_tokenizer`] tokenizes
//! prose.

mod query_names;
pub(crate) mod split;
mod term_freq;

use std::cell::RefCell;

use kenning_model::fnv;

use crate::case_folding::fold;
use crate::stemmer::stem;
use crate::stop_words::is_stop_word;
pub use query_names::{identifiers, is_name, last_name, last_sign, owner};
use split::{Splitter, runs};
pub use term_freq::TermCounter;

/// The hash of a word, as it is stored and compared. Two words collide about once in a million
/// pairs of a large repository's vocabulary.
pub type Word = u32;

/// The longest part that is a word. Longer ones are hashes or encoded bytes, which nobody searches
/// for.
const MAX_PART: usize = 40;

/// Calls `visit` with every word of `text`, in order, as often as it occurs.
///
/// ```
/// use kenning_text::tokenizer::each;
///
/// let words = |text: &str| {
///     let mut words = Vec::new();
///     each(text, |word| words.push(word));
///     words
/// };
/// // `parse`, `url`, and the whole identifier.
/// assert_eq!(words("parseURL").len(), 3);
/// assert_eq!(words("parse_urls"), words("ParseUrl"));
/// ```
pub fn each(text: &str, mut visit: impl FnMut(Word)) {
    let mut splitter = Splitter::default();
    for identifier in runs(text) {
        visit_identifier(&mut splitter, identifier, &mut visit);
    }
}

/// Visits the parts of an identifier, and the identifier itself if it has several.
fn visit_identifier(splitter: &mut Splitter, identifier: &str, visit: &mut impl FnMut(Word)) {
    let parts = visit_parts(splitter, identifier, visit);
    let whole = splitter.last_identifier();
    if parts > 1 && whole.len() <= 2 * MAX_PART {
        visit(hash(stem(whole)));
    }
}

/// Visits the parts of an identifier, and returns their number.
fn visit_parts(splitter: &mut Splitter, identifier: &str, visit: &mut impl FnMut(Word)) -> usize {
    splitter.parts(identifier, &mut |part| {
        if part.len() <= MAX_PART {
            visit(hash(stem(part)));
        }
    })
}

/// Returns the parts of the identifiers of `text`, each once, in their order, without the
/// identifiers themselves. A name has few parts, so a linear search is faster than a hash set.
///
/// ```
/// use kenning_text::tokenizer::parts;
///
/// assert_eq!(parts("parse_url"), parts("url parse").into_iter().rev().collect::<Vec<_>>());
/// ```
pub fn parts(text: &str) -> Vec<Word> {
    thread_local! {
        static SPLITTER: RefCell<Splitter> = RefCell::default();
    }
    let mut parts = Vec::new();
    SPLITTER.with_borrow_mut(|splitter| {
        for identifier in runs(text) {
            visit_parts(splitter, identifier, &mut |word| {
                if !parts.contains(&word) {
                    parts.push(word);
                }
            });
        }
    });
    parts
}

/// Returns the words of a query, each once, in their order, without stop words. A query of
/// stop words only keeps them.
///
/// ```
/// use kenning_text::tokenizer::of_question;
///
/// assert_eq!(of_question("how does the parser work"), of_question("parser work"));
/// assert!(!of_question("how is it").is_empty());
/// ```
pub fn of_question(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut stop_words = Vec::new();
    let mut splitter = Splitter::default();
    for identifier in runs(text) {
        let lower = fold(identifier);
        let kept = if is_stop_word(&lower) { &mut stop_words } else { &mut words };
        visit_identifier(&mut splitter, identifier, &mut |word| {
            if !kept.contains(&word) {
                kept.push(word);
            }
        });
    }
    if words.is_empty() { stop_words } else { words }
}

/// A word of a query as it is spelled, and the words that it is indexed under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpelledWord {
    /// The spelling in the query.
    pub text: String,
    /// The parts of the identifier.
    pub parts: Vec<Word>,
    /// The identifier itself, if it has several parts.
    pub whole: Option<Word>,
}

/// Returns the words of a query as they are spelled, each once, in their order. It leaves out stop
/// words.
///
/// ```
/// use kenning_text::tokenizer::spelled_words;
///
/// let words = spelled_words("how is the parseURL done");
/// let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
/// assert_eq!(texts, ["parseURL"]);
/// assert_eq!(words[0].parts.len(), 2);
/// ```
pub fn spelled_words(text: &str) -> Vec<SpelledWord> {
    let mut splitter = Splitter::default();
    let mut words: Vec<SpelledWord> = Vec::new();
    for identifier in runs(text).filter(|identifier| !is_stop_word(&fold(identifier))) {
        if words.iter().any(|word| word.text == identifier) {
            continue;
        }
        let mut parts = Vec::new();
        let count = visit_parts(&mut splitter, identifier, &mut |word| parts.push(word));
        let whole = splitter.last_identifier();
        let is_indexed = count > 1 && whole.len() <= 2 * MAX_PART;
        let whole = is_indexed.then(|| hash(stem(whole)));
        words.push(SpelledWord { text: identifier.to_string(), parts, whole });
    }
    words
}

/// Hashes a word with FNV-1a, folded to 32 bits.
fn hash(word: &str) -> Word {
    let hash = fnv(word.as_bytes());
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Both texts, taken apart, share exactly these words.
    fn check(left: &str, right: &str, shared: usize) {
        let words = |text: &str| {
            let mut words = Vec::new();
            each(text, |word| words.push(word));
            words.sort_unstable();
            words.dedup();
            words
        };
        let right_words = words(right);
        let both = words(left).into_iter().filter(|word| right_words.contains(word));
        assert_eq!(both.count(), shared, "{left} / {right}");
    }

    #[test]
    fn parts_are_words_but_for_the_whole() {
        let mut all = HashSet::new();
        each("parse_url v2", |word| {
            all.insert(word);
        });
        let parts = parts("parse_url v2");
        assert_eq!((all.len(), parts.len()), (4, 3));
        assert!(parts.iter().all(|part| all.contains(part)));
    }

    #[test]
    fn identifiers_are_themselves_and_their_parts() {
        // parse, url, and the whole.
        check("parseURL", "parse_url", 3);
        check("HTTPServer", "http server", 2);
        check("HTTPServer", "httpserver", 1);
        check("getUserName2", "get_user_name2", 4);
        check("utf8", "UTF8", 1);
        check("größeBerechnen", "GRÖßE berechnen", 2);
        check("用户名", "用户", 2);
        check("a.b", "b", 1);
        check("", "x", 0);
    }

    #[test]
    fn grammar_is_cut_off() {
        for (left, right) in [
            ("parsing", "Parser"),
            ("parse", "parsed"),
            ("authentication", "authenticate"),
            ("authenticator", "authenticating"),
            ("queries", "query"),
            ("running", "run"),
            ("getter", "get"),
            ("connections", "connect"),
            ("caches", "caching"),
            ("serialization", "serializer"),
            ("errors", "error"),
            ("classes", "class"),
        ] {
            check(left, right, 1);
        }
        for (left, right) in [("user", "use"), ("status", "stat"), ("class", "clas")] {
            check(left, right, 0);
        }
    }

    #[test]
    fn a_question_keeps_what_carries_meaning() {
        assert_eq!(of_question("how does the parser work"), of_question("parser work"));
        assert_eq!(of_question("how is it"), of_question("how is it"));
        assert!(!of_question("how is it").is_empty());
        assert_eq!(of_question("login login").len(), 1);
    }
}
