//! Where the facts of files are kept while they are resolved: in memory and packed, for a resolution
//! that will look at most of them, or in the store, for one that will look at few.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::symbol_table::FileIndex;
use kenning_model::{Binding, Heritage, Reference, Symbol};
use kenning_store::StoreError;
use kenning_store::code::{FactsReader, GraphFacts, GraphFile, LookupKey};

/// A source of the facts of files. Facts that cannot be read count as absent; [`Kept::failure`]
/// returns the error.
pub trait Kept: Send + Sync {
    fn symbols(&self, file: FileIndex) -> Vec<Symbol>;

    fn heritage(&self, file: FileIndex) -> Vec<Heritage>;

    /// Imports and exports, and bindings.
    fn uses(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>);

    /// All references.
    fn references(&self, file: FileIndex) -> Vec<Reference>;

    /// The files that are found under a mark, and perhaps a few more, in their order.
    fn found_under(&self, mark: LookupKey) -> Vec<FileIndex>;

    /// The first thing that could not be read.
    fn failure(&self) -> Option<StoreError>;
}

/// The first failure; those that follow are of the same cause.
#[derive(Default)]
struct First(Mutex<Option<StoreError>>);

impl First {
    fn or_note<T: Default>(&self, outcome: Result<T, StoreError>) -> T {
        outcome.unwrap_or_else(|error| {
            lock(&self.0).get_or_insert(error);
            T::default()
        })
    }

    fn take(&self) -> Option<StoreError> {
        lock(&self.0).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All facts, in memory.
pub struct InMemory {
    facts: Vec<Option<GraphFacts>>,
    first: First,
}

impl InMemory {
    pub fn new(files: &[GraphFile], mut facts: HashMap<i64, GraphFacts>) -> InMemory {
        InMemory {
            facts: files.iter().map(|file| facts.remove(&file.id)).collect(),
            first: First::default(),
        }
    }

    fn of(&self, file: FileIndex) -> Option<&GraphFacts> {
        self.facts[file as usize].as_ref()
    }
}

impl Kept for InMemory {
    fn symbols(&self, file: FileIndex) -> Vec<Symbol> {
        let found = self.of(file).map(|facts| self.first.or_note(facts.symbols()));
        found.unwrap_or_default()
    }

    fn heritage(&self, file: FileIndex) -> Vec<Heritage> {
        let found = self.of(file).map(|facts| facts.heritage().to_vec());
        found.unwrap_or_default()
    }

    fn uses(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>) {
        let found = self.of(file).map(|facts| self.first.or_note(facts.uses()));
        found.unwrap_or_default()
    }

    fn references(&self, file: FileIndex) -> Vec<Reference> {
        let facts = self.of(file);
        let found = facts.map(|facts| self.first.or_note(facts.references()));
        found.unwrap_or_default()
    }

    /// Returns all files. With all facts in memory, the symbol table has its own lists and needs no
    /// narrower answer.
    fn found_under(&self, _: LookupKey) -> Vec<FileIndex> {
        (0..self.facts.len() as FileIndex).collect()
    }

    fn failure(&self) -> Option<StoreError> {
        self.first.take()
    }
}

/// The facts of one file after the other, out of the store.
pub struct InStore {
    reader: Mutex<FactsReader>,
    ids: Vec<i64>,
    indexes: HashMap<i64, FileIndex>,
    first: First,
}

impl InStore {
    pub fn new(files: &[GraphFile], reader: FactsReader) -> InStore {
        let ids: Vec<i64> = files.iter().map(|file| file.id).collect();
        let indexes = ids.iter().enumerate();
        InStore {
            indexes: indexes.map(|(index, &id)| (id, index as FileIndex)).collect(),
            ids,
            reader: Mutex::new(reader),
            first: First::default(),
        }
    }

    fn read<T: Default>(
        &self,
        file: FileIndex,
        what: impl FnOnce(&FactsReader, i64) -> Result<T, StoreError>,
    ) -> T {
        let outcome = what(&lock(&self.reader), self.ids[file as usize]);
        self.first.or_note(outcome)
    }
}

impl Kept for InStore {
    fn symbols(&self, file: FileIndex) -> Vec<Symbol> {
        self.read(file, FactsReader::symbols)
    }

    fn heritage(&self, file: FileIndex) -> Vec<Heritage> {
        self.read(file, FactsReader::heritage)
    }

    fn uses(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>) {
        self.read(file, FactsReader::uses)
    }

    fn references(&self, file: FileIndex) -> Vec<Reference> {
        self.read(file, FactsReader::references)
    }

    fn found_under(&self, mark: LookupKey) -> Vec<FileIndex> {
        let found = self.first.or_note(lock(&self.reader).found_under(mark));
        let files = found.iter().filter_map(|id| self.indexes.get(id));
        let mut files: Vec<FileIndex> = files.copied().collect();
        files.sort_unstable();
        files
    }

    fn failure(&self) -> Option<StoreError> {
        self.first.take()
    }
}
