//! The source of the facts of files, as resolution sees it.

use crate::symbol_table::FileIndex;
use kenning_model::{Binding, Heritage, LookupKey, Reference, Symbol};

/// A source of the facts of files. Facts that cannot be read count as absent; the source keeps the
/// error for whoever made it.
pub trait FactSource: Send + Sync {
    fn symbols(&self, file: FileIndex) -> Vec<Symbol>;

    fn heritage(&self, file: FileIndex) -> Vec<Heritage>;

    /// Imports and exports, and bindings.
    fn imports_and_bindings(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>);

    /// All references.
    fn references(&self, file: FileIndex) -> Vec<Reference>;

    /// Returns the files that are found under a key, and perhaps a few more, in their order.
    fn files_with(&self, key: LookupKey) -> Vec<FileIndex>;
}
