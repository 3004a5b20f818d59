//! Clustering of large drawings. Nodes of one folder, or with a common name prefix, become one box
//! with a count. Also extracts the part of a drawing below such a box, which is how a reader opens
//! it.
//!
//! Edges are redirected to the boxes, and parallel ones are merged. Edges inside a box are dropped,
//! unless they are self-references or part of a cycle.

use std::collections::BTreeMap;

use super::folder_tree::{Cluster, Folders};
use super::{Drawing, Edge, Emphasis, Node, NodeIndex};

/// A drawing with more nodes than `READABLE` is clustered into about `GATHERED` boxes.
const READABLE: usize = 120;
const GATHERED: usize = 60;

/// The least number of boxes for faint nodes.
const MIN_FAINT: usize = 16;

/// The result of clustering, for a note to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterSummary {
    /// The nodes that are now part of a box.
    pub nodes: usize,
    /// The nodes that there were.
    pub of: usize,
    /// The boxes that stand for several nodes.
    pub boxes: usize,
}

impl Drawing {
    /// Clusters the drawing if it has too many nodes to read. Strong nodes and nodes without a
    /// place stay alone. `noun` names the nodes in the plural.
    pub fn cluster(&mut self, noun: &str) -> Option<ClusterSummary> {
        if self.nodes.len() <= READABLE {
            return None;
        }
        let boxes = self.clusters();
        let gathered: Vec<&Cluster> = boxes.iter().filter(|one| one.members.len() > 1).collect();
        let told = ClusterSummary {
            nodes: gathered.iter().map(|one| one.members.len()).sum(),
            of: self.nodes.len(),
            boxes: gathered.len(),
        };
        if told.boxes == 0 {
            return None;
        }
        *self = self.draw_clusters(&boxes, noun);
        Some(told)
    }

    /// Returns the clusters. Faint nodes are clustered apart from the others, so that they take no
    /// boxes from the nodes that the reader asked for.
    fn clusters(&self) -> Vec<Cluster> {
        let degrees = self.degrees();
        let is_faint = |index: &usize| self.nodes[*index].emphasis == Emphasis::Faint;
        let all = 0..self.nodes.len();
        let (faint, own): (Vec<usize>, Vec<usize>) = all.partition(is_faint);
        let mut clusters = if own.len() <= READABLE {
            own.into_iter().map(Cluster::single).collect()
        } else {
            Folders::new(self, own).boxes(GATHERED, &degrees)
        };
        let room = GATHERED.saturating_sub(clusters.len()).max(MIN_FAINT);
        clusters.extend(Folders::new(self, faint).boxes(room, &degrees));
        // Keeps the drawing's order, which is by name.
        clusters.sort_by_key(|one| one.members.first().copied());
        clusters
    }

    /// Returns the part of the drawing below `place` (a folder, or a name prefix before a `*`).
    /// Nodes with an edge to or from it are included as faint.
    pub fn part_below(&self, place: &str) -> Drawing {
        let is_inside = |node: &Node| {
            let at = node.place.as_deref();
            at.is_some_and(|at| is_below(at, place))
        };
        let inside: Vec<bool> = self.nodes.iter().map(is_inside).collect();
        let edges: Vec<&Edge> =
            self.edges.iter().filter(|edge| inside[edge.from.0] || inside[edge.to.0]).collect();
        let mut kept = inside.clone();
        for edge in &edges {
            kept[edge.from.0] = true;
            kept[edge.to.0] = true;
        }
        let mut drawing = self.without_nodes();
        for (index, node) in self.nodes.iter().enumerate().filter(|(index, _)| kept[*index]) {
            let emphasis = if inside[index] { node.emphasis } else { Emphasis::Faint };
            drawing.add_node(Node { emphasis, ..node.clone() });
        }
        for edge in edges {
            let ends = [edge.from, edge.to].map(|end| drawing.by_id[&self.node(end).id]);
            drawing.add_edge(Edge { from: ends[0], to: ends[1], ..edge.clone() });
        }
        drawing
    }

    /// Returns a drawing with the same title, legend and notes, and no nodes.
    fn without_nodes(&self) -> Drawing {
        Drawing {
            legend: self.legend.clone(),
            notes: self.notes.clone(),
            ..Drawing::new(self.title.clone())
        }
    }

