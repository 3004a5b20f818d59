//! Facts at rest. Knows files and SQL, and nothing of where facts come from or who asks.

mod collections;
mod error;
pub mod packages;
pub mod specs;

pub use collections::{Collection, Collections};
pub use error::StoreError;
