//! Resolves names in the scripts of a project: its group and version, properties of scripts and of
//! `gradle.properties`, and versions of catalogs.

use std::cell::Cell;

use super::applied_scripts::Influences;
use super::facts::{BuildScript, Section};
use super::interpolation::{HOLE, Template};
use super::project_tree::Layout;

pub struct Values<'f> {
    pub layout: &'f Layout<'f>,
    pub influences: Influences<'f>,
    /// The values asked for since the last time that counting began.
    steps: Cell<usize>,
}

/// How many properties may name one another before a value is reached.
const MAX_INDIRECTIONS: usize = 8;

/// The most values that one lookup may visit. Names that refer to many names would otherwise take
/// too long.
const MAX_STEPS: usize = 1000;

impl<'f> Values<'f> {
    pub fn new(layout: &'f Layout<'f>) -> Values<'f> {
        Values { layout, influences: Influences::new(layout), steps: Cell::new(0) }
    }

    /// Begins a new question.
    pub fn restart(&self) {
        self.steps.set(0);
    }

    pub fn group(&self, project: usize, depth: usize) -> Option<String> {
        self.identity(project, "group", |section| section.group.as_ref(), depth)
    }

    pub fn version(&self, project: usize, depth: usize) -> Option<String> {
        self.identity(project, "version", |section| section.version.as_ref(), depth)
    }

    fn identity(
        &self,
        project: usize,
        name: &str,
        field: impl Fn(&'f Section) -> Option<&'f Template>,
        depth: usize,
    ) -> Option<String> {
        if depth == 0 {
            self.steps.set(0);
        }
        let parts = self.influences.parts(self.layout, project);
        let said = parts.iter().rev().find_map(|part| Some((part, field(part.section)?)));
        match said {
            Some((part, template)) => self.fill(project, part.file.script, template, depth),
            None => self.file_property(project, name),
        }
    }

    /// A property of `gradle.properties`, of the project or of the root.
    fn file_property(&self, project: usize, name: &str) -> Option<String> {
        let project = &self.layout.projects[project];
        let root = &self.layout.builds[project.build].root;
        let mut files = [&project.directory, root].into_iter();
        files.find_map(|directory| self.layout.files.properties.get(directory)?.get(name).cloned())
    }

    /// The whole text of a template, in a script of or about a project.
    pub fn fill(
        &self,
        project: usize,
        script: &BuildScript,
        template: &Template,
        depth: usize,
    ) -> Option<String> {
        let text = template.fill(|name| self.value(project, script, name, depth + 1));
        (!text.contains(HOLE)).then_some(text)
    }

    pub fn value(
        &self,
        project: usize,
        script: &BuildScript,
        name: &str,
        depth: usize,
    ) -> Option<String> {
        if !self.may_step(depth) {
            return None;
        }
        if let Some((script, template)) = self.property(project, script, name) {
            return self.fill(project, script, template, depth);
        }
        let root = self.layout.ancestors(project).last().unwrap_or(project);
        match name {
            "version" => self.version(project, depth),
            "group" => self.group(project, depth),
            "rootProject.version" => self.version(root, depth),
            "rootProject.group" => self.group(root, depth),
            _ => self.file_property(project, name).or_else(|| self.catalog_version(project, name)),
        }
    }

    pub fn may_step(&self, depth: usize) -> bool {
        self.steps.set(self.steps.get() + 1);
        depth <= MAX_INDIRECTIONS && self.steps.get() <= MAX_STEPS
    }

    /// The value of a property and the script that gives it: the script at hand, or one of the
    /// project's or its parents' if it is an extra property.
    pub fn property<'a>(
        &'a self,
        project: usize,
        script: &'a BuildScript,
        name: &str,
    ) -> Option<(&'a BuildScript, &'a Template)> {
        if let Some(property) = script.properties.get(name) {
            return Some((script, &property.value));
        }
        self.layout.ancestors(project).find_map(|ancestor| {
            self.influences.scripts(ancestor).iter().find_map(|file| {
                let property = file.script.properties.get(name)?;
                property.is_extra.then_some((file.script, &property.value))
            })
        })
    }

    /// `libs.versions.kotlin`
    fn catalog_version(&self, project: usize, name: &str) -> Option<String> {
        let (catalog, rest) = name.split_once('.')?;
        let alias = rest.strip_prefix("versions.")?;
        let catalog = self.layout.catalog(project, catalog)?;
        catalog.versions.get(alias).cloned()
    }
}
