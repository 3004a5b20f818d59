//! The nouns of Kenning: plain data that every layer shares. Nothing here reads, writes or decides.

mod package;
mod path;
mod problem;

pub use package::{DepKind, Dependency, Package, PackageKey};
pub use path::RepoPath;
pub use problem::Problem;
