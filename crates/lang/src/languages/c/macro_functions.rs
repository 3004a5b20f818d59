//! Functions that a macro defines: `SYSCALL_DEFINE(lseek, int, fd) { … }`. Attribute macros after
//! the end of a type: `struct a { … } __packed;`. The grammar reads both without an error: as a
//! call with a block after it, and as a variable.
//!
//! The text is rewritten at the same length. The macro's name stays, as the type of the function;
//! its other arguments are blanked, because they are not parameters.

use crate::brackets::find_closing_bracket;
use crate::languages::source_patch::{
    blank_non_code, blank_out, skip_arguments, skip_blanks, word_length_at, word_ranges,
};

/// Keywords that begin a type with a body.
const BODY_KEYWORDS: &[&[u8]] = &[b"struct", b"union", b"enum", b"class"];

/// Part of the names of macros that define test cases. Their arguments name a suite first, so they
/// stay as they are.
const TEST_WORD: &[u8] = b"TEST";

/// Rewrites the definitions of functions by macros, and blanks attribute macros after types. `None`
/// if the text has neither.
pub fn rewrite_macro_definitions(text: &str) -> Option<String> {
    let code = blank_non_code(text);
    let mut bytes = text.as_bytes().to_vec();
    let mut is_changed = false;
    for (start, end) in word_ranges(&code) {
        let word = &code[start..end];
        if is_outermost(&code, start) && super::preprocessor::is_macro_name(word) {
            is_changed |= rewrite_function(&code, &mut bytes, end);
        } else if BODY_KEYWORDS.contains(&word) && !is_typedef(&code, start) {
            is_changed |= blank_type_attributes(&code, &mut bytes, end);
        }
    }
    String::from_utf8(bytes).ok().filter(|_| is_changed)
}

/// True if a word begins a line that does not continue the line before: code at the level of the
/// file.
fn is_outermost(code: &[u8], start: usize) -> bool {
    let before = code[..start].trim_ascii_end();
    let is_line_start = start == 0 || code[start - 1] == b'\n';
    is_line_start && !before.ends_with(b"\\")
}

/// Rewrites `NAME(function, …) {` after the macro's name. False if it is something else.
fn rewrite_function(code: &[u8], bytes: &mut [u8], open: usize) -> bool {
    let after = skip_arguments(code, open);
    let body = skip_blanks(code, after);
    // The blank before the body becomes the closing bracket.
    if after <= open || code.get(body) != Some(&b'{') || body == after {
        return false;
    }
    let name = skip_blanks(code, open + 1);
    let name_end = name + word_length_at(code, name);
    let rest = skip_blanks(code, name_end);
    let is_name = name_end > name && !code[name].is_ascii_digit();
    let has_more = code.get(rest) == Some(&b',');
    let start = open - code[..open].iter().rev().take_while(|byte| **byte != b'\n').count();
    let is_test = code[start..open].windows(TEST_WORD.len()).any(|part| part == TEST_WORD);
    if !is_name || !has_more && rest + 1 != after || has_more && is_test {
        return false;
    }
    blank_out(&mut bytes[open..name]);
    blank_out(&mut bytes[name_end..after]);
    bytes[rest] = b'(';
    bytes[after] = b')';
    true
}

/// True if the keyword at `start` is in a `typedef`. The name of that type follows its body.
fn is_typedef(code: &[u8], start: usize) -> bool {
    let before = code[..start].trim_ascii_end();
    ["typedef", "const", "volatile"].iter().any(|word| before.ends_with(word.as_bytes()))
}

/// Blanks reserved names between the end of a type's body and the semicolon:
/// `} __packed __aligned(8);`.
fn blank_type_attributes(code: &[u8], bytes: &mut [u8], keyword_end: usize) -> bool {
    let name = skip_blanks(code, keyword_end);
    let open = skip_blanks(code, name + word_length_at(code, name));
    if code.get(open) != Some(&b'{') || open == name {
        return false;
    }
    let body = &code[..code.len().min(open + MAX_BODY_BYTES)];
    let Some(close) = find_closing_bracket(body, open) else {
        return false;
    };
    let first = skip_blanks(code, close + 1);
    let mut at = first;
    while code[at..].starts_with(b"__") {
        let word_end = at + word_length_at(code, at);
        at = skip_blanks(code, skip_arguments(code, word_end));
    }
    let is_attribute = at > first && code.get(at) == Some(&b';');
    if is_attribute {
        blank_out(&mut bytes[first..at]);
    }
    is_attribute
}

/// The longest body of a type, in bytes. It bounds the search, which runs for every type.
const MAX_BODY_BYTES: usize = 40_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_macros_define_have_the_name_of_the_first_argument() {
        for (text, rewritten) in [
            (
                "SYSCALL_DEFINE2(lseek, unsigned int, fd)\n{\n}",
                Some("SYSCALL_DEFINE2 lseek(                  ){\n}"),
            ),
            ("START_TEST(open) {\n}", Some("START_TEST open(){\n}")),
            (
                "struct a {\n  int b;\n} __packed __aligned(8);",
                Some("struct a {\n  int b;\n}                      ;"),
            ),
            // No definitions of one function.
            ("TEST(a, b) {\n}", None),
            ("  SYSCALL(a, b) {\n}", None),
            ("#define A \\\nFOR(a, b) {\n", None),
            ("DEFINE(a, b);\nint f() {}", None),
            ("f(a, b) {\n}", None),
            ("CASE(1) {\n}", None),
            ("typedef struct a { int b; } __a_t;", None),
            ("struct a { int b; } c;", None),
        ] {
            assert_eq!(rewrite_macro_definitions(text).as_deref(), rewritten, "{text}");
        }
    }
}
