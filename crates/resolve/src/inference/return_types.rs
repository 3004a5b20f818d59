//! Types of calls: declared or inferred return types, constructed types, and type arguments of
//! generic functions.

use crate::inference::Inference;
use crate::inference::substitution::{map_type, substitute};
use crate::inference::{InferredValue, MemberUse, Type};
use crate::resolver::{Position, ResolvedTarget};
use crate::symbol_table::{SymbolId, is_type};
use crate::syntax::expression::Expression;
use crate::syntax::type_expr::TypeExpr;
use kenning_model::ChunkKind;

impl<'t> Inference<'_, 't> {
    /// Infers the result of a call. `written` are the type arguments at the call.
    pub(crate) fn infer_call(
        &self,
        at: Position,
        function: &Expression,
        written: &[String],
        argument: Option<&Expression>,
    ) -> InferredValue {
        // `super().open()`.
        if let Expression::Name(name) = function
            && self.table.file(at.file).rules.supers.contains(&name.as_str())
        {
            return self.infer_super(at);
        }
        match self.infer_member_expression(at, function, MemberUse::Call) {
            InferredValue::Functions(symbols, owner) => {
                let first = symbols[0];
                let declared = self.return_type(first, owner.as_ref());
                InferredValue::Instance(
                    self.apply_type_arguments(at, first, declared, written, argument),
                )
            }
            // A call of a type constructs it.
            InferredValue::Type(Type::Known { symbol, .. }) => {
                InferredValue::Instance(Type::Known {
                    symbol,
                    arguments: self.resolve_types(at, written).into(),
                })
            }
            InferredValue::Type(found) => InferredValue::Instance(found),
            // A call of a value: a function-typed field, or an object with a call member.
            InferredValue::Instance(Type::Function(found)) => InferredValue::Instance(*found),
            InferredValue::Instance(found) => {
                InferredValue::Instance(self.infer_value_call(at, found))
            }
            // The function is not defined here, but its result may be known.
            InferredValue::Foreign | InferredValue::Unknown => {
                match self.infer_factory_call(at, function) {
                    Some(made) => InferredValue::Instance(made),
                    None => self.infer_foreign_call(at, function, argument),
                }
            }
            InferredValue::Module(_) | InferredValue::Namespace(_) => InferredValue::Unknown,
        }
    }

    /// Returns the type of calling a value. A value without a call member is already the result of
    /// a well-known method.
    fn infer_value_call(&self, at: Position, value: Type) -> Type {
        let name = self.table.file(at.file).rules.call_member;
        let Some(member) = self.members().find_member(&value, name).filter(|_| !name.is_empty())
        else {
            return value;
        };
        self.return_type(member.symbols[0], Some(&member.owner))
    }

    /// Infers `Foo::default()`, if a derive or a library defines the function.
    fn infer_factory_call(&self, at: Position, function: &Expression) -> Option<Type> {
        let rules = self.table.file(at.file).rules;
        let Expression::Path(base, name) = function else {
            return None;
        };
        let makers = rules.factory_functions;
        match self.infer_path(at, base) {
            InferredValue::Type(found @ Type::Known { .. }) if makers.contains(&name.as_str()) => {
                Some(found)
            }
            _ => None,
        }
    }

    /// Infers a call of a library function that wraps or returns its argument: `Arc::new(x)`,
    /// `Some(x)`, `sorted(x)`.
    fn infer_foreign_call(
        &self,
        at: Position,
        function: &Expression,
        argument: Option<&Expression>,
    ) -> InferredValue {
        let rules = self.table.file(at.file).rules;
        // `Some(x)` by its name, `Arc::new(x)` by the type before it.
        let name = match function {
            Expression::Name(name) => name.as_str(),
            Expression::Path(base, _) => match &**base {
                Expression::Name(name) => name.as_str(),
                _ => "",
            },
            _ => "",
        };
        let wrapped = match rules.library.wrapping_type(name) {
            Some(wrapper) => wrapper,
            None if rules.wrapper_types.contains(&name) => name,
            None if rules.identity_functions.contains(&name) => "",
            None => return InferredValue::Foreign,
        };
        let inner = argument.map_or(Type::Unknown, |argument| self.infer_instance(at, argument));
        // An identity function such as `sorted` returns the type of its argument.
        if wrapped.is_empty() {
            return InferredValue::Instance(inner);
        }
        InferredValue::Instance(Type::Foreign {
            name: wrapped.to_string(),
            arguments: [inner].into(),
            rules,
        })
    }

    /// Infers a struct literal, `Foo { … }`, also of an enum variant.
    pub(crate) fn infer_literal(&self, at: Position, name: &str) -> InferredValue {
        let written = self.parse_type(name);
        let target = self.modules().resolve_path(at, &written);
        match target {
            Some(ResolvedTarget::Symbol(id)) if is_type(self.table.symbol(id).kind) => {
                InferredValue::Instance(self.type_of_symbol(id))
            }
            // An enum variant is an instance of the enum.
            Some(ResolvedTarget::Symbol(id)) => match self.table.parent(id) {
                Some(parent) => InferredValue::Instance(self.type_of_symbol(parent)),
                None => InferredValue::Unknown,
            },
            _ => InferredValue::Instance(self.resolve_type(at, &written)),
        }
    }

    /// Returns the return type of a function that is called on a value of `owner`.
    pub fn return_type(&self, id: SymbolId, owner: Option<&Type>) -> Type {
        let known = self.inference_cache.return_types.borrow().get(&id).cloned();
        let found = known.unwrap_or_else(|| {
            // While its return type is computed, a function returns `Unknown`; this ends recursion.
            self.inference_cache.return_types.borrow_mut().insert(id, Type::Unknown);
            let found = self.with_budget(|| self.find_return_type(id));
            self.inference_cache.return_types.borrow_mut().insert(id, found.clone());
            found
        });
        match owner {
            Some(owner) if self.returns_self_type(id) => {
                let at = self.body_position(id);
                let own = self.enclosing_type(at);
                let found = self.substitute_arguments(&found, owner);
                own.map_or(found.clone(), |own| replace_type(&found, &own, owner))
            }
            Some(owner) => self.substitute_arguments(&found, owner),
            None => found,
        }
    }

    /// True if the declared return type of a function mentions the self type: `this`,
    /// `Promise<this>`, `Self`. It then returns the type of the receiver, and not of the declaring
    /// type.
    pub(crate) fn returns_self_type(&self, id: SymbolId) -> bool {
        let words = self.table.file(id.file).rules.self_type_names;
        let symbol = self.table.symbol(id);
        let text = symbol.type_text.as_deref();
        text.is_some_and(|text| {
            words.iter().any(|word| mentions_name(&self.parse_type(text), word))
        })
    }

    /// Returns the position at the end of a function, where its type parameters are in scope.
    fn body_position(&self, id: SymbolId) -> Position {
        Position {
            file: id.file,
            symbol: Some(id.symbol),
            byte: self.table.symbol(id).span.end_byte,
        }
    }

    /// Returns the declared return type, or infers it from the first few `return` expressions.
    fn find_return_type(&self, id: SymbolId) -> Type {
        let symbol = self.table.symbol(id);
        let at = Position { file: id.file, symbol: Some(id.symbol), byte: symbol.span.end_byte };
        if symbol.kind == ChunkKind::Initializer {
            return self.enclosing_type(at).unwrap_or_default();
        }
        if let Some(text) = &symbol.type_text {
            return self.resolve_type(at, &self.parse_type(text));
        }
        let file = self.table.file(id.file);
        let returned =
            file.bindings_named("").filter(|binding| binding.container == Some(id.symbol));
        let mut found =
            returned.take(4).map(|binding| self.scopes().infer_binding(id.file, binding));
        let known = found.find(|found| !matches!(found, Type::Unknown | Type::Opaque));
        known.unwrap_or_default()
    }

    /// Resolves the texts of type arguments.
    fn resolve_types(&self, at: Position, written: &[String]) -> Vec<Type> {
        let all = written.iter();
        all.map(|text| self.resolve_type(at, &self.parse_type(text))).collect()
    }

    /// Applies the written type arguments, or those inferred from an argument, to a generic return
    /// type.
    fn apply_type_arguments(
        &self,
        at: Position,
        function: SymbolId,
        returned: Type,
        written: &[String],
        argument: Option<&Expression>,
    ) -> Type {
        let names = self.table.type_parameters(function);
        // Most functions are not generic.
        if names.is_empty() || !has_type_parameter(&returned) {
            return returned;
        }
        // `resolve<Page>()`: the call names its type arguments.
        if !written.is_empty() {
            let given = self.resolve_types(at, written);
            return self.normalize_type(substitute(&returned, names, &given));
        }
        let Some(argument) = argument else {
            return returned;
        };
        let symbol = self.table.symbol(function);
        let receivers = self.table.file(function.file).rules.receivers;
        let Some(first) = symbol
            .parameters
            .iter()
            .find(|(label, _)| !receivers.contains(&label.as_str()))
            .and_then(|(_, written)| written.as_deref())
            .map(|written| self.parse_type(written))
        else {
            return returned;
        };
        // Arguments nest, so the argument is inferred only once, and only if its parameter names a
        // type parameter.
        if !names.iter().any(|(name, _)| mentions_name(&first, name)) {
            return returned;
        }
        let argument = self.infer_value(at, argument);
        let given: Vec<Type> = names
            .iter()
            .map(|(name, _)| self.infer_type_argument(&first, name, &argument))
            .collect();
        self.normalize_type(substitute_known(&returned, names, &given))
    }

    /// Infers a type parameter of a generic function from the first argument.
    fn infer_type_argument(&self, first: &TypeExpr, name: &str, argument: &InferredValue) -> Type {
        let is_parameter = |written: &TypeExpr| matches!(written, TypeExpr::Named { path, .. } if path.len() == 1 && path[0] == name);
        match (first, argument) {
            (written, InferredValue::Instance(found)) if is_parameter(written) => found.clone(),
            (written, _) if is_parameter(written) => Type::Unknown,
            // `resolve(Foo)`: the argument is the class of the result.
            (TypeExpr::Named { arguments, .. }, _) if arguments.iter().any(is_parameter) => {
                match argument {
                    InferredValue::Type(found) => found.clone(),
                    InferredValue::Instance(found) => self.infer_indexed_type(found),
                    _ => Type::Unknown,
                }
            }
            (TypeExpr::List(inner), InferredValue::Instance(found)) if is_parameter(inner) => {
                self.infer_element_type(found)
            }
            (TypeExpr::Function(_, inner), InferredValue::Type(found)) if is_parameter(inner) => {
                found.clone()
            }
            (TypeExpr::Union(all), _) => {
                let all = all.iter().map(|one| self.infer_type_argument(one, name, argument));
                let mut known = all.filter(|found| !matches!(found, Type::Unknown | Type::Opaque));
                known.next().unwrap_or_default()
            }
            _ => Type::Unknown,
        }
    }
}

