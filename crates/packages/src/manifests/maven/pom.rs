//! Parses one `pom.xml` and merges the profiles that a plain `mvn` activates on every machine.
//! Expressions stay as written, because parents decide their values.

use std::collections::{BTreeMap, HashMap};

use roxmltree::Node;
use serde::{Deserialize, Serialize};

use super::super::ParsedManifest;
use super::super::xml::{child, child_text, children, read_xml, text};
use kenning_model::{Problem, RepoPath};

/// The part of a POM that declares the package.
#[derive(Serialize, Deserialize)]
pub struct Pom {
    pub group: Option<String>,
    pub artifact: String,
    pub version: Option<String>,
    /// `jar` if absent.
    pub packaging: Option<String>,
    pub name: Option<String>,
    /// `Some("")` is an empty element, which keeps the parent's from being inherited.
    pub description: Option<String>,
    pub parent: Option<Parent>,
    pub properties: BTreeMap<String, String>,
    pub dependencies: Vec<PomDependency>,
    /// `<dependencyManagement>`, imports included.
    pub managed: Vec<PomDependency>,
}

/// The element `<parent>`.
#[derive(Serialize, Deserialize)]
pub struct Parent {
    pub group: Option<String>,
    pub artifact: Option<String>,
    pub version: Option<String>,
    /// `Some("")` is an empty element: the parent is not looked for on the disk.
    pub relative_path: Option<String>,
}

/// One `<dependency>`, of the project or of its management.
#[derive(Serialize, Deserialize)]
pub struct PomDependency {
    pub group: String,
    pub artifact: String,
    pub version: Option<String>,
    pub packaging: Option<String>,
    pub classifier: Option<String>,
    pub scope: Option<String>,
    /// A text and not a flag, because it may be an expression.
    pub optional: Option<String>,
}

impl Pom {
    /// The group as this file alone states it: its own, else that of `<parent>`.
    pub fn stated_group(&self) -> Option<&str> {
        let inherited = || self.parent.as_ref()?.group.as_deref();
        self.group.as_deref().or_else(inherited)
    }

    /// The version as this file alone states it.
    pub fn stated_version(&self) -> Option<&str> {
        let inherited = || self.parent.as_ref()?.version.as_deref();
        self.version.as_deref().or_else(inherited)
    }
}

impl PomDependency {
    /// `groupId:artifactId`
    pub fn name(&self) -> String {
        format!("{}:{}", self.group, self.artifact)
    }

    /// Returns `groupId:artifactId:type:classifier`, which Maven calls the management key. Two
    /// declarations with one key are about the same dependency.
    pub fn key(&self) -> String {
        let packaging = self.packaging.as_deref().unwrap_or("jar");
        let classifier = self.classifier.as_deref().unwrap_or_default();
        format!("{}:{packaging}:{classifier}", self.name())
    }
}

/// Parses a POM. Without an `artifactId` it has no facts.
pub fn parse(path: &RepoPath, text: &str) -> ParsedManifest<Pom> {
    read_xml(path, text, "project", |project| {
        let Some(artifact) = child_text(project, "artifactId") else {
            return ParsedManifest::from_problem(Problem::new(path, "no artifactId"));
        };
        let mut reader = PomParser { skipped: 0 };
        let mut pom = Pom {
            group: child_text(project, "groupId"),
            artifact,
            version: child_text(project, "version"),
            packaging: child_text(project, "packaging"),
            name: child_text(project, "name"),
            description: child(project, "description").map(self::text),
            parent: child(project, "parent").map(parse_parent),
            properties: BTreeMap::new(),
            dependencies: Vec::new(),
            managed: Vec::new(),
        };
        reader.read_base(project, &mut pom);
        for profile in active_profiles(project) {
            reader.read_base(profile, &mut pom);
        }
        let mut problems = reader.skipped_problems(path);
        if pom.group.is_none() && pom.parent.is_none() {
            problems.push(Problem::new(path, "no groupId, and no parent to have it from"));
        }
        ParsedManifest::with_problems(pom, problems)
    })
}

