//! Detects files that differ from the last commit only because a git filter (`filter=lfs`) was not
//! run. Filters are programs that a repository chooses, so they are never run, and git then
//! compares such a file with content that was never meant to equal it.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

use super::git_command::IsolatedGit;
use super::git_diff::Difference;
use super::git_index;
use super::git_repository::{self, Checkout};
use kenning_model::RepoPath;

/// Returns the files among `differences` that nobody edited; `None` if git fails.
///
/// Git's index has the size of each file when git last looked. If the file still has that size
/// while the stored content has another, a filter rewrites it, and it counts as unchanged. If both
/// sizes are equal, the filter changes nothing and the difference is real. Times do not help: a
/// copied checkout has new ones. An edit that keeps the size of a rewritten file is missed.
pub(super) fn find_unchanged(
    git: &IsolatedGit,
    checkout: &Checkout,
    directory: &Path,
    differences: &[Difference],
) -> Option<HashSet<RepoPath>> {
    let filtered = list_filtered(git, differences)?;
    if filtered.is_empty() {
        return Some(HashSet::new());
    }
    let recorded = recorded_sizes(checkout, directory, &filtered);
    let candidates: Vec<(&Difference, u32)> = filtered
        .into_iter()
        .filter_map(|difference| {
            let path = difference.file.path.as_str();
            // A size of 0 is git's mark for a file that it could not be sure of.
            let size = recorded.get(path).copied().filter(|size| *size > 0)?;
            let metadata = directory.join(path).symlink_metadata().ok()?;
            (metadata.len() as u32 == size).then_some((difference, size))
        })
        .collect();
    let ids = candidates.iter().map(|(difference, _)| format!("{}\n", difference.committed_id));
    let output =
        git.run(&["cat-file", "--batch-check=%(objectsize)"], ids.collect::<String>().as_bytes())?;
    let sizes = String::from_utf8(output).ok()?;
    let rewritten = candidates.iter().zip(sizes.lines()).filter(|((_, recorded), stored)| {
        stored.parse::<u64>().is_ok_and(|stored| stored as u32 != *recorded)
    });
    Some(rewritten.map(|((difference, _), _)| difference.file.path.clone()).collect())
}

/// Returns the files for which an attribute names a filter.
fn list_filtered<'d>(
    git: &IsolatedGit,
    differences: &'d [Difference],
) -> Option<Vec<&'d Difference>> {
    if differences.is_empty() {
        return Some(Vec::new());
    }
    let paths: String =
        differences.iter().map(|difference| format!("{}\0", difference.file.path)).collect();
    let output = git.run(&["check-attr", "--stdin", "-z", "filter"], paths.as_bytes())?;
    let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
    let named: HashSet<&[u8]> = fields
        .chunks_exact(3)
        .filter(|field| !matches!(field[2], b"unspecified" | b"unset" | b"set"))
        .map(|field| field[0])
        .collect();
    let is_named =
        |difference: &&Difference| named.contains(difference.file.path.as_str().as_bytes());
    Some(differences.iter().filter(is_named).collect())
}

/// Returns the sizes in git's index of files with nothing staged, by path below `directory`.
fn recorded_sizes<'d>(
    checkout: &Checkout,
    directory: &Path,
    filtered: &[&'d Difference],
) -> HashMap<&'d str, u32> {
    let mut sizes = HashMap::new();
    let below = directory.strip_prefix(&checkout.top).map(Path::as_os_str);
    let prefix = match below.map(OsStr::to_str) {
        Ok(Some("")) => String::new(),
        Ok(Some(below)) => format!("{}/", below.replace('\\', "/")),
        _ => return sizes,
    };
    let Some(index) = git_repository::read_file(&checkout.git_dir.join("index")) else {
        return sizes;
    };
    let by_path: HashMap<&str, &Difference> =
        filtered.iter().map(|difference| (difference.file.path.as_str(), *difference)).collect();
    let id_length = filtered.first().map_or(0, |difference| difference.committed_id.len() / 2);
    git_index::for_each_entry(&index, id_length, |entry| {
        let path = entry
            .path
            .strip_prefix(prefix.as_bytes())
            .and_then(|path| std::str::from_utf8(path).ok());
        if let Some((path, difference)) = path.and_then(|path| by_path.get_key_value(path))
            && difference.committed_id == git_repository::to_hex(entry.id)
        {
            sizes.insert(*path, entry.size);
        }
    });
    sizes
}
