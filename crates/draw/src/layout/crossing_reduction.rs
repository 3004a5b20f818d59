//! Crossing reduction: orders the cells of each layer so that few arrows cross. The problem is
//! NP-hard, so this uses the usual heuristics: sweeps that sort each layer by the positions of
//! neighbours, then sifting of single cells.

use super::dummy_nodes::Grid;

const SWEEPS: usize = 24;
const SIFT_ROUNDS: usize = 5;

/// Reorders the layers of the grid, and keeps the best order that was found.
pub fn reduce_crossings(grid: &mut Grid) {
    begin_depth_first(grid);
    let mut best = (count_crossings(grid), grid.layers.clone());
    for sweep in 0..SWEEPS {
        sweep_once(grid, sweep);
        let count = count_crossings(grid);
        if count < best.0 {
            best = (count, grid.layers.clone());
        }
    }
    grid.layers = best.1;
    sift(grid);
}

/// Orders layers by the time at which a depth-first walk meets their cells, so that neighbours are
/// near each other from the start.
fn begin_depth_first(grid: &mut Grid) {
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); grid.layers.len()];
    let mut seen = vec![false; grid.layer_of.len()];
    for root in grid.layers.iter().flatten().copied() {
        let mut pending = vec![root];
        while let Some(cell) = pending.pop() {
            if std::mem::replace(&mut seen[cell], true) {
                continue;
            }
            layers[grid.layer_of[cell]].push(cell);
            pending.extend(grid.after[cell].iter().rev());
        }
    }
    grid.layers = layers;
}

/// Sorts all layers once. Even sweeps go along the flow and look back, odd ones go the other way.
fn sweep_once(grid: &mut Grid, sweep: usize) {
    let mut positions = grid.positions();
    let count = grid.layers.len();
    let forward = sweep.is_multiple_of(2);
    for step in 1..count {
        let layer = if forward { step } else { count - 1 - step };
        let neighbours = if forward { &grid.before } else { &grid.after };
        sort_layer(&mut grid.layers[layer], neighbours, &positions);
        for (place, &cell) in grid.layers[layer].iter().enumerate() {
            positions[cell] = place;
        }
    }
}

