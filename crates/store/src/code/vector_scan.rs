//! Exhaustive vector search in two passes.
//!
//! The first pass reads only the upper four bits of each value, two thirds of the data, because
//! memory bandwidth decides the time of a scan. Its score is nearly the score of the whole vector,
//! and its error is known: the error of each value is uniform over four steps, so the errors of a
//! row add up like dice. Rows that miss the best by more than [`DEVIATIONS`] standard deviations
//! are skipped; the second pass scores the rest exactly.

use super::bitmap::Bitmap;
use super::dot_product::dot_halves;
use super::hit::TopHits;
use super::vector_page_format::{Vector, VectorPage, VectorQuery};
use kenning_text::top_k::{SmallestFirst, TopK};

/// One in 30,000 errs by more.
// A normally distributed error exceeds four standard deviations upwards in one of 30,000 rows.
const DEVIATIONS: f32 = 4.0;

/// The steps that one unit of the upper four bits spans, and the mean value if those bits are 0. A
/// value is about `STEP * upper + MIDDLE` steps.
const STEP: f32 = 4.0;
const MIDDLE: f32 = -30.5;

/// The mean square of a value, in steps, if all values are equally likely. Mostly it is less.
const SQUARE: f32 = 32.0 * 32.0 / 3.0;

/// Rows that are multiplied at once.
const GROUP: usize = 32;

/// A query prepared for the first pass: rounded like a vector, which errs less than the pass
/// itself.
pub struct VectorScan<'q> {
    exact: &'q VectorQuery,
    scale: f32,
    /// The first half of the rounded query, which meets the low halves of a row's bytes; `high`
    /// meets the high halves.
    low: Vec<i8>,
    high: Vec<i8>,
    /// The share of [`MIDDLE`] in every dot product.
    middle: f32,
    /// The largest likely error of the score of a row of scale 1.
    error: f32,
}

