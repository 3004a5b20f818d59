//! The checksum of one page.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// The page size of all our databases.
pub const PAGE_BYTES: usize = 4096;

/// The bytes at the end of each page that SQLite leaves to us.
pub(super) const RESERVED_BYTES: usize = 4;

/// A part of every checksum, so that a page of zeros fails its checksum.
const SALT: u32 = 0x6B65_6E01;

/// Returns the checksum of a page from its number and its bytes before the reserved ones. Because
/// of the number, a page fails that was written to another place.
fn compute(number: u64, page: &[u8]) -> [u8; RESERVED_BYTES] {
    // A change of the initial state changes the result, whatever the content is.
    let mut hasher = crc32fast::Hasher::new_with_initial(SALT ^ number as u32);
    hasher.update(&page[..PAGE_BYTES - RESERVED_BYTES]);
    hasher.finalize().to_le_bytes()
}

/// True if the page has the checksum that it was written with. `page` has [`PAGE_BYTES`] bytes.
pub(super) fn is_valid(number: u64, page: &[u8]) -> bool {
    compute(number, page) == page[PAGE_BYTES - RESERVED_BYTES..]
}

/// Puts the checksum into a page. `page` has [`PAGE_BYTES`] bytes.
pub(super) fn put(number: u64, page: &mut [u8]) {
    let checksum = compute(number, page);
    page[PAGE_BYTES - RESERVED_BYTES..].copy_from_slice(&checksum);
}

/// Reads all pages of a file, and counts those whose checksum is wrong.
pub fn count_damaged_pages(path: &Path) -> io::Result<u64> {
    let mut damaged = 0;
    read_pages(path, |is_valid| damaged += u64::from(!is_valid))?;
    Ok(damaged)
}

/// True if at least one page of a file has a valid checksum. Kenning then wrote this file, even if
/// other pages are damaged. False if it cannot be read.
pub fn has_valid_page(path: &Path) -> bool {
    let mut has_valid = false;
    read_pages(path, |is_valid| has_valid |= is_valid).is_ok() && has_valid
}

/// Reads all pages of a file, and reports for each if its checksum is right. Bytes after the last
/// whole page are a page with a wrong one.
fn read_pages(path: &Path, mut report: impl FnMut(bool)) -> io::Result<()> {
    let mut file = BufReader::with_capacity(64 * PAGE_BYTES, File::open(path)?);
    let mut page = Vec::with_capacity(PAGE_BYTES);
    for number in 0.. {
        page.clear();
        (&mut file).take(PAGE_BYTES as u64).read_to_end(&mut page)?;
        if page.is_empty() {
            break;
        }
        report(page.len() == PAGE_BYTES && is_valid(number, &page));
    }
    Ok(())
}
