//! Rust: `Cargo.toml`, with workspaces, renames, target tables and `[patch]`.
//!
//! Not read: `Cargo.lock`, which states what was chosen; `.cargo/config.toml`; and the long
//! deprecated `[replace]`. Features are not evaluated, so an optional dependency is always listed
//! as optional.

mod link;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::toml_reader::{self, TomlFields, TomlTable, TomlValue};
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::RepoPath;

/// The ecosystem of cargo.
pub struct Cargo;

/// The part of `Cargo.toml` that declares a package, a workspace, or both.
#[derive(Serialize, Deserialize)]
pub struct CargoToml {
    package: Option<PackageTable>,
    workspace: Option<WorkspaceTable>,
    /// In the order of the file. Entries of `[target.…]` tables are included, whatever their
    /// condition.
    dependencies: Vec<(String, CargoRequirement)>,
    dev_dependencies: Vec<(String, CargoRequirement)>,
    build_dependencies: Vec<(String, CargoRequirement)>,
    /// By source: `crates-io`, another registry's name, or the URL of a git repository.
    patch: BTreeMap<String, BTreeMap<String, CargoRequirement>>,
}

/// The table `[package]`.
#[derive(Serialize, Deserialize)]
struct PackageTable {
    name: Option<String>,
    version: InheritableField,
    description: InheritableField,
    /// The directory of the workspace root, if the package says so itself.
    workspace: Option<String>,
}

/// A field that a package may leave to its workspace (`version.workspace = true`).
#[derive(Serialize, Deserialize)]
enum InheritableField {
    Absent,
    Own(String),
    Inherited,
}

/// The table `[workspace]`.
#[derive(Serialize, Deserialize)]
struct WorkspaceTable {
    /// Paths and globs, as written.
    members: Vec<String>,
    exclude: Vec<String>,
    /// From `[workspace.package]`, like `description`.
    version: Option<String>,
    description: Option<String>,
    /// `[workspace.dependencies]`.
    dependencies: BTreeMap<String, CargoRequirement>,
}

/// The value of one entry in a table of dependencies.
#[derive(Serialize, Deserialize, Default)]
struct CargoRequirement {
    /// The real name, if the key is an alias.
    package: Option<String>,
    version: Option<String>,
    path: Option<String>,
    git: Option<String>,
    /// The name of another registry than crates.io.
    registry: Option<String>,
    workspace: bool,
    optional: bool,
}

impl Ecosystem for Cargo {
    type Facts = CargoToml;
    const KIND: &'static str = "cargo";
    const FILES: &'static [&'static str] = &["Cargo.toml"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<CargoToml> {
        toml_reader::read_toml(path, text, read_manifest)
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, CargoToml)]) -> LinkedEcosystem {
        link::link(repo, files)
    }

    // Cargo turns the dashes of a package name into underscores for the crate name in code.
    fn mentions(&self, name: &str) -> Option<Vec<String>> {
        Some(vec![name.replace('-', "_")])
    }
}

/// Reads the facts of one manifest. A file with neither a package nor a workspace is reported.
fn read_manifest<'t>(reader: &mut TomlFields<'t>, root: &TomlTable<'t>) -> CargoToml {
    // `[project]` is what `[package]` was called before Rust 1.0; cargo warned until edition 2024.
    let package = reader.table(root, "package").or_else(|| reader.table(root, "project"));
    let workspace = reader.table(root, "workspace");
    if package.is_none() && workspace.is_none() {
        reader.report_file_problem("there is neither a [package] nor a [workspace]");
    }
    let mut facts = CargoToml {
        package: package.map(|table| read_package(reader, table)),
        workspace: workspace.map(|table| read_workspace(reader, table)),
        dependencies: Vec::new(),
        dev_dependencies: Vec::new(),
        build_dependencies: Vec::new(),
        patch: BTreeMap::new(),
    };
    read_sections(reader, root, &mut facts);
    for (_, target) in reader.tables(root, "target") {
        read_sections(reader, target, &mut facts);
    }
    for (source, table) in reader.tables(root, "patch") {
        let patches = read_requirements(reader, table).collect();
        facts.patch.insert(source.to_string(), patches);
    }
    facts
}

/// Reads `[package]`. A missing name is reported, and the directory's name is used when linking.
fn read_package<'t>(reader: &mut TomlFields<'t>, table: &TomlTable<'t>) -> PackageTable {
    let name = reader.text(table, "name");
    if name.is_none() {
        reader.report_file_problem("[package] has no name");
    }
    PackageTable {
        name,
        version: read_field(reader, table, "version"),
        description: read_field(reader, table, "description"),
        workspace: reader.text(table, "workspace"),
    }
}

