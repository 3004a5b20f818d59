//! The choice between updating an index and rebuilding it.

/// The part of an index that a build writes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildMode {
    /// Reads only what changed.
    Incremental,
    /// Reads everything again and starts from an empty database.
    Fresh,
}
