//! The right to write: a file that one process at a time holds locked, with the holder's name in
//! it. The system frees it when the process dies, however it dies.

use std::fs::{self, File, TryLockError};
use std::io::{Seek, Write};
use std::path::Path;
use std::time::Duration;

use super::StoreError;
use crate::model::Progress;

/// How often somebody who waits looks again, and whether anybody still wants it.
const RETRY: Duration = Duration::from_millis(20);

/// Waits for the holder, and says so, as long as anybody wants it.
pub(super) fn take(path: &Path, progress: &dyn Progress) -> Result<File, StoreError> {
    let file = open(path)?;
    let mut has_warned = false;
    while let Err(error) = file.try_lock() {
        match error {
            TryLockError::Error(error) => return Err(StoreError::io(path, error)),
            TryLockError::WouldBlock if progress.is_cancelled() => {
                return Err(StoreError::Cancelled);
            }
            TryLockError::WouldBlock => {}
        }
        if !std::mem::replace(&mut has_warned, true) {
            tracing::warn!("another build is running{}; waiting for it", holder(path));
        }
        std::thread::sleep(RETRY);
    }
    sign(file, path)
}

fn open(path: &Path) -> Result<File, StoreError> {
    let mut options = File::options();
    let options = options.create(true).truncate(false).read(true).write(true);
    options.open(path).map_err(|error| StoreError::io(path, error))
}

/// In brackets; nothing if the holder has not signed yet.
fn holder(path: &Path) -> String {
    let name = fs::read_to_string(path).unwrap_or_default();
    match name.trim() {
        "" => String::new(),
        name => format!(" ({name})"),
    }
}

fn sign(mut file: File, path: &Path) -> Result<File, StoreError> {
    let mut write = || {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "process {}", std::process::id())
    };
    write().map_err(|error| StoreError::io(path, error))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wants nothing as soon as it is asked.
    struct Impatient;

    impl Progress for Impatient {
        fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

        fn is_cancelled(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_second_holder_waits_until_nobody_wants_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("code.db.lock");
        let first = take(&path, &crate::model::Silent).unwrap();
        assert_eq!(holder(&path), format!(" (process {})", std::process::id()));
        first.set_len(0).unwrap();
        assert_eq!(holder(&path), "");
        let second = take(&path, &Impatient);
        assert!(matches!(second, Err(StoreError::Cancelled)));
        drop(first);
        assert!(take(&path, &Impatient).is_ok());
    }
}
