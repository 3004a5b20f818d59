//! Composite builds: builds that include one another with `includeBuild`. Inside of one, a project
//! replaces the external module of its group and name.

use std::collections::HashMap;

use super::project_tree::ProjectTree;
use kenning_model::RepoPath;

/// The builds that are put together, and the modules that their projects replace.
pub struct Composites {
    /// A union-find forest: for each build, one that it is put together with, or itself.
    merged_into: Vec<usize>,
    /// The projects of included builds, by the composite and by `group:name`.
    projects: HashMap<(usize, String), usize>,
}

impl Composites {
    /// Joins builds that include each other. `module` returns the `group:name` of a project.
    pub fn new(tree: &ProjectTree, module: impl Fn(usize) -> Option<String>) -> Composites {
        let mut composites =
            Composites { merged_into: (0..tree.builds.len()).collect(), projects: HashMap::new() };
        let mut included = Vec::new();
        for (index, build) in tree.builds.iter().enumerate() {
            let settings = build.settings.map(|file| &file.script.settings.builds);
            for declaration in settings.into_iter().flatten() {
                let path: Option<RepoPath> =
                    declaration.path.as_text().and_then(|path| build.root.join(&path));
                if let Some(found) = path.and_then(|path| tree.build_at(&path)) {
                    composites.merge_builds(index, found);
                    included.push((found, declaration));
                }
            }
        }
        for (build, declaration) in included {
            let composite = composites.representative(build);
            let projects = &tree.builds[build].projects;
            let mut add = |module: String, project: usize| {
                composites.projects.entry((composite, module)).or_insert(project);
            };
            for (module, path) in &declaration.substitutions {
                if let Some(project) = projects.get(path) {
                    add(module.clone(), *project);
                }
            }
            // Explicit substitutions replace the implied ones, even if they cover only some
            // modules.
            let is_implied = declaration.substitutions.is_empty();
            for project in projects.values().filter(|_| is_implied) {
                if let Some(module) = module(*project) {
                    add(module, *project);
                }
            }
        }
        composites
    }

    /// Returns the project that replaces a module in a build.
    pub fn find_project(&self, build: usize, module: &str) -> Option<usize> {
        let key = (self.representative(build), module.to_string());
        self.projects.get(&key).copied()
    }

    /// The build that stands for a composite.
    fn representative(&self, mut build: usize) -> usize {
        while self.merged_into[build] != build {
            build = self.merged_into[build];
        }
        build
    }

    /// Puts two builds together.
    fn merge_builds(&mut self, one: usize, other: usize) {
        let (one, other) = (self.representative(one), self.representative(other));
        // The smaller number stays the representative, so that chains lead down and end.
        self.merged_into[one.max(other)] = one.min(other);
    }
}
