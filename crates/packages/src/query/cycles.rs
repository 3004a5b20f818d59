//! Dependency cycles between packages.
//!
//! It reports one cycle per strongly connected component, because people break one and look again.
//! A component can contain exponentially many. Components take linear time; a shortest cycle takes
//! a breadth-first search from each package of its component.

use std::collections::VecDeque;

use super::graph::{DependencyTarget, PackageEdge, PackageGraph, PackageId, PackageLink};
use kenning_model::DepKind;

/// A strongly connected component of packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle<'a> {
    pub kind: CycleKind,
    /// All packages of the component.
    pub members: Vec<PackageId>,
    /// One shortest cycle, without dev dependencies if the component has such a one. It starts at
    /// its first package by name.
    pub shortest: Vec<PackageEdge<'a>>,
}

/// The severity of a cycle. `Hard` sorts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CycleKind {
    /// It stays when dev dependencies are ignored: the packages cannot be built one by one.
    Hard,
    /// It vanishes when dev dependencies are ignored. Most ecosystems allow that.
    DevOnly,
}

impl CycleKind {
    /// The word that answers show.
    pub fn as_str(self) -> &'static str {
        match self {
            CycleKind::Hard => "hard",
            CycleKind::DevOnly => "dev-only",
        }
    }
}

impl PackageGraph {
    /// Returns every component with a cycle, hard ones first, then by the length of the shortest
    /// cycle. A package that depends on itself counts as one.
    pub fn cycles(&self) -> Vec<Cycle<'_>> {
        let knots = Subgraph::new(self, any_link).cyclic_components();
        let hard = Subgraph::new(self, hard_link);
        // A component may contain several hard components. They are grouped by the component that
        // contains them.
        let mut hard_knots: Vec<Vec<Vec<PackageId>>> = vec![Vec::new(); knots.len()];
        let mut knot_of = vec![0; self.len()];
        for (index, members) in knots.iter().enumerate() {
            for member in members {
                knot_of[member.index()] = index;
            }
        }
        for members in hard.cyclic_components() {
            hard_knots[knot_of[members[0].index()]].push(members);
        }
        let mut cycles: Vec<Cycle> = knots
            .into_iter()
            .zip(hard_knots)
            .map(|(members, hard_knots)| self.describe_cycle(members, &hard_knots))
            .collect();
        cycles.sort_by(|a, b| {
            let by_weight = (a.kind, a.shortest.len()).cmp(&(b.kind, b.shortest.len()));
            by_weight.then_with(|| a.members.cmp(&b.members))
        });
        cycles
    }

    /// Describes a component. If it contains hard components, the shortest of their cycles is
    /// shown.
    fn describe_cycle(&self, members: Vec<PackageId>, hard_knots: &[Vec<PackageId>]) -> Cycle<'_> {
        let hard = Subgraph::new(self, hard_link);
        let circles = hard_knots.iter().map(|knot| hard.shortest_cycle(knot));
        match circles.min_by_key(Vec::len) {
            Some(shortest) => Cycle { kind: CycleKind::Hard, members, shortest },
            None => Cycle {
                kind: CycleKind::DevOnly,
                shortest: Subgraph::new(self, any_link).shortest_cycle(&members),
                members,
            },
        }
    }
}

/// Accepts every dependency.
fn any_link(_: &PackageLink) -> bool {
    true
}

/// Accepts dependencies that a build needs. Most ecosystems allow cycles of dev dependencies,
/// because a package is built before its tests.
fn hard_link(link: &PackageLink) -> bool {
    link.dep_kind != DepKind::Dev
}

/// The graph with only some of its internal dependencies.
struct Subgraph<'a> {
    graph: &'a PackageGraph,
    /// The dependencies that belong to the subgraph.
    keep: fn(&PackageLink) -> bool,
}

/// The state of Tarjan's algorithm for one package.
#[derive(Clone, Copy, Default)]
struct TarjanMark {
    /// The order of discovery, from 1; 0 if not visited.
    number: usize,
    /// The lowest number known to be reachable within its component.
    low: usize,
    on_stack: bool,
}

