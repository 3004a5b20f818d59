//! Segments of postings. Each transaction writes one; tiered merging keeps their number at or below
//! [`MAX_SEGMENTS`].
//!
//! Each segment owns a range of chunk ids. The ranges do not overlap, and only neighbours are
//! merged: their lists are concatenated and the weights are copied, so a merge changes no score.
//! Tombstones are dropped in a merge. The word index and the symbol names of a segment are written
//! and merged with it.

use std::ops::Range;

use rusqlite::{Connection, params};

use super::bitmap::Bitmap;
use super::collection_counters::{Counters, bytes_to_words, words_to_bytes};
use super::error::{StatementError, StoreResult};
use super::posting_rows::{self, PostingRowBuilder};
use super::postings::{self, Posting};
use super::varint::Malformed;
use super::{symbol_names, word_index};

/// The most segments. Beyond it the newest are merged.
pub const MAX_SEGMENTS: usize = 16;
/// A segment is rewritten if more than one in this many of its chunks is a tombstone.
// Lower would rewrite segments too often, higher would leave more tombstones for the scorers to
// skip.
const DEAD_ONE_IN: u32 = 4;

/// A row of the table `segments`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub id: u32,
    pub chunks: Range<u32>,
    /// Relative to the first chunk of the segment: those that it has postings for.
    pub written_chunks: Bitmap,
}

impl Segment {
    /// Returns the chunks that were replaced since the segment was written, relative to its first.
    pub fn tombstones(&self, alive: &Bitmap) -> Vec<u32> {
        let base = self.chunks.start;
        let present = self.written_chunks.iter_in(0..self.chunks.end - base);
        present.filter(|id| !alive.contains(base + id)).collect()
    }

    /// Counts its alive chunks.
    fn count_alive(&self, alive: &Bitmap) -> u32 {
        alive.count_in(self.chunks.clone())
    }
}

/// The postings of one transaction, until they are written as a segment.
#[derive(Default)]
pub struct NewPostings {
    /// `term << 32 | chunk << 8 | weight`, with the chunk relative to the segment's first. Sorting
    /// the numbers sorts by term, then by chunk, then by weight.
    packed: Vec<u64>,
}

impl NewPostings {
    /// Adds a posting. Fails at 2²⁴ chunks in one transaction, which the packed form cannot hold.
    pub fn add(&mut self, term: u32, chunk: u32, weight: u8) -> StoreResult<()> {
        if chunk >= 1 << 24 {
            return Err(StatementError::InvalidArgument(
                "too many chunks in one transaction".to_string(),
            ));
        }
        self.packed.push(u64::from(term) << 32 | u64::from(chunk) << 8 | u64::from(weight));
        Ok(())
    }

    /// Writes a segment for `chunks`, all of them alive, and returns its id.
    pub fn write(
        mut self,
        connection: &Connection,
        state: &mut Counters,
        chunks: Range<u32>,
    ) -> rusqlite::Result<u32> {
        self.packed.sort_unstable();
        let mut writer = SegmentWriter::begin(connection, state)?;
        let mut list: Vec<Posting> = Vec::new();
        for same_term in self.packed.chunk_by(|a, b| a >> 32 == b >> 32) {
            list.clear();
            for packed in same_term {
                let (chunk, weight) = ((packed >> 8) as u32 & 0xff_ffff, *packed as u8);
                // A term that was given twice counts as the heavier one, which sorts last.
                match list.last_mut() {
                    Some(last) if last.0 == chunk => last.1 = weight,
                    _ => list.push((chunk, weight)),
                }
            }
            writer.put_list((same_term[0] >> 32) as u32, &list)?;
        }
        let mut present = Bitmap::default();
        present.insert_range(0..chunks.end - chunks.start);
        let id = writer.id;
        writer.finish(chunks, &present)?;
        Ok(id)
    }
}

