//! Facts at rest: the collections under `KEN_HOME`, the code database of each, and the remote
//! backends.
//!
//! This crate knows files, SQL and servers. It does not know where facts come from (extraction),
//! what a reference means (resolution) or how ranked lists become an answer (fusion).

pub mod backends;
pub mod code;
mod collections;
mod error;
pub mod lock;
pub mod page_checksums;
mod sidecar_files;

pub use collections::{Collection, Collections};
pub use error::StoreError;
pub use sidecar_files::{discard, with_suffix};
