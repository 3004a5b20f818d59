//! The boxes of a picture and the texts in them.

use super::super::layout::{BOX_HEIGHT, Layout, Rect};
use super::super::prune::PrunedDrawing;
use super::super::text_metrics::{clean, cut, width};
use super::super::{Drawing, Emphasis, Node};
use super::{BOLD, escape, format_number, group_class};

const LABEL_SIZE: f64 = 12.0;
const DETAIL_SIZE: f64 = 10.5;
/// A label is cut beyond this width, a detail beyond half of it. Both are in pixels.
const LABEL_WIDTH: f64 = 250.0;
/// Inside of a box, before the label and after the last text.
const PADDING: (f64, f64) = (12.0, 9.0);
const DETAIL_GAP: f64 = 6.0;

/// Draws all visible nodes.
pub fn draw(drawing: &Drawing, crop: &PrunedDrawing, layout: &Layout) -> String {
    let groups = drawing.groups();
    let boxes = crop.nodes.iter().zip(&layout.boxes).map(|(&index, place)| {
        let node = &drawing.nodes[index];
        let group_name = node.group.as_deref();
        let group = groups.iter().position(|known| Some(*known) == group_name);
        draw_box(node, group, place)
    });
    boxes.collect()
}

/// Draws one node: a box with a coloured bar, label and detail, and a link if the node has one.
fn draw_box(node: &Node, group: Option<usize>, place: &Rect) -> String {
    let classes = group_class(group) + emphasis_class(node.emphasis);
    let hover = escape(&hover_text(node));
    let [x, y, width, height] = [place.x, place.y, place.width, place.height].map(format_number);
    let caption = Caption::new(node);
    let baseline = format_number(place.y + BOX_HEIGHT / 2.0 + 4.2);
    let text = |class: &str, x: f64, text: &str| {
        let (x, text) = (format_number(x), escape(text));
        format!("<text class=\"{class}\" x=\"{x}\" y=\"{baseline}\">{text}</text>")
    };
    let label = text("label", place.x + PADDING.0, &caption.label);
    let detail = match caption.detail.as_str() {
        "" => String::new(),
        detail => text("detail", place.x + caption.detail_x, detail),
    };
    let (open, close) = match &node.link {
        Some(link) => (format!("<a href=\"{}\">", escape(link)), "</a>"),
        None => (String::new(), ""),
    };
    format!(
        "{open}<g class=\"node{classes}\"><title>{hover}</title>\
         <rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>\
         <rect class=\"bar\" x=\"{x}\" y=\"{y}\" width=\"4\" height=\"{height}\" rx=\"2\"/>\
         {label}{detail}</g>{close}\n"
    )
}

/// The texts of a box, cut to fit, and the room that they need.
pub struct Caption {
    label: String,
    detail: String,
    detail_x: f64,
    /// The width of the whole box.
    pub width: f64,
}

impl Caption {
    /// Measures the texts of a node.
    pub fn new(node: &Node) -> Caption {
        let boldness = match node.emphasis {
            Emphasis::Strong => BOLD,
            Emphasis::Normal | Emphasis::Faint => 1.0,
        };
        let label = cut(&clean(&node.label), LABEL_SIZE * boldness, LABEL_WIDTH);
        let full_detail = clean(node.detail.as_deref().unwrap_or_default());
        let detail = cut(&full_detail, DETAIL_SIZE, LABEL_WIDTH / 2.0);
        let label_end = PADDING.0 + width(&label, LABEL_SIZE * boldness);
        let detail_x = label_end + DETAIL_GAP;
        let end =
            if detail.is_empty() { label_end } else { detail_x + width(&detail, DETAIL_SIZE) };
        Caption { label, detail, detail_x, width: (end + PADDING.1).ceil() }
    }
}

/// Returns the text that browsers show on hover: label, detail and group, uncut.
fn hover_text(node: &Node) -> String {
    let mut text = clean(&node.label);
    for part in [&node.detail, &node.group].into_iter().flatten() {
        text += &format!(" · {}", clean(part));
    }
    text
}

/// Returns the CSS class of an emphasis, with a space in front.
fn emphasis_class(emphasis: Emphasis) -> &'static str {
    match emphasis {
        Emphasis::Normal => "",
        Emphasis::Strong => " strong",
        Emphasis::Faint => " faint",
    }
}
