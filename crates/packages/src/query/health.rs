//! Health report of a repository's packages, judged by the manifests alone. Source code is not
//! read, so a declared but unused dependency is not found here.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::graph::{DependencyTarget, PackageGraph, PackageId, PackageLink};
use kenning_model::{DepKind, RepoPath};

/// The length of the list of packages with the most dependents.
const MOST_DEPENDED_ON: usize = 10;

/// The report. Each list is empty if there is nothing to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health<'a> {
    /// Packages without internal dependencies and dependents, although there are others of their
    /// kind.
    pub orphans: Vec<PackageId>,
    /// The ten packages with the most direct dependents, most first.
    pub most_depended_on: Vec<Dependents>,
    /// Names that several packages of one kind have.
    pub duplicate_names: Vec<DuplicateName<'a>>,
    /// The external dependencies with the most different requirements first.
    pub version_conflicts: Vec<VersionConflict<'a>>,
}

/// A package with the number of its dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependents {
    pub package: PackageId,
    /// The number of packages that depend on it directly.
    pub count: usize,
}

/// A name that several packages of a kind share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateName<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    pub packages: Vec<PackageId>,
}

/// An external dependency that the packages of a kind require in different versions. Requirements
/// are compared as written: `1.0` and `^1.0` differ, even where an ecosystem treats them as equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionConflict<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    /// True if no single version can satisfy all of them, judged by the first number that is not
    /// zero. `^1.2` and `1.0.95` may agree; `1` and `2` may not, nor `0.3` and `0.4`.
    pub is_breaking: bool,
    /// The most requested first.
    pub requirements: Vec<VersionRequirement<'a>>,
}

/// One requirement as written, with the packages that state it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRequirement<'a> {
    pub version_req: &'a str,
    pub requests: Vec<VersionRequest>,
}

/// A package that states a requirement, and the kind of its dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionRequest {
    pub package: PackageId,
    pub dep_kind: DepKind,
}

impl PackageGraph {
    /// Computes the report. It takes time linear in the dependencies, apart from sorting.
    pub fn health(&self) -> Health<'_> {
        Health {
            orphans: self.orphans(),
            most_depended_on: self.most_depended_on(),
            duplicate_names: self.duplicate_names(),
            version_conflicts: self.version_conflicts(),
        }
    }

    /// Returns the packages that nothing links to others. A kind with a single package has no
    /// orphans, and the root of a workspace is none.
    fn orphans(&self) -> Vec<PackageId> {
        let mut kinds: HashMap<&str, usize> = HashMap::new();
        for id in self.ids() {
            *kinds.entry(&self.package(id).kind).or_default() += 1;
        }
        // The root of a workspace exists for the packages below it.
        let mut roots: HashSet<(&str, RepoPath)> = HashSet::new();
        for package in self.ids().map(|id| self.package(id)) {
            let above = package.path.ancestors().skip(1);
            roots.extend(above.map(|directory| (package.kind.as_str(), directory)));
        }
        let holds_others = |id: PackageId| {
            let package = self.package(id);
            roots.contains(&(package.kind.as_str(), package.path.clone()))
        };
        let alone = |id: PackageId| {
            let mut links = self.dependencies(id).iter().chain(self.dependents(id));
            links.all(|link| link.package == id)
        };
        self.ids()
            .filter(|&id| {
                kinds[self.package(id).kind.as_str()] > 1 && alone(id) && !holds_others(id)
            })
            .collect()
    }

    /// Returns the packages with the most direct dependents. Ties are by name, because the sort is
    /// stable.
    fn most_depended_on(&self) -> Vec<Dependents> {
        let mut counts: Vec<Dependents> = self
            .ids()
            .map(|package| Dependents {
                package,
                count: count_others(package, self.dependents(package)),
            })
            .filter(|dependents| dependents.count > 0)
            .collect();
        counts.sort_by_key(|dependents| std::cmp::Reverse(dependents.count));
        counts.truncate(MOST_DEPENDED_ON);
        counts
    }

    /// Finds runs of equal name and kind. Ids are sorted by name and kind, so duplicates are
    /// neighbours.
    fn duplicate_names(&self) -> Vec<DuplicateName<'_>> {
        let ids: Vec<PackageId> = self.ids().collect();
        let same_name = ids.chunk_by(|&a, &b| {
            let (a, b) = (self.package(a), self.package(b));
            (&a.name, &a.kind) == (&b.name, &b.kind)
        });
        let duplicates = same_name.filter(|packages| packages.len() > 1);
        duplicates
            .map(|packages| DuplicateName {
                kind: &self.package(packages[0]).kind,
                name: &self.package(packages[0]).name,
                packages: packages.to_vec(),
            })
            .collect()
    }

    /// Returns the external dependencies with several requirements, breaking ones first, then those
    /// with the most requirements.
    fn version_conflicts(&self) -> Vec<VersionConflict<'_>> {
        let mut conflicts: Vec<VersionConflict> = self
            .external_requests()
            .into_iter()
            .filter(|(_, requirements)| requirements.len() > 1)
            .map(|((name, kind), requirements)| VersionConflict {
                kind,
                name,
                is_breaking: is_breaking(requirements.keys().copied()),
                requirements: most_requested_first(requirements),
            })
            .collect();
        // The sort is stable: equal ones stay by name and kind.
        conflicts.sort_by_key(|conflict| {
            std::cmp::Reverse((conflict.is_breaking, conflict.requirements.len()))
        });
        conflicts
    }

    /// Returns the requests for external dependencies, by name and kind, then by requirement. A
    /// dependency without a requirement takes any version and conflicts with none.
    fn external_requests(&self) -> BTreeMap<(&str, &str), BTreeMap<&str, Vec<VersionRequest>>> {
        let mut external: BTreeMap<(&str, &str), BTreeMap<&str, Vec<VersionRequest>>> =
            BTreeMap::new();
        for package in self.ids() {
            let dependencies = &self.package(package).dependencies;
            for (dependency, edge) in dependencies.iter().zip(self.declared_edges(package)) {
                let version_req = dependency.version_req.as_deref().map(str::trim);
                let (DependencyTarget::External { kind, name }, Some(version_req)) =
                    (edge.to, version_req)
                else {
                    continue;
                };
                let requirements = external.entry((name, kind)).or_default();
                requirements
                    .entry(version_req)
                    .or_default()
                    .push(VersionRequest { package, dep_kind: dependency.kind });
            }
        }
        external
    }
}

