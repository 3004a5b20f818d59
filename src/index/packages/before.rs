//! What the last build left: the facts that may still be good, and how far they can be trusted.

use std::collections::{BTreeMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Build, Mode};
use crate::model::{Package, Problem};
use crate::store::packages::{ManifestRecord, PackageReader, Start};

/// Meta key: what else the outcome depends on.
pub const STAMP: &str = "stamp";
/// Meta key: when the build began to look at the tree.
pub const BUILT_NS: &str = "built_ns";

/// Two changes within one tick of a coarse clock look alike; a file that was changed this shortly
/// before the build looked at it is read again to be sure.
const CLOCK_TICK_NS: i64 = 2_000_000_000;

#[derive(Default)]
pub struct Before {
    reader: Option<PackageReader>,
    pub manifests: Vec<ManifestRecord>,
    meta: BTreeMap<String, String>,
}

impl Before {
    /// A database that cannot be read counts as none: everything is then read again.
    pub fn open(build: &Build, stamp: &str) -> Before {
        if build.mode == Mode::Fresh {
            return Before::default();
        }
        let Ok(reader) = PackageReader::open(build.database) else {
            return Before::default();
        };
        let (Ok(manifests), Ok(meta)) = (reader.manifests(), reader.meta()) else {
            tracing::warn!("{} is damaged; building anew", build.database.display());
            return Before::default();
        };
        let mut before = Before {
            reader: Some(reader),
            manifests,
            meta,
        };
        // Other parsers or other rules: packages may be kept, facts may not.
        if before.meta.get(STAMP).map(String::as_str) != Some(stamp) {
            before.meta.remove(BUILT_NS);
        }
        before
    }

    pub fn start(&self) -> Start {
        match self.reader {
            Some(_) => Start::Published,
            None => Start::Empty,
        }
    }

    pub fn trust(&self) -> Trust {
        let built_ns = self.meta.get(BUILT_NS);
        Trust {
            built_ns: built_ns.and_then(|text| text.parse().ok()),
        }
    }

    /// Whether the stored packages are what a build would find again, given the same manifests.
    pub fn is_current(&self, stamp: &str, walk_problems: &[Problem]) -> bool {
        let known: HashSet<Problem> = self.problems().into_iter().collect();
        self.meta.get(STAMP).map(String::as_str) == Some(stamp)
            && walk_problems.iter().all(|problem| known.contains(problem))
    }

    pub fn package_count(&self) -> usize {
        let count = self.meta.get("package_count");
        count.and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    pub fn packages(&self) -> Vec<Package> {
        let contents = self
            .reader
            .as_ref()
            .and_then(|reader| reader.contents().ok());
        contents.unwrap_or_default().packages
    }

    pub fn problems(&self) -> Vec<Problem> {
        let problems = self
            .reader
            .as_ref()
            .and_then(|reader| reader.problems().ok());
        problems.unwrap_or_default()
    }
}

/// How far the records of the last build may be believed.
#[derive(Clone, Copy)]
pub struct Trust {
    built_ns: Option<i64>,
}

impl Trust {
    /// Whether size and time of a file are proof that `record` still describes it.
    pub fn vouches_for(self, record: &ManifestRecord) -> bool {
        self.built_ns
            .is_some_and(|built_ns| record.modified_ns < built_ns - CLOCK_TICK_NS)
    }

    /// Whether facts may be kept when the content is the same.
    pub fn has_current_facts(self) -> bool {
        self.built_ns.is_some()
    }
}

pub fn nanoseconds(time: SystemTime) -> i64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since_epoch.as_nanos() as i64
}
