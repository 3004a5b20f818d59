//! Opens files that other people wrote: the one function that reads a file of a repository, a
//! configuration or a skill. It opens only regular files, never blocks on a pipe or a device, and
//! never reads more than its limit. It does not interpret the files.

mod file_system_type;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use file_system_type::{FileSystemId, device, pseudo_file_system};

/// The bytes of a file, and its modification time in nanoseconds since 1970.
#[derive(Debug)]
pub struct FileBytes {
    pub bytes: Vec<u8>,
    pub modified_ns: i64,
}

/// Decides about a symbolic link in the last place of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymlinkPolicy {
    /// For files that a user names, or links on purpose: settings and skills.
    Follow,
    /// For files that a walk found: whatever is a link now was none then.
    Refuse,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}, not a regular file")]
    NotRegular(&'static str),
    #[error("it is on a pseudo file system ({0}), which is never read")]
    Pseudo(String),
    /// `size` is `None` if the file grew past the limit while it was read.
    #[error("{}, above the limit of {limit}", describe_size(*.size, *.limit))]
    TooLarge { size: Option<u64>, limit: u64 },
}

/// Returns the size for the error message.
fn describe_size(size: Option<u64>, limit: u64) -> String {
    match size {
        Some(size) => format!("{size} bytes"),
        None => format!("more than {limit} bytes"),
    }
}

impl ReadError {
    /// True if there is no such file, or no such folder that it could be in.
    pub fn is_absent(&self) -> bool {
        let kinds = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        matches!(self, ReadError::Io(error) if kinds.contains(&error.kind()))
    }
}

/// The same as an error of the system, for callers that know no other.
impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> io::Error {
        match error {
            ReadError::Io(error) => error,
            other => io::Error::other(other.to_string()),
        }
    }
}

/// Reads a regular file of at most `limit` bytes.
///
/// The kind of file is checked twice. Opening some devices has side effects, so the path is
/// checked before it is opened. A pipe or a link can replace it in between, so the open file is
/// checked too. Nothing blocks: a pipe without a writer opens at once and is then refused. The
/// reported size is not trusted, because it is 0 for files that the kernel generates on reading.
pub fn read_file(path: &Path, links: SymlinkPolicy, limit: u64) -> Result<FileBytes, ReadError> {
    let found = match links {
        SymlinkPolicy::Follow => std::fs::metadata(path)?,
        SymlinkPolicy::Refuse => std::fs::symlink_metadata(path)?,
    };
    check_regular(&found, limit)?;
    let file = open(path, links)?;
    let opened = file.metadata()?;
    check_regular(&opened, limit)?;
    if let Some(name) = file_system_type::pseudo_file_system_of(&file) {
        return Err(ReadError::Pseudo(name));
    }
    // A file may say that it is large and hold nothing.
    const ROOM: u64 = 1 << 26;
    let mut bytes = Vec::with_capacity(opened.len().min(ROOM) as usize + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { size: None, limit });
    }
    Ok(FileBytes { bytes, modified_ns: modified_ns(&opened) })
}

/// [`read_file`] for text in UTF-8 that need not exist.
pub fn read_text(path: &Path, limit: u64) -> Result<Option<String>, ReadError> {
    match read_file(path, SymlinkPolicy::Follow, limit) {
        Ok(read) => match String::from_utf8(read.bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "not valid UTF-8").into()),
        },
        Err(error) if error.is_absent() => Ok(None),
        Err(error) => Err(error),
    }
}

/// True if nothing is there, or a regular file that no link leads to.
pub fn is_file_or_absent(path: &Path) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata.is_file(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// True if a folder, or something directly in it, changed within the time before now.
pub fn has_recent_change(folder: &Path, within: Duration) -> bool {
    let is_recent = |path: &Path| {
        let modified = path.symlink_metadata().and_then(|metadata| metadata.modified());
        modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < within))
    };
    let entries = || std::fs::read_dir(folder).into_iter().flatten().flatten();
    is_recent(folder) || entries().any(|entry| is_recent(&entry.path()))
}

/// Resolves the links and dots of a path from an untrusted caller. The end of the path may not
/// exist. `None` if its target is unknown: a link to nothing, a folder that cannot be entered, dots
/// after a name that does not exist.
pub fn resolve_without_trust(path: &Path) -> Option<PathBuf> {
    // Without a slash at the end, which would follow a link.
    let path: PathBuf = path.components().collect();
    let existing = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(existing).ok()?;
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    let real = existing.canonicalize().ok()?;
    // Joining nothing would add a slash.
    if rest.as_os_str().is_empty() { Some(real) } else { is_plain.then(|| real.join(rest)) }
}

/// True if a path stays inside of `root` with all links on its way resolved. For a path that does
/// not exist the nearest part that does decides: what is created below it stays below it. A link
/// that leads nowhere yet could lead anywhere later, so it does not stay inside.
pub fn stays_inside(root: &Path, path: &Path) -> bool {
    let Ok(real_root) = root.canonicalize() else {
        return false;
    };
    for ancestor in path.ancestors() {
        match ancestor.canonicalize() {
            Ok(real) => return real.starts_with(&real_root),
            Err(_) if ancestor.is_symlink() => return false,
            Err(_) => {}
        }
    }
    false
}

/// Returns the modification time in nanoseconds since 1970; 0 for earlier times.
pub fn modified_ns(metadata: &Metadata) -> i64 {
    metadata.modified().map_or(0, nanoseconds)
}

/// Converts a time to nanoseconds since 1970; 0 for earlier times.
pub fn nanoseconds(time: SystemTime) -> i64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX)
}

/// Fails unless the metadata are those of a regular file of at most `limit` bytes.
fn check_regular(metadata: &Metadata, limit: u64) -> Result<(), ReadError> {
    if !metadata.is_file() {
        return Err(ReadError::NotRegular(kind(metadata)));
    }
    if metadata.len() > limit {
        Err(ReadError::TooLarge { size: Some(metadata.len()), limit })
    } else {
        Ok(())
    }
}

#[cfg(unix)]
fn kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match metadata.file_type() {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "something else" }
}

#[cfg(unix)]
fn open(path: &Path, links: SymlinkPolicy) -> Result<File, ReadError> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::{Errno, retry_on_intr};

    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == SymlinkPolicy::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    match retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty())) {
        Ok(descriptor) => Ok(File::from(descriptor)),
        Err(Errno::LOOP) if links == SymlinkPolicy::Refuse => {
            Err(ReadError::NotRegular("a symbolic link"))
        }
        // A socket, or a device without a driver.
        Err(Errno::NXIO) => Err(ReadError::NotRegular("a socket")),
        Err(error) => Err(ReadError::Io(error.into())),
    }
}

#[cfg(not(unix))]
fn open(path: &Path, _links: SymlinkPolicy) -> Result<File, ReadError> {
    Ok(File::open(path)?)
}

#[cfg(test)]
mod tests;
