//! Builds the packages: the names of projects, and their dependencies, with catalogs and project
//! paths resolved.

use std::collections::{BTreeMap, BTreeSet};

use super::super::normalize_dependencies::normalize_dependencies;
use super::applied_sections::ScriptFragment;
use super::composite_builds::Composites;
use super::project_tree::ProjectTree;
use super::properties::PropertyResolver;
use super::script_facts::{
    BuildScript, DependencyDeclaration, Notation, SectionTarget, element_name,
};
use super::string_template::{HOLE, Template};
use super::{Ecosystem, Gradle, Repo};
use kenning_model::{DepKind, Dependency, Package, Problem, RepoPath};

/// Builds the packages of a project tree.
pub struct GradleResolver<'f> {
    repo: &'f Repo<'f>,
    tree: &'f ProjectTree<'f>,
    values: PropertyResolver<'f>,
    /// The group of each project.
    groups: Vec<Option<String>>,
    /// The version of each project.
    versions: Vec<Option<String>>,
    composites: Composites,
}

/// The lines with dependencies that could not be read, by script.
type LostLines = BTreeMap<RepoPath, BTreeSet<u32>>;

/// The context of a notation.
#[derive(Clone, Copy)]
struct NotationSite<'p> {
    project: usize,
    script: &'p BuildScript,
    kind: DepKind,
}

