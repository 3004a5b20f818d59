//! The arrows of a picture: curves along their routes, heads, labels, and loops.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::layout::{Bundle, Flow, Layout, Point, Rect, Route};
use super::super::prune::{PrunedDrawing, PrunedEdge};
use super::super::text_metrics::{clean, cut, width};
use super::super::{Drawing, Style};
use super::{escape, format_number};

const LABEL_SIZE: f64 = 10.0;
const LABEL_WIDTH: f64 = 120.0;
const HEAD_LENGTH: f64 = 7.0;
const HEAD_WIDTH: f64 = 6.4;
/// The room that a loop takes inside of its box.
pub const LOOP_WIDTH: f64 = 18.0;

/// Returns the room that the label of an arrow takes; zero without one.
pub fn label_size(arrow: &PrunedEdge) -> (f64, f64) {
    let label = arrow.label.as_deref().map(clean).unwrap_or_default();
    match width(&cut(&label, LABEL_SIZE, LABEL_WIDTH), LABEL_SIZE) {
        0.0 => (0.0, 0.0),
        width => (width, LABEL_SIZE),
    }
}

/// Draws all arrows: those of cycles on top, heads and labels above the lines.
pub fn draw(drawing: &Drawing, crop: &PrunedDrawing, layout: &Layout) -> String {
    let mut routes = layout.routes.iter();
    let mut lines = ArrowLines::default();
    let mut heads = BTreeSet::new();
    let mut labels = Labels::default();
    for arrow in &crop.arrows {
        if arrow.from == arrow.to {
            let (circle, head) = draw_loop(&layout.boxes[arrow.from]);
            heads.insert((arrow.in_cycle, head));
            lines.add(arrow, Bundle::Target, vec![circle]);
            continue;
        }
        let route = routes.next().expect("every arrow but loops has a route");
        let (pieces, head) = draw_route(route, layout.flow);
        heads.insert((arrow.in_cycle, head));
        lines.add(arrow, route.bundle, pieces);
        if let Some(label) = &arrow.label {
            labels.add(label, route, layout.flow);
        }
    }
    let mut svg = lines.svg(drawing, crop);
    for (in_cycle, head) in heads {
        let class = if in_cycle { "head cycle" } else { "head" };
        svg += &format!("<path class=\"{class}\" d=\"{head}\"/>\n");
    }
    svg + &labels.svg
}

/// A segment of a line, in SVG path syntax.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ArrowSegment {
    start: String,
    /// The path command before the end point: a straight line, or a curve with its control points.
    shape: String,
    end: String,
}

/// The look of a line. Orders lines as they are drawn: the strongest last, those of cycles above
/// all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ArrowStyle {
    in_cycle: bool,
    style: Reverse<Style>,
}

/// The lines of all arrows. Shared segments are drawn once, because dashes over dashes would look
/// like a solid line.
#[derive(Default)]
struct ArrowLines<'a> {
    arrows: Vec<(&'a PrunedEdge, Bundle, Vec<ArrowSegment>)>,
    /// How many arrows use a piece.
    uses: BTreeMap<(ArrowStyle, ArrowSegment), usize>,
}

impl<'a> ArrowLines<'a> {
    /// Adds the segments of an arrow.
    fn add(&mut self, arrow: &'a PrunedEdge, bundle: Bundle, pieces: Vec<ArrowSegment>) {
        for piece in &pieces {
            let known = self.uses.entry((ArrowStyle::from_arrow(arrow), piece.clone()));
            *known.or_default() += 1;
        }
        self.arrows.push((arrow, bundle, pieces));
    }

