//! The read path: from stored facts to answers. It reads no file and no clock, and writes nothing.

pub mod code;
pub mod graph;
pub mod intent;
pub mod text;
pub mod trace;

pub use kenning_draw as drawing;
pub use kenning_knowledge::skills;
pub use kenning_packages::query as packages;

/// Questions about specs.
pub mod specs {
    pub use super::trace;
    pub use kenning_knowledge::specs::*;
}
