//! The records that go into the store and come out of it: facts, with the files that they belong
//! to.

use std::collections::BTreeMap;
use std::ops::Range;

use super::file_blob::FileBlob;
use super::vector_page_format::Vector;
use kenning_model::{ChunkKind, CodeFacts, Heritage, Problem, Reference, RepoPath, Span, Symbol};

/// How the chunks of a collection were made. Chunks made otherwise cannot be compared with them, so
/// a change of any of these needs a rebuild.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexSettings {
    pub provider: String,
    pub model: String,
    /// The dimension of the vectors; 0 if there are none.
    pub dimension: u32,
    /// Name and version of what cuts files into chunks and chunks into terms.
    pub chunker: String,
    /// The length of a chunk, in terms, that weights are measured against; see [`kenning_text::bm25`].
    pub reference_length: f32,
}

impl IndexSettings {
    /// True if the vectors of both can be compared.
    pub fn has_model_of(&self, other: &IndexSettings) -> bool {
        (&self.provider, &self.model, self.dimension)
            == (&other.provider, &other.model, other.dimension)
    }
}

/// Everything about one file, in place of what was known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileUpdate {
    pub stamp: Stamp,
    pub hash: [u8; 32],
    pub is_test: bool,
    /// The package that it belongs to, by whatever name the filters will use.
    pub package: Option<String>,
    pub facts: CodeFacts,
    /// Its text, and what of the facts is kept in one piece.
    pub packed: FileBlob,
    /// The terms and vector of each chunk of `facts`, in the same order.
    pub contents: Vec<ChunkContent>,
}

/// The path, size and time of a file. Comparing them tells cheaply whether it changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    pub path: RepoPath,
    pub size: u64,
    pub modified_ns: i64,
}

/// The searchable content of one chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkContent {
    /// Hash and [`kenning_text::bm25::weight`] of each term, each once, in any order.
    pub terms: Vec<(u32, f32)>,
    pub embedding: Option<Embedding>,
}

/// A vector and its key in the cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    pub vector: Vector,
    /// The cache key of the vector, to reuse it when the chunk's file changes, moves or comes back.
    /// `None` if computing the vector again is cheaper than storing it.
    pub key: Option<EmbeddingKey>,
}

/// A hash of exactly the text that was embedded.
pub type EmbeddingKey = [u8; 16];

/// One transaction's worth of change.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    pub removed: Vec<RepoPath>,
    pub updated: Vec<FileUpdate>,
    /// Files whose content is as stored though their stamp or package is not.
    pub touched: Vec<Touch>,
    /// All skipped files, which replace the stored list; `None` keeps that.
    pub skipped: Option<Vec<Skip>>,
    /// All read errors, which replace the stored list; `None` keeps that.
    pub read_errors: Option<Vec<Problem>>,
    /// Metadata of the whole collection, by name.
    pub metadata: BTreeMap<String, String>,
}

/// The values of a file that may change while its content stays the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    pub stamp: Stamp,
    pub package: Option<String>,
}

/// A file that was not read, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skip {
    pub stamp: Stamp,
    pub reason: String,
}

/// The state that the last build left, for comparison with the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreviousIndex {
    /// By path.
    pub files: Vec<KnownFile>,
    /// By path.
    pub skips: Vec<Skip>,
    pub read_errors: Vec<Problem>,
    pub metadata: BTreeMap<String, String>,
}

/// The least that tells whether a file must be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    pub stamp: Stamp,
    pub hash: [u8; 32],
    pub package: Option<String>,
    /// How many.
    pub chunks: usize,
}

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    pub stamp: Stamp,
    pub hash: [u8; 32],
    pub language: String,
    pub is_test: bool,
    pub package: Option<String>,
    /// The ids of its chunks.
    pub chunks: Range<u32>,
}

/// A stored chunk, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRecord {
    pub id: u32,
    /// The ids of all chunks of its file.
    pub file_chunks: Range<u32>,
    pub path: RepoPath,
    pub language: String,
    pub package: Option<String>,
    pub kind: ChunkKind,
    pub is_test: bool,
    pub symbol: Option<String>,
    pub scope: Option<String>,
    /// The line of the symbol's name, if the chunk contains it and it is known.
    pub line: Option<u32>,
    pub span: Span,
}

/// A fact and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    pub path: RepoPath,
    pub fact: T,
}

pub type SymbolRecord = Located<Symbol>;

/// A definition and the chunks that show its name. If some chunks are named after it, only those.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub chunks: Vec<u32>,
    pub symbol: SymbolRecord,
}

pub type ReferenceRecord = Located<Reference>;
pub type HeritageRecord = Located<Heritage>;

/// The sizes of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub generation: u64,
    pub files: u64,
    pub chunks: u64,
    pub symbols: u64,
    pub vectors: u64,
    pub segments: u64,
    /// The size of the database file, without its write-ahead log.
    pub bytes: u64,
}
