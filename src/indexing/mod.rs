//! The write path of the code index: find the files that changed, read them on all cores, store
//! them in batches.
//!
//! `lang` extracts facts from files, `embed` makes vectors, `store` writes. This module decides the
//! order. It guarantees that the index is valid after every batch: a killed or cancelled build
//! loses at most the batch in progress. Bad input files are reported and never stop a build.

mod chunk_fields;
mod error;
mod extract_file;
mod package_of_file;
mod pipeline;
mod plan;
mod replica;
pub mod resolution;
mod stored_facts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use kenning_embed::Embedder;
use kenning_model::{BuildMode, Package, Problem, Progress};
use kenning_secrets::SecretRules;
use kenning_source::{self as source, HiddenNames, Survey, WalkBounds, WalkFilter};
use kenning_store::StoreError;
use kenning_store::backends::{Backend, CollectionInfo};
use kenning_store::code::{IndexSettings, PreviousIndex, ROOT, Writer};
use resolution::{GraphReport, INVALIDATION};

use self::replica::Replica;

pub use error::IndexError;
pub use kenning_source::WalkError;
pub use package_of_file::PackageDirectories;
pub use plan::{count_stale_files, count_tree_differences};

/// The inputs of a build, and the database that it writes.
pub struct CodeBuild<'a> {
    pub root: &'a Path,
    pub database: &'a Path,
    pub rules: &'a CodeRules,
    pub embedder: &'a dyn Embedder,
    pub mode: BuildMode,
    /// Other collections to start from if this one is new: other checkouts of the repository.
    pub other_checkouts: &'a [std::path::PathBuf],
    /// The time when the build begins to read the tree. Files modified later are read again next
    /// time.
    pub now: SystemTime,
    /// SCIP indexes of compilers, to take edges from.
    pub scip_indexes: &'a [std::path::PathBuf],
    /// Further metadata to store with the collection.
    pub metadata: BTreeMap<String, String>,
    /// The remote replica. Each write goes to it before it goes to the local file.
    pub replica: Option<ReplicaTarget<'a>>,
}

/// The backend and the identity of a collection's replica.
pub struct ReplicaTarget<'a> {
    pub backend: &'a dyn Backend,
    pub collection: CollectionInfo,
}

/// The settings for code in a repository's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeRules {
    pub exclude: Vec<String>,
    pub max_file_size: u64,
    pub bounds: WalkBounds,
    pub secrets: SecretRules,
}

/// The counts, problems and durations of one build.
#[derive(Debug, Default)]
pub struct CodeReport {
    pub files: usize,
    pub chunks: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    pub unchanged: usize,
    /// True if a file that was indexed is skipped now because it looks like a secret.
    pub drops_secrets: bool,
    /// The number of skipped files, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// The number of vectors that were made, and of vectors that were found in a store.
    pub embedded: usize,
    pub reused: usize,
    pub problems: Vec<Problem>,
    /// The report of the graph resolution, and its duration.
    pub graph: GraphReport,
    pub graph_duration: Duration,
    pub duration: Duration,
}

/// The version of chunking, word counting and packed facts. Raise it when one of them changes:
/// every file is then read again and written to the replicas again, which store packed facts.
const CHUNKER: &str = "9";

/// The length of an ordinary chunk in words; see `kenning_text::bm25`.
pub const REFERENCE_LENGTH: f32 = 200.0;

/// Directories of third-party code. Questions are about the repository's own code.
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

/// Metadata key: the time when the last complete build began to read the tree, in nanoseconds.
const BUILT_NS: &str = "built_ns";
/// Metadata key: the same time in RFC 3339, for people. Its presence marks a complete build.
pub const INDEXED_AT: &str = "indexed_at";
/// Metadata key: a fingerprint of the rules by which files were skipped as secrets.
const SECRET_RULES: &str = "secret_rules";
/// Metadata key: the commit that was checked out; empty outside of git.
pub const COMMIT: &str = "git_commit";

/// The package facts that indexing code needs.
pub struct PackageInputs<'p> {
    pub directories: PackageDirectories,
    /// True if the dependencies between packages may have changed since the last build.
    pub have_changed: bool,
    /// Loads all packages. Called only if names must be resolved.
    pub load_all: &'p dyn Fn() -> Result<Vec<Package>, StoreError>,
}

