//! A layer between SQLite and the system's files, as SQLite's interface for such layers (VFS) asks.
//!
//! It handles databases and their write-ahead logs. Every other file goes to the system's VFS
//! directly. All functions here are called by SQLite, which keeps the contract of
//! `sqlite3_io_methods`: a file is open from `xOpen` to `xClose`, one thread at a time uses it, and
//! buffers are as long as the call says.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::size_of;
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;
use std::time::SystemTime;

use rusqlite::Connection;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};

use super::checksum::{self, PAGE_BYTES, RESERVED_BYTES};
use super::full_disk::name_full_disk;
use super::log_frame::{self, LogFrame, UncommittedFrames};

const NAME: &CStr = c"kenning-checksums";

/// Registers the layer on first use, and returns its name.
pub(super) fn registered_name() -> rusqlite::Result<&'static CStr> {
    static CODE: OnceLock<c_int> = OnceLock::new();
    match *CODE.get_or_init(register) {
        ffi::SQLITE_OK => Ok(NAME),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// Tells SQLite to leave [`RESERVED_BYTES`] free in each page of a new database.
pub(super) fn reserve_bytes(connection: &Connection) -> rusqlite::Result<()> {
    let mut bytes = RESERVED_BYTES as c_int;
    // SAFETY: the connection is open, the name ends with a zero byte, and this control reads and
    // writes one `int`.
    let code = unsafe {
        let control = ffi::SQLITE_FCNTL_RESERVE_BYTES;
        let bytes = ptr::from_mut(&mut bytes).cast::<c_void>();
        ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), control, bytes)
    };
    match code {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// A file as SQLite sees it. The system's file follows in the same allocation; SQLite allocates as
/// many bytes as [`register`] says.
#[repr(C)]
struct CheckedFile {
    /// SQLite reads the methods from here, so it comes first.
    base: sqlite3_file,
    /// Owned; created in `open` and freed in `close`.
    state: *mut FileState,
}

/// The smallest page that SQLite knows. Shorter reads at the beginning are of the header.
const SMALLEST_PAGE: usize = 512;

/// The distance from a [`CheckedFile`] to the system's file. 16 suits every alignment.
const SYSTEM_FILE_OFFSET: usize = size_of::<CheckedFile>().next_multiple_of(16);

enum FileState {
    Database(DatabaseState),
    Log(UncommittedFrames),
}

#[derive(Default)]
struct DatabaseState {
    path: PathBuf,
    /// One bit for each page of the memory map that was verified.
    verified: Vec<u64>,
    /// The file's size and time when the first of them was verified.
    stamp: Option<(u64, SystemTime)>,
}

impl DatabaseState {
    /// Forgets the verified pages if the file was changed. Called when a transaction begins.
    fn forget_if_changed(&mut self) {
        let metadata = std::fs::metadata(&self.path).ok();
        let stamp = metadata.and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
        if stamp.is_none() || stamp != self.stamp {
            self.verified.clear();
            self.stamp = stamp;
        }
    }

    /// True if the page was verified since the file last changed; else verifies it.
    fn verify_mapped(&mut self, number: u64, page: &[u8]) -> bool {
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        if self.verified.get(word).is_some_and(|bits| bits & bit != 0) {
            return true;
        }
        let is_valid = checksum::is_valid(number, page);
        if is_valid {
            if self.verified.len() <= word {
                self.verified.resize(word + 1, 0);
            }
            self.verified[word] |= bit;
        }
        is_valid
    }
}

/// Returns the number of the page that a read or write of a database is about; `None` if it is
/// about something else.
fn page_number(offset: i64, bytes: c_int) -> Option<u64> {
    let is_page = bytes as usize == PAGE_BYTES && offset % PAGE_BYTES as i64 == 0;
    is_page.then_some(offset as u64 / PAGE_BYTES as u64)
}

fn register() -> c_int {
    // SAFETY: SQLite's default VFS lives as long as the process. The copy is leaked, so it does
    // too, and it is not changed after it is registered.
    unsafe {
        let system = ffi::sqlite3_vfs_find(ptr::null());
        if system.is_null() {
            return ffi::SQLITE_ERROR;
        }
        // The other functions only read settings of the VFS, and the copy has the same settings.
        let mut ours = Box::new(*system);
        ours.szOsFile = (SYSTEM_FILE_OFFSET as c_int) + (*system).szOsFile;
        ours.zName = NAME.as_ptr();
        ours.pNext = ptr::null_mut();
        ours.xOpen = Some(open);
        ffi::sqlite3_vfs_register(Box::into_raw(ours), 0)
    }
}

/// Returns the system's file behind one of ours.
///
/// SAFETY: `file` must be a [`CheckedFile`] that `open` filled.
unsafe fn system_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: the allocation has `szOsFile` bytes, and `open` put the system's file there.
    unsafe { file.byte_add(SYSTEM_FILE_OFFSET) }
}

