//! The project tree: the builds that settings files declare, the projects in them, and the
//! directory, script and parent of each. One directory is one project.
//!
//! Builds and projects are referred to by their index.

use std::collections::{BTreeMap, HashMap};

use super::file_index::{GradleFiles, ScriptFile};
use super::script_facts::{Catalog, GradleFile, GradleSettings};
use super::string_template::Template;
use super::version_catalog::to_accessor;
use kenning_model::RepoPath;

/// All builds and projects of the repository.
pub struct ProjectTree<'f> {
    pub files: GradleFiles<'f>,
    pub builds: Vec<Build<'f>>,
    pub projects: Vec<Project<'f>>,
    by_directory: HashMap<RepoPath, usize>,
    /// Builds by their root directories.
    by_root: HashMap<RepoPath, usize>,
}

/// A settings file and its projects, or a directory that is a build without one.
pub struct Build<'f> {
    pub root: RepoPath,
    pub settings: Option<ScriptFile<'f>>,
    /// The nearest build whose root is above this one.
    enclosing: Option<usize>,
    /// The catalogs that its settings declare, by name.
    catalogs: HashMap<String, Catalog>,
    /// By path, `:` being the root.
    pub projects: BTreeMap<String, usize>,
    /// By the type-safe accessor that scripts use: `libs.coreApi`.
    accessors: HashMap<String, usize>,
    /// Projects below the root that the settings do not list, by the name of their directory.
    /// `None` if several have the name.
    unlisted: HashMap<String, Option<usize>>,
}

/// One project.
pub struct Project<'f> {
    pub build: usize,
    /// The path in its build: `:` is the root, `:a:b` a nested project.
    pub path: String,
    /// True if settings list it; only then its path is certain.
    pub is_listed: bool,
    pub directory: RepoPath,
    pub script: Option<ScriptFile<'f>>,
    /// The project above it in its build.
    pub parent: Option<usize>,
}

