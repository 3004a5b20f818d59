//! Swift: `Package.swift`. A package of the repository is meant only if its path is given, as in
//! SwiftPM.
//!
//! Version-specific manifests (`Package@swift-5.9.swift`) and `Package.resolved` are not read.

mod parse;

use std::collections::HashMap;

use self::parse::{PackageSource, SwiftDependency, SwiftPackage, TargetRole};
use super::normalize_dependencies::normalize_dependencies;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{DepKind, Dependency, Package, RepoPath};

/// The ecosystem of the Swift Package Manager.
pub struct Swift;

impl Ecosystem for Swift {
    type Facts = SwiftPackage;
    const KIND: &'static str = "swift";
    const FILES: &'static [&'static str] = &["Package.swift"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<SwiftPackage> {
        parse::parse_package_swift(path, text)
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, SwiftPackage)]) -> LinkedEcosystem {
        let name = |path: &RepoPath, facts: &SwiftPackage| {
            let name = facts.name.clone();
            name.unwrap_or_else(|| repo.directory_name(&path.parent()))
        };
        let homes: HashMap<RepoPath, (String, &SwiftPackage)> =
            files.iter().map(|(path, facts)| (path.parent(), (name(path, facts), facts))).collect();
        let packages = files.iter().map(|(path, facts)| {
            let mut package = Package::new(Self::KIND, name(path, facts), path);
            if let Some(version) = &facts.tools_version {
                let version = version.as_str().into();
                package.metadata.insert("swift_tools_version".to_string(), version);
            }
            let users = facts.deciding_roles();
            package.dependencies = facts
                .dependencies
                .iter()
                .map(|dependency| dependency.link_dependency(&path.parent(), &homes, &users))
                .collect();
            normalize_dependencies(&mut package);
            package
        });
        LinkedEcosystem { packages: packages.collect(), problems: Vec::new() }
    }
}

impl SwiftPackage {
    /// Returns the deciding role for each package or product that targets use, by its name in lower
    /// case. SwiftPM's identities ignore case.
    fn deciding_roles(&self) -> HashMap<String, TargetRole> {
        let mut users: HashMap<String, TargetRole> = HashMap::new();
        for used in &self.uses {
            let user = users.entry(used.name.to_lowercase()).or_insert(used.by);
            *user = used.by.min(*user);
        }
        users
    }
}

impl SwiftDependency {
    /// Resolves one dependency. Targets may refer to it by its identity, its name, or one of its
    /// products; all of them decide its kind.
    fn link_dependency(
        &self,
        directory: &RepoPath,
        homes: &HashMap<RepoPath, (String, &SwiftPackage)>,
        users: &HashMap<String, TargetRole>,
    ) -> Dependency {
        let (identity, home) = match &self.source {
            PackageSource::Path(path) => (package_identity(path), directory.join(path)),
            PackageSource::Remote(location) => (package_identity(location), None),
        };
        let target = home.as_ref().and_then(|home| homes.get(home));
        // All names by which a target may refer to this dependency.
        let mut names = vec![identity];
        names.extend(self.name.as_deref());
        if let Some((name, package)) = target {
            names.push(name);
            names.extend(package.products.iter().map(String::as_str));
        }
        // The least role decides. A package that no literal target uses counts as used by a
        // product.
        let user = names.iter().filter_map(|name| users.get(&name.to_lowercase())).min();
        Dependency {
            name: target.map_or(identity, |(name, _)| name).to_string(),
            kind: match user {
                None | Some(TargetRole::Product) => DepKind::Runtime,
                Some(TargetRole::Build) => DepKind::Build,
                Some(TargetRole::Test) => DepKind::Dev,
            },
            version_req: self.requirement.clone(),
            internal: target.and(home.clone()),
        }
    }
}

