//! The store of code: one SQLite file per collection with everything that is known of its files,
//! the postings for search by words and the vectors for search by meaning.
//!
//! One transaction changes all of it, so there is no second store to keep in step; the log that
//! SQLite writes ahead lets any number of processes read a whole generation while one process makes
//! the next. What is a term, what is embedded, and how the two ranked lists become one answer is
//! not decided here.

mod bitmap;
mod bm25_scorer;
mod columnar;
mod corruption_marker;
mod counters;
mod dot_product;
mod edge_reader;
mod edges;
mod enum_codes;
mod error;
mod facts_diff;
mod file_blob;
mod file_table;
mod filter_sql;
mod fingerprints;
mod generation;
mod grep;
mod posting_rows;
mod postings;
mod quantized_vector;
mod reader;
mod records;
mod reference_columns;
mod resolver_input;
mod row_mapping;
mod schema;
mod search;
mod secondary_kinds;
mod segments;
mod snapshot;
mod symbol_keys;
mod symbol_names;
mod symbols;
#[cfg(test)]
mod tests;
mod text_cache;
mod top_k;
mod varint;
mod vector_pages;
mod vector_scan;
mod word_index;
mod write_txn;
mod writer;

pub use edge_reader::LinkedFile;
pub use edges::ResolvedFile;
pub use enum_codes::Nature;
pub(super) use enum_codes::folded_hash;
pub use file_blob::FileBlob;
pub(super) use file_blob::{decompress as unpack_text, read_symbols as unpack_symbols};
pub(super) use file_table::compile_globs;
pub use file_table::{Exported, Filter, Tests};
pub(super) use grep::RequiredLiterals;
pub use grep::{BadPattern, Bounds, NamingFile, Pattern, TextMatch};
pub use quantized_vector::{MAX_DIMENSION, Vector};
pub use reader::Reader;
pub use records::{
    Changes, ChunkContent, ChunkRecord, Definition, Embedding, EmbeddingKey, FileRecord,
    FileUpdate, HeritageRecord, IndexSettings, KnownFile, Located, PreviousIndex, ReferenceRecord,
    Skip, Stamp, Stats, SymbolRecord, Touch,
};
pub use reference_columns::{Mention, Mentions};
pub use resolver_input::{FactsReader, GraphFacts, GraphFile};
pub use search::Occurrences;
pub use snapshot::Snapshot;
pub use symbol_keys::{LookupKey, of as marks};
pub use symbol_names::{DefinedName, DefinedNames, MatchScope};
pub use symbols::DefinedFile;
pub use top_k::Hit;
pub use writer::Writer;
