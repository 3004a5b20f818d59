//! Stop words: words that occur in every text and say nothing about its subject.

/// The English stop words, sorted. `code`, `get` and `show` are among them because they say nothing
/// in a question about code; in questions about specs and skills they made no difference. Longer
/// lists, with `but`, `must`, `not`, `shall`, `use` and `want`, ranked specs worse (MRR 0.457 against
/// 0.470).
const ENGLISH: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "code",
    "could", "did", "do", "does", "done", "each", "for", "from", "get", "gets", "had", "has",
    "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our",
    "out", "should", "show", "so", "some", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "up", "us", "used", "using", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you",
    "your",
];

/// True if the lower-case word is a stop word.
///
/// ```
/// use kenning_text::stop_words::is_stop_word;
///
/// assert!(is_stop_word("the"));
/// assert!(!is_stop_word("parser"));
/// ```
pub fn is_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(ENGLISH.is_sorted());
        assert!(ENGLISH.iter().all(|word| is_stop_word(word)));
    }
}