/// Loads all segments, by their chunks.
pub fn load(connection: &Connection) -> StoreResult<Vec<Segment>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, first_chunk, end_chunk, chunk_bitset FROM segments ORDER BY first_chunk",
    )?;
    let mut rows = statement.query([])?;
    let mut segments = Vec::new();
    while let Some(row) = rows.next()? {
        let (base, end): (u32, u32) = (row.get(1)?, row.get(2)?);
        if end < base {
            return Err(Malformed.into());
        }
        segments.push(Segment {
            id: row.get(0)?,
            chunks: base..end,
            written_chunks: Bitmap::from_words(bytes_to_words(
                row.get_ref(3)?.as_blob().map_err(|_| Malformed)?,
            )),
        });
    }
    Ok(segments)
}

/// Returns the encoded posting list of a term in a segment; `None` if it has none. One lookup in
/// the table.
pub fn read_list(connection: &Connection, segment: u32, term: u32) -> StoreResult<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached(
        "SELECT lists FROM postings WHERE key BETWEEN ? AND ? ORDER BY key LIMIT 1",
    )?;
    let mut rows = statement.query([row_key(segment, term), row_key(segment, u32::MAX)])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let row = row.get_ref(0)?.as_blob().map_err(|_| Malformed)?;
    for found in posting_rows::read_lists(row) {
        let (of, list) = found?;
        if of >= term {
            return Ok((of == term).then(|| list.to_vec()));
        }
    }
    Ok(None)
}

/// Removes segments without alive chunks, merges the newest if there are too many, and rewrites
/// those with too many tombstones.
pub fn merge_due(connection: &Connection, state: &mut Counters, alive: &Bitmap) -> StoreResult<()> {
    let segments = load(connection)?;
    let (segments, empty): (Vec<Segment>, Vec<Segment>) =
        segments.into_iter().partition(|segment| segment.count_alive(alive) > 0);
    for segment in empty {
        remove(connection, segment.id)?;
    }
    let first_merged = first_to_merge(&segments, alive);
    let (kept, merged) = segments.split_at(first_merged);
    if !merged.is_empty() {
        merge(connection, state, merged, alive)?;
    }
    for segment in kept {
        let written = segment.written_chunks.count();
        if (written - segment.count_alive(alive).min(written)) * DEAD_ONE_IN > written {
            merge(connection, state, std::slice::from_ref(segment), alive)?;
        }
    }
    Ok(())
}

/// Returns the index of the first segment to merge: the newest two, and each older one that is no
/// larger than the sum of those. A chunk is therefore rewritten only together with at least as many
/// others, which makes O(log n) rewrites per chunk.
fn first_to_merge(segments: &[Segment], alive: &Bitmap) -> usize {
    if segments.len() <= MAX_SEGMENTS {
        return segments.len();
    }
    let size = |segment: &Segment| segment.count_alive(alive);
    let mut first = segments.len() - 2;
    let mut merged: u32 = segments[first..].iter().map(size).sum();
    while first > 0 && size(&segments[first - 1]) <= merged {
        first -= 1;
        merged += size(&segments[first]);
    }
    first
}

/// Writes one segment in place of neighbours, without their tombstones.
pub fn merge(
    connection: &Connection,
    state: &mut Counters,
    segments: &[Segment],
    alive: &Bitmap,
) -> StoreResult<()> {
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return Ok(());
    };
    let chunks = first.chunks.start..last.chunks.end;
    let mut writer = SegmentWriter::begin(connection, state)?;
    // Terms are hashes, hence evenly spread: slices of the range of hashes bound the memory.
    let slices = u64::from(alive.count_in(chunks.clone()) / 16_384 + 1);
    for slice in 0..slices {
        let bound = |slice: u64| slice * (1 << 32) / slices;
        let terms = bound(slice)..bound(slice + 1);
        merge_slice(connection, &mut writer, segments, terms, alive)?;
    }
    word_index::merge(connection, writer.id, segments, alive)?;
    symbol_names::merge(connection, writer.id, segments, alive)?;
    let mut present = Bitmap::default();
    let base = chunks.start;
    alive.iter_in(chunks.clone()).for_each(|id| present.insert(id - base));
    writer.finish(chunks, &present)?;
    for segment in segments {
        remove(connection, segment.id)?;
    }
    Ok(())
}

