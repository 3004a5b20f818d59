//! Rust: against `cargo metadata`, for what manifests declare and for what cargo resolves it to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use semver::VersionReq;
use serde_json::Value;

use super::{Edge, Facts, Package, assert_same, cargo_tree, command, directories_with, kenning};
use super::{output_of, relative, tree_of};
use crate::support::Tree;

/// A cargo with nothing but its own registry, in which the given crates are all there is.
struct Cargo {
    home: tempfile::TempDir,
}

impl Cargo {
    fn new(registry: &[(&str, &str)]) -> Cargo {
        let home = tempfile::tempdir().unwrap();
        let crates = home.path().join("crates");
        std::fs::create_dir_all(&crates).unwrap();
        for (name, version) in registry {
            let directory = crates.join(format!("{name}-{version}"));
            std::fs::create_dir_all(directory.join("src")).unwrap();
            let manifest = format!("[package]\nname = '{name}'\nversion = '{version}'\n");
            for (file, text) in [
                ("Cargo.toml", manifest.as_str()),
                ("src/lib.rs", ""),
                (".cargo-checksum.json", r#"{"files": {}}"#),
            ] {
                std::fs::write(directory.join(file), text).unwrap();
            }
        }
        let settings = format!(
            "[source.crates-io]\nreplace-with = 'ours'\n[source.ours]\ndirectory = {crates:?}\n\
             [registries.acme]\nindex = 'sparse+http://127.0.0.1:9/'\n"
        );
        std::fs::write(home.path().join("config.toml"), settings).unwrap();
        Cargo { home }
    }

    fn metadata(&self, directory: &Path, arguments: &[&str]) -> Value {
        // Set by cargo for its tests; the same cargo answers here.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = command(cargo, directory, &["CARGO", "RUSTFLAGS"]);
        command
            .env("CARGO_HOME", self.home.path())
            .args(["metadata", "--offline", "--format-version", "1"])
            .args(arguments);
        serde_json::from_str(&output_of(&mut command)).unwrap()
    }

    /// The answers for all workspaces and lone packages of a tree.
    fn all_metadata(&self, root: &Path, arguments: &[&str]) -> Vec<Value> {
        let mut known = BTreeSet::new();
        let mut answers = Vec::new();
        for directory in directories_with(root, "Cargo.toml") {
            if known.contains(&directory) {
                continue;
            }
            let answer = self.metadata(&root.join(directory), arguments);
            let workspace = Path::new(answer["workspace_root"].as_str().unwrap());
            known.extend(relative(root, workspace));
            known.extend(members(&answer).filter_map(|package| home(root, package)));
            answers.push(answer);
        }
        answers
    }
}

/// The packages of an answer that are members of its workspace.
fn members(answer: &Value) -> impl Iterator<Item = &Value> {
    let members = answer["workspace_members"].as_array().unwrap();
    let packages = answer["packages"].as_array().unwrap().iter();
    packages.filter(move |package| members.contains(&package["id"]))
}

/// The directory of a package, if it is of this tree.
fn home(root: &Path, package: &Value) -> Option<String> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    relative(root, manifest.parent().unwrap())
}

/// Returns the declared dependencies, as `cargo metadata --no-deps` reports them.
fn declared(cargo: &Cargo, root: &Path) -> Facts {
    let mut facts = Facts::default();
    for answer in cargo.all_metadata(root, &["--no-deps"]) {
        for package in members(&answer) {
            let directory = home(root, package).unwrap();
            for dependency in package["dependencies"].as_array().unwrap() {
                facts.edges.push(declared_edge(root, &directory, dependency));
            }
            facts.packages.push(Package {
                name: package["name"].as_str().unwrap().to_string(),
                version: package["version"].as_str().map(str::to_string),
                directory,
            });
        }
    }
    facts
}

fn declared_edge(root: &Path, from: &str, dependency: &Value) -> Edge {
    let kind = match dependency["kind"].as_str() {
        // A build dependency may be optional too; Kenning's word for it is `build`.
        None if dependency["optional"] == true => "optional",
        None => "runtime",
        Some(kind) => kind,
    };
    let path = dependency["path"].as_str();
    Edge {
        from: from.to_string(),
        name: dependency["name"].as_str().unwrap().to_string(),
        requirement: dependency["req"].as_str().map(str::to_string),
        kind: kind.to_string(),
        internal: path.and_then(|path| relative(root, Path::new(path))),
    }
}

/// Kenning's facts, with requirements and versions as cargo would print them.
fn in_words_of_cargo(mut facts: Facts) -> Facts {
    for edge in &mut facts.edges {
        let written = edge.requirement.as_deref().unwrap_or("*");
        edge.requirement = Some(VersionReq::parse(written).unwrap().to_string());
    }
    for package in &mut facts.packages {
        package.version.get_or_insert("0.0.0".to_string());
    }
    facts
}

