//! The facts of one source file: chunks, symbols, references, bindings (names that stand for
//! values) and heritage. They are what the text says; the edges between them are in `graph`.
//!
//! Names, types and values are kept as written. Indexes into `symbols` link the other facts to
//! them.

use std::ops::RangeInclusive;

use super::Problem;

/// A place in a file. Lines count from 1 and include both ends; bytes are a half-open range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start_line: u32,
    pub end_line: u32,
    pub start_byte: u32,
    pub end_byte: u32,
}

impl Span {
    /// True if a 1-based line lies in the span.
    pub fn has_line(self, line: u32) -> bool {
        (self.start_line..=self.end_line).contains(&line)
    }
}

/// Everything that one file says. Each list is in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeFacts {
    /// `rust`, `swift`, …; `text` for a file of no known language.
    pub language: &'static str,
    pub chunks: Vec<Chunk>,
    pub symbols: Vec<Symbol>,
    pub references: Vec<Reference>,
    pub bindings: Vec<Binding>,
    pub heritage: Vec<Heritage>,
    pub problems: Vec<Problem>,
}

/// A piece of a file that can be found and shown by itself. Together the chunks of a file tile it;
/// a type's header chunk is the one that repeats lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub kind: ChunkKind,
    /// The name of what it defines.
    pub symbol: Option<String>,
    /// The enclosing scopes, outermost first, joined by `.`.
    pub scope: Option<String>,
    /// One line: the declaration without its body.
    pub signature: Option<String>,
    /// The doc comment, without comment marks.
    pub doc: Option<String>,
    /// The declaration and the signatures of the members, one per line. Only the header chunk of a
    /// type has it.
    pub outline: Option<String>,
    /// True if it is code that tests, by its file's path or by a mark in the file.
    pub is_test: bool,
    /// The line of the symbol's name, if the chunk contains it.
    pub line: Option<u32>,
    pub span: Span,
}

/// The kind of a chunk. The names on the wire are those of swift-index, which its users know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChunkKind {
    Function,
    Method,
    Initializer,
    Deinitializer,
    Subscript,
    Class,
    Struct,
    Enum,
    Protocol,
    Interface,
    Trait,
    Extension,
    Actor,
    Macro,
    TypeAlias,
    Variable,
    Constant,
    Property,
    Namespace,
    Module,
    Section,
    Document,
    Comment,
    /// An entry of a data file (JSON, YAML, TOML).
    Entry,
    /// The text between declarations, such as imports.
    File,
}

impl ChunkKind {
    /// True if a definition of this kind declares a type of its own.
    pub fn is_type(self) -> bool {
        use ChunkKind::{Actor, Class, Enum, Interface, Protocol, Struct, Trait};
        matches!(self, Class | Struct | Enum | Protocol | Interface | Trait | Actor)
    }

    /// True if a definition of this kind has the name of a type, declared there or elsewhere.
    pub fn names_type(self) -> bool {
        self.is_type() || self == ChunkKind::TypeAlias
    }

    /// Every kind. Stored indexes rely on the order: add at the end.
    pub const ALL: &[ChunkKind] = &[
        ChunkKind::Function,
        ChunkKind::Method,
        ChunkKind::Initializer,
        ChunkKind::Deinitializer,
        ChunkKind::Subscript,
        ChunkKind::Class,
        ChunkKind::Struct,
        ChunkKind::Enum,
        ChunkKind::Protocol,
        ChunkKind::Interface,
        ChunkKind::Trait,
        ChunkKind::Extension,
        ChunkKind::Actor,
        ChunkKind::Macro,
        ChunkKind::TypeAlias,
        ChunkKind::Variable,
        ChunkKind::Constant,
        ChunkKind::Property,
        ChunkKind::Namespace,
        ChunkKind::Module,
        ChunkKind::Section,
        ChunkKind::Document,
        ChunkKind::Comment,
        ChunkKind::Entry,
        ChunkKind::File,
    ];