/// True if a type contains a type parameter.
pub(crate) fn has_type_parameter(of: &Type) -> bool {
    match of {
        Type::Parameter { .. } => true,
        Type::Known { arguments, .. } | Type::Foreign { arguments, .. } => {
            arguments.iter().any(has_type_parameter)
        }
        Type::Union(all) | Type::Tuple(all) => all.iter().any(has_type_parameter),
        Type::Function(inner) | Type::Deferred { base: inner, .. } => has_type_parameter(inner),
        Type::Opaque | Type::Unknown => false,
    }
}

/// Substitutes the arguments that are known, and leaves the other parameters.
fn substitute_known(of: &Type, names: &[(String, Option<String>)], given: &[Type]) -> Type {
    let (names, given): (Vec<_>, Vec<_>) = names
        .iter()
        .zip(given)
        .filter(|(_, given)| **given != Type::Unknown)
        .map(|(name, given)| (name.clone(), given.clone()))
        .unzip();
    substitute(of, &names, &given)
}

/// True if a type expression mentions a bare name.
fn mentions_name(written: &TypeExpr, name: &str) -> bool {
    match written {
        TypeExpr::Named { path, arguments } => {
            path.len() == 1 && path[0] == name
                || arguments.iter().any(|one| mentions_name(one, name))
        }
        TypeExpr::Union(all) | TypeExpr::Tuple(all) => {
            all.iter().any(|one| mentions_name(one, name))
        }
        TypeExpr::List(inner) | TypeExpr::Map(inner) => mentions_name(inner, name),
        TypeExpr::Function(_, inner) | TypeExpr::Indexed(inner, _) => mentions_name(inner, name),
        TypeExpr::TypeOf(_) | TypeExpr::Unknown => false,
    }
}

/// Replaces each occurrence of a type inside of another, no matter its arguments.
fn replace_type(of: &Type, part: &Type, by: &Type) -> Type {
    let is_part = |of: &Type| match (of, part) {
        (Type::Known { symbol, .. }, Type::Known { symbol: own, .. }) => symbol == own,
        _ => false,
    };
    map_type(of, 0, &|of, depth| is_part(of).then(|| map_type(by, depth, &|_, _| None)))
}
