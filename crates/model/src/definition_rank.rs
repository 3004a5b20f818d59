//! The rank of the definitions of one name: a top-level definition comes before a nested one or a
//! member. Ranks definitions only; does not decide whether a name matches.

use super::ChunkKind;

/// How likely the bare name means a definition, likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionRank {
    /// A type, a function or a macro that nothing encloses.
    Free,
    /// A type inside of something: of a type, a module or a namespace; another name for a type.
    Enclosed,
    /// A function inside of a module or a namespace, a module itself, a value that nothing encloses.
    Lesser,
    /// A part of a type: a method, or how one of the type is made.
    Member,
    /// A name for something that a type has or for a type that it knows: a field, a case, an
    /// associated type.
    Part,
    /// Said about something that is defined elsewhere, or no code.
    Said,
}

impl DefinitionRank {
    pub fn of(kind: ChunkKind, name: &str, scope: Option<&str>) -> DefinitionRank {
        let scope = scope.filter(|scope| !scope.is_empty());
        match kind {
            ChunkKind::Extension
            | ChunkKind::Section
            | ChunkKind::Document
            | ChunkKind::Comment
            | ChunkKind::Entry
            | ChunkKind::File => DefinitionRank::Said,
            ChunkKind::Class
            | ChunkKind::Struct
            | ChunkKind::Enum
            | ChunkKind::Protocol
            | ChunkKind::Interface
            | ChunkKind::Trait
            | ChunkKind::Actor => match scope {
                None => DefinitionRank::Free,
                Some(_) => DefinitionRank::Enclosed,
            },
            ChunkKind::Function | ChunkKind::Macro => match scope {
                None => DefinitionRank::Free,
                // Where functions may stand in types, one of a type's name makes one.
                Some(scope) if is_last(scope, name) => DefinitionRank::Member,
                Some(_) => DefinitionRank::Lesser,
            },
            ChunkKind::TypeAlias => match scope {
                None => DefinitionRank::Enclosed,
                Some(_) => DefinitionRank::Part,
            },
            ChunkKind::Namespace | ChunkKind::Module => DefinitionRank::Lesser,
            ChunkKind::Variable | ChunkKind::Constant => match scope {
                None => DefinitionRank::Lesser,
                Some(_) => DefinitionRank::Part,
            },
            ChunkKind::Method
            | ChunkKind::Initializer
            | ChunkKind::Deinitializer
            | ChunkKind::Subscript => DefinitionRank::Member,
            ChunkKind::Property => DefinitionRank::Part,
        }
    }
}

fn is_last(scope: &str, name: &str) -> bool {
    let rest = scope.strip_suffix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each stands for its name more than the next.
    #[test]
    fn what_stands_for_itself_comes_before_parts_of_others() {
        use ChunkKind::{Extension, Function, Method, Property, Struct, TypeAlias};
        let ordered = [
            (Struct, None),
            (Struct, Some("Outer")),
            (Function, Some("module")),
            (Method, Some("Outer")),
            (TypeAlias, Some("Outer")),
            (Extension, None),
        ];
        let standings = ordered.map(|(kind, scope)| DefinitionRank::of(kind, "Name", scope));
        assert!(standings.is_sorted_by(|a, b| a < b), "{standings:?}");
        for (kind, scope, like) in [
            (Function, None, DefinitionRank::Free),
            (TypeAlias, None, DefinitionRank::Enclosed),
            (Function, Some("Name"), DefinitionRank::Member),
            (Function, Some("inner.Name"), DefinitionRank::Member),
            (Function, Some("Surname"), DefinitionRank::Lesser),
            (Property, Some("Outer"), DefinitionRank::Part),
            (Struct, Some(""), DefinitionRank::Free),
        ] {
            assert_eq!(DefinitionRank::of(kind, "Name", scope), like, "{kind:?} {scope:?}");
        }
    }
}