impl<'a> Subgraph<'a> {
    fn new(graph: &'a PackageGraph, keep: fn(&PackageLink) -> bool) -> Subgraph<'a> {
        Subgraph { graph, keep }
    }

    /// The accepted dependencies of a package.
    fn links(&self, id: PackageId) -> impl Iterator<Item = &'a PackageLink> + use<'a> {
        let keep = self.keep;
        self.graph.dependencies(id).iter().filter(move |link| keep(link))
    }

    /// Returns the strongly connected components that contain a cycle, each sorted, by first
    /// package.
    fn cyclic_components(&self) -> Vec<Vec<PackageId>> {
        let mut knots: Vec<Vec<PackageId>> = self.components();
        knots.retain(|members| members.len() > 1 || self.depends_on_itself(members[0]));
        for members in &mut knots {
            members.sort_unstable();
        }
        knots.sort_unstable();
        knots
    }

    /// True for a package with an edge to itself, which is a cycle of one.
    fn depends_on_itself(&self, id: PackageId) -> bool {
        self.links(id).any(|link| link.package == id)
    }

    /// Returns the strongly connected components by Tarjan's algorithm. The call stack is a vector,
    /// because a chain of dependencies may be longer than a thread's stack is deep.
    fn components(&self) -> Vec<Vec<PackageId>> {
        let mut components = Vec::new();
        let mut marks = vec![TarjanMark::default(); self.graph.len()];
        let mut count = 0;
        let mut stack = Vec::new();
        for root in self.graph.ids() {
            if marks[root.index()].number > 0 {
                continue;
            }
            let mut calls = vec![self.enter_package(root, &mut count, &mut marks, &mut stack)];
            while let Some((here, links)) = calls.last_mut() {
                let here = *here;
                if let Some(link) = links.next() {
                    let there = marks[link.package.index()];
                    if there.number == 0 {
                        calls.push(self.enter_package(
                            link.package,
                            &mut count,
                            &mut marks,
                            &mut stack,
                        ));
                    } else if there.on_stack {
                        let mark = &mut marks[here.index()];
                        mark.low = mark.low.min(there.number);
                    }
                    continue;
                }
                calls.pop();
                let mark = marks[here.index()];
                // The return of a recursive call: the caller reaches what its callee reaches.
                if let Some((caller, _)) = calls.last() {
                    let caller = &mut marks[caller.index()];
                    caller.low = caller.low.min(mark.low);
                }
                if mark.low == mark.number {
                    components.push(pop_component(here, &mut marks, &mut stack));
                }
            }
        }
        components
    }

    /// Begins the visit of a package. Returns it with the dependencies still to follow.
    fn enter_package(
        &self,
        id: PackageId,
        count: &mut usize,
        marks: &mut [TarjanMark],
        stack: &mut Vec<PackageId>,
    ) -> (PackageId, impl Iterator<Item = &'a PackageLink> + use<'a>) {
        *count += 1;
        marks[id.index()] = TarjanMark { number: *count, low: *count, on_stack: true };
        stack.push(id);
        (id, self.links(id))
    }

    /// Returns the shortest cycle within a component that contains one. It starts at its first
    /// package by name.
    fn shortest_cycle(&self, members: &[PackageId]) -> Vec<PackageEdge<'a>> {
        let mut allowed = vec![false; self.graph.len()];
        for member in members {
            allowed[member.index()] = true;
        }
        let mut best: Option<Vec<PackageEdge>> = None;
        for &root in members {
            // Only a strictly shorter cycle improves the result, so each search is cut off below
            // the best length.
            let limit = best.as_ref().map_or(usize::MAX, |best| best.len() - 1);
            if limit == 0 {
                break;
            }
            best = self.shortest_cycle_through(root, &allowed, limit).or(best);
            // A still shorter cycle does not go through this package.
            allowed[root.index()] = false;
        }
        let mut circle = best.expect("a strongly connected component holds a circle");
        let first = (0..circle.len()).min_by_key(|&index| circle[index].from);
        circle.rotate_left(first.unwrap_or(0));
        circle
    }

    /// Returns the shortest path from `root` over allowed packages back to it, of at most `limit`
    /// hops.
    fn shortest_cycle_through(
        &self,
        root: PackageId,
        allowed: &[bool],
        limit: usize,
    ) -> Option<Vec<PackageEdge<'a>>> {
        // The edge by which the search first reached each package.
        let mut came_by: Vec<Option<PackageEdge>> = vec![None; self.graph.len()];
        let mut queue = VecDeque::from([(root, 0)]);
        while let Some((from, hops)) = queue.pop_front() {
            if hops == limit {
                break;
            }
            for link in self.links(from) {
                let edge = PackageEdge {
                    from,
                    to: DependencyTarget::Package(link.package),
                    dep_kind: link.dep_kind,
                };
                if link.package == root {
                    return Some(retrace_cycle(root, edge, &came_by));
                }
                let known = &mut came_by[link.package.index()];
                if allowed[link.package.index()] && known.is_none() {
                    *known = Some(edge);
                    queue.push_back((link.package, hops + 1));
                }
            }
        }
        None
    }
}

/// Pops the component whose first visited package is `first` off the stack.
fn pop_component(
    first: PackageId,
    marks: &mut [TarjanMark],
    stack: &mut Vec<PackageId>,
) -> Vec<PackageId> {
    let start = stack.iter().rposition(|&id| id == first);
    let members = stack.split_off(start.expect("a package stays until its component is complete"));
    for member in &members {
        marks[member.index()].on_stack = false;
    }
    members
}

