//! JavaScript: against npm. `npm install --package-lock-only` decides where every dependency comes
//! from, given a registry on loopback that has anything; `npm query` says what it decided.
//!
//! The trees avoid what Kenning knowingly takes another way. A member under another name
//! (`npm:member@^1`) comes from the registry for npm, and from the workspace for pnpm and yarn 4. A
//! package that is no member and only linked (`file:`) finds members in the `node_modules` above
//! it, by chance of where it lies. A path in `overrides` leads npm from the dependent to nowhere,
//! and others from the root.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::npm_registry::Registry;
use super::{Edge, Facts, Package, assert_same, command, find_recent, kenning, npm_tree};
use super::{output_of, tree_of};
use crate::support::Tree;

const TABLES: [(&str, &str); 4] = [
    ("dependencies", "runtime"),
    ("devDependencies", "dev"),
    ("peerDependencies", "peer"),
    ("optionalDependencies", "optional"),
];

struct Npm {
    program: PathBuf,
    home: tempfile::TempDir,
    registry: Registry,
}

impl Npm {
    fn find() -> Option<Npm> {
        // The first that answers queries from a lock file.
        static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
            let what = "npm packages against npm";
            find_recent("npm", "--version", "", (10, 0), what)
        });
        Some(Npm {
            program: PROGRAM.clone()?,
            home: tempfile::tempdir().unwrap(),
            registry: Registry::start(),
        })
    }

    fn run(&self, tree: &Tree, arguments: &[&str]) -> String {
        let home = self.home.path();
        let mut command = command(&self.program, &tree.root(), &["NPM_", "NODE_"]);
        command
            .env("HOME", home)
            .env("npm_config_cache", home.join("cache"))
            .env("npm_config_userconfig", home.join("user"))
            .env("npm_config_globalconfig", home.join("global"))
            .env("npm_config_registry", &self.registry.url)
            .env("npm_config_update_notifier", "false")
            .args(["--package-lock-only", "--ignore-scripts"])
            .args(["--no-audit", "--no-fund"])
            .args(arguments);
        output_of(&mut command)
    }

    fn query(&self, tree: &Tree, selector: &str) -> Vec<Value> {
        serde_json::from_str(&self.run(tree, &["query", selector])).unwrap()
    }

    /// Reads npm's facts about the root, the members of its workspace, and the packages that they link to.
    fn facts(&self, tree: &Tree) -> Facts {
        self.run(tree, &["install"]);
        let lock = std::fs::read_to_string(tree.root().join("package-lock.json")).unwrap();
        let lock: Value = serde_json::from_str(&lock).unwrap();
        let mut facts = Facts::default();
        for node in self.query(tree, "*") {
            let directory = node["location"].as_str().unwrap();
            if directory.contains("node_modules") {
                continue;
            }
            facts.edges.extend(edges(&lock["packages"], directory, &node));
            facts.packages.push(Package {
                name: name(directory, &node),
                version: node["version"].as_str().map(str::to_string),
                directory: directory.to_string(),
            });
        }
        facts
    }
}

/// npm names what does not name itself by its directory.
fn name(directory: &str, node: &Value) -> String {
    let last = directory.rsplit('/').next();
    let name = node["name"].as_str().or(last);
    name.filter(|name| !name.is_empty()).unwrap_or("repo").to_string()
}

