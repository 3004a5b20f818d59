//! Kenning knows a repository and tells coding agents and people what it knows.
//! `ARCHITECTURE.md` draws the layers; Cargo and `tests/it/tidy.rs` hold them.

pub mod config;
pub mod engine;
pub mod front;
pub mod graph;
pub mod indexing;
pub mod ops;
pub mod search;

/// Reading a file makes and drops a node a word, on every core at once, which the system's allocator
/// takes an eighth of the time for. The C libraries use this one as well.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
