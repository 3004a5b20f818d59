//! How long work tells where it is and learns that nobody wants it any more.

/// A bar on a terminal, notifications over MCP, nothing in a test.
pub trait Progress: Sync {
    /// `total` is `None` while it is not known yet.
    fn report(&self, stage: &str, done: usize, total: Option<usize>);

    /// Asked between steps; work stops at the next one and leaves everything whole.
    fn is_cancelled(&self) -> bool;
}

/// For work that nobody watches.
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
