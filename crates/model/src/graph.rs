//! The edges of the code graph: calls, type uses, imports and heritage, as resolution found them.
//! Targets are keys that survive edits elsewhere in a file, so most edges need no update.

/// The confidence of an edge, in ascending order. `docs/graph.md` has the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A guess by name: the only member of that name.
    Low,
    /// Likely: one of few candidates.
    Medium,
    /// Followed through scopes, imports and types.
    High,
    /// A compiler's index says so.
    Exact,
}

impl Confidence {
    /// Every level, in ascending order.
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

/// The rule by which an edge was found.
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
    /// Every reason. Stored indexes rely on the order: add at the end.
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
    /// True if the reference with this index leads anywhere. Edges are in the order of references,
    /// so a binary search finds it.
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
    /// Index into the file's heritage. `None` for a structural relation: the type has the members
    /// that the base requires, and no clause names the base.
    pub heritage: Option<u32>,
    pub subject: EdgeTarget,
    pub base: EdgeTarget,
}

/// Returns for each symbol of a file the innermost symbol around it. The symbols must be in source
/// order, containers before their content. Two symbols with the same span are not in each other.
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

/// A definition, identified so that the key stays the same while other definitions move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeTarget {
    /// The id of the file in the store.
    pub file: i64,
    /// The [`symbol_keys`] of the definition; `None` is the file as a whole.
    pub symbol: Option<SymbolKey>,
}

/// A definition within its file: the hash of its scope and name, and its number among those with
/// the same hash. A line number would change with every edit above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolKey {
    pub hash: u32,
    /// 0 for the first definition with this hash, in the order of the text.
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

/// 32-bit FNV-1a over scope, a zero byte and name. Edges store it, so it must never change.
fn symbol_hash(symbol: &super::Symbol) -> u32 {
    let scope = symbol.scope.as_deref().unwrap_or_default();
    let bytes = scope.bytes().chain([0]).chain(symbol.name.bytes());
    bytes.fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
