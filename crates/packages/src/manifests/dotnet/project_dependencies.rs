//! The dependencies of one evaluated project: the projects that it references and, with
//! [`package_references`](super::package_references), the packages.

use std::collections::HashSet;

use super::conditions::Verdict;
use super::evaluation::{EvaluatedItem, Evaluation};
use super::file_index::MsbuildFile;
use super::msbuild_file::ItemKind;
use super::package_references::package_references;
use super::paths::{file_stem, is_unknown, locate};
use super::project_index::{ProjectIndex, is_project};
use kenning_model::{DepKind, Dependency, Problem};

/// Returns all dependencies by kind; within a kind, projects come before packages. A package that
/// is also referenced as a project is that project, because conditions choose between the two.
pub fn collect_dependencies(
    evaluation: &Evaluation,
    projects: &ProjectIndex,
    problems: &mut Vec<Problem>,
) -> Vec<Dependency> {
    let includes = evaluation.items(MsbuildFile::includes);
    let mut dependencies = Vec::new();
    for found in &includes {
        if found.item.kind == ItemKind::ProjectReference {
            for path in expand_names(evaluation, found) {
                let targets =
                    resolve_project_reference(evaluation, projects, found, &path, problems);
                dependencies.extend(targets);
            }
        }
    }
    dependencies.extend(package_references(evaluation, &includes));
    // NuGet ignores the case of a name.
    let mut seen = HashSet::new();
    dependencies.retain(|dependency| seen.insert(dependency.name.to_lowercase()));
    dependencies.sort_by_key(|dependency| dependency.kind);
    dependencies
}

/// The names or paths that an item lists, separated by `;`, with their properties filled.
pub fn expand_names(evaluation: &Evaluation, found: &EvaluatedItem) -> Vec<String> {
    let list = evaluation.fill_item(&found.item.spec, found.file);
    let names = list.split(';').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_string).collect()
}

/// True if a reference stays with the project, and does not reach its users.
pub fn is_private(assets: Option<&str>) -> bool {
    assets.is_some_and(|assets| assets.eq_ignore_ascii_case("all"))
}

/// Resolves a `ProjectReference`. A missing project is reported, unless its path or its condition
/// is unknown.
fn resolve_project_reference(
    evaluation: &Evaluation,
    projects: &ProjectIndex,
    found: &EvaluatedItem,
    path: &str,
    problems: &mut Vec<Problem>,
) -> Vec<Dependency> {
    let own = &evaluation.files.all[evaluation.project];
    let item = found.item;
    let kind = match (item.is_tool, is_private(item.private_assets.as_deref())) {
        (true, _) => DepKind::Build,
        (false, true) => DepKind::Dev,
        (false, false) => DepKind::Runtime,
    };
    let dependency = |name: &str, internal| Dependency {
        name: name.to_string(),
        kind,
        version_req: None,
        internal,
    };
    let targets = projects.find(path, &own.directory);
    if !targets.is_empty() {
        // A shared file adds its references to all projects, and so to the target itself. A project
        // does not depend on itself.
        let others =
            targets.into_iter().filter(|target| *target != evaluation.project).map(|target| {
                let directory = evaluation.files.all[target].directory.clone();
                dependency(projects.name(target), Some(directory))
            });
        return others.collect();
    }
    let name = file_stem(path.rsplit(['/', '\\']).next().unwrap_or(path));
    // A path that is still a pattern or an expression names no project.
    if name.contains(['*', '$', '@']) {
        return Vec::new();
    }
    if is_project(path) && !is_unknown(path) && found.verdict == Verdict::True {
        let path = locate(path, &own.directory).map_or(path.to_string(), |path| path.to_string());
        let message = format!("the referenced project {path} is not in the repository");
        problems.push(Problem::new(own.path, message));
    }
    vec![dependency(name, None)]
}
