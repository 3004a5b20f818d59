//! The package database: one SQLite file with full-text search that people may open with `sqlite3`.
//!
//! A published file never changes. A build copies it, edits the copy and renames it over the old
//! one, so a reader sees one whole state, never waits, and leaves nothing beside the file; a build
//! that is killed leaves the old file and a draft that the next build discards.

mod reader;
mod schema;
mod writer;

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use kenning_model::{Package, Problem, RepoPath};

pub use reader::{BuildState, PackageReader};
pub use writer::{Difference, Draft, DraftStart, WriteLock};

/// The record of one manifest from the last build that read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRecord {
    pub kind: String,
    pub path: RepoPath,
    pub size: u64,
    pub modified_ns: i64,
    pub hash: [u8; 32],
    /// The last good facts, as its ecosystem wrote them.
    pub facts: Option<String>,
    /// The problems of the manifest when it was last read.
    pub problems: Vec<Problem>,
}

/// The path, size and time of a manifest. Comparing them tells cheaply whether it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestStamp {
    pub path: RepoPath,
    pub size: u64,
    pub modified_ns: i64,
}

/// Everything that one published state says.
#[derive(Default)]
pub struct DatabaseContents {
    pub packages: Vec<Package>,
    pub stamps: Vec<ManifestStamp>,
    pub problems: Vec<Problem>,
    /// `indexed_at`, `git_commit`, `package_count` and their like; all text.
    pub meta: BTreeMap<String, String>,
}

/// The identity of one published state. A published file never changes, so the identity of the file
/// under the name is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseVersion {
    modified: SystemTime,
    size: u64,
    inode: u64,
}

impl DatabaseVersion {
    /// `None` if there is no such file. A pipe or a device of that name is none: opening it would wait.
    pub fn read(path: &Path) -> Option<DatabaseVersion> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(DatabaseVersion {
            modified: metadata.modified().ok()?,
            size: metadata.len(),
            inode: inode(&metadata),
        })
    }

    pub fn modified(&self) -> SystemTime {
        self.modified
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Time and size have to do.
#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> u64 {
    0
}
