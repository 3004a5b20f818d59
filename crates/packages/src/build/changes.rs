//! Finds the manifests that changed since the last build, and reads them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::{Glob, GlobSet, GlobSetBuilder};
use rayon::prelude::*;

use super::previous_state::{Before, Trust};
use super::{PackageBuild, Rules};
use crate::BuildError;
use crate::database::{ManifestRecord, Stamp};
use crate::manifests::{MANIFESTS, Manifest};
use kenning_model::{Problem, Progress, RepoPath, redact};
use kenning_secrets::mask_tokens;
use kenning_source::{self as source, Contents, FoundFile, ReadOutcome};

/// The manifest reader of each file name pattern, and the patterns of custom rules.
pub struct Claims {
    patterns: Vec<&'static str>,
    readers: Vec<&'static dyn Manifest>,
    matcher: GlobSet,
    custom_patterns: Vec<String>,
    custom: GlobSet,
}

impl Claims {
    pub fn new(rules: &Rules) -> Claims {
        let (mut patterns, mut readers) = (Vec::new(), Vec::new());
        for manifest in MANIFESTS.iter().filter(|manifest| is_wanted(**manifest, rules)) {
            for pattern in manifest.files() {
                patterns.push(*pattern);
                readers.push(*manifest);
            }
        }
        let custom = rules.custom.iter().flat_map(|rule| rule.requires.clone());
        let custom_patterns: Vec<String> = custom.collect();
        Claims {
            matcher: globs(patterns.iter().copied()),
            custom: globs(custom_patterns.iter().map(String::as_str)),
            patterns,
            readers,
            custom_patterns,
        }
    }

    /// Every file name that a build wants to see.
    pub fn names(&self) -> Vec<&str> {
        let custom = self.custom_patterns.iter().map(String::as_str);
        self.patterns.iter().copied().chain(custom).collect()
    }

    pub fn is_custom(&self, path: &RepoPath) -> bool {
        self.custom.is_match(path.file_name())
    }

    fn reader(&self, path: &RepoPath) -> Option<&'static dyn Manifest> {
        let first = self.matcher.matches(path.file_name()).first().copied()?;
        Some(self.readers[first])
    }
}

/// A listed file name stands for its whole ecosystem: `package.json` without
/// `pnpm-workspace.yaml` would be half the truth.
fn is_wanted(manifest: &dyn Manifest, rules: &Rules) -> bool {
    let mut listed = rules.manifests.iter();
    rules.manifests.is_empty() || listed.any(|name| is_read_by(manifest, name))
}

/// True if some ecosystem reads files of that name.
pub fn is_manifest_name(name: &str) -> bool {
    static ALL: LazyLock<GlobSet> = LazyLock::new(|| {
        let files = MANIFESTS.iter().flat_map(|manifest| manifest.files());
        globs(files.copied())
    });
    ALL.is_match(name)
}

fn is_read_by(manifest: &dyn Manifest, name: &str) -> bool {
    let files = globs(manifest.files().iter().copied());
    files.is_match(name) || manifest.files().contains(&name)
}

