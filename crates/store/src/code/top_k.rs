//! The best `k` of a stream of scored chunks. Equal scores: the one whose file comes first, then the
//! smaller id, so that it does not matter in which order files came into an index.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::file_table::FileTable;
use kenning_model::RepoPath;

/// A chunk and how well it answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub chunk: u32,
    pub score: f32,
}

pub struct TopK<'c> {
    limit: usize,
    catalog: &'c FileTable,
    /// The worst on top.
    heap: BinaryHeap<Reverse<HeapEntry<'c>>>,
    worst: f32,
}

struct HeapEntry<'c> {
    hit: Hit,
    catalog: &'c FileTable,
}

impl HeapEntry<'_> {
    /// Looked up only where scores are equal, which is rare.
    fn path(&self) -> Option<&RepoPath> {
        self.catalog.find_file(self.hit.chunk).map(|file| &file.path)
    }
}

/// Greater is better.
impl Ord for HeapEntry<'_> {
    fn cmp(&self, other: &HeapEntry<'_>) -> Ordering {
        let by_score = self.hit.score.total_cmp(&other.hit.score);
        by_score
            .then_with(|| other.path().cmp(&self.path()))
            .then(other.hit.chunk.cmp(&self.hit.chunk))
    }
}

impl PartialOrd for HeapEntry<'_> {
    fn partial_cmp(&self, other: &HeapEntry<'_>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for HeapEntry<'_> {
    fn eq(&self, other: &HeapEntry<'_>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for HeapEntry<'_> {}

impl<'c> TopK<'c> {
    pub fn new(limit: usize, catalog: &'c FileTable) -> TopK<'c> {
        TopK {
            limit,
            catalog,
            heap: BinaryHeap::with_capacity(limit.min(4096) + 1),
            worst: if limit == 0 { f32::INFINITY } else { f32::NEG_INFINITY },
        }
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// A score below this cannot enter.
    #[inline]
    pub fn threshold(&self) -> f32 {
        self.worst
    }

    pub fn offer(&mut self, hit: Hit) {
        let entry = HeapEntry { hit, catalog: self.catalog };
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
            self.worst = worst.map_or(f32::INFINITY, |worst| worst.0.hit.score);
        }
    }

    /// Best first.
    pub fn into_hits(self) -> Vec<Hit> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|Reverse(entry)| entry.hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_and_breaks_ties_by_id() {
        let scores = [1.0, 3.0, 2.0, 3.0, -1.0, 3.0];
        let catalog = FileTable::default();
        for limit in 0..8 {
            let mut top = TopK::new(limit, &catalog);
            for (chunk, score) in scores.into_iter().enumerate().rev() {
                let chunk = chunk as u32;
                top.offer(Hit { chunk, score });
            }
            let found: Vec<u32> = top.into_hits().iter().map(|hit| hit.chunk).collect();
            let best = [1, 3, 5, 2, 0, 4];
            assert_eq!(found, best[..limit.min(6)]);
        }
    }
}