impl<'f> GradleResolver<'f> {
    /// Resolves the identities of all projects first, because composites replace modules by them.
    pub fn new(tree: &'f ProjectTree<'f>, repo: &'f Repo<'f>) -> GradleResolver<'f> {
        let values = PropertyResolver::new(tree);
        let projects = 0..tree.projects.len();
        let groups: Vec<_> = projects.clone().map(|it| values.group(it, 0)).collect();
        let versions = projects.map(|it| values.version(it, 0)).collect();
        let composites = Composites::new(tree, |project| {
            let group = groups[project].as_ref()?;
            Some(format!("{group}:{}", coordinate_name(tree, repo, project)))
        });
        GradleResolver { repo, tree, values, groups, versions, composites }
    }

    /// Returns all packages, and one problem for each script with lost dependencies.
    pub fn build_packages(&self) -> (Vec<Package>, Vec<Problem>) {
        let mut lost = LostLines::new();
        let mut packages: Vec<Package> = (0..self.tree.projects.len())
            .filter_map(|project| self.build_package(project, &mut lost))
            .collect();
        packages.sort_by(|a, b| (&a.path, &a.name).cmp(&(&b.path, &b.name)));
        let problems = lost.into_iter().map(|(path, lines)| lost_problem(&path, &lines));
        (packages, problems.collect())
    }

    /// Builds one package; `None` for a project that no file configures.
    fn build_package(&self, project: usize, lost: &mut LostLines) -> Option<Package> {
        let it = &self.tree.projects[project];
        let settings = self.tree.builds[it.build].settings;
        // A project without a script is configured by another one, or by none.
        let named_in = self.values.sections.addressing_script(project);
        let manifest = it.script.or(named_in).or(settings)?.path;
        let mut package = Package::new(Gradle::KIND, self.package_name(project), manifest);
        package.path = it.directory.clone();
        package.version.clone_from(&self.versions[project]);
        if it.is_listed && settings.is_some() {
            let key = "gradle_workspace".to_string();
            package.metadata.insert(key, true.into());
        }
        for part in self.values.sections.sections_for(self.tree, project) {
            self.add_section(&mut package, project, part, lost);
        }
        self.record_computed(project, lost);
        normalize_dependencies(&mut package);
        Some(package)
    }

    /// Returns the name that users know a project by: `group:path`, or the path. The root and
    /// unlisted projects have their own name in place of the path.
    fn package_name(&self, project: usize) -> String {
        let it = &self.tree.projects[project];
        let is_named_by_path = it.is_listed && it.path != ":";
        match (&self.groups[project], is_named_by_path) {
            (Some(group), true) => format!("{group}{}", it.path),
            (None, true) => it.path.clone(),
            (Some(group), false) => {
                format!("{group}:{}", coordinate_name(self.tree, self.repo, project))
            }
            (None, false) => coordinate_name(self.tree, self.repo, project),
        }
    }

    /// Adds the facts of one section to a package.
    fn add_section(
        &self,
        package: &mut Package,
        project: usize,
        part: ScriptFragment,
        lost: &mut LostLines,
    ) {
        let ScriptFragment { file, section } = part;
        if let Some(description) = &section.description {
            self.values.reset_budget();
            package.description = self.values.fill_template(project, file.script, description, 0);
        }
        let mut missing = section.lost.clone();
        for declaration in &section.dependencies {
            self.values.reset_budget();
            let place = NotationSite { project, script: file.script, kind: declaration.kind };
            match self.resolve_declaration(place, declaration) {
                Some(found) => package.dependencies.extend(found),
                None => missing.push(declaration.line),
            }
        }
        if !missing.is_empty() {
            lost.entry(file.path.clone()).or_default().extend(missing);
        }
    }

    /// Records dependencies that a script declares for a computed set of projects. Nobody can tell
    /// which projects have them.
    fn record_computed(&self, project: usize, lost: &mut LostLines) {
        for file in self.values.sections.scripts(project) {
            let sections = file.script.sections.iter();
            let computed = sections.filter(|section| section.target == SectionTarget::Computed);
            let declarations = computed.flat_map(|section| &section.dependencies);
            let lines: Vec<u32> = declarations.map(|it| it.line).collect();
            if !lines.is_empty() {
                lost.entry(file.path.clone()).or_default().extend(lines);
            }
        }
    }

    /// Returns the dependencies of one declaration; `None` if they cannot be known. A version in
    /// its block wins over that of the notation.
    fn resolve_declaration(
        &self,
        place: NotationSite,
        declaration: &DependencyDeclaration,
    ) -> Option<Vec<Dependency>> {
        let NotationSite { project, script, .. } = place;
        let version = declaration
            .version
            .as_ref()
            .and_then(|version| self.values.fill_template(project, script, version, 0));
        let mut dependencies = match &declaration.notation {
            Notation::Coordinates(template) => vec![self.resolve_coordinates(place, template)?],
            Notation::Project(path) => {
                let path = self.values.fill_template(project, script, path, 0)?;
                let target = self.tree.project_by_path(project, &path);
                vec![self.project_dependency(target, &path, place.kind)]
            }
            Notation::Reference(path) => self.resolve_reference(place, path, 0)?,
        };
        for dependency in &mut dependencies {
            dependency.version_req = version.clone().or(dependency.version_req.take());
        }
        Some(dependencies)
    }

    /// The dependency on a project, or on a path that leads to none.
    fn project_dependency(&self, target: Option<usize>, name: &str, kind: DepKind) -> Dependency {
        Dependency {
            name: target.map_or_else(|| name.to_string(), |target| self.package_name(target)),
            kind,
            version_req: None,
            internal: target.map(|target| self.tree.projects[target].directory.clone()),
        }
    }

    /// Returns the dependency on a module `group:name`, or on the project that replaces it in a
    /// composite build.
    fn module_dependency(
        &self,
        place: NotationSite,
        module: &str,
        version: Option<&str>,
    ) -> Dependency {
        let build = self.tree.projects[place.project].build;
        let target = self.composites.find_project(build, module);
        Dependency {
            version_req: version.map(str::to_string),
            ..self.project_dependency(target, module, place.kind)
        }
    }

    /// Resolves `group:name:version:classifier@extension`. Group and name must be known; an unknown
    /// version is dropped.
    fn resolve_coordinates(&self, place: NotationSite, template: &Template) -> Option<Dependency> {
        let NotationSite { project, script, .. } = place;
        let text = template.fill(|name| self.values.resolve_name(project, script, name, 0));
        let mut parts = text.split('@').next().unwrap_or_default().split(':');
        let known = |part: &&str| !part.is_empty() && !part.contains(HOLE);
        let group = parts.next().filter(known)?;
        let name = parts.next().filter(known)?;
        let version = parts.next().filter(known);
        Some(self.module_dependency(place, &format!("{group}:{name}"), version))
    }

    /// Resolves `projects.core`, `libs.okio`, `libs.bundles.network`, or a property of the scripts.
    /// Scripts win over catalogs.
    fn resolve_reference(
        &self,
        place: NotationSite,
        path: &str,
        depth: usize,
    ) -> Option<Vec<Dependency>> {
        if !self.values.spend_step(depth) {
            return None;
        }
        let property = |name: &str| self.values.find_property(place.project, place.script, name);
        if let Some((script, template)) = property(path) {
            let place = NotationSite { script, ..place };
            return match template.as_reference() {
                Some(path) => self.resolve_reference(place, path, depth + 1),
                None => Some(vec![self.resolve_coordinates(place, template)?]),
            };
        }
        // A list property has no value of its own, only elements.
        if property(&element_name(path, 0)).is_some() {
            return self.resolve_list(place, path, depth);
        }
        // The rest is a reference into `projects` or a catalog, which always has a dot.
        let (head, rest) = path.split_once('.')?;
        if head == "projects" {
            let target = self.tree.project_by_accessor(place.project, rest);
            let path = format!(":{}", rest.replace('.', ":"));
            return Some(vec![self.project_dependency(target, &path, place.kind)]);
        }
        let catalog = self.tree.find_catalog(place.project, head);
        if let Some(found) = catalog.and_then(|catalog| catalog.find_libraries(rest)) {
            let found = found
                .into_iter()
                .map(|(module, version)| self.module_dependency(place, module, version));
            return Some(found.collect());
        }
        // A property may stand for a catalog, or for a part of one.
        let (script, template) = property(head)?;
        let path = format!("{}.{rest}", template.as_reference()?);
        self.resolve_reference(NotationSite { script, ..place }, &path, depth + 1)
    }

    /// Resolves a property that is a list. Its elements are stored under [`element_name`].
    fn resolve_list(
        &self,
        place: NotationSite,
        path: &str,
        depth: usize,
    ) -> Option<Vec<Dependency>> {
        let mut dependencies = Vec::new();
        let elements = (0..).map(|index| element_name(path, index));
        let is_known = |element: &String| {
            let found = self.values.find_property(place.project, place.script, element);
            found.is_some()
        };
        for element in elements.take_while(is_known) {
            dependencies.extend(self.resolve_reference(place, &element, depth + 1)?);
        }
        Some(dependencies)
    }
}

/// Returns the name of a project in coordinates. A listed subproject uses the last segment of its
/// path; others use the declared root name or the directory's name.
fn coordinate_name(tree: &ProjectTree, repo: &Repo, project: usize) -> String {
    let it = &tree.projects[project];
    if it.path != ":" && it.is_listed {
        return it.path.rsplit(':').next().unwrap_or_default().to_string();
    }
    let given = tree.root_name(it.build).filter(|_| it.path == ":");
    given.unwrap_or_else(|| repo.directory_name(&it.directory))
}

/// One problem for all lost dependencies of a script, at the first line.
fn lost_problem(path: &RepoPath, lines: &BTreeSet<u32>) -> Problem {
    let message = match lines.len() {
        1 => "a dependency that is computed, or of an unknown catalog, was left out".to_string(),
        count => format!(
            "{count} dependencies that are computed, or of an unknown catalog, were left out; \
             the first is here"
        ),
    };
    Problem::new(path, message).at_line(lines.first().copied().unwrap_or(1))
}
