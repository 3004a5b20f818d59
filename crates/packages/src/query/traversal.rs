//! Walks over the package graph: the dependencies of a package, its dependents, and the path to
//! each. Cycles are allowed; `cycles` reports them.

use std::collections::HashSet;

use super::graph::{DependencyTarget, PackageEdge, PackageGraph, PackageId};
use kenning_model::DepKind;

/// The dependencies that a walk shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraversalScope {
    /// External dependencies too, as leaves.
    Everything,
    /// Packages of the repository only.
    InternalOnly,
}

impl PackageGraph {
    /// Returns the direct and indirect dependencies of `root` down to `depth`, nearest first, each
    /// once. It takes time linear in the edges it returns, also in cyclic graphs.
    pub fn edges_from(
        &self,
        root: PackageId,
        depth: usize,
        scope: TraversalScope,
    ) -> Vec<PackageEdge<'_>> {
        let mut edges = Vec::new();
        let mut seen_edges = HashSet::new();
        let mut seen_packages = HashSet::from([root]);
        let mut level = vec![root];
        for _ in 0..depth {
            if level.is_empty() {
                break;
            }
            let mut next_level = Vec::new();
            for edge in level.into_iter().flat_map(|id| self.declared_edges(id)) {
                match edge.to {
                    DependencyTarget::Package(to) if seen_packages.insert(to) => {
                        next_level.push(to)
                    }
                    DependencyTarget::External { .. } if scope == TraversalScope::InternalOnly => {
                        continue;
                    }
                    DependencyTarget::Package(_) | DependencyTarget::External { .. } => {}
                }
                if seen_edges.insert(edge) {
                    edges.push(edge);
                }
            }
            level = next_level;
        }
        edges
    }

    /// Returns all packages that a change of `target` can affect, with a shortest path to each. A
    /// breadth-first search over the dependents, level by level.
    pub fn impact<'a>(&'a self, target: DependencyTarget<'a>) -> Impact<'a> {
        let mut impact = Impact { target, affected: Vec::new(), steps: vec![None; self.len()] };
        let mut level = impact.add_direct_dependents(self);
        while !level.is_empty() {
            // The order decides which of two equally good paths is kept.
            level.sort_unstable();
            let distance = impact.distance(level[0]);
            let affected = level.iter().map(|&package| Affected { package, distance });
            impact.affected.extend(affected);
            level = impact.add_next_level(self, &level);
        }
        impact
    }

    /// Returns one shortest chain of dependencies from `from` to `to`. At equal length, fewer dev
    /// dependencies win. It is empty if the two are the same.
    pub fn shortest_path<'a>(
        &'a self,
        from: PackageId,
        to: DependencyTarget<'a>,
    ) -> Option<Vec<PackageEdge<'a>>> {
        self.impact(to).chain(from)
    }
}

/// The transitive dependents of one target.
pub struct Impact<'a> {
    target: DependencyTarget<'a>,
    /// Nearest first, then by name.
    pub affected: Vec<Affected>,
    /// The best step of each package towards the target; `None` if it does not depend on it.
    steps: Vec<Option<PathStep<'a>>>,
}

/// A package that a change can affect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affected {
    pub package: PackageId,
    /// 1 for a direct dependent.
    pub distance: usize,
}

/// The first edge of the best path from a package, and the cost of that path.
#[derive(Clone, Copy)]
struct PathStep<'a> {
    edge: PackageEdge<'a>,
    cost: PathCost,
}

/// The cost of a path to the target. The order of the fields is their weight.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PathCost {
    hops: usize,
    dev_hops: usize,
    /// Peer, build and optional ones: weaker than runtime, stronger than dev.
    other_hops: usize,
}

impl PathCost {
    /// The cost of the path with one more dependency.
    fn with_hop(self, dep_kind: DepKind) -> PathCost {
        PathCost {
            hops: self.hops + 1,
            dev_hops: self.dev_hops + usize::from(dep_kind == DepKind::Dev),
            other_hops: self.other_hops
                + usize::from(!matches!(dep_kind, DepKind::Runtime | DepKind::Dev)),
        }
    }
}

