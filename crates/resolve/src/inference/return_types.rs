//! Types of calls: declared or inferred return types, constructed types, and type arguments of
//! generic functions.

use crate::inference::Inference;
use crate::inference::substitution::{rebuilt, substitute};
use crate::inference::{InferredValue, Type, Use};
use crate::resolver::{Position, ResolvedTarget};
use crate::symbol_table::{SymbolId, is_type};
use crate::syntax::expression::Expression;
use crate::syntax::type_expr::{self, TypeExpr};
use kenning_model::ChunkKind;

impl<'w> Inference<'_, 'w> {
    pub(crate) fn value_of_call(
        &self,
        at: Position,
        function: &Expression,
        written: &[String],
        argument: Option<&Expression>,
    ) -> InferredValue {
        if let Expression::Name(name) = function
            && self.world.file(at.file).rules.supers.contains(&name.as_str())
        {
            return self.super_value(at);
        }
        match self.value_of_member(at, function, Use::Call) {
            InferredValue::Functions(symbols, owner) => {
                let first = symbols[0];
                let found = self.returned(first, owner.as_ref());
                let found = self.applied(at, first, found, written, argument);
                // `found` is the return type, with the call's type arguments applied.
                InferredValue::Instance(found)
            }
            InferredValue::Type(Type::Known { symbol, .. }) => {
                InferredValue::Instance(Type::Known {
                    symbol,
                    arguments: self.resolved_all(at, written).into(),
                })
            }
            InferredValue::Type(found) => InferredValue::Instance(found),
            InferredValue::Instance(Type::Function(found)) => InferredValue::Instance(*found),
            InferredValue::Instance(found) => InferredValue::Instance(self.called(at, found)),
            InferredValue::Foreign | InferredValue::Unknown => match self.made(at, function) {
                Some(made) => InferredValue::Instance(made),
                None => self.value_of_foreign_call(at, function, argument),
            },
            InferredValue::Module(_) | InferredValue::Namespace(_) => InferredValue::Unknown,
        }
    }

    /// Returns the type of calling a value. A value without a call member is already the result of
    /// a well-known method.
    fn called(&self, at: Position, value: Type) -> Type {
        let name = self.world.file(at.file).rules.call_member;
        let Some(member) = self.members().member(&value, name).filter(|_| !name.is_empty()) else {
            return value;
        };
        self.returned(member.symbols[0], Some(&member.owner))
    }

    /// `Foo::default()`, where a derive or a library defines it.
    fn made(&self, at: Position, function: &Expression) -> Option<Type> {
        let Expression::Path(base, name) = function else {
            return None;
        };
        let makers = self.world.file(at.file).rules.makers;
        match self.value_of_path(at, base) {
            InferredValue::Type(found @ Type::Known { .. }) if makers.contains(&name.as_str()) => {
                Some(found)
            }
            _ => None,
        }
    }

    /// `Arc::new(x)`, `Some(x)`, `Ok(x)`: what wraps holds what it is given.
    fn value_of_foreign_call(
        &self,
        at: Position,
        function: &Expression,
        argument: Option<&Expression>,
    ) -> InferredValue {
        let rules = self.world.file(at.file).rules;
        let name = match function {
            Expression::Name(name) => name.as_str(),
            Expression::Path(base, _) => match &**base {
                Expression::Name(name) => name.as_str(),
                _ => "",
            },
            _ => "",
        };
        let wrapped = match name {
            "Some" | "Option" => "Option",
            "Ok" => "Result",
            "Mutex" | "RwLock" | "RefCell" | "Cell" | "Arc" | "Rc" | "Box" => name,
            _ if rules.wrappers.contains(&name) => name,
            _ if rules.copies.contains(&name) => "",
            _ => return InferredValue::Foreign,
        };
        let inner = argument.map_or(Type::Unknown, |argument| self.instance(at, argument));
        if wrapped.is_empty() {
            return InferredValue::Instance(inner);
        }
        InferredValue::Instance(Type::Foreign {
            name: wrapped.to_string(),
            arguments: [inner].into(),
            rules,
        })
    }

    pub(crate) fn value_of_literal(&self, at: Position, name: &str) -> InferredValue {
        let written = self.parse_type(name);
        let target = self.modules().path_target(at, &written);
        match target {
            Some(ResolvedTarget::Symbol(id)) if is_type(self.world.symbol(id).kind) => {
                InferredValue::Instance(self.own(id))
            }
            // A case of an enum is of the enum.
            Some(ResolvedTarget::Symbol(id)) => match self.world.parent(id) {
                Some(parent) => InferredValue::Instance(self.own(parent)),
                None => InferredValue::Unknown,
            },
            _ => InferredValue::Instance(self.resolve_type(at, &written)),
        }
    }

    /// Returns the return type of a function that is called on a value of `owner`.
    pub fn returned(&self, id: SymbolId, owner: Option<&Type>) -> Type {
        let known = self.inference_cache.returned.borrow().get(&id).cloned();
        let found = known.unwrap_or_else(|| {
            // While its return type is computed, a function returns `Unknown`; this ends recursion.
            self.inference_cache.returned.borrow_mut().insert(id, Type::Unknown);
            let found = self.with_budget(|| self.declared_or_inferred(id));
            self.inference_cache.returned.borrow_mut().insert(id, found.clone());
            found
        });
        match owner {
            Some(owner) if self.returns_own(id) => {
                let at = self.inside(id);
                let own = self.own_type(at);
                let found = self.substituted(&found, owner);
                own.map_or(found.clone(), |own| replaced(&found, &own, owner))
            }
            Some(owner) => self.substituted(&found, owner),
            None => found,
        }
    }

    /// True if a function says that it returns a value of the type at hand, whichever that is when
    /// it is called: `this`, `Promise<this>`, `Self`.
    pub(crate) fn returns_own(&self, id: SymbolId) -> bool {
        let words = self.world.file(id.file).rules.own_types;
        let symbol = self.world.symbol(id);
        let text = symbol.type_text.as_deref();
        text.is_some_and(|text| words.iter().any(|word| mentions(&self.parse_type(text), word)))
    }

    fn inside(&self, id: SymbolId) -> Position {
        Position {
            file: id.file,
            symbol: Some(id.symbol),
            byte: self.world.symbol(id).span.end_byte,
        }
    }

    fn declared_or_inferred(&self, id: SymbolId) -> Type {
        let symbol = self.world.symbol(id);
        let at = Position { file: id.file, symbol: Some(id.symbol), byte: symbol.span.end_byte };
        if symbol.kind == ChunkKind::Initializer {
            return self.own_type(at).unwrap_or_default();
        }
        if let Some(text) = &symbol.type_text {
            return self.resolve_type(at, &self.parse_type(text));
        }
        let file = self.world.file(id.file);
        let returned = file.bound("").filter(|binding| binding.container == Some(id.symbol));
        let mut found = returned.take(4).map(|binding| self.scopes().bound(id.file, binding));
        let known = found.find(|found| !matches!(found, Type::Unknown | Type::Plain));
        known.unwrap_or_default()
    }

    fn resolved_all(&self, at: Position, written: &[String]) -> Vec<Type> {
        let all = written.iter();
        all.map(|text| self.resolve_type(at, &self.parse_type(text))).collect()
    }

    /// Applies the written type arguments, or those inferred from an argument, to a generic return
    /// type.
    fn applied(
        &self,
        at: Position,
        function: SymbolId,
        returned: Type,
        written: &[String],
        argument: Option<&Expression>,
    ) -> Type {
        let names = self.world.type_parameters(function);
        if names.is_empty() || !has_parameter(&returned) {
            return returned;
        }
        if !written.is_empty() {
            let given = self.resolved_all(at, written);
            return self.settled(substitute(&returned, names, &given));
        }
        let Some(argument) = argument else {
            return returned;
        };
        let symbol = self.world.symbol(function);
        let first = symbol.parameters.iter().find(|(label, _)| label != "self");
        let first = first.and_then(|(_, written)| written.as_deref());
        let Some(first) = first.map(type_expr::parse) else {
            return returned;
        };
        // Arguments nest, so the argument is inferred only once, and only if its parameter names a
        // type parameter.
        if !names.iter().any(|(name, _)| mentions(&first, name)) {
            return returned;
        }
        let argument = self.value(at, argument);
        let given = names.iter().map(|(name, _)| self.matched(&first, name, &argument));
        let given: Vec<Type> = given.collect();
        self.settled(substitute_known(&returned, names, &given))
    }

    /// Infers a type parameter of a generic function from the first argument.
    fn matched(&self, first: &TypeExpr, name: &str, argument: &InferredValue) -> Type {
        let is_parameter = |written: &TypeExpr| matches!(written, TypeExpr::Named { path, .. } if path.len() == 1 && path[0] == name);
        match (first, argument) {
            (written, InferredValue::Instance(found)) if is_parameter(written) => found.clone(),
            (written, _) if is_parameter(written) => Type::Unknown,
            // `resolve(Foo)`: a constructor of what comes back.
            (TypeExpr::Named { arguments, .. }, _) if arguments.iter().any(is_parameter) => {
                match argument {
                    InferredValue::Type(found) => found.clone(),
                    InferredValue::Instance(found) => self.held(found),
                    _ => Type::Unknown,
                }
            }
            (TypeExpr::List(inner), InferredValue::Instance(found)) if is_parameter(inner) => {
                self.element(found)
            }
            (TypeExpr::Function(_, inner), InferredValue::Type(found)) if is_parameter(inner) => {
                found.clone()
            }
            (TypeExpr::Either(all), _) => {
                let all = all.iter().map(|one| self.matched(one, name, argument));
                let mut known = all.filter(|found| !matches!(found, Type::Unknown | Type::Plain));
                known.next().unwrap_or_default()
            }
            _ => Type::Unknown,
        }
    }
}

