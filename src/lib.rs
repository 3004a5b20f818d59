//! Kenning knows a repository and tells coding agents and people what it knows.
//! `ARCHITECTURE.md` draws the layers; `tests/it/tidy.rs` guards them.

pub mod config;
pub mod engine;
pub mod front;
pub mod index;
pub mod ops;
pub mod query;

pub use kenning_embed as embed;
pub mod model {
    pub use kenning_model::*;
    pub use kenning_text::fuzzy::nearest;
}
pub use kenning_source as source;
pub use kenning_source::disk;
pub use kenning_store as store;

/// Reading a file makes and drops a node a word, on every core at once, which the system's allocator
/// takes an eighth of the time for. The C libraries use this one as well.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
