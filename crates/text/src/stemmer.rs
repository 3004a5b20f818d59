//! The stemmer for English words, in code and in prose.
//!
//! It is coarse: documents and queries must only agree on a stem, which need not be a word. Code,
//! specs and skills had a stemmer each before. This one, which was made for code, ranked specs
//! better than theirs (MRR 0.457 against 0.449) and skills too (NDCG@10 0.894 against 0.888).

/// Suffixes that the stemmer removes, with the least length of the rest, and the replacement. A
/// longer suffix comes before a shorter one that ends it.
const ENDINGS: &[(&str, usize, &str)] = &[
    ("izations", 3, "iz"),
    ("ization", 3, "iz"),
    ("izers", 3, "iz"),
    ("izing", 3, "iz"),
    ("izer", 3, "iz"),
    ("ized", 3, "iz"),
    ("izes", 3, "iz"),
    ("ize", 3, "iz"),
    ("ations", 3, ""),
    ("ation", 3, ""),
    ("ators", 3, ""),
    ("ating", 3, ""),
    ("ator", 3, ""),
    ("ated", 3, ""),
    ("ates", 3, ""),
    ("ate", 3, ""),
    ("ments", 4, ""),
    ("ment", 4, ""),
    ("able", 4, ""),
    ("ible", 4, ""),
    ("ings", 3, ""),
    ("ing", 3, ""),
    ("ions", 4, ""),
    ("ion", 4, ""),
    ("ives", 4, ""),
    ("ive", 4, ""),
    ("ies", 2, "y"),
    ("ied", 2, "y"),
    ("ers", 3, ""),
    ("ors", 4, ""),
    ("er", 3, ""),
    ("or", 4, ""),
    ("ed", 3, ""),
    ("es", 3, ""),
    ("ly", 4, ""),
    ("e", 3, ""),
];

/// Replaces a lower-case word by its stem.
///
/// Words of fewer than four letters and words with letters beyond ASCII stay as they are.
///
/// ```
/// use kenning_text::stemmer::stem;
///
/// let stemmed = |word: &str| stem(&mut word.to_string()).to_string();
/// assert_eq!(stemmed("parsing"), stemmed("parser"));
/// assert_eq!(stemmed("queries"), "query");
/// assert_eq!(stemmed("größe"), "größe");
/// ```
pub fn stem(word: &mut String) -> &str {
    if word.len() < 4 || !word.is_ascii() {
        return word;
    }
    let last = word.as_bytes().last();
    let ending = ENDINGS.iter().find(|(ending, least, _)| {
        ending.as_bytes().last() == last
            && word.len() >= ending.len() + least
            && word.ends_with(ending)
    });
    if let Some((ending, _, instead)) = ending {
        word.truncate(word.len() - ending.len());
        word.push_str(instead);
        undouble(word);
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") {
        word.pop();
    }
    word
}

/// Removes a doubled final consonant: `runn` becomes `run`.
fn undouble(word: &mut String) {
    if let [.., a, b] = word.as_bytes()
        && a == b
        && word.len() > 3
        && !matches!(b, b'l' | b's' | b'z' | b'a' | b'e' | b'i' | b'o' | b'u')
    {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], expected: &str) {
        for word in words {
            assert_eq!(stem(&mut word.to_string()), expected, "{word}");
        }
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        check(&["parse", "parsed", "parsing", "parser"], "pars");
        check(&["authenticate", "authentication", "authenticator"], "authentic");
        check(&["serialization", "serializer", "serialize"], "serializ");
        check(&["updates", "updated", "updating"], "upd");
        check(&["running", "run"], "run");
        check(&["calls", "calling", "called"], "call");
        check(&["query", "queries"], "query");
        check(&["classes", "class"], "class");
        check(&["caches", "caching", "cache"], "cach");
    }

    #[test]
    fn short_and_foreign_words_stay() {
        for word in ["", "use", "as", "bus", "status", "проверяем", "größe"] {
            check(&[word], word);
        }
    }
}
