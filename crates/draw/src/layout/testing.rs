//! Random plans from a fixed seed, for the tests of this directory.

use std::collections::BTreeSet;

use super::{Arrow, Plan};
use kenning_testing::Random;

pub fn arrow(from: usize, to: usize) -> Arrow {
    Arrow { from, to, strand: 0, weight: 1, label: (0.0, 0.0) }
}

/// Plans of every density, with and without cycles, with loose boxes and several parts.
pub fn random_plans(count: usize) -> impl Iterator<Item = Plan> {
    let mut random = Random::new(0x1a70);
    (0..count).map(move |number| {
        let boxes = 1 + random.next_below(40);
        let mut drawn = BTreeSet::new();
        for _ in 0..random.next_below(boxes * 3) {
            let (a, b) = (random.next_below(boxes), random.next_below(boxes));
            // Two of three plans are free of cycles.
            let (from, to) = if number % 3 > 0 { (a.min(b), a.max(b)) } else { (a, b) };
            drawn.insert((from, to));
        }
        let pairs = drawn.into_iter().filter(|(from, to)| from != to);
        let arrows = pairs
            .map(|(from, to)| Arrow {
                strand: random.next_below(3),
                weight: 1 + random.next_below(2),
                label: if random.next_below(9) == 0 { (30.0, 10.0) } else { (0.0, 0.0) },
                ..arrow(from, to)
            })
            .collect();
        Plan { widths: (0..boxes).map(|_| 40.0 + random.next_below(160) as f64).collect(), arrows }
    })
}
