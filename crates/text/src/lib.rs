//! Text processing that every ranking shares, one of each: tokenizers for code and prose, stemmer,
//! stop words, BM25, fuzzy matching, case folding and top-k.

#![warn(missing_docs)]

pub mod bm25;
pub mod bm25_index;
pub mod case_folding;
pub mod fuzzy_match;
pub mod prose_tokenizer;
pub mod stemmer;
pub mod stop_words;
pub mod token_cache;
pub mod tokenizer;
pub mod top_k;
