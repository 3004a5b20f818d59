//! The rank of the definitions of one name: a top-level definition comes before a nested one or a
//! member. Ranks definitions only; does not decide whether a name matches.

use super::ChunkKind;

/// How likely the bare name means a definition, likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionRank {
    /// A type, a function or a macro that nothing encloses.
    TopLevel,
    /// A type inside of something: of a type, a module or a namespace; another name for a type.
    Nested,
    /// A function inside of a module or a namespace, a module itself, a value that nothing encloses.
    ModuleItem,
    /// A part of a type: a method, or how one of the type is made.
    Member,
    /// A name for something that a type has or for a type that it knows: a field, a case, an
    /// associated type.
    TypePart,
    /// Said about something that is defined elsewhere, or no code.
    NonDefinition,
}

impl DefinitionRank {
    pub fn new(kind: ChunkKind, name: &str, scope: Option<&str>) -> DefinitionRank {
        let scope = scope.filter(|scope| !scope.is_empty());
        match kind {
            ChunkKind::Extension
            | ChunkKind::Section
            | ChunkKind::Document
            | ChunkKind::Comment
            | ChunkKind::Entry
            | ChunkKind::File => DefinitionRank::NonDefinition,
            ChunkKind::Class
            | ChunkKind::Struct
            | ChunkKind::Enum
            | ChunkKind::Protocol
            | ChunkKind::Interface
            | ChunkKind::Trait
            | ChunkKind::Actor => match scope {
                None => DefinitionRank::TopLevel,
                Some(_) => DefinitionRank::Nested,
            },
            ChunkKind::Function | ChunkKind::Macro => match scope {
                None => DefinitionRank::TopLevel,
                // Where functions may stand in types, one of a type's name makes one.
                Some(scope) if is_last_segment(scope, name) => DefinitionRank::Member,
                Some(_) => DefinitionRank::ModuleItem,
            },
            ChunkKind::TypeAlias => match scope {
                None => DefinitionRank::Nested,
                Some(_) => DefinitionRank::TypePart,
            },
            ChunkKind::Namespace | ChunkKind::Module => DefinitionRank::ModuleItem,
            ChunkKind::Variable | ChunkKind::Constant => match scope {
                None => DefinitionRank::ModuleItem,
                Some(_) => DefinitionRank::TypePart,
            },
            ChunkKind::Method
            | ChunkKind::Initializer
            | ChunkKind::Deinitializer
            | ChunkKind::Subscript => DefinitionRank::Member,
            ChunkKind::Property => DefinitionRank::TypePart,
        }
    }
}

fn is_last_segment(scope: &str, name: &str) -> bool {
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
        let standings = ordered.map(|(kind, scope)| DefinitionRank::new(kind, "Name", scope));
        assert!(standings.is_sorted_by(|a, b| a < b), "{standings:?}");
        for (kind, scope, like) in [
            (Function, None, DefinitionRank::TopLevel),
            (TypeAlias, None, DefinitionRank::Nested),
            (Function, Some("Name"), DefinitionRank::Member),
            (Function, Some("inner.Name"), DefinitionRank::Member),
            (Function, Some("Surname"), DefinitionRank::ModuleItem),
            (Property, Some("Outer"), DefinitionRank::TypePart),
            (Struct, Some(""), DefinitionRank::TopLevel),
        ] {
            assert_eq!(DefinitionRank::new(kind, "Name", scope), like, "{kind:?} {scope:?}");
        }
    }
}