/// Counts the different packages at the far ends, without the package itself.
fn count_others(package: PackageId, links: &[PackageLink]) -> usize {
    let ids = links.iter().map(|link| link.package);
    let others: HashSet<PackageId> = ids.filter(|&id| id != package).collect();
    others.len()
}

/// Sorts requirements by the number of packages that state them. Equal ones stay in alphabetical
/// order.
fn most_requested_first(
    requirements: BTreeMap<&str, Vec<VersionRequest>>,
) -> Vec<VersionRequirement<'_>> {
    let mut requirements: Vec<VersionRequirement> = requirements
        .into_iter()
        .map(|(version_req, requests)| VersionRequirement { version_req, requests })
        .collect();
    requirements.sort_by_key(|requirement| std::cmp::Reverse(requirement.requests.len()));
    requirements
}

/// True if the requirements are of several release lines.
fn is_breaking<'a>(requirements: impl Iterator<Item = &'a str>) -> bool {
    let lines: HashSet<String> = requirements.filter_map(release_line).collect();
    lines.len() > 1
}

/// Returns the part of a version within which releases are compatible by convention. It is `2` for
/// `^2.1` and `0.3` for `~0.3.9`; `None` if the requirement names no version.
fn release_line(requirement: &str) -> Option<String> {
    let start = requirement.find(|character: char| character.is_ascii_digit())?;
    let version: Vec<&str> = requirement[start..]
        .split(|character: char| !character.is_ascii_alphanumeric())
        .take(3)
        .collect();
    let significant = version.iter().position(|part| *part != "0").unwrap_or(0);
    Some(version[..=significant].join("."))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::{graph, label};
    use super::*;

    fn check(text: &str, expected: Expect) {
        let graph = graph(text);
        let health = graph.health();
        let labels = |ids: &[PackageId]| -> String {
            let labels: Vec<String> = ids.iter().map(|&id| label(&graph, id)).collect();
            labels.join(" ")
        };
        let mut lines = format!("orphans: {}\n", labels(&health.orphans));
        for most in &health.most_depended_on {
            lines += &format!("{} need {}\n", most.count, label(&graph, most.package));
        }
        for duplicate in &health.duplicate_names {
            let homes = labels(&duplicate.packages);
            lines += &format!("twice {} {}: {homes}\n", duplicate.kind, duplicate.name);
        }
        for conflict in &health.version_conflicts {
            lines += &format!("conflict {} {}\n", conflict.kind, conflict.name);
            for requirement in &conflict.requirements {
                lines += &format!("  {}:", requirement.version_req);
                for request in &requirement.requests {
                    lines += &format!(" {} ({})", label(&graph, request.package), request.dep_kind);
                }
                lines += "\n";
            }
        }
        expected.assert_eq(&lines);
    }

    #[test]
    fn orphans_are_alone_among_others_of_their_kind() {
        check(
            "a -> b; lone => log ^1; selfish -> selfish; cargo:single",
            expect![[r#"
                orphans: lone selfish
                1 need b
            "#]],
        );
    }

    #[test]
    fn dependents_count_packages_not_dependencies() {
        check(
            "a -> core; a -> core (dev); b -> core; core -> core; a -> b",
            expect![[r#"
                orphans: 
                2 need core
                1 need b
            "#]],
        );
    }

    #[test]
    fn only_the_ten_most_depended_on() {
        let names: Vec<String> = (0..12).map(|i| format!("user -> p{i:02}")).collect();
        let text = format!("{}; other -> p11", names.join(";"));
        let graph = graph(&text);
        let most = graph.health().most_depended_on;
        assert_eq!(most.len(), 10);
        assert_eq!(label(&graph, most[0].package), "p11");
        assert_eq!(label(&graph, most[9].package), "p08");
    }

    #[test]
    fn duplicate_names_within_one_kind() {
        check(
            "shared@a; shared@b; cargo:shared; x -> shared@a; x -> shared@b",
            expect![[r#"
                orphans: 
                1 need shared@a
                1 need shared@b
                twice npm shared: shared@a shared@b
            "#]],
        );
    }

    #[test]
    fn conflicting_versions_say_who_asks_for_what() {
        check(
            "a => log ^1; b => log ^2; c => log ^2 (dev); d => log; cargo:e => log 3; \
             a => react 17 (peer); b => react 18; c => react 19; a => same 1; b => same 1; \
             a -> b ^1; c -> b ^2; a -> c; d -> a",
            expect![[r#"
                orphans: 
                2 need b
                1 need a
                1 need c
                conflict npm react
                  17: a (peer)
                  18: b (runtime)
                  19: c (runtime)
                conflict npm log
                  ^2: b (runtime) c (dev)
                  ^1: a (runtime)
            "#]],
        );
    }
}
