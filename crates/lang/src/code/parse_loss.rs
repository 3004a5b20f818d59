//! Measures and reports what a grammar could not parse. Small errors are common and harmless. An
//! error that swallows the definitions around it is reported as a problem.
//!
//! Two signs tell a harmful error: lines that look like definitions and yielded no symbol, or many
//! lines with lost tokens. The second is for languages without keywords for definitions.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use super::normalize_names::slice;
use super::range_sweep::ByteRange;
use crate::chunk::LineIndex;
use kenning_model::{Problem, RepoPath, Symbol};

/// Keywords that begin a definition in some language.
const DEFINITION_KEYWORDS: &[&str] = &[
    "actor",
    "class",
    "def",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "object",
    "protocol",
    "struct",
    "trait",
    "typealias",
];

/// Keywords that may precede a definition keyword.
const MODIFIERS: &[&str] = &[
    "abstract",
    "actual",
    "async",
    "const",
    "data",
    "default",
    "expect",
    "export",
    "fileprivate",
    "final",
    "indirect",
    "infix",
    "inline",
    "internal",
    "mutating",
    "open",
    "operator",
    "override",
    "private",
    "protected",
    "pub",
    "pub(crate)",
    "public",
    "sealed",
    "static",
    "suspend",
    "unsafe",
];

/// The number of missing definitions from which on they are reported. A single one is an ordinary
/// error.
const MIN_LOST_DEFINITIONS: usize = 2;

/// The number of lines with lost tokens from which on they are reported.
const MIN_LOST_LINES: usize = 20;
/// They must also be at least this fraction of the file: one line in five.
const LOST_LINES_DIVISOR: usize = 5;

/// Returns a problem if the grammar missed much of a file. It names the first and the last line
/// that is affected.
pub fn report_loss(
    path: &RepoPath,
    tree: &Tree,
    lines: &LineIndex,
    symbols: &[Symbol],
) -> Option<Problem> {
    if !tree.root_node().has_error() {
        return None;
    }
    let missing = missing_definitions(tree, lines, symbols);
    let lost = lost_lines(tree, lines);
    let all = lines.text().lines().count();
    let is_much = lost.len() >= MIN_LOST_LINES && lost.len() * LOST_LINES_DIVISOR >= all;
    let told = match (missing.len() >= MIN_LOST_DEFINITIONS, is_much) {
        (true, _) => missing,
        (false, true) => lost,
        (false, false) => return None,
    };
    let (first, last) = (*told.first()?, *told.last()?);
    let message = format!(
        "the grammar did not understand all of lines {first} to {last}; what they define may be missing"
    );
    Some(Problem::new(path, message).at_line(first))
}

/// Returns a problem if arguments of macros look like definitions and were not read as such. It
/// names the first and the last of these lines.
pub fn report_unread_macros(
    path: &RepoPath,
    arguments: &[ByteRange],
    lines: &LineIndex,
) -> Option<Problem> {
    let mut lost = BTreeSet::new();
    for range in arguments {
        let first = lines.line_of(range.start);
        let text = slice(lines.text(), *range);
        let looks = (first..).zip(text.lines()).filter(|(_, line)| looks_like_definition(line));
        lost.extend(looks.map(|(line, _)| line));
    }
    let (first, last) = (*lost.first()?, *lost.last()?);
    let message = format!(
        "the arguments of macros in lines {first} to {last} are no items of the language; what they define is missing"
    );
    Some(Problem::new(path, message).at_line(first))
}

/// The line of a byte offset of tree-sitter.
fn line_of(byte: usize, lines: &LineIndex) -> u32 {
    lines.line_of(u32::try_from(byte).unwrap_or(u32::MAX))
}

/// The lines that contain lost tokens.
fn lost_lines(tree: &Tree, lines: &LineIndex) -> BTreeSet<u32> {
    let mut lost = BTreeSet::new();
    visit_lost_tokens(tree, &mut |word| {
        lost.insert(line_of(word.start_byte(), lines));
    });
    lost
}

/// The lines within errors that look like definitions, without those whose name is a known symbol.
fn missing_definitions(tree: &Tree, lines: &LineIndex, symbols: &[Symbol]) -> BTreeSet<u32> {
    let errors = outermost_errors(tree).into_iter();
    let ranges: Vec<(u32, u32)> = errors
        .map(|error| (line_of(error.start_byte(), lines), line_of(error.end_byte(), lines)))
        .collect();
    let mut missing = BTreeSet::new();
    for (line, text) in (1u32..).zip(lines.text().lines()) {
        let is_within = ranges.iter().any(|(first, last)| (*first..=*last).contains(&line));
        // Only symbols around the line count: another file part may define the same name.
        let is_known = || {
            let mut here = symbols.iter().filter(|symbol| symbol.span.has_line(line));
            here.any(|symbol| text.contains(symbol.name.as_str()))
        };
        if is_within && looks_like_definition(text) && !is_known() {
            missing.insert(line);
        }
    }
    missing
}

/// True if a line begins with a definition keyword, after modifiers, and a name follows.
fn looks_like_definition(line: &str) -> bool {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| MODIFIERS.contains(word) || word.starts_with('@'));
    let is_defining = words.next().is_some_and(|word| DEFINITION_KEYWORDS.contains(&word));
    let names = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || "_<`(".contains(c));
    is_defining && words.next().is_some_and(names)
}

/// The error nodes that are in no other error node.
fn outermost_errors(tree: &Tree) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    // An explicit stack: hostile text nests deeper than the call stack allows.
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.is_error() {
            found.push(node);
            continue;
        }
        let inner = node.children(&mut cursor);
        open.extend(inner.filter(|child| child.has_error()));
    }
    found
}

/// Returns the number of bytes in lost tokens. A token that the parser inserted counts as one byte.
pub fn measure_loss(tree: &Tree) -> usize {
    let mut loss = 0;
    visit_lost_tokens(tree, &mut |word| {
        loss += (word.end_byte() - word.start_byte()).max(1);
    });
    loss
}

/// Calls `found` for every token directly inside an error node, and for every token that the parser
/// inserted because it is missing. Subtrees without errors are not visited.
pub fn visit_lost_tokens<'t>(tree: &'t Tree, found: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = tree.walk();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        let is_error = node.is_error();
        for child in node.children(&mut cursor) {
            let is_word = child.child_count() == 0 && !child.is_extra();
            if child.is_missing() || is_error && is_word {
                found(child);
            } else if child.has_error() {
                open.push(child);
            }
        }
        // An error without children is text that the lexer could not read.
        if is_error && node.child_count() == 0 {
            found(node);
        }
    }
}
