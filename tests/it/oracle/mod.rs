//! Truth that we did not write: what Kenning says of a tree, against what the ecosystem's own tool
//! says of the same tree. The trees are ours and small, or generated from a fixed seed.
//!
//! No tool here needs a network or reads its user's configuration: registries are folders, or a
//! thread that listens on loopback. A tool that is not on the machine is named on stderr and its
//! tests pass; cargo is always there.

mod cargo;
mod cargo_tree;
mod go;
mod maven;
mod maven_tree;
mod npm;
mod npm_registry;
mod npm_tree;
mod python;
mod random;

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::Tree;

/// The facts that one side reports about a tree, in terms that all ecosystems share.
#[derive(Default)]
struct Facts {
    packages: Vec<Package>,
    edges: Vec<Edge>,
}

struct Package {
    name: String,
    version: Option<String>,
    /// Relative to the root of the tree, as every directory here.
    directory: String,
}

/// A declared dependency.
#[derive(Clone)]
struct Edge {
    from: String,
    name: String,
    requirement: Option<String>,
    kind: String,
    /// The directory of the package of the tree that is meant.
    internal: Option<String>,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let version = self.version.as_deref().unwrap_or("without a version");
        write!(f, "{}: package {} {version}", self.directory, self.name)
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {} needs {}", self.from, self.kind, self.name)?;
        if let Some(requirement) = &self.requirement {
            write!(f, " {requirement}")?;
        }
        match &self.internal {
            Some(directory) => write!(f, " [{directory}]"),
            None => write!(f, " from outside"),
        }
    }
}

impl Facts {
    /// One fact a line. What is declared twice alike, such as once for each platform, is one fact.
    fn lines(&self) -> BTreeSet<String> {
        let packages = self.packages.iter().map(Package::to_string);
        packages.chain(self.edges.iter().map(Edge::to_string)).collect()
    }
}

/// Builds the database of `tree` and reads all packages of one kind from it.
fn kenning(tree: &Tree, kind: &str) -> Facts {
    tree.shire_build();
    let connection = rusqlite::Connection::open(tree.database()).unwrap();
    let mut facts = Facts::default();
    let mut packages =
        connection.prepare("SELECT name, version, path FROM packages WHERE kind = ?").unwrap();
    let rows = packages.query_map([kind], |row| {
        Ok(Package { name: row.get(0)?, version: row.get(1)?, directory: row.get(2)? })
    });
    facts.packages.extend(rows.unwrap().map(Result::unwrap));
    let mut edges = connection
        .prepare(
            "SELECT p.path, d.dependency, d.version_req, d.dep_kind, d.target_path
             FROM dependencies d JOIN packages p ON p.id = d.package_id WHERE p.kind = ?",
        )
        .unwrap();
    let rows = edges.query_map([kind], |row| {
        Ok(Edge {
            from: row.get(0)?,
            name: row.get(1)?,
            requirement: row.get(2)?,
            kind: row.get(3)?,
            internal: row.get(4)?,
        })
    });
    facts.edges.extend(rows.unwrap().map(Result::unwrap));
    facts
}

/// Fails with every fact that only one side has.
fn assert_same(tool: &str, theirs: &Facts, ours: &Facts) {
    assert!(!theirs.edges.is_empty(), "{tool} says nothing");
    let differences = differences(tool, theirs, ours);
    let (count, facts) = (differences.lines().count(), theirs.lines().len());
    assert!(count == 0, "{count} differences in {facts} facts:\n{differences}");
}

fn differences(tool: &str, theirs: &Facts, ours: &Facts) -> String {
    let (theirs, ours) = (theirs.lines(), ours.lines());
    let only_theirs = theirs.difference(&ours);
    let only_ours = ours.difference(&theirs);
    let theirs = only_theirs.map(|line| format!("only {tool}: {line}\n"));
    theirs.chain(only_ours.map(|line| format!("only kenning: {line}\n"))).collect()
}

/// A tree of files with generated names.
fn tree_of(files: &[(String, String)]) -> Tree {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    Tree::new(&files)
}

/// The directories, relative to `root`, that hold a file of that name; those above others first.
fn directories_with(root: &Path, file_name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        if directory.join(file_name).is_file() {
            found.push(relative(root, &directory).unwrap());
        }
        let entries = std::fs::read_dir(&directory).unwrap().flatten();
        open.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    found.sort();
    found
}

/// `path` as seen from `root`, if it lies there.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?;
    Some(relative.to_str().unwrap().replace('\\', "/"))
}

/// A command in `directory` that sees none of the settings in the environment whose names begin
/// with one of `hidden`, in whatever case.
fn command(program: impl AsRef<std::ffi::OsStr>, directory: &Path, hidden: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let upper = name.to_string_lossy().to_uppercase();
        if hidden.iter().any(|prefix| upper.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command that must succeed, and returns what it prints.
fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Where a program is, if it is on the `PATH`. If not, says that `what` goes unchecked.
pub fn find_program(program: &str, what: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        say_unchecked(what, &format!("`{program}` is not on this machine"));
    }
    found
}

/// A program of at least this version, as it prints it behind `prefix` when asked with `argument`.
fn find_recent(
    program: &str,
    argument: &str,
    prefix: &str,
    least: (u32, u32),
    what: &str,
) -> Option<PathBuf> {
    let path = find_program(program, what)?;
    let printed = output_of(Command::new(&path).arg(argument));
    let version = printed.split_once(prefix).map_or("", |(_, version)| version);
    let mut numbers = version.split(|c: char| !c.is_ascii_digit());
    let mut number = || numbers.next().and_then(|number| number.parse::<u32>().ok());
    if (number().unwrap_or(0), number().unwrap_or(0)) >= least {
        return Some(path);
    }
    say_unchecked(what, &format!("`{program}` is too old: {}", printed.trim()));
    None
}

/// Past the test harness, which would keep the words of a test that passes to itself.
fn say_unchecked(what: &str, why: &str) {
    let line = format!("UNCHECKED: {what}: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// A comparison that cannot fail proves nothing.
#[test]
fn differences_are_found_and_listed() {
    let tree = Tree::monorepo();
    let theirs = kenning(&tree, "npm");
    tree.write("packages/core/package.json", r#"{"name": "core", "version": "3.0.0"}"#);
    tree.remove("packages/ui/package.json");
    let found = differences("npm", &theirs, &kenning(&tree, "npm"));
    expect_test::expect![[r#"
        only npm: packages/core: package core 2.0.0
        only npm: packages/ui: package ui 0.3.0
        only npm: packages/ui: peer needs react >=17 from outside
        only npm: packages/ui: runtime needs core * [packages/core]
        only npm: packages/web: runtime needs ui * [packages/ui]
        only kenning: packages/core: package core 3.0.0
        only kenning: packages/web: runtime needs ui * from outside
    "#]]
    .assert_eq(&found);
}
