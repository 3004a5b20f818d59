//! Parses one MSBuild file or `packages.config`: properties, imports and references, in the order
//! of the file.
//!
//! Expressions and paths stay as written, because other files decide their values. Targets are not
//! read, because they run in a build.

use roxmltree::Node;
use serde::{Deserialize, Serialize};

use super::super::ParsedManifest;
use super::super::xml::{children, read_xml, text};
use kenning_model::RepoPath;

/// A file as the sequence of its declarations. Later entries see what earlier ones set.
#[derive(Default, Serialize, Deserialize)]
pub struct MsbuildDocument {
    pub entries: Vec<MsbuildElement>,
}

/// One declaration.
#[derive(Serialize, Deserialize)]
pub enum MsbuildElement {
    Property(Property),
    Import(Import),
    Item(MsbuildItem),
}

/// One setting of a property.
#[derive(Serialize, Deserialize)]
pub struct Property {
    /// In lower case, since MSBuild does not tell the cases apart.
    pub name: String,
    pub value: String,
    pub set: SetWhen,
}

/// The condition under which a setting applies.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SetWhen {
    Always,
    /// Its condition is that it has no value yet.
    Default,
    /// Some other condition, which is not evaluated.
    Sometimes,
}

/// An `<Import>`.
#[derive(Serialize, Deserialize)]
pub struct Import {
    /// The path of the imported file, as written.
    pub project: String,
    /// Empty if it always holds.
    pub condition: String,
}

/// One reference to packages or projects, or a change of such references.
#[derive(Serialize, Deserialize)]
pub struct MsbuildItem {
    pub kind: ItemKind,
    pub action: Action,
    /// Names or paths, separated by `;`.
    pub spec: String,
    pub version: Option<String>,
    /// `VersionOverride`, which wins over a central version.
    pub version_override: Option<String>,
    /// `PrivateAssets`. `all` keeps the reference from reaching the users of the project.
    pub private_assets: Option<String>,
    /// A project that is built first, but whose output is not referenced as a library.
    pub is_tool: bool,
    /// Empty if it always holds.
    pub condition: String,
}

/// The item types that declare dependencies.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ItemKind {
    PackageReference,
    /// The version of a package wherever it is referenced.
    PackageVersion,
    /// A package that every project references.
    GlobalPackageReference,
    ProjectReference,
}

/// The attribute that states what an item does.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    Include,
    Update,
    Remove,
}

/// The deepest nesting of `Choose` and `ImportGroup`; the parser recurses.
const MAX_GROUP_DEPTH: usize = 8;

/// The longest condition, in bytes, with those of the enclosing groups.
const MAX_CONDITION_LENGTH: usize = 256;

/// A condition that always evaluates to unknown.
const UNDECIDED: &str = "undecided";

/// Parses a file by its name. A `.props` or `.targets` file without `<Project` belongs to another
/// program and has no facts.
pub fn parse(path: &RepoPath, text: &str) -> ParsedManifest<MsbuildDocument> {
    let file = path.file_name();
    if file == "packages.config" {
        return read_xml(path, text, "packages", |packages| {
            let entries = children(packages, "package").filter_map(parse_config_package);
            ParsedManifest::from_facts(MsbuildDocument {
                entries: entries.map(MsbuildElement::Item).collect(),
            })
        });
    }
    let is_shared = file.ends_with(".props") || file.ends_with(".targets");
    if is_shared && !text.contains("<Project") {
        // Other programs name their files so, too.
        return ParsedManifest::from_facts(MsbuildDocument::default());
    }
    read_xml(path, text, "Project", |project| {
        let mut document = MsbuildDocument::default();
        document.read_group(project, "", 0);
        ParsedManifest::from_facts(document)
    })
}

/// Joins the condition of an element to those of the enclosing elements.
fn join_conditions(outer: &str, node: Node) -> String {
    let own = node.attribute("Condition").unwrap_or_default().trim();
    // Every item repeats the condition of its group, so a long one would multiply.
    if outer.len() + own.len() > MAX_CONDITION_LENGTH {
        return UNDECIDED.to_string();
    }
    match (outer, own) {
        (outer, "") => outer.to_string(),
        ("", own) => own.to_string(),
        (outer, own) => format!("({outer}) and ({own})"),
    }
}

