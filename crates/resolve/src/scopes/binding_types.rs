//! Types of names that are not symbols: variables, parameters, assigned fields, names in patterns.
//!
//! A binding has a written type, or the text of the value that it is set to. Control flow is
//! ignored: the last binding before a position counts, whatever branch it is in.

use crate::inference::{InferredValue, Type, Types};
use crate::resolver::Position;
use crate::rules::PatternBinding;
use crate::scopes::Scopes;
use crate::symbol_table::{SymbolId, is_callable};
use crate::syntax::expression::Expression;
use kenning_model::{Binding, BindingKind, ChunkKind};

impl<'t> Scopes<'_, 't> {
    /// Infers the type of a field, a variable or an enum variant, as a member of `owner`.
    pub(crate) fn infer_variable(&self, id: SymbolId, owner: Option<&Type>) -> Type {
        let symbol = self.table.symbol(id);
        let parent = self.table.parent(id);
        let is_case = symbol.type_text.is_none() && self.inference().is_enum_variant(id);
        if let Some(parent) = parent.filter(|_| is_case) {
            return Type::Known { symbol: parent, arguments: Types::default() };
        }
        let at = Position { file: id.file, symbol: Some(id.symbol), byte: symbol.span.end_byte };
        let found = match &symbol.type_text {
            Some(text) => self.inference().resolve_type(at, &self.parse_type(text)),
            None => self.infer_from_own_binding(id),
        };
        match owner {
            Some(owner) => self.inference().substitute_arguments(&found, owner),
            None => found,
        }
    }

    /// Infers the type of a definition from its own binding.
    fn infer_from_own_binding(&self, id: SymbolId) -> Type {
        let own = self.own_binding(id);
        own.map_or(Type::Unknown, |binding| self.infer_binding(id.file, binding))
    }

    /// Returns the binding that a definition makes for its own name.
    pub(crate) fn own_binding(&self, id: SymbolId) -> Option<&'t Binding> {
        let mut bindings = self.table.file(id.file).bindings_named(&self.table.symbol(id).name);
        bindings.find(|binding| binding.container == Some(id.symbol))
    }

    /// Infers the type of a local name: a variable, or a parameter of a function around the
    /// position. `None` if no binding has this name; `Unknown` if one has it and its type is not
    /// known.
    pub fn infer_local(&self, at: Position, name: &str) -> Option<Type> {
        let file = self.table.file(at.file);
        let bindings: Vec<&Binding> = file.bindings_named(name).collect();
        let around: Vec<u32> = file.ancestors(at.symbol).collect();
        for &outer in &around {
            let symbol = &file.symbols()[outer as usize];
            if !is_callable(symbol.kind) && !can_hold_locals(symbol.kind) {
                continue;
            }
            // The first binding of a variable's own name is the variable itself, which `scopes`
            // resolves as a symbol.
            let is_itself = symbol.name == name && can_hold_locals(symbol.kind);
            let own = bindings
                .iter()
                .copied()
                .filter(|binding| binding.container == Some(outer))
                .skip(usize::from(is_itself))
                .filter(|binding| binding.is_visible_at(at.byte));
            let before = |binding: &&Binding| binding.start_byte < at.byte;
            // A nested function may run later, so it also sees bindings that follow it.
            let is_outer = Some(outer) != at.symbol;
            let found = own.clone().filter(before).last();
            if let Some(binding) = found.or_else(|| own.clone().find(|_| is_outer)) {
                return Some(self.infer_binding(at.file, binding));
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
        // Top-level code has variables too, and functions run after all of it. A block around the
        // position comes first, then the last assignment.
        let top = bindings
            .iter()
            .rev()
            .filter(|binding| binding.container.is_none() && binding.is_visible_at(at.byte));
        let is_before = |binding: &&&Binding| binding.start_byte < at.byte;
        let mut in_block =
            top.clone().filter(is_before).filter(|binding| binding.end_byte.is_some());
        let found = in_block
            .next()
            .or_else(|| top.clone().find(|one| is_before(one) || at.symbol.is_some()));
        found.map(|binding| self.infer_binding(at.file, binding))
    }

    /// Infers the type of a binding, from its written type or else from its value.
    pub fn infer_binding(&self, file: u32, binding: &Binding) -> Type {
        let at = Position { file, symbol: binding.container, byte: binding.start_byte };
        let rules = self.table.file(file).rules;
        let written =
            binding.type_text.as_deref().filter(|text| !rules.inferred_type_words.contains(text));
        if let Some(text) = written {
            return self.with_budget(|| self.inference().resolve_type(at, &self.parse_type(text)));
        }
        let Some(value) = &binding.value else {
            return Type::Unknown;
        };
        // The name is the parameter of a closure; the value is the function that takes it.
        if binding.kind == BindingKind::ClosureParameter {
            return self.with_budget(|| {
                self.inference().infer_closure_parameter(at, &self.parse_expression(value))
            });
        }
        // `Tree::Both { left }` binds a field of a variant by its name.
        if binding.kind == BindingKind::Value
            && let Some(field) = self.inference().infer_variant_field(at, value)
        {
            return field;
        }
        let found = self.with_budget(|| self.infer_bound_value(at, value, binding.kind));
        match binding.kind {
            BindingKind::SecondOfPair => {
                // `for i, page in enumerate(pages)` binds the element second, also for a map's
                // value.
                let numbered =
                    || self.infer_second_loop_variable(at, &self.parse_expression(value));
                let payload = self.inference().infer_payload(at, value, 1);
                payload.or_else(numbered).unwrap_or(found)
            }
            BindingKind::Value | BindingKind::ReturnValue | BindingKind::ClosureParameter => found,
            BindingKind::Element => self.inference().infer_element_type(&found),
            BindingKind::PatternPart => {
                // `if let Some(page) = …` binds the payload of a variant.
                if let Some(payload) = self.inference().infer_payload(at, value, 0) {
                    return payload;
                }
                // Other patterns: `Some` of a library, `with … as`, `const { name } = …`.
                match rules.pattern_binding {
                    PatternBinding::Unwrapped => unwrap_optional(found),
                    PatternBinding::ContextManager => {
                        self.inference().infer_context_value(at, found)
                    }
                    PatternBinding::Members => self.infer_member_type(at, found, &binding.name),
                }
            }
        }
    }

    /// Infers the type of a member that a pattern binds by its name.
    fn infer_member_type(&self, at: Position, owner: Type, name: &str) -> Type {
        match self.inference().infer_member(at, &InferredValue::Instance(owner), name) {
            InferredValue::Instance(found) => found,
            _ => Type::Unknown,
        }
    }

    /// Infers the type of a binding's value. For a tuple, returns the element that `kind` selects.
    fn infer_bound_value(&self, at: Position, value: &str, kind: BindingKind) -> Type {
        match self.inference().infer_value(at, &self.parse_expression(value)) {
            InferredValue::Instance(Type::Tuple(all)) => {
                let place = usize::from(kind == BindingKind::SecondOfPair);
                all.get(place).cloned().unwrap_or_default()
            }
            InferredValue::Instance(_) if kind == BindingKind::SecondOfPair => Type::Unknown,
            InferredValue::Instance(found) => found,
            // `const string = ZodString.create`
            found @ InferredValue::Functions(..) => self.inference().type_of_inferred(found),
            InferredValue::Foreign => Type::Opaque,
            _ => Type::Unknown,
        }
    }

    /// Infers the second variable of a loop over a counter or a map: `enumerate(x)`,
    /// `x.iter().enumerate()`, `x.items()`.
    fn infer_second_loop_variable(&self, at: Position, expression: &Expression) -> Option<Type> {
        let Expression::Call { function, argument, .. } = expression else {
            return None;
        };
        let library = &self.table.file(at.file).rules.library;
        let counts = |name: &str| library.counting_functions.contains(&name);
        let found = match &**function {
            Expression::Name(name) if counts(name) => {
                let argument = argument.as_deref()?;
                self.inference().infer_element_type(&self.inference().infer_instance(at, argument))
            }
            Expression::Member(base, name) if counts(name) => {
                self.inference().infer_element_type(&self.inference().infer_instance(at, base))
            }
            Expression::Member(base, name) if library.pair_methods.contains(&name.as_str()) => {
                match self.inference().infer_instance(at, base) {
                    Type::Foreign { arguments, .. } if arguments.len() == 2 => arguments[1].clone(),
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        };
        Some(found).filter(|found| *found != Type::Unknown)
    }

    /// Infers the type of a field without a declaration: a method assigns it, or it is a
    /// constructor parameter that declares a field.
    pub(crate) fn infer_assigned_field(&self, of: &Type, name: &str) -> Option<Type> {
        let Type::Known { symbol, .. } = of else {
            return None;
        };
        let field = (*symbol, name.to_string());
        if let Some(known) = self.scope_cache.fields.borrow().get(&field) {
            return known.clone();
        }
        // Fields are assigned from each other. While one is inferred, its type is unknown; this
        // ends cycles.
        self.scope_cache.fields.borrow_mut().insert(field.clone(), None);
        let found = self.with_budget(|| self.find_assigned_field(*symbol, name));
        self.scope_cache.fields.borrow_mut().insert(field, found.clone());
        found
    }

    /// Infers an assigned field from the bindings `self.name = …` in the methods of the type and of
    /// its supertypes, or from a constructor parameter.
    fn find_assigned_field(&self, owner: SymbolId, name: &str) -> Option<Type> {
        for type_id in self.heritage().supertypes(owner) {
            let file = self.table.file(type_id.file);
            for receiver in file.rules.receivers {
                let written = format!("{receiver}.{name}");
                let bindings = file.bindings_named(&written);
                let own =
                    bindings.filter(|binding| self.is_inside_type(type_id, binding.container));
                let found: Vec<Type> =
                    own.map(|one| self.infer_binding(type_id.file, one)).collect();
                let is_known = |one: &&Type| !matches!(one, Type::Unknown | Type::Opaque);
                // One assignment with a known type outweighs others, such as `this.page = null`.
                let known = found
                    .iter()
                    .find(is_known)
                    .or_else(|| found.iter().find(|one| **one == Type::Opaque));
                if known.is_some() {
                    return known.cloned();
                }
            }
            let declared = file.bindings_named(name).find(|binding| {
                let inside = binding.container.map(|index| &file.symbols()[index as usize]);
                let is_constructor =
                    inside.is_some_and(|inside| inside.kind == ChunkKind::Initializer);
                is_constructor && self.is_inside_type(type_id, binding.container)
            });
            if let Some(binding) = declared {
                return Some(self.infer_binding(type_id.file, binding));
            }
        }
        None
    }

    /// True if a definition is in the body of a type, or assigned to it.
    fn is_inside_type(&self, type_id: SymbolId, inside: Option<u32>) -> bool {
        let file = self.table.file(type_id.file);
        let is_assigned = |symbol: u32| {
            self.objects().is_assigned_member(type_id, SymbolId { symbol, ..type_id })
        };
        file.ancestors(inside).any(|index| index == type_id.symbol || is_assigned(index))
    }
}

/// True if the initial value of such a definition may contain local variables, as a closure does.
fn can_hold_locals(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Variable | ChunkKind::Property | ChunkKind::Constant)
}

/// Returns the type inside an optional or a result; any other type unchanged.
pub(crate) fn unwrap_optional(found: Type) -> Type {
    match found {
        Type::Foreign { ref name, ref arguments, rules } if rules.library.is_optional(name) => {
            arguments.first().cloned().unwrap_or_default()
        }
        found => found,
    }
}
