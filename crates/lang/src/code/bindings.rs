//! Turns captured bindings into the type and the value of a name, as written, and the definition
//! around it. Resolution decides what they mean.
//!
//! A binding says "in these bytes, this name stands for that value". Names that imports introduce
//! and names of functions are not bindings: references and symbols already describe them.

use super::abbreviate_expression;
use super::captures::{CapturedBinding, Captures};
use super::definitions::{ExtractedDefinition, is_function};
use super::normalize_names::{collapse_whitespace, normalize_type, slice};
use super::range_sweep::{ByteRange, RangeSweep};
use crate::chunk::LineIndex;
use crate::languages::{Language, VariableScope};
use kenning_model::{Binding, BindingKind, ReferenceKind};

/// A longer type says nothing that resolution could use.
const MAX_TYPE_BYTES: usize = 200;

/// A longer value is a chain of so many calls that following it leads nowhere.
const MAX_VALUE_BYTES: usize = 160;

/// A longer name is a pattern.
const MAX_NAME_BYTES: usize = 80;

/// Collects the bindings of a file, in the order of the text.
pub fn collect_bindings(
    language: &Language,
    lines: &LineIndex,
    captured: &Captures,
    definitions: &[ExtractedDefinition],
) -> Vec<Binding> {
    let text = lines.text();
    let ranges: Vec<ByteRange> = definitions.iter().map(ExtractedDefinition::range).collect();
    let mut sweep = RangeSweep::new(&ranges);
    // Every sweep is asked with the same ascending positions.
    let mut closures = RangeSweep::new(&captured.closures);
    let mut blocks = RangeSweep::new(&captured.blocks);
    let mut comprehended = None;
    let imported = imported_name_starts(captured);
    let own = captured.bindings.iter().filter(|bound| {
        // An imported name is no variable, even if the import is written as a declaration.
        let name = bound.name.map_or(bound.start, |name| name.start);
        imported.binary_search(&name).is_err()
    });
    let kept = own.filter_map(|bound| {
        let inside = sweep.ranges_around(bound.start).last();
        let definition = inside.map(|&index| &definitions[index]);
        let closure = innermost_range(&mut closures, &captured.closures, bound.start);
        let block = innermost_range(&mut blocks, &captured.blocks, bound.start);
        if is_closure_return(bound, closure, definition) || is_own_name(bound, definition) {
            return None;
        }
        let block = if bound.is_hoisted { closure } else { block };
        let unnamed = match bound.kind {
            BindingKind::ReturnValue => "",
            _ => language.implicit_parameter,
        };
        let written = bound.name.map_or(unnamed, |range| slice(text, range).trim());
        let type_text = bound.type_text.map(|range| normalize_type(slice(text, range)));
        let value = abbreviate_value(bound, text, language);
        let mut start_byte = visible_from_byte(bound, language);
        if let Some(block) = block.filter(|block| is_comprehension(captured, *block)) {
            // A comprehension's bindings are visible in its whole block. Later ones start one byte
            // after the first, so that their values see the first.
            start_byte = block.start + u32::from(comprehended == Some(block));
            comprehended = Some(block);
        }
        let name = written.strip_prefix(language.binding_modifier).unwrap_or(written);
        let binding = Binding {
            // A field is called the same, however a language writes that it is one.
            name: collapse_whitespace(name).replace("->", "."),
            kind: bound.kind,
            type_text: type_text.filter(|text| text.len() <= MAX_TYPE_BYTES),
            value: value.filter(|value| !value.is_empty() && value.len() <= MAX_VALUE_BYTES),
            start_byte,
            end_byte: block.and_then(|block| visible_until_byte(block, bound, text, definition)),
            container: inside.and_then(|&index| u32::try_from(index).ok()),
        };
        let is_returned = bound.kind == BindingKind::ReturnValue && binding.value.is_some();
        let says = !binding.name.is_empty() || is_returned;
        (says && binding.name.len() <= MAX_NAME_BYTES).then_some(binding)
    });
    kept.collect()
}

/// Returns the abbreviated value of a binding, followed by the enum case that holds it, if any.
fn abbreviate_value(bound: &CapturedBinding, text: &str, language: &Language) -> Option<String> {
    let value = abbreviate_expression::abbreviate(slice(text, bound.value?), &language.expressions);
    Some(match bound.case {
        Some(case) => format!("{value}.{}", slice(text, case)),
        None => value,
    })
}

/// Returns the byte from which a name refers to its binding.
fn visible_from_byte(bound: &CapturedBinding, language: &Language) -> u32 {
    let is_variable =
        !matches!(bound.kind, BindingKind::ReturnValue | BindingKind::ClosureParameter)
            && language.variable_scope == VariableScope::AfterValue;
    let value = bound.value.filter(|_| is_variable);
    value.map_or(bound.start, |value| bound.start.max(value.end))
}

/// Returns the innermost of `ranges` around a place.
fn innermost_range(sweep: &mut RangeSweep, ranges: &[ByteRange], place: u32) -> Option<ByteRange> {
    let around = sweep.ranges_around(place).last();
    around.map(|&index| ranges[index])
}

/// True if a block belongs to a comprehension, such as `[x for x in y]`.
fn is_comprehension(captured: &Captures, block: ByteRange) -> bool {
    let starts = &captured.comprehensions;
    starts
        .binary_search_by_key(&block.start, |range| range.start)
        .is_ok_and(|index| starts[index] == block)
}

/// Returns the position at which a name ceases to refer to its binding. `None` if nothing of its
/// definition follows there.
fn visible_until_byte(
    block: ByteRange,
    bound: &CapturedBinding,
    text: &str,
    definition: Option<&ExtractedDefinition>,
) -> Option<u32> {
    let end = definition.map_or(text.len(), |definition| definition.range().end as usize);
    let after = text.get(block.end as usize..end).unwrap_or_default();
    let is_last = after.chars().all(|c| c.is_whitespace() || ")]},;".contains(c));
    (bound.kind != BindingKind::ReturnValue && !is_last).then_some(block.end)
}

/// True if a binding only repeats a definition: `const open = () => {}` defines the function
/// `open`.
fn is_own_name(bound: &CapturedBinding, definition: Option<&ExtractedDefinition>) -> bool {
    definition.is_some_and(|definition| {
        let is_name = bound.name.is_some_and(|name| name.start == definition.name_start);
        is_name && is_function(definition.symbol.kind)
    })
}

/// Returns the positions of the names that imports introduce, in ascending order.
fn imported_name_starts(captured: &Captures) -> Vec<u32> {
    let mentions = captured.references.iter();
    let imports =
        mentions.filter(|one| one.kind == ReferenceKind::Import && one.receiver.is_some());
    let mut places: Vec<u32> =
        imports.map(|import| import.alias.unwrap_or(import.name).start).collect();
    places.sort_unstable();
    places
}

/// True if a value is returned by a closure and not by the definition around that.
fn is_closure_return(
    bound: &CapturedBinding,
    closure: Option<ByteRange>,
    definition: Option<&ExtractedDefinition>,
) -> bool {
    // A function that is defined as a closure has its body in it.
    let body = definition.and_then(|definition| definition.body_start);
    let is_inner = closure.is_some_and(|closure| body.is_none_or(|body| closure.start > body));
    bound.kind == BindingKind::ReturnValue && is_inner
}
