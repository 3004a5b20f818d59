//! Building the index of a repository's code: find what changed, read it on all cores, store it in
//! whole batches. `lang` reads facts out of files, `embed` makes vectors.

mod error;
mod extract_file;
mod fact_source;
mod fields;
mod package_of_file;
mod pipeline;
mod plan;
mod replica;
pub mod resolution;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use kenning_embed::Embedder;
use kenning_model::{BuildMode, Package, Problem, Progress};
use kenning_secrets::SecretRules;
use kenning_source::{self as source, Bounds, HiddenNames, Survey, WalkFilter};
use kenning_store::StoreError;
use kenning_store::backends::{Backend, CollectionInfo};
use kenning_store::code::{IndexSettings, PreviousIndex, Writer};
use resolution::{GraphReport, INVALIDATION};

use self::replica::Mirrored;

pub use error::IndexError;
pub use kenning_source::WalkError;
pub use package_of_file::PackageHomes;
pub use plan::{count_changed, count_news};

/// The inputs of a build, and the database that it writes.
pub struct Build<'a> {
    pub root: &'a Path,
    pub database: &'a Path,
    pub rules: &'a Rules,
    pub embedder: &'a dyn Embedder,
    pub mode: BuildMode,
    /// Other collections to start from if this one is new: other checkouts of the repository.
    pub relatives: &'a [std::path::PathBuf],
    /// When the build begins to look at the tree.
    pub now: SystemTime,
    /// Indexes that compilers made, to take edges from (SCIP).
    pub compilers: &'a [std::path::PathBuf],
    /// Further metadata to store with the collection.
    pub notes: BTreeMap<String, String>,
    /// The remote replica. Each write goes to it before it goes to the local file.
    pub mirror: Option<Mirror<'a>>,
}

/// Where on a server the collection is.
pub struct Mirror<'a> {
    pub backend: &'a dyn Backend,
    pub card: CollectionInfo,
}

/// The settings for code in a repository's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub exclude: Vec<String>,
    pub max_file_size: u64,
    pub bounds: Bounds,
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
    /// A file that was indexed is skipped now because it looks like a secret.
    pub drops_secrets: bool,
    /// The number of skipped files, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Vectors that had to be made, and vectors that were still there.
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
/// Note: the rules by which files were skipped as secrets.
const SECRET_RULES: &str = "secret_rules";
/// Note: the commit that was checked out.
pub const COMMIT: &str = "git_commit";

/// The package facts that indexing code needs.
pub struct Packages<'p> {
    pub homes: PackageHomes,
    /// True if the dependencies between packages may have changed since the last build.
    pub have_changed: bool,
    /// Loads all packages. Called only if names must be resolved.
    pub all: &'p dyn Fn() -> Result<Vec<Package>, StoreError>,
}

/// A build that holds the write lock and waits for the result of the walk.
pub struct BuildSession<'b> {
    build: &'b Build<'b>,
    started: Instant,
    writer: Writer,
    known: PreviousIndex,
    /// True if the known files come from another checkout.
    is_seeded: bool,
    mirrored: Mirrored,
}

/// Takes the write lock before the walk. A plan made while another build runs would undo the work
/// of that build.
pub fn begin<'b>(
    build: &'b Build<'b>,
    progress: &dyn Progress,
) -> Result<BuildSession<'b>, IndexError> {
    let started = Instant::now();
    source::check_directory(build.root)
        .map_err(|source| IndexError::Root { path: build.root.to_path_buf(), source })?;
    let (writer, mut known, is_seeded) = open(build, progress)?;
    let mirrored = Mirrored::open(build, &mut known)?;
    Ok(BuildSession { build, started, writer, known, is_seeded, mirrored })
}

