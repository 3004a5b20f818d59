//! Kenning indexes a repository and answers questions about it, for coding agents and for people.
//!
//! `ARCHITECTURE.md` describes the layers; Cargo and `tests/it/tidy.rs` enforce them. The crate is
//! a program first: its interface is the command line, MCP and HTTP, and the Rust API may change at
//! any time.

pub mod config;
pub mod engine;
pub mod front;
pub mod graph;
pub mod indexing;
pub mod ops;
pub mod search;

/// Parsing allocates and frees a node per word, on all cores at once. The system's allocator would
/// take an eighth of the time for that. The C libraries use this allocator as well.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
