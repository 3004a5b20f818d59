//! npm and its kin (yarn, pnpm, bun): `package.json`, with `pnpm-workspace.yaml` for workspaces and
//! `tsconfig.json` for the names by which code imports files.
//!
//! Lock files are not read, nor are `.npmrc` and `.yarnrc.yml`, which are hidden files.
//!
//! A dependency is internal by these rules:
//! - `workspace:` and paths always mean a package of the repository.
//! - A range means one if its name fits and its version is in the range. Otherwise npm, yarn and
//!   pnpm go to the registry. `*` fits any version (for yarn, any release).
//! - A tag such as `latest` means the registry, except in a pnpm workspace.
//! - Members of one workspace see each other and nobody else. Packages outside of all workspaces
//!   see each other: such repositories are linked by lerna or by hand.
//! - pnpm links ranges by default up to its version 8, and later only if configured. The manifests
//!   do not state its version, so ranges count unless `linkWorkspacePackages` is false.

mod linker;
mod manifest_facts;
mod module_names;
mod specifier;
mod workspace_packages;
mod workspaces;

use super::lenient_json::{parse_fields, read_json, read_yaml};
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{Package, RepoPath};
use linker::NpmLinker;
use manifest_facts::{NpmFile, PackageJson, WorkspaceSettings};
use workspace_packages::NpmPackages;
use workspaces::NpmWorkspaces;

/// The ecosystem of npm, yarn, pnpm and bun.
pub struct Npm;

const PACKAGE: &str = "package.json";
const PNPM_WORKSPACE: &str = "pnpm-workspace.yaml";

impl Ecosystem for Npm {
    type Facts = NpmFile;
    const KIND: &'static str = "npm";
    const FILES: &'static [&'static str] =
        &[PACKAGE, PNPM_WORKSPACE, "tsconfig.json", "tsconfig.base.json", "jsconfig.json"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<NpmFile> {
        if path.file_name() == PNPM_WORKSPACE {
            parse_fields(read_yaml(path, text), |reader, table| {
                NpmFile::Pnpm(WorkspaceSettings::read_pnpm(reader, table))
            })
        } else if path.file_name() != PACKAGE {
            ParsedManifest::with_problems(
                NpmFile::Paths(module_names::read_path_mappings(text)),
                Vec::new(),
            )
        } else {
            parse_fields(read_json(path, text), |reader, table| {
                NpmFile::Package(PackageJson::read(reader, table))
            })
        }
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, NpmFile)]) -> LinkedEcosystem {
        let workspaces = NpmWorkspaces::new(files);
        let locals = NpmPackages::new(repo, files, &workspaces);
        let mut linked = LinkedEcosystem::default();
        for local in locals.iter() {
            let mut package = Package::new(Self::KIND, local.name.clone(), local.manifest);
            package.version.clone_from(&local.facts.version);
            package.description.clone_from(&local.facts.description);
            let mut linker =
                NpmLinker { workspaces: &workspaces, locals: &locals, local, problems: Vec::new() };
            package.dependencies = linker.resolve_dependencies();
            linked.problems.append(&mut linker.problems);
            linked.packages.push(package);
        }
        module_names::assign_module_names(&mut linked.packages, files, &locals);
        linked.problems.extend(workspaces.problems);
        linked
    }

    /// The name in quotes: an import, a path inside of the package, or a configuration that extends
    /// it.
    fn mentions(&self, name: &str) -> Option<Vec<String>> {
        let quotes = ["\"", "'", "`"].iter();
        let texts =
            quotes.flat_map(|quote| [format!("{quote}{name}{quote}"), format!("{quote}{name}/")]);
        Some(texts.collect())
    }
}

#[cfg(test)]
mod tests;
