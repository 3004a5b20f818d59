//! The package graph as a drawing: its packages, edges and highlights. Layout and rendering are the
//! job of `kenning_draw`.

use std::collections::{HashMap, HashSet};

use super::graph::{DependencyTarget, PackageEdge, PackageGraph, PackageId};
use super::traversal::TraversalScope;
use kenning_draw::{Drawing, Emphasis, Node, NodeIndex, Style};
use kenning_model::DepKind;

/// The selection that a diagram shows.
pub struct DiagramView<'a> {
    pub title: String,
    /// The packages to begin from; none means all.
    pub focus: Vec<PackageId>,
    /// The number of hops to follow from the focus. It has no effect without a focus.
    pub depth: usize,
    /// Decides if external packages are drawn.
    pub scope: TraversalScope,
    /// Show only packages of this ecosystem.
    pub kind: Option<&'a str>,
}

impl PackageGraph {
    /// Draws the selected packages. Edges of cycles are marked, focused packages are emphasised,
    /// external ones are faint.
    pub fn draw_view(&self, view: &DiagramView) -> Drawing {
        let mut drawing = Drawing::new(view.title.clone());
        drawing.legend = vec![
            (Style::Solid, "needs at run time".to_string()),
            (Style::Dashed, "needs for development".to_string()),
            (Style::Dotted, "peer, build or optional".to_string()),
        ];
        let in_cycle = self.edges_in_cycles();
        let mut indices: HashMap<DependencyTarget, NodeIndex> = HashMap::new();
        for id in self.shown_packages(view) {
            let index = drawing.add_node(self.package_node(id, view));
            indices.insert(DependencyTarget::Package(id), index);
        }
        for edge in self.shown_edges(view) {
            // A repeated key gives the same node again.
            if let DependencyTarget::External { kind, name } = edge.to {
                let index = drawing.add_node(external_node(kind, name));
                indices.insert(edge.to, index);
            }
            // An end that the view filters out has no node; its edges are dropped.
            let ends = (indices.get(&DependencyTarget::Package(edge.from)), indices.get(&edge.to));
            if let (Some(from), Some(to)) = ends {
                drawing.add_edge(kenning_draw::Edge {
                    from: *from,
                    to: *to,
                    style: edge_style(edge.dep_kind),
                    label: None,
                    in_cycle: in_cycle.contains(&(edge.from, edge.to)),
                });
            }
        }
        drawing
    }

    /// The packages of the view, by name: all, or those within reach of the focus.
    fn shown_packages(&self, view: &DiagramView) -> Vec<PackageId> {
        let is_wanted = |id: &PackageId| {
            let kind = self.package(*id).kind.as_str();
            view.kind.is_none_or(|wanted| wanted == kind)
        };
        if view.focus.is_empty() {
            return self.ids().filter(is_wanted).collect();
        }
        let reached = self.focus_edges(view).into_iter().filter_map(|edge| match edge.to {
            DependencyTarget::Package(id) => Some(id),
            DependencyTarget::External { .. } => None,
        });
        let mut shown: Vec<PackageId> = view.focus.iter().copied().chain(reached).collect();
        shown.sort_unstable();
        shown.dedup();
        shown.retain(is_wanted);
        shown
    }

    /// The edges between shown packages, and to external ones if the scope asks for them.
    fn shown_edges(&self, view: &DiagramView) -> Vec<PackageEdge<'_>> {
        if !view.focus.is_empty() {
            return self.focus_edges(view);
        }
        let all = self.shown_packages(view).into_iter().flat_map(|id| self.declared_edges(id));
        let is_wanted = |edge: &PackageEdge| {
            view.scope == TraversalScope::Everything
                || matches!(edge.to, DependencyTarget::Package(_))
        };
        all.filter(is_wanted).collect()
    }

    /// The edges within reach of the focus. An edge that several focused packages reach occurs
    /// several times.
    fn focus_edges(&self, view: &DiagramView) -> Vec<PackageEdge<'_>> {
        let focus = view.focus.iter();
        focus.flat_map(|id| self.edges_from(*id, view.depth, view.scope)).collect()
    }

    /// Returns the edges of one cycle per component. If a large component were highlighted as a
    /// whole, nothing would stand out.
    fn edges_in_cycles(&self) -> HashSet<(PackageId, DependencyTarget<'_>)> {
        let cycles = self.cycles().into_iter();
        let edges = cycles.flat_map(|cycle| cycle.shortest);
        edges.map(|edge| (edge.from, edge.to)).collect()
    }

    /// The node of a package. Its key has the path, because names are not unique.
    fn package_node(&self, id: PackageId, view: &DiagramView) -> Node {
        let package = self.package(id);
        let key = format!("{} {} {}", package.kind, package.name, package.path);
        Node {
            detail: package.version.clone(),
            group: Some(package.kind.clone()),
            emphasis: if view.focus.contains(&id) { Emphasis::Strong } else { Emphasis::Normal },
            place: Some(package.path.to_string()),
            ..Node::new(key, package.name.as_str())
        }
    }
}

/// The node of an external package, in a group of its own.
fn external_node(kind: &str, name: &str) -> Node {
    Node {
        group: Some(format!("{kind}, external")),
        emphasis: Emphasis::Faint,
        place: Some(format!("external {kind}/{name}")),
        ..Node::new(format!("external {kind} {name}"), name)
    }
}

/// The line style of a dependency. The legend in `draw_view` explains it.
fn edge_style(dep_kind: DepKind) -> Style {
    match dep_kind {
        DepKind::Runtime => Style::Solid,
        DepKind::Dev => Style::Dashed,
        DepKind::Peer | DepKind::Build | DepKind::Optional => Style::Dotted,
    }
}