/// Returns the resolved dependencies of workspace members and lone packages: the whole of
/// `cargo metadata`, which knows patches.
fn resolved(cargo: &Cargo, root: &Path) -> Facts {
    let mut facts = Facts::default();
    for answer in cargo.all_metadata(root, &["--all-features"]) {
        let packages = answer["packages"].as_array().unwrap().iter();
        let packages: BTreeMap<&str, &Value> =
            packages.map(|package| (package["id"].as_str().unwrap(), package)).collect();
        let nodes = answer["resolve"]["nodes"].as_array().unwrap().iter();
        let of_members = nodes.filter(|node| {
            let members = answer["workspace_members"].as_array().unwrap();
            members.contains(&node["id"])
        });
        for node in of_members {
            let from = home(root, packages[node["id"].as_str().unwrap()]).unwrap();
            for dependency in node["deps"].as_array().unwrap() {
                let target = packages[dependency["pkg"].as_str().unwrap()];
                for kind in dependency["dep_kinds"].as_array().unwrap() {
                    facts.edges.push(Edge {
                        from: from.clone(),
                        name: target["name"].as_str().unwrap().to_string(),
                        requirement: None,
                        kind: kind["kind"].as_str().unwrap_or("runtime").to_string(),
                        internal: home(root, target),
                    });
                }
            }
        }
    }
    facts
}

/// Kenning's edges, without what a resolution does not tell.
fn in_words_of_resolution(mut facts: Facts) -> Facts {
    facts.packages.clear();
    for edge in &mut facts.edges {
        edge.requirement = None;
        if edge.kind == "optional" {
            edge.kind = "runtime".to_string();
        }
    }
    facts
}

fn check_declared(tree: &Tree) {
    check_declared_but_for(&[], tree);
}

/// `patched` are the packages of which only a resolution tells where they come from.
fn check_declared_but_for(patched: &[&str], tree: &Tree) {
    let theirs = declared(&Cargo::new(&[]), &tree.root());
    let mut ours = in_words_of_cargo(kenning(tree, "cargo"));
    let edges = ours.edges.iter_mut();
    for edge in edges.filter(|edge| patched.contains(&edge.name.as_str())) {
        edge.internal = None;
    }
    assert_same("cargo", &theirs, &ours);
}

fn check_resolved(tree: &Tree, registry: &[(&str, &str)]) {
    let theirs = resolved(&Cargo::new(registry), &tree.root());
    assert_same("cargo", &theirs, &in_words_of_resolution(kenning(tree, "cargo")));
}

/// A tree with these manifests, and for each package the library that cargo insists on.
fn tree(manifests: &[(&str, &str)]) -> Tree {
    let tree = Tree::new(&[]);
    for (directory, text) in manifests {
        let file = |name| Path::new(directory).join(name).display().to_string();
        tree.write(&file("Cargo.toml"), text);
        if text.contains("[package]") {
            tree.write(&file("src/lib.rs"), "");
        }
    }
    tree
}

/// The manifest of a package `name`, with `rest` after its `[package]` table.
fn package(name: &str, rest: &str) -> String {
    format!("[package]\nname = '{name}'\nversion = '1.2.3'\n{rest}")
}

#[test]
fn tables_renames_and_requirements() {
    check_declared(&tree(&[(
        "",
        r#"
        [package]
        name = "a"
        edition = "2021"

        [dependencies]
        plain = "1"
        any = "*"
        exact = "=1.2.3"
        wild = "1.2.*"
        list = ">=1.2, <3"
        tilde = { version = "~0.4" }
        nothing = { git = "https://example.com/nothing" }
        both = { git = "https://example.com/both", version = "2", branch = "next" }
        elsewhere = { version = "3", registry = "acme" }
        alias = { package = "real", version = "^0.1.2-beta.1" }
        lazy = { version = "2", optional = true }
        "dotted_name-x" = { version = "1", default-features = false, features = ["f"] }
        outside = { path = "../outside" }

        [dependencies.long]
        version = "0.5"

        [dev-dependencies]
        plain = "1"
        checks = "2"

        [build-dependencies]
        cc = { version = "1", optional = true }
        alias = { package = "real", version = "1" }

        [target.'cfg(unix)'.dependencies]
        libc = "0.2"
        lazy-too = { version = "1", optional = true }

        [target.'cfg(windows)'.dependencies]
        libc = "0.2"

        [target.x86_64-unknown-linux-gnu.dev-dependencies]
        only-here = "1"

        [target."cfg(any())".build-dependencies]
        never = "1"
        "#,
    )]));
}

#[test]
fn old_spellings() {
    check_declared(&tree(&[(
        "",
        r#"
        [package]
        name = "old"
        version = "0.1.0"
        [dev_dependencies]
        tempdir = "0.3"
        [build_dependencies]
        gcc = "0.3"
        [target.'cfg(unix)'.dev_dependencies]
        nix = "0.5"
        "#,
    )]));
}

const WORKSPACE: &str = r#"
    [workspace]
    members = ["crates/*", "extra/one", "inner-looking/sub"]
    exclude = ["crates/lone", "inner", "nested"]
    default-members = ["crates/a"]
    resolver = "2"

    [workspace.package]
    version = "3.1.4"
    description = "Of the workspace"
    edition = "2021"

    [workspace.dependencies]
    b = { path = "crates/b", version = "3" }
    bee = { path = "crates/b", package = "b" }
    serde = { version = "1", default-features = false }
    renamed = { package = "real", version = "2" }