/// Returns the state of one of our files.
///
/// SAFETY: `file` must be a [`CheckedFile`] that `open` filled, used by this thread only.
unsafe fn state<'f>(file: *mut sqlite3_file) -> &'f mut FileState {
    // SAFETY: `open` stored a valid pointer, and `close` frees it last.
    unsafe { &mut *(*file.cast::<CheckedFile>()).state }
}

/// Calls a method of the system's file. `open` made sure that it has the method.
macro_rules! call_system {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let system = system_file($file);
        match (*(*system).pMethods).$method {
            Some(method) => method(system $(, $argument)*),
            None => ffi::SQLITE_IOERR,
        }
    }};
}

unsafe extern "C" fn open(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes an allocation of `szOsFile` bytes. A file that is neither a database
    // nor a log is the system's own, and starts at the beginning of it.
    unsafe {
        let vfs = ffi::sqlite3_vfs_find(ptr::null());
        let Some(open_system) = vfs.as_ref().and_then(|vfs| vfs.xOpen) else {
            return ffi::SQLITE_ERROR;
        };
        let is_database = flags & ffi::SQLITE_OPEN_MAIN_DB != 0;
        if !is_database && flags & ffi::SQLITE_OPEN_WAL == 0 {
            return open_system(vfs, name, file, flags, out_flags);
        }
        (*file).pMethods = ptr::null();
        let system = file.byte_add(SYSTEM_FILE_OFFSET);
        (*system).pMethods = ptr::null();
        let code = open_system(vfs, name, system, flags, out_flags);
        if (*system).pMethods.is_null() {
            return code;
        }
        let path = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        let state = if is_database {
            FileState::Database(DatabaseState { path: to_path(path), ..DatabaseState::default() })
        } else {
            FileState::Log(UncommittedFrames::default())
        };
        (*file.cast::<CheckedFile>()).state = Box::into_raw(Box::new(state));
        (*file).pMethods = match (*(*system).pMethods).iVersion {
            1 => &METHODS_1,
            2 => &METHODS_2,
            _ => &METHODS_3,
        };
        code
    }
}

#[cfg(unix)]
fn to_path(name: &CStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()))
}

#[cfg(not(unix))]
fn to_path(name: &CStr) -> PathBuf {
    PathBuf::from(name.to_string_lossy().into_owned())
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: see the head of this file. SQLite uses neither the state nor the file afterwards.
    unsafe {
        let code = call_system!(file, xClose);
        let ours = file.cast::<CheckedFile>();
        drop(Box::from_raw((*ours).state));
        (*ours).state = ptr::null_mut();
        code
    }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    buffer: *mut c_void,
    bytes: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: see the head of this file; `buffer` has `bytes` bytes.
    unsafe {
        let content = std::slice::from_raw_parts_mut(buffer.cast::<u8>(), bytes as usize);
        match state(file) {
            FileState::Database(_) => read_database(file, content, offset),
            FileState::Log(uncommitted) => {
                let code = call_system!(file, xRead, buffer, bytes, offset);
                match LogFrame::at_page(offset, bytes as usize) {
                    Some(frame) if code == ffi::SQLITE_OK && !uncommitted.contains(&frame) => {
                        verify_frame(file, &frame, content)
                    }
                    _ => code,
                }
            }
        }
    }
}

