//! PHP: `composer.json`, with path repositories. Lock files are not read: they state what was
//! installed, not what is declared.
//!
//! A dependency is internal by these rules:
//! - A package with path repositories takes from them what they hold, the first one first. All
//!   other names mean the registry.
//! - A package without any takes the package here that declares the name, unless its version does
//!   not fit. Monorepos such as Symfony's publish their packages separately, and their manifests do
//!   not mention each other's directories.
//! - If no package declares the name, the one that replaces it by itself (`self.version`) is taken.
//! - Names ignore case.

mod constraint;
mod workspace_packages;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lenient_json::{JsonFields, JsonTable, parse_fields, read_json};
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{DepKind, Dependency, Package, RepoPath};
use workspace_packages::PhpPackages;

/// The ecosystem of composer.
pub struct Php;

/// The part of `composer.json` that declares the package.
#[derive(Serialize, Deserialize)]
pub struct Composer {
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    require: BTreeMap<String, String>,
    require_dev: BTreeMap<String, String>,
    /// The names that it replaces by parts of itself: `"name": "self.version"`.
    replaces: Vec<String>,
    /// The URLs of path repositories, which are globs relative to the manifest.
    path_repositories: Vec<String>,
}

impl Ecosystem for Php {
    type Facts = Composer;
    const KIND: &'static str = "php";
    const FILES: &'static [&'static str] = &["composer.json"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<Composer> {
        parse_fields(read_json(path, text), Composer::read)
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, Composer)]) -> LinkedEcosystem {
        let locals = PhpPackages::new(repo, files);
        let packages = locals
            .iter()
            .map(|(directory, local)| {
                let mut package = Package::new(Self::KIND, local.name.clone(), local.manifest);
                package.version.clone_from(&local.facts.version);
                package.description.clone_from(&local.facts.description);
                for (kind, requirements) in [
                    (DepKind::Runtime, &local.facts.require),
                    (DepKind::Dev, &local.facts.require_dev),
                ] {
                    let requirements = requirements.iter().filter(|(name, _)| !is_platform(name));
                    let dependencies = requirements.map(|(name, constraint)| {
                        let target = locals.find_target(directory, local, name, constraint);
                        Dependency {
                            name: target.map_or(name, |(_, target)| &target.name).clone(),
                            kind,
                            version_req: Some(constraint.clone()).filter(|text| !text.is_empty()),
                            internal: target.map(|(directory, _)| directory.clone()),
                        }
                    });
                    package.dependencies.extend(dependencies);
                }
                package
            })
            .collect();
        LinkedEcosystem { packages, problems: locals.problems }
    }
}

impl Composer {
    /// Reads a `composer.json`.
    fn read(reader: &mut JsonFields, table: &JsonTable) -> Composer {
        let replaces = reader.texts(table, "replace").into_iter();
        let by_itself = replaces.filter(|(_, constraint)| constraint == "self.version");
        Composer {
            name: reader.text(table, "name"),
            version: reader.text(table, "version"),
            description: reader.text(table, "description"),
            require: reader.texts(table, "require"),
            require_dev: reader.texts(table, "require-dev"),
            replaces: by_itself.map(|(name, _)| name).collect(),
            path_repositories: read_path_repositories(reader, table),
        }
    }
}

/// Reads the path repositories. `repositories` is a list, or an object whose keys only name them. A
/// value that is no object disables a repository.
fn read_path_repositories(reader: &mut JsonFields, table: &JsonTable) -> Vec<String> {
    let repositories: Vec<&Value> = match table.get("repositories") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(repositories)) => repositories.iter().collect(),
        Some(Value::Object(repositories)) => repositories.values().collect(),
        Some(_) => {
            reader.add_problem("`repositories` is neither a list nor an object");
            Vec::new()
        }
    };
    let tables = repositories.into_iter().filter_map(Value::as_object);
    tables
        .filter(|repository| repository.get("type").is_some_and(|kind| kind == "path"))
        .filter_map(|repository| reader.text(repository, "url"))
        .collect()
}

