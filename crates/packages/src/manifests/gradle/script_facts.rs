//! The stored facts of one Gradle file. Build scripts and settings scripts share one type, because
//! either may contain what the other does, and either may apply a script.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::normalize_dependencies::kind_text;
use super::string_template::Template;
use kenning_model::DepKind;

/// The facts of a file, by its kind.
#[derive(Serialize, Deserialize)]
pub enum GradleFile {
    Script(BuildScript),
    Catalog(Catalog),
    /// `gradle.properties`.
    Properties(BTreeMap<String, String>),
}

/// The facts of a build or settings script.
#[derive(Default, Serialize, Deserialize)]
pub struct BuildScript {
    pub properties: BTreeMap<String, Property>,
    /// One section for each set of projects that the script configures.
    pub sections: Vec<Section>,
    pub settings: GradleSettings,
}

impl BuildScript {
    /// True if the script gives nothing that a package could use.
    pub fn is_empty(&self) -> bool {
        let is_bare = |section: &Section| {
            section.dependencies.is_empty() && section.group.is_none() && section.version.is_none()
        };
        let settings = &self.settings;
        self.sections.iter().all(is_bare)
            && settings.root_name.is_none()
            && settings.includes.is_empty()
            && self.properties.is_empty()
    }
}

/// A value that other values may name.
#[derive(Serialize, Deserialize)]
pub struct Property {
    pub value: Template,
    /// True if it is an extra property, which the projects below see too.
    pub is_extra: bool,
}

/// The name under which an element of a list property is stored.
pub fn element_name(list: &str, index: usize) -> String {
    format!("{list}[{index}]")
}

/// The facts that a script states about one set of projects.
#[derive(Default, Serialize, Deserialize)]
pub struct Section {
    pub target: SectionTarget,
    pub group: Option<Template>,
    pub version: Option<Template>,
    pub description: Option<Template>,
    /// The paths of scripts that are applied with `apply from:`.
    pub applies: Vec<Template>,
    pub dependencies: Vec<DependencyDeclaration>,
    /// The lines of dependencies that only running the script would tell. They become problems.
    pub lost: Vec<u32>,
}

/// The projects that a section is about, seen from the project of its script.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SectionTarget {
    #[default]
    Own,
    /// `allprojects { … }`
    OwnAndBelow,
    /// `subprojects { … }`
    Below,
    /// `project(":a") { … }`
    Project(String),
    /// `configure(someProjects) { … }`
    Computed,
}

/// One declared dependency.
#[derive(Serialize, Deserialize)]
pub struct DependencyDeclaration {
    #[serde(with = "kind_text")]
    pub kind: DepKind,
    pub notation: Notation,
    /// The version that its block states.
    pub version: Option<Template>,
    pub line: u32,
}

/// The notation of a dependency.
#[derive(Serialize, Deserialize)]
pub enum Notation {
    /// `group:name:version`
    Coordinates(Template),
    /// `project(":a")`: the path of a project.
    Project(Template),
    /// `libs.okio`, `projects.core`, or a property that holds coordinates.
    Reference(String),
}

/// The facts of a settings script.
#[derive(Default, Serialize, Deserialize)]
pub struct GradleSettings {
    pub root_name: Option<Template>,
    pub includes: Vec<Template>,
    /// The names that `includeFlat` gives: directories beside the root.
    pub flat_includes: Vec<Template>,
    /// `project(":a").projectDir = …`: project path and directory.
    pub directories: Vec<(String, Template)>,
    /// `project(":a").name = …`: project path and name.
    pub names: Vec<(String, Template)>,
    /// `includeBuild` calls.
    pub builds: Vec<IncludedBuild>,
    pub catalogs: Vec<CatalogDeclaration>,
}

/// A build that is included into a composite.
#[derive(Serialize, Deserialize)]
pub struct IncludedBuild {
    pub path: Template,
    /// Explicit substitutions: a module as `group:name`, and the path of the project that replaces
    /// it. Empty if none are declared.
    pub substitutions: Vec<(String, String)>,
}

/// A catalog that a settings script declares: `versionCatalogs { create("libs") {
/// from(files("x.toml")) } }`.
#[derive(Default, Serialize, Deserialize)]
pub struct CatalogDeclaration {
    pub name: String,
    /// The catalog file that `from` names.
    pub file: Option<Template>,
    pub entries: Catalog,
}

/// A version catalog. Versions are written as they are for a dependency.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Catalog {
    pub versions: BTreeMap<String, String>,
    pub libraries: BTreeMap<String, Library>,
    pub bundles: BTreeMap<String, Vec<String>>,
}

/// A library of a catalog.
#[derive(Clone, Serialize, Deserialize)]
pub struct Library {
    /// `group:name`
    pub module: String,
    pub version: Option<CatalogVersion>,
}

/// The version of a library: a text, or the alias of a version.
#[derive(Clone, Serialize, Deserialize)]
pub enum CatalogVersion {
    Plain(String),
    /// The alias of one of the catalog's versions.
    Reference(String),
}
