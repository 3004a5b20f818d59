//! Swift. Its grammar knows neither the empty tuple as a value nor all attributes, and misreads
//! `#if` inside of bodies. Files with such errors are parsed a second time without the former. If
//! errors remain, a third time as one of their configurations.

mod resolution_rules;

use super::source_patch::{
    blank_accessor_annotations, blank_non_code, blank_out, end_before_blanks, is_word_byte,
    next_word, skip_arguments, skip_blanks, word_ranges,
};
use super::{BASE, DeclarationHead, HeritageRules, Language, TestFileNames, UsageRules};
use kenning_model::{ChunkKind, Visibility};

/// The language. Argument labels are part of a function's name, so overrides keep them.
pub static SWIFT: Language = Language {
    name: "swift",
    extensions: &["swift", "swiftinterface"],
    interpreters: &["swift"],
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    query: include_str!("query.scm"),
    argument_labels: &[("value_argument", "name")],
    visibility,
    test_marks: &["@Test", "@Suite"],
    prepare_source: Some(join_type_arguments),
    simplifications: &[simplify_source, keep_first_configuration],
    implicit_parameter: "$0",
    heritage: HeritageRules { overrides_keep_labels: true, ..BASE.heritage },
    usage: UsageRules {
        override_words: &["override"],
        computed_names: &["NSSelectorFromString", "Selector("],
        attribute_openings: &["@"],
        harmless_attributes: HARMLESS_ATTRIBUTES,
        ..UsageRules::MAIN
    },
    test_files: TestFileNames::CAMEL,
    generated_endings: &[".pb.swift", ".grpc.swift", ".generated.swift"],
    directory_stems: &["main"],
    path_keywords: &["self", "super"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Reads the modifiers. Requirements and members of extensions are as visible as what encloses
/// them, and so are the cases of an enum; the default is internal.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    // Only the setter is hidden by `private(set)`.
    let head = declaration.head.replace("private(set)", "").replace("fileprivate(set)", "");
    let declaration = DeclarationHead { head: &head, ..*declaration };
    if declaration.has_word(&["public", "open"]) {
        return Visibility::Public;
    }
    if declaration.has_word(&["private", "fileprivate"]) {
        return Visibility::Private;
    }
    let is_case = declaration.has_word(&["case"]);
    let outer = declaration.parent_visibility(&[ChunkKind::Protocol, ChunkKind::Extension]);
    let of_case = declaration.parent_visibility(&[ChunkKind::Enum]).filter(|_| is_case);
    outer.or(of_case).unwrap_or(Visibility::Internal)
}

/// Makes the type arguments of `Outer.Inner<T>(…)` a part of the name. The grammar takes them for
/// comparisons.
fn join_type_arguments(text: &str) -> Option<String> {
    if !text.contains(">(") {
        return None;
    }
    let code = blank_non_code(text);
    let mut bytes = text.as_bytes().to_vec();
    let mut is_changed = false;
    for (start, end) in word_ranges(&code) {
        let is_member = start > 1 && code[start - 1] == b'.' && is_word_byte(code[start - 2]);
        if !is_member || !code[start].is_ascii_uppercase() || code.get(end) != Some(&b'<') {
            continue;
        }
        if let Some(length) = type_arguments_length(&code[end..]) {
            bytes[end..end + length].fill(b'_');
            is_changed = true;
        }
    }
    String::from_utf8(bytes).ok().filter(|_| is_changed)
}

/// The longest list of type arguments, in bytes. It bounds the search after a comparison.
const MAX_TYPE_ARGUMENTS_BYTES: usize = 200;

/// Returns the length of the type arguments that `code` begins with, if a call follows them.
fn type_arguments_length(code: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate().take(MAX_TYPE_ARGUMENTS_BYTES) {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b'.' | b',' | b' ' | b'?' | b'[' | b']' | b':' => {}
            byte if is_word_byte(*byte) => {}
            _ => return None,
        }
        if depth == 0 {
            return (code.get(at + 1) == Some(&b'(')).then_some(at + 1);
        }
    }
    None
}

/// Blanks attributes and rewrites values that the grammar does not know.
fn simplify_source(text: &str) -> Option<String> {
    let code = blank_non_code(text);
    let mut bytes = text.as_bytes().to_vec();
    let accessors: [&[u8]; 4] = [b"get", b"set", b"_read", b"_modify"];
    blank_accessor_annotations(&accessors, &code, &mut bytes);
    blank_attributes(&code, &mut bytes);
    fill_tuples(&code, &mut bytes);
    rewrite_casts(&code, &mut bytes);
    let simpler = String::from_utf8(bytes).ok()?;
    (simpler != text).then_some(simpler)
}

