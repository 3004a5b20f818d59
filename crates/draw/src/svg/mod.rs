//! The drawing as a self-contained SVG: no script, no font, no external reference, light or dark as
//! the reader prefers. `layout` decides the positions.

mod arrows;
mod boxes;
mod legend;

use self::boxes::Caption;
use super::layout::{Arrow, Layout, Plan, lay_out};
use super::prune::PrunedDrawing;
use super::text_metrics::{clean, cut, width};
use super::{Drawing, GROUP_COLOURS, Style};

/// The choices of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SvgOptions {
    pub arrows: Arrows,
    /// The most nodes that are shown. Above it, the best connected ones stay.
    pub node_limit: usize,
}

/// The edges that become arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrows {
    All,
    /// Edges that no chain of others implies. A note says how many are hidden.
    Reduced,
}

impl Default for SvgOptions {
    fn default() -> SvgOptions {
        SvgOptions { arrows: Arrows::Reduced, node_limit: 400 }
    }
}

const MARGIN: f64 = 24.0;
const TITLE_HEIGHT: f64 = 30.0;
const TITLE_WIDTH: f64 = 800.0;
const NOTE_HEIGHT: f64 = 18.0;
const NOTE_GAP: f64 = 20.0;
const TITLE_SIZE: f64 = 17.0;
const NOTE_SIZE: f64 = 11.5;
/// The width of bold text relative to normal text.
const BOLD: f64 = 1.08;

impl Drawing {
    /// Returns the picture. From top to bottom: title, legend, own notes, the graph, notes on what
    /// is omitted.
    pub fn to_svg(&self, options: &SvgOptions) -> String {
        let crop = PrunedDrawing::new(self, options);
        let layout = lay_out(&self.plan(&crop));
        let notes = omission_notes(&crop, &layout);
        let own: Vec<String> = self.notes.iter().map(|note| clean(note)).collect();
        let title = cut(&clean(&self.title), TITLE_SIZE, TITLE_WIDTH);
        let texts = own.iter().chain(&notes).map(|note| width(note, NOTE_SIZE));
        let content = texts.fold(layout.width, f64::max).max(width(&title, TITLE_SIZE) * BOLD);
        let legend = self.legend_of(&crop, content);
        let own_height = match own.len() {
            0 => 0.0,
            count => NOTE_GAP / 2.0 + count as f64 * NOTE_HEIGHT,
        };
        let top = MARGIN + TITLE_HEIGHT + legend.height + own_height;
        let bottom = top + layout.height;
        let page_width = content.max(legend.width) + 2.0 * MARGIN;
        let notes_height = match notes.len() {
            0 => 0.0,
            count => NOTE_GAP + count as f64 * NOTE_HEIGHT,
        };
        let page_height = bottom + notes_height + MARGIN;

        let mut svg = opening_tag(page_width, page_height, &title);
        svg += &text_element(MARGIN, MARGIN + 14.0, "title", &title);
        svg += &legend.svg(MARGIN, MARGIN + TITLE_HEIGHT);
        for (index, note) in own.iter().enumerate() {
            let y = top - own_height + (index as f64 + 0.3) * NOTE_HEIGHT;
            svg += &text_element(MARGIN, y, "note", note);
        }
        svg += &format!("<g transform=\"translate({MARGIN} {})\">\n", format_number(top));
        svg += &arrows::draw(self, &crop, &layout);
        svg += &boxes::draw(self, &crop, &layout);
        if let Some(loose_top) = layout.loose_top {
            svg += &text_element(0.0, loose_top + 22.0, "note", "Not connected:");
        }
        svg += "</g>\n";
        for (index, note) in notes.iter().enumerate() {
            let y = bottom + NOTE_GAP + (index as f64 + 0.7) * NOTE_HEIGHT;
            svg += &text_element(MARGIN, y, "note", note);
        }
        svg + "</svg>\n"
    }

    /// Returns the input of the layout: the widths of boxes, and the arrows between different
    /// boxes.
    fn plan(&self, crop: &PrunedDrawing) -> Plan {
        let nodes = crop.nodes.iter().map(|&index| &self.nodes[index]);
        let mut widths: Vec<f64> = nodes.map(|node| Caption::new(node).width).collect();
        // A loop stays in its box and takes no further part in the layout.
        let (loops, arrows): (Vec<_>, Vec<_>) =
            crop.arrows.iter().partition(|arrow| arrow.from == arrow.to);
        for arrow in loops {
            widths[arrow.from] += arrows::LOOP_WIDTH;
        }
        Plan {
            widths,
            arrows: arrows
                .into_iter()
                .map(|arrow| Arrow {
                    from: arrow.from,
                    to: arrow.to,
                    // Only arrows that look alike may share lanes.
                    strand: arrow.style as usize * 2 + usize::from(arrow.in_cycle),
                    weight: if arrow.style == Style::Solid { 2 } else { 1 },
                    label: arrows::label_size(arrow),
                })
                .collect(),
        }
    }
}

