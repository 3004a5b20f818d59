//! Parses the names of query captures into roles. `languages/README.md` defines the names; this
//! file and that table must agree. An unknown name is an error, so that a typing error in a query
//! fails a test.

use kenning_model::{BindingKind, ChunkKind, HeritageKind, Reference, ReferenceKind};

/// The meaning of one capture in a query pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CaptureRole {
    /// The whole definition of a symbol.
    Definition(ChunkKind),
    /// A mention of a symbol.
    Reference(ReferenceKind),
    /// A mention that its label marks as something else than a plain one: see
    /// [`Reference::labels`](kenning_model::Reference).
    Marked(ReferenceKind, &'static str),
    /// A base type in a clause of heritage.
    Heritage(HeritageKind),
    /// A name that stands for a value.
    Binding(BindingKind),
    /// A closure whose unnamed parameter is bound to a value.
    Implicit(BindingKind),
    /// A parameter in the head of a definition.
    Parameter,
    /// A clause that limits a conformance, such as `where T: Equatable`.
    Condition,
    /// A comment, which may document the definition below it.
    Comment,
    /// An attribute, decorator or annotation, which may belong to the definition below it.
    Attribute,
    /// A range whose variables are local and so no symbols.
    Local,
    /// A range whose returned values are not those of the definition around it.
    Closure,
    /// A range after which the names declared in it are not visible.
    Block,
    /// A block in all of which its names are visible, even before their declaration.
    Comprehension,
    /// A range that waits for the calls in it.
    Awaited,
    /// A label that sets the visibility of the members after it.
    Section,
    /// A property of another capture of the same match.
    Detail(Detail),
    /// A capture that only a predicate of the query needs. Its name begins with `_`.
    Unused,
}

/// The role of a capture that describes another capture of the same match. The discriminants index
/// `Details::nodes`, whose length is the number of variants.
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

impl CaptureRole {
    /// Parses the name of a capture, without its `@`. `None` if the vocabulary does not have it.
    pub fn parse(capture: &str) -> Option<CaptureRole> {
        if let Some(kind) = capture.strip_prefix("definition.") {
            return parse_definition_kind(kind).map(CaptureRole::Definition);
        }
        use ReferenceKind::{Call, Type};
        Some(match capture {
            "reference.call" => CaptureRole::Reference(ReferenceKind::Call),
            "reference.type" => CaptureRole::Reference(ReferenceKind::Type),
            "reference.qualifier" => CaptureRole::Marked(Type, Reference::QUALIFIER),
            "reference.applied" => CaptureRole::Marked(Call, Reference::APPLIED),
            "reference.taken" => CaptureRole::Marked(Call, Reference::TAKEN),
            "reference.bare" => CaptureRole::Marked(Call, Reference::BARE),
            "reference.import" => CaptureRole::Reference(ReferenceKind::Import),
            "reference.export" => CaptureRole::Reference(ReferenceKind::Export),
            "binding" => CaptureRole::Binding(BindingKind::Value),
            "binding.element" => CaptureRole::Binding(BindingKind::Element),
            "binding.inner" => CaptureRole::Binding(BindingKind::PatternPart),
            "binding.second" => CaptureRole::Binding(BindingKind::SecondOfPair),
            "binding.returned" => CaptureRole::Binding(BindingKind::ReturnValue),
            "binding.given" => CaptureRole::Binding(BindingKind::ClosureParameter),
            "implicit.given" => CaptureRole::Implicit(BindingKind::ClosureParameter),
            "implicit" => CaptureRole::Implicit(BindingKind::Value),
            "implicit.element" => CaptureRole::Implicit(BindingKind::Element),
            "heritage.declared" => CaptureRole::Heritage(HeritageKind::Declared),
            "heritage.extension" => CaptureRole::Heritage(HeritageKind::Extension),
            "heritage.derived" => CaptureRole::Heritage(HeritageKind::Derived),
            "parameter" => CaptureRole::Parameter,
            "condition" => CaptureRole::Condition,
            "comment" => CaptureRole::Comment,
            "attribute" => CaptureRole::Attribute,
            "local" => CaptureRole::Local,
            "closure" => CaptureRole::Closure,
            "block" => CaptureRole::Block,
            "comprehension" => CaptureRole::Comprehension,
            "awaited" => CaptureRole::Awaited,
            "section" => CaptureRole::Section,
            "name" => CaptureRole::Detail(Detail::Name),
            "scope" => CaptureRole::Detail(Detail::Scope),
            "type" => CaptureRole::Detail(Detail::Type),
            "body" => CaptureRole::Detail(Detail::Body),
            "doc" => CaptureRole::Detail(Detail::Doc),
            "receiver" => CaptureRole::Detail(Detail::Receiver),
            "arguments" => CaptureRole::Detail(Detail::Arguments),
            "argument" => CaptureRole::Detail(Detail::Argument),
            "subject" => CaptureRole::Detail(Detail::Subject),
            "value" => CaptureRole::Detail(Detail::Value),
            "alias" => CaptureRole::Detail(Detail::Alias),
            "case" => CaptureRole::Detail(Detail::Case),
            "hoisted" => CaptureRole::Detail(Detail::Hoisted),
            unused if unused.starts_with('_') => CaptureRole::Unused,
            _ => return None,
        })
    }
}

/// Parses the KIND of `@definition.KIND`.
fn parse_definition_kind(word: &str) -> Option<ChunkKind> {
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
