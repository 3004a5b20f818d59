//! Graphs as text, in and out, and random ones from a fixed seed, for the tests of this directory.

use std::collections::BTreeMap;

use super::graph::{DependencyTarget, PackageEdge, PackageGraph, PackageId};
use kenning_model::{DepKind, Dependency, Package, RepoPath};
use kenning_testing::Random;

/// Reads statements between `;`: `a` is a package, `a -> b (dev)` an internal dependency (both ends
/// become packages), `a => left-pad ^1 (dev)` an external one. A package is `kind:name@path`; the
/// kind is npm and the path is the name unless given.
pub fn graph(text: &str) -> PackageGraph {
    let mut packages: Vec<Package> = Vec::new();
    for statement in text.split(';') {
        let mut words = statement.split_whitespace();
        let from = declare(&mut packages, words.next().expect("a package"));
        let Some(arrow) = words.next() else { continue };
        let target = words.next().expect("a target");
        let mut dependency = Dependency {
            name: target.to_string(),
            kind: DepKind::Runtime,
            version_req: None,
            internal: None,
        };
        if arrow == "->" {
            let target = declare(&mut packages, target);
            dependency.name = packages[target].name.clone();
            dependency.internal = Some(packages[target].path.clone());
        }
        for word in words {
            match word.strip_prefix('(').and_then(|w| w.strip_suffix(')')) {
                Some(kind) => dependency.kind = DepKind::parse(kind).expect("a dependency kind"),
                None => dependency.version_req = Some(word.to_string()),
            }
        }
        packages[from].dependencies.push(dependency);
    }
    PackageGraph::new(packages)
}

fn declare(packages: &mut Vec<Package>, text: &str) -> usize {
    let (kind, rest) = text.split_once(':').unwrap_or(("npm", text));
    let (name, path) = rest.split_once('@').unwrap_or((rest, rest));
    let path = RepoPath::new(path).expect("a path inside the repository");
    let manifest = path.join("manifest").expect("a path inside the repository");
    let package = Package::new(kind, name, &manifest);
    let known = packages.iter().position(|p| p.key() == package.key());
    known.unwrap_or_else(|| {
        packages.push(package);
        packages.len() - 1
    })
}

/// As [`graph`], but near-linear: for `a -> b` statements over packages in the order of their first
/// mention, thousands of them.
pub fn chain(statements: &[String]) -> PackageGraph {
    let small = statements.iter().map(|statement| graph(statement));
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    for graph in small {
        for id in graph.ids() {
            let package = graph.package(id).clone();
            let known = packages
                .entry(package.name.clone())
                .or_insert_with(|| Package { dependencies: Vec::new(), ..package.clone() });
            known.dependencies.extend(package.dependencies);
        }
    }
    PackageGraph::new(packages.into_values().collect())
}

/// A package as [`graph`] reads it.
pub fn label(graph: &PackageGraph, id: PackageId) -> String {
    let package = graph.package(id);
    let mut label = package.name.clone();
    if package.kind != "npm" {
        label = format!("{}:{label}", package.kind);
    }
    if package.path.as_str() != package.name {
        label += &format!("@{}", package.path);
    }
    label
}

/// An edge a line, as [`graph`] reads it but for the kind of an external target.
pub fn render_edges(graph: &PackageGraph, edges: &[PackageEdge]) -> String {
    let mut lines = String::new();
    for edge in edges {
        let from = label(graph, edge.from);
        lines += &match edge.to {
            DependencyTarget::Package(to) => format!("{from} -> {}", label(graph, to)),
            DependencyTarget::External { kind, name } => format!("{from} => {kind}:{name}"),
        };
        if edge.dep_kind != DepKind::Runtime {
            lines += &format!(" ({})", edge.dep_kind);
        }
        lines += "\n";
    }
    lines
}

/// Lines that belong under a heading.
pub fn indent_lines(lines: &str) -> String {
    lines.lines().map(|line| format!("  {line}\n")).collect()
}

/// `count` random graphs, small and of every density, the same ones each time.
pub fn random_graphs(count: usize) -> impl Iterator<Item = PackageGraph> {
    let mut random = Random::new(0x5eed);
    (0..count).map(move |_| {
        let packages = 1 + random.next_below(9);
        let edges = random.next_below(packages * 3);
        let mut statements: Vec<String> = (0..packages).map(|i| format!("p{i}")).collect();
        for _ in 0..edges {
            let kind = ["runtime", "dev", "build"][random.next_below(3)];
            let (from, to) = (random.next_below(packages), random.next_below(packages));
            statements.push(format!("p{from} -> p{to} ({kind})"));
        }
        graph(&statements.join(";"))
    })
}

/// How many hops the shortest way takes between every two packages, by Floyd and Warshall.
pub fn all_distances(graph: &PackageGraph) -> Vec<Vec<Option<usize>>> {
    let size = graph.len();
    let mut distances = vec![vec![None; size]; size];
    for from in graph.ids() {
        for link in graph.dependencies(from) {
            distances[from.index()][link.package.index()] = Some(1);
        }
    }
    for via in 0..size {
        for from in 0..size {
            for to in 0..size {
                let legs = distances[from][via].zip(distances[via][to]);
                let detour = legs.map(|(a, b): (usize, usize)| a + b);
                let known: Option<usize> = distances[from][to];
                distances[from][to] = known.into_iter().chain(detour).min();
            }
        }
    }
    distances
}