/// Reads from a database. SQLite reads pages, the payload of an overflow page without its end, and
/// the beginning of the first page.
///
/// SAFETY: `file` must be an open database of ours.
unsafe fn read_database(file: *mut sqlite3_file, content: &mut [u8], offset: i64) -> c_int {
    let within = (offset % PAGE_BYTES as i64) as usize;
    let number = offset as u64 / PAGE_BYTES as u64;
    if number == 0 && content.len() < SMALLEST_PAGE {
        // SQLite reads the header without a lock, so it may be half written. It reads the page
        // again before it uses anything but the page size.
        let bytes = content.len() as c_int;
        // SAFETY: the buffer has as many bytes as are read.
        return unsafe { call_system!(file, xRead, content.as_mut_ptr().cast(), bytes, offset) };
    }
    if within + content.len() > PAGE_BYTES || number == 0 && content.len() != PAGE_BYTES {
        // A damaged header names another page size.
        return ffi::SQLITE_IOERR_DATA;
    }
    let mut page = [0; PAGE_BYTES];
    let start = offset - within as i64;
    // SAFETY: the buffer has as many bytes as are read.
    let code =
        unsafe { call_system!(file, xRead, page.as_mut_ptr().cast(), PAGE_BYTES as c_int, start) };
    match code {
        // No page is read beyond the end: SQLite knows how many there are.
        ffi::SQLITE_IOERR_SHORT_READ => ffi::SQLITE_IOERR_DATA,
        ffi::SQLITE_OK if checksum::is_valid(number, &page) => {
            content.copy_from_slice(&page[within..within + content.len()]);
            ffi::SQLITE_OK
        }
        ffi::SQLITE_OK => ffi::SQLITE_IOERR_DATA,
        code => code,
    }
}

