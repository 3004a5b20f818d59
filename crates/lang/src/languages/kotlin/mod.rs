//! Kotlin. Its grammar misses the end of a member on one line with a closing brace, and takes some
//! variables for keywords. It also lacks guards and some places of annotations. Files with such
//! errors are parsed a second time, simplified.
//!
//! Each rewriting below names the gap of the grammar that it works around. If a new version of the
//! grammar closes a gap, delete its rewriting and run the tests.

mod resolution_rules;

use super::source_patch::{
    blank_accessor_annotations, blank_non_code, blank_out, end_before_blanks, next_word,
    rename_word, skip_annotations, skip_arguments, skip_blanks, word_length_at, word_ranges,
};
use super::{
    AnonymousImplementations, BASE, DeclarationHead, HeritageRules, Language, TestFileNames,
    UsageRules,
};
use kenning_model::Visibility;

/// The language. A closure's unnamed parameter is `it`.
pub static KOTLIN: Language = Language {
    name: "kotlin",
    extensions: &["kt", "kts"],
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility,
    test_marks: &["@Test", "@ParameterizedTest"],
    implicit_parameter: "it",
    prepare_source: Some(blank_last_line_annotations),
    simplifications: &[simplify_source],
    heritage: HeritageRules {
        anonymous_implementations: AnonymousImplementations::Calls,
        ..BASE.heritage
    },
    usage: UsageRules {
        placeholder_names: &["object"],
        entry_points: &["readObject", "writeObject", "readResolve", "writeReplace"],
        override_words: &["override"],
        computed_names: &["getDeclaredMethod", "declaredFunctions", "memberFunctions"],
        registry_words: &["sealedSubclasses", "getSubTypesOf", "isAssignableFrom"],
        attribute_openings: &["@"],
        harmless_attributes: HARMLESS_ANNOTATIONS,
        ..UsageRules::MAIN
    },
    test_files: TestFileNames::CAMEL,
    directory_stems: &["main"],
    path_keywords: &["super"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Reads the modifiers; the default is public.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["private"]) {
        return Visibility::Private;
    }
    if declaration.has_word(&["internal", "protected"]) {
        Visibility::Internal
    } else {
        Visibility::Public
    }
}

/// Rewrites what the grammar does not know as something that it knows:
/// - a member that ends before a brace ends in a line of its own
/// - variables called `final`, `where` or `suspend` get other names
/// - annotations of accessors go, guards become conditions
/// - constructors join the line of their class
fn simplify_source(text: &str) -> Option<String> {
    let code = blank_non_code(text);
    let mut bytes = text.as_bytes().to_vec();
    for at in 1..code.len() {
        if code[at] == b'}' && code[at - 1] == b' ' && bytes[at - 1] == b' ' {
            bytes[at - 1] = b'\n';
        }
    }
    blank_accessor_annotations(&[b"get", b"set"], &code, &mut bytes);
    rewrite_guards(&code, &mut bytes);
    join_constructors(text, &code, &mut bytes);
    let mut simpler = String::from_utf8(bytes).ok()?;
    for word in ["final", "where"] {
        simpler = rename_word(&simpler, word, is_name_before).unwrap_or(simpler);
    }
    simpler = rename_word(&simpler, "suspend", is_parameter_before).unwrap_or(simpler);
    (simpler != text).then_some(simpler)
}

/// True if the text after a keyword shows that it is a name. A name or an annotation follows a real
/// modifier or constraint.
fn is_name_before(after: &[u8]) -> bool {
    let (word, first) = next_word(after);
    word.is_empty() && !matches!(first, None | Some(b'\n' | b'\r' | b'@' | b'`' | b'/'))
}

/// True if the text after `suspend` shows that it is a parameter: it is assigned or called. The
/// type of a function begins like a call, and continues with an arrow.
fn is_parameter_before(after: &[u8]) -> bool {
    let end = skip_arguments(after, 0);
    let is_called = end > 0 && !after[skip_blanks(after, end)..].starts_with(b"->");
    is_called || next_word(after).1 == Some(b'=')
}

