//! Layer assignment. Arrows run along the flow, except those that must run back to break a cycle.
//! Arrows are short, and no layer is so full that the picture becomes a ribbon.

use super::super::reachability::Reachability;
use super::{Arrow, Flow};

/// The layer of each box, and a flag for each arrow that runs against the flow.
pub struct Layers {
    pub of_box: Vec<usize>,
    pub backward: Vec<bool>,
}

/// The most rounds in which every box may move towards its neighbours. Most graphs settle in a few.
const ROUNDS: usize = 40;

/// Assigns a layer to each box: breaks cycles, takes longest paths, shortens arrows, and splits
/// layers that are too full.
pub fn assign_layers(boxes: usize, arrows: &[Arrow], flow: Flow) -> Layers {
    let backward = break_cycles(boxes, arrows);
    let graph = Acyclic::new(boxes, arrows, &backward);
    let mut of_box = graph.longest_paths();
    graph.tighten(&mut of_box);
    close_gaps(&mut of_box);
    graph.split_full_layers(&mut of_box, max_layer_size(boxes, flow));
    Layers { of_box, backward }
}

/// Finds the arrows to reverse, by the greedy order of Eades, Lin and Smyth within cycles only. An
/// arrow between two cycles never has to point back.
fn break_cycles(boxes: usize, arrows: &[Arrow]) -> Vec<bool> {
    let reach = Reachability::new(boxes, arrows.iter().map(|arrow| (arrow.from, arrow.to)));
    let tangled: Vec<bool> =
        arrows.iter().map(|arrow| reach.is_mutual(arrow.from, arrow.to)).collect();
    let inner: Vec<&Arrow> = arrows
        .iter()
        .zip(&tangled)
        .filter_map(|(arrow, tangled)| tangled.then_some(arrow))
        .collect();
    let position = greedy_order(boxes, &inner);
    let backward = |arrow: &Arrow| position[arrow.from] > position[arrow.to];
    arrows.iter().zip(tangled).map(|(arrow, tangled)| tangled && backward(arrow)).collect()
}

/// Returns positions of the boxes in an order against which few arrows point.
fn greedy_order(boxes: usize, arrows: &[&Arrow]) -> Vec<usize> {
    let mut remaining: Vec<usize> = (0..boxes).collect();
    let mut gone = vec![false; boxes];
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    while !remaining.is_empty() {
        let (mut incoming, mut outgoing) = (vec![0_isize; boxes], vec![0_isize; boxes]);
        for arrow in arrows.iter().filter(|a| !gone[a.from] && !gone[a.to]) {
            outgoing[arrow.from] += arrow.weight as isize;
            incoming[arrow.to] += arrow.weight as isize;
        }
        // Sources, sinks and isolated boxes lose nothing by leaving now. They leave all at once, so
        // that an acyclic graph takes few rounds.
        let free = |&b: &usize| incoming[b] == 0 || outgoing[b] == 0;
        let mut leaving: Vec<usize> = remaining.iter().copied().filter(free).collect();
        if leaving.is_empty() {
            let best = remaining.iter().copied();
            leaving.extend(best.max_by_key(|&b| (outgoing[b] - incoming[b], boxes - b)));
        }
        for b in leaving {
            gone[b] = true;
            let sink = outgoing[b] == 0 && incoming[b] > 0;
            let end = if sink { &mut tail } else { &mut head };
            end.push(b);
        }
        remaining.retain(|&b| !gone[b]);
    }
    let mut position = vec![0; boxes];
    for (place, b) in head.into_iter().chain(tail.into_iter().rev()).enumerate() {
        position[b] = place;
    }
    position
}

/// The graph with its backward arrows reversed.
struct Acyclic {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Acyclic {
    fn new(boxes: usize, arrows: &[Arrow], backward: &[bool]) -> Acyclic {
        let mut graph = Acyclic { before: vec![Vec::new(); boxes], after: vec![Vec::new(); boxes] };
        for (arrow, &backward) in arrows.iter().zip(backward) {
            let (first, last) = arrow.along_flow(backward);
            graph.before[last].push(first);
            graph.after[first].push(last);
        }
        graph
    }

    /// Puts every box after all that point at it, as early as possible.
    fn longest_paths(&self) -> Vec<usize> {
        let mut layers = vec![0; self.before.len()];
        let mut waiting: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut ready: Vec<usize> = (0..layers.len()).filter(|&b| waiting[b] == 0).collect();
        while let Some(b) = ready.pop() {
            for &next in &self.after[b] {
                layers[next] = layers[next].max(layers[b] + 1);
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.push(next);
                }
            }
        }
        layers
    }

