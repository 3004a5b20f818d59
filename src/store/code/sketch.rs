//! Vectors of four bits per dimension, to find out cheaply which of many are worth a look: half the
//! memory to read, which is what a scan takes its time for. Made of a page when it is read; not stored.
//!
//! A sketch says nearly what its vector says. By how much it errs is known: each value by an amount
//! that is evenly spread over a step, so that the whole errs like the sum of as many dice. What cannot
//! be among the best by [`SURE`] standard deviations is passed over, and the rest is compared exactly.

use super::bitmap::Bitmap;
use super::dot::dot_halves;
use super::top::{Hit, Top};
use super::vector::{Vector, VectorPage, VectorQuery};

/// One in 30,000 errs by more.
const SURE: f32 = 4.0;

/// A step, in the whole numbers of a vector, and where in it the values of one are on average.
const STEP: i32 = 16;
const MIDDLE: f32 = 7.5;

/// Rows that are multiplied at once.
const GROUP: usize = 32;

/// A page of vectors with its sketch.
#[derive(Default)]
pub struct SketchedPage {
    pub page: VectorPage,
    /// Of each row, byte by byte, a value in the lower half and the one half a row further in the
    /// upper.
    sketch: Vec<u8>,
}

impl SketchedPage {
    pub fn new(page: VectorPage) -> SketchedPage {
        let mut sketch = Vec::with_capacity(page.values.len() / 2 + page.chunks.len());
        let level = |value: i8| (i32::from(value).div_euclid(STEP) + 8) as u8;
        for (_, _, values) in page.rows() {
            let (low, high) = values.split_at(values.len().div_ceil(2));
            let pairs = low.iter().zip(high);
            sketch.extend(pairs.map(|(low, high)| level(*low) | level(*high) << 4));
            if low.len() > high.len() {
                sketch.extend(low.last().map(|last| level(*last)));
            }
        }
        SketchedPage { page, sketch }
    }
}

/// A question as sketches are compared with it: rounded like a vector, which is less than they err.
pub struct SketchQuery<'q> {
    exact: &'q VectorQuery,
    scale: f32,
    low: Vec<i16>,
    high: Vec<i16>,
    /// What the middles of the steps add to every product.
    middle: f32,
    /// By how much a row of scale 1 may err.
    error: f32,
}

impl<'q> SketchQuery<'q> {
    pub fn new(exact: &'q VectorQuery) -> SketchQuery<'q> {
        let values: Vec<f32> = exact.values.iter().map(|value| f32::from(*value)).collect();
        let rounded = Vector::quantise(&values);
        let values: Vec<i16> = rounded
            .values
            .iter()
            .map(|value| i16::from(*value))
            .collect();
        let (low, high) = values.split_at(values.len().div_ceil(2));
        let mut high = high.to_vec();
        high.resize(low.len(), 0);
        let sum: i32 = values.iter().map(|value| i32::from(*value)).sum();
        let squares: f32 = values.iter().map(|value| f32::from(*value).powi(2)).sum();
        // Of a row each value errs within a step, of the question within 1; a value of a row is seldom
        // larger than if all were equally likely.
        let by_rows = (STEP as f32).powi(2) * squares;
        let by_question = values.len() as f32 * 127_f32.powi(2) / 3.0;
        let scale = rounded.scale * exact.scale;
        SketchQuery {
            exact,
            scale,
            low: low.to_vec(),
            high,
            middle: (MIDDLE - (8 * STEP) as f32) * sum as f32,
            error: SURE * scale * ((by_rows + by_question) / 12.0).sqrt(),
        }
    }

    /// Offers to `top`, which is empty, the allowed chunks of these pages that may be among the best.
    pub fn scan(&self, pages: &[&SketchedPage], allowed: &Bitmap, top: &mut Top) {
        let mut scores = Vec::with_capacity(pages.iter().map(|one| one.page.chunks.len()).sum());
        let mut best = Best::new(top.limit());
        for (number, page) in pages.iter().enumerate() {
            self.sketch(page, allowed, &mut scores);
            let first = scores.len() - page.page.chunks.len();
            for (row, score) in scores[first..].iter().enumerate() {
                if *score > best.least {
                    best.offer(*score, (number, row));
                }
            }
        }
        // The last of so many that were really compared: whatever is below that is not among the best.
        let mut first = top.another();
        for (_, (number, row)) in best.rows {
            let page = &pages[number].page;
            first.offer(Hit {
                chunk: page.chunks[row],
                score: page.score(row, self.exact),
            });
        }
        let least = first.threshold();
        let mut scores = scores.iter();
        for page in pages.iter().map(|one| &one.page) {
            for (row, score) in (&mut scores).take(page.chunks.len()).enumerate() {
                if score + self.error * page.scales[row] >= least && *score > f32::NEG_INFINITY {
                    top.offer(Hit {
                        chunk: page.chunks[row],
                        score: page.score(row, self.exact),
                    });
                }
            }
        }
    }

    /// Adds what the sketch of each row says; of a chunk that is not allowed, less than anything.
    fn sketch(&self, page: &SketchedPage, allowed: &Bitmap, scores: &mut Vec<f32>) {
        let width = self.low.len();
        let mut space = [0i32; GROUP];
        for (group, chunks) in page.page.chunks.chunks(GROUP).enumerate() {
            let has_any = || chunks.iter().any(|chunk| allowed.contains(*chunk));
            if !are_all_in(allowed, chunks) && !has_any() {
                scores.extend(chunks.iter().map(|_| f32::NEG_INFINITY));
                continue;
            }
            let first = group * GROUP;
            let products = &mut space[..chunks.len()];
            let rows = first * width..(first + chunks.len()) * width;
            dot_halves((&self.low, &self.high), &page.sketch[rows], products);
            let scales = &page.page.scales[first..];
            let before = scores.len();
            let rows = products.iter().zip(scales);
            scores.extend(rows.map(|(product, scale)| {
                (STEP as f32 * *product as f32 + self.middle) * scale * self.scale
            }));
            if !are_all_in(allowed, chunks) {
                for (score, chunk) in scores[before..].iter_mut().zip(chunks) {
                    if !allowed.contains(*chunk) {
                        *score = f32::NEG_INFINITY;
                    }
                }
            }
        }
    }
}

/// Whether the set has all of them, as far as that is known at once: chunks mostly follow each other.
fn are_all_in(set: &Bitmap, chunks: &[u32]) -> bool {
    let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else {
        return true;
    };
    let count = chunks.len() as u32;
    let is_range = last.wrapping_sub(*first) == count - 1 && chunks.is_sorted_by(|a, b| a < b);
    is_range && set.count_in(*first..last + 1) == count
}

/// The best `limit` rows of a stream, and sometimes a few more.
struct Best {
    limit: usize,
    rows: Vec<(f32, (usize, usize))>,
    /// What is no better need not be offered.
    least: f32,
}

impl Best {
    fn new(limit: usize) -> Best {
        Best {
            limit,
            rows: Vec::with_capacity(limit * 2),
            least: f32::NEG_INFINITY,
        }
    }

