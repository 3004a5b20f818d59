//! Kenning knows a repository and tells coding agents and people what it knows.
//! `ARCHITECTURE.md` draws the layers; `tests/it/tidy.rs` guards them.

pub mod config;
pub mod disk;
pub mod embed;
pub mod engine;
pub mod extract;
pub mod front;
pub mod index;
pub mod model;
pub mod ops;
pub mod query;
pub mod source;
pub mod store;

/// Reading a file makes and drops a node a word, on every core at once, which the system's allocator
/// takes an eighth of the time for. The C libraries use this one as well.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