/// Follows the edges of the search back from `last` to the root, and returns them in order.
fn retrace_cycle<'a>(
    root: PackageId,
    last: PackageEdge<'a>,
    came_by: &[Option<PackageEdge<'a>>],
) -> Vec<PackageEdge<'a>> {
    let mut circle = vec![last];
    let mut here = last.from;
    while here != root {
        let edge = came_by[here.index()].expect("the search came here from somewhere");
        circle.push(edge);
        here = edge.from;
    }
    circle.reverse();
    circle
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{
        all_distances, chain, graph, indent_lines, label, random_graphs, render_edges,
    };
    use super::*;

    fn check(text: &str, expected: Expect) {
        let graph = graph(text);
        let mut lines = String::new();
        for cycle in graph.cycles() {
            let members: Vec<String> = cycle.members.iter().map(|&m| label(&graph, m)).collect();
            lines += &format!("{}: {}\n", cycle.kind.as_str(), members.join(" "));
            lines += &indent_lines(&render_edges(&graph, &cycle.shortest));
        }
        expected.assert_eq(&lines);
    }

    #[test]
    fn none() {
        check("a -> b; b -> c; a -> c; d", expect![""]);
    }

    #[test]
    fn the_shortest_circle_stands_for_its_knot() {
        check(
            "a -> b; b -> c; c -> d; d -> a; d -> c; x -> a",
            expect![[r#"
                hard: a b c d
                  c -> d
                  d -> c
            "#]],
        );
    }

    #[test]
    fn dev_only_when_it_vanishes_without_dev_dependencies() {
        check(
            "a -> b; b -> a (dev); x -> y; y -> x (build); m -> m (dev); n -> n",
            expect![[r#"
                hard: n
                  n -> n
                hard: x y
                  x -> y
                  y -> x (build)
                dev-only: m
                  m -> m (dev)
                dev-only: a b
                  a -> b
                  b -> a (dev)
            "#]],
        );
    }

    #[test]
    fn a_hard_circle_is_shown_rather_than_a_shorter_dev_one() {
        check(
            "a -> b; b -> a (dev); b -> c; c -> a; d -> c (dev); c -> d",
            expect![[r#"
                hard: a b c d
                  a -> b
                  b -> c
                  c -> a
            "#]],
        );
    }

    #[test]
    fn two_kinds_of_one_dependency_take_the_stronger() {
        check(
            "a -> b (dev); a -> b; b -> a",
            expect![[r#"
                hard: a b
                  a -> b
                  b -> a
            "#]],
        );
    }

    #[test]
    fn knots_agree_with_reachability() {
        for graph in random_graphs(500) {
            let distances = all_distances(&graph);
            let mutual = |a: PackageId, b: PackageId| {
                let there = distances[a.index()][b.index()];
                there.is_some() && distances[b.index()][a.index()].is_some()
            };
            let mut expected: Vec<Vec<PackageId>> = graph
                .ids()
                .filter(|&id| mutual(id, id))
                .map(|id| graph.ids().filter(|&other| mutual(id, other)).collect())
                .collect();
            expected.sort();
            expected.dedup();
            let mut found: Vec<_> = graph.cycles().into_iter().map(|c| c.members).collect();
            found.sort();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn circles_close_are_shortest_and_rightly_labelled() {
        for graph in random_graphs(500) {
            for cycle in graph.cycles() {
                let distances = match cycle.kind {
                    CycleKind::Hard => all_distances(&without_dev(&graph)),
                    CycleKind::DevOnly => all_distances(&graph),
                };
                let around = |id: &PackageId| distances[id.index()][id.index()];
                let shortest = cycle.members.iter().filter_map(around).min();
                assert_eq!(Some(cycle.shortest.len()), shortest);
                let hard = all_distances(&without_dev(&graph));
                let stays = cycle.members.iter().any(|id| hard[id.index()][id.index()].is_some());
                assert_eq!(cycle.kind == CycleKind::Hard, stays);
                for (index, edge) in cycle.shortest.iter().enumerate() {
                    let next = cycle.shortest[(index + 1) % cycle.shortest.len()];
                    assert_eq!(edge.to, DependencyTarget::Package(next.from));
                    assert!(graph.declared_edges(edge.from).any(|declared| declared == *edge));
                }
            }
        }
    }

    fn without_dev(graph: &PackageGraph) -> PackageGraph {
        let mut packages: Vec<_> = graph.ids().map(|id| graph.package(id).clone()).collect();
        for package in &mut packages {
            package.dependencies.retain(|d| d.kind != DepKind::Dev);
        }
        PackageGraph::new(packages)
    }

    #[test]
    fn long_chains_and_long_circles() {
        let mut statements: Vec<String> =
            (0..9_999).map(|i| format!("p{i:05} -> p{:05}", i + 1)).collect();
        assert!(chain(&statements).cycles().is_empty());
        statements.truncate(1_999);
        statements.push("p01999 -> p00000".to_string());
        let circle = chain(&statements);
        let cycles = circle.cycles();
        assert_eq!(cycles.len(), 1);
        assert_eq!(cycles[0].shortest.len(), 2_000);
    }
}
