//! Replaces the text of a file that belongs to the user: writes a new file and renames it into
//! place, so that no reader sees half of it. Keeps the old text beside it, unless git has it.

use std::fs;
use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

use crate::config::ProcessEnv;
use crate::engine::committed_text;

use crate::config::clients::MAX_BYTES;
use kenning_source::disk::{SymlinkPolicy, read_file};

/// The place of the old text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backup {
    /// The file was absent or empty.
    NotNeeded,
    /// A copy that this run made.
    Created(PathBuf),
    /// A copy of the same text that an earlier run made.
    Existing(PathBuf),
    /// The last commit has the same bytes.
    InGit,
}

/// Keeps the text as `NAME.kenning.bak`, or with a number if that exists: no file is overwritten.
/// If the last commit has the same bytes, nothing is written.
pub fn back_up(file: &Path, surroundings: &ProcessEnv) -> Result<Backup> {
    let file = follow_links(file);
    let text = match read_file(&file, SymlinkPolicy::Follow, MAX_BYTES) {
        Ok(read) => read.bytes,
        Err(error) if error.is_absent() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if text.is_empty() {
        return Ok(Backup::NotNeeded);
    }
    if committed_text(surroundings, &file).is_some_and(|committed| committed == text) {
        return Ok(Backup::InGit);
    }
    let mut number = 1;
    loop {
        let ending = match number {
            1 => ".kenning.bak".to_string(),
            number => format!(".kenning.{number}.bak"),
        };
        let backup = sibling_path(&file, &ending);
        match fs::File::create_new(&backup) {
            Ok(mut created) => {
                // Before anything is written: such files hold keys.
                created.set_permissions(fs::metadata(&file)?.permissions())?;
                created.write_all(&text)?;
                return Ok(Backup::Created(backup));
            }
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Err(_) if has_text(&backup, &text) => {
                return Ok(Backup::Existing(backup));
            }
            Err(_) => number += 1,
        }
    }
}

/// True if a file has exactly this text.
fn has_text(file: &Path, text: &[u8]) -> bool {
    read_file(file, SymlinkPolicy::Follow, MAX_BYTES).is_ok_and(|known| known.bytes == text)
}

/// Returns the copy that the first change left, and true if the last commit has the file.
pub fn find_traces(file: &Path, surroundings: &ProcessEnv) -> (Option<PathBuf>, bool) {
    let file = follow_links(file);
    let backup = Some(sibling_path(&file, ".kenning.bak")).filter(|backup| backup.is_file());
    (backup, committed_text(surroundings, &file).is_some())
}

/// Replaces the text of a file atomically. Keeps its permissions and creates its folder.
pub fn replace_text(file: &Path, after: &str) -> Result<()> {
    let file = follow_links(file);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let draft = sibling_path(&file, ".kenning-draft");
    fs::write(&draft, after)?;
    if let Ok(metadata) = fs::metadata(&file) {
        fs::set_permissions(&draft, metadata.permissions())?;
    }
    fs::rename(&draft, &file)
}

/// Deletes a file, and the folders above it that are then empty and not one of `stays`.
pub fn remove_file(file: &Path, stays: &[&Path]) -> Result<()> {
    /// The most folders above a file that `ken install` creates.
    const DEPTH: usize = 3;
    fs::remove_file(file)?;
    let folders = file.ancestors().skip(1).take_while(|folder| !stays.contains(folder));
    for folder in folders.take(DEPTH) {
        // A folder that is not empty is kept, and so are those above it.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

/// Resolves symbolic links, so that a link stays a link and its target is replaced.
fn follow_links(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf())
}

/// The path of a file beside another, with an ending added to its name.
fn sibling_path(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    file.with_file_name(name)
}

/// Returns the removed and added lines between the common beginning and end. It is a summary for
/// people, not a minimal diff.
pub fn diff_lines(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let gone = old[same..old.len() - tail].iter().map(|line| format!("- {line}"));
    let come = new[same..new.len() - tail].iter().map(|line| format!("+ {line}"));
    gone.chain(come).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_what_goes_and_what_comes() {
        assert_eq!(diff_lines("a\nb\nc\n", "a\nx\ny\nc\n"), "- b\n+ x\n+ y");
        assert_eq!(diff_lines("", "a\n"), "+ a");
        assert_eq!(diff_lines("a\na\n", "a\n"), "- a");
    }
}
