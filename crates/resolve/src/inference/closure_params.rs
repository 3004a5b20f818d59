//! Types of closure parameters.
//!
//! A function of the repository that takes the closure declares the type. A library's function
//! passes an element of its receiver, as in `pages.forEach(page => …)`.

use crate::inference::Inference;
use crate::inference::{InferredValue, MemberUse, Type};
use crate::resolver::Position;
use crate::scopes::Namespace;
use crate::symbol_table::SymbolId;
use crate::syntax::expression::Expression;
use crate::syntax::type_expr::TypeExpr;
use kenning_model::ChunkKind;

impl<'t> Inference<'_, 't> {
    /// Infers the first parameter of a closure from the function that takes the closure.
    pub(crate) fn infer_closure_parameter(&self, at: Position, function: &Expression) -> Type {
        // Closures nest, so the receiver is inferred only once.
        let called_on = match function {
            Expression::Member(base, _) => Some(self.infer_value(at, base)),
            _ => None,
        };
        let called = match (function, &called_on) {
            (Expression::Member(_, name), Some(base)) => {
                self.infer_member_for(at, base, name, MemberUse::Call)
            }
            _ => self.infer_member_expression(at, function, MemberUse::Call),
        };
        match called {
            InferredValue::Functions(symbols, owner) => {
                self.common_closure_parameter(&symbols, owner.as_ref())
            }
            InferredValue::Type(Type::Known { symbol, .. }) => {
                self.common_closure_parameter(&self.overloads().declared_constructors(symbol), None)
            }
            // A library function passes an element of its receiver to the closure.
            _ => match (function, called_on) {
                (Expression::Member(_, name), Some(InferredValue::Instance(base))) => self
                    .second_type_argument(&base, name)
                    .unwrap_or_else(|| self.infer_element_type(&base)),
                _ => Type::Unknown,
            },
        }
    }

    /// Returns the second type argument, which methods such as `map_err` pass to their closure.
    fn second_type_argument(&self, of: &Type, method: &str) -> Option<Type> {
        let Type::Foreign { name, arguments, rules } = of else {
            return None;
        };
        let is_second = rules.second_argument_closures.contains(&(name.as_str(), method));
        is_second.then(|| arguments.get(1).cloned().unwrap_or_default())
    }

    /// Returns the type that all of these functions pass to a closure, or `Unknown` if they differ.
    fn common_closure_parameter(&self, functions: &[SymbolId], owner: Option<&Type>) -> Type {
        let declared = functions.iter().flat_map(|&id| self.closure_parameters(id));
        let mut types = declared.map(|parameter| match owner {
            Some(owner) => self.substitute_arguments(&parameter, owner),
            None => parameter,
        });
        let first = types.next().unwrap_or_default();
        if types.all(|other| other == first) { first } else { Type::Unknown }
    }

    /// The first parameter of each closure that a function takes.
    fn closure_parameters(&self, id: SymbolId) -> Vec<Type> {
        let symbol = self.table.symbol(id);
        let at = Position { file: id.file, symbol: Some(id.symbol), byte: symbol.span.start_byte };
        let written = symbol.parameters.iter().filter_map(|(_, text)| text.as_deref());
        let closures =
            written.filter_map(|text| self.resolve_closure_parameter(at, &self.parse_type(text)));
        closures.collect()
    }

    /// Returns the bound of a type parameter of the generic function around `at`: `F: Fn(Item)`.
    fn type_parameter_bound(&self, at: Position, name: &str) -> Option<String> {
        let file = self.table.file(at.file);
        let own = file.type_parameters(at.symbol?).iter();
        let mut named = own.filter(|(known, _)| known == name);
        named.next()?.1.clone()
    }

    /// The first parameter of a type of functions, or of one that has a name.
    fn resolve_closure_parameter(&self, at: Position, written: &TypeExpr) -> Option<Type> {
        match written {
            TypeExpr::Function(parameters, _) => {
                let first = parameters.first();
                Some(first.map_or(Type::Opaque, |first| self.resolve_type(at, first)))
            }
            TypeExpr::Named { path, .. } if path.len() == 1 => {
                // `fn each<F: Fn(Page)>(f: F)`: the bound is the function type.
                if let Some(bound) = self.type_parameter_bound(at, &path[0]) {
                    let bound = self.parse_type(&bound);
                    let is_function = matches!(&*bound, TypeExpr::Function(..));
                    return is_function.then(|| self.resolve_closure_parameter(at, &bound))?;
                }
                // `type Handler = (page: Page) => void`: the alias is the function type.
                let scoped = self.scopes().resolve_name(at, &path[0], Namespace::Type)?;
                let alias = scoped
                    .symbols()
                    .find(|&id| self.table.symbol(id).kind == ChunkKind::TypeAlias)?;
                let facts = self.table.symbol(alias);
                let at = Position {
                    file: alias.file,
                    symbol: Some(alias.symbol),
                    byte: facts.span.start_byte,
                };
                let written = self.parse_type(facts.type_text.as_deref()?);
                let is_function = matches!(&*written, TypeExpr::Function(..));
                is_function
                    .then(|| self.with_budget(|| self.resolve_closure_parameter(at, &written)))?
            }
            _ => None,
        }
    }
}
