//! Result and element types of well-known library types.
//!
//! Libraries are not indexed. Without the few facts here, every chain of calls would end at the
//! first `Vec`, `Map` or `Promise`.

use crate::inference::Inference;
use crate::inference::Type;
use crate::resolver::Position;
use crate::rules::{Flow, Protocol};
use crate::symbol_table::SymbolId;
use kenning_model::ChunkKind;

impl<'t> Inference<'_, 't> {
    /// Infers the result type of a well-known library method from the type arguments of its
    /// receiver. Entries for the type come before those for any type.
    pub(crate) fn infer_flow(&self, at: Position, of: &Type, name: &str) -> Option<Type> {
        let rules = self.table.file(at.file).rules;
        let flow = |kind: &str| {
            let mut known = rules.flows.iter();
            let found = known.find(|(owner, method, _)| *owner == kind && *method == name);
            found.map(|(_, _, flow)| *flow)
        };
        let (own, arguments) = match of {
            Type::Foreign { name, arguments, .. } => (flow(name), &arguments[..]),
            Type::Known { arguments, .. } => (None, &arguments[..]),
            _ => (None, [].as_slice()),
        };
        let argument = |place: Option<&Type>| place.cloned().unwrap_or_default();
        let list = |inner: Type| Type::Foreign {
            name: rules.list.to_string(),
            arguments: [inner].into(),
            rules,
        };
        // A wrapper skips the methods that every type has, because the wrapped type may define
        // them.
        let is_wrapper = own.is_none() && self.members().unwrap_wrapper(of).is_some();
        let common = || flow("").filter(|_| !is_wrapper);
        Some(match own.or_else(common)? {
            Flow::Same => of.clone(),
            Flow::First => argument(arguments.first()),
            Flow::Second => argument(arguments.get(1)),
            Flow::Last => argument(arguments.last()),
            Flow::ListOfFirst => list(argument(arguments.first())),
            Flow::ListOfLast => list(argument(arguments.last())),
        })
    }

    /// Returns the element type of iterating over a value.
    pub fn infer_element_type(&self, of: &Type) -> Type {
        match of {
            Type::Foreign { arguments, name, rules } => match &arguments[..] {
                [one] => one.clone(),
                // The first of two loop variables is the key of a map, the second its value.
                [_, value] if rules.iterates_map_values => value.clone(),
                [first, _] if rules.library.first_element_types.contains(&name.as_str()) => {
                    first.clone()
                }
                _ => Type::Unknown,
            },
            Type::Known { symbol, arguments } => {
                let given_out = self.declared_element_type(*symbol, of);
                given_out.unwrap_or_else(|| match &arguments[..] {
                    [one] => one.clone(),
                    _ => self.alias_target(*symbol).map_or(Type::Unknown, |target| {
                        self.with_budget(|| self.infer_element_type(&target))
                    }),
                })
            }
            Type::Union(all) => {
                all.first().map_or(Type::Unknown, |one| self.infer_element_type(one))
            }
            _ => Type::Unknown,
        }
    }

    /// Infers the result of awaiting a value: the output that a type of the repository declares,
    /// else the type inside a future.
    pub(crate) fn infer_awaited_type(&self, of: Type) -> Type {
        let Type::Known { symbol, .. } = &of else {
            return unwrap_future(of);
        };
        let declared = match self.table.file(symbol.file).rules.future_output {
            Protocol::AssociatedType(name) => self.associated_type(&of, name),
            Protocol::Methods(names) => {
                self.find_protocol_result(&of, names, |found| match found {
                    Type::Foreign { arguments, .. } => arguments.last().cloned(),
                    _ => None,
                })
            }
            Protocol::None => None,
        };
        let known = declared.filter(|declared| matches!(declared, Type::Known { .. }));
        known.unwrap_or_else(|| unwrap_future(of))
    }

    /// Returns the element type that an iterable type of the repository declares.
    fn declared_element_type(&self, symbol: SymbolId, of: &Type) -> Option<Type> {
        let rules = self.table.file(symbol.file).rules;
        match rules.iteration {
            Protocol::AssociatedType(name) => self.associated_type(of, name),
            Protocol::Methods(names) => self.find_protocol_result(of, names, |found| match found {
                found @ Type::Foreign { .. } => Some(self.infer_element_type(&found)),
                _ => None,
            }),
            Protocol::None => None,
        }
    }

    /// Applies `read` to the result type of the first of these methods that yields something.
    fn find_protocol_result(
        &self,
        of: &Type,
        methods: &[&str],
        read: impl Fn(Type) -> Option<Type>,
    ) -> Option<Type> {
        methods.iter().find_map(|name| {
            let member = self.members().find_member(of, name)?;
            read(self.return_type(member.symbols[0], Some(&member.owner)))
        })
    }

    /// Infers the type that `with value as name` binds: the result of entering the context manager,
    /// the type that a generator yields, or else the type of the value.
    pub(crate) fn infer_context_value(&self, at: Position, of: Type) -> Type {
        if let Type::Foreign { name, arguments, rules } = &of
            && rules.library.context_types.contains(&name.as_str())
        {
            return arguments.first().cloned().unwrap_or_default();
        }
        for name in self.table.file(at.file).rules.library.context_methods {
            let Some(member) = self.members().find_member(&of, name) else {
                continue;
            };
            let first = member.symbols[0];
            let owner = if self.returns_self_type(first) { &of } else { &member.owner };
            if let found @ Type::Known { .. } = self.return_type(first, Some(owner)) {
                return match (&found, &of) {
                    // A base's method that returns its object returns the subtype.
                    (Type::Known { symbol: base, .. }, Type::Known { symbol, .. })
                        if self.heritage().is_subtype(*symbol, *base) =>
                    {
                        of
                    }
                    _ => found,
                };
            }
        }
        of
    }

    /// Returns the type of an indexed element of a container.
    pub(crate) fn infer_indexed_type(&self, of: &Type) -> Type {
        match of {
            Type::Known { symbol, arguments } if arguments.is_empty() => {
                let target = self.alias_target(*symbol);
                target.map_or(Type::Unknown, |target| {
                    self.with_budget(|| self.infer_indexed_type(&target))
                })
            }
            Type::Foreign { arguments, .. } | Type::Known { arguments, .. } => {
                arguments.last().cloned().unwrap_or_default()
            }
            _ => Type::Unknown,
        }
    }

    /// Resolves the list or map type behind a named type: `type Routes []Route`.
    fn alias_target(&self, symbol: SymbolId) -> Option<Type> {
        let facts = self.table.symbol(symbol);
        let is_alias = facts.kind == ChunkKind::TypeAlias;
        let text = facts.type_text.as_deref().filter(|_| is_alias)?;
        let at = Position {
            file: symbol.file,
            symbol: self.table.parent(symbol).map(|parent| parent.symbol),
            byte: facts.span.start_byte,
        };
        Some(self.with_budget(|| self.resolve_type(at, &self.parse_type(text))))
    }
}

/// Returns the type inside a future or promise; any other type unchanged.
fn unwrap_future(found: Type) -> Type {
    match found {
        Type::Foreign { ref name, ref arguments, rules }
            if rules.library.future_types.contains(&name.as_str()) =>
        {
            arguments.last().cloned().unwrap_or_default()
        }
        found => found,
    }
}
