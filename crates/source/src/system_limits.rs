//! The limits of the machine: free space on a disk, and how many folders may be watched.

use std::path::Path;

/// Bytes that are free where `path` lies, if the system says.
#[cfg(unix)]
pub fn free_space(path: &Path) -> Option<u64> {
    // A folder that is not there yet will be made where its parents are.
    let existing = path.ancestors().find(|path| path.exists())?;
    let found = rustix::fs::statvfs(existing).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
pub fn free_space(_path: &Path) -> Option<u64> {
    None
}

/// True if something could be put into `directory`, or into the nearest above it that is there. Asks the system
/// and writes nothing.
#[cfg(unix)]
pub fn is_writable(directory: &Path) -> bool {
    use rustix::fs::{Access, access};
    let existing = directory.ancestors().find(|path| path.exists());
    existing.is_some_and(|path| access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok())
}

#[cfg(not(unix))]
pub fn is_writable(directory: &Path) -> bool {
    let existing = directory.ancestors().find(|path| path.exists());
    let metadata = existing.and_then(|path| path.metadata().ok());
    metadata.is_some_and(|metadata| !metadata.permissions().readonly())
}

/// Returns the number of folders that the system lets one user watch, if it has a limit.
pub fn watch_limit() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_written_to() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_writable(folder.path()));
        assert!(is_writable(&folder.path().join("not/there/yet")));
        // A file has no room for others; this holds for those who may write everywhere, too.
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(!is_writable(&file));
    }

    #[cfg(unix)]
    #[test]
    fn there_is_room_for_a_folder_that_is_not_there_yet() {
        let home = tempfile::tempdir().unwrap();
        let room = free_space(&home.path().join("not/yet"));
        assert!(room.is_some_and(|bytes| bytes > 0));
    }
}
