//! The code family: swift-index's four tools to the letter, and the operations on the code graph
//! that Kenning adds.

pub mod call_hierarchy;
pub mod callees;
pub mod callers;
pub mod code_research;
pub mod collections;
pub mod export_edges;
pub mod find_references;
pub mod forget;
pub mod get_file_symbols;
pub mod get_package_symbols;
pub mod get_symbol;
pub mod hint;
pub mod history;
pub mod impact;
mod impact_risk;
pub mod implementations;
pub mod index_codebase;
pub mod model;
mod path_lookup;
pub mod providers;
pub mod rename;
pub mod reply_parts;
pub mod review;
pub mod search_code;
pub mod search_symbols;
pub mod status;
pub mod symbol_row;
mod token_budget;
pub mod unresolved_lines;
pub mod unused;
pub mod watch_codebase;
pub mod weak_answer;

use std::path::{Path, PathBuf};

use crate::ops::{Call, OpError};

/// Returns the root that a `path` argument names. An empty path is refused, because it would mean
/// the working directory of a server.
fn resolve_root(call: &Call, path: &str) -> Result<PathBuf, OpError> {
    if path.is_empty() {
        Err(OpError::bad_argument("`path` must not be empty"))
    } else {
        call.engine.check_confinement(Path::new(path))?;
        Ok(call.engine.resolve_path(path))
    }
}
