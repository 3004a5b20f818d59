//! Facts at rest. Knows files and SQL, and nothing of where facts come from or who asks.

pub mod backends;
pub mod code;
mod collections;
mod error;
mod files;
pub mod lock;

pub use collections::{Collection, Collections};
pub use error::StoreError;
pub use files::{discard, with_suffix};
