//! Objective-C. A category and an implementation extend their class. The queries and rules of C
//! serve the parts that the languages share.

use super::c::{USAGE, static_visibility};
use super::{BASE, Language, Redeclarations, TestFileNames, UsageRules};

/// The language. Its query extends that of C.
pub static OBJC: Language = Language {
    name: "objc",
    extensions: &["m", "mm", "h"],
    claims_file: Some(is_objc),
    grammar: || tree_sitter_objc::LANGUAGE.into(),
    query: concat!(include_str!("query.scm"), include_str!("../c/query.scm")),
    visibility: static_visibility,
    simplifications: &[blank_macro_lines],
    // `alloc` and `init` make an object; the runtime calls `initialize` of its class.
    usage: UsageRules { entry_points: &["init", "initialize"], ..USAGE },
    test_files: TestFileNames::CAMEL,
    directory_stems: &["main"],
    path_keywords: &["self", "super"],
    redeclarations: Redeclarations::Prototypes,
    resolution: &super::c::resolution_rules::RULES,
    ..BASE
};

/// Blanks lines that are one macro, such as `NS_ASSUME_NONNULL_BEGIN`. After one, the grammar reads
/// the next declaration wrongly.
fn blank_macro_lines(text: &str) -> Option<String> {
    let is_macro = |line: &str| {
        // Blanks of other scripts stay: positions are in bytes, and a blank takes one.
        let word = line.trim_matches(|c: char| c.is_ascii_whitespace());
        word.contains('_')
            && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    let lines = text.split_inclusive('\n').map(|line| {
        if is_macro(line) {
            line.replace(|c: char| c != '\n' && c != '\r', " ")
        } else {
            line.to_string()
        }
    });
    Some(lines.collect())
}

/// True for every extension but `.h`, and for a header with a line that begins with a word of
/// Objective-C.
fn is_objc(path: &str, text: &str) -> bool {
    let words =
        ["@interface", "@protocol", "@class", "@import", "#import", "NS_ASSUME_NONNULL_BEGIN"];
    !path.ends_with(".h")
        || text.lines().any(|line| words.iter().any(|word| line.starts_with(word)))
}

#[cfg(test)]
mod tests;
