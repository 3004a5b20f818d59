//! Types derived from others: the type of a member, of a function's result, of a value. A type
//! derived from a type parameter is deferred until the parameter is known.

use std::cell::RefCell;

use crate::inference::Inference;
use crate::inference::return_types::has_parameter;
use crate::inference::{DerivedType, InferredValue, Type};
use crate::resolver::Position;
use crate::symbol_table::SymbolId;

impl<'w> Inference<'_, 'w> {
    /// Derives a type from another. The result is deferred while it depends on a type parameter.
    pub(crate) fn part(&self, of: Type, part: DerivedType) -> Type {
        let later = Type::Later { of: Box::new(of), part };
        self.settled(later)
    }

    /// Evaluates a deferred type, unless it still depends on a type parameter.
    pub(crate) fn settled(&self, of: Type) -> Type {
        match &of {
            Type::Later { of: base, .. } if has_parameter(base) => of,
            Type::Later { .. } => self.told(&of),
            _ => of,
        }
    }

    /// Evaluates a deferred type as far as is possible now. A type parameter counts as its bounds.
    pub(crate) fn told(&self, of: &Type) -> Type {
        let Type::Later { of: base, part } = of else {
            return of.clone();
        };
        self.with_budget(|| match (self.told(base), part) {
            (Type::Function(given), DerivedType::Returned) => *given,
            (_, DerivedType::Returned) => Type::Unknown,
            (base, DerivedType::Member(name)) => match self.members().member(&base, name) {
                Some(member) => {
                    let owner = member.owner.clone();
                    self.as_instance(self.value_of_symbols(member.symbols, Some(&owner)))
                }
                None => Type::Unknown,
            },
        })
    }

    /// `typeof value`; of a class what makes its instances.
    pub(crate) fn type_of_value(&self, at: Position, value: &str) -> Type {
        self.as_instance(self.value(at, &self.parse_expression(value)))
    }

    /// Returns the type of a value. A function, or a type as its constructor, becomes a function
    /// type.
    pub(crate) fn as_instance(&self, value: InferredValue) -> Type {
        match value {
            InferredValue::Instance(found) => found,
            InferredValue::Functions(symbols, owner) => {
                let returned = self.returned(symbols[0], owner.as_ref());
                Type::Function(Box::new(returned))
            }
            InferredValue::Type(made) => Type::Function(Box::new(made)),
            InferredValue::Namespace(object) => self.own(object),
            InferredValue::Module(_) | InferredValue::Foreign | InferredValue::Unknown => {
                Type::Unknown
            }
        }
    }

    /// Notes that a parameter is looked at, for as long as what is given is kept; `None` if it is already.
    pub(crate) fn open_parameter(&self, holder: SymbolId, name: &str) -> Option<OpenParameter<'_>> {
        let parameter = (holder, name.to_string());
        let mut open = self.inference_cache.open_parameters.borrow_mut();
        if open.contains(&parameter) {
            return None;
        }
        open.push(parameter);
        Some(OpenParameter(&self.inference_cache.open_parameters))
    }
}

/// A parameter that is being looked at.
pub(crate) struct OpenParameter<'r>(&'r RefCell<Vec<(SymbolId, String)>>);

impl Drop for OpenParameter<'_> {
    fn drop(&mut self) {
        self.0.borrow_mut().pop();
    }
}
