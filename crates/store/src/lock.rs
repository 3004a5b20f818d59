//! The write lock: a file that one process at a time holds locked, with its process id in it. The
//! system releases it when the process dies, however it dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::StoreError;
use kenning_model::Progress;

/// The content of a lock file begins with this, and the process id follows. Files with other
/// content are not ours.
const SIGNATURE: &str = "process ";
const LONGEST_SIGNATURE: u64 = 64;

/// The interval at which a waiting process tries again and checks for cancellation.
const RETRY: Duration = Duration::from_millis(20);

/// The time to wait for the holder before a warning.
const WARN_AFTER: Duration = Duration::from_secs(1);

/// Acquires the lock. Waits for its holder, with a warning, until cancelled. The lock is released
/// when the file is dropped.
pub fn acquire(path: &Path, progress: &dyn Progress) -> Result<File, StoreError> {
    let file = open_lock_file(path)?;
    let (started, mut has_warned) = (Instant::now(), false);
    while let Err(error) = file.try_lock() {
        match error {
            TryLockError::Error(error) => return Err(StoreError::io(path, error)),
            TryLockError::WouldBlock if progress.is_cancelled() => {
                return Err(StoreError::Cancelled);
            }
            TryLockError::WouldBlock => {}
        }
        // Every question takes the lock for some milliseconds, which is worth no line.
        let is_long = started.elapsed() >= WARN_AFTER;
        if is_long && !std::mem::replace(&mut has_warned, true) {
            tracing::warn!("another build is running{}; waiting for it", read_holder(path));
        }
        std::thread::sleep(RETRY);
    }
    write_holder(file, path)
}

/// Empties a lock file whose content is damaged, which [`acquire`] would refuse. Only for the
/// folder of a collection, where nobody else keeps files.
pub fn repair(path: &Path) {
    let damaged = open_lock_file(path).is_err()
        && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    if damaged
        && let Err(error) = File::options().write(true).open(path).and_then(|file| file.set_len(0))
    {
        tracing::debug!("{}: {error}", path.display());
    }
}

/// Opens the lock file; creates it if there is none. It may lie in a repository, so only a lock
/// file of ours is touched: a link could lead to any file of the user, and `Cargo.lock` belongs to
/// Cargo.
fn open_lock_file(path: &Path) -> Result<File, StoreError> {
    let failed = |error| StoreError::io(path, error);
    let mut options = File::options();
    options.create(true).truncate(false).read(true).write(true);
    refuse_links(&mut options);
    let mut file = options.open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("not a regular file, so it cannot be the lock")));
    }
    let mut content = String::new();
    let is_text = (&mut file).take(LONGEST_SIGNATURE).read_to_string(&mut content).is_ok();
    if !is_text || !content.is_empty() && !content.starts_with(SIGNATURE) {
        return Err(failed(io::Error::other("not a lock file of Kenning; it was not changed")));
    }
    Ok(file)
}

/// Makes opening fail for symbolic links.
#[cfg(unix)]
fn refuse_links(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    // A pipe is refused once it is open; opening it must not wait for its other end.
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
}

#[cfg(not(unix))]
fn refuse_links(_options: &mut OpenOptions) {}

/// Returns the holder in parentheses; empty if it has not signed yet.
fn read_holder(path: &Path) -> String {
    let name = fs::read_to_string(path).unwrap_or_default();
    match name.trim() {
        "" => String::new(),
        name => format!(" ({name})"),
    }
}

/// Writes our process id into the lock file, for the warning of those who wait.
fn write_holder(mut file: File, path: &Path) -> Result<File, StoreError> {
    let mut write = || {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{SIGNATURE}{}", std::process::id())
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
    fn files_of_others_are_left_as_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("Cargo.lock");
        fs::write(&path, "[[package]]\n").unwrap();
        assert!(acquire(&path, &kenning_model::Silent).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "[[package]]\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in
            [("empty", Some("")), ("signed", Some("process 1\n")), ("missing", None)]
        {
            let target = directory.path().join(name);
            if let Some(text) = text {
                fs::write(&target, text).unwrap();
            }
            let link = directory.path().join(format!("{name}.lock"));
            std::os::unix::fs::symlink(&target, &link).unwrap();
            assert!(acquire(&link, &kenning_model::Silent).is_err(), "{name}");
            assert_eq!(fs::read_to_string(&target).ok().as_deref(), text, "{name}");
        }
    }

    #[test]
    fn a_damaged_lock_of_a_collection_is_repaired() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("code.db.lock");
        fs::write(&path, b"proce\xffs 12\n").unwrap();
        assert!(acquire(&path, &kenning_model::Silent).is_err());
        repair(&path);
        assert!(acquire(&path, &kenning_model::Silent).is_ok());
    }

    #[test]
    fn a_second_holder_waits_until_nobody_wants_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("code.db.lock");
        let first = acquire(&path, &kenning_model::Silent).unwrap();
        assert_eq!(read_holder(&path), format!(" (process {})", std::process::id()));
        first.set_len(0).unwrap();
        assert_eq!(read_holder(&path), "");
        let second = acquire(&path, &Impatient);
        assert!(matches!(second, Err(StoreError::Cancelled)));
        drop(first);
        assert!(acquire(&path, &Impatient).is_ok());
    }
}
