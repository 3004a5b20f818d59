//! Where the facts of files are kept while they are resolved: packed in memory, for a resolution that
//! reads most of them, or in the store, for one that reads few.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kenning_model::{Binding, GraphFile, Heritage, LookupKey, Reference, Symbol};
use kenning_resolve::{FactSource, FileIndex};
use kenning_store::StoreError;
use kenning_store::code::{FactsReader, GraphFacts};

/// A source of stored facts. It keeps the first read error.
pub trait StoredFacts: FactSource {
    /// Takes the first read error, if there was one.
    fn failure(&self) -> Option<StoreError>;
}

/// The first read error; those that follow have the same cause.
#[derive(Default)]
struct FirstError(Mutex<Option<StoreError>>);

impl FirstError {
    fn or_record<T: Default>(&self, outcome: Result<T, StoreError>) -> T {
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
pub struct FactsInMemory {
    facts: Vec<Option<GraphFacts>>,
    first: FirstError,
}

impl FactsInMemory {
    pub fn new(files: &[GraphFile], mut facts: HashMap<i64, GraphFacts>) -> FactsInMemory {
        FactsInMemory {
            facts: files.iter().map(|file| facts.remove(&file.id)).collect(),
            first: FirstError::default(),
        }
    }

    fn facts_of(&self, file: FileIndex) -> Option<&GraphFacts> {
        self.facts[file as usize].as_ref()
    }
}

impl StoredFacts for FactsInMemory {
    fn failure(&self) -> Option<StoreError> {
        self.first.take()
    }
}

impl FactSource for FactsInMemory {
    fn symbols(&self, file: FileIndex) -> Vec<Symbol> {
        let found = self.facts_of(file).map(|facts| self.first.or_record(facts.symbols()));
        found.unwrap_or_default()
    }

    fn heritage(&self, file: FileIndex) -> Vec<Heritage> {
        let found = self.facts_of(file).map(|facts| facts.heritage().to_vec());
        found.unwrap_or_default()
    }

    fn imports_and_bindings(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>) {
        let found = self.facts_of(file).map(|facts| self.first.or_record(facts.uses()));
        found.unwrap_or_default()
    }

    fn references(&self, file: FileIndex) -> Vec<Reference> {
        let facts = self.facts_of(file);
        let found = facts.map(|facts| self.first.or_record(facts.references()));
        found.unwrap_or_default()
    }

    /// Returns all files. With all facts in memory, the symbol table has its own lists and needs no
    /// narrower answer.
    fn files_with(&self, _: LookupKey) -> Vec<FileIndex> {
        (0..self.facts.len() as FileIndex).collect()
    }
}

/// The facts of one file after the other, out of the store.
pub struct FactsInStore {
    reader: Mutex<FactsReader>,
    ids: Vec<i64>,
    indexes: HashMap<i64, FileIndex>,
    first: FirstError,
}

impl FactsInStore {
    pub fn new(files: &[GraphFile], reader: FactsReader) -> FactsInStore {
        let ids: Vec<i64> = files.iter().map(|file| file.id).collect();
        let indexes = ids.iter().enumerate();
        FactsInStore {
            indexes: indexes.map(|(index, &id)| (id, index as FileIndex)).collect(),
            ids,
            reader: Mutex::new(reader),
            first: FirstError::default(),
        }
    }

    fn read<T: Default>(
        &self,
        file: FileIndex,
        what: impl FnOnce(&FactsReader, i64) -> Result<T, StoreError>,
    ) -> T {
        let outcome = what(&lock(&self.reader), self.ids[file as usize]);
        self.first.or_record(outcome)
    }
}

impl StoredFacts for FactsInStore {
    fn failure(&self) -> Option<StoreError> {
        self.first.take()
    }
}

impl FactSource for FactsInStore {
    fn symbols(&self, file: FileIndex) -> Vec<Symbol> {
        self.read(file, FactsReader::symbols)
    }

    fn heritage(&self, file: FileIndex) -> Vec<Heritage> {
        self.read(file, FactsReader::heritage)
    }

    fn imports_and_bindings(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>) {
        self.read(file, FactsReader::uses)
    }

    fn references(&self, file: FileIndex) -> Vec<Reference> {
        self.read(file, FactsReader::references)
    }

    fn files_with(&self, key: LookupKey) -> Vec<FileIndex> {
        let found = self.first.or_record(lock(&self.reader).files_with(key));
        let mut files: Vec<FileIndex> =
            found.iter().filter_map(|id| self.indexes.get(id)).copied().collect();
        files.sort_unstable();
        files
    }
}
