//! Coordinates: the position of each cell across the flow, the thickness of layers and gaps along
//! it, and the routes of the arrows.

use super::dummy_nodes::Grid;
use super::least_squares::{DesiredPosition, SeparationConstraints};
use super::straighten::AlignedGroups;
use super::{BOX_HEIGHT, Flow, Layout, Plan, Rect, Route, StraightSection};

const BOX_LANE_GAP: f64 = 8.0;
const LANE_GAP: f64 = 8.0;

const SETTLING_ROUNDS: usize = 12;
const SNAPPING_ROUNDS: usize = 4;

/// The distance of a backward arrow's end from the middle of its box, so that it hides no forward
/// arrow.
const BACKWARD_OFFSET: f64 = 7.0;

/// The sizes that depend on the direction of flow.
struct Measures {
    /// Free space between two boxes of a layer.
    box_gap: f64,
    /// The smallest and the largest gap between layers, and the part of its steepest line's climb
    /// that is added to a gap.
    gaps: (f64, f64),
    gap_per_climb: f64,
    /// The size across the flow up to which there is no need to save space.
    free: f64,
}

impl Measures {
    const fn for_flow(flow: Flow) -> Measures {
        match flow {
            Flow::Right => {
                Measures { box_gap: 10.0, gaps: (44.0, 180.0), gap_per_climb: 0.12, free: 700.0 }
            }
            Flow::Down => {
                Measures { box_gap: 16.0, gaps: (36.0, 140.0), gap_per_climb: 0.07, free: 1300.0 }
            }
        }
    }
}

/// The grid, and the positions of its cells.
struct CoordinateAssignment<'a> {
    plan: &'a Plan,
    grid: &'a Grid,
    flow: Flow,
    measures: Measures,
    /// The middle of each cell, across the flow.
    middles: Vec<f64>,
}

/// Computes the positions of all boxes and routes.
pub fn assign_coordinates(plan: &Plan, grid: &Grid, backward: &[bool], flow: Flow) -> Layout {
    let mut placing = CoordinateAssignment {
        plan,
        grid,
        flow,
        measures: Measures::for_flow(flow),
        middles: vec![0.0; grid.layer_of.len()],
    };
    placing.straighten();
    placing.trim();
    placing.finish(backward)
}