impl<'q> VectorScan<'q> {
    pub fn new(exact: &'q VectorQuery) -> VectorScan<'q> {
        let values: Vec<f32> = exact.values.iter().map(|value| f32::from(*value)).collect();
        let Vector { scale, values } = Vector::quantise(&values);
        let (low, high) = values.split_at(values.len().div_ceil(2));
        let mut high = high.to_vec();
        high.resize(low.len(), 0);
        let sum: i32 = values.iter().map(|value| i32::from(*value)).sum();
        let squares: f32 = values.iter().map(|value| f32::from(*value).powi(2)).sum();
        // Each value of a row errs within four steps, each value of the query within one.
        let by_rows = STEP.powi(2) * squares;
        let by_question = values.len() as f32 * SQUARE;
        let scale = scale * exact.scale;
        VectorScan {
            exact,
            scale,
            low: low.to_vec(),
            high,
            middle: MIDDLE * sum as f32,
            error: DEVIATIONS * scale * ((by_rows + by_question) / 12.0).sqrt(),
        }
    }

    /// Offers to `top`, which must be empty, the allowed chunks of these pages that may be among
    /// the best.
    pub fn run(&self, pages: &[&VectorPage], allowed: &Bitmap, top: &mut TopHits) {
        let rows = pages.iter().map(|page| page.chunks.len()).sum();
        let mut scores = vec![f32::NEG_INFINITY; rows];
        let mut best = TopK::new(top.limit(), &SmallestFirst);
        let mut of_pages = Vec::with_capacity(pages.len());
        let mut rest = scores.as_mut_slice();
        for (number, page) in pages.iter().enumerate() {
            let (scores, after) = rest.split_at_mut(page.chunks.len());
            rest = after;
            self.score_upper_bits(page, allowed, scores);
            offer_all(&mut best, number, scores);
            of_pages.push(scores);
        }
        let mut space = Vec::new();
        let mut compare = |page: &VectorPage, row: usize, top: &mut TopHits| {
            top.offer(page.chunks[row], page.score(row, self.exact, &mut space));
        };
        // The best by upper bits are compared exactly. The worst of them is the threshold: a row whose
        // upper bound is below it is not among the best.
        for ((number, row), _) in best.into_sorted() {
            of_pages[number][row] = f32::NEG_INFINITY;
            compare(pages[number], row, top);
        }
        let least = top.threshold();
        for (page, scores) in pages.iter().zip(of_pages) {
            for (group, scores) in scores.chunks(GROUP).enumerate() {
                let first = group * GROUP;
                let bounds = scores.iter().zip(&page.scales[first..]);
                let may_enter = |(score, scale): (&f32, &f32)| score + self.error * scale >= least;
                if !bounds.clone().fold(false, |any, row| any | may_enter(row)) {
                    continue;
                }
                for (row, (score, scale)) in bounds.enumerate() {
                    if *score > f32::NEG_INFINITY && may_enter((score, scale)) {
                        compare(page, first + row, top);
                    }
                }
            }
        }
    }

    /// Scores each row by its upper bits. The scores are −∞ at the start and stay so for chunks
    /// that are not allowed.
    fn score_upper_bits(&self, page: &VectorPage, allowed: &Bitmap, scores: &mut [f32]) {
        let width = self.low.len();
        let mut space = [0i32; GROUP];
        let groups = page.chunks.chunks(GROUP).zip(scores.chunks_mut(GROUP));
        for (group, (chunks, scores)) in groups.enumerate() {
            let wanted = allowed_bits(allowed, chunks);
            if wanted == 0 {
                continue;
            }
            let first = group * GROUP;
            let products = &mut space[..chunks.len()];
            let rows = first * width..(first + chunks.len()) * width;
            dot_halves((&self.low, &self.high), &page.upper[rows], products);
            let rows = products.iter().zip(&page.scales[first..]);
            for (score, (product, scale)) in scores.iter_mut().zip(rows) {
                *score = (STEP * *product as f32 + self.middle) * scale * self.scale;
            }
            if wanted.count_ones() as usize == chunks.len() {
                continue;
            }
            for (row, score) in scores.iter_mut().enumerate() {
                if wanted >> row & 1 == 0 {
                    *score = f32::NEG_INFINITY;
                }
            }
        }
    }
}

/// Returns a bit for each of at most 64 chunks: set if `set` contains it. Chunks mostly have
/// consecutive ids; then two words of the set are all that is read.
fn allowed_bits(set: &Bitmap, chunks: &[u32]) -> u64 {
    let first = chunks.first().copied().unwrap_or_default();
    let follow = chunks.iter().zip(first..);
    if follow.fold(true, |all, (chunk, next)| all & (*chunk == next)) {
        return set.bits_from(first) & (!0 >> (64 - chunks.len().clamp(1, 64)));
    }
    let each = chunks.iter().enumerate();
    each.fold(0, |bits, (row, chunk)| bits | u64::from(set.contains(*chunk)) << row)
}

/// Offers the scores of a page. Checks a group at once first: most groups have no candidate.
fn offer_all(best: &mut TopK<(usize, usize), SmallestFirst>, page: usize, scores: &[f32]) {
    for (group, scores) in scores.chunks(GROUP).enumerate() {
        let least = best.threshold();
        if !scores.iter().fold(false, |any, score| any | (*score > least)) {
            continue;
        }
        for (row, score) in scores.iter().enumerate() {
            if *score > best.threshold() {
                best.offer((page, group * GROUP + row), *score);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file_filter::FileTable;
    use super::*;
    use kenning_testing::Random;

    const ROWS: u32 = 3000;

    /// Pages of vectors that `make` draws, and which of them are allowed.
    fn pages(
        random: &mut Random,
        make: impl Fn(&mut Random) -> Vec<f32>,
    ) -> (Vec<VectorPage>, Bitmap) {
        let mut allowed = Bitmap::default();
        let mut pages = vec![VectorPage::default()];
        for chunk in 0..ROWS {
            if chunk % 1000 == 999 {
                pages.push(VectorPage::default());
            }
            let vector = Vector::quantise(&make(random));
            let page = pages.last_mut().unwrap();
            page.push(chunk, &vector);
            if random.next_below(5) > 0 {
                allowed.insert(chunk);
            }
        }
        (pages, allowed)
    }

    /// The same chunks with the same scores, in the same order, as when every one is compared.
    fn check(seed: u64, make: impl Fn(&mut Random) -> Vec<f32>) {
        let mut random = Random::new(seed);
        let (pages, allowed) = pages(&mut random, &make);
        let file_table = FileTable::default();
        for limit in [0, 1, 10, 100, 2000, 4000] {
            let query = VectorQuery::new(&make(&mut random));
            let mut all = TopHits::new(limit, &file_table);
            for page in &pages {
                for (row, chunk) in page.chunks.iter().copied().enumerate() {
                    if allowed.contains(chunk) {
                        let score = page.score(row, &query, &mut Vec::new());
                        all.offer(chunk, score);
                    }
                }
            }
            let mut best = TopHits::new(limit, &file_table);
            let pages: Vec<&VectorPage> = pages.iter().collect();
            VectorScan::new(&query).run(&pages, &allowed, &mut best);
            assert_eq!(best.into_sorted(), all.into_sorted(), "{seed} {limit}");
        }
    }

    #[test]
    fn the_best_are_those_of_a_scan_of_all() {
        let even = |dimension: usize| {
            move |random: &mut Random| -> Vec<f32> {
                (0..dimension).map(|_| random.next_signed()).collect()
            }
        };
        check(1, even(256));
        check(2, even(97));
        check(3, even(1));
        // Some values far from the rest, which leave few steps to the others.
        check(4, |random| {
            let mut values = even(128)(random);
            values[7] *= 30.0;
            values
        });
        // All alike but for a little, as vectors of one topic are.
        check(5, |random| {
            let values = even(256)(random);
            let shared = (0..256).map(|at| (at as f32 * 0.7).sin());
            shared.zip(values).map(|(shared, own)| shared + 0.4 * own).collect()
        });
    }

    /// Values that are nothing are not spread over their steps, as the look supposes; there is an
    /// answer all the same.
    #[test]
    fn rows_of_nothing_but_one_value_are_found() {
        let mut page = VectorPage::default();
        let mut allowed = Bitmap::default();
        for chunk in 0..256 {
            let mut alone = vec![0.0; 256];
            alone[chunk as usize] = 1.0;
            page.push(chunk, &Vector::quantise(&alone));
            allowed.insert(chunk);
        }
        let query = VectorQuery::new(&[-1.0 / 16.0; 256]);
        let file_table = FileTable::default();
        let mut top = TopHits::new(10, &file_table);
        VectorScan::new(&query).run(&[&page], &allowed, &mut top);
        let hits = top.into_sorted();
        assert_eq!(hits.len(), 10);
        let is_near = |(_, score): &(u32, f32)| (score + 1.0 / 16.0).abs() < 0.01;
        assert!(hits.iter().all(is_near), "{hits:?}");
    }

    #[test]
    fn few_are_compared_with_the_question_itself() {
        let mut random = Random::new(9);
        let make =
            |random: &mut Random| -> Vec<f32> { (0..256).map(|_| random.next_signed()).collect() };
        let (pages, allowed) = pages(&mut random, make);
        let query = VectorQuery::new(&make(&mut random));
        let scan = VectorScan::new(&query);
        let mut scores = Vec::new();
        for page in &pages {
            let mut of_page = vec![f32::NEG_INFINITY; page.chunks.len()];
            scan.score_upper_bits(page, &allowed, &mut of_page);
            scores.extend(of_page);
        }
        let scales = pages.iter().flat_map(|page| &page.scales);
        let mut sorted = scores.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let near = scores
            .iter()
            .zip(scales)
            .filter(|(score, scale)| *score + scan.error * *scale >= sorted[30]);
        assert!(near.count() < 200);
    }
}