impl MsbuildDocument {
    /// Reads the children of a project, of an `ImportGroup`, or of a branch of a `Choose`.
    fn read_group(&mut self, group: Node, outer: &str, depth: usize) {
        for node in group.children().filter(Node::is_element) {
            let condition = join_conditions(outer, node);
            match node.tag_name().name() {
                "PropertyGroup" => self.read_properties(node, &condition),
                "ItemGroup" => {
                    let items = node
                        .children()
                        .filter(Node::is_element)
                        .filter_map(|node| parse_item(node, join_conditions(&condition, node)));
                    self.entries.extend(items.map(MsbuildElement::Item));
                }
                "Import" => {
                    let project = node.attribute("Project").unwrap_or_default().trim().to_string();
                    self.entries.push(MsbuildElement::Import(Import { project, condition }));
                }
                "ImportGroup" if depth < MAX_GROUP_DEPTH => {
                    self.read_group(node, &condition, depth + 1);
                }
                "Choose" if depth < MAX_GROUP_DEPTH => self.read_choice(node, outer, depth),
                _ => {}
            }
        }
    }

    /// Reads the branches of a `Choose`. `Otherwise` depends on all other branches, so its
    /// condition is undecided.
    fn read_choice(&mut self, choice: Node, outer: &str, depth: usize) {
        for branch in choice.children().filter(Node::is_element) {
            let condition = match branch.tag_name().name() {
                "When" => join_conditions(outer, branch),
                // It holds if no other branch does.
                _ => UNDECIDED.to_string(),
            };
            self.read_group(branch, &condition, depth + 1);
        }
    }

    /// Reads a `PropertyGroup`.
    fn read_properties(&mut self, group: Node, outer: &str) {
        for node in group.children().filter(Node::is_element) {
            let name = node.tag_name().name().to_lowercase();
            let set = match join_conditions(outer, node).as_str() {
                "" => SetWhen::Always,
                condition if is_unset_check(condition, &name) => SetWhen::Default,
                _ => SetWhen::Sometimes,
            };
            let value = text(node);
            self.entries.push(MsbuildElement::Property(Property { name, value, set }));
        }
    }
}

/// True if a condition is `'$(Name)' == ''`, the idiom for a default value. `name` is in lower
/// case.
fn is_unset_check(condition: &str, name: &str) -> bool {
    let without_spaces: String = condition.split_whitespace().collect();
    without_spaces.replace('\'', "").to_lowercase() == format!("$({name})==")
}

/// Parses an item; `None` if it declares no dependency. Of several actions, `Include` counts.
fn parse_item(node: Node, condition: String) -> Option<MsbuildItem> {
    let kind = match node.tag_name().name().to_lowercase().as_str() {
        "packagereference" => ItemKind::PackageReference,
        "packageversion" => ItemKind::PackageVersion,
        "globalpackagereference" => ItemKind::GlobalPackageReference,
        "projectreference" => ItemKind::ProjectReference,
        _ => return None,
    };
    let mut actions =
        [("Include", Action::Include), ("Update", Action::Update), ("Remove", Action::Remove)]
            .into_iter();
    let (spec, action) =
        actions.find_map(|(name, action)| Some((node.attribute(name)?, action)))?;
    let is = |name: &str, value: &str| {
        read_metadata(node, name).is_some_and(|found| found.eq_ignore_ascii_case(value))
    };
    Some(MsbuildItem {
        kind,
        action,
        spec: spec.to_string(),
        version: read_metadata(node, "Version"),
        version_override: read_metadata(node, "VersionOverride"),
        private_assets: read_metadata(node, "PrivateAssets"),
        is_tool: is("ReferenceOutputAssembly", "false") || is("OutputItemType", "Analyzer"),
        condition,
    })
}

/// The metadata of an item, which MSBuild accepts as an attribute or as a child element.
fn read_metadata(node: Node, name: &str) -> Option<String> {
    let attribute = node.attributes().find(|attribute| attribute.name().eq_ignore_ascii_case(name));
    let value = match attribute {
        Some(attribute) => attribute.value().trim().to_string(),
        None => {
            let mut elements = node.children().filter(Node::is_element);
            text(elements.find(|child| child.tag_name().name().eq_ignore_ascii_case(name))?)
        }
    };
    Some(value).filter(|value| !value.is_empty())
}

/// Parses a `<package>` of `packages.config` as the equivalent reference.
fn parse_config_package(node: Node) -> Option<MsbuildItem> {
    let development = node.attribute("developmentDependency");
    Some(MsbuildItem {
        kind: ItemKind::PackageReference,
        action: Action::Include,
        spec: node.attribute("id")?.to_string(),
        version: node.attribute("version").map(str::to_string),
        version_override: None,
        private_assets: (development == Some("true")).then(|| "all".to_string()),
        is_tool: false,
        condition: String::new(),
    })
}