/// Sorts a layer by the positions of neighbours. Cells without neighbours on that side keep their
/// place, and the others are sorted around them.
fn sort_layer(cells: &mut [usize], neighbours: &[Vec<usize>], positions: &[usize]) {
    let centre = |cell: usize| -> f64 {
        let sum: usize = neighbours[cell].iter().map(|&other| positions[other]).sum();
        sum as f64 / neighbours[cell].len() as f64
    };
    let joined = |cell: &usize| !neighbours[*cell].is_empty();
    let mut sorted: Vec<(f64, usize)> =
        cells.iter().copied().filter(joined).map(|cell| (centre(cell), cell)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut in_order = sorted.into_iter();
    for cell in cells.iter_mut().filter(|cell| joined(cell)) {
        if let Some((_, next)) = in_order.next() {
            *cell = next;
        }
    }
}

/// Takes each cell out of its layer and puts it where it causes the fewest crossings.
fn sift(grid: &mut Grid) {
    let mut positions = grid.positions();
    for _ in 0..SIFT_ROUNDS {
        let mut moved = false;
        for layer in 0..grid.layers.len() {
            for cell in grid.layers[layer].clone() {
                let (from, to) = (positions[cell], best_place(grid, &positions, cell));
                if from == to {
                    continue;
                }
                let cells = &mut grid.layers[layer];
                if from < to {
                    cells[from..=to].rotate_left(1);
                } else {
                    cells[to..=from].rotate_right(1);
                }
                for (place, &cell) in cells.iter().enumerate() {
                    positions[cell] = place;
                }
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}

/// Returns the position of a cell with the fewest crossings. Moves down and up from its current
/// position and counts what each step over a neighbour saves.
fn best_place(grid: &Grid, positions: &[usize], cell: usize) -> usize {
    let cells = &grid.layers[grid.layer_of[cell]];
    let here = positions[cell];
    let (mut best, mut best_saved) = (here, 0);
    let mut saved = 0;
    for (place, &lower) in cells.iter().enumerate().skip(here + 1) {
        saved += crossings_saved(grid, positions, cell, lower);
        if saved > best_saved {
            (best, best_saved) = (place, saved);
        }
    }
    saved = 0;
    for (place, &upper) in cells[..here].iter().enumerate().rev() {
        saved += crossings_saved(grid, positions, upper, cell);
        if saved > best_saved {
            (best, best_saved) = (place, saved);
        }
    }
    best
}

/// Returns how many crossings fewer there are with `lower` above `upper`.
fn crossings_saved(grid: &Grid, positions: &[usize], upper: usize, lower: usize) -> i64 {
    let mut saving = 0;
    for neighbours in [&grid.before, &grid.after] {
        for &a in &neighbours[upper] {
            for &b in &neighbours[lower] {
                saving += positions[a].cmp(&positions[b]) as i64;
            }
        }
    }
    saving
}

/// Counts the crossings of all gaps.
fn count_crossings(grid: &Grid) -> usize {
    let positions = grid.positions();
    let gaps = grid.layers.windows(2);
    gaps.map(|gap| count_gap_crossings(grid, &positions, &gap[0], gap[1].len())).sum()
}

/// Counts the crossings of one gap in O(e log v). Inserts the lines by their left ends into a
/// Fenwick tree over the right ends: a new line crosses those that are already there below its
/// right end.
fn count_gap_crossings(grid: &Grid, positions: &[usize], first: &[usize], second: usize) -> usize {
    let mut tree = vec![0; second + 1];
    let (mut total, mut crossings) = (0, 0);
    for &cell in first {
        for &other in &grid.after[cell] {
            let mut above = 0;
            let mut index = positions[other] + 1;
            while index > 0 {
                above += tree[index];
                index &= index - 1;
            }
            crossings += total - above;
        }
        for &other in &grid.after[cell] {
            total += 1;
            let mut index = positions[other] + 1;
            while index <= second {
                tree[index] += 1;
                index += index & index.wrapping_neg();
            }
        }
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::super::dummy_nodes::choose_bundles;
    use super::super::testing::random_plans;
    use super::super::{Flow, Plan, layering};
    use super::*;

    fn grid(plan: &Plan) -> Grid {
        let layers = layering::assign_layers(plan.widths.len(), &plan.arrows, Flow::Right);
        Grid::new(&layers, &plan.arrows, &choose_bundles(&layers, &plan.arrows))
    }

    fn naive_crossings(grid: &Grid) -> usize {
        let positions = grid.positions();
        let after = grid.after.iter().enumerate();
        let lines: Vec<(usize, usize)> =
            after.flat_map(|(a, after)| after.iter().map(move |&b| (a, b))).collect();
        let crossing = |a: &(usize, usize), b: &(usize, usize)| {
            grid.layer_of[a.0] == grid.layer_of[b.0]
                && positions[a.0] < positions[b.0]
                && positions[a.1] > positions[b.1]
        };
        let count = |a| lines.iter().filter(|b| crossing(a, b)).count();
        lines.iter().map(count).sum()
    }

    #[test]
    fn crossings_are_counted_right_and_become_fewer() {
        let (mut before, mut after) = (0, 0);
        for plan in random_plans(150) {
            let mut grid = grid(&plan);
            begin_depth_first(&mut grid);
            assert_eq!(count_crossings(&grid), naive_crossings(&grid));
            before += count_crossings(&grid);
            reduce_crossings(&mut grid);
            assert_eq!(count_crossings(&grid), naive_crossings(&grid));
            after += count_crossings(&grid);
        }
        assert!(after * 2 < before, "{before} crossings became {after}");
    }

    #[test]
    fn sifting_never_makes_it_worse_and_loses_no_cell() {
        for plan in random_plans(150) {
            let mut grid = grid(&plan);
            let before = count_crossings(&grid);
            let mut cells = grid.layers.clone();
            sift(&mut grid);
            assert!(count_crossings(&grid) <= before);
            cells.iter_mut().for_each(|layer| layer.sort_unstable());
            let mut sifted = grid.layers.clone();
            sifted.iter_mut().for_each(|layer| layer.sort_unstable());
            assert_eq!(cells, sifted);
        }
    }
}