    /// The word for the kind in answers and filters. Users type it; do not change it.
    pub fn as_str(self) -> &'static str {
        match self {
            ChunkKind::Function => "function",
            ChunkKind::Method => "method",
            ChunkKind::Initializer => "initializer",
            ChunkKind::Deinitializer => "deinitializer",
            ChunkKind::Subscript => "subscript",
            ChunkKind::Class => "class",
            ChunkKind::Struct => "struct",
            ChunkKind::Enum => "enum",
            ChunkKind::Protocol => "protocol",
            ChunkKind::Interface => "interface",
            ChunkKind::Trait => "trait",
            ChunkKind::Extension => "extension",
            ChunkKind::Actor => "actor",
            ChunkKind::Macro => "macro",
            ChunkKind::TypeAlias => "typealias",
            ChunkKind::Variable => "variable",
            ChunkKind::Constant => "constant",
            ChunkKind::Property => "property",
            ChunkKind::Namespace => "namespace",
            ChunkKind::Module => "module",
            ChunkKind::Section => "section",
            ChunkKind::Document => "document",
            ChunkKind::Comment => "comment",
            ChunkKind::Entry => "entry",
            ChunkKind::File => "file",
        }
    }

    /// The kind of that word, in any case of letters.
    pub fn parse(text: &str) -> Option<ChunkKind> {
        let all = ChunkKind::ALL.iter().copied();
        let mut named = all.filter(|kind| kind.as_str().eq_ignore_ascii_case(text));
        named.next()
    }
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub kind: ChunkKind,
    pub visibility: Visibility,
    pub signature: Option<String>,
    /// The enclosing scopes, outermost first, joined by `.`; with the name, the qualified name.
    pub scope: Option<String>,
    /// The whole definition, with its doc comment and attributes.
    pub span: Span,
    /// The line of its name.
    pub line: u32,
    /// Parameters as written: label (of a caller's argument, `_` where there is none) or name, and
    /// type.
    pub parameters: Vec<(String, Option<String>)>,
    /// The return type of a function, or the type of a field or variable, as written.
    pub type_text: Option<String>,
    /// True if it is code that tests, by its file's path or by a mark in the file.
    pub is_test: bool,
}

/// Returns true if the symbol of this name in these lines is public. `None` if no symbol of this
/// name is defined there.
pub fn is_exported(symbols: &[Symbol], name: &str, lines: RangeInclusive<u32>) -> Option<bool> {
    let mut symbols = symbols.iter();
    let symbol = symbols.find(|symbol| symbol.name == name && lines.contains(&symbol.line))?;
    Some(symbol.visibility == Visibility::Public)
}

/// The visibility of a symbol, mapped from the language's own levels to three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Visible to other packages.
    Public,
    /// Visible in its package or module, or the language's default that is neither.
    Internal,
    /// Visible in its file, type or block only.
    Private,
}

/// A mention of something by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The last part: `authenticate` of `self.session.authenticate(user)`.
    pub name: String,
    pub kind: ReferenceKind,
    /// The receiver as written, without arguments of calls: `self.session`. For an import or
    /// export, the module that it comes from.
    pub receiver: Option<String>,
    /// The argument labels of a call (`_` where there is none), so that its arity is known too.
    /// [`Reference::AWAITED`] follows them where that tells overloads apart. A macro marked as one
    /// has only the mark (`!`). A function that one of its own members calls has
    /// [`Reference::APPLIED`], one whose address is taken [`Reference::TAKEN`]. A word that may
    /// call a method without arguments has [`Reference::BARE`]. A type before one of its members
    /// has [`Reference::QUALIFIER`]. An import or export has its alias, if there is one.
    pub labels: Vec<String>,
    pub line: u32,
    pub start_byte: u32,
    /// Index into the symbols: the innermost definition around it.
    pub container: Option<u32>,
}

impl Reference {
    /// The label of a closure that is written after the brackets of a call.
    pub const TRAILING: &str = "{}";
    /// Marks a call whose result is awaited.
    pub const AWAITED: &str = "await ";

    /// Marks a type that is written before one of its members, as a value is.
    pub const QUALIFIER: &str = ".";

