//! The BM25 retriever: sums the weights of the query's terms for each chunk of a segment and keeps
//! the best chunks.
//!
//! The weights were computed when a chunk was indexed (`kenning_text::bm25`) and are stored as one
//! byte. What is left to do here is `score = Σ idf · query weight · stored weight`.
//!
//! It accumulates term by term, window by window: the sums of [`WINDOW`] neighbouring chunks stay
//! in the L1 cache (16 KiB) while every list adds to them. Windows that no list reaches, or in
//! which the filter accepts nothing, are skipped.

use std::ops::Range;

use super::bitmap::Bitmap;
use super::hit::TopHits;
use super::postings::{BLOCK, Blocks, PostingBlock};
use super::varint::Malformed;
use kenning_text::bm25::WEIGHT_STEP;

// A power of two, so that `id % WINDOW` is a mask.
const WINDOW: usize = 4096;

/// The posting list of one query term in one segment.
pub struct TermList<'a> {
    pub postings: &'a [u8],
    /// The weight of the term: its idf times its weight in the query.
    pub factor: f32,
}

/// The sums of one window. All are 0 between two calls of [`score_segment`]; the caller keeps it to
/// save the allocation.
pub struct ScoreWindow(Box<[f32; WINDOW]>);

impl Default for ScoreWindow {
    fn default() -> ScoreWindow {
        ScoreWindow(Box::new([0.0; WINDOW]))
    }
}

/// Offers to `top` each chunk of the segment that begins at id `base`, holds one of the terms and
/// is `allowed`.
pub fn score_segment(
    base: u32,
    terms: &[TermList],
    allowed: &Bitmap,
    sums: &mut ScoreWindow,
    top: &mut TopHits,
) -> Result<(), Malformed> {
    let mut cursors =
        terms.iter().map(PostingCursor::open).collect::<Result<Vec<PostingCursor>, Malformed>>()?;
    while let Some(head) = cursors.iter().filter_map(PostingCursor::head).min() {
        let start = head - head % WINDOW as u32;
        let end = start.saturating_add(WINDOW as u32);
        let from = base.saturating_add(start);
        if allowed.has_any_in(from..base.saturating_add(end)) {
            for cursor in &mut cursors {
                cursor.add_until(end, &mut sums.0)?;
            }
            offer_scores(&mut sums.0, from, allowed, top);
        } else {
            for cursor in &mut cursors {
                cursor.skip_until(end)?;
            }
        }
    }
    Ok(())
}

/// Offers the sums of a window to `top` and sets them back to zero. Checks `STRIPE` sums at once
/// first, because most stripes have no candidate.
fn offer_scores(sums: &mut [f32; WINDOW], from: u32, allowed: &Bitmap, top: &mut TopHits) {
    const STRIPE: usize = 32;
    for (stripe, values) in sums.as_chunks_mut::<STRIPE>().0.iter_mut().enumerate() {
        // A sum of exactly 0 means that no term occurred in the chunk.
        let least = top.threshold().max(f32::MIN_POSITIVE);
        if values.iter().fold(false, |any, score| any | (*score >= least)) {
            for (at, &score) in values.iter().enumerate() {
                let chunk = from + (stripe * STRIPE + at) as u32;
                if score >= least && score >= top.threshold() && allowed.contains(chunk) {
                    top.offer(chunk, score);
                }
            }
        }
        values.fill(0.0);
    }
}

/// A position in one posting list. `ids` and `weights` belong to the current block; `at` is the
/// index of the next posting in it.
struct PostingCursor<'a> {
    blocks: Blocks<'a>,
    factor: f32,
    ids: [u32; BLOCK],
    weights: &'a [u8],
    at: usize,
}

