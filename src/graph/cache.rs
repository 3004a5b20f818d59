//! Cache of unpacked files across requests. Unpacking is most of a query's cost, and consecutive
//! queries read the same files.
//!
//! The cache holds decoded facts only, never answers. A limit counts facts instead of bytes: the
//! sizes of facts are known well enough, and counting is free.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::graph::FileDefinitions;
use kenning_store::code::{LinkedFile, Mentions};

/// The cached data of one generation of an index.
///
/// It belongs to one request at a time and needs no lock of its own.
pub struct GraphCache {
    pub(super) files: GenerationalCache<Arc<FileDefinitions>>,
    pub(super) linked: GenerationalCache<Option<Arc<LinkedFile>>>,
    pub(super) mentions: GenerationalCache<Arc<Mentions>>,
}

impl Default for GraphCache {
    /// Sets the limits. A definition takes some 400 bytes, an edge 150 and a mention 40.
    fn default() -> GraphCache {
        GraphCache {
            files: GenerationalCache::with_limit(50_000),
            linked: GenerationalCache::with_limit(100_000),
            mentions: GenerationalCache::with_limit(100_000),
        }
    }
}

impl GraphCache {
    /// Returns the number of cached definitions, edges and mentions.
    fn fact_count(&self) -> usize {
        self.files.fact_count() + self.linked.fact_count() + self.mentions.fact_count()
    }
}

/// A cache with two generations. When the new one is full, it becomes the old one, and entries
/// unused since the last change are dropped.
///
/// An exact least-recently-used order would cost a list update per read. Two generations
/// approximate it with two hash maps.
pub(super) struct GenerationalCache<T> {
    limit: usize,
    new: HashMap<i64, (T, usize)>,
    new_facts: usize,
    old: HashMap<i64, (T, usize)>,
    old_facts: usize,
}

impl<T: Clone> GenerationalCache<T> {
    /// Creates a cache with room for this many new facts, and as many old ones.
    fn with_limit(limit: usize) -> GenerationalCache<T> {
        GenerationalCache {
            limit,
            new: HashMap::new(),
            new_facts: 0,
            old: HashMap::new(),
            old_facts: 0,
        }
    }

    /// An entry of the old generation moves to the new one, so that it survives the next change.
    pub(super) fn get(&mut self, file: i64) -> Option<T> {
        if let Some((known, _)) = self.new.get(&file) {
            return Some(known.clone());
        }
        let (known, facts) = self.old.remove(&file)?;
        self.old_facts -= facts;
        self.put(file, known.clone(), facts);
        Some(known)
    }

    /// Inserts an entry that counts as this many facts.
    ///
    /// An entry larger than the limit is stored all the same; the next one moves it to the old
    /// generation.
    pub(super) fn put(&mut self, file: i64, one: T, facts: usize) {
        if self.new_facts + facts > self.limit {
            self.old = std::mem::take(&mut self.new);
            self.old_facts = std::mem::take(&mut self.new_facts);
        }
        self.new_facts += facts;
        self.new.insert(file, (one, facts));
    }

    fn fact_count(&self) -> usize {
        self.new_facts + self.old_facts
    }
}

/// A cache that outlives requests. One request at a time takes it; concurrent ones start with an
/// empty cache.
///
/// Requests do not wait for each other: the lock is held only to swap the cache in or out.
#[derive(Default)]
pub struct SharedGraphCache(Mutex<(IndexIdentity, GraphCache)>);

/// The identity of one state of an index.
///
/// It changes with every committed write, so a cache never outlives the facts that it holds.
type IndexIdentity = (String, u64);

impl SharedGraphCache {
    /// Takes the cache if it belongs to this state, else returns an empty one.
    ///
    /// The caller owns the cache until it calls [`SharedGraphCache::put`]. A request that fails
    /// before that only loses cached entries.
    pub fn take(&self, state: &IndexIdentity) -> GraphCache {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, memory) = std::mem::take(&mut *kept);
        if of == *state { memory } else { GraphCache::default() }
    }

    /// Returns a cache after a request. The fuller cache of two concurrent requests stays.
    pub fn put(&self, state: IndexIdentity, memory: GraphCache) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.fact_count() >= kept.1.fact_count() || state != kept.0 {
            *kept = (state, memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(facts: usize) -> GraphCache {
        let mut memory = GraphCache::default();
        memory.linked.put(1, None, facts);
        memory
    }

    #[test]
    fn only_the_same_state_is_remembered() {
        let recollection = SharedGraphCache::default();
        let state = |number: u64| ("born".to_string(), number);
        let taken = |number: u64| recollection.take(&state(number)).fact_count();
        recollection.put(state(7), memory(10));
        assert_eq!(taken(8), 0);
        recollection.put(state(7), memory(10));
        assert_eq!(recollection.take(&("reborn".to_string(), 7)).fact_count(), 0);
        recollection.put(state(7), memory(10));
        assert_eq!(taken(7), 10);
        // A taken cache is gone until it is put back.
        assert_eq!(taken(7), 0);
        // If two queries put one back, the cache with more facts stays.
        recollection.put(state(7), memory(20));
        recollection.put(state(7), memory(5));
        assert_eq!(taken(7), 20);
    }

    #[test]
    fn what_was_not_asked_for_goes_first_and_never_all() {
        let mut shelf: GenerationalCache<char> = GenerationalCache::with_limit(10);
        for (file, one) in [(1, 'a'), (2, 'b')] {
            shelf.put(file, one, 5);
        }
        shelf.put(3, 'c', 5);
        assert_eq!(shelf.fact_count(), 15);
        assert_eq!(shelf.get(1), Some('a'));
        shelf.put(4, 'd', 5);
        let known: Vec<Option<char>> = (1..=4).map(|file| shelf.get(file)).collect();
        assert_eq!(known, [Some('a'), None, Some('c'), Some('d')]);
        assert!(shelf.fact_count() <= 20);
        // An entry above the limit stays until the next one is put.
        shelf.put(5, 'e', 100);
        assert_eq!(shelf.get(5), Some('e'));
        shelf.put(6, 'f', 1);
        assert!(shelf.get(6).is_some() && shelf.get(1).is_none());
    }
}
