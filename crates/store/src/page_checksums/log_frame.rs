//! The frames of SQLite's write-ahead log. Each holds one page.
//!
//! A frame's checksum continues that of the frame before it. SQLite verifies the chain when it
//! recovers a log, and never again. Here a frame is verified when its page is read.

use super::checksum::PAGE_BYTES;

const LOG_HEADER_BYTES: i64 = 32;
const FRAME_HEADER_BYTES: i64 = 24;
const FRAME_BYTES: i64 = FRAME_HEADER_BYTES + PAGE_BYTES as i64;

/// A frame that is about to be verified: the places of what its checksum depends on.
pub(super) struct LogFrame {
    /// The offset of the frame's header.
    pub(super) header: i64,
    /// The offset of the checksum that this one continues.
    pub(super) previous_checksum: i64,
}

impl LogFrame {
    /// Returns the frame whose page lies at an offset; `None` if no page begins there.
    pub(super) fn at_page(offset: i64, bytes: usize) -> Option<LogFrame> {
        let header = offset - FRAME_HEADER_BYTES;
        let is_page = bytes == PAGE_BYTES
            && header >= LOG_HEADER_BYTES
            && (header - LOG_HEADER_BYTES) % FRAME_BYTES == 0;
        let previous_checksum = if header == LOG_HEADER_BYTES {
            LOG_HEADER_BYTES - 8
        } else {
            header - FRAME_BYTES + 16
        };
        is_page.then_some(LogFrame { header, previous_checksum })
    }
}

/// True if the header's checksum is that of the page, continued from `previous`.
pub(super) fn is_valid(previous: &[u8; 8], header: &[u8; 24], page: &[u8]) -> bool {
    let mut sums = (big_endian(previous, 0), big_endian(previous, 4));
    for pair in header[..8].chunks_exact(8).chain(page.chunks_exact(8)) {
        // The log's magic number names the byte order of its writer. That is the order of this
        // machine: a log is not moved to another.
        sums.0 = sums.0.wrapping_add(native_endian(pair, 0)).wrapping_add(sums.1);
        sums.1 = sums.1.wrapping_add(native_endian(pair, 4)).wrapping_add(sums.0);
    }
    sums == (big_endian(header, 16), big_endian(header, 20))
}

fn big_endian(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn native_endian(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The frames that one connection wrote and did not commit yet. SQLite may write a page of a long
/// transaction twice, in one frame. Until the commit, the checksums from there on are wrong.
#[derive(Default)]
pub(super) struct UncommittedFrames {
    /// The offset of the first such frame.
    first: Option<i64>,
    /// The offset of the page that completes a commit: its header was just written.
    last_page: Option<i64>,
}

impl UncommittedFrames {
    /// Notes a write to the log.
    pub(super) fn record_write(&mut self, bytes: &[u8], offset: i64) {
        if bytes.len() as i64 == FRAME_HEADER_BYTES {
            // A commit's last frame has the new size of the database.
            let is_commit = bytes[4..8] != [0; 4];
            self.last_page = is_commit.then_some(offset + FRAME_HEADER_BYTES);
        } else if self.last_page.take() == Some(offset) {
            self.first = None;
        } else if let Some(frame) = LogFrame::at_page(offset, bytes.len()) {
            self.first = Some(self.first.map_or(frame.header, |first| first.min(frame.header)));
        }
    }

    pub(super) fn contains(&self, frame: &LogFrame) -> bool {
        self.first.is_some_and(|first| frame.header >= first)
    }
}