    /// Marks a function that one of its own members calls: `open.call(page)`.
    pub const APPLIED: &str = ".call";

    /// Marks a name that may be that of a function which is not called here: its address is taken.
    pub const TAKEN: &str = "&";

    /// Marks a word that calls a method without arguments, if it is no variable.
    pub const BARE: &str = "()";

    /// True if it is a word that may call a method without arguments.
    pub fn is_bare(&self) -> bool {
        self.labels.first().is_some_and(|label| label == Reference::BARE)
    }

    /// True if it may be a function whose address is taken.
    pub fn is_taken(&self) -> bool {
        self.labels.first().is_some_and(|label| label == Reference::TAKEN)
    }

    /// True if it is a function that one of its own members calls.
    pub fn is_applied(&self) -> bool {
        self.labels.first().is_some_and(|label| label == Reference::APPLIED)
    }

    /// True if it is a type that is written before one of its members.
    pub fn is_qualifier(&self) -> bool {
        self.labels.first().is_some_and(|label| label == Reference::QUALIFIER)
    }

    /// Returns the argument labels of a call, without the mark of an awaited one.
    pub fn arguments(&self) -> &[String] {
        match self.labels.split_last() {
            Some((last, rest)) if last == Reference::AWAITED => rest,
            _ => &self.labels,
        }
    }

    /// True if the result of the call is awaited.
    pub fn is_awaited(&self) -> bool {
        self.labels.last().is_some_and(|last| last == Reference::AWAITED)
    }
}

/// The way in which a reference mentions a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferenceKind {
    Call,
    Type,
    Import,
    /// A name that the file exports: its own, or one of another module.
    Export,
}

/// A name that stands for a value, or a value that a function returns. Resolution infers from it
/// the types that are not written where they are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// `user`, or `self.user` of a field that is assigned; empty for what is returned.
    pub name: String,
    pub kind: BindingKind,
    /// The annotation, as written.
    pub type_text: Option<String>,
    /// The value that it is set to, as written, without arguments of calls.
    pub value: Option<String>,
    pub start_byte: u32,
    /// The end of the block or closure in which the name refers to this. `None` if that is the end
    /// of the enclosing definition, as for most: it saves space.
    pub end_byte: Option<u32>,
    /// Index into the symbols: the innermost definition around it.
    pub container: Option<u32>,
}

impl Binding {
    /// True if the block that it stands in has not ended at `byte`.
    pub fn is_visible_at(&self, byte: u32) -> bool {
        self.end_byte.is_none_or(|end| byte < end)
    }
}

/// The relation of a bound name to the value that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BindingKind {
    /// The name is the value.
    Value,
    /// One element of the value: the variable of a loop or of a closure.
    Element,
    /// The part that a pattern takes out of the value, such as `x` of `Some(x)`.
    PatternPart,
    /// No name: the enclosing definition returns the value.
    ReturnValue,
    /// The second of several results of the value: `b` of `a, b := f()`.
    SecondOfPair,
    /// The parameter of a closure; the value is the function that takes the closure.
    ClosureParameter,
}

/// A clause by which a type extends, implements or conforms to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heritage {
    /// The type, as written.
    pub subject: String,
    /// The base that the type extends, implements or conforms to, as written, without generic
    /// arguments.
    pub base: String,
    pub kind: HeritageKind,
    /// A `where` clause of a conditional conformance.
    pub condition: Option<String>,
    pub line: u32,
}

impl Heritage {
    /// The last part of the type's name. A type with brackets, such as `&[a::B]`, is one name.
    pub fn subject_name(&self) -> &str {
        let subject = self.subject.as_str();
        if subject.contains('[') {
            subject
        } else {
            subject.rsplit(['.', ':']).next().unwrap_or(subject)
        }
    }
}

/// The place where a clause of heritage is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeritageKind {
    /// In the type's own declaration.
    Declared,
    /// By an extension, an `impl` block or a category elsewhere.
    Extension,
    /// By an attribute, such as `#[derive(Debug)]`.
    Derived,
}