impl CoordinateAssignment<'_> {
    /// Moves everything towards its neighbours until lines are short and straight.
    fn straighten(&mut self) {
        let separation = |a, b| self.separation(a, b);
        let trunks = AlignedGroups::new(self.grid, &separation, self.measures.free);
        let neighbours = self.neighbours(&trunks);
        let pairs = self.grid.layers.iter().flat_map(|layer| layer.windows(2)).map(|pair| {
            let [first, second] = [pair[0], pair[1]].map(|cell| trunks.of_cell[cell]);
            (first, second, separation(pair[0], pair[1]))
        });
        let separations = SeparationConstraints::new(trunks.count, pairs);
        let mut places = self.initial_positions(&trunks);
        for _ in 0..SETTLING_ROUNDS {
            let wishes: Vec<DesiredPosition> = neighbours
                .iter()
                .zip(&places)
                .map(|(near, &place)| desired_position(near, place, &places))
                .collect();
            places = separations.solve(&wishes);
        }
        for _ in 0..SNAPPING_ROUNDS {
            snap(&neighbours, &separations, &mut places);
        }
        self.middles = trunks.of_cell.iter().map(|&trunk| places[trunk]).collect();
    }

    /// Packs each layer around a common middle line. A trunk starts at the average of its cells.
    fn initial_positions(&self, trunks: &AlignedGroups) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); trunks.count];
        for layer in &self.grid.layers {
            let pairs = layer.windows(2);
            let distances = pairs.map(|pair| self.separation(pair[0], pair[1]));
            let steps: Vec<f64> = std::iter::once(0.0).chain(distances).collect();
            let mut place = -steps.iter().sum::<f64>() / 2.0;
            for (&cell, step) in layer.iter().zip(steps) {
                place += step;
                let (sum, count) = &mut sums[trunks.of_cell[cell]];
                (*sum, *count) = (*sum + place, *count + 1.0);
            }
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }

    /// Returns the neighbours of each trunk: those at the other ends of its lines.
    fn neighbours(&self, trunks: &AlignedGroups) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); trunks.count];
        for (cell, joints) in self.grid.after.iter().enumerate() {
            for &other in joints {
                let (a, b) = (trunks.of_cell[cell], trunks.of_cell[other]);
                if a != b {
                    neighbours[a].push(b);
                    neighbours[b].push(a);
                }
            }
        }
        neighbours
    }

    /// Rounds positions to whole pixels and shifts them to begin at zero. Whole pixels look
    /// sharper, and nearly straight lines become straight.
    fn trim(&mut self) {
        self.middles.iter_mut().for_each(|middle| *middle = middle.round());
        let cells = 0..self.middles.len();
        let starts = cells.map(|cell| self.middles[cell] - self.extent(cell) / 2.0);
        let start = starts.fold(f64::INFINITY, f64::min).floor();
        self.middles.iter_mut().for_each(|middle| *middle -= start);
    }

    /// Returns the least distance between the middles of two neighbours in a layer.
    fn separation(&self, upper: usize, lower: usize) -> f64 {
        let gap = match (self.grid.is_lane(upper), self.grid.is_lane(lower)) {
            (false, false) => self.measures.box_gap,
            (true, true) => LANE_GAP,
            _ => BOX_LANE_GAP,
        };
        // Whole numbers, so that rounding positions keeps boxes apart.
        ((self.extent(upper) + self.extent(lower)) / 2.0 + gap).ceil()
    }

    /// Returns the size of a cell across the flow.
    fn extent(&self, cell: usize) -> f64 {
        match self.flow {
            _ if self.grid.is_lane(cell) => 0.0,
            Flow::Right => BOX_HEIGHT,
            Flow::Down => self.plan.widths[cell],
        }
    }

    /// Builds the layout from the positions.
    fn finish(&self, backward: &[bool]) -> Layout {
        let (starts, thicknesses) = self.layer_extents();
        let boxes = (0..self.plan.widths.len()).map(|cell| {
            let layer = self.grid.layer_of[cell];
            let across = self.middles[cell] - self.extent(cell) / 2.0;
            let corner = self.flow.point(starts[layer], across);
            let size = self.flow.point(thicknesses[layer], self.extent(cell));
            Rect { x: corner.x, y: corner.y, width: size.x, height: size.y }
        });
        let routes = self.grid.chains.iter().zip(backward).map(|(chain, &backward)| {
            let offset = if backward { BACKWARD_OFFSET } else { 0.0 };
            let stops = chain.iter().map(|&cell| {
                let layer = self.grid.layer_of[cell];
                let ends = [starts[layer], starts[layer] + thicknesses[layer]];
                let shift = if self.grid.is_lane(cell) { 0.0 } else { offset };
                let [enter, leave] =
                    ends.map(|along| self.flow.point(along, self.middles[cell] + shift));
                StraightSection { enter, leave }
            });
            build_route(stops.collect(), backward)
        });
        let ends = (0..self.middles.len()).map(|cell| self.middles[cell] + self.extent(cell) / 2.0);
        let along = starts.last().zip(thicknesses.last()).map_or(0.0, |(s, t)| s + t);
        let size = self.flow.point(along, ends.fold(0.0, f64::max));
        Layout {
            flow: self.flow,
            width: size.x,
            height: size.y,
            boxes: boxes.collect(),
            routes: routes.collect(),
            loose_top: None,
        }
    }

    /// Returns the start and the thickness of each layer. All boxes of a column are as wide as its
    /// widest, so that lines run between columns only.
    fn layer_extents(&self) -> (Vec<f64>, Vec<f64>) {
        let mut thicknesses = vec![0.0_f64; self.grid.layers.len()];
        for (cell, &width) in self.plan.widths.iter().enumerate() {
            let thickness = &mut thicknesses[self.grid.layer_of[cell]];
            *thickness = match self.flow {
                Flow::Right => thickness.max(width),
                Flow::Down => BOX_HEIGHT,
            };
        }
        let mut starts = Vec::with_capacity(thicknesses.len());
        let mut start = 0.0;
        for (thickness, gap) in thicknesses.iter().zip(self.gaps()) {
            starts.push(start);
            start += thickness + gap;
        }
        (starts, thicknesses)
    }

    /// Returns the gap after each layer: larger where lines go far or labels need room.
    fn gaps(&self) -> Vec<f64> {
        let (least, most) = self.measures.gaps;
        let mut gaps = vec![least; self.grid.layers.len()];
        for (arrow, chain) in self.plan.arrows.iter().zip(&self.grid.chains) {
            for pair in chain.windows(2) {
                let climb = (self.middles[pair[0]] - self.middles[pair[1]]).abs();
                let wanted = least + climb * self.measures.gap_per_climb;
                let gap = &mut gaps[self.grid.layer_of[pair[0]]];
                *gap = gap.max(wanted.min(most).round());
            }
            let label = match self.flow {
                Flow::Right => arrow.label.0,
                Flow::Down => arrow.label.1,
            };
            if label > 0.0 {
                let gap = &mut gaps[self.grid.layer_of[chain[0]]];
                *gap = gap.max((label + least).round());
            }
        }
        gaps
    }
}

/// Returns the wish for the point half way to the mean of the neighbours. With the whole way,
/// neighbours would swap places for ever.
fn desired_position(near: &[usize], place: f64, places: &[f64]) -> DesiredPosition {
    let sum: f64 = near.iter().map(|&other| places[other]).sum();
    DesiredPosition { place: (sum / near.len() as f64 + place) / 2.0, weight: near.len() as f64 }
}

/// Moves each trunk to the exact place of a neighbour if that straightens more of its lines. Least
/// squares alone would bend each line a little.
fn snap(neighbours: &[Vec<usize>], separations: &SeparationConstraints, places: &mut [f64]) {
    for trunk in 0..places.len() {
        let near = &neighbours[trunk];
        let (least, most) = separations.room(trunk, places);
        let straight = |place: f64| near.iter().filter(|&&n| places[n] == place).count();
        let distance = |place: f64| (place - places[trunk]).abs();
        let candidates = near
            .iter()
            .map(|&other| places[other])
            .filter(|&place| least <= place && place <= most);
        let best = candidates.max_by(|&a, &b| {
            let by_lines = straight(a).cmp(&straight(b));
            by_lines.then_with(|| distance(b).total_cmp(&distance(a)))
        });
        if let Some(best) = best.filter(|&best| straight(best) > straight(places[trunk])) {
            places[trunk] = best;
        }
    }
}

/// Builds a route from stops, in the order from source to target. It leaves the first box and
/// enters the last one along the flow.
fn build_route(mut stops: Vec<StraightSection>, backward: bool) -> Route {
    if let Some(first) = stops.first_mut() {
        first.enter = first.leave;
    }
    if let Some(last) = stops.last_mut() {
        last.leave = last.enter;
    }
    if backward {
        stops.reverse();
        for stop in &mut stops {
            std::mem::swap(&mut stop.enter, &mut stop.leave);
        }
    }
    Route { stops, ..Route::default() }
}
