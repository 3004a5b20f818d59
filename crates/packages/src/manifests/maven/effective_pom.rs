//! The effective POM: a POM with its parents and properties applied. Parents outside of the
//! repository count as empty. Expressions that only the machine or the command line could resolve
//! stay as written.
//!
//! Maven builds a merged model for each project. Here POMs stay separate and values are looked up
//! along the lineage, because thousands of modules may share a parent.

use super::super::interpolate::{Budget, PlaceholderSyntax, fill_nested, fill_placeholders};
use super::parents::find_lineages;
use super::pom::Pom;
use super::pom_index::PomIndex;
use kenning_model::{Problem, RepoPath};

/// All POMs of the repository. Each is referred to by its index in `poms`.
pub struct EffectivePoms<'a> {
    pub poms: &'a [(RepoPath, Pom)],
    /// See [`EffectivePoms::lineage`].
    lineages: Vec<Vec<usize>>,
    /// `groupId:artifactId` of each POM, with expressions filled.
    names: Vec<String>,
    versions: Vec<Option<String>>,
    /// The POMs by name and version.
    homes: PomIndex,
}

impl<'a> EffectivePoms<'a> {
    /// Resolves parents, then names and versions, then indexes them. Loops of parents are added to
    /// `problems`.
    pub fn new(poms: &'a [(RepoPath, Pom)], problems: &mut Vec<Problem>) -> EffectivePoms<'a> {
        let mut models = EffectivePoms {
            poms,
            lineages: find_lineages(poms, problems),
            names: Vec::new(),
            versions: Vec::new(),
            homes: PomIndex::default(),
        };
        let all = 0..poms.len();
        models.names = all.clone().map(|index| models.resolve_name(index)).collect();
        models.versions = all.map(|index| models.resolve_version(index)).collect();
        models.homes = PomIndex::new(poms.iter().enumerate().map(|(index, (path, _))| {
            let version = models.versions[index].clone();
            (models.names[index].clone(), version, path.parent())
        }));
        models
    }

    /// The POM itself, then its parent, and so on.
    pub fn lineage(&self, index: usize) -> &[usize] {
        &self.lineages[index]
    }

    /// `groupId:artifactId`, with expressions filled.
    pub fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// The version, its own or inherited.
    pub fn version(&self, index: usize) -> Option<&str> {
        self.versions[index].as_deref()
    }

    /// The description, its own or inherited.
    pub fn description(&self, index: usize) -> Option<String> {
        Some(self.fill_expressions(index, self.read_field(index, "description")?))
    }

    /// Finds the POM of this repository that `index` means by these coordinates.
    pub fn find_pom(&self, index: usize, name: &str, version: Option<&str>) -> Option<usize> {
        let directory = self.poms[index].0.parent();
        self.homes.find_pom(&directory, name, version)
    }

    /// Fills the expressions of a text as this POM resolves them.
    pub fn fill_expressions(&self, index: usize, text: &str) -> String {
        fill_placeholders(text, PlaceholderSyntax::Braces, &mut |name, budget| {
            self.resolve_expression(index, name, budget)
        })
    }

    /// Resolves `${name}` in this POM. As in Maven, `project.` names a field; the old prefix `pom.`
    /// and the bare field name still work. Properties win over bare field names.
    pub fn resolve_expression(
        &self,
        index: usize,
        name: &str,
        budget: &mut Budget,
    ) -> Option<String> {
        let project = name.strip_prefix("project.").or_else(|| name.strip_prefix("pom."));
        let text = project
            .and_then(|field| self.read_field(index, field))
            .or_else(|| {
                self.find_inherited(index, |pom| pom.properties.get(name).map(String::as_str))
            })
            .or_else(|| self.read_field(index, name))?;
        let mut value =
            |name: &str, budget: &mut Budget| self.resolve_expression(index, name, budget);
        Some(fill_nested(text, PlaceholderSyntax::Braces, budget, &mut value))
    }

    /// Reads a field of the project by the path that expressions use. Only the fields that Maven
    /// inherits are looked up in parents.
    fn read_field(&self, index: usize, name: &str) -> Option<&'a str> {
        let pom = &self.poms[index].1;
        match name {
            "groupId" => self.find_inherited(index, Pom::stated_group),
            "artifactId" => Some(&pom.artifact),
            "version" => self.find_inherited(index, Pom::stated_version),
            "packaging" => Some(pom.packaging.as_deref().unwrap_or("jar")),
            "name" => pom.name.as_deref(),
            "description" => self.find_inherited(index, |pom| pom.description.as_deref()),
            "parent.groupId" => pom.parent.as_ref()?.group.as_deref(),
            "parent.artifactId" => pom.parent.as_ref()?.artifact.as_deref(),
            "parent.version" => pom.parent.as_ref()?.version.as_deref(),
            _ => None,
        }
    }

    /// Returns a part of the nearest POM in the lineage that has it.
    fn find_inherited(
        &self,
        index: usize,
        part: impl Fn(&'a Pom) -> Option<&'a str>,
    ) -> Option<&'a str> {
        let mut lineage = self.lineages[index].iter();
        lineage.find_map(|ancestor| part(&self.poms[*ancestor].1))
    }

    /// The name with its expressions filled. A POM without a group anywhere has only its artifact.
    fn resolve_name(&self, index: usize) -> String {
        let artifact = &self.poms[index].1.artifact;
        match self.read_field(index, "groupId") {
            Some(group) => self.fill_expressions(index, &format!("{group}:{artifact}")),
            None => self.fill_expressions(index, artifact),
        }
    }

    fn resolve_version(&self, index: usize) -> Option<String> {
        Some(self.fill_expressions(index, self.read_field(index, "version")?))
    }
}
