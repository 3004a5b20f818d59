//! Read access to the graph of the code: definitions by name, their callers, references, imports
//! and implementations.
//!
//! It follows stored edges and resolves nothing. All methods read one snapshot, so the answers of
//! one [`Graph`] are consistent with each other. Names that the resolver could not resolve have no
//! edges; `textual_mentions` finds those.

mod cache;
mod candidates;
mod definitions;
mod export;
mod external_types;
mod file_contents;
mod implementations;
mod incoming_edges;
mod outgoing_edges;
mod program_starts;
mod rename_sites;
mod symbol_lookup;
mod symbol_search;
mod textual_mentions;
mod traversal;
mod typed_name;
mod unused;
mod unused_doubts;
mod unused_exemptions;
mod unused_patterns;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use kenning_model::{Confidence, EdgeTarget, Reason, ReferenceKind, RepoPath, Symbol, SymbolKey};
use kenning_store::StoreError;
use kenning_store::code::{LinkedFile, Mentions, Snapshot};

pub use cache::{GraphCache, SharedGraphCache};
pub use definitions::qualified_name;
pub use export::{CallEdge, EdgeKind, EdgePage, Edges, ImplementsEdge, ImportEdge};
pub use external_types::ExternalSubtype;
pub use implementations::{Implementation, SubtypeKind};
pub use incoming_edges::{GraphLink, Via};
pub use rename_sites::{FileNameSites, NameCertainty, NameSite, NameSites};
pub use symbol_lookup::{LookupError, MissingMember, reference_word};
pub use symbol_search::{SymbolFilter, SymbolHit};
pub use textual_mentions::{MentionBounds, MentionKinds, MentionLine, TextualMentions};
pub use traversal::{Direction, GraphWalk, TestCode, WalkNode, WalkRules, WalkStep};
pub use unused::UnusedDefinitions;
pub use unused_doubts::Doubt;

/// One state of the graph, with a cache of the files that it has decoded.
///
/// The cache is a `RefCell`: one request runs on one thread.
pub struct Graph<'s> {
    snapshot: &'s Snapshot<'s>,
    cache: RefCell<GraphCache>,
}

/// A definition and its place.
///
/// `target` identifies it within one generation of the index and must not be stored beyond it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub target: EdgeTarget,
    pub path: RepoPath,
    pub symbol: Symbol,
}

impl Definition {
    /// True if it is a type, which can have subtypes.
    pub fn is_type(&self) -> bool {
        self.symbol.kind.names_type()
    }
}

/// The place of a reference in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub path: RepoPath,
    pub line: u32,
    /// The name as it is written there, which may be an alias.
    pub name: String,
    pub kind: ReferenceKind,
    /// True if the file is a test, judged by its path.
    pub is_test: bool,
    pub package: Option<String>,
}

/// The confidence of an edge, and the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub confidence: Confidence,
    pub reason: Reason,
}

/// The decoded definitions of one file. `symbols` and `keys` have the same order; `places` finds an
/// index by key.
struct FileDefinitions {
    path: RepoPath,
    symbols: Vec<Symbol>,
    keys: Vec<SymbolKey>,
    places: HashMap<SymbolKey, usize>,
}

impl<'s> Graph<'s> {
    /// Creates a graph with an empty cache.
    pub fn new(snapshot: &'s Snapshot<'s>) -> Graph<'s> {
        Graph::with_cache(snapshot, GraphCache::default())
    }

    /// Creates a graph with the cache of an earlier request. The cache must belong to the same
    /// state of the index.
    pub fn with_cache(snapshot: &'s Snapshot<'s>, memory: GraphCache) -> Graph<'s> {
        Graph { snapshot, cache: RefCell::new(memory) }
    }

    /// Returns the cache, for the next request.
    pub fn into_cache(self) -> GraphCache {
        self.cache.into_inner()
    }

    /// Returns the definition that an edge leads to; `None` if it leads to a whole file, or to a
    /// symbol that no longer exists.
    pub fn definition(&self, target: EdgeTarget) -> Result<Option<Definition>, StoreError> {
        let Some(key) = target.symbol else {
            return Ok(None);
        };
        let Some(file) = self.file_definitions(target.file)? else {
            return Ok(None);
        };
        let place = file.places.get(&key);
        Ok(place.map(|&place| Definition {
            target,
            path: file.path.clone(),
            symbol: file.symbols[place].clone(),
        }))
    }

    /// Returns the definitions of a file, decoded at most once per request; `None` if the file is
    /// gone.
    fn file_definitions(&self, file: i64) -> Result<Option<Arc<FileDefinitions>>, StoreError> {
        if let Some(known) = self.cache.borrow_mut().files.get(file) {
            return Ok(Some(known));
        }
        let Some(path) = self.snapshot.path_of(file)? else {
            return Ok(None);
        };
        let symbols = self.snapshot.symbols_of(file)?;
        let keys = kenning_model::symbol_keys(&symbols);
        let places = keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        let found = Arc::new(FileDefinitions { path, symbols, keys, places });
        let facts = found.symbols.len();
        let mut memory = self.cache.borrow_mut();
        memory.files.put(file, found.clone(), facts);
        Ok(Some(found))
    }

    /// Returns a file with its edges; `None` if it is not known or not resolved. A missing file is
    /// cached too.
    fn linked_file(&self, file: i64) -> Result<Option<Arc<LinkedFile>>, StoreError> {
        if let Some(known) = self.cache.borrow_mut().linked.get(file) {
            return Ok(known);
        }
        let found = self.snapshot.linked_file(file)?.map(Arc::new);
        let facts = found.as_ref().map_or(1, |found| found.edges.edges.len());
        let mut memory = self.cache.borrow_mut();
        memory.linked.put(file, found.clone(), facts);
        Ok(found)
    }

    /// Returns the files that may have an edge to a definition. The index is by file and name, so
    /// some have none.
    fn linked_files_to(&self, of: &Definition) -> Result<Vec<Arc<LinkedFile>>, StoreError> {
        let mut found = Vec::new();
        let (target, name) = (of.target.file, &of.symbol.name);
        for file in self.snapshot.files_linked_to(target, name)? {
            found.extend(self.linked_file(file)?);
        }
        Ok(found)
    }

    /// Returns the references of a file, resolved or not.
    fn mentions_in(&self, file: i64) -> Result<Arc<Mentions>, StoreError> {
        if let Some(known) = self.cache.borrow_mut().mentions.get(file) {
            return Ok(known);
        }
        let found = Arc::new(self.snapshot.mentions_of(file)?);
        let mut memory = self.cache.borrow_mut();
        memory.mentions.put(file, found.clone(), found.len());
        Ok(found)
    }

    /// Returns the definition at an index of its file's list; `None` if the index is out of range.
    fn definition_at(&self, file: i64, place: u32) -> Result<Option<Definition>, StoreError> {
        let Some(found) = self.file_definitions(file)? else {
            return Ok(None);
        };
        let place = place as usize;
        let (Some(symbol), Some(key)) = (found.symbols.get(place), found.keys.get(place)) else {
            return Ok(None);
        };
        let target = EdgeTarget { file, symbol: Some(*key) };
        Ok(Some(Definition { target, path: found.path.clone(), symbol: symbol.clone() }))
    }
}
