//! Python: `pyproject.toml` (PEP 621, PEP 735, Poetry, PDM, uv), `setup.cfg` and
//! `requirements*.txt`. All of them in one directory declare one package.
//!
//! `setup.py` is a program, and lock files state what was installed: neither is read.

mod link;
mod pyproject;
mod requirement;
mod requirements_txt;
mod setup_cfg;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::requirement::{PythonRequirement, RequirementSource};
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::RepoPath;

/// The ecosystem of pip, Poetry, PDM and uv.
pub struct Python;

/// The facts that one file states about the package in its directory.
#[derive(Serialize, Deserialize, Default)]
pub struct PythonDeclaration {
    /// True if the file declares a package at all. Many files only configure tools.
    is_package: bool,
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    runtime: Vec<PythonRequirement>,
    dev: Vec<PythonRequirement>,
    build: Vec<PythonRequirement>,
    optional: Vec<PythonRequirement>,
    /// The sources of requirements, by normalized name, if they are stated apart from the
    /// requirements.
    sources: BTreeMap<String, RequirementSource>,
    workspace: Option<Workspace>,
}

/// `[tool.uv.workspace]`: globs over the directories of its members.
#[derive(Serialize, Deserialize)]
struct Workspace {
    members: Vec<String>,
    exclude: Vec<String>,
}

impl Ecosystem for Python {
    type Facts = PythonDeclaration;
    const KIND: &'static str = "python";
    const FILES: &'static [&'static str] = &["pyproject.toml", "setup.cfg", "requirements*.txt"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<PythonDeclaration> {
        match path.file_name() {
            "pyproject.toml" => pyproject::parse(path, text),
            "setup.cfg" => setup_cfg::parse(path, text),
            _ => requirements_txt::parse(path, text),
        }
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, PythonDeclaration)]) -> LinkedEcosystem {
        link::link(repo, files)
    }

    /// `acme-core` is imported as `acme_core`, or as `acme.core` from a namespace package. The
    /// module may also have an unrelated name, which is not known here.
    fn mentions(&self, name: &str) -> Option<Vec<String>> {
        let identifier = name.replace(['-', '.'], "_");
        Some(vec![identifier.to_lowercase(), identifier, name.replace('-', ".")])
    }
}

