//! Go: against `go mod edit` for what files declare, and `go list -m` for where modules come from,
//! with a folder as the module proxy.
//!
//! One rule is Kenning's own and stays out of the trees: a module that is required by name alone,
//! without a workspace or replacement, and is of this repository, counts as such. Go would fetch
//! it, from this very repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Deserializer, Value};

use super::random::Random;
use super::{Edge, Facts, Package, assert_same, command, directories_with, find_recent, kenning};
use super::{output_of, relative, tree_of};
use crate::support::Tree;

struct Go {
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Go {
    fn find() -> Option<Go> {
        // The first that knows workspaces.
        static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
            let what = "go modules against go";
            find_recent("go", "version", "version go", (1, 18), what)
        });
        Some(Go { program: PROGRAM.clone()?, home: tempfile::tempdir().unwrap() })
    }

    /// Runs a command and returns the JSON objects that it prints.
    fn run(&self, directory: &Path, workspace: &str, arguments: &[&str]) -> Vec<Value> {
        let home = self.home.path();
        let mut command = command(&self.program, directory, &["GO", "CGO_"]);
        command
            .env("HOME", home)
            .env("GOPATH", home.join("path"))
            .env("GOCACHE", home.join("cache"))
            .env("GOENV", "off")
            .env("GOTOOLCHAIN", "local")
            .env("GOSUMDB", "off")
            .env("GOWORK", workspace)
            .env("GOPROXY", format!("file://{}", self.proxy().display()))
            .args(arguments);
        if workspace == "off" {
            command.env("GOFLAGS", "-mod=mod");
        }
        let output = output_of(&mut command);
        let objects = Deserializer::from_str(&output).into_iter::<Value>();
        objects.map(Result::unwrap).collect()
    }

    fn proxy(&self) -> PathBuf {
        self.home.path().join("proxy")
    }

    /// Puts a module into the proxy.
    fn publish(&self, module: &str, version: &str) {
        let directory = self.proxy().join(module).join("@v");
        std::fs::create_dir_all(&directory).unwrap();
        let info = format!(r#"{{"Version": "{version}"}}"#);
        std::fs::write(directory.join(format!("{version}.info")), info).unwrap();
        let file = format!("module {module}\n");
        std::fs::write(directory.join(format!("{version}.mod")), file).unwrap();
    }

    fn publish_replacements(&self, file: &Value) {
        for replace in file["Replace"].as_array().into_iter().flatten() {
            if let Some(version) = replace["New"]["Version"].as_str() {
                self.publish(text(&replace["New"], "Path"), version);
            }
        }
    }

    fn facts(&self, root: &Path) -> Facts {
        let mut declared = Vec::new();
        for directory in directories_with(root, "go.mod") {
            let file = self.run(&root.join(&directory), "off", &["mod", "edit", "-json"]);
            for require in requires(&file[0]) {
                self.publish(text(require, "Path"), text(require, "Version"));
            }
            self.publish_replacements(&file[0]);
            declared.push((directory, file[0].clone()));
        }
        for directory in directories_with(root, "go.work") {
            let file = self.run(&root.join(&directory), "", &["work", "edit", "-json"]);
            self.publish_replacements(&file[0]);
        }
        let mut facts = Facts::default();
        for (directory, file) in &declared {
            let places = self.places(&root.join(directory));
            for require in requires(file) {
                facts.edges.push(edge(root, directory, require, &places));
            }
            facts.packages.push(Package {
                name: text(&file["Module"], "Path").to_string(),
                version: None,
                directory: directory.clone(),
            });
        }
        facts
    }

    /// All modules as seen from one: with its workspace if it is a member of that.
    fn places(&self, directory: &Path) -> BTreeMap<String, Value> {
        let settings = self.run(directory, "", &["env", "-json", "GOWORK"]);
        let members = self.run(directory, "", &["list", "-m", "-json"]);
        let is_member = !text(&settings[0], "GOWORK").is_empty()
            && members.iter().any(|module| module["Dir"].as_str() == directory.to_str());
        let workspace = if is_member { "" } else { "off" };
        let all = self.run(directory, workspace, &["list", "-m", "-json", "all"]);
        all.into_iter().map(|module| (text(&module, "Path").to_string(), module)).collect()
    }
}

