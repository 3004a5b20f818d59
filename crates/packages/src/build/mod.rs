//! Builds the package database: walk, read the manifests that changed, link, publish.
//!
//! A build is incremental by default and gives the same result as a full one. It publishes a whole
//! new state or leaves the old one. A bad manifest is a problem in the report, never an error.

mod assemble_packages;
mod changed_manifests;
mod previous_state;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use humantime::format_rfc3339_seconds;

use crate::BuildError;
use crate::custom_packages::CustomRule;
use crate::database::{Difference, Draft, ManifestRecord, WriteLock};
use kenning_model::BuildMode;
use kenning_model::{Problem, ProblemList, Progress};
use kenning_source::{self as source, FoundFile, Survey, WalkBounds, WalkFilter};

use changed_manifests::ManifestMatcher;
use previous_state::PreviousState;

pub use changed_manifests::{count_stale_manifests, is_manifest_name};

/// The inputs of a build, and the database that it writes.
pub struct PackageBuild<'a> {
    /// The root of the repository.
    pub root: &'a Path,
    pub database: &'a Path,
    pub rules: &'a PackageRules,
    pub mode: BuildMode,
    /// When the build begins to look at the tree.
    pub now: SystemTime,
}

/// The package settings of a repository's configuration.
///
/// Its `Debug` text is part of the stored stamp. A new or renamed field makes the next build read
/// all manifests again, which is what a new setting needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageRules {
    /// The exclusions of the walk, as `WalkFilter::exclude` takes them.
    pub exclude: Vec<String>,
    /// The manifest file names to read; empty means all that Kenning knows.
    pub manifests: Vec<String>,
    pub custom: Vec<CustomRule>,
    /// Package name → the description that replaces its own.
    pub descriptions: BTreeMap<String, String>,
    /// In bytes. A larger manifest is a problem and is not read.
    pub max_file_size: u64,
    pub bounds: WalkBounds,
}

/// The counts, differences and problems of one build.
#[derive(Debug)]
pub struct PackageReport {
    pub packages: usize,
    pub difference: Difference,
    /// Manifests whose facts were still good.
    pub unchanged: usize,
    /// Manifests that were read and differ from the stored ones.
    pub parsed: usize,
    pub problems: Vec<Problem>,
    pub duration: Duration,
}

/// The version of the parsers' facts. Raise it when a parser's facts change: stored facts of
/// another version are parsed again.
const FACTS_VERSION: u32 = 3;

/// Brings the database up to date with the tree. Manifests that cannot be read are in the report;
/// they never stop the rest. This is [`begin_build`], a walk and [`PackageBuildSession::finish`] in
/// one; `ken index` shares its walk with the code index instead.
pub fn build_packages(
    build: &PackageBuild,
    progress: &dyn Progress,
) -> Result<PackageReport, BuildError> {
    let begun = begin_build(build, progress)?;
    let claims = begun.name_patterns();
    let bounds = &build.rules.bounds;
    let survey = source::survey_one(build.root, begun.walk_filter(&claims), bounds, progress)?;
    begun.finish(survey, progress)
}

/// A build that holds the write lock and waits for the result of the walk. Dropping it releases the
/// lock and changes nothing.
pub struct PackageBuildSession<'b> {
    build: &'b PackageBuild<'b>,
    started: Instant,
    claims: ManifestMatcher,
    lock: WriteLock,
}

/// Takes the write lock before the walk. A walk that began before another build ended would undo
/// the result of that build.
pub fn begin_build<'b>(
    build: &'b PackageBuild<'b>,
    progress: &dyn Progress,
) -> Result<PackageBuildSession<'b>, BuildError> {
    let started = Instant::now();
    check_root(build.root)?;
    Ok(PackageBuildSession {
        build,
        started,
        claims: ManifestMatcher::new(build.rules),
        lock: WriteLock::acquire(build.database, progress)?,
    })
}

impl PackageBuildSession<'_> {
    /// Every file name pattern that this build needs.
    pub fn name_patterns(&self) -> Vec<&str> {
        self.claims.name_patterns()
    }

    /// The filter for the walk. `names` is the result of [`PackageBuildSession::name_patterns`],
    /// which the caller keeps alive.
    pub fn walk_filter<'w>(&'w self, names: &'w [&'w str]) -> WalkFilter<'w> {
        WalkFilter {
            names: Some(names),
            exclude: &self.build.rules.exclude,
            ..WalkFilter::EVERYTHING
        }
    }

    /// Reads the manifests that changed, links if needed, and publishes if anything differs.
    ///
    /// Three outcomes, from cheap to dear: nothing to store; only file times to store; new
    /// packages.
    pub fn finish(
        self,
        survey: Survey,
        progress: &dyn Progress,
    ) -> Result<PackageReport, BuildError> {
        let PackageBuildSession { build, started, claims, lock } = &self;
        let (found, walk_problems) = (survey.files, survey.problems);
        let outline = BuildMetadata {
            commit: source::head_commit(build.root).unwrap_or_default(),
            root: build.root.to_string_lossy().into_owned(),
            stamp: compute_stamp(build, claims, &found),
            obstacles: hash_debug_text(&walk_problems),
        };
        let before = previous_state::read_previous_state(lock, build.mode);
        let trust = before.trust(&outline.stamp);
        let read = changed_manifests::read_changed_manifests(
            build, claims, &found, &before, trust, progress,
        )?;
        let counts = (read.manifests.len() - read.parsed, read.parsed);
        let is_same = read.is_same && before.is_current(&outline.stamp, &outline.obstacles);
        // If a manifest was opened, the build stores its new stamp, so that the next build need not
        // open it.
        let is_as_stored = is_same
            && !read.has_opened
            && before.is_readable()
            && before.has_meta("git_commit", &outline.commit)
            && before.has_meta("root", &outline.root);
        let outcome = if is_as_stored {
            report_unchanged(&before)
        } else {
            let mut draft = before.start_draft(lock)?;
            let outcome = if is_same {
                keep_packages(&mut draft, &read.manifests, &before)?
            } else {
                let linked = assemble_packages::link_packages(build, &read.manifests, &found);
                store_linked(&mut draft, &read.manifests, linked, walk_problems)?
            };
            if progress.is_cancelled() {
                return Err(BuildError::Cancelled);
            }
            let counts = (outcome.packages, read.manifests.len());
            draft.put_meta(&outline.into_rows(build.now, started.elapsed(), counts))?;
            draft.publish()?;
            outcome
        };
        Ok(PackageReport {
            unchanged: counts.0,
            parsed: counts.1,
            duration: started.elapsed(),
            ..outcome
        })
    }
}

