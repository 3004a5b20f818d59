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
            let holder = holder(path);
            tracing::warn!("another build is running ({holder}); waiting for it");
        }
        std::thread::sleep(RETRY);
    }
    sign(file, path)
}

/// Fails at once if there is a holder, with its name.
pub(super) fn try_take(path: &Path) -> Result<File, StoreError> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => sign(file, path),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy {
            path: path.with_extension(""),
            holder: holder(path),
        }),
        Err(TryLockError::Error(error)) => Err(StoreError::io(path, error)),
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    let mut options = File::options();
    let options = options.create(true).truncate(false).read(true).write(true);
    options
        .open(path)
        .map_err(|error| StoreError::io(path, error))
}

fn holder(path: &Path) -> String {
    let name = fs::read_to_string(path).unwrap_or_default();
    name.trim().to_string()
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

    #[test]
    fn a_second_holder_is_told_of_the_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("code.db.lock");
        let first = take(&path, &crate::model::Silent).unwrap();
        let error = try_take(&path).unwrap_err().to_string();
        assert!(
            error.contains(&format!("process {}", std::process::id())),
            "{error}"
        );
        drop(first);
        assert!(try_take(&path).is_ok());
    }
}
