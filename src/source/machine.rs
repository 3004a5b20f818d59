//! What the machine allows: room on a disk, and how many folders may be watched.

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

/// How many folders the system watches for one user, where it has a limit.
pub fn watch_limit() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn there_is_room_for_a_folder_that_is_not_there_yet() {
        let home = tempfile::tempdir().unwrap();
        let room = free_space(&home.path().join("not/yet"));
        assert!(room.is_some_and(|bytes| bytes > 0));
    }
}