impl<'a> PostingCursor<'a> {
    fn open(term: &TermList<'a>) -> Result<PostingCursor<'a>, Malformed> {
        let mut cursor = PostingCursor {
            blocks: Blocks::open(term.postings)?,
            factor: term.factor * WEIGHT_STEP,
            ids: [0; BLOCK],
            weights: &[],
            at: 0,
        };
        let first = cursor.blocks.next_block()?;
        cursor.enter_block(first)?;
        Ok(cursor)
    }

    /// Decodes a block and stands on its first posting. `None` means that the list has ended: then
    /// there are no weights, and so no head.
    fn enter_block(&mut self, block: Option<PostingBlock<'a>>) -> Result<(), Malformed> {
        self.at = 0;
        self.weights = &[];
        if let Some(block) = block {
            block.decode_ids(&mut self.ids)?;
            self.weights = block.weights;
        }
        Ok(())
    }

    /// Returns the id of the next posting, relative to the segment.
    fn head(&self) -> Option<u32> {
        (self.at < self.weights.len()).then(|| self.ids[self.at])
    }

    /// Returns the index in the current block at which the ids from `end` on begin.
    fn split_at_id(&self, end: u32) -> usize {
        let ids = &self.ids[..self.weights.len()];
        match ids.last() {
            Some(last) if *last >= end => self.at + ids[self.at..].partition_point(|id| *id < end),
            _ => ids.len(),
        }
    }

    /// Adds the weights of all postings below `end` to the window. The caller guarantees that all
    /// of them lie in one window.
    fn add_until(&mut self, end: u32, sums: &mut [f32; WINDOW]) -> Result<(), Malformed> {
        while self.head().is_some_and(|head| head < end) {
            let split = self.split_at_id(end);
            let ids = &self.ids[self.at..split];
            for (id, weight) in ids.iter().zip(&self.weights[self.at..split]) {
                sums[*id as usize % WINDOW] += self.factor * f32::from(*weight);
            }
            self.at = split;
            if self.head().is_none() {
                let next = self.blocks.next_block()?;
                self.enter_block(next)?;
            }
        }
        Ok(())
    }

    /// Skips all postings below `end`. Whole blocks are skipped by their last id, without decoding.
    fn skip_until(&mut self, end: u32) -> Result<(), Malformed> {
        while self.head().is_some_and(|head| head < end) {
            self.at = self.split_at_id(end);
            if self.head().is_none() {
                let mut next = self.blocks.next_block()?;
                while next.as_ref().is_some_and(|block| block.last < end) {
                    next = self.blocks.next_block()?;
                }
                self.enter_block(next)?;
            }
        }
        Ok(())
    }
}

/// Sets `within[i]` for each range `i` that contains a chunk of the list, whose ids begin at
/// `base`.
///
/// The ranges ascend and do not overlap. Tombstones count too: a caller asks for the ranges of
/// files that are alive, and their chunks live and die together.
pub fn mark_ranges(
    postings: &[u8],
    base: u32,
    ranges: &[Range<u32>],
    within: &mut [bool],
) -> Result<(), Malformed> {
    let mut blocks = Blocks::open(postings)?;
    let mut space = [0; BLOCK];
    // Those before are behind every block that comes.
    let mut at = 0;
    while let Some(block) = blocks.next_block()? {
        let (first, last) = (base + block.first, base.saturating_add(block.last));
        // Blocks ascend, so a range that ends before this block ends before all later ones.
        at += ranges[at..].partition_point(|range| range.end <= first);
        let touched = ranges[at..].partition_point(|range| range.start <= last);
        if touched == 0 {
            continue;
        }
        let mut ids = block.decode_ids(&mut space)?;
        for place in at..at + touched {
            let range = &ranges[place];
            ids = &ids[ids.partition_point(|id| base + id < range.start)..];
            within[place] |= ids.first().is_some_and(|id| base + id < range.end);
        }
    }
    Ok(())
}

/// Counts the postings of chunks in `dead`, which is sorted and relative to the segment. Decodes
/// only the blocks that may contain one, so a list without tombstones costs one pass over block
/// heads.
pub fn count_dead(postings: &[u8], dead: &[u32]) -> Result<u32, Malformed> {
    let mut blocks = Blocks::open(postings)?;
    let mut space = [0; BLOCK];
    let mut dead = dead;
    let mut count = 0;
    while let Some(block) = blocks.next_block()? {
        dead = &dead[dead.partition_point(|id| *id < block.first)..];
        match dead.first() {
            None => break,
            Some(id) if *id > block.last => {}
            Some(_) => {
                let ids = block.decode_ids(&mut space)?;
                let here = &dead[..dead.partition_point(|id| *id <= block.last)];
                count += count_common(ids, here);
            }
        }
    }
    Ok(count)
}

/// Counts the ids that two sorted lists share: a binary search for each id of the shorter one.
fn count_common(left: &[u32], right: &[u32]) -> u32 {
    let (few, many) = if left.len() < right.len() { (left, right) } else { (right, left) };
    few.iter().filter(|id| many.binary_search(id).is_ok()).count() as u32
}

#[cfg(test)]
mod tests {
    use super::super::file_filter::FileTable;
    use super::super::postings::{Posting, encode};
    use super::*;
    use kenning_testing::Random;

