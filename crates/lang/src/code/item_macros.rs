//! Items in the arguments of macros: `cfg_rt! { pub fn spawn() {} }`. A grammar leaves arguments
//! as tokens, so definitions in them would be lost.
//!
//! Arguments that parse as items are parsed with the rest of the file: the name of the macro and
//! its brackets are blanked, so that every position stays that of the file. Nothing is expanded.
//! Arguments that look like items and do not parse are reported.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::range_sweep::ByteRange;
use crate::languages::{ItemMacros, Language};

/// Macros within macros are read to this depth.
const MAX_ROUNDS: usize = 4;

/// The macro calls of a file whose arguments may be items.
#[derive(Default)]
pub struct MacroItems {
    /// Calls whose arguments were read as items, in the order of the text.
    pub read: Vec<ItemMacro>,
    /// Arguments that are no items of the grammar.
    pub unread: Vec<ByteRange>,
}

/// A macro call where items may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemMacro {
    /// The bytes of the macro's path.
    pub name: ByteRange,
    /// The bytes of the whole call.
    pub call: ByteRange,
    /// The bytes of the arguments, without their brackets.
    pub arguments: ByteRange,
}

/// Parses the arguments of a file's macros as items, together with the file. Returns the new tree,
/// or the given one if there are no such macros.
pub fn parse_macro_items(
    language: &Language,
    text: &str,
    tree: Tree,
    parse: &mut dyn FnMut(&str) -> Option<Tree>,
) -> (Tree, MacroItems) {
    let mut found = MacroItems::default();
    let Some(rules) = language.item_macros else {
        return (tree, found);
    };
    let mut best = tree;
    let mut patched = text.to_string();
    for _ in 0..MAX_ROUNDS {
        let calls = find_calls(&best, rules);
        let before = found.read.len();
        found.unread.clear();
        for call in calls {
            // A bracket that the grammar inserted is not in the text, so the range may cut a
            // character.
            let arguments = patched.get(to_range(call.arguments));
            match arguments.and_then(|text| items_of_arguments(text, rules, parse)) {
                Some(items) => {
                    blank_shell(&mut patched, &call, &items);
                    found.read.push(call);
                }
                None => found.unread.push(call.arguments),
            }
        }
        if found.read.len() == before {
            break;
        }
        match parse(&patched) {
            Some(tree) => best = tree,
            // Without a tree, the calls of this round stay what they were.
            None => {
                found.read.truncate(before);
                break;
            }
        }
    }
    found.read.sort_by_key(|call| call.call.start);
    (best, found)
}

/// Returns the text of arguments that parse as items, perhaps repaired. It is one byte longer if
/// the last item lacks its end: the added sign takes the place of the closing bracket. `None` if
/// they do not parse.
fn items_of_arguments(
    arguments: &str,
    rules: &ItemMacros,
    parse: &mut dyn FnMut(&str) -> Option<Tree>,
) -> Option<String> {
    let repaired = (rules.repair)(arguments).filter(|text| text.len() == arguments.len());
    let whole = [Some(arguments.to_string()), repaired].into_iter().flatten();
    let mut variants = whole.flat_map(|text| {
        let ended = format!("{text}{}", rules.item_end);
        [text, ended]
    });
    variants.find(|text| parse(text).is_some_and(|tree| consists_of_items(tree.root_node(), rules)))
}

/// True if a tree has no errors, and consists of items and of nodes that may stand between them.
fn consists_of_items(root: Node, rules: &ItemMacros) -> bool {
    let mut cursor = root.walk();
    let mut has_item = false;
    let is_allowed = root.named_children(&mut cursor).all(|child| {
        let kind = child.kind();
        let is_item = rules.item_kinds.contains(&kind) || is_block_call(child, rules);
        has_item |= is_item;
        is_item || rules.filler_kinds.contains(&kind)
    });
    is_allowed && has_item && !root.has_error()
}

/// True if a node calls a macro with a block.
fn is_block_call(node: Node, rules: &ItemMacros) -> bool {
    node.kind() == rules.call_kind
        && arguments_of(node, rules)
            .and_then(|arguments| arguments.child(0))
            .is_some_and(|open| open.kind() == "{")
}

/// The node with the arguments of a macro call.
fn arguments_of<'t>(call: Node<'t>, rules: &ItemMacros) -> Option<Node<'t>> {
    let last = call.child(call.child_count().checked_sub(1)?)?;
    (last.kind() == rules.arguments_kind).then_some(last)
}

/// Finds the macro calls that stand where items may stand, in the order of the text.
fn find_calls(tree: &Tree, rules: &ItemMacros) -> Vec<ItemMacro> {
    let mut found = Vec::new();
    // An explicit stack: hostile text nests deeper than the call stack allows.
    let mut open = vec![tree.root_node()];
    let mut cursor = tree.walk();
    while let Some(node) = open.pop() {
        for child in node.named_children(&mut cursor) {
            if rules.call_kind == child.kind() {
                found.extend(read_call(child, rules));
            } else if rules.holder_kinds.contains(&child.kind()) {
                open.push(child);
            }
        }
    }
    found.sort_by_key(|call| call.call.start);
    found
}

/// Reads the parts of a macro call with arguments.
fn read_call(call: Node, rules: &ItemMacros) -> Option<ItemMacro> {
    let name = call.child(0)?;
    let arguments = arguments_of(call, rules)?;
    let inner = arguments.start_byte() + 1..arguments.end_byte().checked_sub(1)?;
    (inner.start < inner.end).then(|| ItemMacro {
        name: byte_range(name.start_byte(), name.end_byte()),
        call: byte_range(call.start_byte(), call.end_byte()),
        arguments: byte_range(inner.start, inner.end),
    })
}

/// Puts the parsed arguments in place of a call, and blanks the rest of the call.
fn blank_shell(text: &mut String, call: &ItemMacro, items: &str) {
    let blank = |part: &str| -> String {
        part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
    };
    let (call, arguments) = (to_range(call.call), to_range(call.arguments));
    let before = blank(&text[call.start..arguments.start]);
    let after = blank(&text[arguments.start + items.len()..call.end]);
    text.replace_range(call, &format!("{before}{items}{after}"));
}

/// A range of tree-sitter as a range of bytes.
fn byte_range(start: usize, end: usize) -> ByteRange {
    let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    ByteRange { start: place(start), end: place(end) }
}

/// A range for slicing.
fn to_range(range: ByteRange) -> Range<usize> {
    range.start as usize..range.end as usize
}
