//! The read path: from stored facts to answers. It reads no file and no clock, and writes nothing.

pub mod code;
pub mod drawing;
pub mod graph;
pub mod intent;
pub mod packages;
pub mod skills;
pub mod specs;
#[cfg(test)]
mod testing;
pub mod text;