/// Blanks attributes whose arguments are no expressions, and `@Sendable` before `func`.
fn blank_attributes(code: &[u8], bytes: &mut [u8]) {
    let unknown: [&[u8]; 4] = [b"_lifetime", b"lifetime", b"_specialize", b"specialize"];
    for (start, end) in word_ranges(code) {
        if start == 0 || code[start - 1] != b'@' {
            continue;
        }
        let word = &code[start..end];
        let is_of_function = word == b"Sendable" && next_word(&code[end..]).0 == b"func";
        if is_of_function || unknown.contains(&word) {
            blank_out(&mut bytes[start - 1..skip_arguments(code, end)]);
        }
    }
}

/// Replaces `()` as a value by another value, and blanks it after the name of a case. As a type,
/// and in a call, it stays.
fn fill_tuples(code: &[u8], bytes: &mut [u8]) {
    let empty = |(at, pair): (usize, &[u8])| (pair == b"()").then_some(at);
    for at in code.windows(2).enumerate().filter_map(empty) {
        let line = code[..at].iter().rposition(|byte| *byte == b'\n');
        let line = code[line.map_or(0, |line| line + 1)..at].trim_ascii_start();
        if line.starts_with(b"case .") && code.get(at + 2) == Some(&b':') {
            blank_out(&mut bytes[at..at + 2]);
        } else if is_tuple_value(code, at) {
            bytes[at..at + 2].copy_from_slice(b"00");
        }
    }
}

/// True if the `()` at `at` is a value: neither a type nor the brackets of a call.
fn is_tuple_value(code: &[u8], at: usize) -> bool {
    let before = &code[..end_before_blanks(code, at)];
    let after = &code[skip_blanks(code, at + 2)..];
    let is_apart = before.len() < at;
    let begins_line = code[before.len()..at].contains(&b'\n');
    let follows = match before.last() {
        None | Some(b'(' | b',' | b'{') => true,
        // A line after a colon, as in the body of a `case`, begins with a value.
        Some(b':') if begins_line => true,
        // A value follows an argument label. The type of a variable or of an unnamed parameter does
        // not count.
        Some(b':') => matches!(after.first(), Some(b',' | b')')) && !before.ends_with(b"_:"),
        // A return type follows `->`, and a type follows `==`.
        Some(b'>') => false,
        Some(b'=') => !before.ends_with(b"=="),
        // Right after a word, it calls.
        Some(_) => is_apart,
    };
    let makes_function: [&[u8]; 4] = [b"->", b"async", b"throws", b"rethrows"];
    follows && !makes_function.iter().any(|word| after.starts_with(word))
}

/// Rewrites `case _ as T` as `case is   T`, which has the same meaning.
fn rewrite_casts(code: &[u8], bytes: &mut [u8]) {
    let pattern = b"case _ as ";
    let found = |(at, part): (usize, &[u8])| (part == pattern).then_some(at + 5);
    for at in code.windows(pattern.len()).enumerate().filter_map(found) {
        bytes[at..at + 4].copy_from_slice(b"is  ");
    }
}

/// Blanks the lines of directives, and every branch but the first. `None` without an `#if`.
fn keep_first_configuration(text: &str) -> Option<String> {
    if !text.contains("#if") {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    // For each open `#if`, whether its first branch has ended.
    let mut open: Vec<bool> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let word = line.trim_start();
        let is_directive = ["#if", "#elseif", "#else", "#endif"]
            .iter()
            .any(|directive| word.starts_with(directive));
        if word.starts_with("#if") {
            open.push(false);
        } else if word.starts_with("#else")
            && let Some(ended) = open.last_mut()
        {
            *ended = true;
        }
        if is_directive || open.contains(&true) {
            blank_out(&mut bytes[at..at + line.len()]);
        }
        if word.starts_with("#endif") {
            open.pop();
        }
        at += line.len();
    }
    String::from_utf8(bytes).ok()
}

/// Attributes that do not register a definition with a caller.
const HARMLESS_ATTRIBUTES: &[&str] = &[
    "available",
    "backDeployed",
    "discardableResult",
    "dynamicCallable",
    "dynamicMemberLookup",
    "frozen",
    "inlinable",
    "inline",
    "MainActor",
    "nonobjc",
    "preconcurrency",
    "propertyWrapper",
    "resultBuilder",
    "Sendable",
    "testable",
    "unchecked",
    "usableFromInline",
    "ViewBuilder",
];

#[cfg(test)]
mod tests;
