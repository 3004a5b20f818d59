//! The interface through which resolution reads facts. The index implements it over the store, and
//! over facts in memory for runs that resolve most files.

use crate::symbol_table::FileIndex;
use kenning_model::{Binding, Heritage, LookupKey, Reference, Symbol};

/// A source of the facts of files. Facts that cannot be read count as absent. The source stores the
/// error, and the owner of the source checks it after resolution.
pub trait FactSource: Send + Sync {
    /// Returns the definitions of a file, in the order of the text.
    fn symbols(&self, file: FileIndex) -> Vec<Symbol>;

    /// Returns the heritage clauses of a file.
    fn heritage(&self, file: FileIndex) -> Vec<Heritage>;

    /// Returns the imports and exports of a file, and its bindings.
    fn imports_and_bindings(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>);

    /// Returns all references of a file, imports included, in the order of the text.
    fn references(&self, file: FileIndex) -> Vec<Reference>;

    /// Returns the files that a key leads to, in ascending order. The list may have a few more
    /// files, because the store compares hashes of keys.
    fn files_with(&self, key: LookupKey) -> Vec<FileIndex>;
}
