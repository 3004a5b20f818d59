//! Detects edits that only move the facts of a file: edits of comments, of the text of literals, of
//! blank lines. The edges of such a file stay valid. Resolution never uses positions, only the
//! order of facts and their nesting.

use std::cmp::Ordering;

use kenning_model::{Binding, FileFacts, Heritage, Reference, Symbol};

/// True if an edit moved facts and changed none, so that all edges of the file stay valid.
pub fn keeps_edges(before: FileFacts, after: FileFacts) -> bool {
    are_alike(before.symbols, after.symbols, is_same_symbol)
        && are_alike(before.references, after.references, is_same_reference)
        && are_alike(before.bindings, after.bindings, is_same_binding)
        && are_alike(before.heritage, after.heritage, is_same_heritage)
        && are_in_one_order(&bytes(before), &bytes(after))
        && are_in_one_order(&lines(before), &lines(after))
}

fn are_alike<T>(before: &[T], after: &[T], is_same: fn(&T, &T) -> bool) -> bool {
    let mut pairs = before.iter().zip(after);
    before.len() == after.len() && pairs.all(|(one, other)| is_same(one, other))
}

// Taken apart by name, so that a fact that is added later must be decided on here.

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

/// Every place in bytes, and the beginning of the file, which stands for a place that is not known.
fn bytes(facts: FileFacts) -> Vec<u32> {
    let symbols = facts.symbols.iter();
    let symbols = symbols.flat_map(|one| [one.span.start_byte, one.span.end_byte]);
    let references = facts.references.iter().map(|one| one.start_byte);
    let bindings = facts.bindings.iter();
    let bindings = bindings.flat_map(|one| [Some(one.start_byte), one.end_byte]);
    let places = symbols.chain(references).chain(bindings.flatten());
    std::iter::once(0).chain(places).collect()
}

/// Every place in lines that is asked for: clauses of heritage belong to the type around their line.
fn lines(facts: FileFacts) -> Vec<u32> {
    if facts.heritage.is_empty() {
        return Vec::new();
    }
    let symbols = facts.symbols.iter();
    let symbols = symbols.flat_map(|one| [one.span.start_line, one.span.end_line]);
    let heritage = facts.heritage.iter().map(|one| one.line);
    symbols.chain(heritage).collect()
}

/// True if of each two places the same one comes first, before and after.
fn are_in_one_order(before: &[u32], after: &[u32]) -> bool {
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
    fn places_may_move_apart_and_not_past_each_other() {
        for (before, after, expected) in [
            (&[0, 4, 9][..], &[0, 40, 41][..], true),
            (&[9, 0, 4], &[7, 0, 6], true),
            (&[0, 4, 9], &[0, 9, 4], false),
            (&[0, 4, 4], &[0, 7, 7], true),
            (&[0, 4, 4], &[0, 7, 8], false),
            (&[0, 4, 9], &[0, 9, 9], false),
            (&[], &[], true),
        ] {
            let found = are_in_one_order(before, after);
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }
}
