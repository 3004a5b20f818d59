//! The border to name resolution: which edits make edges invalid is the resolver's knowledge. The
//! store asks for it through this trait and knows no language.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use kenning_model::{FileFacts, Fingerprints, LookupKey, RepoPath, name_hash};

/// Tells which names of a file became dirty in an edit, and under which keys the file is found.
pub trait Invalidation: Sync {
    /// Returns the hashed keys under which a file with these facts is looked up.
    fn lookup_keys(&self, facts: FileFacts) -> BTreeSet<u32>;

    /// Returns the fingerprints of a file's facts, by name. A name whose fingerprints differ before
    /// and after an edit becomes dirty: files with edges that depend on it are resolved again.
    fn fingerprints(&self, path: &RepoPath, facts: FileFacts) -> Fingerprints;

    /// True if an edit only moved facts, so that all edges of the file stay valid.
    fn keeps_edges(&self, before: FileFacts, after: FileFacts) -> bool;
}

/// Invalidation without a resolver: files are found by the names that they define, and every name of
/// a changed file becomes dirty. It never keeps an edge that an edit made wrong. For collections that
/// hold no edges.
pub struct AllNamesDirty;

impl Invalidation for AllNamesDirty {
    fn lookup_keys(&self, facts: FileFacts) -> BTreeSet<u32> {
        facts.symbols.iter().map(|symbol| LookupKey::Name(&symbol.name).hash()).collect()
    }

    fn fingerprints(&self, path: &RepoPath, facts: FileFacts) -> Fingerprints {
        let mut hasher = DefaultHasher::new();
        format!("{path} {facts:?}").hash(&mut hasher);
        let facts_hash = hasher.finish();
        facts.symbols.iter().map(|symbol| (name_hash(&symbol.name), facts_hash)).collect()
    }

    fn keeps_edges(&self, _: FileFacts, _: FileFacts) -> bool {
        false
    }
}
