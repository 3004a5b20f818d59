//! Turns captured bindings into the type and the value of a name, as written, and the definition
//! around it. Resolution decides what they mean.

use super::abbreviate;
use super::captures::{Bound, Captures};
use super::definitions::{Definition, is_function};
use super::identifiers::{as_type, on_one_line, slice};
use super::innermost::{Range, Walk};
use crate::chunk::LineIndex;
use crate::languages::{Language, Variables};
use kenning_model::{Binding, BindingKind, ReferenceKind};

/// A longer type says nothing that resolution could use.
const MAX_TYPE: usize = 200;

/// A longer value is a chain of so many calls that following it leads nowhere.
const MAX_VALUE: usize = 160;

/// A longer name is a pattern.
const MAX_NAME: usize = 80;

/// The bindings of a file, in the order of the text.
pub fn collect(
    language: &Language,
    lines: &LineIndex,
    captured: &Captures,
    definitions: &[Definition],
) -> Vec<Binding> {
    let text = lines.text();
    let ranges: Vec<Range> = definitions.iter().map(Definition::range).collect();
    let mut walk = Walk::new(&ranges);
    let mut closures = Walk::new(&captured.closures);
    let mut blocks = Walk::new(&captured.blocks);
    let mut comprehended = None;
    let imported = imported(captured);
    let own = captured.bindings.iter().filter(|bound| {
        // An imported name is no variable, even if the import is written as a declaration.
        let name = bound.name.map_or(bound.start, |name| name.start);
        imported.binary_search(&name).is_err()
    });
    let kept = own.filter_map(|bound| {
        let inside = walk.around(bound.start).last();
        let definition = inside.map(|&index| &definitions[index]);
        let closure = innermost(&mut closures, &captured.closures, bound.start);
        let block = innermost(&mut blocks, &captured.blocks, bound.start);
        if is_of_closure(bound, closure, definition) || is_own_name(bound, definition) {
            return None;
        }
        let block = if bound.is_hoisted { closure } else { block };
        let name = bound.name.map(|range| slice(text, range).trim());
        let unnamed = match bound.kind {
            BindingKind::Returned => "",
            _ => language.implicit,
        };
        let name = name.unwrap_or(unnamed);
        let type_text = bound.type_text.map(|range| as_type(slice(text, range)));
        let value = value_of(bound, text, language);
        let mut start_byte = seen_from(bound, language);
        if let Some(block) = block.filter(|block| is_comprehension(captured, *block)) {
            // A comprehension's bindings are visible in its whole block. Later ones start one byte
            // after the first, so that their values see the first.
            start_byte = block.start + u32::from(comprehended == Some(block));
            comprehended = Some(block);
        }
        let name = name.strip_prefix(language.binding_modifier).unwrap_or(name);
        let binding = Binding {
            // A field is called the same, however a language writes that it is one.
            name: on_one_line(name).replace("->", "."),
            kind: bound.kind,
            type_text: type_text.filter(|text| text.len() <= MAX_TYPE),
            value: value.filter(|value| !value.is_empty() && value.len() <= MAX_VALUE),
            start_byte,
            end_byte: block.and_then(|block| end_of(block, bound, text, definition)),
            inside: inside.and_then(|&index| u32::try_from(index).ok()),
        };
        let is_returned = bound.kind == BindingKind::Returned && binding.value.is_some();
        let says = !binding.name.is_empty() || is_returned;
        (says && binding.name.len() <= MAX_NAME).then_some(binding)
    });
    kept.collect()
}

/// Returns the abbreviated value of a binding, followed by the enum case that holds it, if any.
fn value_of(bound: &Bound, text: &str, language: &Language) -> Option<String> {
    let value = abbreviate::brief(slice(text, bound.value?), &language.expressions);
    Some(match bound.case {
        Some(case) => format!("{value}.{}", slice(text, case)),
        None => value,
    })
}

/// Returns the position from which a name refers to its binding.
fn seen_from(bound: &Bound, language: &Language) -> u32 {
    let is_variable = !matches!(bound.kind, BindingKind::Returned | BindingKind::Given)
        && language.variables == Variables::SeenAfterTheirValue;
    let value = bound.value.filter(|_| is_variable);
    value.map_or(bound.start, |value| bound.start.max(value.end))
}

/// The innermost of these around a place.
fn innermost(walk: &mut Walk, ranges: &[Range], place: u32) -> Option<Range> {
    let around = walk.around(place).last();
    around.map(|&index| ranges[index])
}

fn is_comprehension(captured: &Captures, block: Range) -> bool {
    let starts = &captured.comprehensions;
    starts
        .binary_search_by_key(&block.start, |range| range.start)
        .is_ok_and(|index| starts[index] == block)
}

/// Returns the position at which a name ceases to refer to its binding. `None` if nothing of its
/// definition follows there.
fn end_of(block: Range, bound: &Bound, text: &str, definition: Option<&Definition>) -> Option<u32> {
    let end = definition.map_or(text.len(), |definition| definition.range().end as usize);
    let after = text.get(block.end as usize..end).unwrap_or_default();
    let is_last = after.chars().all(|c| c.is_whitespace() || ")]},;".contains(c));
    (bound.kind != BindingKind::Returned && !is_last).then_some(block.end)
}

/// True if it says no more than the definition that it is: `const open = () => {}` is a function.
fn is_own_name(bound: &Bound, definition: Option<&Definition>) -> bool {
    definition.is_some_and(|definition| {
        let is_name = bound.name.is_some_and(|name| name.start == definition.name);
        is_name && is_function(definition.symbol.kind)
    })
}

/// Returns the positions of the names that imports introduce, in ascending order.
fn imported(captured: &Captures) -> Vec<u32> {
    let mentions = captured.references.iter();
    let imports =
        mentions.filter(|one| one.kind == ReferenceKind::Import && one.receiver.is_some());
    let mut places: Vec<u32> =
        imports.map(|import| import.alias.unwrap_or(import.name).start).collect();
    places.sort_unstable();
    places
}

/// True if a value is returned by a closure and not by the definition around that.
fn is_of_closure(bound: &Bound, closure: Option<Range>, definition: Option<&Definition>) -> bool {
    // A function that is defined as a closure has its body in it.
    let body = definition.and_then(|definition| definition.body);
    let is_inner = closure.is_some_and(|closure| body.is_none_or(|body| closure.start > body));
    bound.kind == BindingKind::Returned && is_inner
}