    fn random_list(random: &mut Random, chunks: u32, one_in: u32) -> Vec<Posting> {
        let ids: Vec<u32> = (0..chunks).filter(|_| random.next_below(one_in) == 0).collect();
        ids.into_iter().map(|id| (id, 1 + random.next_below(255) as u8)).collect()
    }

    #[test]
    fn ranges_are_marked_as_by_a_loop() {
        let mut random = Random::new(5);
        for one_in in [1, 7, 400] {
            let list = random_list(&mut random, 3000, one_in);
            let base = random.next_below(500);
            let mut end = 0;
            let ranges: Vec<Range<u32>> = (0..60)
                .map(|_| {
                    let start = end + random.next_below(60);
                    end = start + random.next_below(40);
                    start..end
                })
                .collect();
            let has = |range: &Range<u32>| list.iter().any(|(id, _)| range.contains(&(base + id)));
            let expected: Vec<bool> = ranges.iter().map(has).collect();
            let mut within = vec![false; ranges.len()];
            mark_ranges(&encode(&list), base, &ranges, &mut within).unwrap();
            assert_eq!(within, expected);
        }
    }

    #[test]
    fn sums_are_those_of_a_loop() {
        let mut random = Random::new(3);
        for (chunks, limit) in [(1, 5), (300, 10), (4096, 7), (20_000, 50)] {
            let base = random.next_below(9000);
            let lists: Vec<Vec<Posting>> =
                [1, 3, 50, 5000].map(|one_in| random_list(&mut random, chunks, one_in)).into();
            let factors = [0.1, 0.9, 3.5, 7.0];
            let mut allowed = Bitmap::default();
            let window = random.next_below(chunks)..chunks;
            window.filter(|id| id % 5 != 2).for_each(|id| allowed.insert(base + id));

            let mut naive = vec![0.0f32; chunks as usize];
            for (list, factor) in lists.iter().zip(factors) {
                for (id, weight) in list {
                    naive[*id as usize] += factor * WEIGHT_STEP * f32::from(*weight);
                }
            }
            let file_table = FileTable::default();
            let mut expected = TopHits::new(limit, &file_table);
            for (id, &score) in (base..).zip(&naive) {
                if score > 0.0 && allowed.contains(id) {
                    expected.offer(id, score);
                }
            }
            let encoded: Vec<Vec<u8>> = lists.iter().map(|list| encode(list)).collect();
            let terms: Vec<TermList> = encoded
                .iter()
                .zip(factors)
                .map(|(postings, factor)| TermList { postings, factor })
                .collect();
            let mut top = TopHits::new(limit, &file_table);
            score_segment(base, &terms, &allowed, &mut ScoreWindow::default(), &mut top).unwrap();
            assert_eq!(top.into_sorted(), expected.into_sorted());
        }
    }

    #[test]
    fn the_dead_are_counted() {
        let mut random = Random::new(4);
        for one_in in [1, 7, 900] {
            let list = random_list(&mut random, 5000, one_in);
            for dead_one_in in [1, 40, 3000] {
                let dead: Vec<u32> =
                    (0..5000).filter(|_| random.next_below(dead_one_in) == 0).collect();
                let expected = list.iter().filter(|(id, _)| dead.contains(id)).count();
                assert_eq!(count_dead(&encode(&list), &dead), Ok(expected as u32));
            }
        }
    }

    #[test]
    fn damaged_lists_are_an_error_and_not_a_panic() {
        let mut random = Random::new(5);
        let mut allowed = Bitmap::default();
        allowed.insert_range(0..100_000);
        for _ in 0..3000 {
            let mut postings = encode(&random_list(&mut random, 2000, 3));
            let at = random.next_below(postings.len() as u32) as usize;
            postings[at] = random.next_below(256) as u8;
            let terms = [TermList { postings: &postings, factor: 1.0 }];
            let file_table = FileTable::default();
            let mut top = TopHits::new(10, &file_table);
            let _ = score_segment(7, &terms, &allowed, &mut ScoreWindow::default(), &mut top);
            let _ = count_dead(&postings, &[5, 80, 90, 1999, 70_000]);
        }
    }
}
