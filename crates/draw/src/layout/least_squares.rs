//! Positions on a line that are as near as possible to where each thing wants to be, while
//! neighbours keep their distance: least squares under separation constraints, by merging things
//! that push each other into blocks that move as one (after Dwyer, Marriott and Stuckey).

/// The rounding error below which a distance counts as kept.
const TOLERANCE: f64 = 1e-7;

/// The position that a thing wants, and how strongly.
#[derive(Clone, Copy, Debug)]
pub struct DesiredPosition {
    pub place: f64,
    pub weight: f64,
}

/// The separation constraints: pairs in order, each with a least distance. They have no cycles.
pub struct SeparationConstraints {
    /// The predecessors of each thing with the least distance to them.
    before: Vec<Vec<(usize, f64)>>,
    after: Vec<Vec<(usize, f64)>>,
    /// All things in topological order.
    order: Vec<usize>,
}

impl SeparationConstraints {
    pub fn new(
        count: usize,
        pairs: impl Iterator<Item = (usize, usize, f64)>,
    ) -> SeparationConstraints {
        let mut before = vec![Vec::new(); count];
        let mut after = vec![Vec::new(); count];
        for (first, second, distance) in pairs {
            before[second].push((first, distance));
            after[first].push((second, distance));
        }
        let mut waiting: Vec<usize> = before.iter().map(Vec::len).collect();
        let mut order: Vec<usize> = (0..count).filter(|&thing| waiting[thing] == 0).collect();
        let mut done = 0;
        while done < order.len() {
            for &(next, _) in &after[order[done]] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    order.push(next);
                }
            }
            done += 1;
        }
        debug_assert_eq!(order.len(), count, "separations run in a circle");
        SeparationConstraints { before, after, order }
    }

    /// Returns the positions nearest to the wishes that keep all distances.
    pub fn solve(&self, wishes: &[DesiredPosition]) -> Vec<f64> {
        let mut blocks = Blocks::new(wishes, &self.before);
        for &thing in &self.order {
            // In topological order, only predecessors can be in the way.
            while let Some(violated) = blocks.most_violated(thing) {
                blocks.merge(violated);
            }
        }
        (0..wishes.len()).map(|thing| blocks.position(thing)).collect()
    }

    /// Returns the range in which a thing can move if nothing else moves.
    pub fn room(&self, thing: usize, places: &[f64]) -> (f64, f64) {
        let before = self.before[thing].iter().map(|&(other, d)| places[other] + d);
        let after = self.after[thing].iter().map(|&(other, d)| places[other] - d);
        (before.fold(f64::NEG_INFINITY, f64::max), after.fold(f64::INFINITY, f64::min))
    }
}

/// The state of the solver: blocks of things with fixed distances inside.
struct Blocks {
    blocks: Vec<NodeBlock>,
    /// The block of each thing, and the thing's offset in it.
    of: Vec<usize>,
    offsets: Vec<f64>,
}

/// Things that move together.
struct NodeBlock {
    things: Vec<usize>,
    /// Distances from predecessors. Those that a merge made internal are dropped at the next
    /// lookup.
    incoming: Vec<Distance>,
    weight: f64,
    /// The weighted mean of the positions that its things want.
    place: f64,
}

/// A separation constraint between two things.
#[derive(Clone, Copy)]
struct Distance {
    first: usize,
    second: usize,
    least: f64,
}

impl Blocks {
    fn new(wishes: &[DesiredPosition], before: &[Vec<(usize, f64)>]) -> Blocks {
        let things = wishes.iter().zip(before).enumerate();
        let blocks = things.map(|(second, (wish, before))| NodeBlock {
            things: vec![second],
            incoming: before
                .iter()
                .map(|&(first, least)| Distance { first, second, least })
                .collect(),
            weight: wish.weight,
            place: wish.place,
        });
        Blocks {
            blocks: blocks.collect(),
            of: (0..wishes.len()).collect(),
            offsets: vec![0.0; wishes.len()],
        }
    }

    /// Returns the position of a thing.
    fn position(&self, thing: usize) -> f64 {
        self.blocks[self.of[thing]].place + self.offsets[thing]
    }

    /// Returns the most violated distance between the block of `thing` and another block.
    fn most_violated(&mut self, thing: usize) -> Option<Distance> {
        let block = self.of[thing];
        let mut incoming = std::mem::take(&mut self.blocks[block].incoming);
        incoming.retain(|distance| self.of[distance.first] != block);
        let (mut worst, mut found) = (TOLERANCE, None);
        for distance in &incoming {
            let place = self.position(distance.first) + distance.least;
            let missing = place - self.position(distance.second);
            if missing > worst {
                (worst, found) = (missing, Some(*distance));
            }
        }
        self.blocks[block].incoming = incoming;
        found
    }