/// Reads a field that may be `{ workspace = true }`.
fn read_field<'t>(
    reader: &mut TomlFields<'t>,
    table: &TomlTable<'t>,
    key: &str,
) -> InheritableField {
    if let Some(inherits) = table.get(key).and_then(|value| value.get_ref().as_table())
        && reader.flag(inherits, "workspace")
    {
        return InheritableField::Inherited;
    }
    match reader.text(table, key) {
        Some(text) => InheritableField::Own(text),
        None => InheritableField::Absent,
    }
}

/// Reads `[workspace]`, with `[workspace.package]` and `[workspace.dependencies]`.
fn read_workspace<'t>(reader: &mut TomlFields<'t>, table: &TomlTable<'t>) -> WorkspaceTable {
    let package = reader.table(table, "package");
    let mut text = |key| package.and_then(|package| reader.text(package, key));
    let (version, description) = (text("version"), text("description"));
    let dependencies = reader.table(table, "dependencies");
    WorkspaceTable {
        members: reader.texts(table, "members"),
        exclude: reader.texts(table, "exclude"),
        version,
        description,
        dependencies: dependencies
            .map(|table| read_requirements(reader, table).collect())
            .unwrap_or_default(),
    }
}

/// Reads the three dependency tables at the root or below a target. Cargo still accepts the
/// spelling with underscores, and prefers the one with dashes.
fn read_sections<'t>(reader: &mut TomlFields<'t>, table: &TomlTable<'t>, facts: &mut CargoToml) {
    for (key, old_key, section) in [
        ("dependencies", None, &mut facts.dependencies),
        ("dev-dependencies", Some("dev_dependencies"), &mut facts.dev_dependencies),
        ("build-dependencies", Some("build_dependencies"), &mut facts.build_dependencies),
    ] {
        let requirements = reader.table(table, key).or_else(|| reader.table(table, old_key?));
        if let Some(requirements) = requirements {
            section.extend(read_requirements(reader, requirements));
        }
    }
}

/// Reads the entries of one dependency table.
fn read_requirements<'t>(
    reader: &mut TomlFields<'t>,
    table: &TomlTable<'t>,
) -> impl Iterator<Item = (String, CargoRequirement)> {
    table.iter().map(|(key, value)| {
        let key = key.get_ref().to_string();
        let requirement = read_requirement(reader, &key, value);
        (key, requirement)
    })
}