/// A pattern that is not a glob is reported by the walk, which sees the same list.
fn globs<'a>(patterns: impl Iterator<Item = &'a str>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = Glob::new(pattern) {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

/// All manifests as they are now.
pub struct Read {
    pub manifests: Vec<ManifestRecord>,
    pub parsed: usize,
    /// No manifest came, went, or says something else.
    pub is_same: bool,
    /// True if any was read, changed or not.
    pub has_opened: bool,
}

/// Reads what changed, in parallel. A manifest that breaks keeps its last good facts.
pub fn read(
    build: &PackageBuild,
    claims: &Claims,
    found: &[FoundFile],
    before: &Before,
    trust: Trust,
    progress: &dyn Progress,
) -> Result<Read, BuildError> {
    let known: HashMap<(&str, &RepoPath), &ManifestRecord> = before
        .manifests
        .iter()
        .map(|record| ((record.kind.as_str(), &record.path), record))
        .collect();
    let claimed: Vec<(&FoundFile, &'static dyn Manifest)> =
        found.iter().filter_map(|file| Some((file, claims.reader(&file.path)?))).collect();
    let (done, total) = (AtomicUsize::new(0), claimed.len());
    let steps: Vec<Option<ManifestCheck>> = claimed
        .par_iter()
        .map(|(file, manifest)| {
            if progress.is_cancelled() {
                return None;
            }
            let last = known.get(&(manifest.kind(), &file.path)).copied();
            let step = examine(build, file, *manifest, last, trust);
            progress.report("manifests", done.fetch_add(1, Ordering::Relaxed) + 1, Some(total));
            step
        })
        .collect();
    if progress.is_cancelled() {
        return Err(BuildError::Cancelled);
    }
    let steps: Vec<ManifestCheck> = steps.into_iter().flatten().collect();
    let parsed = steps.iter().filter(|step| step.is_changed).count();
    let has_opened = steps.iter().any(|step| step.is_opened);
    let mut manifests: Vec<ManifestRecord> = steps.into_iter().map(|step| step.record).collect();
    manifests.sort_by(|a, b| (&a.kind, &a.path).cmp(&(&b.kind, &b.path)));
    Ok(Read {
        parsed,
        is_same: parsed == 0 && manifests.len() == before.manifests.len(),
        has_opened,
        manifests,
    })
}

/// No file was ever changed then.
const NEVER: i64 = i64::MIN;

struct ManifestCheck {
    record: ManifestRecord,
    is_changed: bool,
    is_opened: bool,
}

fn examine(
    build: &PackageBuild,
    file: &FoundFile,
    manifest: &dyn Manifest,
    last: Option<&ManifestRecord>,
    trust: Trust,
) -> Option<ManifestCheck> {
    if let Some(last) = last
        && (last.size, last.modified_ns) == (file.size, file.modified_ns)
        && trust.vouches_for(last)
    {
        return Some(ManifestCheck { record: last.clone(), is_changed: false, is_opened: false });
    }
    let mut record = begun(file, manifest, last);
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
            parse(&mut record, manifest, contents);
        }
    }
    let is_changed = last.is_none_or(|last| {
        (last.hash, &last.facts, &last.problems) != (record.hash, &record.facts, &record.problems)
            || !trust.has_current_facts()
    });
    Some(ManifestCheck { record, is_changed, is_opened })
}

/// Starts the record of a manifest before it is read. It keeps the last build's facts, if any.
fn begun(
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

fn parse(record: &mut ManifestRecord, manifest: &dyn Manifest, contents: Contents) {
    let parsed = match contents.text {
        // The address of a registry or of a repository may hold a password, and any text a token.
        Ok(text) => {
            let text = mask_tokens(&text);
            manifest.parse_erased(&record.path, &redact::strip_credentials(&text))
        }
        Err(problem) => crate::manifests::Parsed::broken(problem),
    };
    record.problems = parsed.problems;
    match parsed.facts {
        Some(facts) => record.facts = Some(facts),
        None => note_kept_facts(record),
    }
}

/// For a manifest that said something once and cannot be understood now.
fn note_kept_facts(record: &mut ManifestRecord) {
    if record.facts.is_some() {
        let note = "its last good state is kept until it can be read again";
        record.problems.push(Problem::new(&record.path, note));
    }
}

/// How many manifests differ by size or time from what a build recorded, or are gone. Costs one
/// look-up each, on all cores, and opens nothing, so that any answer can say how fresh it is.
pub fn count_changed(root: &Path, stamps: &[Stamp]) -> usize {
    let is_changed = |stamp: &&Stamp| {
        source::stat(root, &stamp.path)
            .is_none_or(|file| (file.size, file.modified_ns) != (stamp.size, stamp.modified_ns))
    };
    stamps.par_iter().filter(is_changed).count()
}
