//! Dart and Flutter: `pubspec.yaml`, with `pubspec_overrides.yaml` and `melos.yaml`. Lock files are
//! not read.
//!
//! A dependency is internal by these rules of pub and melos:
//! - A `path:` that leads to a package means it, also by way of `dependency_overrides`.
//! - Members of one pub workspace resolve each other by name, whatever source they ask for. So do
//!   the packages that one `melos.yaml` lists.
//! - Versions do not matter: pub refuses a workspace whose versions do not fit, and melos overrides
//!   them.
//! - Every other name means the server, or the SDK.

mod manifest_facts;
mod workspaces;

use std::collections::HashMap;

use super::lenient_json::{parse_fields, read_yaml};
use super::nearest_package::DirectoriesByKey;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{DepKind, Dependency, Package, RepoPath};
use manifest_facts::{DartFile, DartRequirement, Melos, Pubspec, PubspecSettings};
use workspaces::ResolutionGroups;

/// The ecosystem of pub.
pub struct Dart;

impl Ecosystem for Dart {
    type Facts = DartFile;
    const KIND: &'static str = "dart";
    const FILES: &'static [&'static str] =
        &["pubspec.yaml", "pubspec_overrides.yaml", "melos.yaml"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<DartFile> {
        parse_fields(read_yaml(path, text), |reader, table| match path.file_name() {
            "melos.yaml" => DartFile::Melos(Melos::read(reader, table)),
            "pubspec_overrides.yaml" => DartFile::Overrides(PubspecSettings::read(reader, table)),
            _ => DartFile::Pubspec(Pubspec::read(reader, table)),
        })
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, DartFile)]) -> LinkedEcosystem {
        let groups = ResolutionGroups::new(files);
        let locals = DartPackages::new(repo, files, &groups);
        let packages = locals
            .all
            .iter()
            .map(|local| {
                let mut package = Package::new(Self::KIND, local.name.clone(), local.manifest);
                package.version.clone_from(&local.pubspec.version);
                package.description.clone_from(&local.pubspec.description);
                for (kind, requirements) in [
                    (DepKind::Runtime, &local.pubspec.dependencies),
                    (DepKind::Dev, &local.pubspec.dev_dependencies),
                ] {
                    package.dependencies.extend(requirements.iter().map(|(name, requirement)| {
                        locals.resolve_dependency(&groups, local, kind, name, requirement)
                    }));
                }
                package
            })
            .collect();
        LinkedEcosystem { packages, problems: groups.problems }
    }

    // Imports of another package begin so; quotes may be single or double.
    fn mentions(&self, name: &str) -> Option<Vec<String>> {
        Some(vec![format!("package:{name}/")])
    }
}

/// The packages of the repository, as targets of dependencies.
struct DartPackages<'a> {
    all: Vec<DartPackage<'a>>,
    by_directory: HashMap<RepoPath, usize>,
    /// By group, then by name. Names resolve only within a group.
    by_name: HashMap<RepoPath, DirectoriesByKey<String>>,
}

/// One package.
struct DartPackage<'a> {
    manifest: &'a RepoPath,
    directory: RepoPath,
    name: String,
    pubspec: &'a Pubspec,
    /// The root of its workspace or melos group.
    group: Option<RepoPath>,
    /// The directory whose overrides apply to it.
    overrider: RepoPath,
}

