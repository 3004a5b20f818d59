//! The code family: swift-index's four tools to the letter, and what its users ask beside them.

pub mod providers;