/// Rewrites guards as conditions: `is A if b ->` as `is A ,  b ->`, and `else if b ->` as `b ->`.
fn rewrite_guards(code: &[u8], bytes: &mut [u8]) {
    let mut previous = (0, 0);
    for (start, end) in word_ranges(code) {
        let before = std::mem::replace(&mut previous, (start, end));
        if &code[start..end] != b"if" || !is_guard(code, bytes, start, end) {
            continue;
        }
        if &code[before.0..before.1] == b"else" {
            blank_out(&mut bytes[before.0..end])
        } else {
            bytes[start..end].copy_from_slice(b", ")
        }
    }
}

/// True if an `if` follows a condition on its line, and an arrow follows the `if`.
fn is_guard(code: &[u8], text: &[u8], start: usize, end: usize) -> bool {
    let line = code[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    // Literals are conditions, too.
    let condition = text[line..start].trim_ascii();
    let is_condition = condition
        .last()
        .is_some_and(|last| last.is_ascii_alphanumeric() || b"_>)?\"'".contains(last));
    let ends_otherwise = [&b"->"[..], b"return"];
    is_condition
        && !ends_otherwise.iter().any(|other| condition.ends_with(other))
        && is_before_arrow(&code[end..])
}

/// True if an arrow follows before anything that ends an expression.
fn is_before_arrow(code: &[u8]) -> bool {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' if depth == 0 => return false,
            b')' | b']' => depth -= 1,
            b'{' | b'}' | b';' => return false,
            b'-' if depth == 0 && code.get(at + 1) == Some(&b'>') => return true,
            b'\n' if depth == 0 && !is_continued(code, at) => return false,
            _ => {}
        }
    }
    false
}

/// True if an expression continues after the end of a line: an operator is on either side.
fn is_continued(code: &[u8], line_end: usize) -> bool {
    let operators = [&b"&&"[..], b"||"];
    let before = &code[..end_before_blanks(code, line_end)];
    let after = &code[skip_blanks(code, line_end)..];
    let mut operators = operators.iter();
    operators.any(|operator| before.ends_with(operator) || after.starts_with(operator))
}

/// Moves a primary constructor with modifiers to the line of its class. On the next line, the class
/// has ended for the grammar.
fn join_constructors(text: &str, code: &[u8], bytes: &mut [u8]) {
    let mut at = 0;
    // The end of the last non-empty line, if that line opens a class.
    let mut class_end = None;
    for line in text.split_inclusive('\n') {
        let start = skip_blanks(code, at);
        let line_end = at + line.len();
        if start < line_end {
            match class_end {
                Some(end) if is_constructor(code, start) && is_blank(&text[end..start]) => {
                    bytes[end..start].fill(b' ');
                }
                _ => {}
            }
            let end = end_before_blanks(code, line_end);
            let is_open = word_ranges(&code[start..end])
                .any(|(from, to)| &code[start + from..start + to] == b"class");
            class_end = (is_open && code[end - 1] != b'{').then_some(end);
        }
        at = line_end;
    }
}

/// True if the text is only white space. Comments between class and constructor must stay.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// True if modifiers and annotations lead to the keyword `constructor`.
fn is_constructor(code: &[u8], start: usize) -> bool {
    let modifiers: [&[u8]; 6] =
        [b"actual", b"expect", b"public", b"private", b"internal", b"protected"];
    let mut at = skip_annotations(code, start);
    loop {
        let word = &code[at..at + word_length_at(code, at)];
        if !modifiers.contains(&word) {
            return word == b"constructor";
        }
        at = skip_annotations(code, skip_blanks(code, at + word.len()));
    }
}

/// Blanks every `@` in a last line that has no newline. The grammar's scanner looks for the end of
/// an annotation there past the end of the text, and never stops.
fn blank_last_line_annotations(text: &str) -> Option<String> {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let last = &text[start..];
    last.contains('@').then(|| format!("{}{}", &text[..start], last.replace('@', " ")))
}

/// Annotations that do not register a definition with a caller.
const HARMLESS_ANNOTATIONS: &[&str] = &[
    "CheckReturnValue",
    "Contract",
    "Deprecated",
    "Immutable",
    "JvmField",
    "JvmName",
    "JvmOverloads",
    "JvmStatic",
    "NotNull",
    "Nullable",
    "OptIn",
    "PublishedApi",
    "Serializable",
    "Suppress",
    "ThreadSafe",
    "Throws",
    "VisibleForTesting",
];

#[cfg(test)]
mod tests;
