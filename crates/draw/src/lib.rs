//! A drawing of any directed graph, and its renderings as Graphviz DOT, Mermaid, JSON and SVG. The
//! caller decides what to draw.

mod cluster;
mod dot;
mod folder_tree;
mod json;
mod layout;
mod mermaid;
mod prune;
mod reachability;
mod svg;
#[cfg(test)]
mod testing;
mod text_metrics;

use std::collections::HashMap;

pub use cluster::ClusterSummary;
pub use svg::{Arrows, SvgOptions, stylesheet};

/// A directed graph to draw. It is built step by step, so that every edge joins existing nodes.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    pub title: String,
    /// The meanings of the edge styles, in the order of the legend. The picture's legend omits
    /// styles that no edge has, so a caller can pass all of them.
    pub legend: Vec<(Style, String)>,
    /// Sentences that tell the reader what the picture omits.
    pub notes: Vec<String>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    by_id: HashMap<String, NodeIndex>,
}

/// A box of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The unique key of the node. It need not be readable.
    pub id: String,
    pub label: String,
    /// A short addition to the label, such as a version.
    pub detail: Option<String>,
    /// Nodes of one group share a colour.
    pub group: Option<String>,
    pub emphasis: Emphasis,
    /// Where a click leads, in renderings that can be clicked.
    pub link: Option<String>,
    /// The node's location, such as a path. Nodes of one folder may be clustered into one box.
    pub place: Option<String>,
    /// The number of nodes that it represents: more than one if it is a cluster.
    pub members: usize,
}

/// How much a node stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emphasis {
    #[default]
    Normal,
    /// A subject of the picture.
    Strong,
    /// A node shown only for completeness, such as one outside of the repository.
    Faint,
}

/// An arrow of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: NodeIndex,
    pub to: NodeIndex,
    pub style: Style,
    pub label: Option<String>,
    pub in_cycle: bool,
}

/// How an edge is drawn, the strongest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Style {
    #[default]
    Solid,
    Dashed,
    Dotted,
}

/// A node of one drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(usize);

impl Drawing {
    /// Returns an empty drawing.
    pub fn new(title: impl Into<String>) -> Drawing {
        Drawing { title: title.into(), ..Drawing::default() }
    }

    /// Adds a node, unless there is one with its id already.
    pub fn add_node(&mut self, node: Node) -> NodeIndex {
        let next = NodeIndex(self.nodes.len());
        let index = *self.by_id.entry(node.id.clone()).or_insert(next);
        if index == next {
            self.nodes.push(node);
        }
        index
    }

    /// Adds an edge between nodes of this drawing.
    pub fn add_edge(&mut self, edge: Edge) {
        let last = edge.from.max(edge.to);
        assert!(last.0 < self.nodes.len(), "a node of another drawing");
        self.edges.push(edge);
    }

    /// Sets the link of every node to the result of `address`.
    pub fn link_nodes(&mut self, address: impl Fn(&Node) -> Option<String>) {
        for node in &mut self.nodes {
            node.link = address(node);
        }
    }

    /// Returns all nodes, in the order in which they were added.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns all edges, in the order in which they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns one node.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0]
    }

    /// Returns the groups, the largest first. Colours are assigned in this order.
    fn groups(&self) -> Vec<&str> {
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        for group in self.nodes.iter().filter_map(|node| node.group.as_deref()) {
            *sizes.entry(group).or_default() += 1;
        }
        let mut groups: Vec<(&str, usize)> = sizes.into_iter().collect();
        groups.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        groups.into_iter().map(|(group, _)| group).collect()
    }
}

impl Node {
    /// Returns a node with only an id and a label.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Node {
        Node {
            id: id.into(),
            label: label.into(),
            detail: None,
            group: None,
            emphasis: Emphasis::Normal,
            link: None,
            place: None,
            members: 1,
        }
    }
}

impl Edge {
    /// Returns a solid edge without a label.
    pub fn new(from: NodeIndex, to: NodeIndex) -> Edge {
        Edge { from, to, style: Style::Solid, label: None, in_cycle: false }
    }
}

impl Style {
    /// Returns its name in the JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Style::Solid => "solid",
            Style::Dashed => "dashed",
            Style::Dotted => "dotted",
        }
    }
}

/// Colours of groups that people with any kind of colour vision can tell apart (after Okabe and
/// Ito, without the red that is kept for cycles). Further groups share [`OTHER_COLOUR`].
const GROUP_COLOURS: [&str; 6] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d6c21a"];
const OTHER_COLOUR: &str = "#8c8c8c";
const CYCLE_COLOUR: &str = "#d1242f";

/// Returns the colour of a group by its index; see [`GROUP_COLOURS`].
fn group_colour(index: usize) -> &'static str {
    GROUP_COLOURS.get(index).copied().unwrap_or(OTHER_COLOUR)
}

#[cfg(test)]
mod tests {
    use super::testing::sample;
    use super::*;

    #[test]
    fn one_node_for_one_id() {
        let mut drawing = Drawing::new("");
        let first = drawing.add_node(Node::new("a", "first"));
        let second = drawing.add_node(Node::new("a", "second"));
        assert_eq!(first, second);
        assert_eq!(drawing.nodes().len(), 1);
        assert_eq!(drawing.node(first).label, "first");
    }

    #[test]
    fn the_largest_group_first() {
        assert_eq!(sample().groups(), ["npm", "cargo"]);
    }
}