impl<'a> DartPackages<'a> {
    /// Indexes all packages by directory, and by name within their groups.
    fn new(
        repo: &Repo,
        files: &'a [(RepoPath, DartFile)],
        groups: &ResolutionGroups,
    ) -> DartPackages<'a> {
        let mut all = Vec::new();
        let mut by_directory = HashMap::new();
        let mut names: HashMap<RepoPath, Vec<(String, RepoPath)>> = HashMap::new();
        for (manifest, file) in files {
            let DartFile::Pubspec(pubspec) = file else {
                continue;
            };
            let directory = manifest.parent();
            let name = pubspec.name.clone().unwrap_or_else(|| repo.directory_name(&directory));
            let group = groups.find_group(&directory);
            if let Some(group) = &group {
                let of_group = names.entry(group.clone()).or_default();
                of_group.push((name.clone(), directory.clone()));
            }
            by_directory.insert(directory.clone(), all.len());
            all.push(DartPackage {
                manifest,
                name,
                pubspec,
                group,
                overrider: groups.find_overrider(&directory),
                directory,
            });
        }
        let by_name = names.into_iter();
        DartPackages {
            all,
            by_directory,
            by_name: by_name.map(|(group, names)| (group, names.into_iter().collect())).collect(),
        }
    }

    /// Resolves one dependency. An override replaces its source and, if it states one, its version.
    fn resolve_dependency(
        &self,
        groups: &ResolutionGroups,
        local: &DartPackage,
        kind: DepKind,
        name: &str,
        requirement: &DartRequirement,
    ) -> Dependency {
        let overriding = groups.find_override(&local.overrider, name);
        let target = match overriding {
            Some(other) => self.resolve_target(local, name, other.requirement, &other.directory),
            None => self.resolve_target(local, name, requirement, &local.directory),
        };
        let other_requirement = overriding.map(|other| other.requirement);
        let version = other_requirement.and_then(|other| other.version.as_ref());
        let name = match target {
            Some(target) => &target.name,
            None => requirement.name.as_deref().unwrap_or(name),
        };
        Dependency {
            name: name.to_string(),
            kind,
            version_req: version.or(requirement.version.as_ref()).cloned(),
            internal: target.map(|target| target.directory.clone()),
        }
    }

    /// Finds the package that a requirement, stated in the directory `base`, means. A path wins
    /// over a name; a package's own name is not itself.
    fn resolve_target(
        &self,
        local: &DartPackage,
        name: &str,
        requirement: &DartRequirement,
        base: &RepoPath,
    ) -> Option<&DartPackage<'a>> {
        let by_path = requirement
            .path
            .as_deref()
            .and_then(|path| self.package_at(&resolve_relative(base, path)?));
        by_path.or_else(|| {
            let group = local.group.as_ref().filter(|_| name != local.name)?;
            self.package_at(self.by_name.get(group)?.nearest(name, &local.directory)?)
        })
    }

    /// The package in a directory.
    fn package_at(&self, directory: &RepoPath) -> Option<&DartPackage<'a>> {
        self.by_directory.get(directory).map(|index| &self.all[*index])
    }
}