impl<'f> ProjectTree<'f> {
    /// Builds the tree from all files. Each step relies on the ones before it.
    pub fn new(files: &'f [(RepoPath, GradleFile)]) -> ProjectTree<'f> {
        let files = GradleFiles::new(files);
        let mut tree = ProjectTree {
            builds: builds_of_settings(&files),
            files,
            projects: Vec::new(),
            by_directory: HashMap::new(),
            by_root: HashMap::new(),
        };
        tree.add_listed_projects();
        tree.add_unlisted_projects();
        for build in 0..tree.builds.len() {
            tree.find_parents(build);
            tree.add_accessors(build);
            tree.builds[build].catalogs = tree.build_catalogs(build);
        }
        tree.find_enclosing();
        tree
    }

    /// Adds the projects that settings list: included ones first, then roots, which another build
    /// may include, then parents that exist only because a child does.
    fn add_listed_projects(&mut self) {
        let listings: Vec<Listing> =
            self.builds.iter().map(|build| self.list_projects(build)).collect();
        for step in [BuildRelation::Included, BuildRelation::Root, BuildRelation::Parent] {
            for (build, listing) in listings.iter().enumerate() {
                for (path, directory, _) in listing.iter().filter(|entry| entry.2 == step) {
                    let name = path.rsplit(':').next().unwrap_or_default();
                    let script = self.files.build_script(directory, name);
                    if step == BuildRelation::Parent && script.is_none() {
                        continue;
                    }
                    let project = self.claim_directory(directory, || Project {
                        build,
                        path: path.clone(),
                        is_listed: true,
                        directory: directory.clone(),
                        script,
                        parent: None,
                    });
                    self.builds[build].projects.insert(path.clone(), project);
                }
            }
        }
    }

    /// Returns the project of a directory, created by `project` if there is none. The first claim
    /// of a directory wins.
    fn claim_directory(
        &mut self,
        directory: &RepoPath,
        project: impl FnOnce() -> Project<'f>,
    ) -> usize {
        let projects = &mut self.projects;
        *self.by_directory.entry(directory.clone()).or_insert_with(|| {
            projects.push(project());
            projects.len() - 1
        })
    }

    /// Lists the projects of a build's settings with their directories. `include("a:b")` means the
    /// directory `a/b` unless `projectDir` says otherwise.
    fn list_projects(&self, build: &Build<'f>) -> Listing {
        let mut listing = vec![(":".to_string(), build.root.clone(), BuildRelation::Root)];
        let Some(ScriptFile { script, .. }) = build.settings else {
            return listing;
        };
        let settings = &script.settings;
        let fill = |template: &Template| self.files.fill_in_settings(build, template);
        let given = configured_directories(settings, build, fill);
        let renamed: HashMap<String, String> = settings
            .names
            .iter()
            .filter_map(|(path, name)| Some((absolute_path(path, ":"), fill(name)?)))
            .collect();
        let mut parents: BTreeMap<String, RepoPath> = BTreeMap::new();
        let is_path = |path: &String| path.len() <= MAX_PATH_LENGTH && !path.contains(['*', '/']);
        let included = settings.includes.iter().filter_map(fill).filter(is_path);
        for path in included.map(|path| absolute_path(&path, ":")) {
            let mut directory = build.root.clone();
            let mut parent = String::new();
            for segment in path.split(':').skip(1) {
                if !parent.is_empty() {
                    parents.insert(parent.clone(), directory.clone());
                }
                parent = format!("{parent}:{segment}");
                directory = directory.join(segment).unwrap_or_default();
            }
            let directory = given.get(&path).cloned().unwrap_or(Some(directory));
            let path = match renamed.get(&path) {
                Some(name) => path[..=path.rfind(':').unwrap_or(0)].to_string() + name,
                None => path,
            };
            listing.extend(directory.map(|directory| (path, directory, BuildRelation::Included)));
        }
        for name in settings.flat_includes.iter().filter_map(fill) {
            let directory = build.root.join("..").and_then(|above| above.join(&name));
            listing.extend(directory.map(|it| (format!(":{name}"), it, BuildRelation::Included)));
        }
        let parents = parents.into_iter();
        listing.extend(parents.map(|(path, directory)| (path, directory, BuildRelation::Parent)));
        listing
    }

    /// Adds the build files that no settings list. They belong to the build that they are below:
    /// Gradle runs them in no other, and settings may list projects by a loop.
    fn add_unlisted_projects(&mut self) {
        let roots: Vec<RepoPath> = self.builds.iter().map(|build| build.root.clone()).collect();
        let mut builds: HashMap<RepoPath, usize> =
            roots.into_iter().enumerate().map(|(index, root)| (root, index)).collect();
        let mut directories: Vec<RepoPath> = self.files.build_directories();
        directories.retain(|directory| !self.by_directory.contains_key(directory));
        for directory in directories {
            // `buildSrc` is a build of its own, and so is what is below no settings.
            let own = |it: &RepoPath| builds.contains_key(it) || it.file_name() == "buildSrc";
            let root = directory.ancestors().find(own).unwrap_or(directory.clone());
            let build = *builds.entry(root.clone()).or_insert_with(|| {
                self.builds.push(Build::new(root.clone(), None));
                self.builds.len() - 1
            });
            let relative = directory.as_str()[root.as_str().len()..].trim_start_matches('/');
            let path = format!(":{}", relative.replace('/', ":"));
            let script = self.files.build_script(&directory, directory.file_name());
            let project = self.claim_directory(&directory, || Project {
                build,
                path: path.clone(),
                is_listed: false,
                directory: directory.clone(),
                script,
                parent: None,
            });
            let build = &mut self.builds[build];
            build.projects.entry(path).or_insert(project);
            let name = directory.file_name();
            for name in [name.to_string(), to_camel_case(name)] {
                let known = build.unlisted.entry(name).or_insert(Some(project));
                *known = known.filter(|known| *known == project);
            }
        }
    }

    /// Sets the parent of each project of a build: the nearest existing path above it, else the
    /// root.
    fn find_parents(&mut self, index: usize) {
        let build = &self.builds[index];
        let root = build.projects.get(":").copied();
        for (path, project) in &build.projects {
            let mut above = path.as_str();
            let mut parent = None;
            while let Some(end) = above.rfind(':').filter(|end| *end > 0) {
                above = &above[..end];
                parent = parent.or(build.projects.get(above).copied());
            }
            let parent = parent.or(root).filter(|parent| parent != project);
            let project = &mut self.projects[*project];
            if project.build == index && project.path == *path {
                project.parent = parent;
            }
        }
    }

    /// Records the type-safe accessors of a build's projects, with and without the root's name.
    fn add_accessors(&mut self, build: usize) {
        let root_name = self.root_name(build).map(|name| to_camel_case(&name));
        let build = &mut self.builds[build];
        for (path, project) in &build.projects {
            let segments: Vec<String> =
                path.split(':').filter(|segment| !segment.is_empty()).map(to_camel_case).collect();
            let accessor = segments.join(".");
            if let Some(root_name) = &root_name {
                let dot = if accessor.is_empty() { "" } else { "." };
                let long = format!("{root_name}{dot}{accessor}");
                build.accessors.entry(long).or_insert(*project);
            }
            if !accessor.is_empty() {
                build.accessors.insert(accessor, *project);
            }
        }
    }

    /// The name that settings give to the root project.
    pub fn root_name(&self, build: usize) -> Option<String> {
        let build = &self.builds[build];
        let name = build.settings?.script.settings.root_name.as_ref()?;
        self.files.fill_in_settings(build, name)
    }

    /// The catalogs of a build. `gradle/libs.versions.toml` is `libs` by default, and declarations
    /// in the settings complete or replace it.
    fn build_catalogs(&self, build: usize) -> HashMap<String, Catalog> {
        let build = &self.builds[build];
        let file = |path: Option<RepoPath>| self.files.catalogs.get(&path?).copied();
        let mut catalogs = HashMap::new();
        let default = file(build.root.join("gradle/libs.versions.toml"));
        catalogs.extend(default.map(|catalog| ("libs".to_string(), catalog.clone())));
        let declared = build.settings.map(|it| &it.script.settings.catalogs);
        for declaration in declared.into_iter().flatten() {
            let mut catalog = declaration.entries.clone();
            let path =
                declaration.file.as_ref().and_then(|path| self.files.fill_in_settings(build, path));
            match file(path.and_then(|path| build.root.join(&path))) {
                Some(file) => catalog.fill_missing(file),
                None => catalog
                    .fill_missing(catalogs.get(&declaration.name).unwrap_or(&catalog.clone())),
            }
            catalogs.insert(declaration.name.clone(), catalog);
        }
        catalogs
    }

    /// Sets the enclosing build of each build.
    fn find_enclosing(&mut self) {
        let roots = self.builds.iter().enumerate();
        self.by_root = roots.map(|(it, build)| (build.root.clone(), it)).collect();
        for build in &mut self.builds {
            let mut above = build.root.ancestors().skip(1);
            build.enclosing = above.find_map(|directory| self.by_root.get(&directory).copied());
        }
    }

    /// Finds the catalog of a name. A build without that catalog uses the one of the enclosing
    /// build, which a settings plugin usually arranges.
    pub fn find_catalog(&self, project: usize, name: &str) -> Option<&Catalog> {
        let first = Some(self.projects[project].build);
        let mut builds = std::iter::successors(first, |build| self.builds[*build].enclosing);
        builds.find_map(|build| self.builds[build].catalogs.get(name))
    }

    /// Finds the project that `path` means in a script of `from`. A relative path starts at that
    /// project. An unlisted project is found by its directory's name.
    pub fn project_by_path(&self, from: usize, path: &str) -> Option<usize> {
        let from = &self.projects[from];
        let build = &self.builds[from.build];
        let unlisted = || {
            let name = path.rsplit(':').next()?;
            *build.unlisted.get(name)?
        };
        build.projects.get(&absolute_path(path, &from.path)).copied().or_else(unlisted)
    }

    /// Finds the project of an accessor such as `projects.libs.core`, given without `projects`.
    pub fn project_by_accessor(&self, from: usize, accessor: &str) -> Option<usize> {
        let build = &self.builds[self.projects[from].build];
        let unlisted = || *build.unlisted.get(accessor.rsplit('.').next()?)?;
        build.accessors.get(accessor).copied().or_else(unlisted)
    }

    /// The build whose root is a directory.
    pub fn build_at(&self, directory: &RepoPath) -> Option<usize> {
        self.by_root.get(directory).copied()
    }

    /// A project and its parents, nearest first.
    pub fn ancestors(&self, project: usize) -> impl Iterator<Item = usize> {
        // Two builds that include each other's roots form a loop, so the number is limited.
        let parents = std::iter::successors(Some(project), |it| self.projects[*it].parent);
        parents.take(MAX_ANCESTORS)
    }
}

/// The deepest nesting of projects.
const MAX_ANCESTORS: usize = 64;

/// The longest project path, in bytes. Each segment costs a copy of the path above it.
const MAX_PATH_LENGTH: usize = 1000;

/// Projects by path, with their directories and why they are listed.
type Listing = Vec<(String, RepoPath, BuildRelation)>;

/// The reason why settings list a project.
#[derive(Clone, Copy, PartialEq)]
enum BuildRelation {
    Included,
    Root,
    Parent,
}

impl<'f> Build<'f> {
    /// A build without projects.
    fn new(root: RepoPath, settings: Option<ScriptFile<'f>>) -> Build<'f> {
        Build {
            root,
            settings,
            enclosing: None,
            catalogs: HashMap::new(),
            projects: BTreeMap::new(),
            accessors: HashMap::new(),
            unlisted: HashMap::new(),
        }
    }
}

/// One build for each directory with a settings file. Groovy wins over Kotlin, as in Gradle.
fn builds_of_settings<'f>(files: &GradleFiles<'f>) -> Vec<Build<'f>> {
    let mut builds: BTreeMap<RepoPath, ScriptFile> = BTreeMap::new();
    for name in ["settings.gradle.kts", "settings.gradle"] {
        let found = files.scripts.values().filter(|file| file.path.file_name() == name);
        builds.extend(found.map(|file| (file.path.parent(), *file)));
    }
    builds.into_iter().map(|(root, settings)| Build::new(root, Some(settings))).collect()
}

/// The directories that settings assign to projects. The value is `None` for a directory outside of
/// the repository.
fn configured_directories(
    settings: &GradleSettings,
    build: &Build,
    fill: impl Fn(&Template) -> Option<String>,
) -> HashMap<String, Option<RepoPath>> {
    let given = settings.directories.iter().filter_map(|(path, directory)| {
        let directory = build.root.join(&fill(directory)?);
        Some((absolute_path(path, ":"), directory))
    });
    given.collect()
}

/// The absolute path of a project, as written in the project at `base`.
fn absolute_path(path: &str, base: &str) -> String {
    match path.strip_prefix(':') {
        Some(_) => path.to_string(),
        None => format!("{}:{path}", base.trim_end_matches(':')),
    }
}

/// Converts a name as Gradle does for accessors: `core-api` becomes `coreApi`.
fn to_camel_case(name: &str) -> String {
    let normal = to_accessor(name);
    let mut words = normal.split('.');
    let mut camel = words.next().unwrap_or_default().to_string();
    for word in words {
        let mut characters = word.chars();
        camel.extend(characters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(characters.as_str());
    }
    camel
}