impl<'a> Impact<'a> {
    /// Returns one shortest chain of dependencies from `package` to the target; `None` if there is
    /// none. It is built on demand: all chains of a long dependency chain together would take
    /// quadratic space.
    pub fn chain(&self, package: PackageId) -> Option<Vec<PackageEdge<'a>>> {
        let mut chain = Vec::new();
        let mut here = DependencyTarget::Package(package);
        while here != self.target {
            let DependencyTarget::Package(id) = here else {
                return None;
            };
            let step = self.steps[id.index()]?;
            chain.push(step.edge);
            here = step.edge.to;
        }
        Some(chain)
    }

    /// The number of hops from a package to the target.
    fn distance(&self, package: PackageId) -> usize {
        self.steps[package.index()].map_or(0, |step| step.cost.hops)
    }

    /// Records the direct dependents of the target and returns them.
    fn add_direct_dependents(&mut self, graph: &'a PackageGraph) -> Vec<PackageId> {
        match self.target {
            DependencyTarget::Package(id) => self.add_next_level(graph, &[id]),
            // External packages have no ids and no adjacency list, so the declarations are searched
            // by name.
            DependencyTarget::External { name, .. } => {
                let declaring = graph.find_declaring(name).map(|(id, _)| id);
                let edges = declaring.flat_map(|id| graph.declared_edges(id));
                let direct: Vec<PackageEdge> =
                    edges.filter(|edge| edge.to == self.target).collect();
                let steps = direct.into_iter().map(|edge| PathStep {
                    edge,
                    cost: PathCost::default().with_hop(edge.dep_kind),
                });
                steps.filter_map(|step| self.improve_step(step)).collect()
            }
        }
    }

    /// Records the packages one hop further away and returns the new ones. All of `level` have the
    /// same distance and their final cost, because a step never shortens a path.
    fn add_next_level(&mut self, graph: &'a PackageGraph, level: &[PackageId]) -> Vec<PackageId> {
        let mut next_level = Vec::new();
        for &to in level {
            let cost = self.steps[to.index()].map_or(PathCost::default(), |step| step.cost);
            let steps = graph.dependents(to).iter().map(|link| PathStep {
                edge: PackageEdge {
                    from: link.package,
                    to: DependencyTarget::Package(to),
                    dep_kind: link.dep_kind,
                },
                cost: cost.with_hop(link.dep_kind),
            });
            next_level.extend(steps.filter_map(|step| self.improve_step(step)));
        }
        next_level
    }

    /// Keeps the step if it is the best of its package so far. Returns the package if it is new.
    /// The target itself never gets a step, so that paths end in cyclic graphs.
    fn improve_step(&mut self, step: PathStep<'a>) -> Option<PackageId> {
        let from = step.edge.from;
        if DependencyTarget::Package(from) == self.target {
            return None;
        }
        let known = &mut self.steps[from.index()];
        match known {
            Some(best) if best.cost <= step.cost => None,
            Some(best) => {
                *best = step;
                None
            }
            None => {
                *known = Some(step);
                Some(from)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{
        all_distances, chain, graph, indent_lines, label, random_graphs, render_edges,
    };
    use super::*;

    fn id(graph: &PackageGraph, name: &str) -> PackageId {
        graph.find_by_name(name).next().expect("the package exists")
    }

    fn check_edges(text: &str, depth: usize, scope: TraversalScope, expected: Expect) {
        let graph = graph(text);
        let edges = graph.edges_from(id(&graph, "root"), depth, scope);
        expected.assert_eq(&render_edges(&graph, &edges));
    }

    const DIAMOND: &str = "root -> b; root -> a; a -> c; b -> c (dev); c -> root; c => log ^1";

    #[test]
    fn breadth_first_each_edge_once_and_cycles_end() {
        check_edges(
            DIAMOND,
            20,
            TraversalScope::Everything,
            expect![[r#"
                root -> a
                root -> b
                a -> c
                b -> c (dev)
                c => npm:log
                c -> root
            "#]],
        );
        check_edges(
            DIAMOND,
            20,
            TraversalScope::InternalOnly,
            expect![[r#"
                root -> a
                root -> b
                a -> c
                b -> c (dev)
                c -> root
            "#]],
        );
    }

    #[test]
    fn depth_counts_hops() {
        check_edges(DIAMOND, 0, TraversalScope::Everything, expect![""]);
        check_edges(
            DIAMOND,
            1,
            TraversalScope::Everything,
            expect![[r#"
                root -> a
                root -> b
            "#]],
        );
    }

    #[test]
    fn two_kinds_of_one_dependency_are_two_edges() {
        check_edges(
            "root -> a; root -> a (dev); root -> a; root -> root; root => x ^1; root => x ^2",
            3,
            TraversalScope::Everything,
            expect![[r#"
                root -> a
                root -> a (dev)
                root -> root
                root => npm:x
            "#]],
        );
    }

    /// A package's name, or `=> kind:name` for what is outside.
    fn target<'a>(graph: &PackageGraph, text: &'a str) -> DependencyTarget<'a> {
        match text.strip_prefix("=> ").and_then(|t| t.split_once(':')) {
            Some((kind, name)) => DependencyTarget::External { kind, name },
            None => DependencyTarget::Package(id(graph, text)),
        }
    }

    fn check_impact(text: &str, changed: &str, expected: Expect) {
        let graph = graph(text);
        let impact = graph.impact(target(&graph, changed));
        let mut lines = String::new();
        for affected in &impact.affected {
            let chain = impact.chain(affected.package).expect("it is affected");
            let package = label(&graph, affected.package);
            lines += &format!("{} {package}\n", affected.distance);
            lines += &indent_lines(&render_edges(&graph, &chain));
        }
        expected.assert_eq(&lines);
    }

    #[test]
    fn impact_is_ranked_by_distance_then_name() {
        check_impact(
            "web -> ui; ui -> core; api -> core; tests -> web (dev); core -> tests; lone",
            "core",
            expect![[r#"
                1 api
                  api -> core
                1 ui
                  ui -> core
                2 web
                  web -> ui
                  ui -> core
                3 tests
                  tests -> web (dev)
                  web -> ui
                  ui -> core
            "#]],
        );
    }

    #[test]
    fn impact_of_an_external_dependency_stays_in_its_ecosystem() {
        check_impact(
            "a => log ^1 (dev); a => log ^2; b -> a; cargo:c => log; cargo:d -> cargo:c",
            "=> npm:log",
            expect![[r#"
                1 a
                  a => npm:log
                2 b
                  b -> a
                  a => npm:log
            "#]],
        );
    }

    fn check_path(text: &str, from: &str, to: &str, expected: Expect) {
        let graph = graph(text);
        let path = graph.shortest_path(id(&graph, from), target(&graph, to));
        let rendered = path.map_or("none".to_string(), |path| render_edges(&graph, &path));
        expected.assert_eq(&rendered);
    }

    #[test]
    fn of_two_shortest_paths_the_one_with_fewer_dev_hops() {
        let text = "a -> b (dev); b -> z; a -> c; c -> z (build); a -> d; d -> e; e -> z";
        check_path(
            text,
            "a",
            "z",
            expect![[r#"
                a -> c
                c -> z (build)
            "#]],
        );
        check_path(
            "a -> b (dev); a -> b",
            "a",
            "b",
            expect![[r#"
                a -> b
            "#]],
        );
    }

    #[test]
    fn a_shorter_dev_path_beats_a_longer_runtime_one() {
        check_path(
            "a -> b; b -> c; a -> c (dev)",
            "a",
            "c",
            expect![[r#"
                a -> c (dev)
            "#]],
        );
    }

    #[test]
    fn why_an_external_dependency() {
        let text = "a -> b; b -> c; c => log; b => log (dev); d";
        check_path(
            text,
            "a",
            "=> npm:log",
            expect![[r#"
                a -> b
                b => npm:log (dev)
            "#]],
        );
        check_path(text, "a", "=> cargo:log", expect!["none"]);
        check_path(text, "d", "=> npm:log", expect!["none"]);
    }

    #[test]
    fn no_path_and_the_empty_path() {
        check_path("a -> b", "b", "a", expect!["none"]);
        check_path("a -> a", "a", "a", expect![""]);
    }

    #[test]
    fn distances_agree_with_floyd_and_warshall() {
        for graph in random_graphs(300) {
            let distances = all_distances(&graph);
            for to in graph.ids() {
                let impact = graph.impact(DependencyTarget::Package(to));
                for from in graph.ids().filter(|&from| from != to) {
                    let expected = distances[from.index()][to.index()];
                    let chain = impact.chain(from);
                    assert_eq!(chain.as_ref().map(Vec::len), expected);
                    let ranked = impact.affected.iter().find(|a| a.package == from);
                    assert_eq!(ranked.map(|a| a.distance), expected);
                    check_chain(&graph, from, to, &chain.unwrap_or_default());
                }
            }
        }
    }

    /// Each hop exists, and the hops join.
    fn check_chain(graph: &PackageGraph, from: PackageId, to: PackageId, chain: &[PackageEdge]) {
        let mut here = from;
        for edge in chain {
            assert_eq!(edge.from, here);
            assert!(graph.declared_edges(here).any(|declared| declared == *edge));
            let DependencyTarget::Package(next) = edge.to else {
                panic!("an internal chain");
            };
            here = next;
        }
        assert!(chain.is_empty() || here == to);
    }

    #[test]
    fn no_equally_short_chain_has_fewer_dev_hops() {
        for graph in random_graphs(300) {
            for to in graph.ids() {
                let impact = graph.impact(DependencyTarget::Package(to));
                for affected in &impact.affected {
                    let chain = impact.chain(affected.package).expect("it is affected");
                    let best = cheapest(&graph, affected.package, to, chain.len());
                    let dev_hops = chain.iter().filter(|e| e.dep_kind == DepKind::Dev);
                    assert_eq!(Some(dev_hops.count()), best);
                }
            }
        }
    }

    /// The fewest dev hops over all ways of exactly `hops` hops, by dynamic programming.
    fn cheapest(
        graph: &PackageGraph,
        from: PackageId,
        to: PackageId,
        hops: usize,
    ) -> Option<usize> {
        let mut costs: Vec<Option<usize>> = vec![None; graph.len()];
        costs[from.index()] = Some(0);
        for _ in 0..hops {
            let mut next: Vec<Option<usize>> = vec![None; graph.len()];
            for id in graph.ids() {
                let Some(cost) = costs[id.index()] else {
                    continue;
                };
                for link in graph.dependencies(id) {
                    let cost = cost + usize::from(link.dep_kind == DepKind::Dev);
                    let known = &mut next[link.package.index()];
                    *known = Some(known.map_or(cost, |known| known.min(cost)));
                }
            }
            costs = next;
        }
        costs[to.index()]
    }

    #[test]
    fn walked_edges_are_those_of_the_reachable_packages() {
        for graph in random_graphs(300) {
            let distances = all_distances(&graph);
            for root in graph.ids() {
                let reached = |id: PackageId, within: usize| {
                    id == root || distances[root.index()][id.index()].is_some_and(|d| d < within)
                };
                for depth in [1, 2, 20] {
                    let sources = graph.ids().filter(|&id| reached(id, depth));
                    let expected: usize = sources.map(|id| graph.dependencies(id).len()).sum();
                    let edges = graph.edges_from(root, depth, TraversalScope::Everything);
                    let distinct: HashSet<_> = edges.iter().collect();
                    assert_eq!(distinct.len(), edges.len());
                    assert_eq!(edges.len(), expected);
                }
            }
        }
    }

    #[test]
    fn a_chain_of_ten_thousand() {
        let statements: Vec<String> =
            (0..9_999).map(|i| format!("p{i:05} -> p{:05}", i + 1)).collect();
        let graph = chain(&statements);
        let (first, last) = (id(&graph, "p00000"), id(&graph, "p09999"));
        assert_eq!(graph.edges_from(first, usize::MAX, TraversalScope::Everything).len(), 9_999);
        let impact = graph.impact(DependencyTarget::Package(last));
        assert_eq!(impact.affected.len(), 9_999);
        assert_eq!(impact.chain(first).map(|chain| chain.len()), Some(9_999));
    }
}
