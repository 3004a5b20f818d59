//! All packages of a repository with their internal dependencies, as compact adjacency lists in
//! both directions. It stores and looks up; the files beside it hold the queries.
//!
//! The packages are sorted, so that a lookup by name or key is a binary search and every answer has
//! one order.

use std::cmp::Ordering;
use std::ops::Range;

use kenning_model::{DepKind, Dependency, Package, PackageKey, RepoPath};

/// An immutable snapshot of the packages. Everything that it returns is ordered by name, then
/// kind, then path, whatever order the packages came in.
pub struct PackageGraph {
    packages: Vec<Package>,
    dependencies: Adjacency,
    /// The reverse of `dependencies`.
    dependents: Adjacency,
}

/// A package of one graph; the order of ids is the order by name, kind and path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageId(u32);

impl PackageId {
    /// The index into tables that are parallel to the packages.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn new(index: usize) -> PackageId {
        PackageId(u32::try_from(index).expect("no repository has four thousand million packages"))
    }
}

/// The far end of an internal dependency, seen from either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageLink {
    pub package: PackageId,
    pub dep_kind: DepKind,
}

/// The target of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependencyTarget<'a> {
    Package(PackageId),
    /// A package outside of the repository. `kind` is the ecosystem that asks for it: the `log` of
    /// cargo is not the `log` of npm.
    External {
        kind: &'a str,
        name: &'a str,
    },
}

/// One dependency, from the package that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageEdge<'a> {
    pub from: PackageId,
    pub to: DependencyTarget<'a>,
    pub dep_kind: DepKind,
}

impl PackageGraph {
    /// Builds the graph. If several packages share a key, the first one stays.
    pub fn new(mut packages: Vec<Package>) -> PackageGraph {
        packages.sort_by(|a, b| compare_key(a, &b.name, &b.kind, &b.path));
        packages.dedup_by(|b, a| compare_key(a, &b.name, &b.kind, &b.path).is_eq());
        for package in &mut packages {
            package.dependencies.sort();
        }
        let mut graph = PackageGraph {
            packages,
            dependencies: Adjacency::default(),
            dependents: Adjacency::default(),
        };
        let internal = graph.internal_edges();
        let reversed = internal.iter().map(|&(from, link)| {
            let back = PackageLink { package: from, ..link };
            (link.package, back)
        });
        graph.dependents = Adjacency::new(graph.len(), reversed.collect());
        graph.dependencies = Adjacency::new(graph.len(), internal);
        graph
    }

    /// The number of packages.
    pub fn len(&self) -> usize {
        self.packages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }

    /// All packages, by name.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = PackageId> + use<> {
        (0..self.len()).map(PackageId::new)
    }

    /// The package of an id. The id must come from this graph.
    pub fn package(&self, id: PackageId) -> &Package {
        &self.packages[id.index()]
    }

    /// Returns the packages of this name: of several kinds, or in several directories.
    pub fn find_by_name(&self, name: &str) -> impl ExactSizeIterator<Item = PackageId> + use<> {
        self.find_range(|package| package.name.as_str().cmp(name)).map(PackageId::new)
    }

    /// Returns the packages of this kind and name. There are several if they live in several
    /// directories.
    pub fn find_by_kind(
        &self,
        kind: &str,
        name: &str,
    ) -> impl ExactSizeIterator<Item = PackageId> + use<> {
        self.find_range(|package| {
            let by_name = package.name.as_str().cmp(name);
            by_name.then_with(|| package.kind.as_str().cmp(kind))
        })
        .map(PackageId::new)
    }

    /// Returns the package of a key.
    pub fn find(&self, key: &PackageKey) -> Option<PackageId> {
        self.find_id(&key.name, &key.kind, &key.path)
    }

    /// Returns the direct internal dependencies of `id`.
    pub fn dependencies(&self, id: PackageId) -> &[PackageLink] {
        self.dependencies.links_of(id)
    }

    /// Returns the direct internal dependents of `id`.
    pub fn dependents(&self, id: PackageId) -> &[PackageLink] {
        self.dependents.links_of(id)
    }

    /// Returns every dependency that `id` declares, internal or not, by name.
    pub fn declared_edges(&self, id: PackageId) -> impl Iterator<Item = PackageEdge<'_>> {
        let package = self.package(id);
        package.dependencies.iter().map(move |dependency| PackageEdge {
            from: id,
            to: self.target(package, dependency),
            dep_kind: dependency.kind,
        })
    }

    /// Returns the packages that declare a dependency of this name, internal or not, of any kind.
    pub fn find_declaring<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (PackageId, &'a Dependency)> {
        self.ids().flat_map(move |id| {
            let dependencies = &self.package(id).dependencies;
            // Dependencies are sorted by name, so this is a binary search per package. For 10,000
            // packages it takes no noticeable time.
            let start = dependencies.partition_point(|dependency| dependency.name.as_str() < name);
            let named = dependencies[start..].iter();
            named
                .take_while(move |dependency| dependency.name == name)
                .map(move |dependency| (id, dependency))
        })
    }

    /// Returns the target of a dependency. An internal one whose target is not among the packages
    /// counts as external.
    fn target<'a>(&self, package: &'a Package, dependency: &'a Dependency) -> DependencyTarget<'a> {
        let internal = dependency.internal.as_ref();
        match internal.and_then(|path| self.find_id(&dependency.name, &package.kind, path)) {
            Some(id) => DependencyTarget::Package(id),
            None => DependencyTarget::External { kind: &package.kind, name: &dependency.name },
        }
    }

    /// Every internal dependency, as an edge.
    fn internal_edges(&self) -> Vec<(PackageId, PackageLink)> {
        let declared = self.ids().flat_map(|id| self.declared_edges(id));
        let internal = declared.filter_map(|edge| match edge.to {
            DependencyTarget::Package(package) => {
                Some((edge.from, PackageLink { package, dep_kind: edge.dep_kind }))
            }
            DependencyTarget::External { .. } => None,
        });
        internal.collect()
    }

    /// Finds a package by its key.
    fn find_id(&self, name: &str, kind: &str, path: &RepoPath) -> Option<PackageId> {
        let found =
            self.packages.binary_search_by(|package| compare_key(package, name, kind, path));
        found.ok().map(PackageId::new)
    }

    /// The packages that compare as equal. `order` must agree with the order of the graph.
    fn find_range(&self, order: impl Fn(&Package) -> Ordering) -> Range<usize> {
        let start = self.packages.partition_point(|p| order(p).is_lt());
        let end = self.packages.partition_point(|p| order(p).is_le());
        start..end
    }
}

