//! Selection of lanes that lie on one straight line. Straight lines are easy to follow, so there
//! are as many as possible. But a line that is straight through many layers pushes boxes apart in
//! all of them. Some lines are therefore bent where the picture would otherwise become much larger.

use super::dummy_nodes::Grid;

/// Groups of cells with one position across the flow: a single box, or lanes in a row.
pub struct AlignedGroups {
    pub of_cell: Vec<usize>,
    pub count: usize,
}

/// The factor by which straight lines may enlarge the picture beyond its fullest layer.
const GROWTH: f64 = 1.12;
/// The most rounds of bending. Each costs a walk over the grid and bends all trunks on the chain
/// that takes the most space.
const BENDING_ROUNDS: usize = 400;

impl AlignedGroups {
    /// Finds the trunks. `separation` is the least distance between two neighbours in a layer.
    /// `free` is the size up to which there is no need to save space.
    pub fn new(grid: &Grid, separation: &dyn Fn(usize, usize) -> f64, free: f64) -> AlignedGroups {
        let neighbours: Vec<Neighbours> = grid
            .layers
            .iter()
            .flat_map(|layer| layer.windows(2))
            .map(|pair| Neighbours {
                upper: pair[0],
                lower: pair[1],
                distance: separation(pair[0], pair[1]),
            })
            .collect();
        let limit = free.max(widest_layer(grid, separation) * GROWTH);
        let mut straight = straight_lanes(grid);
        for _ in 0..BENDING_ROUNDS {
            let trunks = AlignedGroups::from_links(&straight);
            let squeezes = trunks.find_squeezes(grid, &neighbours, limit);
            if squeezes.is_empty() {
                return trunks;
            }
            for squeeze in squeezes {
                bend_group(grid, &mut straight, squeeze);
            }
        }
        AlignedGroups::from_links(&straight)
    }

    /// Numbers the trunks. `straight` has for each cell the one before it in its trunk.
    fn from_links(straight: &[Option<usize>]) -> AlignedGroups {
        let mut trunks = AlignedGroups { of_cell: vec![usize::MAX; straight.len()], count: 0 };
        for cell in 0..straight.len() {
            let mut start = cell;
            while let Some(before) = straight[start] {
                start = before;
            }
            if trunks.of_cell[start] == usize::MAX {
                trunks.of_cell[start] = trunks.count;
                trunks.count += 1;
            }
            trunks.of_cell[cell] = trunks.of_cell[start];
        }
        trunks
    }

    /// Follows the chain of neighbours that takes the most space. If it exceeds `limit`, returns
    /// the pairs of cells at which it crosses layers inside a trunk.
    fn find_squeezes(
        &self,
        grid: &Grid,
        neighbours: &[Neighbours],
        limit: f64,
    ) -> Vec<(usize, usize)> {
        let (ends, reasons) = self.longest_chains(neighbours);
        let last = (0..self.count)
            .max_by(|&a, &b| ends[a].total_cmp(&ends[b]))
            .filter(|&trunk| ends[trunk] > limit);
        let chain: Vec<&Neighbours> =
            std::iter::successors(last.and_then(|trunk| reasons[trunk]), |pair| {
                reasons[self.of_cell[pair.upper]]
            })
            .collect();
        let ways = chain.windows(2).map(|pairs| (pairs[1].lower, pairs[0].upper));
        ways.filter(|&(enter, leave)| grid.layer_of[enter] != grid.layer_of[leave]).collect()
    }

    /// Returns the least position of each trunk, and the pair of neighbours that forces it.
    fn longest_chains<'a>(
        &self,
        neighbours: &'a [Neighbours],
    ) -> (Vec<f64>, Vec<Option<&'a Neighbours>>) {
        let mut after = vec![Vec::new(); self.count];
        let mut waiting = vec![0; self.count];
        for pair in neighbours {
            after[self.of_cell[pair.upper]].push(pair);
            waiting[self.of_cell[pair.lower]] += 1;
        }
        let mut ready: Vec<usize> = (0..self.count).filter(|&t| waiting[t] == 0).collect();
        let mut ends = vec![0.0; self.count];
        let mut reasons = vec![None; self.count];
        while let Some(trunk) = ready.pop() {
            for &pair in &after[trunk] {
                let lower = self.of_cell[pair.lower];
                let end = ends[trunk] + pair.distance;
                if end > ends[lower] {
                    (ends[lower], reasons[lower]) = (end, Some(pair));
                }
                waiting[lower] -= 1;
                if waiting[lower] == 0 {
                    ready.push(lower);
                }
            }
        }
        (ends, reasons)
    }
}

/// Two neighbours in a layer, and their least distance.
struct Neighbours {
    upper: usize,
    lower: usize,
    distance: f64,
}

/// Returns the space that the fullest layer needs.
fn widest_layer(grid: &Grid, separation: &dyn Fn(usize, usize) -> f64) -> f64 {
    let spaces = grid.layers.iter().map(|layer| {
        let pairs = layer.windows(2);
        pairs.map(|pair| separation(pair[0], pair[1])).sum::<f64>()
    });
    spaces.fold(0.0, f64::max)
}

/// Returns for each lane the one before it in its trunk. If two trunks cross, one has to bend.
fn straight_lanes(grid: &Grid) -> Vec<Option<usize>> {
    let positions = grid.positions();
    let mut straight = vec![None; grid.layer_of.len()];
    for layer in &grid.layers {
        let mut lines: Vec<(usize, usize)> = Vec::new();
        for &cell in layer.iter().filter(|&&cell| grid.is_lane(cell)) {
            let next = grid.after[cell].iter().copied();
            for next in next.filter(|&next| grid.is_lane(next)) {
                // Lines are visited from top to bottom, so a crossing line ends above an earlier
                // end.
                let line = (positions[cell], positions[next]);
                if lines.iter().all(|other| other.1 < line.1) {
                    lines.push(line);
                    straight[next] = Some(cell);
                }
            }
        }
    }
    straight
}

/// Bends the trunk that two cells belong to, half way between them.
fn bend_group(grid: &Grid, straight: &mut [Option<usize>], (a, b): (usize, usize)) {
    let middle = (grid.layer_of[a] + grid.layer_of[b]).div_ceil(2);
    let mut cell = if grid.layer_of[a] > grid.layer_of[b] { a } else { b };
    while let Some(before) = straight[cell].filter(|_| grid.layer_of[cell] > middle) {
        cell = before;
    }
    straight[cell] = None;
}