/// A build that holds the write lock and waits for the result of the walk.
pub struct CodeBuildSession<'b> {
    build: &'b CodeBuild<'b>,
    started: Instant,
    writer: Writer,
    known: PreviousIndex,
    /// True if the known files come from another checkout.
    is_seeded: bool,
    replica: Replica,
}

/// Takes the write lock before the walk. A plan made while another build runs would undo the work
/// of that build.
///
/// It waits if another process holds the lock. The replica is opened too, so that an unreachable
/// server fails before the walk.
pub fn begin_build<'b>(
    build: &'b CodeBuild<'b>,
    progress: &dyn Progress,
) -> Result<CodeBuildSession<'b>, IndexError> {
    let started = Instant::now();
    source::check_directory(build.root)
        .map_err(|source| IndexError::Root { path: build.root.to_path_buf(), source })?;
    let (writer, mut known, is_seeded) = open_writer(build, progress)?;
    let replica = Replica::open(build, &mut known)?;
    Ok(CodeBuildSession { build, started, writer, known, is_seeded, replica })
}

impl CodeBuildSession<'_> {
    /// Returns the filter for the walk, which packages and code share.
    pub fn walk_filter(&self) -> WalkFilter<'_> {
        code_walk_filter(self.build.rules)
    }

    /// Brings the index up to date with the walk. Files that cannot be read are in the report; they
    /// never stop the rest. A cancelled build keeps its complete batches. A damaged index is
    /// rebuilt.
    ///
    /// The loop runs at most twice: a rebuild neither drops secrets nor starts over again.
    pub fn finish(
        self,
        packages: &PackageInputs,
        survey: &Survey,
        progress: &dyn Progress,
    ) -> Result<CodeReport, IndexError> {
        if progress.is_cancelled() {
            return Err(IndexError::Cancelled);
        }
        let CodeBuildSession { build, started, mut writer, mut known, is_seeded, mut replica } =
            self;
        let mut before_rebuild = None;
        loop {
            let homes = &packages.directories;
            let plan = plan::plan_build(build.rules, homes, survey, &known);
            let run = pipeline::IndexRun::new(
                build,
                homes,
                &known,
                (&mut writer, &mut replica),
                progress,
            );
            let outcome = run.run_plan(plan, build_metadata(build)).and_then(|mut report| {
                resolve_graph(build, &mut writer, packages, &mut report, progress)?;
                Ok(report)
            });
            match outcome {
                // Removed rows stay in the file until something overwrites them; of a secret
                // nothing may stay.
                Ok(report) if report.drops_secrets && !writer.is_rebuild() => {
                    writer = writer.start_over(&index_settings(build.embedder))?;
                    adopt_embeddings(build, &mut writer);
                    known = PreviousIndex::default();
                    before_rebuild = Some(report);
                }
                Ok(report) => {
                    replica.publish()?;
                    writer.publish()?;
                    let mut report = before_rebuild.unwrap_or(report);
                    report.duration = started.elapsed();
                    if is_seeded {
                        // Files that only the other checkout has were never in this collection, so
                        // none counts as removed.
                        report.removed = 0;
                    }
                    return Ok(report);
                }
                Err(IndexError::Store(error)) if error.is_damage() && !writer.is_rebuild() => {
                    tracing::warn!("{error}; rebuilding the index");
                    writer = writer.start_over(&index_settings(build.embedder))?;
                    adopt_embeddings(build, &mut writer);
                    known = PreviousIndex::default();
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Resolves names again, unless nothing that edges depend on has changed: files, packages, compiler
/// indexes, rules.
fn resolve_graph(
    build: &CodeBuild,
    writer: &mut Writer,
    packages: &PackageInputs,
    report: &mut CodeReport,
    progress: &dyn Progress,
) -> Result<(), IndexError> {
    let changed = report.added + report.changed + report.removed;
    let rules = resolution::fingerprint_of_rules(build.scip_indexes);
    if changed == 0 && !packages.have_changed && writer.are_edges_current(&rules)? {
        return Ok(());
    }
    let resolving = Instant::now();
    let around = resolution::ResolveInputs {
        root: build.root,
        packages: &(packages.load_all)()?,
        compilers: build.scip_indexes,
    };
    report.graph = resolution::resolve(writer, &around, progress)?;
    report.problems.append(&mut report.graph.problems);
    report.graph_duration = resolving.elapsed();
    Ok(())
}

/// Returns the metadata to store with the last batch. Keys of the caller win over those set here.
fn build_metadata(build: &CodeBuild) -> BTreeMap<String, String> {
    let indexed_at = humantime::format_rfc3339_seconds(build.now).to_string();
    let commit = source::head_commit(build.root).unwrap_or_default();
    let mut notes: BTreeMap<String, String> = [
        (BUILT_NS, source::nanoseconds(build.now).to_string()),
        (INDEXED_AT, indexed_at),
        (COMMIT, commit),
        (ROOT, build.root.to_string_lossy().into_owned()),
        (SECRET_RULES, build.rules.secrets.fingerprint()),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into();
    notes.extend(build.metadata.clone());
    notes
}

/// Returns the walk filter for code: all names, without vendored directories and the user's
/// exclusions.
pub fn code_walk_filter(rules: &CodeRules) -> WalkFilter<'_> {
    let (wanted, unless) = kenning_secrets::hidden_names();
    WalkFilter {
        names: None,
        exclude: &rules.exclude,
        pruned: VENDORED,
        // Hidden files that may be secrets are walked, so that the report lists them as skipped.
        hidden: HiddenNames { wanted, unless },
    }
}

/// Opens a writer, and returns it with the known files and true if these come from another
/// checkout. A damaged collection, or one of another make, is rebuilt; the tree holds all of its
/// content.
fn open_writer(
    build: &CodeBuild,
    progress: &dyn Progress,
) -> Result<(Writer, PreviousIndex, bool), IndexError> {
    let settings = index_settings(build.embedder);
    if build.mode == BuildMode::Incremental {
        let opened = Writer::open(build.database, &settings, &INVALIDATION, progress).and_then(
            |mut writer| {
                let is_seeded = writer.is_new()? && copy_other_checkout(build, &mut writer);
                let known = writer.previous_index()?;
                check_stored_root(build, &known)?;
                Ok((writer, known, is_seeded))
            },
        );
        match opened {
            Ok(opened) => return Ok(opened),
            Err(error) if error.is_damage() || error.needs_rebuild() => {
                tracing::warn!("{error}; rebuilding the index");
            }
            Err(error) => return Err(error.into()),
        }
    }
    let mut writer = Writer::rebuild(build.database, &settings, &INVALIDATION, progress)?;
    adopt_embeddings(build, &mut writer);
    Ok((writer, PreviousIndex::default(), false))
}

/// Fails if the collection was built for another root, because somebody swapped the files.
fn check_stored_root(build: &CodeBuild, known: &PreviousIndex) -> Result<(), StoreError> {
    match known.metadata.get(ROOT) {
        Some(root) if *root != build.root.to_string_lossy() => {
            let what = format!("it is the index of {root}");
            Err(StoreError::Damaged { path: build.database.to_path_buf(), what })
        }
        _ => Ok(()),
    }
}

/// Copies embeddings from the existing database, so that an expensive embedder need not make them
/// again. A failure is only logged.
fn adopt_embeddings(build: &CodeBuild, writer: &mut Writer) {
    if !build.embedder.is_local()
        && let Err(error) = writer.adopt_embeddings(build.database)
    {
        tracing::debug!("no embeddings from {}: {error}", build.database.display());
    }
}

/// Copies the index of another checkout, which has read most of the files already. Returns false if
/// there is none.
///
/// The first one that can be copied is used. The plan then compares every file, so a stale copy
/// does no harm.
fn copy_other_checkout(build: &CodeBuild, writer: &mut Writer) -> bool {
    build.other_checkouts.iter().any(|relative| {
        let copied = writer.copy_from(relative);
        if let Err(error) = &copied {
            tracing::debug!("not starting from {}: {error}", relative.display());
        }
        copied.is_ok()
    })
}

/// Returns the settings that an index stores. An index with other settings is rebuilt.
pub fn index_settings(embedder: &dyn Embedder) -> IndexSettings {
    let identity = embedder.identity();
    IndexSettings {
        provider: identity.provider.clone(),
        model: identity.model.clone(),
        dimension: identity.dimension as u32,
        chunker: CHUNKER.to_string(),
        reference_length: REFERENCE_LENGTH,
    }
}
