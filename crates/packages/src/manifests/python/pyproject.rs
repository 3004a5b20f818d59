//! Parses `pyproject.toml` as PEP 621, PEP 735, Poetry, PDM and uv understand it. The tables of
//! several tools may occur in one file; their requirements add up.

use super::requirement::{PythonRequirement, RequirementSource};
use super::{PythonDeclaration, Workspace, normalize_name};
use crate::manifests::ParsedManifest;
use crate::manifests::toml_reader::{self, TomlFields, TomlTable, TomlValue};
use kenning_model::RepoPath;

/// Parses a `pyproject.toml`.
pub fn parse(path: &RepoPath, text: &str) -> ParsedManifest<PythonDeclaration> {
    toml_reader::read_toml(path, text, read_manifest)
}

/// Reads all tables that declare requirements, and decides if the file declares a package.
fn read_manifest<'t>(reader: &mut TomlFields<'t>, root: &TomlTable<'t>) -> PythonDeclaration {
    let mut declaration = PythonDeclaration::default();
    let project = reader.table(root, "project");
    if let Some(project) = project {
        read_project(reader, project, &mut declaration);
    }
    if let Some(groups) = reader.table(root, "dependency-groups") {
        read_groups(reader, groups, &mut declaration);
    }
    let build_system = reader.table(root, "build-system");
    if let Some(build_system) = build_system {
        declaration.build = read_list(reader, build_system, "requires");
    }
    let tools = reader.table(root, "tool");
    // A tool's table may be absent, and so may `[tool]` as a whole.
    let mut tool = |name| reader.table(tools?, name);
    let (poetry, pdm, uv) = (tool("poetry"), tool("pdm"), tool("uv"));
    if let Some(poetry) = poetry {
        read_poetry(reader, poetry, project, &mut declaration);
    }
    if let Some(pdm) = pdm {
        let dev = read_lists(reader, pdm, "dev-dependencies");
        declaration.dev.extend(dev);
    }
    if let Some(uv) = uv {
        read_uv(reader, uv, &mut declaration);
    }
    // A table of a tool alone configures that tool, and a bare workspace is only a root.
    declaration.is_package = project.is_some()
        || poetry.is_some()
        || build_system.is_some()
        || !declaration.runtime.is_empty()
        || !declaration.dev.is_empty();
    declaration
}

/// Reads `[project]` (PEP 621).
fn read_project<'t>(
    reader: &mut TomlFields<'t>,
    project: &TomlTable<'t>,
    declaration: &mut PythonDeclaration,
) {
    declaration.name = reader.text(project, "name");
    declaration.version = reader.text(project, "version");
    declaration.description = reader.text(project, "description");
    declaration.runtime = read_list(reader, project, "dependencies");
    declaration.optional = read_lists(reader, project, "optional-dependencies");
}

/// Reads `[dependency-groups]` (PEP 735). Every group is for development, so an `include-group`
/// adds nothing to their union.
fn read_groups<'t>(
    reader: &mut TomlFields<'t>,
    groups: &TomlTable<'t>,
    declaration: &mut PythonDeclaration,
) {
    for key in groups.keys() {
        let key = key.get_ref().as_ref();
        for item in reader.items(groups, key) {
            match item.get_ref().as_table() {
                Some(table) if table.contains_key("include-group") => {}
                _ => declaration.dev.extend(read_requirement(reader, key, item)),
            }
        }
    }
}

/// Reads the requirements in all lists of a table, such as `[project.optional-dependencies]`.
fn read_lists<'t>(
    reader: &mut TomlFields<'t>,
    parent: &TomlTable<'t>,
    key: &str,
) -> Vec<PythonRequirement> {
    let Some(table) = reader.table(parent, key) else {
        return Vec::new();
    };
    let keys = table.keys().map(|key| key.get_ref().as_ref());
    keys.flat_map(|key| read_list(reader, table, key)).collect()
}

/// Reads the requirements in one list.
fn read_list<'t>(
    reader: &mut TomlFields<'t>,
    table: &TomlTable<'t>,
    key: &str,
) -> Vec<PythonRequirement> {
    let items = reader.items(table, key).iter();
    items.filter_map(|item| read_requirement(reader, key, item)).collect()
}

/// Reads one requirement of PEP 508. Anything else is reported.
fn read_requirement<'t>(
    reader: &mut TomlFields<'t>,
    key: &str,
    item: &TomlValue<'t>,
) -> Option<PythonRequirement> {
    let Some(text) = item.get_ref().as_str() else {
        reader.report_mistyped(key, item, "a list of requirements");
        return None;
    };
    // PDM lets a requirement be editable, as pip does.
    let requirement = match text.strip_prefix("-e ") {
        Some(editable) => PythonRequirement::parse_line(editable),
        None => PythonRequirement::parse_named(text),
    };
    if requirement.is_none() {
        reader.report_problem(item, format!("`{text}` is not a requirement"));
    }
    requirement
}

