//! Text processing that every ranking shares: the tokenizer, term frequencies and their cache, BM25
//! weights, case folding, similar names, and top-k.

pub mod bm25;
pub mod case;
pub mod fuzzy;
pub mod token_cache;
pub mod tokenizer;
pub mod top_k;