/// The order of the graph: by name, kind and path.
fn compare_key(package: &Package, name: &str, kind: &str, path: &RepoPath) -> Ordering {
    let by_name = package.name.as_str().cmp(name);
    by_name.then_with(|| package.kind.as_str().cmp(kind)).then_with(|| package.path.cmp(path))
}

/// The links of all packages in one vector, sorted per package, each once.
#[derive(Default)]
struct Adjacency {
    /// The start of the links of package `i`. They end at the start of the next package's.
    starts: Vec<u32>,
    links: Vec<PackageLink>,
}

impl Adjacency {
    /// Builds the lists by a counting sort over the sorted edges. Repeated edges are kept once.
    fn new(packages: usize, mut edges: Vec<(PackageId, PackageLink)>) -> Adjacency {
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0; packages + 1];
        for (from, _) in &edges {
            starts[from.index() + 1] += 1;
        }
        for index in 0..packages {
            starts[index + 1] += starts[index];
        }
        Adjacency { starts, links: edges.into_iter().map(|(_, link)| link).collect() }
    }

    /// The links of one package, sorted.
    fn links_of(&self, id: PackageId) -> &[PackageLink] {
        &self.links[self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{graph, indent_lines, label, render_edges};
    use super::*;

    fn check(text: &str, expected: Expect) {
        let graph = graph(text);
        let mut lines = String::new();
        for id in graph.ids() {
            let needs = graph.declared_edges(id).collect::<Vec<_>>();
            lines += &format!("{}\n", label(&graph, id));
            lines += &indent_lines(&render_edges(&graph, &needs));
            for link in graph.dependents(id) {
                lines += &format!("  <- {} ({})\n", label(&graph, link.package), link.dep_kind);
            }
        }
        expected.assert_eq(&lines);
    }

    #[test]
    fn both_ways_sorted_each_once() {
        check(
            "b -> a; b -> a; b -> a (dev); b => zlib ^1; b => axios; a -> c; c",
            expect![[r#"
                a
                  a -> c
                  <- b (runtime)
                  <- b (dev)
                b
                  b -> a
                  b -> a
                  b -> a (dev)
                  b => npm:axios
                  b => npm:zlib
                c
                  <- a (runtime)
            "#]],
        );
    }

    #[test]
    fn one_name_in_two_kinds_and_two_directories() {
        check(
            "cargo:shared; shared@a; shared@b; web -> shared@b; cargo:core -> cargo:shared",
            expect![[r#"
                cargo:core
                  cargo:core -> cargo:shared
                cargo:shared
                  <- cargo:core (runtime)
                shared@a
                shared@b
                  <- web (runtime)
                web
                  web -> shared@b
            "#]],
        );
    }

    #[test]
    fn an_internal_target_that_is_missing_is_external() {
        let mut lost = graph("a -> b").packages;
        lost.retain(|package| package.name == "a");
        let graph = PackageGraph::new(lost);
        let edges: Vec<PackageEdge> = graph.declared_edges(PackageId(0)).collect();
        assert_eq!(render_edges(&graph, &edges), "a => npm:b\n");
        assert!(graph.dependencies(PackageId(0)).is_empty());
    }

    #[test]
    fn lookups() {
        let graph =
            graph("cargo:shared; shared@a; shared@b; web -> shared@b; app => left-pad (dev)");
        let labels = |ids: Vec<PackageId>| -> String {
            let labels: Vec<String> = ids.into_iter().map(|id| label(&graph, id)).collect();
            labels.join(" ")
        };
        assert_eq!(
            labels(graph.find_by_name("shared").collect()),
            "cargo:shared shared@a shared@b"
        );
        assert_eq!(labels(graph.find_by_kind("npm", "shared").collect()), "shared@a shared@b");
        assert_eq!(labels(graph.find_by_name("nothing").collect()), "");
        for id in graph.ids() {
            assert_eq!(graph.find(&graph.package(id).key()), Some(id));
        }
        let declaring = |name| labels(graph.find_declaring(name).map(|(id, _)| id).collect());
        assert_eq!(declaring("shared"), "web");
        assert_eq!(declaring("left-pad"), "app");
    }

    #[test]
    fn the_order_of_the_input_does_not_matter_and_doubles_are_dropped() {
        let mut packages = graph("a -> b; b -> c; c -> a (dev)").packages;
        packages.push(packages[0].clone());
        packages.reverse();
        let graph = PackageGraph::new(packages);
        assert_eq!(graph.len(), 3);
        let names: Vec<&str> = graph.ids().map(|id| graph.package(id).name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }

    #[test]
    fn nothing() {
        let graph = PackageGraph::new(Vec::new());
        assert!(graph.is_empty());
        assert_eq!(graph.find_by_name("a").len(), 0);
    }
}
