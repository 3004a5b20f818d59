//! The work that the parser may do for one file: pieces of text, memory and processor time.
//!
//! Steps and memory are counted, so that one text has one outcome on every machine. Some grammars
//! do much work within one step: a scanner that keeps a stack of open tags copies it for every
//! token. Only a clock bounds these. It stops files that take seconds; source written by people
//! does not.

#![allow(unsafe_code)]

use std::alloc::{Layout, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;
use std::time::{Duration, Instant};

use tree_sitter::Allocator;

/// Processor time for all parses of one file.
const MAX_TIME: Duration = Duration::from_millis(1000);

/// The thread's clock costs a system call. It is read no more often than this.
const CLOCK_INTERVAL: Duration = Duration::from_millis(5);

/// Memory that every parse may hold, in bytes.
const BASE_MEMORY: i64 = 32 << 20;

/// Further memory for each byte of text, in bytes. Source written by people took up to 54: 1,994
/// files of 27 projects.
const MEMORY_PER_BYTE: i64 = 96;

/// The most memory that a parse may hold, in bytes.
const MAX_MEMORY: i64 = 224 << 20;

thread_local! {
    /// The bytes that tree-sitter allocated on this thread, less those that it freed on it.
    static ALLOCATED: Cell<i64> = const { Cell::new(0) };
}

/// The processor time of all parses of one file.
pub struct ParseClock {
    start: Duration,
    checked: Cell<Instant>,
    is_over: Cell<bool>,
}

impl ParseClock {
    /// Starts the clock of the current thread.
    pub fn start() -> ParseClock {
        let checked = Cell::new(Instant::now());
        ParseClock { start: thread_time(), checked, is_over: Cell::new(false) }
    }

    /// True if the file has used up its time.
    pub fn is_over(&self) -> bool {
        if !self.is_over.get() && self.checked.get().elapsed() > CLOCK_INTERVAL {
            self.checked.set(Instant::now());
            self.is_over.set(thread_time().saturating_sub(self.start) > MAX_TIME);
        }
        self.is_over.get()
    }
}

/// Returns the processor time of this thread. A busy machine does not use up a file's time.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}

/// Returns the time since the first call, as there is no portable clock of a thread.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// The memory that one parse may allocate.
pub struct MemoryBudget {
    limit: i64,
}

impl MemoryBudget {
    /// Starts the budget of a parse on the current thread.
    pub fn start(text: &str) -> MemoryBudget {
        let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
        let allowed = BASE_MEMORY.saturating_add(MEMORY_PER_BYTE.saturating_mul(bytes));
        MemoryBudget { limit: ALLOCATED.get().saturating_add(allowed.min(MAX_MEMORY)) }
    }

    /// True if the parse holds more memory than it may. Always false in a program that did not call
    /// [`count_parser_memory`].
    pub fn is_over(&self) -> bool {
        ALLOCATED.get() > self.limit
    }
}

/// Makes the parser count its memory, so that a parse that takes too much ends. A program calls it
/// first, before it starts a thread or parses anything.
///
/// ```
/// kenning_lang::code::count_parser_memory();
/// ```
pub fn count_parser_memory() {
    static INSTALLED: Once = Once::new();
    let allocator = Allocator {
        malloc: counted_malloc,
        calloc: counted_calloc,
        realloc: counted_realloc,
        free: counted_free,
    };
    // SAFETY: The four functions belong together: each block begins with a header that all of them
    // know. None returns null, and blocks are aligned as `malloc` aligns them. The program calls
    // this before it uses tree-sitter and before it has a second thread; `Once` allows no second
    // call.
    INSTALLED.call_once(|| unsafe { tree_sitter::set_allocator(Some(allocator)) });
}

/// Each block begins with its size. The header is as large as the alignment of `malloc`.
const HEADER_BYTES: usize = 16;

/// The layout of a block with its header.
fn block_layout(size: usize) -> Layout {
    let whole = size.checked_add(HEADER_BYTES);
    let layout = whole.map(|whole| Layout::from_size_align(whole, HEADER_BYTES));
    match layout {
        Some(Ok(layout)) => layout,
        // There is no valid result, and tree-sitter does not accept null.
        _ => std::process::abort(),
    }
}

/// Adds to the bytes of this thread. A thread that ends may free after its counter is gone.
fn count_bytes(size: usize, sign: i64) {
    let bytes = i64::try_from(size).unwrap_or(i64::MAX);
    let _ = ALLOCATED.try_with(|sum| sum.set(sum.get().saturating_add(sign * bytes)));
}

/// Writes the header of a new block and returns the memory behind it.
///
/// # Safety
///
/// `block` was allocated with the layout of `size`, or is null.
unsafe fn finish_block(block: *mut u8, size: usize) -> *mut c_void {
    if block.is_null() {
        handle_alloc_error(block_layout(size));
    }
    count_bytes(size, 1);
    // SAFETY: The block is at least a header long and aligned for it.
    unsafe {
        block.cast::<usize>().write(size);
        block.add(HEADER_BYTES).cast()
    }
}

unsafe extern "C" fn counted_malloc(size: usize) -> *mut c_void {
    // SAFETY: The layout is never empty, and the block is new.
    unsafe { finish_block(std::alloc::alloc(block_layout(size)), size) }
}

unsafe extern "C" fn counted_calloc(count: usize, size: usize) -> *mut c_void {
    let size = count.saturating_mul(size);
    // SAFETY: The layout is never empty, and the block is new.
    unsafe { finish_block(std::alloc::alloc_zeroed(block_layout(size)), size) }
}

unsafe extern "C" fn counted_realloc(memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() {
        // SAFETY: `malloc` has no precondition.
        return unsafe { counted_malloc(size) };
    }
    // SAFETY: `memory` lies behind a header that `finish_block` wrote, in a block of that layout.
    unsafe {
        let block = memory.cast::<u8>().sub(HEADER_BYTES);
        let old = block.cast::<usize>().read();
        count_bytes(old, -1);
        let whole = block_layout(size).size();
        finish_block(std::alloc::realloc(block, block_layout(old), whole), size)
    }
}

unsafe extern "C" fn counted_free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: `memory` lies behind a header that `finish_block` wrote, in a block of that layout.
    unsafe {
        let block = memory.cast::<u8>().sub(HEADER_BYTES);
        let size = block.cast::<usize>().read();
        count_bytes(size, -1);
        std::alloc::dealloc(block, block_layout(size));
    }
}