/// Merges the lists of the terms in a range. Reads them all into memory, sorts by term and segment,
/// and concatenates.
fn merge_slice(
    connection: &Connection,
    writer: &mut SegmentWriter,
    segments: &[Segment],
    terms: Range<u64>,
    alive: &Bitmap,
) -> StoreResult<()> {
    let base = segments.first().map_or(0, |segment| segment.chunks.start);
    let mut lists: Vec<(u32, usize, Vec<u8>)> = Vec::new();
    let mut select = connection
        .prepare_cached("SELECT lists FROM postings WHERE key BETWEEN ? AND ? ORDER BY key")?;
    for (segment_index, segment) in segments.iter().enumerate() {
        let first = row_key(segment.id, 0) + terms.start as i64;
        let mut rows = select.query([first, row_key(segment.id, u32::MAX)])?;
        // The key of a row is its last term, so the first and the last row may also hold terms
        // outside of the range.
        let mut is_past_range = false;
        while let Some(row) = rows.next()?.filter(|_| !is_past_range) {
            let row = row.get_ref(0)?.as_blob().map_err(|_| Malformed)?;
            for found in posting_rows::read_lists(row) {
                let (term, list) = found?;
                is_past_range = u64::from(term) >= terms.end;
                if terms.contains(&u64::from(term)) {
                    lists.push((term, segment_index, list.to_vec()));
                }
            }
        }
    }
    lists.sort_unstable_by_key(|(term, segment_index, _)| (*term, *segment_index));
    let mut merged: Vec<Posting> = Vec::new();
    for same_term in lists.chunk_by(|a, b| a.0 == b.0) {
        merged.clear();
        for (_, segment_index, bytes) in same_term {
            let shift = segments[*segment_index].chunks.start - base;
            for (id, weight) in postings::decode(bytes)? {
                let id = id.checked_add(shift).ok_or(Malformed)?;
                if alive.contains(base.saturating_add(id)) {
                    merged.push((id, weight));
                }
            }
        }
        if !merged.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(Malformed.into());
        }
        if !merged.is_empty() {
            writer.put_list(same_term[0].0, &merged)?;
        }
    }
    Ok(())
}

/// Removes a segment with everything that belongs to it.
fn remove(connection: &Connection, segment: u32) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM segments WHERE id = ?")?.execute([segment])?;
    connection
        .prepare_cached("DELETE FROM postings WHERE key >= ? AND key < ?")?
        .execute([row_key(segment, 0), row_key(segment + 1, 0)])?;
    word_index::remove(connection, segment)?;
    symbol_names::remove(connection, segment)
}

/// Returns the key of a row in `postings`. Rows of a segment are adjacent.
fn row_key(segment: u32, term: u32) -> i64 {
    i64::from(segment) << 32 | i64::from(term)
}

/// Puts lists into a new segment, by ascending term so that the table grows at its end.
struct SegmentWriter<'a> {
    connection: &'a Connection,
    insert: rusqlite::CachedStatement<'a>,
    id: u32,
    /// The row that is being filled.
    row: PostingRowBuilder,
}

impl<'a> SegmentWriter<'a> {
    fn begin(
        connection: &'a Connection,
        state: &mut Counters,
    ) -> rusqlite::Result<SegmentWriter<'a>> {
        let id = state.next_segment;
        state.next_segment += 1;
        let insert = connection.prepare_cached("INSERT INTO postings VALUES (?, ?)")?;
        Ok(SegmentWriter { connection, insert, id, row: PostingRowBuilder::default() })
    }

    fn put_list(&mut self, term: u32, list: &[Posting]) -> rusqlite::Result<()> {
        self.row.push_list(term, &postings::encode(list));
        if self.row.is_full() { self.put_row() } else { Ok(()) }
    }

    fn put_row(&mut self) -> rusqlite::Result<()> {
        if let Some((last, row)) = self.row.take_row() {
            self.insert.execute(params![row_key(self.id, last), row])?;
        }
        Ok(())
    }

    fn finish(mut self, chunks: Range<u32>, present: &Bitmap) -> rusqlite::Result<()> {
        self.put_row()?;
        self.connection
            .prepare_cached("INSERT INTO segments VALUES (?, ?, ?, ?)")?
            .execute(params![self.id, chunks.start, chunks.end, words_to_bytes(present.words())])?;
        Ok(())
    }
}
