//! The effective POM: a POM with its parents and properties applied. Parents outside of the
//! repository count as empty. Expressions that only the machine or the command line could resolve
//! stay as written.

use super::super::interpolate::{Budget, PlaceholderSyntax, fill_nested, fill_placeholders};
use super::parents::find_lineages;
use super::pom::Pom;
use super::reactor::PomIndex;
use kenning_model::{Problem, RepoPath};

/// All POMs of the repository, each known by its number.
pub struct EffectivePoms<'a> {
    pub poms: &'a [(RepoPath, Pom)],
    lineages: Vec<Vec<usize>>,
    names: Vec<String>,
    versions: Vec<Option<String>>,
    homes: PomIndex,
}

impl<'a> EffectivePoms<'a> {
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

    /// `groupId:artifactId`
    pub fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    pub fn version(&self, index: usize) -> Option<&str> {
        self.versions[index].as_deref()
    }

    pub fn description(&self, index: usize) -> Option<String> {
        Some(self.fill_expressions(index, self.read_field(index, "description")?))
    }

    /// The POM of this repository that `index` means by these coordinates.
    pub fn find_pom(&self, index: usize, name: &str, version: Option<&str>) -> Option<usize> {
        let directory = self.poms[index].0.parent();
        self.homes.find_pom(&directory, name, version)
    }

    /// `text` with its expressions filled in as they mean for this POM.
    pub fn fill_expressions(&self, index: usize, text: &str) -> String {
        fill_placeholders(text, PlaceholderSyntax::Braces, &mut |name, budget| {
            self.resolve_expression(index, name, budget)
        })
    }

    /// Returns the value of `${name}` in this POM.
    pub fn resolve_expression(
        &self,
        index: usize,
        name: &str,
        budget: &mut Budget,
    ) -> Option<String> {
        let project = name.strip_prefix("project.");
        let project = project.or_else(|| name.strip_prefix("pom."));
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

    /// The part of the nearest POM in the lineage that has it.
    fn find_inherited(
        &self,
        index: usize,
        part: impl Fn(&'a Pom) -> Option<&'a str>,
    ) -> Option<&'a str> {
        let mut lineage = self.lineages[index].iter();
        lineage.find_map(|ancestor| part(&self.poms[*ancestor].1))
    }

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