/// Reads `[tool.poetry]`. Since Poetry 2 its tables only add to `[project]`: if that lists
/// dependencies, Poetry's state their sources.
fn read_poetry<'t>(
    reader: &mut TomlFields<'t>,
    poetry: &TomlTable<'t>,
    project: Option<&TomlTable<'t>>,
    declaration: &mut PythonDeclaration,
) {
    // `[project]` wins over Poetry's own fields.
    let mut text = |own: &mut Option<String>, key| {
        let text = reader.text(poetry, key);
        *own = own.take().or(text);
    };
    text(&mut declaration.name, "name");
    text(&mut declaration.version, "version");
    text(&mut declaration.description, "description");
    let main = read_poetry_table(reader, poetry, "dependencies");
    if project.is_some_and(|project| project.contains_key("dependencies")) {
        // The requirements themselves are in `[project]`, so only sources are taken from here.
        let named = main.into_iter().filter_map(|(requirement, _)| {
            let name = normalize_name(requirement.name.as_ref()?);
            Some((name, requirement.source))
        });
        let sources = named.filter(|(_, source)| *source != RequirementSource::Unsaid);
        declaration.sources.extend(sources);
    } else {
        for (requirement, necessity) in main {
            match necessity {
                Necessity::Required => declaration.runtime.push(requirement),
                Necessity::Optional => declaration.optional.push(requirement),
            }
        }
    }
    // `dev-dependencies` is the older form of the group `dev`. All groups count as development.
    let mut dev = read_poetry_table(reader, poetry, "dev-dependencies");
    for (_, group) in reader.tables(poetry, "group") {
        dev.extend(read_poetry_table(reader, group, "dependencies"));
    }
    declaration.dev.extend(dev.into_iter().map(|(requirement, _)| requirement));
}

/// The meaning of Poetry's flag `optional`.
enum Necessity {
    Required,
    Optional,
}

/// Reads Poetry's dependencies: `name = "^1"`, `name = {…}`, or `name = [{…}, {…}]`.
fn read_poetry_table<'t>(
    reader: &mut TomlFields<'t>,
    parent: &TomlTable<'t>,
    key: &str,
) -> Vec<(PythonRequirement, Necessity)> {
    let Some(table) = reader.table(parent, key) else {
        return Vec::new();
    };
    let mut requirements = Vec::new();
    for (name, value) in table {
        let name = name.get_ref().as_ref();
        // The interpreter is required as well, but it is no package.
        if normalize_name(name) == "python" {
            continue;
        }
        match value.get_ref().as_array() {
            Some(alternatives) => {
                for alternative in alternatives {
                    requirements.push(read_poetry_requirement(reader, name, alternative));
                }
            }
            None => requirements.push(read_poetry_requirement(reader, name, value)),
        }
    }
    requirements
}

/// Reads one value of Poetry's dependencies. Its version syntax is kept as written.
fn read_poetry_requirement<'t>(
    reader: &mut TomlFields<'t>,
    name: &str,
    value: &TomlValue<'t>,
) -> (PythonRequirement, Necessity) {
    let mut requirement = PythonRequirement {
        name: Some(name.to_string()),
        version_req: None,
        source: RequirementSource::Unsaid,
    };
    let Some(table) = value.get_ref().as_table() else {
        requirement.version_req = reader.value_text(name, value);
        return (requirement, Necessity::Required);
    };
    requirement.version_req = reader.text(table, "version");
    requirement.source = read_source(reader, table);
    let necessity =
        if reader.flag(table, "optional") { Necessity::Optional } else { Necessity::Required };
    (requirement, necessity)
}

/// Reads the source that Poetry or uv gets a package from.
fn read_source<'t>(reader: &mut TomlFields<'t>, table: &TomlTable<'t>) -> RequirementSource {
    // Keys of Poetry and uv that lead out of the repository.
    const ELSEWHERE: [&str; 6] = ["git", "url", "file", "index", "source", "registry"];
    if reader.flag(table, "workspace") {
        RequirementSource::Workspace
    } else if let Some(path) = reader.text(table, "path") {
        RequirementSource::from_path(&path)
    } else if ELSEWHERE.iter().any(|key| table.contains_key(*key)) {
        RequirementSource::Elsewhere
    } else {
        RequirementSource::Unsaid
    }
}

/// Reads `[tool.uv]`: development requirements, the workspace, and the sources of requirements.
fn read_uv<'t>(
    reader: &mut TomlFields<'t>,
    uv: &TomlTable<'t>,
    declaration: &mut PythonDeclaration,
) {
    let dev = read_list(reader, uv, "dev-dependencies");
    declaration.dev.extend(dev);
    if let Some(workspace) = reader.table(uv, "workspace") {
        declaration.workspace = Some(Workspace {
            members: reader.texts(workspace, "members"),
            exclude: reader.texts(workspace, "exclude"),
        });
    }
    let Some(sources) = reader.table(uv, "sources") else {
        return;
    };
    for (name, value) in sources {
        let name = name.get_ref().as_ref();
        // Several sources may be given, each for a platform. One inside of the repository wins.
        let alternatives = match value.get_ref().as_array() {
            Some(alternatives) => alternatives.iter().collect(),
            None => vec![value],
        };
        // `prefer_local` keeps the first source inside of the repository.
        let mut found = RequirementSource::Unsaid;
        for alternative in alternatives {
            match alternative.get_ref().as_table() {
                Some(table) => found = found.prefer_local(read_source(reader, table)),
                None => reader.report_mistyped(name, alternative, "a table"),
            }
        }
        declaration.sources.insert(normalize_name(name), found);
    }
}
