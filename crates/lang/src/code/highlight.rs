//! Syntax highlighting from the syntax tree alone. The rules hold for every grammar, so that a new
//! language needs none of its own. The front ends choose the colours.
//!
//! Grammars name their nodes alike: `string`, `comment`, `type_identifier`. The rules look for such
//! words in node kinds. An unknown kind stays plain, and no rule can fail.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::parse;
use crate::languages;

/// The highlight class of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HighlightClass {
    Keyword,
    String,
    Comment,
    Number,
    Type,
    Function,
    /// A key, a property or an attribute's name.
    Property,
    Constant,
    /// A heading of a text.
    Title,
}

/// Returns the pieces that have a class, in the order of the text and without overlap. Ranges are
/// in bytes. Empty for an unknown language, and for a text that cannot be parsed within bounds.
pub fn highlight(language: &str, text: &str) -> Vec<(Range<usize>, HighlightClass)> {
    let tree = languages::by_name(language)
        .and_then(|language| parse::parse_tree(language, text, &|| true));
    let Some(tree) = tree else {
        return Vec::new();
    };
    let mut pieces = Vec::new();
    walk_tree(&mut tree.walk(), text, &mut pieces);
    pieces
}

/// Facts about a node that follow from its ancestors.
#[derive(Clone, Copy, Default)]
struct NodeContext {
    /// The class of everything below, unless an inner node sets another.
    class: Option<HighlightClass>,
    /// True for the callee of a call, and for the name in the definition of a function.
    is_function: bool,
    /// True for the key of a pair.
    is_key: bool,
    /// True for the parts of a type.
    is_type: bool,
}

/// Visits the tree without recursion: texts may nest as deep as the parser lets them.
fn walk_tree(
    cursor: &mut TreeCursor,
    text: &str,
    pieces: &mut Vec<(Range<usize>, HighlightClass)>,
) {
    let mut around = vec![NodeContext::default()];
    loop {
        let node = cursor.node();
        let outer = *around.last().expect("the root's is never taken");
        let here = derive_context(outer, cursor, &node);
        // A comment is one piece, whatever the grammar finds in it.
        let is_whole = here.class == Some(HighlightClass::Comment);
        if !is_whole && cursor.goto_first_child() {
            around.push(here);
            continue;
        }
        if let Some(class) = leaf_class(&node, here, text) {
            add_piece(pieces, node.byte_range(), class, text);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            around.pop();
        }
    }
}

/// Computes the context of a node, which its children inherit.
fn derive_context(outer: NodeContext, cursor: &TreeCursor, node: &Node) -> NodeContext {
    let kind = node.kind();
    let field = cursor.field_name().unwrap_or_default();
    let parent = node.parent();
    let parent_kind = parent.map_or("", |parent| parent.kind());
    // Grammars of data formats name the node of `key: value` in one of these ways.
    let is_pair = ["pair", "block_mapping_pair", "flow_pair", "table"].contains(&parent_kind);
    let is_first = parent.is_some_and(|parent| parent.start_byte() == node.start_byte());
    let is_callee =
        CALLEE_FIELDS.contains(&field) && contains_any(parent_kind, &["call", "invocation"]);
    let is_named =
        field == "name" && contains_any(parent_kind, &["function", "method", "constructor"]);
    // In `a.b.c()`, the last name is the callee.
    let is_unnamed = field.is_empty() && node.child_count() == 0 && !is_first;
    let is_last = outer.is_function && (MEMBER_FIELDS.contains(&field) || is_unnamed);
    NodeContext {
        class: if node.is_named() { inherit_class(outer.class, kind) } else { outer.class },
        is_function: is_callee || is_named || is_last,
        is_key: outer.is_key || is_pair && (field == "key" || field.is_empty() && is_first),
        is_type: kind.contains("type")
            && !contains_any(kind, &["argument", "parameter", "definition"])
            || outer.is_type && node.child_count() == 0,
    }
}

