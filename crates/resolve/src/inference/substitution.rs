//! Substitution of type arguments for type parameters. `resolve_type` finds the parameters.

use crate::inference::{Type, Types};

/// Type arguments below this depth are dropped. Otherwise each call of a chain such as
/// `builder.a().b().c()` could double the size of the type.
const MAX_DEPTH: usize = 4;

/// Substitutes arguments for the type parameters with these names.
pub(crate) fn substitute(
    of: &Type,
    names: &[(String, Option<String>)],
    arguments: &[Type],
) -> Type {
    let put = |of: &Type, depth: usize| {
        let Type::Parameter { name, .. } = of else {
            return None;
        };
        // A parameter of another definition stays.
        let place = names.iter().position(|(known, _)| known == name)?;
        let found = arguments.get(place)?;
        Some(map_type(found, depth, &|_, _| None))
    };
    map_type(of, 0, &put)
}

/// Rebuilds a type from the top. Where `other` returns a type, that replaces the part; parts below
/// the depth limit are dropped.
pub(crate) fn map_type(
    of: &Type,
    depth: usize,
    other: &dyn Fn(&Type, usize) -> Option<Type>,
) -> Type {
    if let Some(found) = other(of, depth) {
        return found;
    }
    let all = |types: &Types| -> Types {
        if depth < MAX_DEPTH {
            types.iter().map(|one| map_type(one, depth + 1, other)).collect()
        } else {
            Types::default()
        }
    };
    match of {
        Type::Known { symbol, arguments } => {
            Type::Known { symbol: *symbol, arguments: all(arguments) }
        }
        Type::Foreign { name, arguments, rules } => {
            Type::Foreign { name: name.clone(), arguments: all(arguments), rules }
        }
        Type::Union(inner) => Type::Union(all(inner)),
        Type::Tuple(inner) => Type::Tuple(all(inner)),
        Type::Function(inner) => Type::Function(Box::new(map_type(inner, depth + 1, other))),
        Type::Deferred { base: of, operator: part } => Type::Deferred {
            base: Box::new(map_type(of, depth + 1, other)),
            operator: part.clone(),
        },
        // The bounds of a parameter may name other parameters.
        Type::Parameter { name, bounds } => {
            Type::Parameter { name: name.clone(), bounds: all(bounds) }
        }
        Type::Opaque | Type::Unknown => of.clone(),
    }
}
