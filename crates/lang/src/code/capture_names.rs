//! The meanings of query captures, by name. `languages/README.md` defines the names.

use kenning_model::{BindingKind, ChunkKind, HeritageKind, ReferenceKind};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    Definition(ChunkKind),
    Reference(ReferenceKind),
    /// A name that may be that of a type, before the name of one of its members.
    Qualifier,
    Applied,
    Heritage(HeritageKind),
    Binding(BindingKind),
    /// A closure whose unnamed parameter is bound to a value.
    Implicit(BindingKind),
    Parameter,
    Condition,
    Comment,
    Attribute,
    Local,
    Closure,
    Block,
    Comprehension,
    Awaited,
    Section,
    Detail(Detail),
    /// Only for a predicate of the query.
    Unused,
}

/// The role of a capture that describes another capture of the same match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    Name,
    Scope,
    Type,
    Body,
    Doc,
    Receiver,
    Arguments,
    Argument,
    Subject,
    Value,
    Alias,
    Case,
    Hoisted,
}

impl Role {
    pub fn of(capture: &str) -> Option<Role> {
        if let Some(kind) = capture.strip_prefix("definition.") {
            return definition_kind(kind).map(Role::Definition);
        }
        Some(match capture {
            "reference.call" => Role::Reference(ReferenceKind::Call),
            "reference.type" => Role::Reference(ReferenceKind::Type),
            "reference.qualifier" => Role::Qualifier,
            "reference.applied" => Role::Applied,
            "reference.import" => Role::Reference(ReferenceKind::Import),
            "reference.export" => Role::Reference(ReferenceKind::Export),
            "binding" => Role::Binding(BindingKind::Value),
            "binding.element" => Role::Binding(BindingKind::Element),
            "binding.inner" => Role::Binding(BindingKind::Inner),
            "binding.second" => Role::Binding(BindingKind::Second),
            "binding.returned" => Role::Binding(BindingKind::Returned),
            "binding.given" => Role::Binding(BindingKind::Given),
            "implicit.given" => Role::Implicit(BindingKind::Given),
            "implicit" => Role::Implicit(BindingKind::Value),
            "implicit.element" => Role::Implicit(BindingKind::Element),
            "heritage.declared" => Role::Heritage(HeritageKind::Declared),
            "heritage.extension" => Role::Heritage(HeritageKind::Extension),
            "heritage.derived" => Role::Heritage(HeritageKind::Derived),
            "parameter" => Role::Parameter,
            "condition" => Role::Condition,
            "comment" => Role::Comment,
            "attribute" => Role::Attribute,
            "local" => Role::Local,
            "closure" => Role::Closure,
            "block" => Role::Block,
            "comprehension" => Role::Comprehension,
            "awaited" => Role::Awaited,
            "section" => Role::Section,
            "name" => Role::Detail(Detail::Name),
            "scope" => Role::Detail(Detail::Scope),
            "type" => Role::Detail(Detail::Type),
            "body" => Role::Detail(Detail::Body),
            "doc" => Role::Detail(Detail::Doc),
            "receiver" => Role::Detail(Detail::Receiver),
            "arguments" => Role::Detail(Detail::Arguments),
            "argument" => Role::Detail(Detail::Argument),
            "subject" => Role::Detail(Detail::Subject),
            "value" => Role::Detail(Detail::Value),
            "alias" => Role::Detail(Detail::Alias),
            "case" => Role::Detail(Detail::Case),
            "hoisted" => Role::Detail(Detail::Hoisted),
            unused if unused.starts_with('_') => Role::Unused,
            _ => return None,
        })
    }
}

fn definition_kind(word: &str) -> Option<ChunkKind> {
    Some(match word {
        "function" => ChunkKind::Function,
        "method" => ChunkKind::Method,
        "initializer" => ChunkKind::Initializer,
        "deinitializer" => ChunkKind::Deinitializer,
        "subscript" => ChunkKind::Subscript,
        "class" => ChunkKind::Class,
        "struct" => ChunkKind::Struct,
        "enum" => ChunkKind::Enum,
        "protocol" => ChunkKind::Protocol,
        "interface" => ChunkKind::Interface,
        "trait" => ChunkKind::Trait,
        "extension" => ChunkKind::Extension,
        "actor" => ChunkKind::Actor,
        "macro" => ChunkKind::Macro,
        "alias" => ChunkKind::TypeAlias,
        "variable" => ChunkKind::Variable,
        "constant" => ChunkKind::Constant,
        "property" => ChunkKind::Property,
        "namespace" => ChunkKind::Namespace,
        "module" => ChunkKind::Module,
        "section" => ChunkKind::Section,
        "entry" => ChunkKind::Entry,
        _ => return None,
    })
}
