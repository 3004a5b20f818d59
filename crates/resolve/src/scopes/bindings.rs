//! Types of names that are no symbols: variables, parameters, fields that a method assigns, names
//! in patterns.

use crate::inference::{InferredValue, Type, Types};
use crate::resolver::Position;
use crate::rules::Patterns;
use crate::scopes::Scopes;
use crate::symbol_table::{SymbolId, is_callable};
use crate::syntax::expression::Expression;
use kenning_model::{Binding, BindingKind, ChunkKind};

impl<'w> Scopes<'_, 'w> {
    /// The type of a field, variable or case.
    pub(crate) fn variable(&self, id: SymbolId, owner: Option<&Type>) -> Type {
        let symbol = self.world.symbol(id);
        let parent = self.world.parent(id);
        let is_case = symbol.type_text.is_none() && self.inference().is_case(id);
        if let Some(parent) = parent.filter(|_| is_case) {
            return Type::Known { symbol: parent, arguments: Types::default() };
        }
        let at = Position { file: id.file, symbol: Some(id.symbol), byte: symbol.span.end_byte };
        let found = match &symbol.type_text {
            Some(text) => self.inference().resolve_type(at, &self.parse_type(text)),
            None => self.initial(id),
        };
        match owner {
            Some(owner) => self.inference().substituted(&found, owner),
            None => found,
        }
    }

    /// Infers the type of a definition from its own binding.
    fn initial(&self, id: SymbolId) -> Type {
        let own = self.own_binding(id);
        own.map_or(Type::Unknown, |binding| self.bound(id.file, binding))
    }

    /// Returns the binding that a definition makes for its own name.
    pub(crate) fn own_binding(&self, id: SymbolId) -> Option<&'w Binding> {
        let mut bindings = self.world.file(id.file).bound(&self.world.symbol(id).name);
        bindings.find(|binding| binding.container == Some(id.symbol))
    }

    /// The type of a local name: a variable, or a parameter of a function around it.
    pub fn local(&self, at: Position, name: &str) -> Option<Type> {
        let file = self.world.file(at.file);
        let bindings: Vec<&Binding> = file.bound(name).collect();
        let around: Vec<u32> = file.ancestors(at.symbol).collect();
        for &outer in &around {
            let symbol = &file.symbols()[outer as usize];
            if !is_callable(symbol.kind) && !is_local_holder(symbol.kind) {
                continue;
            }
            let own = |binding: &&Binding| binding.container == Some(outer);
            let own = bindings.iter().copied().filter(own);
            // The first of a variable's own name is the variable, of which others know more.
            let is_itself = symbol.name == name && is_local_holder(symbol.kind);
            let own = own.skip(usize::from(is_itself));
            let own = own.filter(|binding| binding.is_visible_at(at.byte));
            let before = |binding: &&Binding| binding.start_byte < at.byte;
            // A function that is defined within another may run after what follows it.
            let is_outer = Some(outer) != at.symbol;
            let found = own.clone().filter(before).last();
            if let Some(binding) = found.or_else(|| own.clone().find(|_| is_outer)) {
                return Some(self.bound(at.file, binding));
            }
            let parameter = symbol.parameters.iter().find(|(label, _)| label == name);
            if let Some((_, written)) = parameter {
                let inner = Position { symbol: Some(outer), ..at };
                return Some(match written {
                    Some(text) => self.inference().resolve_type(inner, &self.parse_type(text)),
                    None => Type::Unknown,
                });
            }
        }
        // Code outside of every definition has variables too, and functions run after all of it: a
        // block around the place comes first, then what was set last.
        let top = bindings.iter().rev();
        let top =
            top.filter(|binding| binding.container.is_none() && binding.is_visible_at(at.byte));
        let is_before = |binding: &&&Binding| binding.start_byte < at.byte;
        let around = top.clone().filter(is_before);
        let mut around = around.filter(|binding| binding.end_byte.is_some());
        let found =
            around.next().or_else(|| top.clone().find(|one| is_before(one) || at.symbol.is_some()));
        found.map(|binding| self.bound(at.file, binding))
    }

    /// Infers the type of a binding, from its written type or else from its value.
    pub fn bound(&self, file: u32, binding: &Binding) -> Type {
        let at = Position { file, symbol: binding.container, byte: binding.start_byte };
        let written = binding.type_text.as_deref().filter(|text| !INFERRED.contains(text));
        if let Some(text) = written {
            return self.with_budget(|| self.inference().resolve_type(at, &self.parse_type(text)));
        }
        let Some(value) = &binding.value else {
            return Type::Unknown;
        };
        if binding.kind == BindingKind::ClosureParameter {
            return self.with_budget(|| self.inference().given(at, &self.parse_expression(value)));
        }
        if binding.kind == BindingKind::Value
            && let Some(field) = self.inference().field_of_case(at, value)
        {
            return field;
        }
        let found = self.with_budget(|| self.set_to(at, value, binding.kind));
        match binding.kind {
            BindingKind::SecondOfPair => {
                let numbered = || self.numbered(at, &self.parse_expression(value));
                let payload = self.inference().payload(at, value, 1);
                payload.or_else(numbered).unwrap_or(found)
            }
            BindingKind::Value | BindingKind::ReturnValue | BindingKind::ClosureParameter => found,
            BindingKind::Element => self.inference().element(&found),
            BindingKind::PatternPart => {
                if let Some(payload) = self.inference().payload(at, value, 0) {
                    return payload;
                }
                let rules = self.world.file(file).rules;
                match rules.patterns {
                    Patterns::Inside => inside(found),
                    Patterns::Entered => self.inference().entered(found),
                    Patterns::Members => {
                        let value = self.inference().member_value(
                            at,
                            &InferredValue::Instance(found),
                            &binding.name,
                        );
                        match value {
                            InferredValue::Instance(found) => found,
                            _ => Type::Unknown,
                        }
                    }
                }
            }
        }
    }

    /// Infers the type of the value that a name is set to. For a tuple, returns the element that
    /// `kind` selects.
    fn set_to(&self, at: Position, value: &str, kind: BindingKind) -> Type {
        match self.inference().value(at, &self.parse_expression(value)) {
            InferredValue::Instance(Type::Tuple(all)) => {
                let place = usize::from(kind == BindingKind::SecondOfPair);
                all.get(place).cloned().unwrap_or_default()
            }
            InferredValue::Instance(_) if kind == BindingKind::SecondOfPair => Type::Unknown,
            InferredValue::Instance(found) => found,
            // `const string = ZodString.create`
            found @ InferredValue::Functions(..) => self.inference().as_instance(found),
            InferredValue::Foreign => Type::Plain,
            _ => Type::Unknown,
        }
    }

    /// Infers the second variable of a loop over a counter or a map: `enumerate(x)`,
    /// `x.iter().enumerate()`, `x.items()`.
    fn numbered(&self, at: Position, expression: &Expression) -> Option<Type> {
        let Expression::Call { function, argument, .. } = expression else {
            return None;
        };
        let found = match &**function {
            Expression::Name(name) if name == "enumerate" => {
                let argument = argument.as_deref()?;
                self.inference().element(&self.inference().instance(at, argument))
            }
            Expression::Member(base, name) if name == "enumerate" => {
                self.inference().element(&self.inference().instance(at, base))
            }
            Expression::Member(base, name) if name == "items" => {
                match self.inference().instance(at, base) {
                    Type::Foreign { arguments, .. } if arguments.len() == 2 => arguments[1].clone(),
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        };
        Some(found).filter(|found| *found != Type::Unknown)
    }

    /// A field that no declaration names: one that a method assigns, or that a constructor declares
    /// as it takes it.
    pub(crate) fn assigned_field(&self, of: &Type, name: &str) -> Option<Type> {
        let Type::Known { symbol, .. } = of else {
            return None;
        };
        let field = (*symbol, name.to_string());
        if let Some(known) = self.scope_cache.fields.borrow().get(&field) {
            return known.clone();
        }
        // Meanwhile, and for one that is set to what it is: nothing is known. Fields are set from
        // each other, and to follow every way to each of them would never end.
        self.scope_cache.fields.borrow_mut().insert(field.clone(), None);
        let found = self.with_budget(|| self.find_assigned_field(*symbol, name));
        self.scope_cache.fields.borrow_mut().insert(field, found.clone());
        found
    }

    fn find_assigned_field(&self, owner: SymbolId, name: &str) -> Option<Type> {
        for type_id in self.heritage().supertypes(owner) {
            let file = self.world.file(type_id.file);
            for receiver in file.rules.receivers {
                let written = format!("{receiver}.{name}");
                let bindings = file.bound(&written);
                let own = bindings.filter(|binding| self.is_in(type_id, binding.container));
                let found: Vec<Type> = own.map(|one| self.bound(type_id.file, one)).collect();
                let is_known = |one: &&Type| !matches!(one, Type::Unknown | Type::Plain);
                let known = found.iter().find(is_known);
                let known = known.or_else(|| found.iter().find(|one| **one == Type::Plain));
                if known.is_some() {
                    return known.cloned();
                }
            }
            let declared = file.bound(name).find(|binding| {
                let inside = binding.container.map(|index| &file.symbols()[index as usize]);
                let is_constructor =
                    inside.is_some_and(|inside| inside.kind == ChunkKind::Initializer);
                is_constructor && self.is_in(type_id, binding.container)
            });
            if let Some(binding) = declared {
                return Some(self.bound(type_id.file, binding));
            }
        }
        None
    }

    fn is_in(&self, type_id: SymbolId, inside: Option<u32>) -> bool {
        let file = self.world.file(type_id.file);
        let is_assigned =
            |symbol: u32| self.objects().is_assigned(type_id, SymbolId { symbol, ..type_id });
        file.ancestors(inside).any(|index| index == type_id.symbol || is_assigned(index))
    }
}

/// Words in the place of a type that leave it to inference.
const INFERRED: &[&str] = &["var", "auto", "_", "val", "let"];

/// Definitions that hold variables which are no symbols.
fn is_local_holder(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Variable | ChunkKind::Property | ChunkKind::Constant)
}

/// Returns the type inside an optional or a result; any other type is returned as it is.
pub(crate) fn inside(found: Type) -> Type {
    match found {
        Type::Foreign { ref name, ref arguments, .. }
            if ["Option", "Result", "Optional"].contains(&name.as_str())
                || name.ends_with("Result") =>
        {
            arguments.first().cloned().unwrap_or_default()
        }
        found => found,
    }
}