    /// Returns the number of edges at each node, in either direction.
    fn degrees(&self) -> Vec<usize> {
        let mut degrees = vec![0; self.nodes.len()];
        for edge in &self.edges {
            degrees[edge.from.0] += 1;
            degrees[edge.to.0] += 1;
        }
        degrees
    }

    /// Returns the drawing with a node for each cluster. Parallel edges become one with the
    /// strongest style.
    fn draw_clusters(&self, boxes: &[Cluster], noun: &str) -> Drawing {
        let mut drawing = self.without_nodes();
        let mut now = vec![NodeIndex(0); self.nodes.len()];
        for one in boxes {
            let index = drawing.add_node(self.node_of(one, noun));
            for &member in &one.members {
                now[member] = index;
            }
        }
        let mut edges: BTreeMap<(NodeIndex, NodeIndex), Edge> = BTreeMap::new();
        for edge in &self.edges {
            let (from, to) = (now[edge.from.0], now[edge.to.0]);
            // Inside a box, only a self-reference or a cycle gets an arrow.
            if from == to && edge.from != edge.to && !edge.in_cycle {
                continue;
            }
            let moved = || Edge { from, to, ..edge.clone() };
            let known = edges.entry((from, to)).or_insert_with(moved);
            known.style = known.style.min(edge.style);
            known.in_cycle |= edge.in_cycle;
        }
        for edge in edges.into_values() {
            drawing.add_edge(edge);
        }
        drawing
    }

    /// Returns the node of a cluster. It has a group only if all members share it.
    fn node_of(&self, one: &Cluster, noun: &str) -> Node {
        if let [alone] = one.members[..] {
            return self.nodes[alone].clone();
        }
        let members = || one.members.iter().map(|&member| &self.nodes[member]);
        let group = self.nodes[one.members[0]].group.clone();
        let is_faint = members().all(|node| node.emphasis == Emphasis::Faint);
        Node {
            detail: Some(one.detail(noun)),
            group: group.filter(|group| members().all(|node| node.group.as_ref() == Some(group))),
            emphasis: if is_faint { Emphasis::Faint } else { Emphasis::Normal },
            place: Some(one.name.clone()),
            members: one.members.len(),
            ..Node::new(format!("below {}", one.name), one.name.as_str())
        }
    }
}

