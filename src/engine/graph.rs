//! The graph of one indexed root, open to questions, and how far it can be believed.

use super::code::moved_on;
use super::{CodeIndex, EngineError};
use crate::index::code::{COMMIT, INDEXED_AT, count_changed};
use crate::model::RepoPath;
use crate::query::graph::Graph;

/// How the index stands to the tree.
pub struct GraphState {
    /// The commits that were indexed and that is checked out now, if they are not the same.
    pub moved_on: Option<(String, String)>,
    /// The first indexing run did not end.
    pub is_incomplete: bool,
    pub shows_tests: bool,
}

impl CodeIndex {
    /// Asks one state of the graph.
    pub fn graph<T, E: From<EngineError>>(
        &self,
        question: impl FnOnce(&Graph) -> Result<T, E>,
    ) -> Result<T, E> {
        let snapshot = self.snapshot()?;
        question(&Graph::new(&snapshot))
    }

    pub fn graph_state(&self) -> Result<GraphState, EngineError> {
        let snapshot = self.snapshot()?;
        let notes = snapshot.notes()?;
        Ok(GraphState {
            moved_on: moved_on(&self.collection.root, notes.get(COMMIT)),
            is_incomplete: !notes.contains_key(INDEXED_AT),
            shows_tests: self.shows_tests()?,
        })
    }

    /// Those of these files that are no longer as they were indexed.
    pub fn changed_among<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p RepoPath>,
    ) -> Result<Vec<RepoPath>, EngineError> {
        let snapshot = self.snapshot()?;
        let mut changed = Vec::new();
        for path in paths {
            let stored = snapshot.file(path)?.map(|file| file.stamp);
            let stamps: Vec<_> = stored.into_iter().collect();
            if count_changed(&self.collection.root, &stamps) > 0 {
                changed.push(path.clone());
            }
        }
        Ok(changed)
    }
}
