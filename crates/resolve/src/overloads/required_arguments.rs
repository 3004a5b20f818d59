//! Selects the overloads whose required parameters a call supplies.
//!
//! Facts do not say which parameters are optional; the text of the signature does.

use crate::inference::Type;
use crate::inference::type_params::{find_name, split_list};
use crate::overloads::Overloads;
use crate::resolver::Position;
use crate::rules::{ArgumentLabels, Rules};
use crate::symbol_table::{SymbolId, is_interface};
use kenning_model::{Reference, Symbol};

/// The texts of a signature's parameters, and the text after them.
struct ParameterList<'s> {
    /// The text of each parameter.
    parameters: Vec<&'s str>,
    /// The text after the closing bracket: `async`, the return type.
    after: &'s str,
}

/// Parses the parameter list of a signature. `None` if there is none, or if extraction cut it off.
fn parse_parameter_list(symbol: &Symbol) -> Option<ParameterList<'_>> {
    let signature = symbol.signature.as_deref()?;
    let at = find_name(signature, &symbol.name)? + symbol.name.len();
    let mut rest = signature[at..].trim_start_matches(['?', '!', ' ']);
    if let Some(inner) = rest.strip_prefix('<') {
        let end = split_list(inner).last().map(|last| end_offset(inner, last))?;
        rest = inner.get(end + 1..)?.trim_start();
    }
    let inner = rest.strip_prefix('(')?;
    let mut parameters = split_list(inner);
    let end = parameters.last().map(|last| end_offset(inner, last))?;
    let after = inner.get(end..)?.strip_prefix(')')?;
    if parameters.last().is_some_and(|last| last.trim().is_empty()) {
        parameters.pop();
    }
    Some(ParameterList { parameters, after })
}

/// Returns the offset at which a slice of a text ends in it.
fn end_offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize + part.len()
}

/// True if a function is variadic.
pub(crate) fn is_variadic(symbol: &Symbol, rules: &Rules) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    rules.variadic_markers.iter().any(|mark| signature.contains(mark))
}

/// True if a call may omit the argument of a parameter.
fn is_optional(parameter: &str, rules: &Rules) -> bool {
    let mark = rules.receiver_parameter_mark;
    let is_receiver = !mark.is_empty() && parameter.trim_start().starts_with(mark);
    let is_open = rules.variadic_markers.iter().any(|mark| parameter.contains(mark));
    is_receiver || is_open || has_default(parameter)
}

/// True if a parameter has a default value: an `=` outside of brackets.
fn has_default(parameter: &str) -> bool {
    let bytes = parameter.as_bytes();
    let mut depth = 0usize;
    bytes.iter().enumerate().any(|(at, byte)| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let next = bytes.get(at + 1);
        *byte == b'=' && depth == 0 && !matches!(next, Some(b'=' | b'>'))
    })
}

impl<'t> Overloads<'_, 't> {
    /// Returns the overloads that the call supplies in full; all if there are none. Where labels
    /// are part of a name, `await` selects among them.
    pub(crate) fn select_complete(
        &self,
        found: Vec<SymbolId>,
        reference: &Reference,
    ) -> Vec<SymbolId> {
        let kept = found.iter().copied().filter(|&id| self.is_complete_call(id, reference));
        let complete: Vec<SymbolId> = kept.collect();
        if complete.is_empty() {
            return found;
        }
        // A definition may not repeat the default values of its declaration, so definitions
        // with the same parameter types stay as well.
        let takes = |id: SymbolId| self.table.symbol(id).parameters.iter().map(|(_, text)| text);
        let is_same = |id: SymbolId| complete.iter().any(|&other| takes(id).eq(takes(other)));
        let mut found = found;
        found.retain(|&id| is_same(id));
        let is_async_function = |id: SymbolId| {
            let word = self.table.file(id.file).rules.syntax.async_word;
            let parsed = parse_parameter_list(self.table.symbol(id));
            parsed.is_some_and(|parsed| is_async(parsed.after, word))
        };
        let matches_await = |id: &SymbolId| is_async_function(*id) == reference.is_awaited();
        let can_select_by_await =
            found.iter().any(matches_await) && self.has_labels_in_name(found[0]);
        if can_select_by_await {
            found.retain(matches_await);
        }
        found
    }

    /// True if the language makes argument labels part of a function's name.
    fn has_labels_in_name(&self, id: SymbolId) -> bool {
        self.table.file(id.file).rules.argument_labels == ArgumentLabels::PartOfName
    }

    /// True if a call supplies every required parameter. If the signature was not parsed in full,
    /// the answer is true.
    fn is_complete_call(&self, id: SymbolId, reference: &Reference) -> bool {
        let symbol = self.table.symbol(id);
        let Some(listed) = parse_parameter_list(symbol) else {
            return true;
        };
        // The text was not parsed as extraction did, so it proves nothing.
        if listed.parameters.len() != symbol.parameters.len() {
            return true;
        }
        // Each argument marks its parameter as supplied; required ones must not remain.
        let rules = self.table.file(id.file).rules;
        let parameters = listed.parameters.iter();
        let mut needed: Vec<bool> = parameters.map(|one| !is_optional(one, rules)).collect();
        let given = reference.arguments();
        let mut at = 0;
        for (index, label) in given.iter().enumerate() {
            let rest = symbol.parameters.iter().enumerate().skip(at);
            let place = match label.as_str() {
                Reference::TRAILING => {
                    let closures =
                        rest.filter(|(_, (_, text))| self.can_take_closure(id, text.as_deref()));
                    let places: Vec<usize> = closures.map(|(place, _)| place).collect();
                    // The last trailing closure is for the last parameter that takes one.
                    let from_end = given.len() - index;
                    places.len().checked_sub(from_end).map(|at| places[at])
                }
                // A label selects the next parameter of that name, else it repeats the previous
                // one, which may be variadic.
                label if self.has_labels_in_name(id) => {
                    let mut named = rest.filter(|(_, (name, _))| name == label);
                    named.next().map(|(place, _)| place).or(at.checked_sub(1))
                }
                _ => Some(at),
            };
            let Some(place) = place else {
                return false;
            };
            if let Some(needed) = needed.get_mut(place) {
                *needed = false;
            }
            at = place + 1;
        }
        !needed.contains(&true)
    }

    /// True if a parameter of this type can take a closure.
    fn can_take_closure(&self, id: SymbolId, text: Option<&str>) -> bool {
        let Some(text) = text.filter(|text| !text.contains("->") && !text.contains("=>")) else {
            return true;
        };
        let at = Position {
            file: id.file,
            symbol: Some(id.symbol),
            byte: self.table.symbol(id).span.start_byte,
        };
        let written = self.inference().resolve_type(at, &self.parse_type(text));
        match self.members().unwrap_wrapper(&written).unwrap_or(written) {
            Type::Known { symbol, .. } => {
                let kind = self.table.symbol(symbol).kind;
                // A closure may implement an interface with one method.
                !kind.is_type() || is_interface(kind) && !self.has_labels_in_name(id)
            }
            Type::Foreign { name, rules, .. } => {
                !rules.library.non_function_types.contains(&name.as_str())
            }
            Type::Opaque | Type::Tuple(_) => false,
            _ => true,
        }
    }
}

/// True if the word for asynchronous functions stands between the parameters and the return type.
fn is_async(after: &str, async_word: &str) -> bool {
    let before_type = after.split("->").next().unwrap_or(after);
    before_type.split_whitespace().any(|word| word == async_word)
}