/// True if `at` is `place`, is in the folder `place`, or begins with the text before its `*`.
fn is_below(at: &str, place: &str) -> bool {
    match place.strip_suffix('*') {
        Some(beginning) => at.starts_with(beginning),
        None => {
            let folder = place.trim_end_matches('/');
            let rest = at.strip_prefix(folder);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) || folder.is_empty()
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::Style;

    /// A node for each place, and arrows between some by their numbers.
    fn drawing(places: impl Iterator<Item = String>, edges: &[(usize, usize)]) -> Drawing {
        let mut drawing = Drawing::new("Test");
        let nodes: Vec<NodeIndex> = places
            .map(|place| {
                let name = place.rsplit('/').next().unwrap_or_default().to_string();
                drawing.add_node(Node { place: Some(place.clone()), ..Node::new(place, name) })
            })
            .collect();
        for &(from, to) in edges {
            drawing.add_edge(Edge::new(nodes[from], nodes[to]));
        }
        drawing
    }

    fn check(drawing: &Drawing, expected: Expect) {
        let nodes = drawing.nodes.iter().map(|node| match &node.detail {
            Some(detail) => format!("{}: {detail}", node.label),
            None => node.label.clone(),
        });
        let edges = drawing.edges.iter().map(|edge| {
            let [from, to] = [edge.from, edge.to].map(|end| drawing.node(end).label.as_str());
            format!("{from} -> {to} {}", edge.style.as_str())
        });
        let lines: Vec<String> = nodes.chain(edges).collect();
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn what_can_be_read_stays() {
        let places = (0..READABLE).map(|number| format!("a/p{number}"));
        let mut readable = drawing(places, &[]);
        assert_eq!(readable.cluster("packages"), None);
        assert_eq!(readable.nodes.len(), READABLE);
    }

    #[test]
    fn folders_and_beginnings_of_names() {
        let plugins = (0..90).map(|number| format!("packages/web-plugin-{number}"));
        let tools = (0..50).map(|number| format!("tools/t{number}"));
        let core = ["packages/web-core", "packages/web-cli"].map(str::to_string);
        let places = core.into_iter().chain(plugins).chain(tools);
        let mut many = drawing(places, &[(2, 0), (3, 0), (1, 2), (2, 3), (95, 0), (1, 0)]);
        many.edges[1].style = Style::Dashed;
        let told = many.cluster("packages");
        check(
            &many,
            expect![[r#"
                web-core
                web-cli
                packages/web-plugin-*: 90 packages
                tools/: 50 packages
                web-cli -> web-core solid
                web-cli -> packages/web-plugin-* solid
                packages/web-plugin-* -> web-core solid
                tools/ -> web-core solid"#]],
        );
        let expected = ClusterSummary { nodes: 140, of: 142, boxes: 2 };
        assert_eq!(told, Some(expected));
        assert_eq!(many.nodes[2].place.as_deref(), Some("packages/web-plugin-*"));
    }

    #[test]
    fn of_one_flat_folder_the_best_connected_stay() {
        let places = (0..300).map(|number| format!("packages/name{number:03}"));
        let edges: Vec<(usize, usize)> = (0..300).map(|from| (from, 7)).collect();
        let mut flat = drawing(places, &edges);
        let told = flat.cluster("packages").expect("too many to read");
        assert_eq!(flat.nodes.len(), GATHERED);
        assert!(flat.nodes.iter().any(|node| node.label == "name007"));
        let rest =
            flat.nodes.iter().find(|node| node.members > 1).and_then(|node| node.detail.clone());
        assert_eq!(rest, Some(format!("{} other packages", told.nodes)));
    }

    #[test]
    fn what_it_is_about_and_cycles_in_a_box_are_seen() {
        let places = (0..200).map(|number| format!("all/x-{number}"));
        let mut many = drawing(places.chain(["all/star".to_string()]), &[(1, 2), (3, 3)]);
        many.nodes[200].emphasis = Emphasis::Strong;
        many.edges[0].in_cycle = true;
        many.cluster("packages");
        assert!(many.nodes.iter().any(|node| node.label == "star"));
        assert!(many.edges.iter().any(|edge| edge.in_cycle));
    }

    #[test]
    fn what_was_asked_for_stands_alone_before_the_rest() {
        let inside = (0..30).map(|number| format!("a/x-{number}"));
        let outside = (0..200).map(|number| format!("b/y-{number}"));
        let edges: Vec<(usize, usize)> = (30..230).map(|from| (from, from % 30)).collect();
        let mut opened = drawing(inside.chain(outside), &edges).part_below("a/x-*");
        assert!(opened.cluster("packages").is_some());
        let alone = |node: &&Node| node.members == 1 && node.emphasis == Emphasis::Normal;
        assert_eq!(opened.nodes.iter().filter(alone).count(), 30);
        assert!(opened.nodes.len() <= GATHERED, "{}", opened.nodes.len());
    }

    #[test]
    fn every_size_becomes_readable() {
        for count in [121, 300, 1_000, 5_000] {
            let places = (0..count).map(|number| {
                let (folder, kind) = (number % 7, ["app", "lib", "tool"][number % 3]);
                format!("{folder}/{kind}/{}-{number}", ["one", "two"][number % 2])
            });
            let edges: Vec<(usize, usize)> = (1..count).map(|from| (from, from / 2)).collect();
            let mut many = drawing(places, &edges);
            many.cluster("packages");
            assert!(many.nodes.len() <= GATHERED, "{}", many.nodes.len());
            let members: usize = many.nodes.iter().map(|node| node.members).sum();
            assert_eq!(members, count);
        }
    }

    #[test]
    fn what_is_below_and_what_it_has_to_do_with() {
        let places = ["a/x-1", "a/x-2", "a/y", "b/z", "ab"].map(str::to_string);
        let all = drawing(places.into_iter(), &[(0, 1), (0, 3), (3, 4), (2, 3)]);
        check(
            &all.part_below("a/x-*"),
            expect![[r#"
                x-1
                x-2
                z
                x-1 -> x-2 solid
                x-1 -> z solid"#]],
        );
        for place in ["a", "a/"] {
            let below = all.part_below(place);
            let normal = below.nodes.iter().filter(|one| one.emphasis == Emphasis::Normal);
            assert_eq!(normal.count(), 3, "{place}");
        }
        assert!(all.part_below("nowhere").nodes.is_empty());
    }
}