/// The dependencies of a package, each with what npm puts in its place.
fn edges(places: &Value, from: &str, node: &Value) -> Vec<Edge> {
    let targets = node["to"].as_array().unwrap().iter();
    let targets: BTreeMap<&str, &str> = targets
        .map(|location| location.as_str().unwrap())
        .map(|location| (location.rsplit_once("node_modules/").unwrap().1, location))
        .collect();
    let mut edges = Vec::new();
    for (table, kind) in TABLES {
        for (key, written) in node[table].as_object().into_iter().flatten() {
            let written = written.as_str().unwrap();
            let place = targets.get(key.as_str()).map(|location| &places[*location]);
            let internal = place.filter(|place| place["link"] == true);
            let internal = internal.map(|link| link["resolved"].as_str().unwrap().to_string());
            let real = match &internal {
                Some(directory) => Some(name(directory, &places[directory])),
                None => place.and_then(|place| place["name"].as_str()).map(str::to_string),
            };
            edges.push(Edge {
                from: from.to_string(),
                name: real.unwrap_or_else(|| key.clone()),
                requirement: requirement(written),
                kind: kind.to_string(),
                internal,
            });
        }
    }
    edges
}

/// The version that is asked for: an alias is a name and a version.
fn requirement(written: &str) -> Option<String> {
    let version = match written.strip_prefix("npm:") {
        Some(alias) => alias.rsplit_once('@').map_or("", |(_, version)| version),
        None => written,
    };
    Some(version.to_string()).filter(|version| !version.is_empty())
}

/// `outside` are the packages of the tree that npm has nothing to do with.
fn check(tree: &Tree, outside: &[&str]) {
    let Some(npm) = Npm::find() else { return };
    let theirs = npm.facts(tree);
    let mut ours = kenning(tree, "npm");
    for directory in outside {
        assert!(ours.packages.iter().any(|package| package.directory == *directory));
    }
    ours.packages.retain(|package| !outside.contains(&package.directory.as_str()));
    ours.edges.retain(|edge| !outside.contains(&edge.from.as_str()));
    assert_same("npm", &theirs, &ours);
}

