//! Of several definitions of one name, which the bare name means: what stands for itself before what
//! is a part of something else. Compares definitions only; whether a name fits is another question.

use super::ChunkKind;

/// How much a definition stands for its bare name, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
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

impl Standing {
    pub fn of(kind: ChunkKind, name: &str, scope: Option<&str>) -> Standing {
        let scope = scope.filter(|scope| !scope.is_empty());
        match kind {
            ChunkKind::Extension
            | ChunkKind::Section
            | ChunkKind::Document
            | ChunkKind::Comment
            | ChunkKind::Entry
            | ChunkKind::File => Standing::Said,
            ChunkKind::Class
            | ChunkKind::Struct
            | ChunkKind::Enum
            | ChunkKind::Protocol
            | ChunkKind::Interface
            | ChunkKind::Trait
            | ChunkKind::Actor => match scope {
                None => Standing::Free,
                Some(_) => Standing::Enclosed,
            },
            ChunkKind::Function | ChunkKind::Macro => match scope {
                None => Standing::Free,
                // Where functions may stand in types, one of a type's name makes one.
                Some(scope) if is_last(scope, name) => Standing::Member,
                Some(_) => Standing::Lesser,
            },
            ChunkKind::TypeAlias => match scope {
                None => Standing::Enclosed,
                Some(_) => Standing::Part,
            },
            ChunkKind::Namespace | ChunkKind::Module => Standing::Lesser,
            ChunkKind::Variable | ChunkKind::Constant => match scope {
                None => Standing::Lesser,
                Some(_) => Standing::Part,
            },
            ChunkKind::Method
            | ChunkKind::Initializer
            | ChunkKind::Deinitializer
            | ChunkKind::Subscript => Standing::Member,
            ChunkKind::Property => Standing::Part,
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
        let standings = ordered.map(|(kind, scope)| Standing::of(kind, "Name", scope));
        assert!(standings.is_sorted_by(|a, b| a < b), "{standings:?}");
        for (kind, scope, like) in [
            (Function, None, Standing::Free),
            (TypeAlias, None, Standing::Enclosed),
            (Function, Some("Name"), Standing::Member),
            (Function, Some("inner.Name"), Standing::Member),
            (Function, Some("Surname"), Standing::Lesser),
            (Property, Some("Outer"), Standing::Part),
            (Struct, Some(""), Standing::Free),
        ] {
            assert_eq!(Standing::of(kind, "Name", scope), like, "{kind:?} {scope:?}");
        }
    }
}
