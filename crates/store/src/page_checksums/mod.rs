//! A checksum in every page of a database, verified whenever SQLite reads the page.
//!
//! SQLite itself does not notice a flipped bit in a row, nor a page that was zeroed or swapped with
//! another. The last four bytes of each page, which SQLite leaves free on request, hold the CRC-32
//! of the rest. The page number is part of it. `vfs` sits between SQLite and the operating
//! system's files: it writes the checksums, and fails a read whose checksum is wrong.
//!
//! Checksums of rows or blobs would not be enough: a damaged inner page of a B-tree hides rows
//! without touching them. A hash of the whole file would make the first question read all of it.
//!
//! The write-ahead log has checksums of its own, which SQLite verifies only after a crash.
//! `log_frame` verifies them with each read.

mod checksum;
mod full_disk;
mod log_frame;
mod vfs;

use std::path::Path;

use rusqlite::{Connection, OpenFlags, ffi};

pub use checksum::{PAGE_BYTES, count_damaged_pages, has_valid_page};

/// Opens a database whose pages have checksums. A read of a page without one fails.
pub fn open(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags_and_vfs(path, flags, vfs::registered_name()?)
}

/// Makes a new database reserve the bytes of the checksum in each page. It must come before the
/// first page is written, and has no effect later.
pub fn prepare_new(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "page_size", PAGE_BYTES as i64)?;
    vfs::reserve_bytes(connection)
}

/// True if an error says that the checksum of a page is wrong.
pub fn is_mismatch(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA)
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