/// Reads `"1.0"`, or a table. A bare text is a version.
fn read_requirement<'t>(
    reader: &mut TomlFields<'t>,
    key: &str,
    value: &TomlValue<'t>,
) -> CargoRequirement {
    match value.get_ref().as_table() {
        Some(table) => CargoRequirement {
            package: reader.text(table, "package"),
            version: reader.text(table, "version"),
            path: reader.text(table, "path"),
            git: reader.text(table, "git"),
            registry: reader.text(table, "registry"),
            workspace: reader.flag(table, "workspace"),
            optional: reader.flag(table, "optional"),
        },
        None => CargoRequirement {
            version: reader.value_text(key, value),
            ..CargoRequirement::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Cargo, files));
    }

    /// The manifest of a package `name`, with `rest` after its `[package]` table.
    fn package(name: &str, rest: &str) -> String {
        format!("[package]\nname = '{name}'\nversion = '1.2.3'\n{rest}")
    }

    #[test]
    fn sections_targets_and_renames() {
        check(
            &[(
                "Cargo.toml",
                r#"
                [package]
                name = "a"
                version = "0.1.0"
                description = "Does a"

                [dependencies]
                serde = "1"
                any = "*"
                lazy = { version = "2", optional = true }
                alias = { package = "real", version = ">=1, <3" }
                forked = { git = "https://example.com/forked" }

                [dev-dependencies]
                insta = { version = "1.4", features = ["json"] }

                [build-dependencies]
                cc = "1"

                [target.'cfg(unix)'.dependencies]
                libc = "0.2"
                serde = "1"

                [target.'cfg(target_os = "macos")'.dependencies]
                libc = "0.2"

                [target.x86_64-pc-windows-msvc.build-dependencies]
                winres = "0.1"
                "#,
            )],
            expect![[r#"
                a 0.1.0 () "Does a"
                  -> real >=1, <3
                  -> any *
                  -> forked
                  -> serde 1
                  -> libc 0.2
                  -> insta 1.4 (dev)
                  -> cc 1 (build)
                  -> winres 0.1 (build)
                  -> lazy 2 (optional)
            "#]],
        );
    }

    #[test]
    fn old_spellings() {
        check(
            &[(
                "Cargo.toml",
                r#"
                [project]
                name = "old"

                [dev_dependencies]
                tempdir = "0.3"

                [build_dependencies]
                gcc = "0.3"

                [target.'cfg(unix)'.dev_dependencies]
                nix = "0.5"
                "#,
            )],
            expect![[r#"
                old ()
                  -> tempdir 0.3 (dev)
                  -> nix 0.5 (dev)
                  -> gcc 0.3 (build)
            "#]],
        );
    }

    #[test]
    fn paths_are_internal_and_names_alone_are_not() {
        check(
            &[
                (
                    "a/Cargo.toml",
                    &package(
                        "a",
                        r#"
                        [dependencies]
                        b = { path = "../b" }
                        c = "1"
                        d = { path = "../b", version = "1", package = "c" }
                        e = { path = "../e" }
                        f = { path = "../../outside" }
                        g = { path = "/absolute" }
                        renamed = { path = "../c", version = "1", package = "c" }
                        [dev-dependencies]
                        a = { path = "." }
                        "#,
                    ),
                ),
                ("b/Cargo.toml", &package("b", "")),
                ("c/Cargo.toml", &package("c", "")),
            ],
            expect![[r#"
                a 1.2.3 (a)
                  -> b [b]
                  -> c 1
                  -> e
                  -> f
                  -> g
                  -> c 1 [c]
                  -> a (dev) [a]
                b 1.2.3 (b)
                c 1.2.3 (c)
                problem: a/Cargo.toml: dependency `c`: there is no such package in `../b`
                problem: a/Cargo.toml: dependency `e`: there is no such package in `../e`
            "#]],
        );
    }

    #[test]
    fn workspaces_lend_fields_and_dependencies() {
        check(
            &[
                (
                    "Cargo.toml",
                    r#"
                    [workspace]
                    members = ["crates/*"]

                    [workspace.package]
                    version = "3.0.0"
                    description = "Of the workspace"

                    [workspace.dependencies]
                    b = { path = "crates/b", version = "3" }
                    bee = { path = "crates/b", package = "b" }
                    serde = { version = "1", features = ["derive"] }
                    "#,
                ),
                (
                    "crates/a/Cargo.toml",
                    r#"
                    [package]
                    name = "a"
                    version.workspace = true
                    description = { workspace = true }

                    [dependencies]
                    b.workspace = true
                    serde = { workspace = true, optional = true }
                    missing.workspace = true

                    [dev-dependencies]
                    bee.workspace = true
                    "#,
                ),
                ("crates/b/Cargo.toml", &package("b", "")),
            ],
            expect![[r#"
                a 3.0.0 (crates/a) "Of the workspace"
                  -> b 3 [crates/b]
                  -> missing
                  -> b (dev) [crates/b]
                  -> serde 1 (optional)
                b 1.2.3 (crates/b)
                problem: crates/a/Cargo.toml: no workspace has the dependency `missing` that is inherited
            "#]],
        );
    }

    #[test]
    fn the_nearest_workspace_that_does_not_exclude() {
        let inheriting = |name: &str, rest: &str| {
            format!("[package]\nname = '{name}'\nversion.workspace = true\n{rest}")
        };
        let root = |version: &str, rest: &str| {
            format!("[workspace]\n{rest}\n[workspace.package]\nversion = '{version}'")
        };
        check(
            &[
                ("Cargo.toml", &root("1.0.0", "exclude = ['out', 'tools']\nmembers = ['out/in']")),
                ("a/Cargo.toml", &inheriting("a", "")),
                ("inner/Cargo.toml", &root("2.0.0", "exclude = ['x']")),
                ("inner/b/Cargo.toml", &inheriting("b", "")),
                ("inner/x/Cargo.toml", &inheriting("x", "")),
                ("out/Cargo.toml", &inheriting("out", "")),
                ("out/in/Cargo.toml", &inheriting("in", "")),
                ("outer/Cargo.toml", &inheriting("outer", "")),
                ("tools/c/Cargo.toml", &inheriting("c", "workspace = '../../inner'")),
                ("tools/c/below/Cargo.toml", &inheriting("below", "")),
                ("tools/d/Cargo.toml", &package("d", "workspace = '../e'")),
            ],
            expect![[r#"
                a 1.0.0 (a)
                b 2.0.0 (inner/b)
                x 1.0.0 (inner/x)
                out (out)
                in 1.0.0 (out/in)
                outer 1.0.0 (outer)
                c 2.0.0 (tools/c)
                below 2.0.0 (tools/c/below)
                d 1.2.3 (tools/d)
                problem: out/Cargo.toml: no workspace has the `version` that the package inherits
                problem: tools/d/Cargo.toml: package.workspace: there is no workspace in `../e`
            "#]],
        );
    }

    #[test]
    fn patches_of_the_workspace_root() {
        check(
            &[
                (
                    "Cargo.toml",
                    r#"
                    [workspace]
                    members = ["a"]

                    [patch.crates-io]
                    b = { path = "vendor/b" }
                    b2 = { path = "vendor/b2", package = "b" }
                    elsewhere = { git = "https://example.com/elsewhere" }
                    lost = { path = "lost" }

                    [patch."https://github.com/Acme/c.git"]
                    c = { path = "vendor/c" }
                    "#,
                ),
                (
                    "a/Cargo.toml",
                    &package(
                        "a",
                        r#"
                        [dependencies]
                        b = "1.2"
                        b-next = { package = "b", version = "2" }
                        b-far = { package = "b", version = "9" }
                        b-other = { package = "b", version = "1", registry = "acme" }
                        c = { git = "https://github.com/acme/c" }
                        elsewhere = "1"
                        [dev-dependencies]
                        c = "1"
                        [patch.crates-io]
                        elsewhere = { path = "../vendor/c", package = "c" }
                        "#,
                    ),
                ),
                ("vendor/b/Cargo.toml", &package("b", "")),
                ("vendor/b2/Cargo.toml", "[package]\nname = 'b'\nversion = '2.0.0'"),
                ("vendor/c/Cargo.toml", &package("c", "")),
            ],
            expect![[r#"
                a 1.2.3 (a)
                  -> b 1.2 [vendor/b]
                  -> b 9
                  -> b 2 [vendor/b2]
                  -> b 1
                  -> c [vendor/c]
                  -> elsewhere 1
                  -> c 1 (dev)
                b 1.2.3 (vendor/b)
                b 2.0.0 (vendor/b2)
                c 1.2.3 (vendor/c)
                problem: Cargo.toml: dependency `lost`: there is no such package in `lost`
            "#]],
        );
    }

    #[test]
    fn two_packages_of_one_name() {
        check(
            &[
                ("one/Cargo.toml", &package("same", "")),
                ("two/Cargo.toml", &package("same", "")),
                ("Cargo.toml", &package("a", "[dependencies]\nsame = { path = 'two' }")),
            ],
            expect![[r#"
                a 1.2.3 ()
                  -> same [two]
                same 1.2.3 (one)
                same 1.2.3 (two)
            "#]],
        );
    }

    #[test]
    fn one_odd_value_does_not_lose_the_rest() {
        check(
            &[
                (
                    "Cargo.toml",
                    r#"
                    dev-dependencies = 3
                    [package]
                    name = "a"
                    version = 1.10
                    description = ["no"]
                    [dependencies]
                    a1 = 1
                    a2 = { version = 2, optional = "yes" }
                    a3 = []
                    a4 = "4"
                    [target]
                    unix = "odd"
                    "#,
                ),
                ("nameless/Cargo.toml", "[package]\nversion.workspace = true"),
                ("neither/Cargo.toml", "[dependencies]\na = '1'"),
            ],
            expect![[r#"
                a 1.10 ()
                  -> a1 1
                  -> a2 2
                  -> a3
                  -> a4 4
                nameless (nameless)
                problem: Cargo.toml:5: `version` should be a string, not float
                problem: Cargo.toml:6: `description` should be a string, not array
                problem: Cargo.toml:8: `a1` should be a string, not integer
                problem: Cargo.toml:9: `version` should be a string, not integer
                problem: Cargo.toml:9: `optional` should be true or false, not string
                problem: Cargo.toml:10: `a3` should be a string, not array
                problem: Cargo.toml:2: `dev-dependencies` should be a table, not integer
                problem: Cargo.toml:13: `unix` should be a table, not string
                problem: nameless/Cargo.toml: [package] has no name
                problem: neither/Cargo.toml: there is neither a [package] nor a [workspace]
                problem: nameless/Cargo.toml: no workspace has the `version` that the package inherits
            "#]],
        );
    }

    #[test]
    fn broken_toml_is_a_problem() {
        for (text, expected) in [
            (
                "[package]\nname = \"a",
                expect![[r#"
                problem: Cargo.toml:2: invalid basic string, expected `"`
            "#]],
            ),
            (
                "[package]\nname = 'a'\nname = 'b'",
                expect![[r#"
                problem: Cargo.toml:3: duplicate key
            "#]],
            ),
            (
                &format!("a = {}", "[".repeat(100_000)),
                expect![[r#"
                problem: Cargo.toml: brackets are nested too deeply
            "#]],
            ),
            (
                &format!("{}a = 1", "a.".repeat(100_000)),
                expect![[r#"
                problem: Cargo.toml: recursion limit
            "#]],
            ),
        ] {
            check(&[("Cargo.toml", text)], expected);
        }
    }
}