/// True for platform packages such as `php` and `ext-json`, which are requirements on the machine.
/// All others have a vendor prefix.
fn is_platform(name: &str) -> bool {
    !name.contains('/')
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Php, files));
    }

    #[test]
    fn dependencies_and_an_internal_one() {
        check(
            &[
                ("packages/core/composer.json", r#"{"name": "acme/core", "version": "1.0.0"}"#),
                (
                    "composer.json",
                    r#"{"description": "The app", "require": {"php": ">=8.1", "ext-json": "*",
                        "acme/core": "@dev"}, "require-dev": {"phpunit/phpunit": "^11"}}"#,
                ),
            ],
            expect![[r#"
                root () "The app"
                  -> acme/core @dev [packages/core]
                  -> phpunit/phpunit ^11 (dev)
                acme/core 1.0.0 (packages/core)
            "#]],
        );
    }

    #[test]
    fn path_repositories_decide_which_of_one_name() {
        let core = r#"{"name": "acme/core", "version": "1.0.0"}"#;
        let app = |repositories: &str| {
            format!(
                r#"{{"name": "acme/app", "require": {{"Acme/Core": "^9", "acme/other": "*"}}, "repositories": {repositories}}}"#
            )
        };
        let check = |repositories: &str, expected: Expect| {
            let rendered = render(
                &Php,
                &[
                    ("apps/app/composer.json", &app(repositories)),
                    ("apps/core/composer.json", core),
                    ("libs/core/composer.json", core),
                    ("libs/old/core/composer.json", core),
                    ("libs/other/composer.json", r#"{"name": "acme/other"}"#),
                ],
            );
            let dependencies = rendered.lines().filter_map(|line| line.strip_prefix("  -> "));
            expected.assert_eq(&dependencies.collect::<Vec<_>>().join(", "));
        };
        check(
            r#"[{"type": "path", "url": "../../libs/*"}]"#,
            expect!["acme/core ^9 [libs/core], acme/other * [libs/other]"],
        );
        check(
            r#"[{"type": "path", "url": "../../libs/**/core"}, {"packagist.org": false}]"#,
            expect!["acme/core ^9 [libs/old/core], acme/other *"],
        );
        check(
            r#"{"a": {"type": "path", "url": "../../libs/{core,other}/"}, "packagist.org": false}"#,
            expect!["acme/core ^9 [libs/core], acme/other * [libs/other]"],
        );
        check(
            r#"[{"type": "path", "url": "../core"}, {"type": "path", "url": "../../libs/core"}]"#,
            expect!["acme/core ^9 [apps/core], acme/other *"],
        );
        check(
            r#"[{"type": "path", "url": "/libs/core"}, {"type": "path", "url": "../../../x"}]"#,
            expect!["Acme/Core ^9, acme/other *"],
        );
        check(
            r#"[{"type": "vcs", "url": "../../libs/core"}]"#,
            expect!["Acme/Core ^9, acme/other * [libs/other]"],
        );
    }

    #[test]
    fn packages_that_are_published_apart() {
        check(
            &[
                (
                    "composer.json",
                    r#"{"name": "acme/acme", "version": "3.0.0", "replace": {"acme/console": "self.version", "acme/virtual": "self.version", "acme/polyfill": "*"}, "require": {"acme/console": "^3"}}"#,
                ),
                (
                    "src/Console/composer.json",
                    r#"{"name": "acme/console", "require": {"acme/string": "^2.0|^3.0", "acme/virtual": "^3", "acme/polyfill": "1"}}"#,
                ),
                (
                    "src/String/composer.json",
                    r#"{"name": "acme/string", "version": "3.1", "require-dev": {"Acme/Console": "^2", "acme/string": "*"}}"#,
                ),
                (
                    "src/Legacy/composer.json",
                    r#"{"name": "acme/legacy", "require": {"acme/string": "~2.4"}}"#,
                ),
            ],
            expect![[r#"
                acme/acme 3.0.0 ()
                  -> acme/console ^3 [src/Console]
                acme/console (src/Console)
                  -> acme/polyfill 1
                  -> acme/string ^2.0|^3.0 [src/String]
                  -> acme/acme ^3 []
                acme/legacy (src/Legacy)
                  -> acme/string ~2.4
                acme/string 3.1 (src/String)
                  -> acme/console ^2 (dev) [src/Console]
                  -> acme/string * (dev)
            "#]],
        );
    }

    #[test]
    fn odd_fields_do_not_lose_the_rest() {
        check(
            &[
                (
                    "composer.json",
                    r#"{"name": 7, "version": 2, "description": [], "require": [], "require-dev": {"a/b": ["1"], "c/d": ""},
                    "replace": "x", "repositories": "none", "type": {}}"#,
                ),
                (
                    "a/composer.json",
                    r#"{"require": null, "repositories": [null, 5, {"type": "path"}, {"type": "path", "url": ["x"]}, {"type": "path", "url": "p/[*"}]}"#,
                ),
            ],
            expect![[r#"
                7 2 ()
                  -> c/d (dev)
                a (a)
                problem: composer.json: `replace` is a text, not an object
                problem: composer.json: `name` is a number, not a text
                problem: composer.json: `version` is a number, not a text
                problem: composer.json: `description` is a list, not a text
                problem: composer.json: `a/b` in `require-dev` is a list, not a text
                problem: composer.json: `repositories` is neither a list nor an object
                problem: a/composer.json: `url` is a list, not a text
                problem: a/composer.json: the pattern `[*` cannot be read: unclosed character class; missing ']'
            "#]],
        );
    }

    #[test]
    fn broken_files() {
        check(
            &[
                ("comment/composer.json", "{\n  # a comment\n}"),
                ("deep/composer.json", &"{\"a\":".repeat(100_000)),
                ("empty/composer.json", ""),
                ("text/composer.json", "\"text\""),
                ("truncated/composer.json", "{\"name\": "),
            ],
            expect![[r#"
                problem: comment/composer.json:2: key must be a string at line 2 column 3
                problem: deep/composer.json:1: recursion limit exceeded at line 1 column 636
                problem: empty/composer.json:1: EOF while parsing a value at line 1 column 0
                problem: text/composer.json: its top level is a text, not an object
                problem: truncated/composer.json:1: EOF while parsing a value at line 1 column 9
            "#]],
        );
    }
}
