//! The read path: from stored facts to answers. It reads no file and no clock, and writes nothing.

pub mod code;
pub use kenning_draw as drawing;
pub mod graph;
pub mod intent;
pub mod packages;
pub mod skills;
pub mod specs;
pub mod text;
