//! Tests of a fixture: `TEST_F(Fixture, Name) { … }`. The macro makes a class that extends the
//! fixture, so the body calls the members of the fixture without a receiver.
//!
//! The text is rewritten at the same length, to a function `Fixture::Name`.

use crate::languages::source_patch::{
    blank_non_code, skip_arguments, skip_blanks, word_length_at, word_ranges,
};

/// The macros whose first argument is a class.
const FIXTURE_MACROS: &[&str] = &["TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"];

/// Rewrites the tests of fixtures. `None` if the text has none.
pub(super) fn rewrite_fixture_tests(text: &str) -> Option<String> {
    if !FIXTURE_MACROS.iter().any(|name| text.contains(name)) {
        return None;
    }
    let code = blank_non_code(text);
    let mut bytes = text.as_bytes().to_vec();
    let mut is_changed = false;
    for (start, end) in word_ranges(&code) {
        let is_line_start = start == 0 || code[start - 1] == b'\n';
        let word = std::str::from_utf8(&code[start..end]).unwrap_or_default();
        if is_line_start && FIXTURE_MACROS.contains(&word) {
            is_changed |= rewrite_test(&code, &mut bytes, end);
        }
    }
    String::from_utf8(bytes).ok().filter(|_| is_changed)
}

/// Rewrites `(Fixture, Name) {` at `open` to ` Fixture::Name() {`. False if it is something else.
fn rewrite_test(code: &[u8], bytes: &mut [u8], open: usize) -> bool {
    let after = skip_arguments(code, open);
    let body = skip_blanks(code, after);
    let fixture = skip_blanks(code, open + 1);
    let comma = skip_blanks(code, fixture + word_length_at(code, fixture));
    let name = skip_blanks(code, comma + 1);
    let name_end = name + word_length_at(code, name);
    // The brackets of the function need the closing one and a blank after it, the separator needs
    // the comma and a blank.
    let is_test = after > open
        && code.get(body) == Some(&b'{')
        && body > after
        && comma > fixture
        && code[comma] == b','
        && code[comma + 1] == b' '
        && name_end > name
        && skip_blanks(code, name_end) + 1 == after;
    if is_test {
        bytes[open] = b' ';
        bytes[comma..comma + 2].copy_from_slice(b"::");
        bytes[after - 1] = b'(';
        bytes[after] = b')';
    }
    is_test
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_of_a_fixture_is_a_function_of_it() {
        for (text, rewritten) in [
            ("TEST_F(Log, Empty) { a(); }", Some("TEST_F Log::Empty(){ a(); }")),
            ("TYPED_TEST(Log,  Empty)\n{\n}", Some("TYPED_TEST Log:: Empty(){\n}")),
            ("TEST(Log, Empty) {}", None),
            ("TEST_F(Log, Empty);", None),
            ("TEST_F(Log) {}", None),
            ("TEST_F(Log, Empty){}", None),
            ("TEST_F(Log,Empty) {}", None),
            ("#define T TEST_F(Log, Empty) {}", None),
            ("TEST_F(Log, Em", None),
        ] {
            assert_eq!(rewrite_fixture_tests(text).as_deref(), rewritten, "{text}");
        }
    }
}
