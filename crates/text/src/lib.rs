//! Text processing that every ranking shares: the tokenizer, term frequencies and their cache.

pub mod token_cache;
pub mod tokenizer;
