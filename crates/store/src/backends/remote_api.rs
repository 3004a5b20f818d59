//! The interface that a server must offer so that `remote_view` can answer every query. A server
//! stores and returns rows, and lists ranked by words and by vectors. No server fuses lists,
//! tokenizes text or matches globs.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::StoreError;
use crate::code::{Exported, IndexSettings, Skip, Tests};
use kenning_model::{ChunkKind, Problem, Span};

/// A server that holds collections for many machines.
pub trait Server: Send + Sync {
    /// Returns the newest state of a collection, and its rows.
    fn begin(&self, name: &str) -> Result<(CollectionState, Box<dyn Records + '_>), StoreError>;
}

/// The state of a collection as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionState {
    /// The server's own collection or schema of this state. Each rebuild has a new one.
    pub location: String,
    pub generation: u64,
    pub settings: IndexSettings,
    pub metadata: BTreeMap<String, String>,
}

/// The skipped files, and the read errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    pub skips: Vec<Skip>,
    pub read_errors: Vec<Problem>,
}

/// The rows of one state.
pub trait Records {
    /// Returns the sizes that the file rows do not have.
    fn size(&self) -> Result<Size, StoreError>;

    /// Returns the skipped files and read errors.
    fn overview(&self) -> Result<Overview, StoreError>;

    /// Returns the problems that the files' own rows record.
    fn problems(&self) -> Result<Vec<Problem>, StoreError>;

    /// Returns every file, in any order.
    fn files(&self) -> Result<Vec<FileRow>, StoreError>;

    /// Returns those of these files that exist, in any order.
    fn files_at(&self, paths: &[&str]) -> Result<Vec<FileRow>, StoreError>;

    /// Returns the paths of the files whose text has all of these trigrams; see `trigrams`.
    fn files_with_trigrams(&self, grams: &[u32]) -> Result<Vec<String>, StoreError>;

    /// Returns the paths of up to `limit` files that define a name with this hash; see
    /// `folded_hash`.
    fn files_defining(&self, name: u32, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Reads one stored part of these files.
    fn parts(&self, paths: &[&str], piece: StoredPart) -> Result<Vec<PartRow>, StoreError>;

    /// Returns the chunks of these files that match the selection.
    fn chunks_of(&self, paths: &[&str], selection: &Selection)
    -> Result<Vec<ChunkRow>, StoreError>;

    /// Returns the first chunks by path and ordinal. `files` returns all files by path, for a
    /// server that cannot sort by path.
    fn list(
        &self,
        selection: &Selection,
        limit: usize,
        files: AllFiles,
    ) -> Result<Vec<ChunkRow>, StoreError>;

    /// Returns the `limit` best chunks of each retriever, with their scores.
    fn search(
        &self,
        legs: &[Retrieval],
        selection: &Selection,
        limit: usize,
    ) -> Result<Vec<Vec<(ChunkRow, f32)>>, StoreError>;

    /// Returns the inverse document frequency of each term.
    fn idfs(&self, terms: &[u32]) -> Result<Vec<f32>, StoreError>;

    /// Returns for each term the files among `paths` that contain it.
    fn files_with_terms(
        &self,
        terms: &[u32],
        paths: &[&str],
    ) -> Result<Vec<Vec<String>>, StoreError>;
}

/// Returns all files, by path. They are cached between queries.
pub type AllFiles<'f> = &'f dyn Fn() -> Result<Arc<[FileRow]>, StoreError>;

/// The sizes that the file rows do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub vectors: u64,
    /// The size on the server's disk; 0 if it does not say.
    pub bytes: u64,
}

/// One ranked list to retrieve.
#[derive(Clone, Copy, Debug)]
pub enum Retrieval<'q> {
    /// Terms with their weights in the question.
    Words(&'q [(u32, f32)]),
    Vector(&'q [f32]),
}

/// A compressed part of a file, in the format of `file_blob`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredPart {
    Text,
    Symbols,
}

/// One stored part of one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartRow {
    pub path: String,
    pub version: String,
    /// As it was stored.
    pub packed: Vec<u8>,
}

/// A file as servers store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    pub path: String,
    /// The version of the file's content. On a server with snapshots all files have the same.
    pub version: String,
    pub size: u64,
    pub modified_ns: i64,
    pub hash: [u8; 32],
    pub language: String,
    pub is_test: bool,
    pub package: Option<String>,
    /// How many.
    pub chunks: u32,
    pub symbols: u32,
}

/// A chunk as servers store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    pub path: String,
    /// That of its file.
    pub version: String,
    /// Its index among the chunks of its file, from 0. `count` is the number of those chunks.
    pub ordinal: u32,
    pub count: u32,
    pub language: String,
    pub package: Option<String>,
    pub kind: ChunkKind,
    pub is_test: bool,
    pub is_header: bool,
    /// True if the symbol that it defines is public; `None` if it defines none.
    pub is_exported: Option<bool>,
    pub symbol: Option<String>,
    pub scope: Option<String>,
    pub signature: Option<String>,
    pub span: Span,
}

/// A filter in terms that a server can evaluate. An empty list matches all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Alternatives; `None` for everywhere.
    pub paths: Option<Vec<PathCondition>>,
    pub languages: Vec<String>,
    pub packages: Vec<String>,
    pub kinds: Vec<ChunkKind>,
    pub tests: Tests,
    pub symbols: Vec<String>,
    pub scopes: Vec<String>,
    pub start_lines: Vec<RangeInclusive<u32>>,
    pub end_lines: Vec<RangeInclusive<u32>>,
    pub exported: Exported,
    /// These chunks alone, by path and ordinal.
    pub only: Option<Vec<(String, u32)>>,
}

/// A condition on the path of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathCondition {
    File(String),
    Under(String),
    /// Files whose names end with a dot and this, below a directory if one is named.
    Ending(Option<String>, String),
}
