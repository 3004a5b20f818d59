//! Measures and reports what a grammar could not parse. Small errors are common and harmless. An
//! error that swallows the definitions around it is reported as a problem.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use crate::chunk::LineIndex;
use kenning_model::{Problem, RepoPath, Symbol};

/// Words that begin a definition in some language.
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

/// Words that may precede these.
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

/// Fewer lost definitions than this are an ordinary error.
const MIN_LOST_DEFINITIONS: usize = 2;

/// Fewer lines than these are an ordinary error: so many, and this part of all.
const MIN_LOST_LINES: usize = 20;
const LOST_LINES_DIVISOR: usize = 5;

/// That much of a file was not understood, if so: lines in errors that look like definitions of
/// which none was made, or a good part of all lines, as not every language has words for them.
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

fn line_of(byte: usize, lines: &LineIndex) -> u32 {
    lines.line_of(u32::try_from(byte).unwrap_or(u32::MAX))
}

fn lost_lines(tree: &Tree, lines: &LineIndex) -> BTreeSet<u32> {
    let mut lost = BTreeSet::new();
    visit_lost_tokens(tree, &mut |word| {
        lost.insert(line_of(word.start_byte(), lines));
    });
    lost
}

/// The lines within errors that look like definitions, without those whose name is known.
fn missing_definitions(tree: &Tree, lines: &LineIndex, symbols: &[Symbol]) -> BTreeSet<u32> {
    let errors = outermost_errors(tree).into_iter();
    let ranges: Vec<(u32, u32)> = errors
        .map(|error| (line_of(error.start_byte(), lines), line_of(error.end_byte(), lines)))
        .collect();
    let mut missing = BTreeSet::new();
    for (line, text) in (1u32..).zip(lines.text().lines()) {
        let is_within = ranges.iter().any(|(first, last)| (*first..=*last).contains(&line));
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

/// True if a line begins as definitions do, with a name after the word for it.
fn looks_like_definition(line: &str) -> bool {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| MODIFIERS.contains(word) || word.starts_with('@'));
    let is_defining = words.next().is_some_and(|word| DEFINITION_KEYWORDS.contains(&word));
    let names = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || "_<`(".contains(c));
    is_defining && words.next().is_some_and(names)
}

/// The errors that are in no other.
fn outermost_errors(tree: &Tree) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
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

/// How much of a text is part of nothing, or was made up.
pub fn measure_loss(tree: &Tree) -> usize {
    let mut loss = 0;
    visit_lost_tokens(tree, &mut |word| {
        loss += (word.end_byte() - word.start_byte()).max(1);
    });
    loss
}

/// Finds every token directly inside an error node, and every token that the parser inserted
/// because it is missing.
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
        // Words that no token is made of.
        if is_error && node.child_count() == 0 {
            found(node);
        }
    }
}
