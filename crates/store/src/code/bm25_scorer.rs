//! The words leg: adds up what each term says about each chunk of a segment and keeps the best.
//!
//! Plain accumulation, window by window: the sums of [`WINDOW`] neighbouring chunks stay in the
//! fastest cache while every term adds to them. Windows that no list reaches, or that the filter
//! empties, cost nothing.

use std::ops::Range;

use super::bitmap::Bitmap;
use super::postings::{BLOCK, Blocks, PostingBlock};
use super::top_k::{Hit, TopK};
use super::varint::Malformed;
use kenning_text::bm25::WEIGHT_STEP;

const WINDOW: usize = 4096;

/// One term of a question in one segment.
pub struct TermList<'a> {
    pub postings: &'a [u8],
    /// The weight of the term: its idf times its weight in the query.
    pub factor: f32,
}

/// Sums that are kept from segment to segment to save their allocation.
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
    top: &mut TopK,
) -> Result<(), Malformed> {
    let cursors = terms.iter().map(PostingCursor::open);
    let mut cursors = cursors.collect::<Result<Vec<PostingCursor>, Malformed>>()?;
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

/// Offers the sums of a window and sets them back to zero.
fn offer_scores(sums: &mut [f32; WINDOW], from: u32, allowed: &Bitmap, top: &mut TopK) {
    const STRIPE: usize = 32;
    for (stripe, values) in sums.as_chunks_mut::<STRIPE>().0.iter_mut().enumerate() {
        let least = top.threshold().max(f32::MIN_POSITIVE);
        if values.iter().fold(false, |any, score| any | (*score >= least)) {
            for (at, &score) in values.iter().enumerate() {
                let chunk = from + (stripe * STRIPE + at) as u32;
                if score >= least && score >= top.threshold() && allowed.contains(chunk) {
                    top.offer(Hit { chunk, score });
                }
            }
        }
        values.fill(0.0);
    }
}

/// A place in one list.
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

    fn enter_block(&mut self, block: Option<PostingBlock<'a>>) -> Result<(), Malformed> {
        self.at = 0;
        self.weights = &[];
        if let Some(block) = block {
            block.decode_ids(&mut self.ids)?;
            self.weights = block.weights;
        }
        Ok(())
    }

    fn head(&self) -> Option<u32> {
        (self.at < self.weights.len()).then(|| self.ids[self.at])
    }

    /// Where in the present block the ids from `end` on begin.
    fn split_at_id(&self, end: u32) -> usize {
        let ids = &self.ids[..self.weights.len()];
        match ids.last() {
            Some(last) if *last >= end => self.at + ids[self.at..].partition_point(|id| *id < end),
            _ => ids.len(),
        }
    }

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

/// Sets `within` of each range of chunks of which the list, whose ids begin at `base`, has one. The
/// ranges ascend and share nothing. A chunk that is dead counts too: a file's range has none.
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

/// How many postings of a list are of chunks in `dead`, which is sorted and relative to the
/// segment. Only the blocks in which a dead chunk may be are decoded.
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

/// How many ids two sorted lists share.
fn count_common(left: &[u32], right: &[u32]) -> u32 {
    let (few, many) = if left.len() < right.len() { (left, right) } else { (right, left) };
    few.iter().filter(|id| many.binary_search(id).is_ok()).count() as u32
}

#[cfg(test)]
mod tests {
    use super::super::file_table::FileTable;
    use super::super::postings::{Posting, encode};
    use super::*;
    use kenning_testing::Random;

    fn random_list(random: &mut Random, chunks: u32, one_in: u32) -> Vec<Posting> {
        let ids = (0..chunks).filter(|_| random.below(one_in) == 0);
        let ids: Vec<u32> = ids.collect();
        ids.into_iter().map(|id| (id, 1 + random.below(255) as u8)).collect()
    }

    #[test]
    fn ranges_are_marked_as_by_a_loop() {
        let mut random = Random::new(5);
        for one_in in [1, 7, 400] {
            let list = random_list(&mut random, 3000, one_in);
            let base = random.below(500);
            let mut end = 0;
            let ranges: Vec<Range<u32>> = (0..60)
                .map(|_| {
                    let start = end + random.below(60);
                    end = start + random.below(40);
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
            let base = random.below(9000);
            let lists: Vec<Vec<Posting>> =
                [1, 3, 50, 5000].map(|one_in| random_list(&mut random, chunks, one_in)).into();
            let factors = [0.1, 0.9, 3.5, 7.0];
            let mut allowed = Bitmap::default();
            let window = random.below(chunks)..chunks;
            window.filter(|id| id % 5 != 2).for_each(|id| allowed.insert(base + id));

            let mut naive = vec![0.0f32; chunks as usize];
            for (list, factor) in lists.iter().zip(factors) {
                for (id, weight) in list {
                    naive[*id as usize] += factor * WEIGHT_STEP * f32::from(*weight);
                }
            }
            let catalog = FileTable::default();
            let mut expected = TopK::new(limit, &catalog);
            for (id, &score) in (base..).zip(&naive) {
                if score > 0.0 && allowed.contains(id) {
                    expected.offer(Hit { chunk: id, score });
                }
            }
            let encoded: Vec<Vec<u8>> = lists.iter().map(|list| encode(list)).collect();
            let terms = encoded.iter().zip(factors);
            let terms = terms.map(|(postings, factor)| TermList { postings, factor });
            let terms: Vec<TermList> = terms.collect();
            let mut top = TopK::new(limit, &catalog);
            score_segment(base, &terms, &allowed, &mut ScoreWindow::default(), &mut top).unwrap();
            assert_eq!(top.into_hits(), expected.into_hits());
        }
    }

    #[test]
    fn the_dead_are_counted() {
        let mut random = Random::new(4);
        for one_in in [1, 7, 900] {
            let list = random_list(&mut random, 5000, one_in);
            for dead_one_in in [1, 40, 3000] {
                let dead: Vec<u32> = (0..5000).filter(|_| random.below(dead_one_in) == 0).collect();
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
            let at = random.below(postings.len() as u32) as usize;
            postings[at] = random.below(256) as u8;
            let terms = [TermList { postings: &postings, factor: 1.0 }];
            let catalog = FileTable::default();
            let mut top = TopK::new(10, &catalog);
            let _ = score_segment(7, &terms, &allowed, &mut ScoreWindow::default(), &mut top);
            let _ = count_dead(&postings, &[5, 80, 90, 1999, 70_000]);
        }
    }
}
