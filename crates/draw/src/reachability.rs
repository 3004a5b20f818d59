//! Reachability between nodes, as a bit matrix. It suits graphs that a picture can show; the
//! package graph has its own, leaner traversals.

/// The transitive closure of a graph, as a bit matrix.
pub struct Reachability {
    words: usize,
    bits: Vec<u64>,
}

impl Reachability {
    /// Computes the matrix. A node reaches itself only over a cycle.
    pub fn new(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Reachability {
        let mut next = vec![Vec::new(); nodes];
        for (from, to) in edges {
            next[from].push(to);
        }
        let words = nodes.div_ceil(64);
        let mut reach = Reachability { words, bits: vec![0; words * nodes] };
        for root in 0..nodes {
            let mut pending = next[root].clone();
            while let Some(node) = pending.pop() {
                if reach.insert(root, node) {
                    pending.extend(&next[node]);
                }
            }
        }
        reach
    }

    /// True if a path leads from one node to the other.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.words + to / 64] & (1 << (to % 64)) != 0
    }

    /// True if the two nodes lie on one cycle.
    pub fn is_mutual(&self, a: usize, b: usize) -> bool {
        self.reaches(a, b) && self.reaches(b, a)
    }

    /// Sets a bit. True if it was not set before.
    fn insert(&mut self, from: usize, to: usize) -> bool {
        let new = !self.reaches(from, to);
        self.bits[from * self.words + to / 64] |= 1 << (to % 64);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_chains_and_cycles_and_word_borders() {
        let chain = (0..129).map(|node| (node, node + 1));
        let reach = Reachability::new(131, chain.chain([(3, 2)]));
        assert!(reach.reaches(0, 129) && reach.reaches(63, 64));
        assert!(!reach.reaches(129, 0) && !reach.reaches(0, 130));
        assert!(reach.is_mutual(2, 3) && reach.is_mutual(2, 2));
        assert!(!reach.is_mutual(1, 2) && !reach.reaches(1, 1));
    }
}