/// Parses `<parent>`.
fn parse_parent(node: Node) -> Parent {
    Parent {
        group: child_text(node, "groupId"),
        artifact: child_text(node, "artifactId"),
        version: child_text(node, "version"),
        relative_path: child(node, "relativePath").map(text),
    }
}

/// Returns the profiles that are active on any machine: those that only ask for a property to be
/// absent. If there are none, those that are active by default. Conditions on the JDK, the
/// operating system or files count as not met.
fn active_profiles<'a, 'input>(project: Node<'a, 'input>) -> Vec<Node<'a, 'input>> {
    let profiles = || {
        child(project, "profiles")
            .into_iter()
            .flat_map(|profiles| children(profiles, "profile"))
            .filter_map(|profile| Some((profile, child(profile, "activation")?)))
    };
    let triggered: Vec<_> = profiles()
        .filter(|(_, activation)| wants_absent_property(*activation))
        .map(|(profile, _)| profile)
        .collect();
    if !triggered.is_empty() {
        return triggered;
    }
    profiles()
        .filter(|(_, activation)| {
            child_text(*activation, "activeByDefault").as_deref() == Some("true")
        })
        .map(|(profile, _)| profile)
        .collect()
}

/// True if a profile is activated by the absence of a property (`!name`), and by nothing else.
fn wants_absent_property(activation: Node) -> bool {
    let on_machine = ["jdk", "os", "file"].iter().any(|name| child(activation, name).is_some());
    let negated = child(activation, "property").is_some_and(|property| {
        ["name", "value"]
            .iter()
            .any(|part| child_text(property, part).is_some_and(|part| part.starts_with('!')))
    });
    negated && !on_machine
}

/// Counts what is skipped, so that one problem reports all of it.
struct PomParser {
    /// How many dependencies name no group or no artifact.
    skipped: usize,
}

impl PomParser {
    /// Adds the declarations that a project and a profile both may have. The later one wins.
    fn read_base(&mut self, node: Node, pom: &mut Pom) {
        let properties =
            child(node, "properties").into_iter().flat_map(|properties| properties.children());
        for property in properties.filter(Node::is_element) {
            let name = property.tag_name().name().to_string();
            pom.properties.insert(name, text(property));
        }
        self.read_dependencies(node, &mut pom.dependencies);
        if let Some(management) = child(node, "dependencyManagement") {
            self.read_dependencies(management, &mut pom.managed);
        }
    }

    /// Adds dependencies. A repeated key replaces the earlier declaration in its place, as Maven
    /// does.
    fn read_dependencies(&mut self, node: Node, all: &mut Vec<PomDependency>) {
        let Some(dependencies) = child(node, "dependencies") else {
            return;
        };
        let mut places: HashMap<String, usize> =
            all.iter().enumerate().map(|(place, declared)| (declared.key(), place)).collect();
        for dependency in children(dependencies, "dependency") {
            let Some(declared) = parse_dependency(dependency) else {
                self.skipped += 1;
                continue;
            };
            match places.get(&declared.key()) {
                Some(place) => all[*place] = declared,
                None => {
                    places.insert(declared.key(), all.len());
                    all.push(declared);
                }
            }
        }
    }

    /// One problem for all skipped dependencies.
    fn skipped_problems(&self, path: &RepoPath) -> Vec<Problem> {
        let message = match self.skipped {
            0 => return Vec::new(),
            1 => "a dependency without groupId or artifactId".to_string(),
            count => format!("{count} dependencies without groupId or artifactId"),
        };
        vec![Problem::new(path, message)]
    }
}

/// Parses a `<dependency>`; `None` without a group or an artifact.
fn parse_dependency(node: Node) -> Option<PomDependency> {
    Some(PomDependency {
        group: child_text(node, "groupId")?,
        artifact: child_text(node, "artifactId")?,
        version: child_text(node, "version"),
        packaging: child_text(node, "type"),
        classifier: child_text(node, "classifier"),
        scope: child_text(node, "scope"),
        optional: child_text(node, "optional"),
    })
}
