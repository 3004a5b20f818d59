//! Type operators: the type of a member, of a function's result, of a value.
//!
//! `T["name"]` has no type as long as `T` is a type parameter. Such a type is deferred, and
//! evaluated once substitution has replaced the parameter.

use std::cell::RefCell;

use crate::inference::Inference;
use crate::inference::return_types::has_type_parameter;
use crate::inference::{InferredValue, Type, TypeOperator};
use crate::resolver::Position;
use crate::symbol_table::SymbolId;

impl<'t> Inference<'_, 't> {
    /// Derives a type from another. The result is deferred while it depends on a type parameter.
    pub(crate) fn derive_type(&self, of: Type, part: TypeOperator) -> Type {
        let later = Type::Deferred { base: Box::new(of), operator: part };
        self.normalize_type(later)
    }

    /// Evaluates a deferred type, unless it still depends on a type parameter.
    pub(crate) fn normalize_type(&self, of: Type) -> Type {
        match &of {
            Type::Deferred { base, .. } if has_type_parameter(base) => of,
            Type::Deferred { .. } => self.evaluate_deferred(&of),
            _ => of,
        }
    }

    /// Evaluates a deferred type as far as is possible now. A type parameter counts as its bounds.
    pub(crate) fn evaluate_deferred(&self, of: &Type) -> Type {
        let Type::Deferred { base, operator: part } = of else {
            return of.clone();
        };
        self.with_budget(|| match (self.evaluate_deferred(base), part) {
            (Type::Function(given), TypeOperator::ReturnType) => *given,
            (_, TypeOperator::ReturnType) => Type::Unknown,
            (base, TypeOperator::Member(name)) => match self.members().find_member(&base, name) {
                Some(member) => {
                    let owner = member.owner.clone();
                    self.type_of_inferred(self.value_of_symbols(member.symbols, Some(&owner)))
                }
                None => Type::Unknown,
            },
        })
    }

    /// Infers `typeof value`. For a class, that is its constructor.
    pub(crate) fn infer_typeof(&self, at: Position, value: &str) -> Type {
        self.type_of_inferred(self.infer_value(at, &self.parse_expression(value)))
    }

    /// Returns the type of a value. A function, or a type as its constructor, becomes a function
    /// type.
    pub(crate) fn type_of_inferred(&self, value: InferredValue) -> Type {
        match value {
            InferredValue::Instance(found) => found,
            InferredValue::Functions(symbols, owner) => {
                let returned = self.return_type(symbols[0], owner.as_ref());
                Type::Function(Box::new(returned))
            }
            InferredValue::Type(constructed) => Type::Function(Box::new(constructed)),
            InferredValue::Namespace(object) => self.type_of_symbol(object),
            InferredValue::Module(_) | InferredValue::Foreign | InferredValue::Unknown => {
                Type::Unknown
            }
        }
    }

    /// Marks a type parameter as open while the guard lives; `None` if it is open already, which
    /// means that its bounds name it.
    pub(crate) fn enter_parameter(
        &self,
        holder: SymbolId,
        name: &str,
    ) -> Option<OpenParameterGuard<'_>> {
        let parameter = (holder, name.to_string());
        let mut open = self.inference_cache.open_parameters.borrow_mut();
        if open.contains(&parameter) {
            return None;
        }
        open.push(parameter);
        Some(OpenParameterGuard(&self.inference_cache.open_parameters))
    }
}

/// Closes a type parameter when it is dropped.
pub(crate) struct OpenParameterGuard<'r>(&'r RefCell<Vec<(SymbolId, String)>>);

impl Drop for OpenParameterGuard<'_> {
    fn drop(&mut self) {
        self.0.borrow_mut().pop();
    }
}
