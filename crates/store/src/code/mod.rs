//! The code store: one SQLite file per collection with the facts of its files, the postings for
//! word search and the vectors for vector search.
//!
//! Every write is one transaction over all of it, so there is no second store that could disagree.
//! SQLite's write-ahead log lets any number of processes read one whole generation while one
//! process writes the next.
//!
//!   records ──► writer ──► write_txn ──┬─► files, chunks, file_blob, symbol_keys
//!                                      ├─► postings ─► posting_rows ─► segments
//!                                      ├─► word_index, symbol_names  (per segment)
//!                                      ├─► vector_pages
//!                                      └─► fingerprints ─► dirty_names
//!   reader ──► snapshot ──► generation (lazily loaded, shared between snapshots)
//!
//! Tokenizing, embedding and the fusion of the two ranked lists happen elsewhere. The format is
//! described in `schema` and, per blob, in the module that encodes it.

mod bitmap;
mod bm25_scorer;
mod collection_counters;
mod columnar;
mod corruption_marker;
mod definition_scan;
mod dot_product;
mod edge_writer;
mod enum_codes;
mod error;
mod extra_kinds;
mod file_blob;
mod file_filter;
mod filter_sql;
mod generation;
mod graph_reader;
mod grep;
mod hit;
mod invalidation;
mod posting_rows;
mod postings;
mod reader;
mod records;
mod reference_columns;
mod replaced_file;
mod resolver_input;
mod retrievers;
mod row_mapping;
mod schema;
mod segments;
mod snapshot;
mod symbol_names;
#[cfg(test)]
mod tests;
mod text_cache;
mod varint;
mod vector_page_format;
mod vector_page_table;
mod vector_scan;
mod word_index;
mod write_txn;
mod writer;

pub use corruption_marker::write_marker as mark_damaged;
pub use definition_scan::DefinedFile;
pub use edge_writer::ResolvedFile;
pub use enum_codes::SymbolAttributes;
pub(super) use enum_codes::folded_hash;
pub use file_blob::FileBlob;
pub(super) use file_blob::{decompress as unpack_text, read_symbols as unpack_symbols};
pub use file_filter::{Exported, Filter, Tests, compile_globs};
pub use graph_reader::LinkedFile;
pub(super) use grep::RequiredLiterals;
pub use grep::{BadPattern, FileWithWord, GrepLimits, Pattern, TextMatch};
pub use hit::Hit;
pub use invalidation::{AllNamesDirty, Invalidation};
pub use reader::{ROOT, Reader};
pub use records::{
    Changes, ChunkContent, ChunkRecord, Definition, Embedding, EmbeddingKey, FileRecord,
    FileUpdate, HeritageRecord, IndexSettings, KnownFile, Located, PreviousIndex, ReferenceRecord,
    Skip, Stamp, Stats, SymbolRecord, Touch,
};
pub use reference_columns::{Mention, Mentions};
pub use resolver_input::{FactsReader, GraphFacts};
pub use retrievers::Occurrences;
pub use snapshot::Snapshot;
pub use symbol_names::{DefinedName, DefinedNames, MatchScope};
pub use vector_page_format::{MAX_DIMENSION, Vector};
pub use writer::Writer;

/// Reads bytes with every decoder of stored blobs, as they are and as the content of a compressed
/// blob. For fuzzing: a decoder may refuse any bytes, and may not panic.
#[doc(hidden)]
pub fn read_as_every_blob(bytes: &[u8]) {
    for blob in [bytes, &file_blob::compress(bytes)] {
        let _ = file_blob::read_symbols(blob);
        let _ = file_blob::read_symbols_at(blob, &[0, 3]);
        let _ = file_blob::read_references_and_bindings(blob);
        word_index::read_blocks(blob);
        symbol_names::read_block(blob);
        let _ = postings::decode(blob);
    }
}
