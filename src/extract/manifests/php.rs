//! PHP: `composer.json`, with path repositories. Lock files are not read: they say what was
//! installed, not what is declared.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{Ecosystem, Linked, Parsed, Repo};
use crate::model::{DepKind, Dependency, Package, Problem, RepoPath};

pub struct Php;

/// The part of `composer.json` that declares the package.
#[derive(Serialize, Deserialize)]
pub struct Composer {
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    #[serde(default)]
    require: BTreeMap<String, String>,
    #[serde(default, rename = "require-dev")]
    require_dev: BTreeMap<String, String>,
}

impl Ecosystem for Php {
    type Facts = Composer;
    const KIND: &'static str = "php";
    const FILES: &'static [&'static str] = &["composer.json"];

    fn parse(&self, path: &RepoPath, text: &str) -> Parsed<Composer> {
        match serde_json::from_str(text) {
            Ok(facts) => Parsed::good(facts),
            Err(error) => {
                Parsed::broken(Problem::new(path, error.to_string()).at_line(error.line() as u32))
            }
        }
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, Composer)]) -> Linked {
        let homes: HashMap<&str, RepoPath> = files
            .iter()
            .filter_map(|(path, facts)| Some((facts.name.as_deref()?, path.parent())))
            .collect();
        let packages = files.iter().map(|(path, facts)| {
            let name = facts.name.clone();
            let name = name.unwrap_or_else(|| repo.directory_name(&path.parent()));
            let mut package = Package::new(Self::KIND, name, path);
            package.version.clone_from(&facts.version);
            package.description.clone_from(&facts.description);
            for (kind, requirements) in [
                (DepKind::Runtime, &facts.require),
                (DepKind::Dev, &facts.require_dev),
            ] {
                let requirements = requirements.iter().filter(|(name, _)| !is_platform(name));
                package
                    .dependencies
                    .extend(requirements.map(|(name, version_req)| Dependency {
                        name: name.clone(),
                        kind,
                        version_req: Some(version_req.clone()),
                        internal: homes.get(name.as_str()).cloned(),
                    }));
            }
            package
        });
        Linked {
            packages: packages.collect(),
            problems: Vec::new(),
        }
    }
}

/// `php`, `ext-json` and their like are requirements on the machine, not packages.
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
                (
                    "packages/core/composer.json",
                    r#"{"name": "acme/core", "version": "1.0.0"}"#,
                ),
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
    fn broken_json_is_a_problem() {
        check(
            &[("composer.json", "{\"name\": ")],
            expect![[r#"
                problem: composer.json:1: EOF while parsing a value at line 1 column 9
            "#]],
        );
    }
}