/// The fields in which grammars store the callee of a call.
const CALLEE_FIELDS: &[&str] = &["function", "name", "method", "target", "constructor"];

/// The fields in which grammars store the last part of a path.
const MEMBER_FIELDS: &[&str] =
    &["field", "property", "attribute", "name", "suffix", "method", "member"];

/// The class that everything below a node of this kind has, unless an inner node sets another.
fn inherit_class(outer: Option<HighlightClass>, kind: &str) -> Option<HighlightClass> {
    if kind.contains("comment") {
        return Some(HighlightClass::Comment);
    }
    // The code in `"${name}"` is code again, and no longer text.
    if contains_any(kind, &["interpolation", "substitution", "expansion", "embedded"]) {
        return None;
    }
    let is_text =
        contains_any(kind, &["string", "char_literal", "character", "heredoc", "quoted_"])
            || contains_any(
                kind,
                &["template_literal", "fenced_code", "code_span", "regex", "sigil"],
            );
    match kind {
        _ if is_text => Some(HighlightClass::String),
        "atx_heading" | "setext_heading" => Some(HighlightClass::Title),
        "attribute_item" | "annotation" | "decorator" | "marker_annotation" => {
            Some(HighlightClass::Property)
        }
        _ => outer,
    }
}

/// Returns the class of a leaf. The context decides first, then the text, then the kind.
fn leaf_class(leaf: &Node, around: NodeContext, text: &str) -> Option<HighlightClass> {
    let written = text.get(leaf.byte_range())?;
    let kind = leaf.kind();
    if let Some(class) = around.class {
        let is_key = class == HighlightClass::String && around.is_key;
        return Some(if is_key { HighlightClass::Property } else { class });
    }
    let is_word = written.chars().all(|c| c.is_alphanumeric() || c == '_')
        && written.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if ["true", "false", "null", "nil", "None", "undefined"].contains(&written) {
        return Some(HighlightClass::Constant);
    }
    if kind.starts_with("keyword") || !leaf.is_named() && is_word {
        return Some(HighlightClass::Keyword);
    }
    if !leaf.is_named() {
        return None;
    }
    let begins = |letters: &[&str]| contains_any(kind, letters);
    match kind {
        "none" | "self" | "this" | "super" | "boolean" | "boolean_literal" | "null_literal"
        | "bool" | "atom" | "nil_literal" => Some(HighlightClass::Constant),
        "tag_name"
        | "mutable_specifier"
        | "visibility_modifier"
        | "modifier"
        | "inheritance_modifier" => Some(HighlightClass::Keyword),
        "primitive_type" | "predefined_type" | "builtin_type" => Some(HighlightClass::Type),
        "literal" if written.starts_with(['\'', '"']) => Some(HighlightClass::String),
        "literal" => Some(HighlightClass::Number),
        _ if begins(&["integer", "number", "float", "decimal", "numeric", "hex_literal"]) => {
            Some(HighlightClass::Number)
        }
        _ if begins(&["attribute_name", "property_name", "bare_key", "class_name", "id_name"]) => {
            Some(HighlightClass::Property)
        }
        _ if around.is_key => Some(HighlightClass::Property),
        _ if around.is_function => Some(HighlightClass::Function),
        _ if around.is_type || is_type_name(kind, written) => Some(HighlightClass::Type),
        _ => None,
    }
}

/// True if a name is written like a type: with a capital first and small letters after it.
fn is_type_name(kind: &str, written: &str) -> bool {
    contains_any(kind, &["identifier", "name", "constructor", "constant", "alias"])
        && written.starts_with(char::is_uppercase)
        && written.chars().any(char::is_lowercase)
}

/// True if a node kind contains one of these words.
fn contains_any(kind: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| kind.contains(part))
}

