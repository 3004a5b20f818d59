//! Runs git for the tests of this layer, as its author would. Only for tests.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const IDENTITY: [&str; 6] =
    ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"];

pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(IDENTITY).args(arguments);
    git
}

pub fn git(directory: &Path, arguments: &[&str]) {
    assert!(command(directory, arguments).status().unwrap().success(), "{arguments:?}");
}

pub fn git_with_input(directory: &Path, arguments: &[&str], input: &str) {
    let mut git = command(directory, arguments).stdin(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success(), "{arguments:?}");
}
