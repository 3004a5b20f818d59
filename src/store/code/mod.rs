//! The store of code: one SQLite file per collection with everything that is known of its files,
//! the postings for search by words and the vectors for search by meaning.
//!
//! One transaction changes all of it, so there is no second store to keep in step; the log that
//! SQLite writes ahead lets any number of processes read a whole generation while one process makes
//! the next. What is a term, what is embedded, and how the two ranked lists become one answer is
//! not decided here.

mod batch;
mod bitmap;
pub mod bm25;
mod catalog;
mod codes;
mod columns;
mod conditions;
mod damage;
mod dot;
mod edges;
mod facts;
mod failure;
mod generation;
mod held;
mod inputs;
mod lexicon;
mod links;
mod marks;
mod mentions;
mod moved;
mod names;
mod packed;
mod packing;
mod pages;
mod postings;
mod prints;
mod read;
mod rows;
mod scan;
mod schema;
mod search;
mod segments;
mod shelf;
mod snapshot;
mod sparse;
mod state;
mod symbols;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod texts;
mod top;
mod vector;
mod write;

pub(super) use catalog::compile_globs;
pub use catalog::{Exported, Filter, Tests};
pub use codes::Nature;
pub(super) use codes::folded_hash;
pub use edges::ResolvedFile;
pub use facts::{
    Changes, ChunkContent, ChunkRecord, Definition, Embedding, EmbeddingKey, FileRecord,
    FileUpdate, HeritageRecord, Known, KnownFile, Located, ReferenceRecord, Settings, Skip, Stamp,
    Stats, SymbolRecord, Touch,
};
pub use inputs::{FactsReader, GraphFacts, GraphFile};
pub use links::LinkedFile;
pub use marks::{Mark, of as marks};
pub use mentions::{Mention, Mentions};
pub use names::{DefinedName, DefinedNames, Within};
pub use packed::Packed;
pub(super) use packed::{decompress as unpack_text, symbols as unpack_symbols};
pub use read::Reader;
pub use search::Occurrences;
pub use snapshot::Snapshot;
pub use symbols::DefinedFile;
pub(super) use text::Needs;
pub use text::{BadPattern, Bounds, NamingFile, Pattern, TextMatch};
pub use top::Hit;
pub use vector::{MAX_DIMENSION, Vector};
pub use write::Writer;
