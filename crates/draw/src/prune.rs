//! Pruning of a drawing: it keeps as many nodes as a person can read, and drops arrows that a chain
//! of others implies. It does not decide positions.

use std::collections::BTreeMap;

use super::reachability::Reachability;
use super::{Arrows, Drawing, Edge, Emphasis, Style, SvgOptions};

/// The visible part of a drawing. Arrows refer to nodes by their index in `nodes`.
pub struct PrunedDrawing {
    /// Indexes of the nodes that stay, in the order of the drawing.
    pub nodes: Vec<usize>,
    /// At most one for each pair of nodes and direction, in a fixed order.
    pub arrows: Vec<PrunedEdge>,
    pub nodes_left_out: usize,
    /// Arrows left out because others imply them.
    pub arrows_implied: usize,
}

/// An arrow between two visible nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedEdge {
    pub from: usize,
    pub to: usize,
    pub style: Style,
    pub in_cycle: bool,
    pub label: Option<String>,
}

impl PrunedDrawing {
    pub fn new(drawing: &Drawing, options: &SvgOptions) -> PrunedDrawing {
        let nodes = best_connected(drawing, options.node_limit);
        let nodes_left_out = drawing.nodes.len() - nodes.len();
        let mut places = vec![None; drawing.nodes.len()];
        for (place, &node) in nodes.iter().enumerate() {
            places[node] = Some(place);
        }
        let mut arrows = merge_parallel(drawing.edges.iter().filter_map(|edge| {
            let ends = places[edge.from.0].zip(places[edge.to.0]);
            ends.map(|(from, to)| PrunedEdge::new(edge, from, to))
        }));
        let all = arrows.len();
        match options.arrows {
            Arrows::All => {}
            Arrows::Reduced => drop_implied(nodes.len(), &mut arrows),
        }
        PrunedDrawing { nodes, nodes_left_out, arrows_implied: all - arrows.len(), arrows }
    }
}

impl PrunedEdge {
    fn new(edge: &Edge, from: usize, to: usize) -> PrunedEdge {
        PrunedEdge {
            from,
            to,
            style: edge.style,
            in_cycle: edge.in_cycle,
            label: edge.label.clone(),
        }
    }
}

/// Selects up to `limit` nodes: strong ones first, then those with the most edges.
fn best_connected(drawing: &Drawing, limit: usize) -> Vec<usize> {
    let mut degrees = vec![0_usize; drawing.nodes.len()];
    for edge in &drawing.edges {
        degrees[edge.from.0] += 1;
        degrees[edge.to.0] += 1;
    }
    let mut nodes: Vec<usize> = (0..drawing.nodes.len()).collect();
    nodes.sort_by_key(|&node| {
        let strong = drawing.nodes[node].emphasis == Emphasis::Strong;
        (!strong, std::cmp::Reverse(degrees[node]))
    });
    nodes.truncate(limit);
    nodes.sort_unstable();
    nodes
}

/// Merges the edges between the same two nodes into one arrow of the strongest style.
fn merge_parallel(arrows: impl Iterator<Item = PrunedEdge>) -> Vec<PrunedEdge> {
    let mut merged: BTreeMap<(usize, usize), PrunedEdge> = BTreeMap::new();
    for arrow in arrows {
        let known = merged.entry((arrow.from, arrow.to)).or_insert_with(|| arrow.clone());
        known.style = known.style.min(arrow.style);
        known.in_cycle |= arrow.in_cycle;
        if let (None, Some(label)) = (&known.label, arrow.label) {
            known.label = Some(label);
        }
    }
    merged.into_values().collect()
}

