//! Where the boxes of a picture go and how the arrows run: boxes in layers, arrows mostly along the
//! flow, as few crossings and bends as a quick search finds. It knows sizes and arrows, nothing of
//! what they mean or how they look.
//!
//! The steps are those of Sugiyama: make it acyclic and give each box a layer (`layers`), split
//! long arrows into lanes (`lanes`), order each layer (`order`), find the coordinates (`place`).
//! Long arrows to one target, or from one source, share their lanes, so that a library that
//! everybody uses is reached over one trunk and not over a hundred parallel lines.

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

/// What is to be laid out.
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
    /// How much it hurts to draw it against the flow.
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

/// Where everything is. `boxes` and `routes` are parallel to those of the [`Plan`].
#[derive(Default)]
pub struct Layout {
    pub flow: Flow,
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<Rect>,
    pub routes: Vec<Route>,
    /// Where the boxes without any arrow begin, if there are any beside others.
    pub loose_top: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The way of an arrow from its source to its target: straight along the flow through each stop,
/// and in a curve from one to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    pub stops: Vec<Stop>,
    pub bundle: Bundle,
}

/// Which end is common to the arrows that a long arrow shares its lanes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bundle {
    Source,
    #[default]
    Target,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    pub enter: Point,
    pub leave: Point,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Arrow {
    /// Its ends in the order in which the flow meets them.
    fn along_flow(&self, backward: bool) -> (usize, usize) {
        if backward { (self.to, self.from) } else { (self.from, self.to) }
    }
}

impl Flow {
    /// The point that lies so far along the flow and so far across it.
    fn point(self, along: f64, across: f64) -> Point {
        match self {
            Flow::Right => Point { x: along, y: across },
            Flow::Down => Point { x: across, y: along },
        }
    }
}
