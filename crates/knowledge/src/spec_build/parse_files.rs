//! Reads and parses every spec and every change of a repository.
//!
//! A file that cannot be read, is too large, or looks like a secret is reported and skipped. It
//! never stops the others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rayon::prelude::*;

use super::layout::{FoundSpec, SpecLayout, find_deltas};
use crate::docs::{parse_document, parse_spec, parse_tasks, skips_specs};
use kenning_model::{Change, Delta, Problem, RepoPath, Spec};
use kenning_secrets::SecretRules;
use kenning_source::{ReadOutcome, read_text};

/// The limits within which files are read.
#[derive(Clone, Debug, Default)]
pub struct ReadRules {
    /// The size limit of a file, in bytes.
    pub max_bytes: u64,
    /// The rules by which a file's content counts as a secret.
    pub secrets: SecretRules,
}

/// All specs, in the order in which the layout found them, which is by id.
#[derive(Clone, Debug, Default)]
pub struct SpecTree {
    pub specs: Vec<StampedSpec>,
    pub problems: Vec<Problem>,
}

/// A parsed spec with the hash and the text of its file.
#[derive(Clone, Debug)]
pub struct StampedSpec {
    pub spec: Spec,
    /// BLAKE3 of the file's bytes. It shows if the file changed since an index was built.
    pub hash: [u8; 32],
    /// The file as it was written.
    pub text: String,
}

/// All changes, by id.
#[derive(Clone, Debug, Default)]
pub struct ChangeTree {
    pub changes: Vec<Change>,
    pub problems: Vec<Problem>,
}

/// Finds and parses all specs. Problems of the search come before problems of single files.
pub fn parse_all_specs(root: &Path, layout: &SpecLayout, rules: &ReadRules) -> SpecTree {
    let (found, problems) = layout.find_specs(root);
    let mut tree = parse_specs(root, &found, rules);
    tree.problems.splice(0..0, problems);
    tree
}

/// Parses the given specs, in parallel. The order of the result is that of `found`, on any number
/// of threads.
pub fn parse_specs(root: &Path, found: &[FoundSpec], rules: &ReadRules) -> SpecTree {
    let read: Vec<(Option<StampedSpec>, Vec<Problem>)> = found
        .par_iter()
        .map(|found| {
            let mut failed = Vec::new();
            let spec = read_checked_text(root, &found.path, rules, &mut failed).and_then(
                |(text, hash)| {
                    let (spec, mut problems) = or_problem(&found.path, &mut failed, || {
                        parse_spec(&found.id, &found.path, &text)
                    })?;
                    failed.append(&mut problems);
                    Some(StampedSpec { spec, hash, text })
                },
            );
            (spec, failed)
        })
        .collect();
    let mut tree = SpecTree::default();
    for (spec, mut failed) in read {
        tree.specs.extend(spec);
        tree.problems.append(&mut failed);
    }
    tree
}

/// Runs a parser over the files at `path`. Parsing should not panic; if it does, that is a problem
/// of these files, and the others are still read.
fn or_problem<T>(
    path: &RepoPath,
    problems: &mut Vec<Problem>,
    parse: impl FnOnce() -> T,
) -> Option<T> {
    let parsed = catch_unwind(AssertUnwindSafe(parse)).ok();
    if parsed.is_none() {
        problems.push(Problem::new(path, "reading it failed; this is a mistake in Kenning"));
    }
    parsed
}

/// Finds and parses all changes that are not archived.
pub fn parse_all_changes(root: &Path, layout: &SpecLayout, rules: &ReadRules) -> ChangeTree {
    let (found, mut problems) = layout.find_changes(root);
    let mut changes = Vec::new();
    for (found, files) in &found {
        let mut unread = Vec::new();
        let mut read = |path: &RepoPath| Some(read_checked_text(root, path, rules, &mut unread)?.0);
        let parse = || parse_change(found, files, &mut read);
        let parsed = or_problem(&found.path, &mut problems, parse);
        problems.append(&mut unread);
        if let Some((change, mut mistakes)) = parsed {
            changes.push(change);
            problems.append(&mut mistakes);
        }
    }
    ChangeTree { changes, problems }
}

/// Parses one change from its files. `read` returns the text of a file, or records why there is
/// none.
fn parse_change(
    found: &FoundSpec,
    files: &[RepoPath],
    read: &mut dyn FnMut(&RepoPath) -> Option<String>,
) -> (Change, Vec<Problem>) {
    // Only files that the listing found are read, so that a link or a device of that name is never
    // opened.
    let mut text = |name: &str| {
        let path = found.path.join(name).filter(|path| files.contains(path))?;
        let text = read(&path)?;
        Some((path, text))
    };
    let mut change = Change {
        id: found.id.clone(),
        path: found.path.clone(),
        title: found.id.clone(),
        ..Change::default()
    };
    if let Some((path, text)) = text("tasks.md") {
        (change.tasks, change.task_notes) = parse_tasks(&text);
        change.tasks_file = Some(parse_document(&path, &text));
    }
    change.design = text("design.md").map(|(path, text)| parse_document(&path, &text));
    change.proposal = text("proposal.md").map(|(path, text)| parse_document(&path, &text));
    let title = change.proposal.as_ref().and_then(|file| file.title.clone());
    if let Some(title) = title {
        change.title = strip_title_label(&title).to_string();
    }
    let card = text(".openspec.yaml");
    change.skips_specs = card.is_some_and(|(_, text)| skips_specs(&text));
    let mut problems = Vec::new();
    for delta in find_deltas(&found.path, files) {
        if let Some(text) = read(&delta.path) {
            let (spec, mut mistakes) = parse_spec(&delta.id, &delta.path, &text);
            problems.append(&mut mistakes);
            change.deltas.push(Delta { capability: delta.id, spec, text });
        }
    }
    (change, problems)
}

/// Strips the label of a proposal's title: `Change: Add a cache` is about `Add a cache`.
fn strip_title_label(title: &str) -> &str {
    let words = ["change:", "proposal:", "change proposal:"];
    let prefix = words.iter().find(|word| {
        let head = title.get(..word.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(word))
    });
    let rest = title[prefix.map_or(0, |word| word.len())..].trim();
    if rest.is_empty() { title } else { rest }
}

/// Reads a file unless its content looks like a secret. Returns the text and the BLAKE3 hash of the
/// bytes; reports every failure but a file that has vanished.
fn read_checked_text(
    root: &Path,
    path: &RepoPath,
    rules: &ReadRules,
    problems: &mut Vec<Problem>,
) -> Option<(String, [u8; 32])> {
    let problem = match read_text(root, path, rules.max_bytes) {
        ReadOutcome::Gone => return None,
        ReadOutcome::Failed(problem) => problem,
        ReadOutcome::Read(contents) => match contents.text {
            Ok(text) => match rules.secrets.by_content(path, &text) {
                None => return Some((text, contents.hash)),
                Some(secret) => Problem::new(path, format!("{secret}; it is not read")),
            },
            Err(problem) => problem,
        },
    };
    problems.push(problem);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_their_label_only() {
        for (title, expected) in [
            ("Change: Add a cache", "Add a cache"),
            ("PROPOSAL:  x", "x"),
            ("Changeling", "Changeling"),
            ("Change:", "Change:"),
            ("ändern", "ändern"),
        ] {
            assert_eq!(strip_title_label(title), expected);
        }
    }
}
