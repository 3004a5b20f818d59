//! What a build has to do, from names, sizes and times alone: nothing is read here.

use std::path::Path;

use super::{Before, Build, Rules};
use crate::extract::generated;
use crate::model::{Problem, RepoPath};
use crate::source::{FoundFile, Survey};
use crate::store::code::{FileRecord, Skip, Stamp, Touch};

/// Two changes within one tick of a coarse clock look alike; a file that was changed this shortly
/// before the last build looked at it is read again to be sure.
const CLOCK_TICK_NS: i64 = 2_000_000_000;

const TOO_LARGE: &str = "too large";

#[derive(Default)]
pub struct Plan {
    /// To be read, in the order of their paths.
    pub read: Vec<Task>,
    pub removed: Vec<RepoPath>,
    /// Unread, but in another package than before.
    pub moved_home: Vec<Touch>,
    pub skipped: Vec<Skip>,
    pub unchanged: usize,
    pub unchanged_chunks: usize,
    pub problems: Vec<Problem>,
}

/// A file to read.
pub struct Task {
    pub stamp: Stamp,
    /// The hash of what is stored of it, and how many chunks that is.
    pub known: Option<([u8; 32], usize)>,
}

pub fn plan(build: &Build, survey: Survey, before: &Before) -> Plan {
    let mut plan = Plan {
        problems: survey.problems,
        ..Plan::default()
    };
    let mut missing = before.files.clone();
    for directory in survey.pruned {
        let stamp = Stamp {
            path: directory,
            size: 0,
            modified_ns: 0,
        };
        plan.skip(stamp, "vendored tree");
    }
    for found in survey.files {
        let known = missing.remove(found.path.as_str());
        plan.add(build, before, found, known);
    }
    plan.removed = missing.into_values().map(|file| file.stamp.path).collect();
    // A file that was indexed and is now passed over goes, too.
    let skipped = plan.skipped.iter().map(|skip| &skip.stamp.path);
    let skipped = skipped.filter(|path| before.files.contains_key(path.as_str()));
    plan.removed.extend(skipped.cloned());
    plan.removed.sort();
    plan
}

impl Plan {
    fn add(&mut self, build: &Build, before: &Before, found: FoundFile, known: Option<FileRecord>) {
        let stamp = Stamp {
            path: found.path,
            size: found.size,
            modified_ns: found.modified_ns,
        };
        let is_settled = before
            .built_ns
            .is_some_and(|built_ns| stamp.modified_ns < built_ns - CLOCK_TICK_NS);
        if let Some(reason) = reason_without_reading(build.rules, &stamp) {
            return self.skip(stamp, &reason);
        }
        match before.skips.get(stamp.path.as_str()) {
            // What was too large for other rules may not be for these.
            Some(skip)
                if skip.stamp == stamp
                    && is_settled
                    && known.is_none()
                    && skip.reason != TOO_LARGE =>
            {
                return self.skipped.push(skip.clone());
            }
            _ => {}
        }
        match known {
            Some(known) if known.stamp == stamp && is_settled => self.keep(build, known),
            known => self.read.push(Task {
                stamp,
                known: known.map(|known| (known.hash, known.chunks.len())),
            }),
        }
    }

    fn keep(&mut self, build: &Build, known: FileRecord) {
        self.unchanged += 1;
        self.unchanged_chunks += known.chunks.len();
        let package = build.homes.of(&known.stamp.path);
        if package != known.package.as_deref() {
            self.moved_home.push(Touch {
                package: package.map(str::to_string),
                stamp: known.stamp,
            });
        }
    }

    fn skip(&mut self, stamp: Stamp, reason: &str) {
        self.skipped.push(Skip {
            stamp,
            reason: reason.to_string(),
        });
    }
}

fn reason_without_reading(rules: &Rules, stamp: &Stamp) -> Option<String> {
    let by_name = generated::skip_by_name(&stamp.path).map(|reason| reason.to_string());
    let is_large = stamp.size > rules.max_file_size;
    by_name.or_else(|| is_large.then(|| TOO_LARGE.to_string()))
}

/// How many files differ from what is stored, or are gone. New ones are not seen: this looks at
/// known files only, and on all cores.
pub fn count_changed(root: &Path, stamps: &[Stamp]) -> usize {
    use rayon::prelude::*;
    let is_changed = |stamp: &&Stamp| {
        crate::source::stat(root, &stamp.path)
            .is_none_or(|found| (found.size, found.modified_ns) != (stamp.size, stamp.modified_ns))
    };
    /// Fewer are looked at here and now, and do not wait behind files that are being indexed.
    const FEW: usize = 64;
    match stamps.len() < FEW {
        true => stamps.iter().filter(is_changed).count(),
        false => stamps.par_iter().filter(is_changed).count(),
    }
}
