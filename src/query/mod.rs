//! The read path: questions on facts that are already there. Nothing here indexes, writes or
//! speaks to a front end.

pub mod drawing;
pub mod packages;
#[cfg(test)]
mod testing;
