//! Layered layout of boxes and arrows: most arrows run along the flow, with as few crossings and
//! bends as a quick search finds. It knows sizes and arrows, not their meaning or style.
//!
//! The steps are those of Sugiyama: break cycles and assign layers (`layering`), split long arrows
//! into lanes (`dummy_nodes`), order each layer (`crossing_reduction`), compute positions
//! (`coordinates`). Long arrows to one target, or from one source, share their lanes. A library
//! that everything uses is then reached over one trunk, not over a hundred parallel lines.

mod coordinates;
mod crossing_reduction;
mod dummy_nodes;
mod layering;
mod least_squares;
mod pack;
mod straighten;
#[cfg(test)]
mod testing;

pub use pack::lay_out;

pub const BOX_HEIGHT: f64 = 24.0;

/// The input of the layout.
pub struct Plan {
    /// The width that each box needs.
    pub widths: Vec<f64>,
    pub arrows: Vec<Arrow>,
}

/// An arrow between two different boxes; at most one for each pair and direction.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    /// Only arrows of one strand may share lanes, so that styles do not mix.
    pub strand: usize,
    /// The cost of drawing it against the flow.
    pub weight: usize,
    /// The size of its label; zero if it has none.
    pub label: (f64, f64),
}

/// The direction in which most arrows point. Flat graphs are best read from left to right, because
/// names are wide and low; deep ones from top to bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    #[default]
    Right,
    Down,
}

/// The computed positions. `boxes` and `routes` are parallel to those of the [`Plan`].
#[derive(Default)]
pub struct Layout {
    pub flow: Flow,
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<Rect>,
    pub routes: Vec<Route>,
    /// The top of the boxes without any arrow, if there are any beside others.
    pub loose_top: Option<f64>,
}

/// A rectangle, in pixels, with its origin at the top left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The path of an arrow from its source to its target: straight along the flow through each stop,
/// and curved between stops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    pub stops: Vec<StraightSection>,
    pub bundle: Bundle,
}

/// The common end of the arrows that share lanes with a long arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bundle {
    Source,
    #[default]
    Target,
}

/// A stretch that a route passes straight, from `enter` to `leave`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StraightSection {
    pub enter: Point,
    pub leave: Point,
}

/// A point, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Arrow {
    /// Returns its ends in the order of the flow.
    fn along_flow(&self, backward: bool) -> (usize, usize) {
        if backward { (self.to, self.from) } else { (self.from, self.to) }
    }
}

impl Flow {
    /// Returns the point at these distances along the flow and across it.
    fn point(self, along: f64, across: f64) -> Point {
        match self {
            Flow::Right => Point { x: along, y: across },
            Flow::Down => Point { x: across, y: along },
        }
    }
}
