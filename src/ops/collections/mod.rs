//! The collections family: code-indexer's three tools to the letter, over the collections of this
//! machine or of a remote backend. Arguments are in camelCase except `top_k`, as the original has
//! them.

pub mod collection_hit;
mod payload_filter;
pub mod search_code_by_payload;
pub mod search_code_fulltext;
pub mod search_code_semantic;
#[cfg(test)]
mod testing;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::engine::CodeIndex;
use crate::ops::{Call, OpError};

/// The number of results by default.
const DEFAULT_TOP_K: usize = 10;

/// The most results. A larger number is lowered, not refused, as in the original.
const MAX_TOP_K: usize = 1000;

/// The schema of `collectionName`, which all three operations take.
fn collection_name_schema() -> Value {
    json!({
        "type": "string",
        "description": "Name of the collection to search (`collections` lists them)"
    })
}

/// The schema of `top_k`, which all three operations take.
fn top_k_schema() -> Value {
    json!({
        "type": "integer",
        "default": DEFAULT_TOP_K,
        "minimum": 1,
        "description": "Number of results to return; 1000 is the most"
    })
}

/// Applies the default and the maximum.
fn effective_top_k(asked: Option<usize>) -> usize {
    asked.unwrap_or(DEFAULT_TOP_K).min(MAX_TOP_K)
}

/// Finds the collections that a `collectionName` names: one, or several with commas between. Each
/// occurs once, in the given order.
fn find_collections(call: &Call, names: &str) -> Result<Vec<Arc<CodeIndex>>, OpError> {
    let mut indexes: Vec<Arc<CodeIndex>> = Vec::new();
    let names = names.split(',').map(str::trim);
    for name in names.filter(|name| !name.is_empty()) {
        let index = call.engine.collection(name, call.asked_at, call.progress)?;
        // A collection may be named by its name and by its path.
        if !indexes.iter().any(|known| Arc::ptr_eq(known, &index)) {
            indexes.push(index);
        }
    }
    if indexes.is_empty() {
        Err(OpError::bad_argument("`collectionName` must not be empty"))
    } else {
        Ok(indexes)
    }
}

/// Refuses a blank argument.
fn require_text(name: &str, text: &str) -> Result<(), OpError> {
    if text.trim().is_empty() {
        Err(OpError::bad_argument(format!("`{name}` must not be empty")))
    } else {
        Ok(())
    }
}
