//! .NET: C#, F# and Visual Basic projects as MSBuild and NuGet see them. That includes the
//! `Directory.*` files above them and what those import, central package management, and the old
//! `packages.config`.
//!
//! Not read: solutions, the SDK's own files, lock files.
//!
//! A reference to a project is internal. One to a package never is, even if this repository
//! publishes it: NuGet takes it from a registry. References for all frameworks and configurations
//! count; only a condition that the repository's own files make false leaves one out.

mod conditions;
mod evaluation;
mod file_index;
mod msbuild_file;
mod package_references;
mod paths;
mod project_dependencies;
mod project_index;
mod property_functions;

use std::collections::{HashMap, HashSet};

use super::xml::join_lines;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use evaluation::Evaluation;
use file_index::MsbuildFiles;
use kenning_model::{Package, PackageKey, RepoPath};
use msbuild_file::MsbuildDocument;
use project_dependencies::collect_dependencies;
use project_index::{ProjectIndex, is_project};

/// The ecosystem of MSBuild and NuGet.
pub struct Dotnet;

impl Ecosystem for Dotnet {
    type Facts = MsbuildDocument;
    const KIND: &'static str = "dotnet";
    const FILES: &'static [&'static str] = &[
        "*.csproj",
        "*.fsproj",
        "*.vbproj",
        // `Directory.Build.props` and its kin, and what they import.
        "*.props",
        "*.targets",
        "packages.config",
    ];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<MsbuildDocument> {
        msbuild_file::parse(path, text)
    }

    fn link(&self, _: &Repo, documents: &[(RepoPath, MsbuildDocument)]) -> LinkedEcosystem {
        let files = MsbuildFiles::new(documents);
        // Every project is evaluated before any is linked, because names of targets come from
        // evaluation.
        let evaluations: Vec<Evaluation> = (0..documents.len())
            .filter(|index| is_project(documents[*index].0.as_str()))
            .map(|index| Evaluation::new(&files, index))
            .collect();
        let projects = ProjectIndex::new(&files, &evaluations);
        let mut linked = LinkedEcosystem::default();
        let mut places: HashMap<PackageKey, usize> = HashMap::new();
        for evaluation in &evaluations {
            let path = files.all[evaluation.project].path;
            let name = projects.name(evaluation.project);
            let mut package = Package::new(Self::KIND, name, path);
            package.version = project_version(evaluation);
            package.description = evaluation.certain_value("description");
            package.description = package.description.as_deref().and_then(join_lines);
            package.dependencies =
                collect_dependencies(evaluation, &projects, &mut linked.problems);
            match places.get(&package.key()) {
                Some(place) => merge_packages(&mut linked.packages[*place], package),
                None => {
                    places.insert(package.key(), linked.packages.len());
                    linked.packages.push(package);
                }
            }
        }
        linked
    }
}

/// The version of a project: `Version`, else `VersionPrefix` with an optional `VersionSuffix`, as
/// the SDK combines them.
fn project_version(evaluation: &Evaluation) -> Option<String> {
    evaluation.certain_value("version").or_else(|| {
        let prefix = evaluation.certain_value("versionprefix")?;
        match evaluation.certain_value("versionsuffix") {
            Some(suffix) => Some(format!("{prefix}-{suffix}")),
            None => Some(prefix),
        }
    })
}

/// Merges a project into a package of the same key. Two projects of one directory can make one
/// package, say for an old and a new framework.
fn merge_packages(package: &mut Package, other: Package) {
    package.version = package.version.take().or(other.version);
    package.description = package.description.take().or(other.description);
    let known: HashSet<String> =
        package.dependencies.iter().map(|dependency| dependency.name.to_lowercase()).collect();
    let others = other
        .dependencies
        .into_iter()
        .filter(|dependency| !known.contains(&dependency.name.to_lowercase()));
    package.dependencies.extend(others);
    package.dependencies.sort_by_key(|dependency| dependency.kind);
}

#[cfg(test)]
mod tests;