"#;

fn workspaces() -> Tree {
    let inheriting = |name: &str, rest: &str| {
        format!("[package]\nname = '{name}'\nversion.workspace = true\n{rest}")
    };
    tree(&[
        ("", WORKSPACE),
        (
            "crates/a",
            &inheriting(
                "a",
                "description.workspace = true\nedition = { workspace = true }\n\
                 [dependencies]\nb.workspace = true\nserde = { workspace = true, optional = true }\n\
                 renamed.workspace = true\ninner-lib = { path = '../../inner/lib' }\n\
                 [dev-dependencies]\nb = { workspace = true }\na = { path = '.' }\n\
                 [target.'cfg(unix)'.build-dependencies]\nserde.workspace = true\n",
            ),
        ),
        ("crates/b", &inheriting("b", "")),
        // Not named by any pattern, and a member all the same: a path leads there.
        (
            "extra/one",
            &inheriting(
                "one",
                "[dependencies]\ntwo = { path = '../two' }\n[dev-dependencies]\nbee.workspace = true",
            ),
        ),
        ("extra/two", &inheriting("two", "")),
        ("crates/lone", &package("lone", "[dependencies]\nb = { path = '../b' }")),
        (
            "inner",
            "[workspace]\nmembers = ['lib', 'app']\n[workspace.package]\nversion = '9.9.9'\n\
             [workspace.dependencies]\nserde = '2'\ninner-lib = { path = './lib' }",
        ),
        ("inner/lib", &inheriting("inner-lib", "[dependencies]\nserde.workspace = true")),
        ("inner/app", &inheriting("app", "[dependencies]\ninner-lib.workspace = true")),
        ("inner-looking/sub", &inheriting("sub", "")),
        // A root that is a package as well.
        (
            "nested",
            &package(
                "nested",
                "[workspace]\nmembers = ['member', '../far']\n\
                 [workspace.dependencies]\nsame = { path = 'same' }",
            ),
        ),
        ("nested/member", &package("member", "[dependencies]\nsame.workspace = true")),
        ("nested/same", &package("same", "")),
        // A member that lies outside of the root's directory, and says whose it is.
        ("far", &package("far", "workspace = '../nested'\n[dependencies]\nsame.workspace = true")),
    ])
}

#[test]
fn workspaces_as_declared() {
    check_declared(&workspaces());
}

#[test]
fn workspaces_as_resolved() {
    check_resolved(&workspaces(), &[("serde", "1.0.0"), ("serde", "2.0.0"), ("real", "2.5.0")]);
}

#[test]
fn names_that_several_have() {
    let registry = [("same", "1.0.0"), ("same", "4.0.0")];
    check_resolved(
        &tree(&[
            ("", "[workspace]\nmembers = ['a', 'b', 'c']\nresolver = '2'"),
            ("a", &package("a", "[dependencies]\nsame = { path = '../one/same' }")),
            (
                "b",
                &package(
                    "b",
                    "[dependencies]\nsame = '1'\n[dev-dependencies]\na = { path = '../a' }",
                ),
            ),
            (
                "c",
                &package(
                    "c",
                    "[dependencies]\nsame = '4'\n\
                     [build-dependencies]\nours = { path = '../one/same', package = 'same' }",
                ),
            ),
            ("one/same", &package("same", "")),
        ]),
        &registry,
    );
}

#[test]
fn patches() {
    let registry = [("b", "1.0.0"), ("b", "9.0.0"), ("d", "1.0.0"), ("e", "1.9.0"), ("f", "0.4.0")];
    check_resolved(
        &tree(&[
            (
                "",
                r#"
                [workspace]
                members = ["a", "z"]
                exclude = ["patched"]
                resolver = "2"

                [patch.crates-io]
                b = { path = "patched/b" }
                b2 = { path = "patched/b2", package = "b" }
                unused = { path = "patched/unused" }
                e = { path = "patched/e" }
                f = { path = "patched/f" }
                "#,
            ),
            (
                "a",
                &package(
                    "a",
                    r#"
                    [dependencies]
                    b = "1.2"
                    b-next = { package = "b", version = "2" }
                    b-far = { package = "b", version = "9" }
                    d = "1"
                    [dev-dependencies]
                    b = "1"
                    [target.'cfg(windows)'.build-dependencies]
                    b = "1.2.3"
                    "#,
                ),
            ),
            ("z", &package("z", "[dependencies]\nf = '0.4'\ne = '=1.2.3'\na = { path = '../a' }")),
            ("patched/b", &package("b", "")),
            ("patched/b2", "[package]\nname = 'b'\nversion = '2.0.0'"),
            ("patched/unused", &package("unused", "")),
            ("patched/e", &package("e", "[dependencies]\nd = '1'")),
            ("patched/f", &package("f", "")),
        ]),
        &registry,
    );
}

#[test]
fn a_hundred_and_twenty_packages() {
    let tree = tree_of(&cargo_tree::files(7));
    check_declared_but_for(cargo_tree::PATCHED, &tree);
    check_resolved(&tree, cargo_tree::REGISTRY);
}
