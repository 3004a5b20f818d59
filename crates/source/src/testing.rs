//! Runs git for the tests of this layer, as its author would. Only for tests.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::git_command::GitHost;

const IDENTITY: [&str; 6] =
    ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"];

pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(IDENTITY).args(arguments);
    git
}

/// The git program of this machine.
pub fn git_host() -> GitHost {
    let path = std::env::var_os("PATH").unwrap();
    let mut folders = std::env::split_paths(&path).map(|folder| folder.join("git"));
    GitHost {
        program: folders.find(|program| program.is_file()).unwrap(),
        temporary_directory: std::env::temp_dir(),
        variables: Vec::new(),
    }
}

pub fn git(directory: &Path, arguments: &[&str]) {
    assert!(command(directory, arguments).status().unwrap().success(), "{arguments:?}");
}

pub fn git_with_input(directory: &Path, arguments: &[&str], input: &str) {
    let mut git = command(directory, arguments).stdin(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success(), "{arguments:?}");
}
