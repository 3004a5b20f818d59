//! Element and result types of containers and other well-known library types.

use crate::inference::Inference;
use crate::inference::Type;
use crate::resolver::Position;
use crate::rules::Flow;
use crate::symbol_table::SymbolId;
use kenning_model::ChunkKind;

impl<'w> Inference<'_, 'w> {
    /// Returns the result type of a well-known method.
    pub(crate) fn flow(&self, at: Position, of: &Type, name: &str) -> Option<Type> {
        let rules = self.world.file(at.file).rules;
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
        let is_wrapper = own.is_none() && self.members().unwrapped(of).is_some();
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
    pub fn element(&self, of: &Type) -> Type {
        match of {
            Type::Foreign { arguments, name, rules } => match &arguments[..] {
                [one] => one.clone(),
                // A loop over a Go map yields keys and then values.
                [_, value] if rules.family == "go" => value.clone(),
                [first, _] if ["Result", "Promise"].contains(&name.as_str()) => first.clone(),
                _ => Type::Unknown,
            },
            Type::Known { symbol, arguments } => {
                let given_out = self.given_out(*symbol, of);
                given_out.unwrap_or_else(|| match &arguments[..] {
                    [one] => one.clone(),
                    _ => self
                        .made_of(*symbol)
                        .map_or(Type::Unknown, |made| self.with_budget(|| self.element(&made))),
                })
            }
            Type::Either(all) => all.first().map_or(Type::Unknown, |one| self.element(one)),
            _ => Type::Unknown,
        }
    }

    /// Returns the type of awaiting a value: the output that a type of ours declares, else the type
    /// inside a future.
    pub(crate) fn waited_for(&self, of: Type) -> Type {
        let Type::Known { symbol, .. } = &of else {
            return awaited(of);
        };
        let said = match self.world.file(symbol.file).rules.family {
            "rust" => self.associated(&of, "Output"),
            "python" => self.members().member(&of, "__await__").and_then(|member| {
                match self.returned(member.symbols[0], Some(&member.owner)) {
                    Type::Foreign { arguments, .. } => arguments.last().cloned(),
                    _ => None,
                }
            }),
            _ => None,
        };
        let known = said.filter(|said| matches!(said, Type::Known { .. }));
        known.unwrap_or_else(|| awaited(of))
    }

    /// Returns the element type that one of our iterable types declares.
    fn given_out(&self, symbol: SymbolId, of: &Type) -> Option<Type> {
        let rules = self.world.file(symbol.file).rules;
        match rules.family {
            "rust" => self.associated(of, "Item"),
            "python" => ["__iter__", "__aiter__"].iter().find_map(|name| {
                let member = self.members().member(of, name)?;
                match self.returned(member.symbols[0], Some(&member.owner)) {
                    found @ Type::Foreign { .. } => Some(self.element(&found)),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    /// Returns the type that Python's `with value as name` binds. It is the result of `__enter__`,
    /// the type that a generator yields, or else the value's own.
    pub(crate) fn entered(&self, of: Type) -> Type {
        const YIELDING: &[&str] = &[
            "Iterator",
            "AsyncIterator",
            "Generator",
            "AsyncGenerator",
            "ContextManager",
            "AsyncContextManager",
            "AbstractContextManager",
            "AbstractAsyncContextManager",
            "Iterable",
            "AsyncIterable",
        ];
        if let Type::Foreign { name, arguments, .. } = &of
            && YIELDING.contains(&name.as_str())
        {
            return arguments.first().cloned().unwrap_or_default();
        }
        for name in ["__aenter__", "__enter__"] {
            let Some(member) = self.members().member(&of, name) else {
                continue;
            };
            let first = member.symbols[0];
            let owner = if self.returns_own(first) { &of } else { &member.owner };
            if let found @ Type::Known { .. } = self.returned(first, Some(owner)) {
                return match (&found, &of) {
                    // `return self` of a base.
                    (Type::Known { symbol: base, .. }, Type::Known { symbol, .. })
                        if self.heritage().is_kind_of(*symbol, *base) =>
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
    pub(crate) fn held(&self, of: &Type) -> Type {
        match of {
            Type::Known { symbol, arguments } if arguments.is_empty() => {
                let made = self.made_of(*symbol);
                made.map_or(Type::Unknown, |made| self.with_budget(|| self.held(&made)))
            }
            Type::Foreign { arguments, .. } | Type::Known { arguments, .. } => {
                arguments.last().cloned().unwrap_or_default()
            }
            _ => Type::Unknown,
        }
    }

    /// Resolves the list or map type behind a named type: `type Routes []Route`.
    fn made_of(&self, symbol: SymbolId) -> Option<Type> {
        let facts = self.world.symbol(symbol);
        let text = facts.type_text.as_deref();
        let text = text.filter(|_| facts.kind == ChunkKind::TypeAlias)?;
        let at = Position {
            file: symbol.file,
            symbol: self.world.parent(symbol).map(|parent| parent.symbol),
            byte: facts.span.start_byte,
        };
        Some(self.with_budget(|| self.resolve_type(at, &self.parse_type(text))))
    }
}

/// Returns the type inside a future or promise; any other type is returned as it is.
fn awaited(found: Type) -> Type {
    const LATER: &[&str] =
        &["Promise", "PromiseLike", "Task", "ValueTask", "Future", "Awaitable", "Coroutine"];
    match found {
        Type::Foreign { ref name, ref arguments, .. } if LATER.contains(&name.as_str()) => {
            arguments.last().cloned().unwrap_or_default()
        }
        found => found,
    }
}
