//! Recognizes edits that only move the facts of a file: edits of comments, of literals, of blank
//! lines.
//!
//! Resolution never uses positions themselves, only the order and the nesting of facts. If these
//! stay the same, so do the edges.

use std::cmp::Ordering;

use kenning_model::{Binding, FileFacts, Heritage, Reference, Symbol};

/// True if an edit moved facts and changed none, so that all edges of the file stay valid.
pub fn can_keep_edges(before: FileFacts, after: FileFacts) -> bool {
    has_equal_facts(before.symbols, after.symbols, is_same_symbol)
        && has_equal_facts(before.references, after.references, is_same_reference)
        && has_equal_facts(before.bindings, after.bindings, is_same_binding)
        && has_equal_facts(before.heritage, after.heritage, is_same_heritage)
        && has_same_order(&byte_positions(before), &byte_positions(after))
        && has_same_order(&line_positions(before), &line_positions(after))
}

/// True if two lists of facts have the same length, and are pairwise the same but for positions.
fn has_equal_facts<T>(before: &[T], after: &[T], is_same: fn(&T, &T) -> bool) -> bool {
    let mut pairs = before.iter().zip(after);
    before.len() == after.len() && pairs.all(|(one, other)| is_same(one, other))
}

// Each struct is destructured without `..`, so that a new field does not compile until it is
// handled here.

fn is_same_symbol(one: &Symbol, other: &Symbol) -> bool {
    let Symbol {
        name,
        kind,
        visibility,
        signature,
        scope,
        span: _,
        line: _,
        parameters,
        type_text,
        is_test,
    } = one;
    *name == other.name
        && *kind == other.kind
        && *visibility == other.visibility
        && *signature == other.signature
        && *scope == other.scope
        && *parameters == other.parameters
        && *type_text == other.type_text
        && *is_test == other.is_test
}

fn is_same_reference(one: &Reference, other: &Reference) -> bool {
    let Reference { name, kind, receiver, labels, line: _, start_byte: _, container: inside } = one;
    *name == other.name
        && *kind == other.kind
        && *receiver == other.receiver
        && *labels == other.labels
        && *inside == other.container
}

fn is_same_binding(one: &Binding, other: &Binding) -> bool {
    let Binding { name, kind, type_text, value, start_byte: _, end_byte, container: inside } = one;
    *name == other.name
        && *kind == other.kind
        && *type_text == other.type_text
        && *value == other.value
        && end_byte.is_some() == other.end_byte.is_some()
        && *inside == other.container
}

fn is_same_heritage(one: &Heritage, other: &Heritage) -> bool {
    let Heritage { subject, base, kind: how, condition, line: _ } = one;
    *subject == other.subject
        && *base == other.base
        && *how == other.kind
        && *condition == other.condition
}

/// Returns every byte offset in the facts, and 0, which stands for an unknown position.
fn byte_positions(facts: FileFacts) -> Vec<u32> {
    let symbols = facts.symbols.iter().flat_map(|one| [one.span.start_byte, one.span.end_byte]);
    let references = facts.references.iter().map(|one| one.start_byte);
    let bindings = facts.bindings.iter().flat_map(|one| [Some(one.start_byte), one.end_byte]);
    let positions = symbols.chain(references).chain(bindings.flatten());
    std::iter::once(0).chain(positions).collect()
}

/// Returns every line that resolution compares: a heritage clause belongs to the type around its
/// line.
fn line_positions(facts: FileFacts) -> Vec<u32> {
    if facts.heritage.is_empty() {
        return Vec::new();
    }
    let symbols = facts.symbols.iter().flat_map(|one| [one.span.start_line, one.span.end_line]);
    let heritage = facts.heritage.iter().map(|one| one.line);
    symbols.chain(heritage).collect()
}

/// True if each two positions compare the same before and after. Comparing neighbours in sorted
/// order is enough.
fn has_same_order(before: &[u32], after: &[u32]) -> bool {
    let mut order: Vec<usize> = (0..before.len()).collect();
    order.sort_unstable_by_key(|&place| before[place]);
    let mut pairs = order.windows(2);
    pairs.all(|pair| {
        let compare = |places: &[u32]| -> Ordering { places[pair[0]].cmp(&places[pair[1]]) };
        compare(before) == compare(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_may_move_but_not_pass_each_other() {
        for (before, after, expected) in [
            (&[0, 4, 9][..], &[0, 40, 41][..], true),
            (&[9, 0, 4], &[7, 0, 6], true),
            (&[0, 4, 9], &[0, 9, 4], false),
            (&[0, 4, 4], &[0, 7, 7], true),
            (&[0, 4, 4], &[0, 7, 8], false),
            (&[0, 4, 9], &[0, 9, 9], false),
            (&[], &[], true),
        ] {
            let found = has_same_order(before, after);
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }
}