fn requires(file: &Value) -> impl Iterator<Item = &Value> {
    file["Require"].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn edge(root: &Path, from: &str, require: &Value, places: &BTreeMap<String, Value>) -> Edge {
    let place = &places[text(require, "Path")];
    let replacement = &place["Replace"];
    // Without a directory of its own it would lie in the cache, which is outside.
    let home = match (replacement["Dir"].as_str(), place["Main"] == true) {
        (Some(directory), _) => Some(directory),
        (None, true) => place["Dir"].as_str(),
        (None, false) => None,
    };
    let internal = home.and_then(|directory| relative(root, Path::new(directory)));
    let name = internal.as_ref().map(|directory| {
        let file = std::fs::read_to_string(root.join(directory).join("go.mod")).unwrap();
        let line = file.lines().next().unwrap();
        line.strip_prefix("module ").unwrap().to_string()
    });
    let version = replacement["Version"].as_str();
    Edge {
        from: from.to_string(),
        name: name.unwrap_or_else(|| text(require, "Path").to_string()),
        requirement: Some(version.unwrap_or_else(|| text(require, "Version")).to_string()),
        kind: "runtime".to_string(),
        internal,
    }
}

fn check(tree: &Tree) {
    let Some(go) = Go::find() else { return };
    assert_same("go", &go.facts(&tree.root()), &kenning(tree, "go"));
}

#[test]
fn directives_and_replacements() {
    check(&Tree::new(&[
        (
            "app/go.mod",
            "module example.com/app/v2\n\ngo 1.19\n\nrequire example.com/one v1.0.0 // indirect\n\
             require (\n\texample.com/lib v0.0.0\n\t\"example.com/two\" v2.3.4+incompatible\n\
             \texample.com/three/v3 v3.0.0-20240101000000-abcdef012345 // because\n\
             \texample.com/other-name v1.0.0\n\texample.com/pinned v1.0.0\n\
             \texample.com/free v1.0.0\n\texample.com/forked v1.0.0\n)\n\
             replace example.com/lib => ../lib\nreplace example.com/other-name => ../lib/sub/\n\
             replace (\n\texample.com/pinned => example.com/pinned v1.5.0\n\
             \texample.com/pinned v1.0.0 => ../lib/sub\n\texample.com/free v1.1.0 => ../lib\n\
             \texample.com/forked => example.com/fork v1.2.0\n)\n\
             exclude example.com/one v1.1.0\nretract v2.0.1 // oops\n",
        ),
        ("lib/go.mod", "module example.com/lib\ngo 1.19\n"),
        ("lib/sub/go.mod", "module example.com/lib/sub\ngo 1.19\nrequire example.com/one v1.0.0\n"),
    ]));
}

#[test]
fn workspaces() {
    check(&Tree::new(&[
        (
            "go.work",
            "go 1.19\nuse ./a\nuse (\n\tb // second\n\t./in/ner\n)\nreplace example.com/c => ./c\n\
             replace example.com/x => example.com/x v1.9.0\n",
        ),
        (
            "a/go.mod",
            "module example.com/a\ngo 1.19\nrequire (\n\texample.com/b v1.0.0\n\
             \texample.com/c v1.0.0\n\texample.com/d v1.0.0\n\texample.com/x v1.0.0\n)\n",
        ),
        (
            "b/go.mod",
            "module example.com/b\ngo 1.19\nrequire example.com/in/ner v0.0.0\n\
             replace example.com/d => ../c/sub\n",
        ),
        ("in/ner/go.mod", "module example.com/in/ner\ngo 1.19\n"),
        // Not of the workspace: its replacements are its own.
        (
            "c/go.mod",
            "module example.com/c\ngo 1.19\nrequire example.com/x v1.0.0\n\
             require example.com/e v1.0.0\nreplace example.com/e => ./sub\n",
        ),
        ("c/sub/go.mod", "module example.com/c/sub\ngo 1.19\n"),
    ]));
}

#[test]
fn eighty_generated_modules() {
    let mut random = Random::new(7);
    let mut files = Vec::new();
    let mut uses = String::new();
    for index in 0..80 {
        // The first forty are of the workspace; the others find each other by replacement.
        let is_member = index < 40;
        let mut text = format!("module example.com/m{index}\ngo 1.19\n");
        let mut required = Vec::new();
        for _ in 0..random.below(6) {
            let to = random.below(index.max(1));
            if to == index || required.contains(&to) {
                continue;
            }
            required.push(to);
            if random.chance(30) {
                text += &format!("require example.com/outside{to} v1.{to}.0 // indirect\n");
            } else if is_member {
                text += &format!("require example.com/m{to} v0.0.0\n");
            } else {
                text += &format!("require example.com/r{to} v0.0.0\n");
                text += &format!("replace example.com/r{to} => ../m{to}\n");
            }
        }
        if is_member {
            uses += &format!("use ./m{index}\n");
        }
        files.push((format!("m{index}/go.mod"), text));
    }
    files.push(("go.work".to_string(), format!("go 1.19\n{uses}")));
    check(&tree_of(&files));
}
