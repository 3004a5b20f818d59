//! The best `k` of a stream of scored chunks. Equal scores: the smaller id first.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A chunk and how well it answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub chunk: u32,
    pub score: f32,
}

impl Eq for Hit {}

/// Greater is better.
impl Ord for Hit {
    fn cmp(&self, other: &Hit) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(other.chunk.cmp(&self.chunk))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Hit) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub struct Top {
    limit: usize,
    /// The worst on top.
    heap: BinaryHeap<Reverse<Hit>>,
    worst: f32,
}

impl Top {
    pub fn new(limit: usize) -> Top {
        Top {
            limit,
            heap: BinaryHeap::with_capacity(limit.min(4096) + 1),
            worst: if limit == 0 {
                f32::INFINITY
            } else {
                f32::NEG_INFINITY
            },
        }
    }

    /// A score below this cannot enter.
    #[inline]
    pub fn threshold(&self) -> f32 {
        self.worst
    }

    pub fn offer(&mut self, hit: Hit) {
        if self.heap.len() < self.limit {
            self.heap.push(Reverse(hit));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit > worst.0
        {
            *worst = Reverse(hit);
        } else {
            return;
        }
        if self.heap.len() == self.limit {
            self.worst = self
                .heap
                .peek()
                .map_or(f32::INFINITY, |worst| worst.0.score);
        }
    }

    /// Best first.
    pub fn into_hits(self) -> Vec<Hit> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|Reverse(hit)| hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_and_breaks_ties_by_id() {
        let scores = [1.0, 3.0, 2.0, 3.0, -1.0, 3.0];
        for limit in 0..8 {
            let mut top = Top::new(limit);
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