    fn svg(self, drawing: &Drawing, crop: &PrunedDrawing) -> String {
        let name = |place: usize| clean(&drawing.nodes[crop.nodes[place]].label);
        let mut paths: Vec<(ArrowStyle, String, String)> = Vec::new();
        let mut shared: BTreeMap<(ArrowStyle, String), BTreeSet<&ArrowSegment>> = BTreeMap::new();
        for (arrow, bundle, pieces) in &self.arrows {
            let look = ArrowStyle::from_arrow(arrow);
            let (own, common): (Vec<&ArrowSegment>, Vec<&ArrowSegment>) =
                pieces.iter().partition(|&piece| self.uses[&(look, piece.clone())] == 1);
            if !own.is_empty() {
                let mut hover = format!("{} → {}", name(arrow.from), name(arrow.to));
                if let Some(label) = &arrow.label {
                    hover += &format!(" · {}", clean(label));
                }
                paths.push((look, hover, join_segments(own)));
            }
            if !common.is_empty() {
                let hover = match bundle {
                    Bundle::Source => format!("{} → …", name(arrow.from)),
                    Bundle::Target => format!("… → {}", name(arrow.to)),
                };
                shared.entry((look, hover)).or_default().extend(common);
            }
        }
        let shared = shared.into_iter();
        paths.extend(shared.map(|((look, hover), pieces)| (look, hover, join_segments(pieces))));
        paths.sort_by_key(|(look, ..)| *look);
        let elements = paths.into_iter().map(|(look, hover, line)| {
            let class = class(look.style.0, look.in_cycle);
            let hover = escape(&hover);
            format!("<path class=\"{class}\" d=\"{line}\"><title>{hover}</title></path>\n")
        });
        elements.collect()
    }
}

impl ArrowStyle {
    /// Returns the style of an arrow's line.
    fn from_arrow(arrow: &PrunedEdge) -> ArrowStyle {
        ArrowStyle { in_cycle: arrow.in_cycle, style: Reverse(arrow.style) }
    }
}

/// Joins segments into one path; a segment that begins where the last one ends needs no move.
fn join_segments<'a>(pieces: impl IntoIterator<Item = &'a ArrowSegment>) -> String {
    let mut line = String::new();
    let mut here = "";
    for piece in pieces {
        if here != piece.start {
            line += &format!("M{}", piece.start);
        }
        line += &piece.shape;
        line += &piece.end;
        here = &piece.end;
    }
    line
}

/// Returns the CSS classes of a line.
pub fn class(style: Style, in_cycle: bool) -> String {
    let style = match style {
        Style::Solid => "",
        Style::Dashed => " dashed",
        Style::Dotted => " dotted",
    };
    let cycle = if in_cycle { " cycle" } else { "" };
    format!("edge{style}{cycle}")
}

/// Returns the line and the head of an arrow along its route.
fn draw_route(route: &Route, flow: Flow) -> (Vec<ArrowSegment>, String) {
    let (first, last) = (route.stops[0], route.stops[route.stops.len() - 1]);
    let tip = last.enter;
    let (dx, dy) = match flow {
        Flow::Right => ((tip.x - first.leave.x).signum(), 0.0),
        Flow::Down => (0.0, (tip.y - first.leave.y).signum()),
    };
    // The line ends inside of the head, whose tip it would otherwise blunt.
    let end = Point { x: tip.x - dx * (HEAD_LENGTH - 1.0), y: tip.y - dy * (HEAD_LENGTH - 1.0) };
    let mut pieces = Vec::new();
    for (index, pair) in route.stops.windows(2).enumerate() {
        let (from, to) = (pair[0].leave, pair[1]);
        if index + 2 == route.stops.len() {
            pieces.push(curve(from, end, flow));
        } else {
            pieces.push(curve(from, to.enter, flow));
            pieces.push(curve(to.enter, to.leave, flow));
        }
    }
    (pieces, draw_head(tip, dx, dy))
}

/// Returns a straight line if the points share a coordinate, else a cubic Bézier curve that leaves
/// and arrives along the flow.
fn curve(from: Point, to: Point, flow: Flow) -> ArrowSegment {
    let straight = from.x == to.x || from.y == to.y;
    let shape = if straight {
        "L".to_string()
    } else {
        let (out, into) = handles(from, to, flow);
        format!("C{} {} ", coordinates(out), coordinates(into))
    };
    ArrowSegment { start: coordinates(from), shape, end: coordinates(to) }
}

