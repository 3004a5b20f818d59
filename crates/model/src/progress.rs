//! Progress reports and cancellation of long work. The work calls the trait and knows no front end.

/// A receiver of progress: a bar on a terminal, notifications over MCP, nothing in a test. Several
/// threads may report at once.
pub trait Progress: Sync {
    /// Reports that `done` of `total` steps of a stage are done. `total` is `None` while it is
    /// unknown.
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