/// Adds a piece; neighbours of one class become one. Grammars may have empty leaves, and some
/// overlap, so the range is cut to what follows the last piece.
fn add_piece(
    pieces: &mut Vec<(Range<usize>, HighlightClass)>,
    range: Range<usize>,
    class: HighlightClass,
    text: &str,
) {
    let last_end = pieces.last().map_or(0, |(last, _)| last.end);
    let range = range.start.max(last_end)..range.end;
    let is_apart = range.start < range.end
        && text.is_char_boundary(range.start)
        && text.is_char_boundary(range.end);
    if !is_apart {
        return;
    }
    match pieces.last_mut() {
        Some((last, same)) if *same == class && last.end == range.start => last.end = range.end,
        _ => pieces.push((range, class)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::languages::{LANGS, Language, fixture_path};

    fn fixture(language: &Language) -> String {
        std::fs::read_to_string(fixture_path(language, language.extensions[0])).unwrap()
    }

    fn holds(language: &str, text: &str) -> BTreeSet<HighlightClass> {
        let pieces = highlight(language, text);
        let mut end = 0;
        for (range, _) in &pieces {
            assert!(end <= range.start && range.start < range.end, "{language}");
            assert!(text.get(range.clone()).is_some(), "{language}");
            end = range.end;
        }
        pieces.into_iter().map(|(_, class)| class).collect()
    }

    /// Every language gets colours from the same rules; a new one that does not shows up here.
    #[test]
    fn every_language_has_shades() {
        let mut poor = Vec::new();
        for language in LANGS {
            let text = fixture(language);
            let shades = holds(language.name, &text);
            let least = match language.name {
                "json" | "yaml" | "markdown" | "html" | "css" | "toml" | "sql" => 2,
                _ => 4,
            };
            if shades.len() < least {
                poor.push(format!("{}: {shades:?}", language.name));
            }
        }
        assert!(poor.is_empty(), "{}", poor.join("\n"));
    }

    #[test]
    fn nonsense_is_plain_or_in_order() {
        for language in LANGS {
            let text = fixture(language);
            let mangled = text.replace(['(', '}', '"'], "é");
            holds(language.name, &mangled);
            holds(language.name, "\u{0}\u{feff}<<<<\"'`");
            assert!(highlight(language.name, &"(".repeat(100_000)).is_empty());
        }
        assert!(highlight("klingon", "nuqneH").is_empty());
    }

    fn check(language: &str, text: &str, expected: Expect) {
        let pieces = highlight(language, text).into_iter();
        let lines = pieces.map(|(range, class)| format!("{:?} {class:?}\n", &text[range]));
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn rust() {
        check(
            "rust",
            "/// Adds.\npub fn add(a: u32) -> Sum { self.list.push(\"x\"); other(1.5, true) }",
            expect![[r#"
                "/// Adds.\n" Comment
                "pub" Keyword
                "fn" Keyword
                "add" Function
                "u32" Type
                "Sum" Type
                "self" Constant
                "push" Function
                "\"x\"" String
                "other" Function
                "1.5" Number
                "true" Constant
            "#]],
        );
    }

    #[test]
    fn python_and_its_interpolation() {
        check(
            "python",
            "@cached\ndef greet(name: str):  # hi\n    return f\"a {name.title()} b\"",
            expect![[r##"
                "@cached" Property
                "def" Keyword
                "greet" Function
                "str" Type
                "# hi" Comment
                "return" Keyword
                "f\"a " String
                "title" Function
                " b\"" String
            "##]],
        );
    }

    #[test]
    fn keys_are_no_strings() {
        check(
            "json",
            r#"{"name": "a", "count": 3, "on": true}"#,
            expect![[r#"
            "\"name\"" Property
            "\"a\"" String
            "\"count\"" Property
            "3" Number
            "\"on\"" Property
            "true" Constant
        "#]],
        );
        check(
            "yaml",
            "name: a\nlist:\n  - 3\n",
            expect![[r#"
            "name" Property
            "a" String
            "list" Property
            "3" Number
        "#]],
        );
    }
}
