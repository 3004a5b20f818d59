//! The tokenizer for prose: specs, skills and questions about them.
//!
//! It splits like the tokenizer for code, so that `parseUrl` in a sentence is `parse` and `url`, but
//! its terms are texts, not hashes, and an identifier does not count as a whole. Scripts without
//! word borders give pairs of neighbouring characters (bigrams).

use crate::stemmer::stem;
use crate::stop_words::is_stop_word;
use crate::tokenizer::split::{Splitter, ideograph, runs};

/// Returns the terms of a text in their order, with stop words.
///
/// ```
/// use kenning_text::prose_tokenizer::terms;
///
/// assert_eq!(terms("Parsing the getUser calls"), ["pars", "the", "get", "user", "call"]);
/// assert_eq!(terms("搜索规格"), ["搜索", "索规", "规格"]);
/// ```
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_word(text, |word| terms.push(stem(word).to_string()));
    terms
}

/// Returns the terms of a query, sorted, each once, without stop words. A query of stop words only
/// has no terms: it is about nothing.
///
/// ```
/// use kenning_text::prose_tokenizer::query_terms;
///
/// assert_eq!(query_terms("how does the cache expire?"), ["cach", "expir"]);
/// assert!(query_terms("how is it?").is_empty());
/// ```
pub fn query_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_word(text, |word| {
        if !is_stop_word(word) {
            terms.push(stem(word).to_string());
        }
    });
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Visits each word in lower case, and each bigram.
fn each_word(text: &str, mut visit: impl FnMut(&mut String)) {
    let mut splitter = Splitter::default();
    for run in runs(text) {
        let mut ideographs = IdeographRun::default();
        splitter.parts(run, &mut |part| match ideograph(part) {
            Some(ideograph) => ideographs.push(ideograph, &mut visit),
            None => {
                ideographs.end(&mut visit);
                visit(part);
            }
        });
        ideographs.end(&mut visit);
    }
}

/// A run of characters of a script without word borders.
#[derive(Default)]
struct IdeographRun {
    last: Option<char>,
    has_pair: bool,
}

impl IdeographRun {
    fn push(&mut self, ideograph: char, visit: &mut impl FnMut(&mut String)) {
        if let Some(last) = self.last.replace(ideograph) {
            self.has_pair = true;
            visit(&mut String::from_iter([last, ideograph]));
        }
    }

    /// Visits the character of a run that has only one.
    fn end(&mut self, visit: &mut impl FnMut(&mut String)) {
        if let Some(alone) = self.last.take()
            && !self.has_pair
        {
            visit(&mut alone.to_string());
        }
        self.has_pair = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "{text}");
    }

    #[test]
    fn words_are_split_and_stemmed() {
        check(
            "List_specs getScenario HTTPServer",
            &["list", "spec", "get", "scenario", "http", "serv"],
        );
        check("stopped calling status queries", &["stop", "call", "status", "query"]);
        check("kebab-case **`a-b`** C# .NET 8", &["kebab", "cas", "a", "b", "c", "net", "8"]);
        check("", &[]);
    }

    #[test]
    fn other_languages() {
        check("Größe 3 ab", &["größe", "3", "ab"]);
        check("проверь файл", &["проверь", "файл"]);
        check("搜索规格 x", &["搜索", "索规", "规格", "x"]);
        check("pdf文件 用", &["pdf", "文件", "用"]);
        check("a文b文件", &["a", "文", "b", "文件"]);
    }

    #[test]
    fn queries_have_each_term_once_and_no_stop_words() {
        assert_eq!(query_terms("The tests of the test cache"), ["cach", "test"]);
        assert_eq!(query_terms("does these have WHERE?"), [""; 0]);
    }
}
