//! Finds the manifests that changed since the last build, and reads only those.
//!
//! A manifest is unchanged if its size and time are, and the time is old enough to be trusted. Else
//! it is read and hashed; equal content keeps its stored facts. Linking is not done here.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::{Glob, GlobSet, GlobSetBuilder};
use rayon::prelude::*;

use super::previous_state::{PreviousState, RecordTrust};
use super::{PackageBuild, PackageRules};
use crate::BuildError;
use crate::database::{ManifestRecord, ManifestStamp};
use crate::manifests::{MANIFESTS, Manifest};
use kenning_model::{Problem, Progress, RepoPath, redact};
use kenning_secrets::mask_tokens;
use kenning_source::{self as source, Contents, FoundFile, ReadOutcome};

/// Maps file names to the ecosystems that read them, and knows the file names that custom rules
/// require.
pub struct ManifestMatcher {
    /// All patterns of the wanted ecosystems; `readers` is parallel to it.
    patterns: Vec<&'static str>,
    readers: Vec<&'static dyn Manifest>,
    matcher: GlobSet,
    custom_patterns: Vec<String>,
    /// Matches `custom_patterns`.
    custom: GlobSet,
}

impl ManifestMatcher {
    /// Compiles the patterns that the rules ask for.
    pub fn new(rules: &PackageRules) -> ManifestMatcher {
        let (mut patterns, mut readers) = (Vec::new(), Vec::new());
        for manifest in MANIFESTS.iter().filter(|manifest| is_wanted(**manifest, rules)) {
            for pattern in manifest.files() {
                patterns.push(*pattern);
                readers.push(*manifest);
            }
        }
        let custom = rules.custom.iter().flat_map(|rule| rule.requires.clone());
        let custom_patterns: Vec<String> = custom.collect();
        ManifestMatcher {
            matcher: build_glob_set(patterns.iter().copied()),
            custom: build_glob_set(custom_patterns.iter().map(String::as_str)),
            patterns,
            readers,
            custom_patterns,
        }
    }

    /// Every file name pattern that a build needs. The walk returns only files that match one.
    pub fn name_patterns(&self) -> Vec<&str> {
        let custom = self.custom_patterns.iter().map(String::as_str);
        self.patterns.iter().copied().chain(custom).collect()
    }

    /// True if a custom rule requires files of this name.
    pub fn is_custom(&self, path: &RepoPath) -> bool {
        self.custom.is_match(path.file_name())
    }

    /// The ecosystem that reads a file. If several patterns match, the first in registry order
    /// wins.
    fn find_reader(&self, path: &RepoPath) -> Option<&'static dyn Manifest> {
        let first = self.matcher.matches(path.file_name()).first().copied()?;
        Some(self.readers[first])
    }
}

/// True if the rules select this ecosystem. A listed file name selects the whole ecosystem:
/// `package.json` without `pnpm-workspace.yaml` would link wrongly.
fn is_wanted(manifest: &dyn Manifest, rules: &PackageRules) -> bool {
    let mut listed = rules.manifests.iter();
    rules.manifests.is_empty() || listed.any(|name| is_read_by(manifest, name))
}

/// True if some ecosystem reads files of that name.
pub fn is_manifest_name(name: &str) -> bool {
    static ALL: LazyLock<GlobSet> = LazyLock::new(|| {
        let files = MANIFESTS.iter().flat_map(|manifest| manifest.files());
        build_glob_set(files.copied())
    });
    ALL.is_match(name)
}

/// True if an ecosystem reads files of a name. The name may also be one of its patterns, such as
/// `*.csproj`.
fn is_read_by(manifest: &dyn Manifest, name: &str) -> bool {
    let files = build_glob_set(manifest.files().iter().copied());
    files.is_match(name) || manifest.files().contains(&name)
}

