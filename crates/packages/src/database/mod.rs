//! The package database: one SQLite file with full-text search, which people may open with
//! `sqlite3`.
//!
//! A published file never changes. A build copies it, edits the copy and renames it over the old
//! one. So a reader sees one whole state, never waits, and leaves nothing beside the file. A killed
//! build leaves the old file and a draft, which the next build discards.
//!
//! A database in WAL mode would copy less. But it needs a writable directory and files beside the
//! database, even to read.

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
    /// The ecosystem that read it.
    pub kind: String,
    pub path: RepoPath,
    pub size: u64,
    /// The file's time of modification, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// BLAKE3 of the file's bytes; all zero if the last attempt to read it failed.
    pub hash: [u8; 32],
    /// The last good facts as JSON, in the form that its ecosystem chose.
    pub facts: Option<String>,
    /// The problems of the manifest when it was last read.
    pub problems: Vec<Problem>,
}

/// The path, size and time of a manifest. They show at the cost of a `stat` if it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestStamp {
    pub path: RepoPath,
    pub size: u64,
    pub modified_ns: i64,
}

/// Everything that one published state contains, except the facts that only a build needs.
#[derive(Default)]
pub struct DatabaseContents {
    /// Sorted by name, kind and path.
    pub packages: Vec<Package>,
    pub stamps: Vec<ManifestStamp>,
    pub problems: Vec<Problem>,
    /// `indexed_at`, `git_commit`, `package_count` and their like; all text.
    pub meta: BTreeMap<String, String>,
}

/// The identity of one published state. A published file never changes, so the identity of the file
/// is that of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseVersion {
    modified: SystemTime,
    size: u64,
    inode: u64,
}

impl DatabaseVersion {
    /// Reads the identity of the file at a path. `None` if there is no regular file: opening a pipe
    /// or a device would block.
    pub fn read(path: &Path) -> Option<DatabaseVersion> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(DatabaseVersion {
            modified: metadata.modified().ok()?,
            size: metadata.len(),
            inode: inode(&metadata),
        })
    }

    /// The time at which the state was published.
    pub fn published_at(&self) -> SystemTime {
        self.modified
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Without inodes, time and size identify the file.
#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> u64 {
    0
}
