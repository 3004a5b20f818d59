//! Collects the sections of scripts by the projects that they target: their own, those below, or
//! one by its name.
//!
//! Gradle configures a project from several scripts: its own, `allprojects` and `subprojects`
//! blocks of the projects above, and blocks of other projects that name it. This module finds all
//! of them for a project.

use std::collections::HashSet;

use super::file_index::ScriptFile;
use super::project_tree::ProjectTree;
use super::script_facts::{Section, SectionTarget};
use super::string_template::Template;

/// The sections of all scripts, by project.
pub struct AppliedSections<'f>(Vec<ProjectSections<'f>>);

/// The sections in the scripts of one project, by target.
#[derive(Default)]
struct ProjectSections<'f> {
    /// The scripts of the project, the applied ones included.
    scripts: Vec<ScriptFile<'f>>,
    own: Vec<ScriptFragment<'f>>,
    /// `allprojects` blocks.
    own_and_below: Vec<ScriptFragment<'f>>,
    /// `subprojects` blocks.
    below: Vec<ScriptFragment<'f>>,
    /// Sections that scripts of other projects address to this one by its name.
    by_name: Vec<ScriptFragment<'f>>,
}

/// A section, and the script that it is in.
#[derive(Clone, Copy)]
pub struct ScriptFragment<'f> {
    pub file: ScriptFile<'f>,
    pub section: &'f Section,
}

impl<'f> AppliedSections<'f> {
    /// Collects the sections of every project of the tree.
    pub fn new(tree: &ProjectTree<'f>) -> AppliedSections<'f> {
        let count = tree.projects.len();
        let mut sections =
            AppliedSections((0..count).map(|_| ProjectSections::default()).collect());
        for project in 0..count {
            sections.collect_sections(tree, project);
        }
        sections
    }

    /// The scripts of a project, the applied ones included.
    pub fn scripts(&self, project: usize) -> &[ScriptFile<'f>] {
        &self.0[project].scripts
    }

    /// Returns the first script that addresses a project by its name, if any.
    pub fn addressing_script(&self, project: usize) -> Option<ScriptFile<'f>> {
        self.0[project].by_name.first().map(|part| part.file)
    }

    /// Returns all sections about a project. Later ones override earlier ones, so the outermost
    /// project comes first and the project's own script last.
    pub fn sections_for(&self, tree: &ProjectTree, project: usize) -> Vec<ScriptFragment<'f>> {
        let mut ancestors: Vec<usize> = tree.ancestors(project).collect();
        ancestors.reverse();
        let mut parts = Vec::new();
        for ancestor in ancestors {
            let sections = &self.0[ancestor];
            parts.extend(&sections.own_and_below);
            if ancestor != project {
                parts.extend(&sections.below);
            }
        }
        let sections = &self.0[project];
        parts.extend(sections.by_name.iter().chain(&sections.own));
        parts
    }

    /// Collects the sections in the scripts of a project, by their targets. Applied scripts are
    /// followed, each once per target.
    fn collect_sections(&mut self, tree: &ProjectTree<'f>, project: usize) {
        let Some(file) = tree.projects[project].script else {
            return;
        };
        let mut open = vec![(file, SectionTarget::Own)];
        let mut seen = HashSet::new();
        while let Some((file, outer)) = open.pop() {
            if !seen.insert((file.path, outer.clone())) {
                continue;
            }
            self.0[project].scripts.push(file);
            for section in &file.script.sections {
                // If a section of an applied script targets its own project, it takes the target of
                // the section that applies the script.
                let target = match (&section.target, &outer) {
                    (SectionTarget::Own, outer) => outer.clone(),
                    (target, _) => target.clone(),
                };
                for path in &section.applies {
                    let applied = find_applied_script(tree, project, file, path);
                    open.extend(applied.map(|file| (file, target.clone())));
                }
                let part = ScriptFragment { file, section };
                match target {
                    SectionTarget::Own => self.0[project].own.push(part),
                    SectionTarget::OwnAndBelow => self.0[project].own_and_below.push(part),
                    SectionTarget::Below => self.0[project].below.push(part),
                    SectionTarget::Project(path) => {
                        if let Some(named) = tree.project_by_path(project, &path) {
                            self.0[named].by_name.push(part);
                        }
                    }
                    SectionTarget::Computed => {}
                }
            }
        }
    }
}

/// Finds the script that `apply from:` names. A path is relative to the project's directory, unless
/// it starts with the root's.
fn find_applied_script<'f>(
    tree: &ProjectTree<'f>,
    project: usize,
    file: ScriptFile<'f>,
    path: &Template,
) -> Option<ScriptFile<'f>> {
    // Stands for the root's directory while the template is filled.
    const ROOT: char = '\u{1}';
    let project = &tree.projects[project];
    let text = path.fill(|name| match name {
        "rootDir" | "rootProject.projectDir" | "rootProject.rootDir" => Some(ROOT.to_string()),
        "projectDir" => Some(String::new()),
        _ => file.script.properties.get(name)?.value.as_text(),
    });
    let path = match text.strip_prefix(ROOT) {
        Some(path) => tree.builds[project.build].root.join(path),
        None => project.directory.join(&text),
    };
    tree.files.scripts.get(&path?).copied()
}
