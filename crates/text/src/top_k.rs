//! Top-k: the best `k` of a stream of scored items, in O(n log k) and without keeping the rest.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The order of items with equal scores. `Less` means that the first item ranks first.
///
/// Without one the answer depends on the order in which items arrive.
pub trait TieBreak<T> {
    /// Compares two items of equal score.
    fn compare(&self, a: &T, b: &T) -> Ordering;
}

/// The tie-break by the items' own order: the smaller one ranks first.
#[derive(Clone, Copy, Debug, Default)]
pub struct SmallestFirst;

impl<T: Ord> TieBreak<T> for SmallestFirst {
    fn compare(&self, a: &T, b: &T) -> Ordering {
        a.cmp(b)
    }
}

/// A collector of the `limit` items with the greatest scores.
///
/// ```
/// use kenning_text::top_k::{SmallestFirst, TopK};
///
/// let mut top = TopK::new(2, &SmallestFirst);
/// for (item, score) in [("pear", 0.5), ("fig", 0.9), ("apple", 0.5)] {
///     top.offer(item, score);
/// }
/// assert_eq!(top.into_sorted(), [("fig", 0.9), ("apple", 0.5)]);
/// ```
pub struct TopK<'t, T, B> {
    limit: usize,
    tie_break: &'t B,
    /// A min-heap: the worst of the best is on top.
    heap: BinaryHeap<Reverse<HeapEntry<'t, T, B>>>,
    threshold: f32,
}

impl<'t, T, B: TieBreak<T>> TopK<'t, T, B> {
    /// Makes an empty collector.
    pub fn new(limit: usize, tie_break: &'t B) -> TopK<'t, T, B> {
        TopK {
            limit,
            tie_break,
            // A caller may ask for everything with a huge limit.
            heap: BinaryHeap::with_capacity(limit.min(4096) + 1),
            threshold: if limit == 0 { f32::INFINITY } else { f32::NEG_INFINITY },
        }
    }

    /// Returns the most items that are kept.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the least score that can still enter. Scorers skip everything below it.
    #[inline]
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Keeps the item if it is among the best so far.
    pub fn offer(&mut self, item: T, score: f32) {
        let entry = HeapEntry { item, score, tie_break: self.tie_break };
        if self.heap.len() < self.limit {
            self.heap.push(Reverse(entry));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && entry > worst.0
        {
            *worst = Reverse(entry);
        } else {
            return;
        }
        if self.heap.len() == self.limit {
            let worst = self.heap.peek();
            self.threshold = worst.map_or(f32::INFINITY, |worst| worst.0.score);
        }
    }

    /// Returns the items with their scores, best first.
    pub fn into_sorted(self) -> Vec<(T, f32)> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|Reverse(entry)| (entry.item, entry.score)).collect()
    }
}

/// An item in the heap. Greater is better. The tie-break is called only if scores are equal, so it
/// may be slow.
struct HeapEntry<'t, T, B> {
    item: T,
    score: f32,
    tie_break: &'t B,
}

impl<T, B: TieBreak<T>> Ord for HeapEntry<'_, T, B> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| self.tie_break.compare(&other.item, &self.item))
    }
}

impl<T, B: TieBreak<T>> PartialOrd for HeapEntry<'_, T, B> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T, B: TieBreak<T>> PartialEq for HeapEntry<'_, T, B> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T, B: TieBreak<T>> Eq for HeapEntry<'_, T, B> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_and_breaks_ties() {
        let scores = [1.0, 3.0, 2.0, 3.0, -1.0, 3.0];
        for limit in 0..8 {
            let mut top = TopK::new(limit, &SmallestFirst);
            for (item, score) in scores.into_iter().enumerate().rev() {
                top.offer(item, score);
            }
            let found: Vec<usize> = top.into_sorted().iter().map(|(item, _)| *item).collect();
            assert_eq!(found, [1, 3, 5, 2, 0, 4][..limit.min(6)]);
        }
    }

    #[test]
    fn the_threshold_rises() {
        let mut top = TopK::new(2, &SmallestFirst);
        let mut thresholds = Vec::new();
        for (item, score) in [1.0, 5.0, 3.0, 2.0].into_iter().enumerate() {
            top.offer(item, score);
            thresholds.push(top.threshold());
        }
        assert_eq!(thresholds, [f32::NEG_INFINITY, 1.0, 3.0, 3.0]);
        let none: TopK<u32, _> = TopK::new(0, &SmallestFirst);
        assert_eq!(none.threshold(), f32::INFINITY);
    }
}