    /// Moves boxes towards the side where they have more neighbours, as far as there is room.
    fn tighten(&self, layers: &mut [usize]) {
        for _ in 0..ROUNDS {
            let mut moved = false;
            for b in 0..layers.len() {
                let (before, after) = (&self.before[b], &self.after[b]);
                let lowest = before.iter().map(|&n| layers[n] + 1).max();
                let highest = after.iter().map(|&n| layers[n] - 1).min();
                let wanted = match before.len().cmp(&after.len()) {
                    std::cmp::Ordering::Less => highest,
                    std::cmp::Ordering::Greater => lowest,
                    std::cmp::Ordering::Equal => None,
                };
                if let Some(wanted) = wanted.filter(|&wanted| wanted != layers[b]) {
                    layers[b] = wanted;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
    }

    /// Splits a layer of more than `limit` boxes into several. The boxes of a layer are
    /// independent, so any division is valid. Boxes without incoming arrows go first, those without
    /// outgoing ones last.
    fn split_full_layers(&self, layers: &mut [usize], limit: usize) {
        let mut by_layer = vec![Vec::new(); layers.iter().max().map_or(0, |max| max + 1)];
        for (b, &layer) in layers.iter().enumerate() {
            by_layer[layer].push(b);
        }
        let mut next_layer = 0;
        for mut boxes in by_layer {
            boxes.sort_by_key(|&b| match (self.before[b].len(), self.after[b].len()) {
                (0, _) => 0,
                (_, 0) => 2,
                _ => 1,
            });
            let parts = boxes.len().div_ceil(limit).max(1);
            let size = boxes.len().div_ceil(parts).max(1);
            for part in boxes.chunks(size) {
                for &b in part {
                    layers[b] = next_layer;
                }
                next_layer += 1;
            }
        }
    }
}

/// Returns the most boxes per layer, so that the picture is about 1.5 times as wide as high. A box
/// with its gaps is about seven times as wide as high if arrows run right, twice if they run down.
/// Layers are on average half full.
fn max_layer_size(boxes: usize, flow: Flow) -> usize {
    let (share, least) = match flow {
        Flow::Right => (6.0, 8),
        Flow::Down => (2.0, 6),
    };
    ((boxes as f64 * share).sqrt().ceil() as usize).max(least)
}

/// Removes layers that became empty.
fn close_gaps(layers: &mut [usize]) {
    let mut used: Vec<usize> = layers.to_vec();
    used.sort_unstable();
    used.dedup();
    for layer in layers {
        *layer = used.binary_search(layer).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{arrow, random_plans};
    use super::*;

    /// Reads `ab` as an arrow from `a` to `b` and `ab~` as a weaker one; writes the layers as
    /// columns, and the arrows that run backward.
    fn check(text: &str, expected: Expect) {
        let arrows: Vec<Arrow> = text
            .split_whitespace()
            .map(|word| {
                let mut ends = word.bytes().map(|byte| usize::from(byte.wrapping_sub(b'a')));
                let mut arrow = arrow(ends.next().unwrap(), ends.next().unwrap());
                arrow.weight = if word.ends_with('~') { 1 } else { 2 };
                arrow
            })
            .collect();
        let boxes = arrows.iter().map(|arrow| arrow.from.max(arrow.to) + 1).max();
        let layers = assign_layers(boxes.unwrap(), &arrows, Flow::Right);
        let name = |b: usize| char::from(b'a' + b as u8);
        let count = layers.of_box.iter().max().map_or(0, |last| last + 1);
        let columns = (0..count).map(|layer| {
            let boxes = layers.of_box.iter().enumerate().filter(|(_, of)| **of == layer);
            boxes.map(|(b, _)| name(b)).collect::<String>()
        });
        let mut line = columns.collect::<Vec<_>>().join(" ");
        for (arrow, _) in arrows.iter().zip(&layers.backward).filter(|(_, back)| **back) {
            line += &format!(", {}{} back", name(arrow.from), name(arrow.to));
        }
        expected.assert_eq(&line);
    }

    #[test]
    fn along_the_arrows() {
        check("ab bc ac cd", expect!["a b c d"]);
    }

    #[test]
    fn near_to_the_neighbours() {
        check("ab bc cd ed fa", expect!["f a b ce d"]);
    }

    #[test]
    fn cycles_are_broken_at_the_weaker_arrow() {
        check("ab ba~", expect!["a b, ba back"]);
        check("ab~ ba", expect!["b a, ab back"]);
        check("ab bc ca~ da ce", expect!["d a b c e, ca back"]);
    }

    #[test]
    fn a_full_layer_is_split() {
        check("ap bp cp dp ep fp gp hp ip jp kp lp mp np op", expect!["abcdefgh ijklmno p"]);
    }

    #[test]
    fn every_arrow_climbs_and_none_runs_back_without_a_cycle() {
        for plan in random_plans(300) {
            for flow in [Flow::Right, Flow::Down] {
                let boxes = plan.widths.len();
                let layers = assign_layers(boxes, &plan.arrows, flow);
                let reach = Reachability::new(boxes, plan.arrows.iter().map(|a| (a.from, a.to)));
                for (arrow, &backward) in plan.arrows.iter().zip(&layers.backward) {
                    let (first, last) = arrow.along_flow(backward);
                    assert!(layers.of_box[first] < layers.of_box[last]);
                    assert!(!backward || reach.is_mutual(first, last));
                }
            }
        }
    }
}
