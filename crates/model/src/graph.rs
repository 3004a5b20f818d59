//! The edges of the code graph: calls, type uses, imports and heritage, as resolution found them.

/// How sure an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A guess by name.
    Low,
    /// Likely: one of few candidates.
    Medium,
    /// Followed through scopes, imports and types.
    High,
    /// Said by a compiler.
    Exact,
}

impl Confidence {
    pub const ALL: &[Confidence] =
        &[Confidence::Low, Confidence::Medium, Confidence::High, Confidence::Exact];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
            Confidence::Exact => "exact",
        }
    }
}

/// How an edge was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    LexicalScope,
    OwnMember,
    SameFile,
    Import,
    QualifiedPath,
    SameDirectory,
    SamePackage,
    OtherPackage,
    ReceiverType,
    InheritedMember,
    Requirement,
    OneOfSeveralTypes,
    UniqueMember,
    UniqueName,
    Compiler,
}

impl Reason {
    /// In an order that stored indexes rely on: add at the end.
    pub const ALL: &[Reason] = &[
        Reason::LexicalScope,
        Reason::OwnMember,
        Reason::SameFile,
        Reason::Import,
        Reason::QualifiedPath,
        Reason::SameDirectory,
        Reason::SamePackage,
        Reason::OtherPackage,
        Reason::ReceiverType,
        Reason::InheritedMember,
        Reason::Requirement,
        Reason::OneOfSeveralTypes,
        Reason::UniqueMember,
        Reason::UniqueName,
        Reason::Compiler,
    ];

    /// The words on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::LexicalScope => "lexical scope",
            Reason::OwnMember => "member of the type around it",
            Reason::SameFile => "same file",
            Reason::Import => "import",
            Reason::QualifiedPath => "qualified path",
            Reason::SameDirectory => "same directory",
            Reason::SamePackage => "same package",
            Reason::OtherPackage => "package that can be used",
            Reason::ReceiverType => "type of the receiver",
            Reason::InheritedMember => "base of the receiver's type",
            Reason::Requirement => "requirement of the receiver's interface",
            Reason::OneOfSeveralTypes => "one of several types of the receiver",
            Reason::UniqueMember => "only member of that name",
            Reason::UniqueName => "only definition of that name",
            Reason::Compiler => "scip",
        }
    }
}

/// The resolved references and heritage of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileEdges {
    pub edges: Vec<Edge>,
    pub relations: Vec<Relation>,
}

impl FileEdges {
    /// True if a reference, by its place, leads anywhere. Edges are in the order of references.
    pub fn has_edge(&self, reference: u32) -> bool {
        let edges = &self.edges;
        let found = edges.binary_search_by_key(&reference, |edge| edge.reference);
        found.is_ok()
    }
}

/// A resolved reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index into the file's references.
    pub reference: u32,
    pub targets: Vec<EdgeTarget>,
    pub confidence: Confidence,
    pub reason: Reason,
}

/// A subtype relation between two types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Index into the file's heritage; `None` if the type does not say so, but has what is asked for.
    pub heritage: Option<u32>,
    pub subject: EdgeTarget,
    pub base: EdgeTarget,
}

/// Returns for each symbol of a file the innermost symbol around it. The symbols must be in source
/// order, containers before their content.
pub fn symbol_parents(symbols: &[super::Symbol]) -> Vec<Option<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let mut parents = Vec::with_capacity(symbols.len());
    for (index, symbol) in symbols.iter().enumerate() {
        while let Some(&last) = open.last() {
            let outer = &symbols[last as usize].span;
            let is_around = outer.end_byte >= symbol.span.end_byte
                && outer.start_byte <= symbol.span.start_byte
                && *outer != symbol.span;
            if is_around {
                break;
            }
            open.pop();
        }
        parents.push(open.last().copied());
        open.push(index as u32);
    }
    parents
}

/// A definition of a file, named so that it stays the same while others move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeTarget {
    /// In the store.
    pub file: i64,
    /// The [`symbol_keys`] of the definition; `None` is the file as a whole.
    pub symbol: Option<SymbolKey>,
}

/// A definition within its file: a hash of what it is called, and which of those it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolKey {
    pub hash: u32,
    pub ordinal: u32,
}

/// The keys of a file's definitions, in their order.
pub fn symbol_keys(symbols: &[super::Symbol]) -> Vec<SymbolKey> {
    let mut counts = std::collections::HashMap::new();
    let keys = symbols.iter().map(|symbol| {
        let hash = symbol_hash(symbol);
        let count = counts.entry(hash).or_insert(0);
        *count += 1;
        SymbolKey { hash, ordinal: *count - 1 }
    });
    keys.collect()
}

/// FNV-1a over scope and name.
fn symbol_hash(symbol: &super::Symbol) -> u32 {
    let scope = symbol.scope.as_deref().unwrap_or_default();
    let bytes = scope.bytes().chain([0]).chain(symbol.name.bytes());
    bytes.fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
