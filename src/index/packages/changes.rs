//! Which manifests changed since the last build, and what the changed ones say now.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::{Glob, GlobSet, GlobSetBuilder};
use rayon::prelude::*;

use super::before::{Before, Trust};
use super::{Build, Rules};
use crate::extract::manifests::{MANIFESTS, Manifest};
use crate::index::IndexError;
use crate::model::{Problem, Progress, RepoPath};
use crate::source::{self, Contents, FoundFile, Reading};
use crate::store::packages::{ManifestRecord, Stamp};

/// Who reads which file, by its name.
pub struct Claims {
    patterns: Vec<&'static str>,
    readers: Vec<&'static dyn Manifest>,
    matcher: GlobSet,
    custom_patterns: Vec<String>,
    custom: GlobSet,
}

impl Claims {
    pub fn new(rules: &Rules) -> Claims {
        let is_wanted = |pattern: &str| {
            rules.manifests.is_empty() || rules.manifests.iter().any(|name| name == pattern)
        };
        let (mut patterns, mut readers) = (Vec::new(), Vec::new());
        for manifest in MANIFESTS {
            for pattern in manifest.files().iter().filter(|pattern| is_wanted(pattern)) {
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
}

/// Reads what changed, in parallel. A manifest that breaks keeps its last good facts.
pub fn read(
    build: &Build,
    claims: &Claims,
    found: &[FoundFile],
    before: &Before,
    trust: Trust,
    progress: &dyn Progress,
) -> Result<Read, IndexError> {
    let known: HashMap<(&str, &RepoPath), &ManifestRecord> = before
        .manifests
        .iter()
        .map(|record| ((record.kind.as_str(), &record.path), record))
        .collect();
    let claimed: Vec<(&FoundFile, &'static dyn Manifest)> = found
        .iter()
        .filter_map(|file| Some((file, claims.reader(&file.path)?)))
        .collect();
    let (done, total) = (AtomicUsize::new(0), claimed.len());
    let steps: Vec<Option<Step>> = claimed
        .par_iter()
        .map(|(file, manifest)| {
            if progress.is_cancelled() {
                return None;
            }
            let last = known.get(&(manifest.kind(), &file.path)).copied();
            let step = examine(build, file, *manifest, last, trust);
            progress.report(
                "manifests",
                done.fetch_add(1, Ordering::Relaxed) + 1,
                Some(total),
            );
            step
        })
        .collect();
    if progress.is_cancelled() {
        return Err(IndexError::Cancelled);
    }
    let steps: Vec<Step> = steps.into_iter().flatten().collect();
    let parsed = steps.iter().filter(|step| step.is_changed).count();
    let mut manifests: Vec<ManifestRecord> = steps.into_iter().map(|step| step.record).collect();
    manifests.sort_by(|a, b| (&a.kind, &a.path).cmp(&(&b.kind, &b.path)));
    Ok(Read {
        parsed,
        is_same: parsed == 0 && manifests.len() == before.manifests.len(),
        manifests,
    })
}

struct Step {
    record: ManifestRecord,
    is_changed: bool,
}

fn examine(
    build: &Build,
    file: &FoundFile,
    manifest: &dyn Manifest,
    last: Option<&ManifestRecord>,
    trust: Trust,
) -> Option<Step> {
    if let Some(last) = last
        && (last.size, last.modified_ns) == (file.size, file.modified_ns)
        && trust.vouches_for(last)
    {
        return Some(unchanged(last.clone()));
    }
    let mut record = ManifestRecord {
        kind: manifest.kind().to_string(),
        path: file.path.clone(),
        size: file.size,
        modified_ns: file.modified_ns,
        hash: [0; 32],
        facts: last.and_then(|last| last.facts.clone()),
        problems: Vec::new(),
    };
    match source::read_text(build.root, &file.path, build.rules.max_file_size) {
        Reading::Gone => return None,
        Reading::Failed(problem) => record.problems.push(problem),
        Reading::Read(contents) => {
            record.hash = contents.hash;
            if let Some(last) = last
                && last.hash == contents.hash
                && trust.has_current_facts()
            {
                record.problems.clone_from(&last.problems);
                return Some(unchanged(record));
            }
            parse(&mut record, manifest, contents);
        }
    }
    let is_changed = last.is_none_or(|last| {
        (last.hash, &last.facts, &last.problems) != (record.hash, &record.facts, &record.problems)
            || !trust.has_current_facts()
    });
    Some(Step { record, is_changed })
}

fn unchanged(record: ManifestRecord) -> Step {
    Step {
        record,
        is_changed: false,
    }
}

fn parse(record: &mut ManifestRecord, manifest: &dyn Manifest, contents: Contents) {
    let parsed = match contents.text {
        Ok(text) => manifest.parse_erased(&record.path, &text),
        Err(problem) => crate::extract::manifests::Parsed::broken(problem),
    };
    let is_broken = parsed.facts.is_none();
    record.problems = parsed.problems;
    if let Some(facts) = parsed.facts {
        record.facts = Some(facts);
    } else if is_broken && record.facts.is_some() {
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
