//! The queries that one request may run on one state of a collection, on any backend.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::StoreError;
use crate::code::{
    ChunkRecord, Definition, FileRecord, Filter, GrepLimits, Hit, IndexSettings, Occurrences,
    Pattern, Skip, Stats, SymbolRecord, TextMatch,
};
use kenning_model::{Problem, RepoPath, Symbol};

/// One state of a collection. Chunk numbers are valid within this view only.
pub trait View {
    /// Returns the settings that the index was made with.
    fn settings(&self) -> &IndexSettings;

    /// Returns the metadata that the indexer stored for the whole collection.
    fn metadata(&self) -> Result<BTreeMap<String, String>, StoreError>;

    /// Returns the sizes of the collection.
    fn stats(&self) -> Result<Stats, StoreError>;

    /// Returns every file, by path.
    fn files(&self) -> Result<Vec<FileRecord>, StoreError>;

    /// Returns the path of every file, in order.
    fn paths(&self) -> Result<Vec<RepoPath>, StoreError> {
        let files = self.files()?.into_iter();
        Ok(files.map(|file| file.stamp.path).collect())
    }

    /// Returns one file; `None` if it is not indexed.
    fn file(&self, path: &RepoPath) -> Result<Option<FileRecord>, StoreError>;

    /// Returns the skipped files.
    fn skips(&self) -> Result<Vec<Skip>, StoreError>;

    /// Returns the problems of files, and the read errors.
    fn problems(&self) -> Result<Vec<Problem>, StoreError>;

    /// Returns the `limit` chunks with the highest BM25 score for `terms` (hash, weight in the
    /// query), best first. A chunk needs only one of the terms.
    fn search_terms(
        &self,
        terms: &[(u32, f32)],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError>;

    /// Returns the `limit` chunks whose vectors have the greatest dot product with `vector`, best
    /// first.
    fn search_vector(
        &self,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError>;

    /// Runs both retrievers, at the same time if the backend can: words, then vectors.
    fn search_both(
        &self,
        terms: &[(u32, f32)],
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<(Vec<Hit>, Vec<Hit>), StoreError>;

    /// Returns for each term its idf, and a flag for each file, given by its chunks, in which it
    /// occurs.
    fn occurrences(
        &self,
        terms: &[u32],
        files: &[Range<u32>],
    ) -> Result<Vec<Occurrences>, StoreError>;

    /// Returns the first `limit` chunks that the filter accepts, by path and position.
    fn list(&self, filter: &Filter, limit: usize) -> Result<Vec<u32>, StoreError>;

    /// Returns the chunks with these numbers, in this order. Skips numbers that do not exist.
    fn chunks(&self, numbers: &[u32]) -> Result<Vec<ChunkRecord>, StoreError>;

    /// Returns the verbatim text of these chunks, in this order.
    fn texts(&self, chunks: &[ChunkRecord]) -> Result<Vec<String>, StoreError>;

    /// Returns true for each chunk that is the header of a type: the lines before its members.
    fn are_headers(&self, chunks: &[ChunkRecord]) -> Result<Vec<bool>, StoreError>;

    /// Returns the definitions of a name, ignoring case, that the filter accepts. If more than
    /// `limit` files define it, only the best ranked definitions are considered.
    fn definitions(
        &self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Definition>, StoreError>;

    /// Returns the definitions of a file, in its order.
    fn symbols_in(&self, path: &RepoPath) -> Result<Vec<SymbolRecord>, StoreError>;

    /// Returns the chunks with a match, by path and position. A line that several chunks show
    /// belongs to the shortest.
    fn find_text(
        &self,
        pattern: &Pattern,
        filter: &Filter,
        bounds: GrepLimits,
    ) -> Result<Vec<TextMatch>, StoreError>;

    /// Returns the members of the type that has this header chunk, in the order of the file.
    fn members(&self, header: &ChunkRecord) -> Result<Vec<Symbol>, StoreError> {
        let symbols = self.symbols_in(&header.path)?;
        Ok(select_members(symbols, header))
    }
}

/// Returns the definitions directly inside the type that a header chunk begins.
fn select_members(symbols: Vec<SymbolRecord>, header: &ChunkRecord) -> Vec<Symbol> {
    let is_meant = |record: &&SymbolRecord| {
        Some(&record.fact.name) == header.symbol.as_ref()
            && record.fact.kind == header.kind
            && record.fact.span.start_byte == header.span.start_byte
    };
    let Some(span) = symbols.iter().find(is_meant).map(|record| record.fact.span) else {
        return Vec::new();
    };
    let inside = [header.scope.as_deref(), header.symbol.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(".");
    let is_member = |symbol: &Symbol| {
        symbol.scope.as_deref() == Some(&inside)
            && symbol.span.start_byte > span.start_byte
            && symbol.span.end_byte <= span.end_byte
    };
    let symbols = symbols.into_iter().map(|record| record.fact);
    symbols.filter(is_member).collect()
}