/// Returns the stylesheet that every picture contains. Pages whose pictures may not contain styles
/// include it themselves.
pub fn stylesheet() -> String {
    let styles = include_str!("style.css");
    let groups: String = GROUP_COLOURS
        .iter()
        .enumerate()
        .map(|(index, colour)| {
            format!(
                ".ken-drawing .g{index} .box{{fill:{colour};stroke:{colour}}}\n\
             .ken-drawing .g{index} .bar{{fill:{colour}}}\n"
            )
        })
        .collect();
    format!("{styles}{groups}")
}

/// Returns the opening tag, the title for screen readers, the styles and the background.
fn opening_tag(width: f64, height: f64, title: &str) -> String {
    let (width, height) = (format_number(width.ceil()), format_number(height.ceil()));
    let (title, styles) = (escape(title), stylesheet());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ken-drawing\" role=\"img\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{title}</title>\n<style>\n{styles}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"
    )
}

/// Returns the notes on what the picture omits.
fn omission_notes(crop: &PrunedDrawing, layout: &Layout) -> Vec<String> {
    let mut notes = Vec::new();
    if crop.nodes_left_out > 0 {
        let all = crop.nodes_left_out + crop.nodes.len();
        notes.push(format!(
            "{} of {all} nodes are left out: the least connected ones.",
            crop.nodes_left_out
        ));
    }
    if crop.arrows_implied > 0 {
        notes.push(match crop.arrows_implied {
            1 => "1 arrow is hidden: a chain of other arrows implies it.".to_string(),
            count => format!("{count} arrows are hidden: chains of other arrows imply them."),
        });
    }
    if layout.boxes.is_empty() {
        notes.push("There is nothing to draw.".to_string());
    }
    notes
}

/// Returns the CSS class of a group; empty for groups without a colour of their own.
fn group_class(group: Option<usize>) -> String {
    let coloured = group.filter(|&index| index < GROUP_COLOURS.len());
    coloured.map_or(String::new(), |index| format!(" g{index}"))
}

/// Returns a text element; `y` is the baseline.
fn text_element(x: f64, y: f64, class: &str, text: &str) -> String {
    let (x, y) = (format_number(x), format_number(y));
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", escape(text))
}

/// Escapes text for XML content and attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            character => escaped.push(character),
        }
    }
    escaped
}