/// Drops arrows whose ends a longer chain of solid arrows joins. Arrows with a label or in a cycle
/// stay. So do all arrows within a cycle, where each implies the other.
fn drop_implied(nodes: usize, arrows: &mut Vec<PrunedEdge>) {
    let solid = arrows.iter().filter(|arrow| arrow.style == Style::Solid);
    let steps: Vec<(usize, usize)> = solid.map(|arrow| (arrow.from, arrow.to)).collect();
    let reach = Reachability::new(nodes, steps.iter().copied());
    let mut next = vec![Vec::new(); nodes];
    for (from, to) in steps {
        next[from].push(to);
    }
    let together = |a: usize, b: usize| a == b || reach.is_mutual(a, b);
    arrows.retain(|arrow| {
        let (from, to) = (arrow.from, arrow.to);
        let chain = || {
            next[from].iter().any(|&via| {
                // A path that stays in the cycle of either end proves nothing. Otherwise the arrows
                // of a cycle to one target would each be implied by the next.
                !together(from, via) && !together(via, to) && reach.reaches(via, to)
            })
        };
        arrow.in_cycle || arrow.label.is_some() || together(from, to) || !chain()
    });
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{parse_drawing, random_drawings};
    use super::*;

    fn reduced(node_limit: usize) -> SvgOptions {
        SvgOptions { arrows: Arrows::Reduced, node_limit }
    }

    fn check(text: &str, expected: Expect) {
        let drawing = parse_drawing(text);
        let crop = PrunedDrawing::new(&drawing, &reduced(400));
        let name = |place: usize| &drawing.nodes[crop.nodes[place]].label;
        let arrows: Vec<String> = crop
            .arrows
            .iter()
            .map(|arrow| {
                let style = match arrow.style {
                    Style::Solid => "",
                    other => other.as_str(),
                };
                format!("{} -> {} {style}", name(arrow.from), name(arrow.to))
            })
            .map(|line| line.trim().to_string())
            .collect();
        let implied = crop.arrows_implied;
        expected.assert_eq(&format!("{}; {implied} implied", arrows.join("; ")));
    }

    #[test]
    fn a_longer_chain_implies_an_arrow() {
        check(
            "a -> b; b -> c; c -> d; a -> c; a -> d; x -> d",
            expect!["a -> b; b -> c; c -> d; x -> d; 2 implied"],
        );
    }

    #[test]
    fn only_solid_chains_imply() {
        check(
            "a -> b; b -> c dashed; a -> c; p -> q; q -> r; p -> r dashed",
            expect!["a -> b; a -> c; b -> c dashed; p -> q; q -> r; 1 implied"],
        );
    }

    #[test]
    fn labels_and_cycles_stay() {
        check(
            "a -> b; b -> c; a -> c [why]; p -> q; q -> r; p -> r cycle",
            expect!["a -> b; a -> c; b -> c; p -> q; p -> r; q -> r; 0 implied"],
        );
    }

    #[test]
    fn arrows_of_a_cycle_stay_though_each_implies_the_other() {
        check(
            "a -> b; b -> a; a -> c; b -> c; c -> d; a -> d; c -> c",
            expect!["a -> b; a -> c; b -> a; b -> c; c -> c; c -> d; 1 implied"],
        );
    }

    #[test]
    fn edges_between_the_same_nodes_become_one_arrow() {
        check("a -> b dotted; a -> b; a -> b dashed", expect!["a -> b; 0 implied"]);
    }

    #[test]
    fn reduction_keeps_what_can_be_reached_over_solid_arrows() {
        for drawing in random_drawings(200, 14) {
            let reach = |arrows| {
                let options = SvgOptions { arrows, ..reduced(400) };
                let crop = PrunedDrawing::new(&drawing, &options);
                let solid = crop.arrows.iter().filter(|a| a.style == Style::Solid);
                Reachability::new(crop.nodes.len(), solid.map(|a| (a.from, a.to)))
            };
            let (all, fewer) = (reach(Arrows::All), reach(Arrows::Reduced));
            for from in 0..drawing.nodes.len() {
                for to in 0..drawing.nodes.len() {
                    assert_eq!(all.reaches(from, to), fewer.reaches(from, to));
                }
            }
        }
    }

    #[test]
    fn the_best_connected_nodes_stay_and_strong_ones_always() {
        let mut drawing = parse_drawing("lone; a -> hub; b -> hub; c -> hub; c -> b; star");
        drawing.nodes[5].emphasis = Emphasis::Strong;
        let crop = PrunedDrawing::new(&drawing, &reduced(3));
        let names: Vec<&str> =
            crop.nodes.iter().map(|&index| drawing.nodes[index].label.as_str()).collect();
        assert_eq!(names, ["hub", "b", "star"]);
        assert_eq!(crop.nodes_left_out, 3);
        assert_eq!(crop.arrows.len(), 1);
    }
}
