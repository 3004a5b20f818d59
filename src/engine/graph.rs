//! Graph queries on one indexed root, and the freshness of its graph.
//!
//! The graph is always local: a remote backend stores only what searches need.

use super::code_index::{commit_drift, is_complete};
use super::git_program::git_host;
use super::{CodeIndex, Engine, EngineError};
use crate::graph::Graph;
use crate::indexing::{COMMIT, count_stale_files};
use kenning_model::RepoPath;
use kenning_source as source;

pub use kenning_source::{BaseChange, BaseDiff, BaseError, LineCommit, LineHistory, LinesOfFile};

/// The state of the index relative to the tree.
pub struct GraphState {
    /// The indexed commit and the current one, if they differ.
    pub commit_drift: Option<(String, String)>,
    /// True if the first index run did not finish.
    pub is_incomplete: bool,
    pub shows_tests: bool,
}

/// The lines of a file that differ from the last commit, as ranges of first and last line. A range
/// whose first line is after its last marks a deletion between the two.
pub struct ChangedLines {
    pub path: RepoPath,
    pub lines: Vec<(u32, u32)>,
}

impl CodeIndex {
    /// Runs a question on one state of the graph. The question's error type may differ from the
    /// engine's.
    ///
    /// The cache of the last question is reused if the index is the same.
    pub fn query_graph<T, E: From<EngineError>>(
        &self,
        question: impl FnOnce(&Graph) -> Result<T, E>,
    ) -> Result<T, E> {
        let snapshot = self.snapshot()?;
        let state = snapshot.identity();
        let graph = Graph::with_cache(&snapshot, self.graph_cache.take(&state));
        let answer = question(&graph);
        self.graph_cache.put(state, graph.into_cache());
        answer
    }

    /// Returns the state of the index relative to the checkout.
    pub fn graph_state(&self) -> Result<GraphState, EngineError> {
        let snapshot = self.snapshot()?;
        let metadata = snapshot.metadata()?;
        Ok(GraphState {
            commit_drift: commit_drift(&self.collection.root, metadata.get(COMMIT)),
            is_incomplete: !is_complete(&metadata) || !snapshot.are_edges_current()?,
            shows_tests: self.shows_tests()?,
        })
    }

    /// True if the edges match the indexed files. If the graph is on another machine, it counts as
    /// current.
    pub(super) fn are_edges_current(&self) -> Result<bool, EngineError> {
        match &self.local {
            Some(_) => Ok(self.snapshot()?.are_edges_current()?),
            None => Ok(true),
        }
    }

    /// Returns those of these files that differ from the indexed version.
    pub fn find_changed<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p RepoPath>,
    ) -> Result<Vec<RepoPath>, EngineError> {
        let snapshot = self.snapshot()?;
        let mut changed = Vec::new();
        for path in paths {
            let stored = snapshot.file(path)?.map(|file| file.stamp);
            let stamps: Vec<_> = stored.into_iter().collect();
            if count_stale_files(&self.collection.root, &stamps) > 0 {
                changed.push(path.clone());
            }
        }
        Ok(changed)
    }
}

impl Engine {
    /// Returns the lines of indexed files that differ from the last commit; `None` if git does not
    /// answer.
    ///
    /// Line numbers are those of the index. For a file that changed since, the numbers of the old
    /// version are the nearest.
    pub fn uncommitted_lines(
        &self,
        index: &CodeIndex,
    ) -> Result<Option<Vec<ChangedLines>>, EngineError> {
        let root = &index.collection.root;
        let host = git_host(self.config.process_env(), root);
        let Some(files) = host.and_then(|host| source::diff_work_tree(root, &host)) else {
            return Ok(None);
        };
        let stale = index.find_changed(files.iter().map(|file| &file.path))?;
        let files = files.into_iter().map(|file| {
            let is_stale = stale.contains(&file.path);
            let hunks = file.hunks.iter();
            let lines = hunks.map(|hunk| if is_stale { hunk.old } else { hunk.new });
            ChangedLines { lines: lines.map(line_bounds).collect(), path: file.path }
        });
        Ok(Some(files.collect()))
    }

    /// Compares the files of a root with a commit, branch or tag; without one, with the last
    /// commit.
    pub fn diff_base(&self, index: &CodeIndex, base: Option<&str>) -> Result<BaseDiff, BaseError> {
        let root = &index.collection.root;
        let host = git_host(self.config.process_env(), root).ok_or(BaseError::GitFailed)?;
        source::diff_base(root, &host, base)
    }

    /// Returns the newest commits that changed lines of an indexed file.
    pub fn line_history(
        &self,
        index: &CodeIndex,
        lines: LinesOfFile,
        limit: usize,
    ) -> Result<LineHistory, BaseError> {
        let root = &index.collection.root;
        let host = git_host(self.config.process_env(), root).ok_or(BaseError::GitFailed)?;
        source::line_history(root, &host, lines, limit)
    }
}

/// Converts a range with a count. A count of 0 is a deletion, which lies after the first line.
fn line_bounds(lines: source::LineRange) -> (u32, u32) {
    match lines.count {
        0 => (lines.first + 1, lines.first),
        count => (lines.first, lines.first + count - 1),
    }
}
