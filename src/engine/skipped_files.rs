//! Files that indexing skipped and that contain a name. An answer names them, because a text search
//! would find them.
//!
//! Only generated, minified and large files are read, within bounds. Secrets and binaries are never
//! opened.

use super::{CodeIndex, EngineError};
use kenning_source::{self as source, SourceReading};

/// The most files that are read.
const MAX_FILES: usize = 200;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The most files that are named.
const MAX_NAMED: usize = 8;

/// The reasons for which a file with code is skipped.
const READ_REASONS: [&str; 3] = ["generated", "minified", "too large"];

impl CodeIndex {
    /// Returns the skipped files that contain a name as a word, each as `path (reason)`. Vendored
    /// trees are not read and not named.
    pub fn skipped_files_naming(&self, name: &str) -> Result<Vec<String>, EngineError> {
        let mut skips = self.snapshot()?.skips()?;
        skips.retain(|skip| {
            READ_REASONS.contains(&skip.reason.as_str()) && skip.stamp.size <= MAX_BYTES
        });
        let root = &self.collection.root;
        let mut found = Vec::new();
        for skip in skips.iter().take(MAX_FILES) {
            let path = &skip.stamp.path;
            let SourceReading::Text { text, .. } = source::read_source(root, path, MAX_BYTES)
            else {
                continue;
            };
            if found.len() < MAX_NAMED && has_word(&text, name) {
                found.push(format!("{path} ({})", skip.reason));
            }
        }
        Ok(found)
    }
}

/// True if the text contains the name and no word character adjoins it.
fn has_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
