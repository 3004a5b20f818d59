//! Assembles a layout from its connected components: each is laid out by itself, the components are
//! packed on shelves, and boxes without arrows go into a grid below.

use super::coordinates::assign_coordinates;
use super::crossing_reduction::reduce_crossings;
use super::dummy_nodes::{Grid, choose_bundles};
use super::layering;
use super::{Arrow, BOX_HEIGHT, Flow, Layout, Plan, Point, Rect, Route, StraightSection};

const PART_GAP: f64 = 48.0;
const LOOSE_GAP: f64 = 10.0;
/// Room for a line of text above the loose boxes.
const LOOSE_HEADING: f64 = 34.0;
/// The wanted ratio of width to height.
const ASPECT: f64 = 1.6;
/// The size of a screen, in pixels, that a picture should fit onto.
const SCREEN: (f64, f64) = (1600.0, 1200.0);
/// How much better the direction down must be.
const DOUBT: f64 = 1.2;

/// Lays out in both directions and returns the one that has to be shrunk less to fit onto a screen;
/// in doubt the one to the right.
pub fn lay_out(plan: &Plan) -> Layout {
    let right = lay_out_along(plan, Flow::Right);
    if right.scale() == 1.0 {
        return right;
    }
    let down = lay_out_along(plan, Flow::Down);
    if down.scale() > right.scale() * DOUBT { down } else { right }
}

/// Lays out in one direction.
fn lay_out_along(plan: &Plan, flow: Flow) -> Layout {
    let (parts, loose) = split_components(plan);
    let mut layout = Layout {
        flow,
        boxes: vec![Rect::default(); plan.widths.len()],
        routes: vec![Route::default(); plan.arrows.len()],
        ..Layout::default()
    };
    let pieces: Vec<Layout> = parts.iter().map(|part| part.lay_out(plan, flow)).collect();
    for (index, x, y) in pack_on_shelves(&pieces) {
        layout.insert(&parts[index], &pieces[index], x, y);
    }
    layout.add_loose(plan, &loose);
    layout
}

/// A connected part of the plan, by indexes into it.
struct Component {
    /// Indexes into the plan, ascending. So are `arrows`.
    boxes: Vec<usize>,
    arrows: Vec<usize>,
}

/// Returns the connected components, in the order of their first boxes, and the boxes without
/// arrows.
fn split_components(plan: &Plan) -> (Vec<Component>, Vec<usize>) {
    let mut arrows_of = vec![Vec::new(); plan.widths.len()];
    for (index, arrow) in plan.arrows.iter().enumerate() {
        arrows_of[arrow.from].push(index);
        arrows_of[arrow.to].push(index);
    }
    let (mut parts, mut loose) = (Vec::new(), Vec::new());
    let mut seen = vec![false; plan.widths.len()];
    for first in 0..plan.widths.len() {
        if arrows_of[first].is_empty() {
            loose.push(first);
        } else if !seen[first] {
            parts.push(collect_component(plan, &arrows_of, first, &mut seen));
        }
    }
    (parts, loose)
}

/// Collects the component of a box by a depth-first walk.
fn collect_component(
    plan: &Plan,
    arrows_of: &[Vec<usize>],
    first: usize,
    seen: &mut [bool],
) -> Component {
    let mut part = Component { boxes: Vec::new(), arrows: Vec::new() };
    let mut pending = vec![first];
    while let Some(index) = pending.pop() {
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        part.boxes.push(index);
        for &arrow in &arrows_of[index] {
            part.arrows.push(arrow);
            pending.extend([plan.arrows[arrow].from, plan.arrows[arrow].to]);
        }
    }
    part.boxes.sort_unstable();
    part.arrows.sort_unstable();
    part.arrows.dedup();
    part
}