    /// Merges the blocks of two things, with exactly the least distance between the two.
    fn merge(&mut self, distance: Distance) {
        let Distance { first, second, least } = distance;
        let mut shift = self.offsets[first] + least - self.offsets[second];
        let (mut into, mut from) = (self.of[first], self.of[second]);
        if self.blocks[into].things.len() < self.blocks[from].things.len() {
            (into, from, shift) = (from, into, -shift);
        }
        let things = std::mem::take(&mut self.blocks[from].things);
        let incoming = std::mem::take(&mut self.blocks[from].incoming);
        for &thing in &things {
            self.of[thing] = into;
            self.offsets[thing] += shift;
        }
        let (weight, place) = (self.blocks[from].weight, self.blocks[from].place);
        let block = &mut self.blocks[into];
        block.things.extend(things);
        block.incoming.extend(incoming);
        let sum = block.place * block.weight + (place - shift) * weight;
        block.weight += weight;
        block.place = sum / block.weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_testing::Random;

    fn check(wishes: &[(f64, f64)], pairs: &[(usize, usize, f64)], expected: &[f64]) {
        let wishes: Vec<DesiredPosition> =
            wishes.iter().map(|&(place, weight)| DesiredPosition { place, weight }).collect();
        let separations = SeparationConstraints::new(wishes.len(), pairs.iter().copied());
        let places = separations.solve(&wishes);
        for (place, expected) in places.iter().zip(expected) {
            assert!((place - expected).abs() < 1e-6, "{places:?}");
        }
    }

    #[test]
    fn wishes_that_fit_are_granted() {
        check(&[(0.0, 1.0), (10.0, 1.0)], &[(0, 1, 5.0)], &[0.0, 10.0]);
    }

    #[test]
    fn what_collides_shares_the_loss_by_weight() {
        check(&[(0.0, 1.0), (0.0, 1.0)], &[(0, 1, 4.0)], &[-2.0, 2.0]);
        check(&[(0.0, 3.0), (0.0, 1.0)], &[(0, 1, 4.0)], &[-1.0, 3.0]);
    }

    #[test]
    fn a_chain_moves_as_one() {
        check(&[(9.0, 1.0), (0.0, 1.0), (0.0, 1.0)], &[(0, 1, 1.0), (1, 2, 1.0)], &[2.0, 3.0, 4.0]);
    }

    #[test]
    fn distances_hold_in_random_webs() {
        let mut random = Random::new(7);
        for _ in 0..300 {
            let (wishes, pairs) = random_web(&mut random);
            let separations = SeparationConstraints::new(wishes.len(), pairs.iter().copied());
            let places = separations.solve(&wishes);
            for (first, second, distance) in pairs {
                assert!(places[second] - places[first] >= distance - 1e-6);
            }
        }
    }

    #[test]
    fn no_small_change_of_a_chain_is_better() {
        let mut random = Random::new(8);
        for _ in 0..200 {
            let (wishes, _) = random_web(&mut random);
            let pairs: Vec<_> = (1..wishes.len()).map(|i| (i - 1, i, 3.0)).collect();
            let separations = SeparationConstraints::new(wishes.len(), pairs.iter().copied());
            let places = separations.solve(&wishes);
            for _ in 0..20 {
                // Moving a run of neighbours by a little keeps their distances.
                let (a, b) = (random.next_below(places.len()), random.next_below(places.len()));
                let step = random.next_below(21) as f64 / 10.0 - 1.0;
                let mut other = places.clone();
                other[a.min(b)..=a.max(b)].iter_mut().for_each(|p| *p += step);
                let fits =
                    |&(first, second, d): &(usize, usize, f64)| other[second] - other[first] >= d;
                assert!(
                    !pairs.iter().all(fits)
                        || cost(&wishes, &places) <= cost(&wishes, &other) + 1e-6
                );
            }
        }
    }

    fn cost(wishes: &[DesiredPosition], places: &[f64]) -> f64 {
        let pairs = wishes.iter().zip(places);
        pairs.map(|(wish, place)| wish.weight * (wish.place - place).powi(2)).sum()
    }

    fn random_web(random: &mut Random) -> (Vec<DesiredPosition>, Vec<(usize, usize, f64)>) {
        let count = 2 + random.next_below(30);
        let wishes: Vec<DesiredPosition> = (0..count)
            .map(|_| DesiredPosition {
                place: random.next_below(60) as f64,
                weight: 1.0 + random.next_below(4) as f64,
            })
            .collect();
        let pairs = (0..count * 2).map(|_| {
            let (a, b) = (random.next_below(count), random.next_below(count));
            (a.min(b), a.max(b), 1.0 + random.next_below(9) as f64)
        });
        (wishes, pairs.filter(|(a, b, _)| a != b).collect())
    }
}