/// Normalizes a name by PEP 503, so that all its spellings are equal: `Acme__Core.x` becomes
/// `acme-core-x`.
fn normalize_name(name: &str) -> String {
    let mut normalised = String::with_capacity(name.len());
    for char in name.chars() {
        let char = match char {
            '_' | '.' => '-',
            char => char.to_ascii_lowercase(),
        };
        if char != '-' || !normalised.ends_with('-') {
            normalised.push(char);
        }
    }
    normalised
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Python, files));
    }

    #[test]
    fn names_are_normalised() {
        for (name, expected) in [("Foo", "foo"), ("a._-b", "a-b"), ("A-B", "a-b"), ("é.", "é-")] {
            assert_eq!(normalize_name(name), expected);
        }
    }

    #[test]
    fn project_groups_and_build_system() {
        check(
            &[(
                "pyproject.toml",
                r#"
                [build-system]
                requires = ["hatchling>=1.20"]

                [project]
                name = "Spam"
                version = "1.0"
                description = "Eggs"
                dependencies = [
                    "requests[socks] >=2.8, <3",
                    "numpy>=1.20; python_version < '3.9'",
                    "numpy>=1.22; python_version >= '3.9'",
                    "direct @ https://example.com/direct-1.0.zip",
                ]

                [project.optional-dependencies]
                cli = ["click"]
                all = ["spam[cli]", "click"]

                [dependency-groups]
                test = ["pytest>7", "coverage"]
                dev = [{ include-group = "test" }, "ruff"]
                "#,
            )],
            expect![[r#"
                Spam 1.0 () "Eggs"
                  -> requests >=2.8, <3
                  -> numpy >=1.20
                  -> numpy >=1.22
                  -> direct https://example.com/direct-1.0.zip
                  -> ruff (dev)
                  -> pytest >7 (dev)
                  -> coverage (dev)
                  -> hatchling >=1.20 (build)
                  -> click (optional)
            "#]],
        );
    }

    #[test]
    fn poetry() {
        check(
            &[
                (
                    "app/pyproject.toml",
                    r#"
                    [tool.poetry]
                    name = "app"
                    version = "2.0"
                    description = "Poetic"

                    [tool.poetry.dependencies]
                    python = "^3.10"
                    requests = "^2.13"
                    lazy = { version = "~1.2", optional = true }
                    several = [
                        { version = "<2", python = "<3.8" },
                        { version = ">=2", python = ">=3.8" },
                    ]
                    My_Lib = { path = "../lib", develop = true }
                    forked = { git = "https://example.com/forked.git" }
                    lost = { path = "../lost" }

                    [tool.poetry.dev-dependencies]
                    black = "*"

                    [tool.poetry.group.docs]
                    optional = true
                    [tool.poetry.group.docs.dependencies]
                    mkdocs = "^1.5"
                    "#,
                ),
                ("lib/pyproject.toml", "[tool.poetry]\nname = 'my-lib'"),
                (
                    "two/pyproject.toml",
                    r#"
                    [project]
                    name = "two"
                    dependencies = ["my-lib (>=1,<2)"]
                    [tool.poetry.dependencies]
                    my-lib = { path = "../lib" }
                    "#,
                ),
            ],
            expect![[r#"
                app 2.0 (app) "Poetic"
                  -> my-lib [lib]
                  -> forked
                  -> lost
                  -> requests ^2.13
                  -> several <2
                  -> several >=2
                  -> black * (dev)
                  -> mkdocs ^1.5 (dev)
                  -> lazy ~1.2 (optional)
                my-lib (lib)
                two (two)
                  -> my-lib >=1,<2 [lib]
                problem: app/pyproject.toml: there is no package `lost` in `../lost`
            "#]],
        );
    }

    #[test]
    fn pdm() {
        check(
            &[
                (
                    "pyproject.toml",
                    r#"
                    [project]
                    name = "a"
                    dynamic = ["version"]
                    dependencies = ["b @ file:///${PROJECT_ROOT}/libs/b"]
                    [tool.pdm.dev-dependencies]
                    test = ["pytest", "-e file:///${PROJECT_ROOT}/libs/c#egg=c"]
                    "#,
                ),
                ("libs/b/pyproject.toml", "[project]\nname = 'b'"),
                ("libs/c/pyproject.toml", "[project]\nname = 'c'"),
            ],
            expect![[r#"
                a ()
                  -> b [libs/b]
                  -> pytest (dev)
                  -> c (dev) [libs/c]
                b (libs/b)
                c (libs/c)
            "#]],
        );
    }

    #[test]
    fn uv_workspaces_and_sources() {
        check(
            &[
                (
                    "pyproject.toml",
                    r#"
                    [tool.uv]
                    dev-dependencies = ["ruff"]
                    [tool.uv.workspace]
                    members = ["packages/*"]
                    exclude = ["packages/old*"]
                    [tool.uv.sources]
                    shared = { path = "libs/shared" }
                    "#,
                ),
                (
                    "packages/a/pyproject.toml",
                    r#"
                    [project]
                    name = "a"
                    dependencies = ["B_b>=1", "old", "shared", "indexed", "either", "by-name"]
                    [tool.uv.sources]
                    b-b = { workspace = true }
                    old = { workspace = true }
                    indexed = { index = "acme" }
                    either = [
                        { index = "acme", marker = "sys_platform == 'win32'" },
                        { path = "../../libs/either", marker = "sys_platform != 'win32'" },
                    ]
                    "#,
                ),
                ("packages/b/pyproject.toml", "[project]\nname = 'b.b'"),
                ("packages/old-one/pyproject.toml", "[project]\nname = 'old'"),
                ("libs/shared/pyproject.toml", "[project]\nname = 'shared'"),
                ("libs/either/pyproject.toml", "[project]\nname = 'either'"),
                ("libs/indexed/pyproject.toml", "[project]\nname = 'indexed'"),
                ("libs/by_name/pyproject.toml", "[project]\nname = 'by_name'"),
            ],
            expect![[r#"
                root ()
                  -> ruff (dev)
                by_name (libs/by_name)
                either (libs/either)
                indexed (libs/indexed)
                shared (libs/shared)
                a (packages/a)
                  -> b.b >=1 [packages/b]
                  -> old
                  -> shared [libs/shared]
                  -> indexed
                  -> either [libs/either]
                  -> by_name [libs/by_name]
                b.b (packages/b)
                old (packages/old-one)
                problem: packages/a/pyproject.toml: `old` is not a member of the workspace
            "#]],
        );
    }

    #[test]
    fn setup_cfg() {
        check(
            &[
                (
                    "a/setup.cfg",
                    r#"
[metadata]
name = Legacy
version = attr: legacy.__version__
description : Still
    here
# a comment

[options]
python_requires = >=3.8
install_requires =
    requests>=2
    # not this one
    six; python_version < "3"

    b
setup-requires = wheel; setuptools>=40
tests_require = file: test.txt

[options.extras_require]
docs =
    sphinx
s3: boto3 ; botocore

[flake8]
ignore
"#,
                ),
                ("b/setup.cfg", "[metadata]\nname=b\nversion=0.9\n"),
                ("tool/setup.cfg", "[flake8]\nmax-line-length = 100\n"),
            ],
            expect![[r#"
                Legacy (a) "Still here"
                  -> requests >=2
                  -> six
                  -> b [b]
                  -> wheel (build)
                  -> setuptools >=40 (build)
                  -> sphinx (optional)
                  -> boto3 (optional)
                  -> botocore (optional)
                b 0.9 (b)
            "#]],
        );
    }

    #[test]
    fn requirements_txt() {
        check(
            &[
                (
                    "app/requirements.txt",
                    "# Made by hand\n-r other.txt\n--index-url https://example.com\n\
                     requests==2.0 \\\n    --hash=sha256:abc \\\n    --hash=sha256:def\n\
                     flask>=2 # web\n-e ../lib[extra]\n./vendored\n-e .\n\
                     git+https://example.com/me/tool.git@v1#egg=tool\n\
                     uvloop; sys_platform != 'win32'\n-c constraints.txt\n",
                ),
                ("app/requirements-dev.txt", "pytest\n--editable=services/other"),
                ("app/requirements.docs.txt", "sphinx"),
                ("app/vendored/requirements.txt", ""),
                ("lib/pyproject.toml", "[project]\nname = 'the-lib'"),
                ("services/other/setup.cfg", "[metadata]\nname = other"),
                ("requirements.txt", "the_lib\napp\nmissing @ file:lost"),
            ],
            expect![[r#"
                root ()
                  -> the-lib [lib]
                  -> app
                  -> missing
                app (app)
                  -> requests ==2.0
                  -> flask >=2
                  -> the-lib [lib]
                  -> vendored [app/vendored]
                  -> tool git+https://example.com/me/tool.git@v1#egg=tool
                  -> uvloop
                  -> pytest (dev)
                  -> other (dev) [services/other]
                  -> sphinx (dev)
                vendored (app/vendored)
                the-lib (lib)
                other (services/other)
                problem: requirements.txt: there is no package `missing` in `lost`
            "#]],
        );
    }

    #[test]
    fn files_of_one_directory_are_one_package() {
        check(
            &[
                ("both/pyproject.toml", "[build-system]\nrequires = ['setuptools']\n[tool.black]"),
                (
                    "both/setup.cfg",
                    "[metadata]\nname = both\nversion = 1\n[options]\ninstall_requires =\n  Foo.Bar>=1",
                ),
                ("both/requirements.txt", "foo_bar==1.5\nextra==2"),
                ("tools/pyproject.toml", "[tool.black]\nline-length = 100"),
                ("tools/requirements-lint.txt", "black"),
                ("only/pyproject.toml", "[tool.ruff]"),
                ("groups/pyproject.toml", "[dependency-groups]\ndev = ['both']"),
            ],
            expect![[r#"
                both 1 (both)
                  -> Foo.Bar >=1
                  -> extra ==2
                  -> setuptools (build)
                groups (groups)
                  -> both (dev) [both]
                tools (tools)
                  -> black (dev)
            "#]],
        );
    }

    #[test]
    fn the_nearest_of_one_name() {
        check(
            &[
                ("x/lib/pyproject.toml", "[project]\nname = 'lib'"),
                ("y/lib/pyproject.toml", "[project]\nname = 'lib'"),
                ("y/app/pyproject.toml", "[project]\nname = 'app'\ndependencies = ['lib']"),
                ("z/pyproject.toml", "[project]\nname = 'z'\ndependencies = ['lib', 'named']"),
                // A directory's name is no promise that the package is called so.
                ("named/requirements.txt", ""),
            ],
            expect![[r#"
                named (named)
                lib (x/lib)
                app (y/app)
                  -> lib [y/lib]
                lib (y/lib)
                z (z)
                  -> lib [x/lib]
                  -> named
            "#]],
        );
    }

    #[test]
    fn one_odd_value_does_not_lose_the_rest() {
        check(
            &[
                (
                    "pyproject.toml",
                    r#"
                    dependency-groups = []
                    [project]
                    name = "a"
                    version = 1.10
                    dependencies = ["b", 3, "not one", "c"]
                    [project.optional-dependencies]
                    x = "d"
                    y = ["e"]
                    [tool]
                    poetry = 1
                    uv.sources = { b = 1 }
                    uv.workspace = { members = ["[", "p/*"] }
                    "#,
                ),
                ("p/q/pyproject.toml", "[tool.poetry.dependencies]\na = 1\nb = [1, '2']"),
                ("cfg/setup.cfg", "[metadata]\nname = cfg\nhuh\n[options]\ninstall_requires = a b"),
            ],
            expect![[r#"
                a 1.10 ()
                  -> b
                  -> c
                  -> e (optional)
                cfg (cfg)
                q (p/q)
                  -> a 1 []
                  -> b 1
                  -> b 2
                problem: pyproject.toml:5: `version` should be a string, not float
                problem: pyproject.toml:6: `dependencies` should be a list of requirements, not integer
                problem: pyproject.toml:6: `not one` is not a requirement
                problem: pyproject.toml:8: `x` should be a list, not string
                problem: pyproject.toml:2: `dependency-groups` should be a table, not array
                problem: pyproject.toml:11: `poetry` should be a table, not integer
                problem: pyproject.toml:12: `b` should be a table, not integer
                problem: p/q/pyproject.toml:2: `a` should be a string, not integer
                problem: p/q/pyproject.toml:3: `b` should be a string, not integer
                problem: cfg/setup.cfg:3: this is neither a section nor an option (and 1 more)
                problem: pyproject.toml: error parsing glob '[': unclosed character class; missing ']'
            "#]],
        );
    }

    #[test]
    fn broken_files() {
        let deep = "[".repeat(100_000);
        let prose = "The system shall work.\nIt shall be fast.\nYes\n";
        check(
            &[
                ("a/pyproject.toml", "[project\nname = 'a'"),
                ("b/pyproject.toml", &format!("a = {deep}")),
                ("c/requirements.txt", prose),
                ("d/requirements.txt", &deep),
                ("e/requirements.txt", &"-e ".repeat(100_000)),
                ("f/requirements.txt", &"\\\n".repeat(100_000)),
                ("g/setup.cfg", &deep),
                ("h/setup.cfg", "{\"json\": true}"),
                ("i/requirements.txt", "a\nb\n<<<<<<< HEAD\nc==1\n=======\nc==2\n"),
            ],
            expect![[r#"
                f (f)
                i (i)
                  -> a
                  -> b
                  -> c ==1
                  -> c ==2
                problem: a/pyproject.toml:1: unclosed table, expected `]`
                problem: b/pyproject.toml: brackets are nested too deeply
                problem: c/requirements.txt:1: this is not a requirement (and 1 more)
                problem: d/requirements.txt:1: this is not a requirement
                problem: e/requirements.txt:1: this is not a requirement
                problem: i/requirements.txt:3: this is not a requirement (and 1 more)
            "#]],
        );
    }
}