/// A root with these patterns; below it the packages, and a member `probe` that asks for any
/// version of each of them, and so shows which of them npm takes for members.
fn check_members(patterns: &str, members: &[&str], others: &[&str]) {
    let name = |directory: &str| directory.replace('/', "-");
    let tree = Tree::new(&[]);
    let mut everything = BTreeMap::new();
    for directory in members.iter().chain(others) {
        everything.insert(name(directory), "*");
        let text = json!({"name": name(directory), "version": "1.0.0"});
        tree.write(&format!("{directory}/package.json"), &text.to_string());
    }
    let root = format!(r#"{{"name": "root", "workspaces": {patterns}}}"#);
    tree.write("package.json", &root);
    let probe = json!({"name": "probe", "dependencies": everything});
    tree.write("probe/package.json", &probe.to_string());
    check(&tree, others);
    // The table states what npm does; if it does not, the table is wrong.
    let edges = kenning(&tree, "npm").edges.into_iter();
    let mut found: Vec<String> = edges.filter_map(|edge| edge.internal).collect();
    found.sort();
    assert_eq!(found, members, "{patterns}");
}

#[test]
fn members_are_what_the_patterns_say() {
    check_members(
        r#"["./packages/*/", "!packages/old", "libs/{x,y}", "probe"]"#,
        &["libs/x", "libs/y", "packages/new"],
        &["libs/z", "packages/new/deep", "packages/old"],
    );
    check_members(
        r#"{"packages": ["p/**", "a?", "**/sub", "probe"]}"#,
        &["a1", "b/sub", "p/a", "p/a/deep", "sub"],
        &["a12", "b", "q"],
    );
}

/// One a line; each is asked for of each of [`VERSIONS`], of a package without a version, and of
/// one without a name.
const RANGES: &str = "^1.2.0
^1.3.0
^0.2.1
^0.0.1
^0
~1.2
~1
~> 1.2
1.x
1.2.*
X
2
*

>=1 <2
>= 1 < 2
>1.2.1
> 0.1.0
<=1.2
<1 || >=2
1.2.2
=1.2.2
v1.2.2
1.0.0 - 1.2
2 - 3
0.1 || 1.2 || 3
>=1.2.2-alpha
^2.0.0-alpha
>1.2.2-0 <3
latest";

const VERSIONS: [&str; 5] = ["1.2.2", "0.2.1", "0.0.2", "2.0.0-rc.1", "9.9.9"];

#[test]
fn ranges_are_met_here_or_elsewhere() {
    let tree =
        Tree::new(&[("package.json", r#"{"name": "root", "workspaces": ["asks/*", "has/*"]}"#)]);
    for version in VERSIONS {
        let text = json!({"name": format!("v{version}"), "version": version});
        tree.write(&format!("has/{version}/package.json"), &text.to_string());
    }
    tree.write("has/bare/package.json", r#"{"name": "bare"}"#);
    tree.write("has/unnamed/package.json", r#"{"version": "1.2.2"}"#);
    for (number, range) in RANGES.lines().enumerate() {
        let names = VERSIONS.iter().map(|version| format!("v{version}"));
        let names = names.chain(["bare".to_string(), "unnamed".to_string()]);
        let asked: BTreeMap<String, &str> = names.map(|name| (name, range)).collect();
        let text = json!({"name": format!("asks{number}"), "dependencies": asked});
        tree.write(&format!("asks/{number}/package.json"), &text.to_string());
    }
    check(&tree, &[]);
}

#[test]
fn kinds_aliases_and_paths() {
    check(
        &Tree::new(&[
            (
                "package.json",
                r#"{"name": "root", "workspaces": ["packages/*"], "devDependencies": {"tool": "^1", "core": "*"}}"#,
            ),
            (
                "packages/web/package.json",
                r#"{"name": "@acme/web", "version": "1.2.0",
                    "dependencies": {"ui": "^0.3.0", "react": "^8", "elsewhere": "npm:react@^7",
                        "lib": "file:../../libs/lib", "other": "../../libs/lib", "member": "file:../ui",
                        "ui2": "npm:ui@^9"},
                    "devDependencies": {"core": "npm:core@^2"},
                    "optionalDependencies": {"rare": "^1", "@acme/tool": "~1.0"}}"#,
            ),
            (
                "packages/ui/package.json",
                r#"{"name": "ui", "version": "0.3.0", "dependencies": {"core": ">=2 <3"},
                    "peerDependencies": {"react": ">=7", "@acme/web": "^1", "missing": "^9"},
                    "peerDependenciesMeta": {"missing": {"optional": true}}}"#,
            ),
            (
                "packages/core/package.json",
                r#"{"name": "core", "version": "2.0.0", "peerDependencies": {"ui": "^0.3"},
                    "devDependencies": {"ui": "*"}}"#,
            ),
            (
                "packages/tool/package.json",
                r#"{"name": "@acme/tool", "version": "1.0.9", "dependencies": {"core": "npm:react@8"}}"#,
            ),
            (
                "libs/lib/package.json",
                r#"{"name": "lib", "version": "1.0.0", "dependencies": {"react": "8"}}"#,
            ),
        ]),
        &[],
    );
}

#[test]
fn overrides() {
    check(
        &Tree::new(&[
            (
                "package.json",
                r#"{"name": "root", "workspaces": ["p/*"], "dependencies": {"own": "^2"},
                    "overrides": {"far": "^1", "x": "$own", "own": "$own", "y": "npm:far@2",
                        "inner": {"member": "1"}}}"#,
            ),
            (
                "p/member/package.json",
                r#"{"name": "member", "version": "2.0.0", "dependencies": {"own": "^2"}}"#,
            ),
            (
                "p/a/package.json",
                r#"{"name": "a", "dependencies": {"far": "^2", "x": "^1", "member": "^2"}}"#,
            ),
        ]),
        &[],
    );
}

#[test]
fn a_hundred_and_twenty_packages() {
    let tree = tree_of(&npm_tree::files(7));
    check(&tree, &[]);
    let Some(npm) = Npm::find() else { return };
    let members = npm.query(&tree, ".workspace");
    assert_eq!(members.len(), npm_tree::COUNT);
}
