//! Case folding: names and words that differ only in case are the same.

/// Returns the text in lower case, for comparison only.
///
/// Unlike [`str::to_lowercase`] it does not depend on the place of a letter: a final sigma is a
/// sigma, so that the fold of a part is a part of the fold.
///
/// ```
/// use kenning_text::case_folding::fold;
///
/// assert_eq!(fold("Größe"), "größe");
/// assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
/// ```
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    text.chars().for_each(|c| push_folded(&mut folded, c));
    folded
}

/// True if the texts differ in nothing but case.
///
/// ```
/// use kenning_text::case_folding::is_equal;
///
/// assert!(is_equal("Session", "SESSION"));
/// assert!(!is_equal("größe", "grösse"));
/// ```
pub fn is_equal(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || !(a.is_ascii() && b.is_ascii()) && fold(a) == fold(b)
}

/// Appends the folded character.
pub(crate) fn push_folded(text: &mut String, c: char) {
    match c {
        c if c.is_ascii() => text.push(c.to_ascii_lowercase()),
        'ς' => text.push('σ'),
        c => text.extend(c.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_script_are_folded() {
        for (a, b, is_same) in [
            ("HTTP", "http", true),
            ("ÄÖ", "äö", true),
            ("ΣΑΣ", "σας", true),
            ("Ⅷ", "ⅷ", true),
            ("a", "b", false),
            ("é", "e", false),
            ("", "", true),
        ] {
            assert_eq!(fold(a) == fold(b), is_same, "{a} {b}");
            assert_eq!(is_equal(a, b), is_same, "{a} {b}");
        }
    }
}
