//! Kotlin. Its grammar misses the end of a member on one line with a closing brace, and takes some
//! variables for keywords. It also lacks guards and some places of annotations. Such files are
//! parsed a second time, simplified.

use super::source_patch::{
    after_annotations, after_arguments, after_blanks, before_blanks, blank, blank_annotations_of,
    code_of, next_word, rename, word_at, words,
};
use super::{
    AnonymousImplementations, BASE, Declaration, HeritageRules, Language, TestFileNames, UsageRules,
};
use kenning_model::Visibility;

pub static KOTLIN: Language = Language {
    name: "kotlin",
    extensions: &["kt", "kts"],
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility,
    test_marks: &["@Test", "@ParameterizedTest"],
    implicit: "it",
    prepare: Some(ended),
    simplify: &[simplify],
    heritage: HeritageRules {
        anonymous_implementations: AnonymousImplementations::Calls,
        ..BASE.heritage
    },
    usage: UsageRules {
        placeholder_names: &["object"],
        override_words: &["override"],
        attribute_openings: &["@"],
        harmless_attributes: HARMLESS_ANNOTATIONS,
        ..UsageRules::MAIN
    },
    test_files: TestFileNames::CAMEL,
    directory_stems: &["main"],
    path_keywords: &["super"],
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["private"]) {
        return Visibility::Private;
    }
    if declaration.says(&["internal", "protected"]) {
        Visibility::Internal
    } else {
        Visibility::Public
    }
}

/// Members that end before a brace end in a line of their own, variables that are called `final`,
/// `where` or `suspend` are called otherwise, and what the grammar does not know is written as what it knows.
fn simplify(text: &str) -> Option<String> {
    let code = code_of(text);
    let mut bytes = text.as_bytes().to_vec();
    for at in 1..code.len() {
        if code[at] == b'}' && code[at - 1] == b' ' && bytes[at - 1] == b' ' {
            bytes[at - 1] = b'\n';
        }
    }
    blank_annotations_of(&[b"get", b"set"], &code, &mut bytes);
    guards_as_conditions(&code, &mut bytes);
    join_constructors(text, &code, &mut bytes);
    let mut simpler = String::from_utf8(bytes).ok()?;
    for word in ["final", "where"] {
        simpler = rename(&simpler, word, is_name).unwrap_or(simpler);
    }
    simpler = rename(&simpler, "suspend", is_parameter).unwrap_or(simpler);
    (simpler != text).then_some(simpler)
}

/// True if the text after a keyword shows that it is a name. A name or an annotation follows a real
/// modifier or constraint.
fn is_name(after: &[u8]) -> bool {
    let (word, first) = next_word(after);
    word.is_empty() && !matches!(first, None | Some(b'\n' | b'\r' | b'@' | b'`' | b'/'))
}

/// True if what follows `suspend` shows that it is a parameter: it is given, or called. Types of
/// functions begin like a call, and go on with an arrow.
fn is_parameter(after: &[u8]) -> bool {
    let end = after_arguments(after, 0);
    let is_called = end > 0 && !after[after_blanks(after, end)..].starts_with(b"->");
    is_called || next_word(after).1 == Some(b'=')
}

/// `is A if b ->` as `is A ,  b ->`, and `else if b ->` as `b ->`.
fn guards_as_conditions(code: &[u8], bytes: &mut [u8]) {
    let mut previous = (0, 0);
    for (start, end) in words(code) {
        let before = std::mem::replace(&mut previous, (start, end));
        if &code[start..end] != b"if" || !is_guard(code, bytes, start, end) {
            continue;
        }
        if &code[before.0..before.1] == b"else" {
            blank(&mut bytes[before.0..end])
        } else {
            bytes[start..end].copy_from_slice(b", ")
        }
    }
}

/// True if an `if` follows a condition in its line, and an arrow follows it.
fn is_guard(code: &[u8], text: &[u8], start: usize, end: usize) -> bool {
    let line = code[..start].iter().rposition(|byte| *byte == b'\n');
    let line = line.map_or(0, |at| at + 1);
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

/// True if an arrow comes before anything that an expression of one line has not.
fn is_before_arrow(code: &[u8]) -> bool {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' if depth == 0 => return false,
            b')' | b']' => depth -= 1,
            b'{' | b'}' | b';' => return false,
            b'-' if depth == 0 && code.get(at + 1) == Some(&b'>') => return true,
            b'\n' if depth == 0 && !goes_on(code, at) => return false,
            _ => {}
        }
    }
    false
}

/// True if an expression goes on behind the end of a line.
fn goes_on(code: &[u8], line_end: usize) -> bool {
    let operators = [&b"&&"[..], b"||"];
    let before = &code[..before_blanks(code, line_end)];
    let after = &code[after_blanks(code, line_end)..];
    let mut operators = operators.iter();
    operators.any(|operator| before.ends_with(operator) || after.starts_with(operator))
}

/// A primary constructor that has modifiers begins in the line of its class: in the next, the class
/// has ended for the grammar.
fn join_constructors(text: &str, code: &[u8], bytes: &mut [u8]) {
    let mut at = 0;
    // The end of the last non-empty line, if that line opens a class.
    let mut class_end = None;
    for line in text.split_inclusive('\n') {
        let start = after_blanks(code, at);
        let line_end = at + line.len();
        if start < line_end {
            match class_end {
                Some(end) if is_constructor(code, start) && is_blank(&text[end..start]) => {
                    bytes[end..start].fill(b' ');
                }
                _ => {}
            }
            let end = before_blanks(code, line_end);
            let is_open = words(&code[start..end])
                .any(|(from, to)| &code[start + from..start + to] == b"class");
            class_end = (is_open && code[end - 1] != b'{').then_some(end);
        }
        at = line_end;
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// True if modifiers and annotations lead to a constructor.
fn is_constructor(code: &[u8], start: usize) -> bool {
    let modifiers: [&[u8]; 6] =
        [b"actual", b"expect", b"public", b"private", b"internal", b"protected"];
    let mut at = after_annotations(code, start);
    loop {
        let word = &code[at..at + word_at(code, at)];
        if !modifiers.contains(&word) {
            return word == b"constructor";
        }
        at = after_annotations(code, after_blanks(code, at + word.len()));
    }
}

/// Blanks every `@` in a last line that has no newline. The grammar's scanner looks for the end of
/// an annotation there past the end of the text, and never stops.
fn ended(text: &str) -> Option<String> {
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
