//! Git for those who ask the engine: the program is found here, and `source` runs it.

use std::path::Path;

use crate::config::ProcessEnv;
use kenning_source::{self as source, GitHost};

/// `None` if git is not installed.
pub(super) fn git_host(surroundings: &ProcessEnv, directory: &Path) -> Option<GitHost> {
    Some(GitHost {
        program: surroundings.program("git", directory)?,
        temporary_directory: surroundings.temporary_directory.clone(),
        variables: surroundings.needed_by_programs.clone(),
    })
}

/// The bytes that the last commit has of a file; `None` if it has none, or git does not say.
pub fn committed_text(surroundings: &ProcessEnv, file: &Path) -> Option<Vec<u8>> {
    let host = git_host(surroundings, file.parent()?)?;
    source::read_committed(file, &host)
}
