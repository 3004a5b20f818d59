//! Ranks the definitions of one name: a top-level definition comes before a nested one or a member.
//! It does not decide whether a name matches.
//!
//! Stores and remote backends sort by this rank, so that all of them list definitions alike.

use super::ChunkKind;

/// The likelihood that a bare name means a definition, likeliest first. The order of the variants
/// is the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionRank {
    /// A type, a function or a macro that nothing encloses.
    TopLevel,
    /// A type inside of a type, module or namespace, or another name for a type at the top level.
    Nested,
    /// A function inside of a module or a namespace, a module itself, or a value at the top level.
    ModuleItem,
    /// A member that runs: a method, an initializer, a subscript.
    Member,
    /// A part of a type that does not run: a field, a case, an associated type.
    TypePart,
    /// No definition of its own: an extension of a type that is defined elsewhere, or no code.
    NonDefinition,
}

impl DefinitionRank {
    /// Ranks a definition. An empty scope counts as none.
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
                // A function with the name of the type around it is a constructor.
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

/// True if `name` is the last segment of `scope`.
fn is_last_segment(scope: &str, name: &str) -> bool {
    let rest = scope.strip_suffix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is a likelier meaning of its name than the next.
    #[test]
    fn definitions_rank_before_members_and_parts() {
        use ChunkKind::{Extension, Function, Method, Property, Struct, TypeAlias};
        let ordered = [
            (Struct, None),
            (Struct, Some("Outer")),
            (Function, Some("module")),
            (Method, Some("Outer")),
            (TypeAlias, Some("Outer")),
            (Extension, None),
        ];
        let ranks = ordered.map(|(kind, scope)| DefinitionRank::new(kind, "Name", scope));
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
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
