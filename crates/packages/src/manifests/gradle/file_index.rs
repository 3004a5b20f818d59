//! The Gradle files of a repository, found by path and directory.

use std::collections::{BTreeMap, HashMap};

use super::project_tree::Build;
use super::script_facts::{BuildScript, Catalog, GradleFile};
use super::string_template::{HOLE, Template};
use kenning_model::RepoPath;

/// All files, by kind. Scripts and catalogs are keyed by path, properties by directory.
pub struct GradleFiles<'f> {
    pub scripts: HashMap<RepoPath, ScriptFile<'f>>,
    pub catalogs: HashMap<RepoPath, &'f Catalog>,
    pub properties: HashMap<RepoPath, &'f BTreeMap<String, String>>,
}

/// A script with its path.
#[derive(Clone, Copy)]
pub struct ScriptFile<'f> {
    pub path: &'f RepoPath,
    pub script: &'f BuildScript,
}

impl<'f> GradleFiles<'f> {
    /// Sorts the files by kind.
    pub fn new(files: &'f [(RepoPath, GradleFile)]) -> GradleFiles<'f> {
        let mut sorted = GradleFiles {
            scripts: HashMap::new(),
            catalogs: HashMap::new(),
            properties: HashMap::new(),
        };
        for (path, file) in files {
            match file {
                GradleFile::Script(script) => {
                    sorted.scripts.insert(path.clone(), ScriptFile { path, script });
                }
                GradleFile::Catalog(catalog) => drop(sorted.catalogs.insert(path.clone(), catalog)),
                GradleFile::Properties(properties) => {
                    sorted.properties.insert(path.parent(), properties);
                }
            }
        }
        sorted
    }

    /// Finds the build script of a project's directory: `build.gradle`, or a file named after the
    /// project or the directory, as some settings arrange it. Groovy wins over Kotlin, as in
    /// Gradle.
    pub fn build_script(&self, directory: &RepoPath, project: &str) -> Option<ScriptFile<'f>> {
        let candidates = ["build", project, directory.file_name()];
        let mut names = candidates.iter().filter(|name| !name.is_empty());
        names.find_map(|name| {
            let mut files = [".gradle", ".gradle.kts"].iter();
            files.find_map(|end| {
                let path = directory.join(&format!("{name}{end}"))?;
                self.scripts.get(&path).copied()
            })
        })
    }

    /// The directories with a `build.gradle` or `build.gradle.kts`, sorted.
    pub fn build_directories(&self) -> Vec<RepoPath> {
        let is_build = |name: &str| matches!(name, "build.gradle" | "build.gradle.kts");
        let files = self.scripts.keys().filter(|path| is_build(path.file_name()));
        let mut directories: Vec<RepoPath> = files.map(RepoPath::parent).collect();
        directories.sort();
        directories.dedup();
        directories
    }

    /// Fills a text of a settings script. Paths in the result are relative to the build's root.
    /// `None` if a name is unknown.
    pub fn fill_in_settings(&self, build: &Build, template: &Template) -> Option<String> {
        let settings = build.settings?.script;
        let properties = self.properties.get(&build.root);
        let text = template.fill(|name| match name {
            "rootDir" | "settingsDir" | "projectDir" | "rootProject.projectDir" => {
                Some(String::new())
            }
            _ => match settings.properties.get(name) {
                Some(property) => property.value.as_text(),
                None => properties.and_then(|properties| properties.get(name).cloned()),
            },
        });
        (!text.contains(HOLE)).then_some(text)
    }
}