    fn offer(&mut self, score: f32, row: (usize, usize)) {
        self.rows.push((score, row));
        if self.rows.len() >= self.limit.max(1) * 2 {
            let last = self.limit.max(1) - 1;
            let worst = self
                .rows
                .select_nth_unstable_by(last, |a, b| b.0.total_cmp(&a.0));
            self.least = worst.1.0;
            self.rows.truncate(self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::Catalog;
    use super::super::testing::Random;
    use super::*;

    const ROWS: u32 = 3000;

    /// Pages of vectors that `make` draws, and which of them are allowed.
    fn pages(
        random: &mut Random,
        make: impl Fn(&mut Random) -> Vec<f32>,
    ) -> (Vec<SketchedPage>, Bitmap) {
        let mut allowed = Bitmap::default();
        let mut pages = vec![VectorPage::default()];
        for chunk in 0..ROWS {
            if chunk % 1000 == 999 {
                pages.push(VectorPage::default());
            }
            let vector = Vector::quantise(&make(random));
            let page = pages.last_mut().unwrap();
            page.push(chunk, vector.scale, &vector.values);
            if random.below(5) > 0 {
                allowed.insert(chunk);
            }
        }
        (pages.into_iter().map(SketchedPage::new).collect(), allowed)
    }

    /// The same chunks with the same scores, in the same order, as when every one is compared.
    fn check(seed: u64, make: impl Fn(&mut Random) -> Vec<f32>) {
        let mut random = Random::new(seed);
        let (pages, allowed) = pages(&mut random, &make);
        let catalog = Catalog::default();
        for limit in [0, 1, 10, 100, 2000, 4000] {
            let query = VectorQuery::new(&make(&mut random));
            let mut all = Top::new(limit, &catalog);
            for page in &pages {
                page.page.scan(&query, &allowed, &mut all);
            }
            let mut best = Top::new(limit, &catalog);
            let pages: Vec<&SketchedPage> = pages.iter().collect();
            SketchQuery::new(&query).scan(&pages, &allowed, &mut best);
            assert_eq!(best.into_hits(), all.into_hits(), "{seed} {limit}");
        }
    }

    #[test]
    fn the_best_are_those_of_a_scan_of_all() {
        let even = |dimension: usize| {
            move |random: &mut Random| -> Vec<f32> {
                (0..dimension).map(|_| random.signed()).collect()
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
            shared
                .zip(values)
                .map(|(shared, own)| shared + 0.4 * own)
                .collect()
        });
    }

    #[test]
    fn few_are_compared_with_the_question_itself() {
        let mut random = Random::new(9);
        let make =
            |random: &mut Random| -> Vec<f32> { (0..256).map(|_| random.signed()).collect() };
        let (pages, allowed) = pages(&mut random, make);
        let query = VectorQuery::new(&make(&mut random));
        let sketch = SketchQuery::new(&query);
        let mut scores = Vec::new();
        pages
            .iter()
            .for_each(|page| sketch.sketch(page, &allowed, &mut scores));
        let scales = pages.iter().flat_map(|page| &page.page.scales);
        let mut sorted = scores.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let near = scores.iter().zip(scales);
        let near = near.filter(|(score, scale)| *score + sketch.error * *scale >= sorted[30]);
        assert!(near.count() < 200);
    }
}
