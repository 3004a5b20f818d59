//! Building the package database: walk, read only the manifests that changed, link, publish.

mod before;
mod changes;
mod link;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use humantime::format_rfc3339_seconds;

use crate::extract::custom::CustomRule;
use crate::index::{IndexError, Mode};
use crate::model::{Problem, Progress};
use crate::source::{self, FoundFile, Walk};
use crate::store::packages::{Difference, Draft, ManifestRecord, WriteLock};

use before::Before;
use changes::Claims;

pub use changes::{count_changed, is_manifest_name};

/// What a build reads and where it puts the outcome.
pub struct Build<'a> {
    pub root: &'a Path,
    pub database: &'a Path,
    pub rules: &'a Rules,
    pub mode: Mode,
    /// When the build begins to look at the tree.
    pub now: SystemTime,
}

/// What a repository's configuration says of its packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub exclude: Vec<String>,
    /// The manifest file names to read; empty means all that Kenning knows.
    pub manifests: Vec<String>,
    pub custom: Vec<CustomRule>,
    /// Package name → the description that replaces its own.
    pub descriptions: BTreeMap<String, String>,
    pub max_file_size: u64,
}

/// What a build did.
#[derive(Debug)]
pub struct Report {
    pub packages: usize,
    pub difference: Difference,
    /// Manifests whose facts were still good.
    pub unchanged: usize,
    pub parsed: usize,
    pub problems: Vec<Problem>,
    pub duration: Duration,
}

/// Facts of another version of the parsers are read again. Raise it when a parser's facts change.
const FACTS_VERSION: u32 = 1;

/// Brings the database up to date with the tree. Manifests that cannot be read are in the report;
/// they never stop the rest.
pub fn build(build: &Build, progress: &dyn Progress) -> Result<Report, IndexError> {
    let started = Instant::now();
    check_root(build.root)?;
    let commit = source::head_commit(build.root);
    let claims = Claims::new(build.rules);
    let lock = WriteLock::take(build.database, progress)?;
    let walk = Walk {
        root: build.root,
        names: &claims.names(),
        exclude: &build.rules.exclude,
    };
    let (found, walk_problems) = source::find_files(&walk, progress);
    let stamp = stamp(build, &claims, &found);
    let obstacles = digest(&walk_problems);
    let (mut draft, before) = before::open(&lock, build.mode)?;
    let trust = before.trust(&stamp);
    let read = changes::read(build, &claims, &found, &before, trust, progress)?;

    let is_same = read.is_same && before.is_current(&stamp, &obstacles);
    let outcome = if is_same {
        keep(&mut draft, &read.manifests, &before)?
    } else {
        let linked = link::link(build, &read.manifests, &found);
        relink(&mut draft, &read.manifests, linked, walk_problems)?
    };
    if progress.is_cancelled() {
        return Err(IndexError::Cancelled);
    }
    let status = [
        ("indexed_at", format_rfc3339_seconds(build.now).to_string()),
        ("git_commit", commit.unwrap_or_default()),
        ("package_count", outcome.packages.to_string()),
        ("manifest_count", read.manifests.len().to_string()),
        (
            "total_duration_ms",
            started.elapsed().as_millis().to_string(),
        ),
        ("root", build.root.to_string_lossy().into_owned()),
        (before::BUILT_NS, before::nanoseconds(build.now).to_string()),
        (before::STAMP, stamp),
        (before::OBSTACLES, obstacles),
    ];
    draft.put_meta(&status.map(|(key, value)| (key.to_string(), value)).into())?;
    draft.publish()?;
    Ok(Report {
        unchanged: read.manifests.len() - read.parsed,
        parsed: read.parsed,
        duration: started.elapsed(),
        ..outcome
    })
}

fn check_root(root: &Path) -> Result<(), IndexError> {
    source::check_directory(root).map_err(|source| IndexError::Root {
        path: root.to_path_buf(),
        source,
    })
}

/// Nothing that packages come from has changed: only what tells changes cheaply is renewed.
fn keep(
    draft: &mut Draft,
    manifests: &[ManifestRecord],
    before: &Before,
) -> Result<Report, IndexError> {
    if manifests != before.manifests {
        draft.put_manifests(manifests)?;
    }
    Ok(report(
        before.package_count(),
        Difference::default(),
        before.problems.clone(),
    ))
}

fn relink(
    draft: &mut Draft,
    manifests: &[ManifestRecord],
    linked: link::Outcome,
    mut problems: Vec<Problem>,
) -> Result<Report, IndexError> {
    problems.extend(linked.problems);
    problems.extend(
        manifests
            .iter()
            .flat_map(|manifest| manifest.problems.clone()),
    );
    problems.sort();
    problems.dedup();
    draft.put_manifests(manifests)?;
    let difference = draft.put_packages(&linked.packages)?;
    draft.put_problems(&problems)?;
    Ok(report(linked.packages.len(), difference, problems))
}

fn report(packages: usize, difference: Difference, problems: Vec<Problem>) -> Report {
    Report {
        packages,
        difference,
        unchanged: 0,
        parsed: 0,
        problems,
        duration: Duration::ZERO,
    }
}

/// Changes when anything but the manifests' contents would change the outcome.
fn stamp(build: &Build, claims: &Claims, found: &[FoundFile]) -> String {
    let custom = found.iter().filter(|file| claims.is_custom(&file.path));
    let custom: Vec<&str> = custom.map(|file| file.path.as_str()).collect();
    let name = link::root_name(build);
    digest(&(FACTS_VERSION, build.rules, name, custom))
}

fn digest(value: &impl std::fmt::Debug) -> String {
    blake3::hash(format!("{value:?}").as_bytes())
        .to_hex()
        .to_string()
}
