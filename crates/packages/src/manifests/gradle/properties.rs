//! Resolves names in the scripts of a project: its group and version, properties of scripts and of
//! `gradle.properties`, and versions of catalogs.
//!
//! Lookups are bounded, because properties may refer to each other in circles.

use std::cell::Cell;

use super::applied_sections::AppliedSections;
use super::project_tree::ProjectTree;
use super::script_facts::{BuildScript, Section};
use super::string_template::{HOLE, Template};

/// Resolves names for all projects of a tree.
pub struct PropertyResolver<'f> {
    pub tree: &'f ProjectTree<'f>,
    pub sections: AppliedSections<'f>,
    /// The number of lookups since the last [`PropertyResolver::reset_budget`].
    steps: Cell<usize>,
}

/// The most properties that may refer to one another before a value is reached.
const MAX_INDIRECTIONS: usize = 8;

/// The most values that one lookup may visit. Names that refer to many names would otherwise take
/// too long.
const MAX_STEPS: usize = 1000;

impl<'f> PropertyResolver<'f> {
    /// A resolver for a tree.
    pub fn new(tree: &'f ProjectTree<'f>) -> PropertyResolver<'f> {
        PropertyResolver { tree, sections: AppliedSections::new(tree), steps: Cell::new(0) }
    }

    /// Begins a new lookup with a full budget.
    pub fn reset_budget(&self) {
        self.steps.set(0);
    }

    /// The group of a project. `depth` is the number of indirections so far.
    pub fn group(&self, project: usize, depth: usize) -> Option<String> {
        self.resolve_identity(project, "group", |section| section.group.as_ref(), depth)
    }

    /// The version of a project.
    pub fn version(&self, project: usize, depth: usize) -> Option<String> {
        self.resolve_identity(project, "version", |section| section.version.as_ref(), depth)
    }

    /// Resolves a field of the project's identity. The last section that states it wins; else
    /// `gradle.properties` may.
    fn resolve_identity(
        &self,
        project: usize,
        name: &str,
        field: impl Fn(&'f Section) -> Option<&'f Template>,
        depth: usize,
    ) -> Option<String> {
        if depth == 0 {
            self.steps.set(0);
        }
        let parts = self.sections.sections_for(self.tree, project);
        let said = parts.iter().rev().find_map(|part| Some((part, field(part.section)?)));
        match said {
            Some((part, template)) => {
                self.fill_template(project, part.file.script, template, depth)
            }
            None => self.find_file_property(project, name),
        }
    }

    /// A property of `gradle.properties`, of the project or of the root.
    fn find_file_property(&self, project: usize, name: &str) -> Option<String> {
        let project = &self.tree.projects[project];
        let root = &self.tree.builds[project.build].root;
        let mut files = [&project.directory, root].into_iter();
        files.find_map(|directory| self.tree.files.properties.get(directory)?.get(name).cloned())
    }

    /// Fills a template in a script about a project; `None` if a name is unknown.
    pub fn fill_template(
        &self,
        project: usize,
        script: &BuildScript,
        template: &Template,
        depth: usize,
    ) -> Option<String> {
        let text = template.fill(|name| self.resolve_name(project, script, name, depth + 1));
        (!text.contains(HOLE)).then_some(text)
    }

    /// Resolves a name: properties of scripts first, then the project's own group and version, then
    /// `gradle.properties`, then versions of catalogs.
    pub fn resolve_name(
        &self,
        project: usize,
        script: &BuildScript,
        name: &str,
        depth: usize,
    ) -> Option<String> {
        if !self.spend_step(depth) {
            return None;
        }
        if let Some((script, template)) = self.find_property(project, script, name) {
            return self.fill_template(project, script, template, depth);
        }
        let root = self.tree.ancestors(project).last().unwrap_or(project);
        match name {
            "version" => self.version(project, depth),
            "group" => self.group(project, depth),
            "rootProject.version" => self.version(root, depth),
            "rootProject.group" => self.group(root, depth),
            _ => self
                .find_file_property(project, name)
                .or_else(|| self.find_catalog_version(project, name)),
        }
    }

    /// Counts a lookup. Returns false if the budget is exceeded.
    pub fn spend_step(&self, depth: usize) -> bool {
        self.steps.set(self.steps.get() + 1);
        depth <= MAX_INDIRECTIONS && self.steps.get() <= MAX_STEPS
    }

    /// Finds a property and the script that defines it. It is the script at hand, or a script of
    /// the project or its parents if it is an extra property.
    pub fn find_property<'a>(
        &'a self,
        project: usize,
        script: &'a BuildScript,
        name: &str,
    ) -> Option<(&'a BuildScript, &'a Template)> {
        if let Some(property) = script.properties.get(name) {
            return Some((script, &property.value));
        }
        self.tree.ancestors(project).find_map(|ancestor| {
            self.sections.scripts(ancestor).iter().find_map(|file| {
                let property = file.script.properties.get(name)?;
                property.is_extra.then_some((file.script, &property.value))
            })
        })
    }

    /// Resolves `libs.versions.kotlin`.
    fn find_catalog_version(&self, project: usize, name: &str) -> Option<String> {
        let (catalog, rest) = name.split_once('.')?;
        let alias = rest.strip_prefix("versions.")?;
        let catalog = self.tree.find_catalog(project, catalog)?;
        catalog.versions.get(alias).cloned()
    }
}