impl Component {
    /// Lays out one component: layers, bundles, crossing reduction, coordinates.
    fn lay_out(&self, plan: &Plan, flow: Flow) -> Layout {
        let place_of = |index: usize| self.boxes.binary_search(&index).unwrap_or_default();
        let arrows = self.arrows.iter().map(|&index| {
            let arrow = plan.arrows[index];
            Arrow { from: place_of(arrow.from), to: place_of(arrow.to), ..arrow }
        });
        let part = Plan {
            widths: self.boxes.iter().map(|&index| plan.widths[index]).collect(),
            arrows: arrows.collect(),
        };
        let layers = layering::assign_layers(part.widths.len(), &part.arrows, flow);
        let bundles = choose_bundles(&layers, &part.arrows);
        let mut grid = Grid::new(&layers, &part.arrows, &bundles);
        reduce_crossings(&mut grid);
        let mut layout = assign_coordinates(&part, &grid, &layers.backward, flow);
        for (route, bundle) in layout.routes.iter_mut().zip(bundles) {
            route.bundle = bundle;
        }
        layout
    }
}

/// Returns the position of each piece: the highest first, from left to right, on shelves of about
/// the width that gives a good aspect ratio.
fn pack_on_shelves(pieces: &[Layout]) -> Vec<(usize, f64, f64)> {
    let area: f64 =
        pieces.iter().map(|piece| (piece.width + PART_GAP) * (piece.height + PART_GAP)).sum();
    let widest = pieces.iter().map(|piece| piece.width).fold(0.0, f64::max);
    let limit = widest.max((area * ASPECT).sqrt());
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|&a, &b| pieces[b].height.total_cmp(&pieces[a].height));
    let (mut x, mut y, mut shelf) = (0.0, 0.0, 0.0_f64);
    let mut places = Vec::with_capacity(pieces.len());
    for index in order {
        let piece = &pieces[index];
        if x > 0.0 && x + piece.width > limit {
            (x, y, shelf) = (0.0, y + shelf + PART_GAP, 0.0);
        }
        places.push((index, x, y));
        x += piece.width + PART_GAP;
        shelf = shelf.max(piece.height);
    }
    places
}

impl Layout {
    /// Returns the factor by which it must shrink to fit onto a screen; 1 if it fits.
    fn scale(&self) -> f64 {
        (SCREEN.0 / self.width).min(SCREEN.1 / self.height).min(1.0)
    }

    /// Inserts a component at a position.
    fn insert(&mut self, part: &Component, piece: &Layout, x: f64, y: f64) {
        for (&index, place) in part.boxes.iter().zip(&piece.boxes) {
            self.boxes[index] = Rect { x: place.x + x, y: place.y + y, ..*place };
        }
        for (&index, route) in part.arrows.iter().zip(&piece.routes) {
            let shift = |point: Point| Point { x: point.x + x, y: point.y + y };
            let stops = route
                .stops
                .iter()
                .map(|stop| StraightSection { enter: shift(stop.enter), leave: shift(stop.leave) });
            self.routes[index] = Route { stops: stops.collect(), bundle: route.bundle };
        }
        self.width = self.width.max(x + piece.width);
        self.height = self.height.max(y + piece.height);
    }

