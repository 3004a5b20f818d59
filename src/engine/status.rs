//! The status of an index: its size, its freshness, and the files it skipped.
//!
//! The status compares the index with the tree, so it costs a walk. [`IndexSummary`] is the cheap
//! variant.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use super::code_index::{CodeIndex, is_complete, shows_tests};
use super::{Engine, EngineError, rules_from_settings};
use crate::indexing::{COMMIT, CodeRules, INDEXED_AT, count_tree_differences};
use kenning_model::Problem;
use kenning_source as source;
use kenning_store::code::{FileRecord, IndexSettings, Skip, Stats};

/// The status of a code index.
pub struct CodeStatus {
    pub settings: IndexSettings,
    pub stats: Stats,
    pub indexed_at: Option<String>,
    /// The time since the last index run.
    pub age: Option<Duration>,
    pub commit: Option<String>,
    pub current_commit: Option<String>,
    /// The number of files that changed, are gone, or are new since the index run.
    pub changed_files: usize,
    pub shows_tests: bool,
    pub is_incomplete: bool,
    /// The number of files per language.
    pub languages: Vec<(String, usize)>,
    pub skips: Vec<Skip>,
    pub problems: Vec<Problem>,
}

/// The numbers that a list of collections shows. Reading them does not look at the tree.
pub struct IndexSummary {
    pub files: u64,
    pub chunks: u64,
    pub indexed_at: Option<String>,
}

impl Engine {
    /// Returns the status of an index. It compares every file in the tree.
    pub fn code_status(&self, index: &CodeIndex) -> Result<CodeStatus, EngineError> {
        let config = self.config.for_root(&index.collection.root);
        // Unreadable settings are reported by index runs, not here.
        let rules = rules_from_settings::code_rules(config.as_ref().unwrap_or(&self.config));
        index.read_status(&rules)
    }
}

impl CodeIndex {
    /// Collects the status. `rules` decide which new files an index run would read.
    fn read_status(&self, rules: &CodeRules) -> Result<CodeStatus, EngineError> {
        let view = self.view()?;
        let metadata = view.metadata()?;
        let files = view.files()?;
        let languages = count_languages(&files);
        let mut stamps: Vec<_> = files.into_iter().map(|file| file.stamp).collect();
        stamps.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut skips = view.skips()?;
        skips.sort();
        let root = &self.collection.root;
        let note = |name: &str| metadata.get(name).filter(|text| !text.is_empty()).cloned();
        Ok(CodeStatus {
            settings: view.settings().clone(),
            stats: view.stats()?,
            age: note(INDEXED_AT).and_then(|at| age_since(&at, SystemTime::now())),
            indexed_at: note(INDEXED_AT),
            commit: note(COMMIT),
            current_commit: source::head_commit(root),
            changed_files: self
                .checkout()
                .map_or(0, |root| count_tree_differences(root, rules, &stamps, &skips)),
            shows_tests: shows_tests(&metadata),
            is_incomplete: !is_complete(&metadata) || !self.are_edges_current()?,
            languages,
            skips,
            problems: view.problems()?,
        })
    }

    /// Returns the few numbers that tell one index from another.
    pub fn summary(&self) -> Result<IndexSummary, EngineError> {
        let view = self.view()?;
        let stats = view.stats()?;
        Ok(IndexSummary {
            files: stats.files,
            chunks: stats.chunks,
            indexed_at: view.metadata()?.remove(INDEXED_AT),
        })
    }

    /// Returns the paths of all files, in order.
    pub fn files(&self) -> Result<Vec<String>, EngineError> {
        let view = self.view()?;
        Ok(view.paths()?.iter().map(ToString::to_string).collect())
    }

    /// Returns the languages of its files, the most frequent first.
    pub fn languages(&self) -> Result<Vec<String>, EngineError> {
        let view = self.view()?;
        let counted = count_languages(&view.files()?).into_iter();
        Ok(counted.map(|(language, _)| language).collect())
    }

    /// True if an index run of this collection finished.
    pub(super) fn is_complete(&self) -> Result<bool, EngineError> {
        let view = self.view()?;
        Ok(is_complete(&view.metadata()?))
    }

    /// Returns the provider, model and versions that the index was built with.
    pub(super) fn settings(&self) -> Result<IndexSettings, EngineError> {
        let view = self.view()?;
        Ok(view.settings().clone())
    }

    /// Returns the metadata that a build stored under this key.
    pub(super) fn metadata_value(&self, name: &str) -> Option<String> {
        let view = self.view().ok()?;
        view.metadata().ok()?.get(name).cloned()
    }

    /// True if searches that do not say include tests.
    pub fn shows_tests(&self) -> Result<bool, EngineError> {
        let view = self.view()?;
        Ok(shows_tests(&view.metadata()?))
    }
}

/// Returns the languages with their file counts, the most frequent first.
fn count_languages(files: &[FileRecord]) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for file in files {
        *counts.entry(file.language.clone()).or_default() += 1;
    }
    let mut languages: Vec<(String, usize)> = counts.into_iter().collect();
    languages.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    languages
}

/// Returns the time since a timestamp. It is zero if the clock was set back since.
///
/// `at` is in RFC 3339, as the metadata stores it.
fn age_since(at: &str, now: SystemTime) -> Option<Duration> {
    let at = humantime::parse_rfc3339(at).ok()?;
    Some(now.duration_since(at).unwrap_or_default())
}
