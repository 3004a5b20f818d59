//! The only file that starts git. Git gets the objects, the index and the work tree of a checkout,
//! and never its configuration: that may name programs (filters, hooks, pagers, transports), and the
//! author of the checkout chooses them.
//!
//! `GIT_DIR` is an empty repository of our own, made for one question and removed after it. The
//! environment is built from nothing, so that no variable of the caller leads to a configuration
//! either. Switching off dangerous settings one by one (`-c core.fsmonitor=false`) would be shorter,
//! but each release of git may add another.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::git_repository::Checkout;

/// Git as this machine has it, and the parts of the environment that starting it needs.
#[derive(Clone, Debug)]
pub struct GitHost {
    /// An absolute path outside of the checkout.
    pub program: PathBuf,
    /// Where temporary directories are made.
    pub temporary_directory: PathBuf,
    /// Variables that the system needs to start a program at all.
    pub variables: Vec<(&'static str, OsString)>,
}

/// Git for one checkout, without the checkout's configuration.
pub struct IsolatedGit {
    program: PathBuf,
    git_dir: tempfile::TempDir,
    environment: Vec<(&'static str, OsString)>,
    /// Paths that git prints and takes are relative to it.
    directory: PathBuf,
}

/// The name of a file that does not exist: to git, an empty configuration.
const NO_FILE: &str = "none";

impl IsolatedGit {
    /// `None` if no temporary directory can be made. `commit` tells which hash the repository uses.
    pub fn open(
        host: &GitHost,
        checkout: &Checkout,
        directory: &Path,
        commit: &str,
    ) -> Option<IsolatedGit> {
        let git_dir = tempfile::Builder::new()
            .prefix("ken-git-")
            .tempdir_in(&host.temporary_directory)
            .ok()?;
        write_repository(git_dir.path(), commit).ok()?;
        link_shared_indexes(&checkout.git_dir, git_dir.path());
        let mut environment = environment(git_dir.path(), checkout);
        environment.extend(host.variables.iter().cloned());
        Some(IsolatedGit {
            program: host.program.clone(),
            git_dir,
            environment,
            directory: directory.to_path_buf(),
        })
    }

    /// Runs a command of git and returns its output; `None` if it failed. Only commands that are
    /// part of the git binary may be run: there is no `PATH` to find others.
    pub fn run(&self, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
        // A file and not a pipe: git may write output before it has read all input.
        let input_file = self.git_dir.path().join("input");
        fs::write(&input_file, input).ok()?;
        let mut child = Command::new(&self.program)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.git_dir.path())
            .args(["--no-pager", "-C"])
            .arg(&self.directory)
            .args(arguments)
            .stdin(Stdio::from(File::open(&input_file).ok()?))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let output = child.stdout.take().and_then(read_output);
        if output.is_none() {
            let _ = child.kill();
        }
        let status = child.wait().ok()?;
        output.filter(|_| status.success())
    }
}

/// All of an output, unless it is too large or does not come to its end: a pipe in the checkout that
/// git opens keeps git waiting for ever.
fn read_output(stdout: ChildStdout) -> Option<Vec<u8>> {
    /// Far more than any change that a person makes.
    const MAX_BYTES: u64 = 64 << 20;
    const LONGEST: Duration = Duration::from_secs(20);
    let (sender, received) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        let _ = sender.send(read.ok().map(|_| bytes));
    });
    let output = received.recv_timeout(LONGEST).ok().flatten();
    output.filter(|bytes| bytes.len() as u64 <= MAX_BYTES)
}

/// Returns the variables that lead git to the isolated repository, to the objects, index and work
/// tree of the checkout, and to no configuration.
fn environment(git_dir: &Path, checkout: &Checkout) -> Vec<(&'static str, OsString)> {
    let no_file = git_dir.join(NO_FILE);
    let paths: [(&str, &Path); 8] = [
        ("GIT_DIR", git_dir),
        ("GIT_WORK_TREE", &checkout.top),
        ("GIT_OBJECT_DIRECTORY", &checkout.common_dir.join("objects")),
        ("GIT_INDEX_FILE", &checkout.git_dir.join("index")),
        ("GIT_CONFIG_GLOBAL", &no_file),
        ("GIT_CONFIG_SYSTEM", &no_file),
        // Versions of git before 2.32 do not know GIT_CONFIG_GLOBAL.
        ("HOME", git_dir),
        ("XDG_CONFIG_HOME", git_dir),
    ];
    let values = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        // The rest guards what the empty configuration rules out already: without a remote there
        // is nothing to fetch from and nobody to ask.
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", ""),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_PAGER", "cat"),
        ("LC_ALL", "C"),
    ];
    let paths = paths.map(|(name, path)| (name, path.as_os_str().to_os_string()));
    let values = values.map(|(name, value)| (name, OsString::from(value)));
    // A shallow clone lists there the commits whose parents it does not have.
    let shallow = checkout.common_dir.join("shallow");
    let shallow_file = shallow.is_file().then(|| ("GIT_SHALLOW_FILE", shallow.into_os_string()));
    paths.into_iter().chain(values).chain(shallow_file).collect()
}

/// Makes a directory that git accepts as a repository without commits.
fn write_repository(git_dir: &Path, commit: &str) -> std::io::Result<()> {
    fs::create_dir(git_dir.join("objects"))?;
    fs::create_dir(git_dir.join("refs"))?;
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/none\n")?;
    fs::write(git_dir.join("config"), configuration(commit))
}

/// Returns the configuration of the isolated repository. Files above the threshold are compared as
/// binary, that is, not by lines.
fn configuration(commit: &str) -> String {
    // Git before 2.29 refuses a repository with an extension, even if it says nothing new.
    let (version, extension) = match commit.len() {
        64 => (1, "[extensions]\n\tobjectFormat = sha256\n"),
        _ => (0, ""),
    };
    // Git for Windows checks symbolic links out as plain files unless told otherwise.
    let symlinks = !cfg!(windows);
    format!(
        "[core]\n\trepositoryFormatVersion = {version}\n\tbare = false\n\tquotePath = false\n\
         \tsymlinks = {symlinks}\n\tbigFileThreshold = 8m\n{extension}"
    )
}

/// A split index keeps most entries in files beside it, which git looks for in `GIT_DIR`. If one
/// cannot be linked, git fails and there is no answer.
fn link_shared_indexes(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let is_shared = entry.file_name().to_string_lossy().starts_with("sharedindex.");
        if is_shared && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = link(&entry.path(), &to.join(entry.file_name()));
        }
    }
}

#[cfg(unix)]
fn link(file: &Path, link: &Path) -> std::io::Result<()> {
    let file = fs::canonicalize(file)?;
    std::os::unix::fs::symlink(file, link)
}

#[cfg(not(unix))]
fn link(file: &Path, copy: &Path) -> std::io::Result<()> {
    fs::copy(file, copy).map(drop)
}
