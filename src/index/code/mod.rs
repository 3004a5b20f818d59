//! Building the index of a repository's code: find what changed, read it on all cores, store it in
//! whole batches. What a file says is `extract`'s business, what a vector is `embed`'s.

mod content;
mod homes;
mod plan;
mod read;
mod write;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::embed::Embedder;
use crate::index::graph::{self, GraphReport};
use crate::index::{IndexError, Mode};
use crate::model::{Package, Problem, Progress};
use crate::source::{self, Survey, Walk};
use crate::store::StoreError;
use crate::store::code::{FileRecord, Reader, Settings, Skip, Writer};

pub use homes::PackageHomes;
pub use plan::count_changed;

/// What a build reads and where it puts the outcome.
pub struct Build<'a> {
    pub root: &'a Path,
    pub database: &'a Path,
    pub rules: &'a Rules,
    pub embedder: &'a dyn Embedder,
    pub homes: &'a PackageHomes,
    /// What can use what.
    pub packages: &'a [Package],
    pub mode: Mode,
    /// Other collections to start from if this one is new: other checkouts of the repository.
    pub relatives: &'a [std::path::PathBuf],
    /// When the build begins to look at the tree.
    pub now: SystemTime,
    /// What else to remember of the whole.
    pub notes: BTreeMap<String, String>,
}

/// What a repository's configuration says of its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub exclude: Vec<String>,
    pub max_file_size: u64,
}

/// What a build did.
#[derive(Debug, Default)]
pub struct Report {
    pub files: usize,
    pub chunks: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    pub unchanged: usize,
    /// How many files were passed over, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Vectors that had to be made, and vectors that were still there.
    pub embedded: usize,
    pub reused: usize,
    pub problems: Vec<Problem>,
    /// What was resolved of the graph, and how long that took.
    pub graph: GraphReport,
    pub graph_duration: Duration,
    pub duration: Duration,
}

/// Raise it when files are cut or words are counted in another way: everything is then read again.
const CHUNKER: &str = "1";

/// The length of an ordinary chunk in words; see `store::code::bm25`.
pub const REFERENCE_LENGTH: f32 = 200.0;

/// Directories of other people's code. Nobody asks how `node_modules` works.
pub const VENDORED: &[&str] = &[
    "node_modules",
    "bower_components",
    "jspm_packages",
    "vendor",
    "third_party",
    "third-party",
    "Pods",
    "Carthage",
    "site-packages",
    "DerivedData",
];

/// Note: when the last whole build began to look at the tree, in nanoseconds.
const BUILT_NS: &str = "built_ns";
/// Note: when, for people.
pub const INDEXED_AT: &str = "indexed_at";
/// Note: the commit that was checked out.
pub const COMMIT: &str = "git_commit";

/// Brings the index up to date with the tree. Files that cannot be read are in the report; they
/// never stop the rest. Cancelled, it keeps the batches that were whole.
pub fn build(build: &Build, progress: &dyn Progress) -> Result<Report, IndexError> {
    let started = Instant::now();
    source::check_directory(build.root).map_err(|source| IndexError::Root {
        path: build.root.to_path_buf(),
        source,
    })?;
    let commit = source::head_commit(build.root);
    // The right to write first: a plan made while another build was at work would undo that one's.
    let (mut writer, before) = open(build, progress)?;
    let survey = survey(build.root, build.rules, progress);
    if progress.is_cancelled() {
        return Err(IndexError::Cancelled);
    }
    let plan = plan::plan(build, survey, &before);
    let notes = [
        (BUILT_NS, nanoseconds(build.now).to_string()),
        (
            INDEXED_AT,
            humantime::format_rfc3339_seconds(build.now).to_string(),
        ),
        (COMMIT, commit.unwrap_or_default()),
    ];
    let mut notes: BTreeMap<String, String> =
        notes.map(|(name, value)| (name.to_string(), value)).into();
    notes.extend(build.notes.clone());
    let mut report = write::run(build, plan, &mut writer, notes, progress)?;
    let resolving = Instant::now();
    report.graph = graph::resolve(&mut writer, build.packages, progress)?;
    report.graph_duration = resolving.elapsed();
    writer.publish()?;
    report.duration = started.elapsed();
    Ok(report)
}

pub fn survey(root: &Path, rules: &Rules, progress: &dyn Progress) -> Survey {
    let walk = Walk {
        root,
        names: &[],
        exclude: &rules.exclude,
    };
    source::survey(&walk, VENDORED, progress)
}

/// What is known of the files before a build.
#[derive(Default)]
struct Before {
    files: BTreeMap<String, FileRecord>,
    skips: BTreeMap<String, Skip>,
    /// When the last build looked at the tree; `None` if it did not end.
    built_ns: Option<i64>,
}

/// A writer on the collection, and what the collection holds. One that was made otherwise, or that
/// cannot be read, is built anew; it holds nothing that the tree does not say again.
fn open(build: &Build, progress: &dyn Progress) -> Result<(Writer, Before), IndexError> {
    let settings = settings(build.embedder);
    if build.mode == Mode::Incremental {
        let opened = Writer::open(build.database, &settings, progress).and_then(|mut writer| {
            if writer.is_new()? {
                start_from_relative(build, &mut writer);
            }
            let before = Before::read(build.database)?;
            Ok((writer, before))
        });
        match opened {
            Ok(opened) => return Ok(opened),
            Err(
                error @ (StoreError::Cancelled
                | StoreError::Io { .. }
                | StoreError::NotLocal { .. }),
            ) => {
                return Err(error.into());
            }
            Err(error) => tracing::warn!("{error}; indexing anew"),
        }
    }
    let mut writer = Writer::rebuild(build.database, &settings, progress)?;
    if !build.embedder.is_cheap() {
        // What was paid for once is not paid for again, if it can be read at all.
        let _ = writer.adopt_embeddings(build.database);
    }
    Ok((writer, Before::default()))
}

/// Another checkout of the same repository has read most of the files already.
fn start_from_relative(build: &Build, writer: &mut Writer) {
    for relative in build.relatives {
        match writer.copy_from(relative) {
            Ok(()) => return,
            Err(error) => tracing::debug!("not starting from {}: {error}", relative.display()),
        }
    }
}

impl Before {
    fn read(database: &Path) -> Result<Before, StoreError> {
        let reader = Reader::open(database)?;
        let snapshot = reader.snapshot()?;
        let files = snapshot.files()?.into_iter();
        let skips = snapshot.skips()?.into_iter();
        let built_ns = snapshot.notes()?.remove(BUILT_NS);
        Ok(Before {
            files: files
                .map(|file| (file.stamp.path.as_str().to_string(), file))
                .collect(),
            skips: skips
                .map(|skip| (skip.stamp.path.as_str().to_string(), skip))
                .collect(),
            built_ns: built_ns.and_then(|text| text.parse().ok()),
        })
    }
}

pub fn settings(embedder: &dyn Embedder) -> Settings {
    let identity = embedder.identity();
    Settings {
        provider: identity.provider.clone(),
        model: identity.model.clone(),
        dimension: identity.dimension as u32,
        chunker: CHUNKER.to_string(),
        reference_length: REFERENCE_LENGTH,
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX)
}
