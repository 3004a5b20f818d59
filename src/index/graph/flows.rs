//! What comes out of containers and other well-known types of libraries.

use super::infer::Type;
use super::resolver::{At, Resolver};
use super::rules::Flow;

impl Resolver<'_> {
    /// What comes out of a well-known method.
    pub(super) fn flow(&self, at: At, of: &Type, name: &str) -> Option<Type> {
        let rules = self.world.file(at.file).rules;
        let flow = |kind: &str| {
            let mut known = rules.flows.iter();
            let found = known.find(|(owner, method, _)| *owner == kind && *method == name);
            found.map(|(_, _, flow)| *flow)
        };
        let (own, arguments) = match of {
            Type::Foreign {
                name, arguments, ..
            } => (flow(name), arguments.as_slice()),
            Type::Known { arguments, .. } => (None, arguments.as_slice()),
            _ => (None, [].as_slice()),
        };
        let argument = |place: Option<&Type>| place.cloned().unwrap_or_default();
        let list = |inner: Type| Type::Foreign {
            name: rules.list.to_string(),
            arguments: vec![inner],
            rules,
        };
        // What a wrapper holds has methods of its own, before those that everything has.
        let is_wrapper = own.is_none() && self.unwrapped(of).is_some();
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

    /// What one step of going through a value gives.
    pub fn element(&self, of: &Type) -> Type {
        match of {
            Type::Foreign {
                arguments, name, ..
            } => match arguments.as_slice() {
                [one] => one.clone(),
                [first, _] if ["Result", "Promise"].contains(&name.as_str()) => first.clone(),
                _ => Type::Unknown,
            },
            Type::Known { arguments, .. } => match arguments.as_slice() {
                [one] => one.clone(),
                _ => Type::Unknown,
            },
            Type::Either(all) => all.first().map_or(Type::Unknown, |one| self.element(one)),
            _ => Type::Unknown,
        }
    }

    /// What is at a place of a container.
    pub(super) fn held(&self, of: &Type) -> Type {
        match of {
            Type::Foreign { arguments, .. } | Type::Known { arguments, .. } => {
                arguments.last().cloned().unwrap_or_default()
            }
            _ => Type::Unknown,
        }
    }
}

/// What is there once it has been waited for.
pub(super) fn awaited(found: Type) -> Type {
    const LATER: &[&str] = &[
        "Promise",
        "PromiseLike",
        "Task",
        "ValueTask",
        "Future",
        "Awaitable",
        "Coroutine",
    ];
    match found {
        Type::Foreign {
            ref name,
            ref arguments,
            ..
        } if LATER.contains(&name.as_str()) => arguments.last().cloned().unwrap_or_default(),
        found => found,
    }
}
