//! Git for the engine: finds the program, and lets `source` run it.
//!
//! The program is never taken from inside the checkout, and its configuration there is never read.

use std::path::Path;

use crate::config::ProcessEnv;
use kenning_source::{self as source, GitHost};

/// Returns the git program with its environment; `None` if git is not installed.
pub(super) fn git_host(process_env: &ProcessEnv, directory: &Path) -> Option<GitHost> {
    Some(GitHost {
        program: process_env.program("git", directory)?,
        temporary_directory: process_env.temporary_directory.clone(),
        variables: process_env.needed_by_programs.clone(),
    })
}

/// Returns the content of a file in the last commit; `None` if it has none, or git does not answer.
pub fn committed_text(process_env: &ProcessEnv, file: &Path) -> Option<Vec<u8>> {
    let host = git_host(process_env, file.parent()?)?;
    source::read_committed(file, &host)
}