/// True if a parameter of a generic definition is part of a type.
pub(crate) fn has_parameter(of: &Type) -> bool {
    match of {
        Type::Parameter { .. } => true,
        Type::Known { arguments, .. } | Type::Foreign { arguments, .. } => {
            arguments.iter().any(has_parameter)
        }
        Type::Either(all) | Type::Tuple(all) => all.iter().any(has_parameter),
        Type::Function(inner) | Type::Later { of: inner, .. } => has_parameter(inner),
        Type::Plain | Type::Unknown => false,
    }
}

/// The same as [`substitute`], for those of which something is known.
fn substitute_known(of: &Type, names: &[(String, Option<String>)], given: &[Type]) -> Type {
    let known = names.iter().zip(given);
    let known = known.filter(|(_, given)| **given != Type::Unknown);
    let (names, given): (Vec<_>, Vec<_>) =
        known.map(|(name, given)| (name.clone(), given.clone())).unzip();
    substitute(of, &names, &given)
}

/// True if a type as written has a name in it.
fn mentions(written: &TypeExpr, name: &str) -> bool {
    match written {
        TypeExpr::Named { path, arguments } => {
            path.len() == 1 && path[0] == name || arguments.iter().any(|one| mentions(one, name))
        }
        TypeExpr::Either(all) | TypeExpr::Tuple(all) => all.iter().any(|one| mentions(one, name)),
        TypeExpr::List(inner) | TypeExpr::Map(inner) => mentions(inner, name),
        TypeExpr::Function(_, inner) | TypeExpr::Indexed(inner, _) => mentions(inner, name),
        TypeExpr::TypeOf(_) | TypeExpr::Unknown => false,
    }
}

/// A type with another in the place of a part of it.
fn replaced(of: &Type, part: &Type, by: &Type) -> Type {
    let is_part = |of: &Type| match (of, part) {
        (Type::Known { symbol, .. }, Type::Known { symbol: own, .. }) => symbol == own,
        _ => false,
    };
    rebuilt(of, 0, &|of, depth| is_part(of).then(|| rebuilt(by, depth, &|_, _| None)))
}