    /// Adds the boxes without arrows in a grid of equal columns.
    fn add_loose(&mut self, plan: &Plan, loose: &[usize]) {
        if loose.is_empty() {
            return;
        }
        let mut top = 0.0;
        if self.height > 0.0 {
            self.loose_top = Some(self.height + LOOSE_GAP);
            top = self.height + LOOSE_GAP + LOOSE_HEADING;
        }
        let width = loose.iter().map(|&index| plan.widths[index]).fold(0.0, f64::max);
        let (step_x, step_y) = (width + LOOSE_GAP, BOX_HEIGHT + LOOSE_GAP);
        let shape = (loose.len() as f64 * step_y * ASPECT / step_x).sqrt();
        let fitting = ((self.width + LOOSE_GAP) / step_x).floor();
        let columns = (shape.ceil().max(fitting) as usize).clamp(1, loose.len());
        for (place, &index) in loose.iter().enumerate() {
            self.boxes[index] = Rect {
                x: (place % columns) as f64 * step_x,
                y: top + (place / columns) as f64 * step_y,
                width,
                height: BOX_HEIGHT,
            };
        }
        let rows = loose.len().div_ceil(columns);
        self.width = self.width.max(columns as f64 * step_x - LOOSE_GAP);
        self.height = top + rows as f64 * step_y - LOOSE_GAP;
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::testing::{arrow, random_plans};
    use super::*;

    #[test]
    fn boxes_keep_apart_and_lines_pass_between_them() {
        for plan in random_plans(200) {
            for flow in [Flow::Right, Flow::Down] {
                let layout = lay_out_along(&plan, flow);
                check_boxes(&plan, &layout);
                check_routes(&plan, &layout);
            }
        }
    }

    fn check_boxes(plan: &Plan, layout: &Layout) {
        for (index, place) in layout.boxes.iter().enumerate() {
            assert!(place.width >= plan.widths[index]);
            assert!(place.x >= 0.0 && place.x + place.width <= layout.width);
            assert!(place.y >= 0.0 && place.y + place.height <= layout.height);
            for other in &layout.boxes[..index] {
                assert!(!meet(place, other), "{place:?} and {other:?}");
            }
        }
    }

    fn check_routes(plan: &Plan, layout: &Layout) {
        for (arrow, route) in plan.arrows.iter().zip(&layout.routes) {
            let stops = &route.stops;
            let (first, last) = (stops[0].leave, stops[stops.len() - 1].enter);
            assert!(meet(&around(first, first), &layout.boxes[arrow.from]));
            assert!(meet(&around(last, last), &layout.boxes[arrow.to]));
            for stop in &stops[1..stops.len() - 1] {
                let passage = around(stop.enter, stop.leave);
                let hit = layout.boxes.iter().find(|place| meet(place, &passage));
                assert_eq!(hit, None, "{arrow:?} runs through a box");
            }
        }
    }

    /// The smallest rectangle with both points, and a little more.
    fn around(a: Point, b: Point) -> Rect {
        Rect {
            x: a.x.min(b.x) - 0.5,
            y: a.y.min(b.y) - 0.5,
            width: (a.x - b.x).abs() + 1.0,
            height: (a.y - b.y).abs() + 1.0,
        }
    }

    fn meet(a: &Rect, b: &Rect) -> bool {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    }

    #[test]
    fn a_small_picture() {
        let plan = Plan {
            widths: vec![60.0, 80.0, 50.0, 70.0, 90.0],
            arrows: vec![arrow(0, 1), arrow(0, 2), arrow(1, 3), arrow(2, 3), arrow(0, 3)],
        };
        let layout = lay_out(&plan);
        let boxes = layout.boxes.iter().map(|place| format!("{place:?}\n"));
        expect![[r#"
            Rect { x: 0.0, y: 34.0, width: 60.0, height: 24.0 }
            Rect { x: 108.0, y: 0.0, width: 80.0, height: 24.0 }
            Rect { x: 108.0, y: 34.0, width: 80.0, height: 24.0 }
            Rect { x: 236.0, y: 34.0, width: 70.0, height: 24.0 }
            Rect { x: 0.0, y: 110.0, width: 90.0, height: 24.0 }
        "#]]
        .assert_eq(&boxes.collect::<String>());
    }

    #[test]
    fn deep_graphs_run_down_and_flat_ones_right() {
        let chain = |count: usize| Plan {
            widths: vec![100.0; count],
            arrows: (1..count).map(|index| arrow(index - 1, index)).collect(),
        };
        assert_eq!(lay_out(&chain(5)).flow, Flow::Right);
        assert_eq!(lay_out(&chain(60)).flow, Flow::Down);
    }

    #[test]
    fn nothing_and_only_loose_boxes() {
        let loose =
            |count: usize| lay_out(&Plan { widths: vec![100.0; count], arrows: Vec::new() });
        assert_eq!((loose(0).width, loose(0).height), (0.0, 0.0));
        assert_eq!(loose(10).loose_top, None);
        assert!(loose(10).width > loose(10).height);
    }
}
