//! The code family: swift-index's four tools to the letter, and what its users ask beside them.

pub mod collections;
pub mod forget;
pub mod index_codebase;
pub mod providers;
pub mod search_code;
pub mod status;
pub mod watch_codebase;