/// The metadata that a build stores, except times and counts.
struct BuildMetadata {
    commit: String,
    root: String,
    /// See `compute_stamp`.
    stamp: String,
    /// A hash of the problems of the walk. Another set of unreadable directories may hide other
    /// manifests.
    obstacles: String,
}

impl BuildMetadata {
    /// The rows of the table `shire_meta`. Some keys are part of shire's contract and must not
    /// change.
    fn into_rows(
        self,
        now: SystemTime,
        taken: Duration,
        (packages, manifests): (usize, usize),
    ) -> BTreeMap<String, String> {
        let status = [
            ("indexed_at", format_rfc3339_seconds(now).to_string()),
            ("git_commit", self.commit),
            ("package_count", packages.to_string()),
            ("manifest_count", manifests.to_string()),
            ("total_duration_ms", taken.as_millis().to_string()),
            ("root", self.root),
            (previous_state::BUILT_NS, source::nanoseconds(now).to_string()),
            (previous_state::STAMP, self.stamp),
            (previous_state::OBSTACLES, self.obstacles),
        ];
        status.map(|(key, value)| (key.to_string(), value)).into()
    }
}

/// Fails early if the root cannot be read. Otherwise an empty walk would delete every package.
fn check_root(root: &Path) -> Result<(), BuildError> {
    source::check_directory(root)
        .map_err(|source| BuildError::Root { path: root.to_path_buf(), source })
}

/// Keeps the stored packages, because none of their inputs changed. Stores only manifest records
/// that differ, such as new file times.
fn keep_packages(
    draft: &mut Draft,
    manifests: &[ManifestRecord],
    before: &PreviousState,
) -> Result<PackageReport, BuildError> {
    if manifests != before.manifests {
        draft.put_manifests(manifests)?;
    }
    Ok(report_unchanged(before))
}

/// The report of a build that found the stored packages still valid.
fn report_unchanged(before: &PreviousState) -> PackageReport {
    new_report(before.package_count(), Difference::default(), before.problems.clone())
}

/// Writes newly linked packages, with the problems of the walk, of linking and of all manifests.
fn store_linked(
    draft: &mut Draft,
    manifests: &[ManifestRecord],
    linked: assemble_packages::LinkedPackages,
    of_walk: Vec<Problem>,
) -> Result<PackageReport, BuildError> {
    let mut all_problems = ProblemList::default();
    all_problems.extend(of_walk.into_iter().chain(linked.problems));
    all_problems.extend(manifests.iter().flat_map(|manifest| manifest.problems.clone()));
    let mut problems = all_problems.into_problems();
    problems.dedup();
    draft.put_manifests(manifests)?;
    let difference = draft.put_packages(&linked.packages)?;
    draft.put_problems(&problems)?;
    Ok(new_report(linked.packages.len(), difference, problems))
}

/// A report without counts of manifests and duration, which `finish` fills in.
fn new_report(packages: usize, difference: Difference, problems: Vec<Problem>) -> PackageReport {
    PackageReport {
        packages,
        difference,
        unchanged: 0,
        parsed: 0,
        problems,
        duration: Duration::ZERO,
    }
}

/// Hashes everything but the manifests' contents that decides the outcome: the parsers' version,
/// the rules, the root's name, and the files of custom rules.
fn compute_stamp(build: &PackageBuild, claims: &ManifestMatcher, found: &[FoundFile]) -> String {
    let custom: Vec<&str> = found
        .iter()
        .filter(|file| claims.is_custom(&file.path))
        .map(|file| file.path.as_str())
        .collect();
    let name = assemble_packages::root_name(build);
    hash_debug_text(&(FACTS_VERSION, build.rules, name, custom))
}

/// Hashes the `Debug` text of a value. Names of types and fields count, so a rename in the code
/// causes one full build; that is harmless.
fn hash_debug_text(value: &impl std::fmt::Debug) -> String {
    blake3::hash(format!("{value:?}").as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests;