/// Formats a coordinate. A tenth of a pixel is exact enough and keeps the file small.
fn format_number(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.abs() / 10, tenths.abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

#[cfg(test)]
mod tests {
    use roxmltree::{Document, Node as Element};

    use super::super::testing::{parse_drawing, random_drawings, sample};
    use super::super::{Edge, Node};
    use super::*;

    fn svg(drawing: &Drawing) -> String {
        drawing.to_svg(&SvgOptions::default())
    }

    fn of_class<'a>(document: &'a Document, class: &'a str) -> Vec<Element<'a, 'a>> {
        let has = |element: &Element| {
            let classes = element.attribute("class").unwrap_or_default();
            classes.split(' ').any(|one| one == class)
        };
        document.descendants().filter(has).collect()
    }

    fn texts(document: &Document, class: &str) -> Vec<String> {
        let elements = of_class(document, class);
        let texts = elements.iter().filter_map(|element| element.text());
        texts.map(str::to_string).collect()
    }

    fn measure(element: &Element, name: &str) -> f64 {
        let value = element.attribute(name).expect("it has this attribute");
        value.parse().expect("it is a number")
    }

    /// Checks the properties of every picture.
    fn check(drawing: &Drawing) {
        let svg = svg(drawing);
        let document = Document::parse(&svg).expect("well-formed XML");
        let root = document.root_element();
        let (width, height) = (measure(&root, "width"), measure(&root, "height"));
        assert_eq!(root.attribute("viewBox"), Some(&*format!("0 0 {width} {height}")));
        for element in document.descendants().filter(Element::is_element) {
            let known = ["svg", "title", "style", "rect", "text", "g", "path"];
            assert!(known.contains(&element.tag_name().name()));
            for attribute in element.attributes() {
                let name = attribute.name();
                assert!(!name.starts_with("on") && !name.contains("href"));
            }
        }
        let boxes = of_class(&document, "box");
        assert_eq!(boxes.len(), drawing.nodes().len().min(400));
        for (index, place) in boxes.iter().enumerate() {
            let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| measure(place, name));
            assert!(x >= 0.0 && y >= 0.0 && x + w <= width && y + h <= height);
            for other in &boxes[..index] {
                let [ox, oy, ow, oh] =
                    ["x", "y", "width", "height"].map(|name| measure(other, name));
                assert!(x >= ox + ow || ox >= x + w || y >= oy + oh || oy >= y + h);
            }
        }
    }

    #[test]
    fn pictures_are_sound() {
        check(&sample());
        check(&Drawing::new(""));
        for drawing in random_drawings(60, 30) {
            check(&drawing);
        }
        for drawing in random_drawings(3, 200) {
            check(&drawing);
        }
    }

    #[test]
    fn hostile_texts_stay_texts() {
        let hostile = "</text><script>alert(\"1\")</script>&amp;\u{0}\u{1b}]]>\u{202e}<!--";
        let clean = "</text><script>alert(\"1\")</script>&amp;]]><!--";
        let mut drawing = Drawing::new(hostile);
        drawing.legend = vec![(Style::Solid, hostile.to_string())];
        let mut node = Node::new(hostile, hostile);
        node.detail = Some("<d>".to_string());
        node.group = Some(hostile.to_string());
        let hostile_node = drawing.add_node(node);
        let other = drawing.add_node(Node::new("other", "漢字 🦀"));
        let mut edge = Edge::new(hostile_node, other);
        edge.label = Some("<&>".to_string());
        drawing.add_edge(edge);
        check(&drawing);
        let svg = svg(&drawing);
        let document = Document::parse(&svg).expect("well-formed XML");
        assert_eq!(texts(&document, "title"), [clean]);
        assert_eq!(texts(&document, "detail"), ["<d>"]);
        assert_eq!(texts(&document, "said"), ["<&>"]);
        let labels = texts(&document, "label");
        assert!(labels[0].starts_with("</text><script>") && labels[0].contains('…'));
        assert_eq!(labels[1], "漢字 🦀");
        let hover = of_class(&document, "node")[0]
            .first_element_child()
            .and_then(|title| title.text().map(str::to_string));
        assert_eq!(hover, Some(format!("{clean} · <d> · {clean}")));
    }

    #[test]
    fn same_drawing_same_bytes_whatever_the_order_of_its_edges() {
        for drawing in random_drawings(20, 40) {
            let mut turned = drawing.clone();
            turned.edges.reverse();
            // The first of two labels for one arrow wins, which depends on the order.
            for edge in turned.edges.iter_mut() {
                edge.label = None;
            }
            let mut plain = drawing.clone();
            plain.edges.iter_mut().for_each(|edge| edge.label = None);
            assert_eq!(svg(&drawing), svg(&drawing));
            assert_eq!(svg(&plain), svg(&turned));
        }
    }

    fn notes_of(drawing: &Drawing, options: &SvgOptions) -> Vec<String> {
        let svg = drawing.to_svg(options);
        texts(&Document::parse(&svg).expect("well-formed XML"), "note")
    }

    #[test]
    fn notes_say_what_is_not_shown() {
        let drawing = parse_drawing("a -> b; b -> c; a -> c; lone");
        let mut options = SvgOptions::default();
        let hidden = "1 arrow is hidden: a chain of other arrows implies it.";
        assert_eq!(notes_of(&drawing, &options), ["Not connected:", hidden]);
        options.arrows = Arrows::All;
        assert_eq!(notes_of(&drawing, &options), ["Not connected:"]);
        options.node_limit = 2;
        let left_out = "2 of 4 nodes are left out: the least connected ones.";
        assert_eq!(notes_of(&drawing, &options), [left_out]);
        let nothing = Drawing::new("");
        assert_eq!(notes_of(&nothing, &options), ["There is nothing to draw."]);
    }

    #[test]
    fn too_many_nodes_are_cut_to_the_limit() {
        let edges: Vec<String> = (1..450).map(|index| format!("hub -> n{index}")).collect();
        let drawing = parse_drawing(&edges.join(";"));
        check(&drawing);
        let notes = notes_of(&drawing, &SvgOptions::default());
        assert_eq!(notes, ["50 of 450 nodes are left out: the least connected ones."]);
    }

    #[test]
    fn the_legend_explains_what_is_there() {
        let svg = svg(&sample());
        let document = Document::parse(&svg).expect("well-formed XML");
        let legend = of_class(&document, "legend")[0];
        let entries: Vec<&str> = legend
            .children()
            .filter(|child| child.has_tag_name("text"))
            .filter_map(|entry| entry.text())
            .collect();
        assert_eq!(
            entries,
            ["npm", "cargo", "needs", "needs for development", "may need", "part of a cycle"]
        );
    }

    #[test]
    fn shared_lanes_are_drawn_once() {
        let drawing = parse_drawing(
            "a -> b dashed; b -> c dashed; c -> z dashed; a -> z dashed; d -> b dashed; d -> z dashed",
        );
        let svg = svg(&drawing);
        let document = Document::parse(&svg).expect("well-formed XML");
        let mut hover: Vec<&str> = of_class(&document, "edge")
            .iter()
            .filter_map(|edge| edge.first_element_child()?.text())
            .collect();
        hover.sort_unstable();
        assert_eq!(hover, ["a → b", "a → z", "b → c", "c → z", "d → b", "d → z", "… → z"]);
        assert_eq!(of_class(&document, "head").len(), 3);
    }

    #[test]
    fn numbers_are_short() {
        let check = |value: f64, expected: &str| assert_eq!(format_number(value), expected);
        check(1.0, "1");
        check(1.25, "1.3");
        check(-0.04, "0");
        check(-1.5, "-1.5");
        check(12345.678, "12345.7");
    }
}