/// Resolves a relative path. An absolute path or a URL never counts as inside of the repository.
fn resolve_relative(base: &RepoPath, path: &str) -> Option<RepoPath> {
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.contains(':');
    base.join(path).filter(|_| !is_absolute)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Dart, files));
    }

    #[test]
    fn forms_of_dependencies() {
        check(
            &[(
                "pubspec.yaml",
                "# The app.\nname: app\nversion: 1.10.0+3\ndescription: >-\n  Two\n  lines.\npublish_to: none
dependencies:
  flutter:
    sdk: flutter
  path: ^1.9.0
  args: any
  meta:
  collection: '>=1.0.0 <2.0.0'
  two: 1.20
  private:
    hosted: https://pub.example.com
    version: ^2.0.0
  renamed:
    hosted: {name: real, url: https://pub.example.com}
    version: 1.0.0
  forked:
    git:
      url: https://example.com/fork.git
      ref: main
  outside:
    path: /opt/outside
dev_dependencies:
  test: ^1.24.0
  missing:
    path: ../missing
",
            )],
            expect![[r#"
                app 1.10.0+3 () "Two lines."
                  -> args any
                  -> collection >=1.0.0 <2.0.0
                  -> flutter
                  -> forked
                  -> meta
                  -> outside
                  -> path ^1.9.0
                  -> private ^2.0.0
                  -> real 1.0.0
                  -> two 1.20
                  -> missing (dev)
                  -> test ^1.24.0 (dev)
            "#]],
        );
    }

    #[test]
    fn paths() {
        check(
            &[
                (
                    "app/pubspec.yaml",
                    "name: app\ndependencies: {core: {path: ../core}, util: ^1.0.0}\ndev_dependencies: {app: {path: .}}",
                ),
                ("app/example/pubspec.yaml", "dependencies:\n  app:\n    path: ../\n"),
                ("core/pubspec.yaml", "name: core"),
                ("util/pubspec.yaml", "name: util\nversion: 1.0.0"),
            ],
            expect![[r#"
                example (app/example)
                  -> app [app]
                app (app)
                  -> core [core]
                  -> util ^1.0.0
                  -> app (dev) [app]
                core (core)
                util 1.0.0 (util)
            "#]],
        );
    }

    #[test]
    fn overrides() {
        check(
            &[
                (
                    "a/pubspec.yaml",
                    "name: a\ndependencies: {b: ^1.0.0, c: ^1.0.0, d: 1.0.0}\ndependency_overrides:\n  b: {path: ../b}\n  d: 2.0.0\n  e: 1.0.0",
                ),
                (
                    "b/pubspec.yaml",
                    "name: b\ndependencies: {c: ^1.0.0}\ndependency_overrides: {c: ^9.0.0}",
                ),
                ("b/pubspec_overrides.yaml", "dependency_overrides:\n  c:\n    path: ../c"),
                (
                    "c/pubspec.yaml",
                    "name: c\ndependencies: {b: ^1.0.0}\ndependency_overrides: {b: {path: ../b}}",
                ),
                ("c/pubspec_overrides.yaml", "dependency_overrides:"),
            ],
            expect![[r#"
                a (a)
                  -> b ^1.0.0 [b]
                  -> c ^1.0.0
                  -> d 2.0.0
                b (b)
                  -> c ^1.0.0 [c]
                c (c)
                  -> b ^1.0.0
            "#]],
        );
    }

    #[test]
    fn workspaces() {
        check(
            &[
                (
                    "pubspec.yaml",
                    "name: _\nworkspace:\n  - packages/client\n  - packages/shared\n  - packages/unwilling\n  - tools/*\ndependencies: {shared: any}",
                ),
                (
                    "packages/client/pubspec.yaml",
                    "name: client\nresolution: workspace\ndependencies: {shared: ^2.0.0, unwilling: 1.0.0, unlisted: any, flutter: {sdk: flutter}}\ndependency_overrides: {extra: {path: ../../extra}}",
                ),
                (
                    "packages/shared/pubspec.yaml",
                    "name: shared\nversion: 1.0.0\nresolution: workspace\nworkspace: [nested]\ndependencies: {extra: ^1.0.0}",
                ),
                (
                    "packages/shared/nested/pubspec.yaml",
                    "name: nested\nresolution: workspace\ndependencies: {client: any}",
                ),
                (
                    "packages/unlisted/pubspec.yaml",
                    "name: unlisted\nresolution: workspace\ndependencies: {shared: any}",
                ),
                ("packages/unwilling/pubspec.yaml", "name: unwilling\ndependencies: {shared: any}"),
                (
                    "tools/gen/pubspec.yaml",
                    "name: gen\ndev_dependencies: {flutter: {sdk: flutter}, client: any}",
                ),
                ("tools/gen/pubspec_overrides.yaml", "resolution: workspace"),
                ("tools/flutter/pubspec.yaml", "name: flutter\nresolution: workspace"),
                ("extra/pubspec.yaml", "name: extra\ndependencies: {shared: any}"),
            ],
            expect![[r#"
                extra (extra)
                  -> shared any
                client (packages/client)
                  -> flutter [tools/flutter]
                  -> shared ^2.0.0 [packages/shared]
                  -> unlisted any
                  -> unwilling 1.0.0
                nested (packages/shared/nested)
                  -> client any [packages/client]
                shared 1.0.0 (packages/shared)
                  -> extra ^1.0.0 [extra]
                unlisted (packages/unlisted)
                  -> shared any
                unwilling (packages/unwilling)
                  -> shared any
                _ ()
                  -> shared any [packages/shared]
                flutter (tools/flutter)
                gen (tools/gen)
                  -> client any (dev) [packages/client]
                  -> flutter (dev) [tools/flutter]
            "#]],
        );
    }

    #[test]
    fn melos() {
        check(
            &[
                (
                    "melos.yaml",
                    "name: all\npackages:\n  - .\n  - packages/**\nignore:\n  - packages/**/example\n",
                ),
                ("pubspec.yaml", "name: all\ndev_dependencies: {b: any}"),
                (
                    "packages/a/pubspec.yaml",
                    "name: a\ndependencies: {b: ^9.0.0, outside: any, example: any}",
                ),
                (
                    "packages/a/example/pubspec.yaml",
                    "name: example\ndependencies: {b: any, a: {path: ..}}",
                ),
                ("packages/group/b/pubspec.yaml", "name: b\nversion: 1.0.0"),
                ("outside/pubspec.yaml", "name: outside\ndependencies: {b: any}"),
            ],
            expect![[r#"
                outside (outside)
                  -> b any
                example (packages/a/example)
                  -> a [packages/a]
                  -> b any
                a (packages/a)
                  -> b ^9.0.0 [packages/group/b]
                  -> example any
                  -> outside any
                b 1.0.0 (packages/group/b)
                all ()
                  -> b any (dev) [packages/group/b]
            "#]],
        );
    }

    #[test]
    fn odd_fields_do_not_lose_the_rest() {
        check(
            &[
                (
                    "pubspec.yaml",
                    "name: [x]\nversion: 1.0\ndescription: {a: b}\ndependencies: [a]\ndev_dependencies:\n  a: true\n  b: [1]\n  c: {version: {x: y}, path: [z]}\ndependency_overrides: 7\nworkspace: {a: b}\nresolution: [x]",
                ),
                ("a/pubspec.yaml", "dependencies:\nworkspace: ['[', ok]"),
                ("b/pubspec.yaml", ""),
                ("melos.yaml", "packages: 5\nignore: x"),
            ],
            expect![[r#"
                a (a)
                b (b)
                root 1.0 ()
                  -> a (dev)
                  -> b (dev)
                  -> c (dev)
                problem: pubspec.yaml: `name` is a list, not a text
                problem: pubspec.yaml: `description` is an object, not a text
                problem: pubspec.yaml: `dependencies` is a list, not an object
                problem: pubspec.yaml: `a` in `dev_dependencies` is neither a version nor a source
                problem: pubspec.yaml: `b` in `dev_dependencies` is neither a version nor a source
                problem: pubspec.yaml: `version` is an object, not a text
                problem: pubspec.yaml: `path` is a list, not a text
                problem: pubspec.yaml: `dependency_overrides` is a text, not an object
                problem: pubspec.yaml: `workspace` is an object, not a list
                problem: pubspec.yaml: `resolution` is a list, not a text
                problem: a/pubspec.yaml: the pattern `[` cannot be read: unclosed character class; missing ']'
            "#]],
        );
    }

    #[test]
    fn broken_files() {
        check(
            &[
                ("deep/pubspec.yaml", &"{a: ".repeat(100_000)),
                ("list/pubspec.yaml", "- a"),
                ("template/pubspec.yaml", "name: {{name}}\ndependencies:"),
                ("truncated/pubspec.yaml", "name: x\ndependencies: {a: "),
            ],
            expect![[r#"
                problem: deep/pubspec.yaml:1: recursion limit exceeded at line 1, column 1021
                problem: list/pubspec.yaml: its top level is a list, not an object
                problem: template/pubspec.yaml:1: expected string scalar at line 1, column 8
                problem: truncated/pubspec.yaml:2: unclosed bracket '{' at line 2, column 15
            "#]],
        );
    }
}
