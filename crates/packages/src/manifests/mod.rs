//! Package manifests. `parse` reads the facts of one file; `link` decides what the files of one
//! ecosystem mean together. There is one file or folder per ecosystem, and one line each in
//! [`MANIFESTS`].
//!
//! The two steps are separate because facts are stored per file and parsed again only when that
//! file changes. Workspaces, parents and catalogs tie files together, so linking runs again over
//! all files.
//!
//! Parsers do no I/O, cannot fail, and bound their time and stack for any input. Names, versions
//! and paths that a program computes are left out and reported.

mod cargo;
mod dart;
mod directory_globs;
mod dotnet;
mod elixir;
#[cfg(test)]
mod fuzz;
mod go;
mod gradle;
mod interpolate;
mod lenient_json;
mod line_errors;
mod maven;
mod nearest_package;
mod normalize_dependencies;
mod npm;
mod npm_range;
mod package_directories;
mod perl;
mod php;
mod python;
mod ruby;
mod swift;
mod syntax_tree;
mod text_cursor;
mod toml_reader;
mod xml;
mod yaml;

use serde::Serialize;
use serde::de::DeserializeOwned;

use kenning_model::{Package, Problem, RepoPath};

/// Every ecosystem that Kenning reads. To add one, add a file beside this one and a line here.
pub const MANIFESTS: &[&dyn Manifest] = &[
    &cargo::Cargo,
    &dart::Dart,
    &dotnet::Dotnet,
    &elixir::Elixir,
    &go::Go,
    &gradle::Gradle,
    &maven::Maven,
    &npm::Npm,
    &perl::Perl,
    &php::Php,
    &python::Python,
    &ruby::Ruby,
    &swift::Swift,
];

/// One ecosystem, as its own file implements it.
pub trait Ecosystem: Sync {
    /// The facts of one manifest, independent of all others. The database stores them as JSON.
    type Facts: Serialize + DeserializeOwned;

    /// The `kind` of its packages. It is stored and shown, so it must not change.
    const KIND: &'static str;

    /// The file names that it reads, as globs over the last path segment (`*.csproj`).
    const FILES: &'static [&'static str];

    /// Reads one manifest. `text` is valid UTF-8 without a byte order mark, and otherwise anything.
    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<Self::Facts>;

    /// Turns all manifests of the repository into packages: inheritance resolved, dependencies on
    /// packages of the repository marked. `files` is sorted by path.
    fn link(&self, repo: &Repo, files: &[(RepoPath, Self::Facts)]) -> LinkedEcosystem;

    /// Returns texts of which at least one occurs in the source of a package that uses `name`.
    /// `None` if names and imports are unrelated: a Maven artifact does not name its Java packages.
    ///
    /// The search for unused dependencies relies on it, so a missing text is worse than one too
    /// many.
    fn mentions(&self, _name: &str) -> Option<Vec<String>> {
        None
    }
}

/// The facts about the repository, apart from its manifests, that [`Ecosystem::link`] may use.
pub struct Repo<'a> {
    /// The name of the root directory, for a package there that does not name itself.
    pub root_name: &'a str,
}

impl Repo<'_> {
    /// The name of a package that does not name itself: its directory's.
    pub fn directory_name(&self, directory: &RepoPath) -> String {
        match directory.file_name() {
            "" => self.root_name.to_string(),
            name => name.to_string(),
        }
    }
}

/// The outcome of parsing one manifest. No facts means that nothing in it was usable; the database
/// then keeps the last good ones.
pub struct ParsedManifest<F> {
    pub facts: Option<F>,
    pub problems: Vec<Problem>,
}

impl<F> ParsedManifest<F> {
    /// Facts without problems.
    pub fn from_facts(facts: F) -> ParsedManifest<F> {
        ParsedManifest { facts: Some(facts), problems: Vec::new() }
    }

    /// Facts of a file with some parts that were skipped.
    pub fn with_problems(facts: F, problems: Vec<Problem>) -> ParsedManifest<F> {
        ParsedManifest { facts: Some(facts), problems }
    }

    /// A file without any usable fact.
    pub fn from_problem(problem: Problem) -> ParsedManifest<F> {
        ParsedManifest { facts: None, problems: vec![problem] }
    }
}

/// The packages of one ecosystem, and the problems between its files, such as a missing workspace
/// member.
#[derive(Default)]
pub struct LinkedEcosystem {
    pub packages: Vec<Package>,
    pub problems: Vec<Problem>,
}

