//! The error of a full disk. SQLite takes only `ENOSPC` for one. A write beyond a quota or beyond the
//! largest size of a file would be an I/O error that does not name its cause.

use std::ffi::c_int;
use std::io;

use rusqlite::ffi;

/// Returns the code of a full disk if that is why a call of the system's VFS failed, else `code`.
/// It must follow the call at once: the VFS leaves the error of the operating system behind.
pub(super) fn name_full_disk(code: c_int) -> c_int {
    if !matches!(code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE) {
        return code;
    }
    match io::Error::last_os_error().kind() {
        io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => ffi::SQLITE_FULL,
        _ => code,
    }
}
