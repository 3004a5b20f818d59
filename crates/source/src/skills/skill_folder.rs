//! The files of a skill: their list, and their bytes. Never a file outside of the skill's folder,
//! whatever links say.

use std::fs;
use std::path::{Path, PathBuf};

use crate::disk::{self, ReadError, SymlinkPolicy};

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillFile {
    /// Below the folder, with `/`.
    pub path: String,
    pub size: u64,
}

/// The reason why a file of a skill cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{path}: this skill has no such file")]
    Missing { path: String },
    #[error("{path}: leaves the skill's folder")]
    Outside { path: String },
    #[error("{path}: {size} bytes, above the limit of {limit}")]
    TooLarge { path: String, size: u64, limit: u64 },
    /// It looks like a secret.
    #[error("{path}: {reason}; it is not served")]
    Withheld { path: String, reason: String },
    #[error("{path}: {source}")]
    Read { path: String, source: std::io::Error },
}

/// A skill with more files is not listed in full.
pub const MAX_FILES: usize = 512;

const MAX_DEPTH: usize = 16;

/// Every file of a skill, sorted; one more than `MAX_FILES` if there are more. Links that leave
/// the folder are left out.
pub fn list_skill_files(directory: &Path) -> std::io::Result<Vec<SkillFile>> {
    let root = fs::canonicalize(directory)?;
    let mut listing = SkillFileLister { root: root.clone(), files: Vec::new() };
    listing.visit(&root, "", 0);
    listing.files.sort();
    Ok(listing.files)
}

/// The state of one listing. `root` is the real path of the skill.
struct SkillFileLister {
    root: PathBuf,
    files: Vec<SkillFile>,
}

impl SkillFileLister {
    fn visit(&mut self, directory: &Path, prefix: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(directory) else {
            return;
        };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let Ok(real) = fs::canonicalize(entry.path()) else {
                continue;
            };
            if !real.starts_with(&self.root) || super::is_skipped(name.as_ref()) {
                continue;
            }
            let path = format!("{prefix}{name}");
            let Ok(metadata) = fs::metadata(&real) else {
                continue;
            };
            if metadata.is_file() && self.files.len() <= MAX_FILES {
                let size = metadata.len();
                self.files.push(SkillFile { path, size });
            } else if metadata.is_dir() && depth < MAX_DEPTH && real == entry.path() {
                // A linked folder within the skill is listed where it really is.
                self.visit(&real, &format!("{path}/"), depth + 1);
            }
        }
    }
}

/// Returns the bytes of one file of a skill. `path` must not leave the folder, neither by `..` nor
/// by a link.
pub fn read_skill_file(directory: &Path, path: &str, limit: u64) -> Result<Vec<u8>, FileError> {
    let owned = || path.to_string();
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            FileError::Missing { path: owned() }
        }
        _ => FileError::Read { path: owned(), source },
    };
    let is_plain = |segment: &str| !matches!(segment, "" | "." | "..") && !segment.contains('\\');
    if !path.split('/').all(is_plain) {
        return Err(FileError::Outside { path: owned() });
    }
    let root = fs::canonicalize(directory).map_err(failed)?;
    let real = fs::canonicalize(root.join(path)).map_err(failed)?;
    if !real.starts_with(&root) {
        return Err(FileError::Outside { path: owned() });
    }
    match disk::read_file(&real, SymlinkPolicy::Refuse, limit) {
        Ok(read) => Ok(read.bytes),
        Err(ReadError::TooLarge { size, limit }) => {
            let size = size.unwrap_or(limit.saturating_add(1));
            Err(FileError::TooLarge { path: owned(), size, limit })
        }
        Err(ReadError::Io(error)) => Err(failed(error)),
        Err(ReadError::NotRegular(_) | ReadError::Pseudo(_)) => {
            Err(FileError::Missing { path: owned() })
        }
    }
}