/// An [`Ecosystem`] with its facts erased to JSON, so that all fit in one slice.
pub trait Manifest: Sync {
    /// See [`Ecosystem::KIND`].
    fn kind(&self) -> &'static str;
    /// See [`Ecosystem::FILES`].
    fn files(&self) -> &'static [&'static str];
    /// [`Ecosystem::parse`], with the facts as JSON.
    fn parse_erased(&self, path: &RepoPath, text: &str) -> ParsedManifest<String>;
    /// [`Ecosystem::link`] over facts as JSON. Facts that cannot be decoded become problems.
    fn link_erased(&self, repo: &Repo, files: &[(RepoPath, String)]) -> LinkedEcosystem;
    /// See [`Ecosystem::mentions`].
    fn mentions_of(&self, name: &str) -> Option<Vec<String>>;
}

impl<E: Ecosystem> Manifest for E {
    fn kind(&self) -> &'static str {
        E::KIND
    }

    fn files(&self) -> &'static [&'static str] {
        E::FILES
    }

    fn mentions_of(&self, name: &str) -> Option<Vec<String>> {
        self.mentions(name)
    }

    fn parse_erased(&self, path: &RepoPath, text: &str) -> ParsedManifest<String> {
        let parsed = self.parse(path, text);
        ParsedManifest {
            facts: parsed.facts.map(|facts| {
                serde_json::to_string(&facts).expect("facts are plain data with string keys")
            }),
            problems: parsed.problems,
        }
    }

    fn link_erased(&self, repo: &Repo, files: &[(RepoPath, String)]) -> LinkedEcosystem {
        let mut problems = Vec::new();
        let mut facts = Vec::with_capacity(files.len());
        for (path, json) in files {
            match serde_json::from_str(json) {
                Ok(value) => facts.push((path.clone(), value)),
                Err(error) => problems.push(Problem::new(
                    path,
                    format!("its stored facts cannot be read ({error}); build with --force"),
                )),
            }
        }
        let mut linked = self.link(repo, &facts);
        linked.problems.append(&mut problems);
        linked
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::MANIFESTS;

    #[test]
    fn kinds_and_file_names_are_claimed_once() {
        let mut kinds = HashSet::new();
        let mut files = HashSet::new();
        for manifest in MANIFESTS {
            assert!(kinds.insert(manifest.kind()), "{} twice", manifest.kind());
            for file in manifest.files() {
                assert!(files.insert(*file), "{file} twice");
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! One way for every ecosystem's tests to state files in, packages out.

    use super::{Manifest, Repo};
    use kenning_model::{Problem, RepoPath};

    /// Parses and links `files`, and renders the outcome one fact a line, so that `expect!` holds it:
    ///
    /// ```text
    /// web 1.2.0 (apps/web) "The site"
    ///   -> ui workspace:* [apps/ui]
    ///   -> react ^18 (peer)
    /// problem: apps/bad/package.json: …
    /// ```
    pub fn render(manifest: &dyn Manifest, files: &[(&str, &str)]) -> String {
        let mut problems: Vec<Problem> = Vec::new();
        let mut facts = Vec::new();
        for (path, text) in files {
            let path = RepoPath::new(path).expect("a path inside the repository");
            let parsed = manifest.parse_erased(&path, text);
            problems.extend(parsed.problems);
            facts.extend(parsed.facts.map(|facts| (path, facts)));
        }
        facts.sort();
        let repo = Repo { root_name: "root" };
        let linked = manifest.link_erased(&repo, &facts);
        problems.extend(linked.problems);
        let mut lines = Vec::new();
        for package in &linked.packages {
            let mut line = package.name.clone();
            if let Some(version) = &package.version {
                line += &format!(" {version}");
            }
            line += &format!(" ({})", package.path);
            if let Some(description) = &package.description {
                line += &format!(" {description:?}");
            }
            for (key, value) in &package.metadata {
                line += &format!(" {key}={value}");
            }
            lines.push(line);
            for dependency in &package.dependencies {
                let mut line = format!("  -> {}", dependency.name);
                if let Some(version_req) = &dependency.version_req {
                    line += &format!(" {version_req}");
                }
                if dependency.kind.as_str() != "runtime" {
                    line += &format!(" ({})", dependency.kind);
                }
                if let Some(target) = &dependency.internal {
                    line += &format!(" [{target}]");
                }
                lines.push(line);
            }
        }
        lines.extend(problems.iter().map(|problem| format!("problem: {problem}")));
        lines.join("\n") + "\n"
    }
}