/// Returns the control points of a curve.
fn handles(from: Point, to: Point, flow: Flow) -> (Point, Point) {
    match flow {
        Flow::Right => {
            let x = (from.x + to.x) / 2.0;
            (Point { x, y: from.y }, Point { x, y: to.y })
        }
        Flow::Down => {
            let y = (from.y + to.y) / 2.0;
            (Point { x: from.x, y }, Point { x: to.x, y })
        }
    }
}

/// Returns a triangle that points to `tip` in the direction `dx`, `dy`.
fn draw_head(tip: Point, dx: f64, dy: f64) -> String {
    let side = |turn: f64| {
        coordinates(Point {
            x: tip.x - dx * HEAD_LENGTH - dy * turn * HEAD_WIDTH / 2.0,
            y: tip.y - dy * HEAD_LENGTH + dx * turn * HEAD_WIDTH / 2.0,
        })
    };
    format!("M{}L{} {}Z", coordinates(tip), side(-1.0), side(1.0))
}

/// Formats a point.
fn coordinates(point: Point) -> String {
    format!("{} {}", format_number(point.x), format_number(point.y))
}

/// Draws the arrow of a box to itself: a circle with a head, inside of the box's right end.
fn draw_loop(place: &Rect) -> (ArrowSegment, String) {
    let x = place.x + place.width - LOOP_WIDTH / 2.0 - 2.0;
    let y = place.y + place.height / 2.0;
    let start = Point { x: x + 3.5, y: y - 3.5 };
    let end = Point { x: x + 5.0, y };
    let circle = ArrowSegment {
        start: coordinates(start),
        shape: "A5 5 0 1 0 ".to_string(),
        end: coordinates(end),
    };
    let tip = Point { y: y - 4.0, ..end };
    (circle, draw_head(tip, 0.0, -1.0))
}

/// The labels that are drawn, and their places, so that the next can avoid them.
#[derive(Default)]
struct Labels {
    svg: String,
    taken: Vec<Rect>,
}

impl Labels {
    /// Puts the label onto the first curve of the route, where it hides no other if possible.
    fn add(&mut self, label: &str, route: &Route, flow: Flow) {
        let label = cut(&clean(label), LABEL_SIZE, LABEL_WIDTH);
        let places = [0.5, 0.35, 0.65, 0.2, 0.8].map(|t| {
            let Point { x, y } = point(route.stops[0].leave, route.stops[1].enter, t, flow);
            let width = width(&label, LABEL_SIZE);
            Rect { x: x - width / 2.0, y: y - LABEL_SIZE / 2.0, width, height: LABEL_SIZE }
        });
        // If every place is taken, the middle is still the clearest.
        let free = places.iter().find(|place| !self.overlaps(place));
        let place = *free.unwrap_or(&places[0]);
        let (x, y) = (place.x + place.width / 2.0, place.y + LABEL_SIZE * 0.85);
        self.svg += &super::text_element(x, y, "said", &label);
        self.taken.push(place);
    }

    /// True if a place overlaps a label.
    fn overlaps(&self, place: &Rect) -> bool {
        self.taken.iter().any(|other| {
            let apart_x = place.x + place.width < other.x || other.x + other.width < place.x;
            let apart_y = place.y + place.height < other.y || other.y + other.height < place.y;
            !apart_x && !apart_y
        })
    }
}

/// Returns the point of a curve at the parameter `t`, from 0 to 1.
fn point(from: Point, to: Point, t: f64, flow: Flow) -> Point {
    let (out, into) = handles(from, to, flow);
    let s = 1.0 - t;
    let bezier = |a: f64, b: f64, c: f64, d: f64| {
        s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
    };
    Point { x: bezier(from.x, out.x, into.x, to.x), y: bezier(from.y, out.y, into.y, to.y) }
}
