//! The drawing in Graphviz's DOT language. Graphviz does the layout.

use super::text_metrics::clean;
use super::{CYCLE_COLOUR, Drawing, Edge, Emphasis, Node, Style, group_colour};

impl Drawing {
    /// Returns a complete `digraph`.
    pub fn to_dot(&self) -> String {
        let groups = self.groups();
        let mut dot = format!("digraph {} {{\n", quote(&self.title));
        dot += "  rankdir=LR;\n";
        dot += &format!("  label=\"{}\";\n", self.caption());
        dot += "  labelloc=t;\n";
        dot += "  node [shape=box, style=\"rounded\", fontname=\"Helvetica\", fontsize=11];\n";
        dot += "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#6e7781\"];\n";
        for node in self.nodes() {
            dot += &format!("  {} [{}];\n", quote(&node.id), node_attributes(node, &groups));
        }
        for edge in self.edges() {
            let (from, to) = (self.node(edge.from), self.node(edge.to));
            dot += &format!("  {} -> {}", quote(&from.id), quote(&to.id));
            let attributes = edge_attributes(edge);
            if !attributes.is_empty() {
                dot += &format!(" [{}]", attributes.join(", "));
            }
            dot += ";\n";
        }
        dot + "}\n"
    }

    /// Returns the title, with the notes below it.
    fn caption(&self) -> String {
        let lines: Vec<String> = std::iter::once(&self.title)
            .chain(&self.notes)
            .map(|line| escape_label(line))
            .collect();
        lines.join("\\n")
    }
}

/// Returns label, colour and weight of a node.
fn node_attributes(node: &Node, groups: &[&str]) -> String {
    let mut label = escape_label(&node.label);
    if let Some(detail) = &node.detail {
        label += &format!("\\n{}", escape_label(detail));
    }
    let mut attributes = vec![format!("label=\"{label}\"")];
    let group = node.group.as_deref();
    if let Some(index) = groups.iter().position(|known| Some(*known) == group) {
        attributes.push(format!("color=\"{}\"", group_colour(index)));
    }
    match node.emphasis {
        Emphasis::Normal => {}
        Emphasis::Strong => attributes.push("penwidth=2.5".to_string()),
        Emphasis::Faint => {
            attributes.push("style=\"rounded,dashed\", fontcolor=\"#6e7781\"".to_string());
        }
    }
    attributes.join(", ")
}

/// Returns style, label and colour of an edge.
fn edge_attributes(edge: &Edge) -> Vec<String> {
    let mut attributes = Vec::new();
    if edge.style != Style::Solid {
        attributes.push(format!("style={}", edge.style.as_str()));
    }
    if let Some(label) = &edge.label {
        attributes.push(format!("label={}", quote_label(label)));
    }
    if edge.in_cycle {
        attributes.push(format!("color=\"{CYCLE_COLOUR}\", penwidth=1.6"));
    }
    attributes
}

/// Quotes an id. Graphviz keeps `\\` in ids as it is written, which does no harm as long as it is
/// the same everywhere.
fn quote(text: &str) -> String {
    format!("\"{}\"", escape(&clean(text)))
}

/// Quotes a label.
fn quote_label(text: &str) -> String {
    format!("\"{}\"", escape_label(text))
}

/// Escapes a label, in which Graphviz interprets `\n` and the like, and entities such as `&lt;`.
fn escape_label(text: &str) -> String {
    escape(&clean(text)).replace('&', "&amp;")
}

/// Escapes backslashes and quotation marks.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::Drawing;
    use super::super::testing::sample;

    #[test]
    fn everything() {
        expect![[r##"
            digraph "All \"of\" it\\" {
              rankdir=LR;
              label="All \"of\" it\\";
              labelloc=t;
              node [shape=box, style="rounded", fontname="Helvetica", fontsize=11];
              edge [fontname="Helvetica", fontsize=9, color="#6e7781"];
              "npm:web" [label="web\n1.0 &amp; up", color="#0072b2", penwidth=2.5];
              "npm:\"odd\"\\" [label="<odd> \"#1;`%%{x}`\" \\\n1.0 &amp; up", color="#0072b2"];
              "cargo:api" [label="api\n1.0 &amp; up", color="#e69f00"];
              "npm:log" [label="log", color="#0072b2", style="rounded,dashed", fontcolor="#6e7781"];
              "npm:web" -> "npm:\"odd\"\\" [color="#d1242f", penwidth=1.6];
              "npm:\"odd\"\\" -> "npm:web" [style=dashed, label="a|\"b\"]", color="#d1242f", penwidth=1.6];
              "npm:web" -> "npm:log" [style=dotted];
              "cargo:api" -> "cargo:api" [color="#d1242f", penwidth=1.6];
            }
        "##]].assert_eq(&sample().to_dot());
    }

    #[test]
    fn nothing() {
        expect![[r##"
            digraph "" {
              rankdir=LR;
              label="";
              labelloc=t;
              node [shape=box, style="rounded", fontname="Helvetica", fontsize=11];
              edge [fontname="Helvetica", fontsize=9, color="#6e7781"];
            }
        "##]]
        .assert_eq(&Drawing::new("").to_dot());
    }
}
