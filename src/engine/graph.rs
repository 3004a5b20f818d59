//! The graph of one indexed root, open to questions.

use super::{CodeIndex, EngineError};
use crate::query::graph::Graph;
use crate::store::StoreError;

impl CodeIndex {
    /// Asks one state of the graph.
    pub fn graph<T>(
        &self,
        question: impl FnOnce(&Graph) -> Result<T, StoreError>,
    ) -> Result<T, EngineError> {
        let snapshot = self.snapshot()?;
        Ok(question(&Graph::new(&snapshot))?)
    }
}
