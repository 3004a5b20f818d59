//! The state that the last build stored: facts that may still hold, and how far to trust them.
//!
//! A state that cannot be read counts as empty, so that the build repairs it.

use std::collections::BTreeMap;

use crate::BuildError;
use crate::database::{Draft, DraftStart, ManifestRecord, PackageReader, WriteLock};
use kenning_model::BuildMode;
use kenning_model::Problem;
use kenning_source::CLOCK_TICK_NS;
use kenning_store::StoreError;

/// Meta key of the stamp: a hash of everything but manifests that decides the outcome.
pub const STAMP: &str = "stamp";
/// Meta key of the hash of the walk's problems.
pub const OBSTACLES: &str = "obstacles";
/// Meta key of the time at which the build began its walk, in nanoseconds since 1970.
pub const BUILT_NS: &str = "built_ns";

/// The manifests, problems and metadata of the last build; empty for a first or fresh build.
#[derive(Default)]
pub struct PreviousState {
    pub manifests: Vec<ManifestRecord>,
    pub problems: Vec<Problem>,
    meta: BTreeMap<String, String>,
    /// True if the database is of an older format, which readers refuse until a draft is published.
    is_outdated: bool,
}

/// Reads the state that the last build stored. A database that cannot be read counts as empty, so
/// that the build reads everything again.
pub fn read_previous_state(lock: &WriteLock, mode: BuildMode) -> PreviousState {
    if mode == BuildMode::Fresh || !lock.has_published_state() {
        return PreviousState::default();
    }
    let read = || -> Result<PreviousState, StoreError> {
        // One of an older version is brought up to date in a draft before it can be read.
        match lock.open_published() {
            Ok(reader) => PreviousState::from_published(&reader),
            Err(error) if error.is_damage() => Err(error),
            Err(_) => PreviousState::from_draft(&lock.create_draft(DraftStart::Published)?),
        }
    };
    read().unwrap_or_else(|error| {
        tracing::warn!("{error}; rebuilding");
        PreviousState::default()
    })
}

impl PreviousState {
    /// Reads a database of the current format, without copying it.
    fn from_published(reader: &PackageReader) -> Result<PreviousState, StoreError> {
        let (manifests, problems, meta) = reader.read_build_state()?;
        Ok(PreviousState { manifests, problems, meta, is_outdated: false })
    }

    /// Reads a database of an older format from a migrated copy.
    fn from_draft(draft: &Draft) -> Result<PreviousState, StoreError> {
        Ok(PreviousState {
            manifests: draft.read_manifests()?,
            problems: draft.read_problems()?,
            meta: draft.read_meta()?,
            is_outdated: true,
        })
    }

    /// Opens the draft of the next state: a copy of the published one, or an empty one if that is
    /// unusable.
    pub fn start_draft<'l>(&self, lock: &'l WriteLock) -> Result<Draft<'l>, BuildError> {
        let start = if self.meta.is_empty() { DraftStart::Empty } else { DraftStart::Published };
        Ok(lock.create_draft(start)?)
    }

    /// True if readers can open the database as it is.
    pub fn is_readable(&self) -> bool {
        !self.is_outdated
    }

    /// True if the stored metadata has this value for the key.
    pub fn has_meta(&self, key: &str, value: &str) -> bool {
        self.meta.get(key).is_some_and(|stored| stored == value)
    }

    pub fn trust(&self, stamp: &str) -> RecordTrust {
        let built_ns = self.meta.get(BUILT_NS).and_then(|text| text.parse().ok());
        RecordTrust {
            // Facts from other parsers or other rules prove nothing, so the time is dropped.
            built_ns: built_ns.filter(|_| self.has_stamp(stamp)),
        }
    }

    /// True if the stored packages are what a build would find again, given the same manifests.
    /// Only then may linking be skipped.
    pub fn is_current(&self, stamp: &str, obstacles: &str) -> bool {
        let stored = self.meta.get(OBSTACLES);
        self.has_stamp(stamp) && stored.is_some_and(|stored| stored == obstacles)
    }

    /// The stored number of packages; 0 if unknown.
    pub fn package_count(&self) -> usize {
        let count = self.meta.get("package_count");
        count.and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// True if the parsers and the rules are those of the last build.
    fn has_stamp(&self, stamp: &str) -> bool {
        self.meta.get(STAMP).is_some_and(|stored| stored == stamp)
    }
}

/// How far the records of the last build may be believed.
///
/// A file that was written in the same clock tick as the walk may have been written again without a
/// new time. So a time proves something only if it is older than the walk by more than a tick. Git
/// handles its "racily clean" entries alike.
#[derive(Clone, Copy)]
pub struct RecordTrust {
    /// The start of the last build; `None` if nothing may be believed.
    built_ns: Option<i64>,
}

impl RecordTrust {
    /// True if size and time of a file are proof that `record` still describes it.
    pub fn proves_unchanged(self, record: &ManifestRecord) -> bool {
        self.built_ns.is_some_and(|built_ns| record.modified_ns < built_ns - CLOCK_TICK_NS)
    }

    /// True if stored facts may be kept for content with the same hash.
    pub fn has_current_facts(self) -> bool {
        self.built_ns.is_some()
    }
}