/// Returns the identity of a package in SwiftPM: the last segment of its location, without `.git`.
fn package_identity(location: &str) -> &str {
    let location = location.trim_end_matches('/');
    let last = location.rsplit(['/', ':']).next().unwrap_or(location);
    last.strip_suffix(".git").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Swift, files));
    }

    #[test]
    fn every_way_to_ask_for_a_version() {
        check(
            &[(
                "Package.swift",
                r#"// swift-tools-version: 5.9
import PackageDescription
let crtVersion: Version = "0.32.0"
let host = "https://example.com"
let package = Package(
    name: "MyLib",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0"),
        .package(url: "https://github.com/a/Major/", .upToNextMajor(from: "1.0.0")),
        .package(url: "git@github.com:a/minor.git", .upToNextMinor(from: "1.2.0")),
        .package(url: "https://github.com/a/range", "1.0.0"..<"2.0.0"),
        .package(url: "https://github.com/a/closed", "1.0.0" ... "1.5.0"),
        .package(url: "https://github.com/a/exact", exact: crtVersion),
        .package(url: "https://github.com/a/older", .exact("1.0.0")),
        .package(url: "https://github.com/a/branch", branch: "main"), // moves
        .package(name: "Named", url: "https://github.com/a/rev", .revision("abc")),
        .package(id: "mona.LinkedList", from: "1.0.0"),
        .package(url: "\(host)/computed", from: "1.0.0"),
        .package(url: "https://github.com/a/env", from: Version(stringLiteral: env)),
    ]
)
#if os(Linux)
package.dependencies.append(.package(url: "https://github.com/a/linux", from: "1.0.0"))
#else
package.dependencies += [Package.Dependency.package(url: "https://github.com/a/mac", from: "1.0.0")]
#endif
"#,
            )],
            expect![[r#"
                MyLib () swift_tools_version="5.9"
                  -> swift-nio from: 2.0.0
                  -> Major from: 1.0.0
                  -> minor upToNextMinor: 1.2.0
                  -> range 1.0.0..<2.0.0
                  -> closed 1.0.0...1.5.0
                  -> exact exact: 0.32.0
                  -> older exact: 1.0.0
                  -> branch branch: main
                  -> rev revision: abc
                  -> mona.LinkedList from: 1.0.0
                  -> env
                  -> linux from: 1.0.0
                  -> mac from: 1.0.0
                problem: Package.swift:18: a package whose location is computed was left out
            "#]],
        );
    }

    #[test]
    fn targets_decide_the_kind() {
        check(
            &[(
                "Package.swift",
                r#"// swift-tools-version:5.9
let package = Package(name: "P", dependencies: [
    .package(url: "https://x/swift-nio", from: "2.0.0"),
    .package(url: "https://x/Quick", from: "7.0.0"),
    .package(url: "https://x/both", from: "1.0.0"),
    .package(url: "https://x/swift-syntax", from: "600.0.0"),
    .package(url: "https://x/SwiftLint", from: "1.0.0"),
    .package(url: "https://x/generator", from: "1.0.0"),
    .package(url: "https://x/constant", from: "1.0.0"),
    .package(url: "https://x/unused", from: "1.0.0"),
], targets: [
    .target(name: "P", dependencies: [.product(name: "NIO", package: "swift-nio"),
        .product(name: "Both", package: "both"), .target(name: "Q", condition: .when(platforms: [.linux])),
    ], plugins: [.plugin(name: "SwiftLintPlugin", package: "SwiftLint")]),
    .testTarget(name: "PTests", dependencies: ["P", "Quick", .product(name: "Both", package: "both"), constant]),
    .macro(name: "M", dependencies: [.product(name: "SwiftSyntaxMacros", package: "swift-syntax")]),
    .plugin(name: "G", capability: .buildTool(), dependencies: [.product(name: "gen", package: "generator")]),
])
let constant: Target.Dependency = .product(name: "C", package: "constant")
"#,
            )],
            expect![[r#"
                P () swift_tools_version="5.9"
                  -> swift-nio from: 2.0.0
                  -> both from: 1.0.0
                  -> constant from: 1.0.0
                  -> unused from: 1.0.0
                  -> Quick from: 7.0.0 (dev)
                  -> swift-syntax from: 600.0.0 (build)
                  -> SwiftLint from: 1.0.0 (build)
                  -> generator from: 1.0.0 (build)
            "#]],
        );
    }

    #[test]
    fn paths_lead_into_the_repository() {
        check(
            &[
                (
                    "App/Package.swift",
                    r#"let package = Package(name: "App", dependencies: [
                        .package(path: "../Core"), .package(name: "Kit", path: "../kits/testing"),
                        .package(path: "../Gone"), .package(path: "../../../outside"),
                        .package(path: Context.packageDirectory + "/x"),
                        .package(url: "https://github.com/a/Core", from: "1.0.0")],
                        targets: [.target(name: "A", dependencies: ["CoreUI"]),
                            .testTarget(name: "T", dependencies: ["TestKit"])])"#,
                ),
                (
                    "Core/Package.swift",
                    r#"let package = Package(name: "CorePackage",
                        products: [.library(name: "CoreUI", targets: ["CoreUI"])])"#,
                ),
                (
                    "kits/testing/Package.swift",
                    r#"let package = Package(name: nameOf(x),
                        products: [.library(name: "TestKit", targets: ["TestKit"])])"#,
                ),
            ],
            expect![[r#"
                App (App)
                  -> CorePackage [Core]
                  -> Gone
                  -> outside
                  -> Core from: 1.0.0
                  -> testing (dev) [kits/testing]
                CorePackage (Core)
                testing (kits/testing)
                problem: App/Package.swift:4: a package whose location is computed was left out
            "#]],
        );
    }

    #[test]
    fn truncated_and_nonsense_files() {
        check(
            &[
                (
                    "a/Package.swift",
                    "let package = Package(\n  name: \"A\",\n  dependencies: [\n    .package(path: \"../b\"),",
                ),
                ("b/Package.swift", ""),
                ("c/Package.swift", "<html> ((( \u{0}"),
                ("d/Package.swift", &"[".repeat(100_000)),
                ("e/Package.swift", &"Package(name: \"e\")\n".repeat(1_000_000)),
                ("f/Package.swift", &"/*".repeat(60_000)),
                ("g/Package.swift", "let package = Package(name: 1, dependencies: nil)"),
                ("h/Package.swift", &".target(dependencies: [".repeat(5_000)),
            ],
            expect![[r#"
                g (g)
                problem: a/Package.swift:1: a syntax error; what is around it may be missing
                problem: b/Package.swift: it declares no package
                problem: c/Package.swift:1: a syntax error; what is around it may be missing
                problem: d/Package.swift: more than 200 brackets open at once
                problem: e/Package.swift: larger than 128 KiB
                problem: f/Package.swift: too tangled to be read
                problem: h/Package.swift: more than 200 brackets open at once
            "#]],
        );
    }
}