/// Compiles patterns. Invalid ones are skipped, because the walk gets the same list and reports
/// them.
fn build_glob_set<'a>(patterns: impl Iterator<Item = &'a str>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = Glob::new(pattern) {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

/// The state of all manifests after the scan.
pub struct ManifestScan {
    /// Sorted by kind and path.
    pub manifests: Vec<ManifestRecord>,
    /// The number of manifests whose facts or problems are new.
    pub parsed: usize,
    /// True if no manifest was added or removed, and none changed.
    pub is_same: bool,
    /// True if any manifest was read, changed or not. Then its new time has to be stored.
    pub has_opened: bool,
}

/// Checks all manifests in parallel, and reads those that may have changed. A manifest that no
/// longer parses keeps its last good facts.
pub fn read_changed_manifests(
    build: &PackageBuild,
    claims: &ManifestMatcher,
    found: &[FoundFile],
    before: &PreviousState,
    trust: RecordTrust,
    progress: &dyn Progress,
) -> Result<ManifestScan, BuildError> {
    let known: HashMap<(&str, &RepoPath), &ManifestRecord> = before
        .manifests
        .iter()
        .map(|record| ((record.kind.as_str(), &record.path), record))
        .collect();
    let claimed: Vec<(&FoundFile, &'static dyn Manifest)> =
        found.iter().filter_map(|file| Some((file, claims.find_reader(&file.path)?))).collect();
    let (done, total) = (AtomicUsize::new(0), claimed.len());
    let checked: Vec<Option<ManifestCheck>> = claimed
        .par_iter()
        .map(|(file, manifest)| {
            if progress.is_cancelled() {
                return None;
            }
            let last = known.get(&(manifest.kind(), &file.path)).copied();
            let step = check_manifest(build, file, *manifest, last, trust);
            progress.report("manifests", done.fetch_add(1, Ordering::Relaxed) + 1, Some(total));
            step
        })
        .collect();
    if progress.is_cancelled() {
        return Err(BuildError::Cancelled);
    }
    let steps: Vec<ManifestCheck> = checked.into_iter().flatten().collect();
    let parsed = steps.iter().filter(|step| step.is_changed).count();
    let has_opened = steps.iter().any(|step| step.is_opened);
    let mut manifests: Vec<ManifestRecord> = steps.into_iter().map(|step| step.record).collect();
    // Workers finish in any order; sorted, two runs store the same rows.
    manifests.sort_by(|a, b| (&a.kind, &a.path).cmp(&(&b.kind, &b.path)));
    Ok(ManifestScan {
        parsed,
        is_same: parsed == 0 && manifests.len() == before.manifests.len(),
        has_opened,
        manifests,
    })
}

/// A modification time that no file has.
const NEVER: i64 = i64::MIN;

/// The outcome for one manifest.
struct ManifestCheck {
    record: ManifestRecord,
    /// True if linking may give another result because of it.
    is_changed: bool,
    /// True if its content was read.
    is_opened: bool,
}

/// Returns the record of one manifest, from the last build if it still holds. `None` if the file
/// has vanished since the walk.
fn check_manifest(
    build: &PackageBuild,
    file: &FoundFile,
    manifest: &dyn Manifest,
    last: Option<&ManifestRecord>,
    trust: RecordTrust,
) -> Option<ManifestCheck> {
    if let Some(last) = last
        && (last.size, last.modified_ns) == (file.size, file.modified_ns)
        && trust.proves_unchanged(last)
    {
        return Some(ManifestCheck { record: last.clone(), is_changed: false, is_opened: false });
    }
    let mut record = start_record(file, manifest, last);
    let mut is_opened = true;
    match source::read_text(build.root, &file.path, build.rules.max_file_size) {
        ReadOutcome::Gone => return None,
        ReadOutcome::Failed(problem) => {
            // The time `NEVER` makes every build try again to read a file that failed.
            record.modified_ns = NEVER;
            is_opened = false;
            record.problems.push(problem);
            note_kept_facts(&mut record);
        }
        ReadOutcome::Read(contents) => {
            record.hash = contents.hash;
            if let Some(last) = last
                && last.hash == contents.hash
                && trust.has_current_facts()
            {
                record.problems.clone_from(&last.problems);
                return Some(ManifestCheck { record, is_changed: false, is_opened: true });
            }
            parse_contents(&mut record, manifest, contents);
        }
    }
    let is_changed = last.is_none_or(|last| {
        (last.hash, &last.facts, &last.problems) != (record.hash, &record.facts, &record.problems)
            || !trust.has_current_facts()
    });
    Some(ManifestCheck { record, is_changed, is_opened })
}

/// Starts the record of a manifest before it is read. It takes over the last build's facts, if any,
/// in case the file does not parse.
fn start_record(
    file: &FoundFile,
    manifest: &dyn Manifest,
    last: Option<&ManifestRecord>,
) -> ManifestRecord {
    ManifestRecord {
        kind: manifest.kind().to_string(),
        path: file.path.clone(),
        size: file.size,
        modified_ns: file.modified_ns,
        hash: [0; 32],
        facts: last.and_then(|last| last.facts.clone()),
        problems: Vec::new(),
    }
}

/// Parses a manifest into its record. Secrets are masked first, because facts are stored and shown.
fn parse_contents(record: &mut ManifestRecord, manifest: &dyn Manifest, contents: Contents) {
    let parsed = match contents.text {
        // A registry or repository URL may contain a password, and any text a token.
        Ok(text) => {
            let masked = mask_tokens(&text);
            let text = redact::strip_credentials(&masked);
            // Parsing should not panic. If it does, the other manifests are still read.
            let parse = || manifest.parse_erased(&record.path, &text);
            catch_unwind(AssertUnwindSafe(parse)).unwrap_or_else(|_| {
                let message = "reading it failed; this is a mistake in Kenning";
                crate::manifests::ParsedManifest::from_problem(Problem::new(&record.path, message))
            })
        }
        Err(problem) => crate::manifests::ParsedManifest::from_problem(problem),
    };
    record.problems = parsed.problems;
    match parsed.facts {
        Some(facts) => record.facts = Some(facts),
        None => note_kept_facts(record),
    }
}

/// Adds a problem that says that old facts are in use, if there are any.
fn note_kept_facts(record: &mut ManifestRecord) {
    if record.facts.is_some() {
        let note = "its last good state is kept until it can be read again";
        record.problems.push(Problem::new(&record.path, note));
    }
}

/// Counts the manifests that are gone, or whose size or time differs from what a build recorded.
///
/// It costs one `stat` for each, on all cores, and opens nothing, so any answer can report how
/// fresh it is. New manifests are not counted.
pub fn count_stale_manifests(root: &Path, stamps: &[ManifestStamp]) -> usize {
    let is_changed = |stamp: &&ManifestStamp| {
        source::stat(root, &stamp.path)
            .is_none_or(|file| (file.size, file.modified_ns) != (stamp.size, stamp.modified_ns))
    };
    stamps.par_iter().filter(is_changed).count()
}
