//! Trigrams: three consecutive bytes of a text in lower case, as one number. Servers use them to
//! narrow text search; false positives are removed by reading the texts. The embedded store indexes
//! words instead (see `word_index`).

/// Returns the distinct trigrams of a text, sorted.
pub fn extract(text: &str) -> Vec<u32> {
    let bytes = fold_case(text);
    let mut grams: Vec<u32> =
        bytes.windows(3).map(|gram| u32::from_be_bytes([0, gram[0], gram[1], gram[2]])).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// Folds as a case-insensitive regular expression does: the Kelvin sign and the long s are case
/// variants of `k` and `s`.
fn fold_case(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{212a}' => bytes.push(b'k'),
            '\u{17f}' => bytes.push(b's'),
            letter if letter.is_ascii() => bytes.push(letter.to_ascii_lowercase() as u8),
            letter => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_grams_of_the_whole() {
        let whole = extract("fn Überlänge(Tas\u{212a}: u8)");
        for part in ["Über", "task", "TASK", "länge(", "u8)"] {
            assert!(extract(part).iter().all(|gram| whole.contains(gram)), "{part}");
        }
        assert!(!extract("tusk").iter().all(|gram| whole.contains(gram)));
        assert!(extract("ab").is_empty());
    }
}
