//! Finds the hidden files that a consumer wants by name. A walk skips hidden files, so these are
//! looked up in the directories that it entered. Ignore rules apply to them as to others.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::walk::{self, FoundFile, PerConsumer};
use super::walk_filter::{ConsumerSet, SharedFilter};
use kenning_model::{Problem, Progress, RepoPath};

/// Returns the hidden files that a consumer wants and that are not in `found`, which is sorted by
/// path.
pub fn find_hidden(
    root: &Path,
    wants: &SharedFilter,
    found: &PerConsumer<FoundFile>,
    progress: &dyn Progress,
) -> (PerConsumer<FoundFile>, PerConsumer<Problem>) {
    let directories = wants.directories_with_hidden();
    let is_found = |path: &Path| {
        let path = path.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default();
        found.binary_search_by(|(file, _)| file.path.as_str().cmp(path)).is_ok()
    };
    let listed = directories.par_iter().flat_map_iter(|directory| list_hidden(root, directory));
    let candidates: HashSet<PathBuf> = listed
        .filter(|path| wants.consumers_of_hidden(path) != ConsumerSet::NOBODY && !is_found(path))
        .collect();
    if candidates.is_empty() || progress.is_cancelled() {
        return Default::default();
    }
    let above: HashSet<PathBuf> = candidates
        .iter()
        .flat_map(|path| path.ancestors().skip(1))
        .map(Path::to_path_buf)
        .collect();
    let mut builder = walk::walk_builder(root);
    builder.hidden(false).filter_entry(move |entry| match entry.file_type() {
        Some(kind) if kind.is_dir() => entry.depth() == 0 || above.contains(entry.path()),
        _ => candidates.contains(entry.path()),
    });
    let (mut files, problems) = walk::run_walk(root, &builder, wants, progress);
    for (file, mask) in &mut files {
        *mask = wants.consumers_of_hidden(&root.join(file.path.as_str()));
    }
    (files, problems)
}

/// Returns the hidden regular files of a directory.
fn list_hidden(root: &Path, directory: &RepoPath) -> Vec<PathBuf> {
    // A directory that cannot be listed is a problem of the walk.
    let entries = std::fs::read_dir(root.join(directory.as_str())).into_iter().flatten().flatten();
    let is_hidden = |entry: &std::fs::DirEntry| {
        entry.file_name().as_encoded_bytes().starts_with(b".")
            && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    entries.filter(is_hidden).map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{HiddenNames, WalkBounds, WalkFilter, survey};
    use kenning_model::Silent;

    #[test]
    fn hidden_files_are_found_by_name_where_they_are_not_ignored() {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".gitignore", "ignored/.env\n!.env.shown\n!.kept\n"),
            (".env", ""),
            (".env.sample", ""),
            (".env.shown", ""),
            (".kept", ""),
            (".other", ""),
            ("a/b/.ENV", ""),
            ("a/b/c.rs", ""),
            ("ignored/.env", ""),
            ("ignored/d.rs", ""),
            ("left-out/.env", ""),
            (".hidden/.env", ""),
        ] {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let exclude = ["left-out".to_string()];
        let hidden = HiddenNames { wanted: &[".env", ".env.*"], unless: &["*.sample"] };
        let wants = [
            WalkFilter { exclude: &exclude, hidden, ..WalkFilter::EVERYTHING },
            WalkFilter { exclude: &exclude, ..WalkFilter::EVERYTHING },
        ];
        let surveys = survey(directory.path(), wants, &WalkBounds::default(), &Silent).unwrap();
        let paths = surveys.map(|survey| {
            let paths = survey.files.iter().map(|file| file.path.to_string());
            paths.collect::<Vec<_>>()
        });
        // `!.kept` does not show what is hidden.
        let others = ["a/b/c.rs", "ignored/d.rs"];
        assert_eq!(paths[1], others);
        let with_hidden = [".env", ".env.shown", "a/b/.ENV", "a/b/c.rs", "ignored/d.rs"];
        assert_eq!(paths[0], with_hidden);
    }
}
