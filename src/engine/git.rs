//! Git for those who ask the engine: the program is found here, and `source` runs it.

use std::path::Path;

use crate::config::ProcessEnv;
use kenning_source::{self as source, GitHost};

/// `None` if git is not installed.
pub(super) fn git_host(process_env: &ProcessEnv, directory: &Path) -> Option<GitHost> {
    Some(GitHost {
        program: process_env.program("git", directory)?,
        temporary_directory: process_env.temporary_directory.clone(),
        variables: process_env.needed_by_programs.clone(),
    })
}

/// The bytes that the last commit has of a file; `None` if it has none, or git does not say.
pub fn committed_text(process_env: &ProcessEnv, file: &Path) -> Option<Vec<u8>> {
    let host = git_host(process_env, file.parent()?)?;
    source::read_committed(file, &host)
}