/// Verifies the page of a frame that was just read from a log.
///
/// SAFETY: `file` must be an open log of ours.
unsafe fn verify_frame(file: *mut sqlite3_file, frame: &LogFrame, page: &[u8]) -> c_int {
    let (mut previous, mut header) = ([0; 8], [0; 24]);
    // SAFETY: the buffers have as many bytes as are read.
    unsafe {
        let before = frame.previous_checksum;
        let code = call_system!(file, xRead, previous.as_mut_ptr().cast(), 8, before);
        if code != ffi::SQLITE_OK {
            return code;
        }
        let code = call_system!(file, xRead, header.as_mut_ptr().cast(), 24, frame.header);
        if code != ffi::SQLITE_OK {
            return code;
        }
    }
    if log_frame::is_valid(&previous, &header, page) {
        ffi::SQLITE_OK
    } else {
        ffi::SQLITE_IOERR_DATA
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    buffer: *const c_void,
    bytes: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: see the head of this file; `buffer` has `bytes` bytes.
    unsafe {
        let content = std::slice::from_raw_parts(buffer.cast::<u8>(), bytes as usize);
        match state(file) {
            FileState::Database(_) => match page_number(offset, bytes) {
                Some(number) => write_page(file, number, content),
                None => name_full_disk(call_system!(file, xWrite, buffer, bytes, offset)),
            },
            FileState::Log(uncommitted) => {
                uncommitted.record_write(content, offset);
                name_full_disk(call_system!(file, xWrite, buffer, bytes, offset))
            }
        }
    }
}

/// Writes a page with its checksum. SQLite's own buffer stays as it is.
///
/// SAFETY: `file` must be an open database of ours.
unsafe fn write_page(file: *mut sqlite3_file, number: u64, content: &[u8]) -> c_int {
    /// The byte of the first page that says how many bytes are reserved in each.
    const RESERVED_AT: usize = 20;
    if number == 0 && content[RESERVED_AT] as usize != RESERVED_BYTES {
        // A database without room for checksums: they would overwrite its content.
        return ffi::SQLITE_IOERR_WRITE;
    }
    let mut page = [0; PAGE_BYTES];
    page.copy_from_slice(content);
    checksum::put(number, &mut page);
    // SAFETY: the buffer has as many bytes as are written.
    unsafe {
        let code = fill_gap(file, number);
        if code != ffi::SQLITE_OK {
            return code;
        }
        let (offset, bytes) = (number as i64 * PAGE_BYTES as i64, PAGE_BYTES as c_int);
        name_full_disk(call_system!(file, xWrite, page.as_ptr().cast(), bytes, offset))
    }
}

/// Writes empty pages between the end of the file and a page beyond it. SQLite leaves free pages
/// out, and copies them with the others.
///
/// SAFETY: `file` must be an open database of ours.
unsafe fn fill_gap(file: *mut sqlite3_file, number: u64) -> c_int {
    let mut size: sqlite3_int64 = 0;
    // SAFETY: the buffers have as many bytes as are written.
    unsafe {
        let code = call_system!(file, xFileSize, &mut size);
        if code != ffi::SQLITE_OK {
            return code;
        }
        let end = size as u64 / PAGE_BYTES as u64;
        for missing in end..number {
            let mut page = [0; PAGE_BYTES];
            checksum::put(missing, &mut page);
            let offset = missing as i64 * PAGE_BYTES as i64;
            let bytes = PAGE_BYTES as c_int;
            let code =
                name_full_disk(call_system!(file, xWrite, page.as_ptr().cast(), bytes, offset));
            if code != ffi::SQLITE_OK {
                return code;
            }
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn fetch(
    file: *mut sqlite3_file,
    offset: sqlite3_int64,
    bytes: c_int,
    page: *mut *mut c_void,
) -> c_int {
    // SAFETY: see the head of this file. A page that the system maps stays mapped until `xUnfetch`.
    unsafe {
        let code = call_system!(file, xFetch, offset, bytes, page);
        let (FileState::Database(database), Some(number)) =
            (state(file), page_number(offset, bytes))
        else {
            return code;
        };
        if code != ffi::SQLITE_OK || (*page).is_null() {
            return code;
        }
        let content = std::slice::from_raw_parts((*page).cast::<u8>(), PAGE_BYTES);
        if database.verify_mapped(number, content) {
            return ffi::SQLITE_OK;
        }
        let _ = call_system!(file, xUnfetch, offset, *page);
        *page = ptr::null_mut();
        ffi::SQLITE_IOERR_DATA
    }
}

unsafe extern "C" fn file_control(
    file: *mut sqlite3_file,
    operation: c_int,
    argument: *mut c_void,
) -> c_int {
    // A hint at the final size would make the system append pages without checksums.
    if operation == ffi::SQLITE_FCNTL_SIZE_HINT {
        return ffi::SQLITE_OK;
    }
    // SAFETY: see the head of this file.
    unsafe { call_system!(file, xFileControl, operation, argument) }
}

unsafe extern "C" fn shm_lock(
    file: *mut sqlite3_file,
    offset: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        let begins_to_read = ffi::SQLITE_SHM_LOCK | ffi::SQLITE_SHM_SHARED;
        if let FileState::Database(database) = state(file)
            && flags == begins_to_read
        {
            database.forget_if_changed();
        }
        call_system!(file, xShmLock, offset, count, flags)
    }
}

/// Defines a method that only passes its call on.
macro_rules! pass_on {
    ($name:ident, $method:ident $(, $argument:ident: $kind:ty)*) => {
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $kind)*) -> c_int {
            // SAFETY: see the head of this file.
            unsafe { name_full_disk(call_system!(file, $method $(, $argument)*)) }
        }
    };
}

pass_on!(truncate, xTruncate, size: sqlite3_int64);
pass_on!(sync, xSync, flags: c_int);
pass_on!(file_size, xFileSize, size: *mut sqlite3_int64);
pass_on!(lock, xLock, level: c_int);
pass_on!(unlock, xUnlock, level: c_int);
pass_on!(check_reserved_lock, xCheckReservedLock, is_reserved: *mut c_int);
pass_on!(sector_size, xSectorSize);
pass_on!(device_characteristics, xDeviceCharacteristics);
pass_on!(shm_map, xShmMap, page: c_int, bytes: c_int, extend: c_int, region: *mut *mut c_void);
pass_on!(shm_unmap, xShmUnmap, is_deleted: c_int);
pass_on!(unfetch, xUnfetch, offset: sqlite3_int64, page: *mut c_void);

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: see the head of this file.
    unsafe {
        let system = system_file(file);
        if let Some(barrier) = (*(*system).pMethods).xShmBarrier {
            barrier(system);
        }
    }
}

/// Our methods, as many as the system's file has.
static METHODS_1: sqlite3_io_methods = methods(1);
static METHODS_2: sqlite3_io_methods = methods(2);
static METHODS_3: sqlite3_io_methods = methods(3);

const fn methods(version: c_int) -> sqlite3_io_methods {
    sqlite3_io_methods {
        iVersion: version,
        xClose: Some(close),
        xRead: Some(read),
        xWrite: Some(write),
        xTruncate: Some(truncate),
        xSync: Some(sync),
        xFileSize: Some(file_size),
        xLock: Some(lock),
        xUnlock: Some(unlock),
        xCheckReservedLock: Some(check_reserved_lock),
        xFileControl: Some(file_control),
        xSectorSize: Some(sector_size),
        xDeviceCharacteristics: Some(device_characteristics),
        xShmMap: Some(shm_map),
        xShmLock: Some(shm_lock),
        xShmBarrier: Some(shm_barrier),
        xShmUnmap: Some(shm_unmap),
        xFetch: Some(fetch),
        xUnfetch: Some(unfetch),
    }
}