impl BuildSession<'_> {
    pub fn want(&self) -> WalkFilter<'_> {
        want(self.build.rules)
    }

    /// Brings the index up to date with the walk. Files that cannot be read are in the report; they
    /// never stop the rest. A cancelled build keeps its complete batches. A damaged index is
    /// rebuilt.
    pub fn finish(
        self,
        packages: &Packages,
        survey: &Survey,
        progress: &dyn Progress,
    ) -> Result<CodeReport, IndexError> {
        if progress.is_cancelled() {
            return Err(IndexError::Cancelled);
        }
        let BuildSession { build, started, mut writer, mut known, is_seeded, mut mirrored } = self;
        let mut before_rebuild = None;
        loop {
            let homes = &packages.homes;
            let plan = plan::plan(build.rules, homes, survey, &known);
            let run =
                pipeline::Run::new(build, homes, &known, (&mut writer, &mut mirrored), progress);
            let outcome = run.all(plan, notes(build)).and_then(|mut report| {
                resolve(build, &mut writer, packages, &mut report, progress)?;
                Ok(report)
            });
            match outcome {
                // Removed rows stay in the file until something overwrites them; of a secret nothing
                // may stay.
                Ok(report) if report.drops_secrets && !writer.is_rebuild() => {
                    writer = writer.start_over(&settings(build.embedder))?;
                    adopt(build, &mut writer);
                    known = PreviousIndex::default();
                    before_rebuild = Some(report);
                }
                Ok(report) => {
                    mirrored.publish()?;
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
                    tracing::warn!("{error}; indexing anew");
                    writer = writer.start_over(&settings(build.embedder))?;
                    adopt(build, &mut writer);
                    known = PreviousIndex::default();
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Brings the graph up to date, if anything that it rests on may have changed.
fn resolve(
    build: &Build,
    writer: &mut Writer,
    packages: &Packages,
    report: &mut CodeReport,
    progress: &dyn Progress,
) -> Result<(), IndexError> {
    let changed = report.added + report.changed + report.removed;
    let rules = resolution::fingerprint_of_rules(build.compilers);
    if changed == 0 && !packages.have_changed && writer.are_edges_current(&rules)? {
        return Ok(());
    }
    let resolving = Instant::now();
    let around = resolution::ResolveInputs {
        root: build.root,
        packages: &(packages.all)()?,
        compilers: build.compilers,
    };
    report.graph = resolution::resolve(writer, &around, progress)?;
    report.problems.append(&mut report.graph.problems);
    report.graph_duration = resolving.elapsed();
    Ok(())
}

fn notes(build: &Build) -> BTreeMap<String, String> {
    let indexed_at = humantime::format_rfc3339_seconds(build.now).to_string();
    let commit = source::head_commit(build.root).unwrap_or_default();
    let notes = [
        (BUILT_NS, source::nanoseconds(build.now).to_string()),
        (INDEXED_AT, indexed_at),
        (COMMIT, commit),
        (SECRET_RULES, build.rules.secrets.fingerprint()),
    ];
    let mut notes: BTreeMap<String, String> =
        notes.map(|(name, value)| (name.to_string(), value)).into();
    notes.extend(build.notes.clone());
    notes
}

/// Returns the walk filter for code.
pub fn want(rules: &Rules) -> WalkFilter<'_> {
    let (wanted, unless) = kenning_secrets::hidden_names();
    WalkFilter {
        names: None,
        exclude: &rules.exclude,
        pruned: VENDORED,
        // They are skipped, and reported as such.
        hidden: HiddenNames { wanted, unless },
    }
}

/// Opens a writer, and returns it with the known files and true if these come from another
/// checkout. A damaged collection, or one of another make, is rebuilt; the tree holds all of its
/// content.
fn open(
    build: &Build,
    progress: &dyn Progress,
) -> Result<(Writer, PreviousIndex, bool), IndexError> {
    let settings = settings(build.embedder);
    if build.mode == BuildMode::Incremental {
        let opened = Writer::open(build.database, &settings, &INVALIDATION, progress).and_then(
            |mut writer| {
                let is_seeded = writer.is_new()? && start_from_relative(build, &mut writer);
                let known = writer.previous_index()?;
                Ok((writer, known, is_seeded))
            },
        );
        match opened {
            Ok(opened) => return Ok(opened),
            Err(error) if error.is_damage() || error.needs_rebuild() => {
                tracing::warn!("{error}; indexing anew");
            }
            Err(error) => return Err(error.into()),
        }
    }
    let mut writer = Writer::rebuild(build.database, &settings, &INVALIDATION, progress)?;
    adopt(build, &mut writer);
    Ok((writer, PreviousIndex::default(), false))
}

/// Copies embeddings from the existing database, so that an expensive embedder need not make them
/// again. A failure is only logged.
fn adopt(build: &Build, writer: &mut Writer) {
    if !build.embedder.is_local()
        && let Err(error) = writer.adopt_embeddings(build.database)
    {
        tracing::debug!("no embeddings from {}: {error}", build.database.display());
    }
}

/// Another checkout of the same repository has read most of the files already. Says whether there is one.
fn start_from_relative(build: &Build, writer: &mut Writer) -> bool {
    build.relatives.iter().any(|relative| {
        let copied = writer.copy_from(relative);
        if let Err(error) = &copied {
            tracing::debug!("not starting from {}: {error}", relative.display());
        }
        copied.is_ok()
    })
}

pub fn settings(embedder: &dyn Embedder) -> IndexSettings {
    let identity = embedder.identity();
    IndexSettings {
        provider: identity.provider.clone(),
        model: identity.model.clone(),
        dimension: identity.dimension as u32,
        chunker: CHUNKER.to_string(),
        reference_length: REFERENCE_LENGTH,
    }
}
