//! Progress reports and cancellation of long work.

/// A bar on a terminal, notifications over MCP, nothing in a test.
pub trait Progress: Sync {
    /// `total` is `None` while it is not known yet.
    fn report(&self, stage: &str, done: usize, total: Option<usize>);

    /// True if the work should stop. Work checks it between steps, and leaves everything whole.
    fn is_cancelled(&self) -> bool;
}

/// A [`Progress`] that reports nothing and is never cancelled.
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
