//! The facts of `pubspec.yaml`, `pubspec_overrides.yaml` and `melos.yaml`, each file by itself.
//! `workspaces.rs` combines the files of one directory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::lenient_json::{JsonFields, JsonTable};

/// One of the files that this ecosystem reads.
#[derive(Serialize, Deserialize)]
pub enum DartFile {
    Pubspec(Pubspec),
    Overrides(PubspecSettings),
    Melos(Melos),
}

/// The part of `pubspec.yaml` that declares a package.
#[derive(Serialize, Deserialize)]
pub struct Pubspec {
    pub name: Option<String>,
    pub version: Option<String>,
    pub description: Option<String>,
    pub dependencies: BTreeMap<String, DartRequirement>,
    pub dev_dependencies: BTreeMap<String, DartRequirement>,
    /// The fields that `pubspec_overrides.yaml` can replace.
    pub settings: PubspecSettings,
}

/// The fields that `pubspec_overrides.yaml` may state in place of `pubspec.yaml`. `None` means that
/// the file does not state the field.
#[derive(Serialize, Deserialize)]
pub struct PubspecSettings {
    /// `dependency_overrides`: sources that replace those that dependencies ask for.
    pub overrides: Option<BTreeMap<String, DartRequirement>>,
    /// Globs over the directories of workspace members.
    pub members: Option<Vec<String>>,
    /// `workspace` makes the package a member of the workspace that lists it.
    pub resolution: Option<String>,
}

/// The packages that melos links with each other, as globs with `!` for exceptions.
#[derive(Serialize, Deserialize)]
pub struct Melos {
    pub members: Vec<String>,
}

/// The requirement that a dependency states.
#[derive(Default, Serialize, Deserialize)]
pub struct DartRequirement {
    /// The name that a hosted package has on its server, if that is stated.
    pub name: Option<String>,
    pub version: Option<String>,
    /// A directory, relative to that of the file.
    pub path: Option<String>,
}

impl Pubspec {
    /// Reads the facts of a `pubspec.yaml`.
    pub fn read(reader: &mut JsonFields, table: &JsonTable) -> Pubspec {
        Pubspec {
            name: reader.text(table, "name"),
            version: reader.text(table, "version"),
            description: reader.text(table, "description"),
            dependencies: read_requirements(reader, table, "dependencies"),
            dev_dependencies: read_requirements(reader, table, "dev_dependencies"),
            settings: PubspecSettings::read(reader, table),
        }
    }
}

impl PubspecSettings {
    /// Reads the settings of either file.
    pub fn read(reader: &mut JsonFields, table: &JsonTable) -> PubspecSettings {
        let states = |key: &str| table.get(key).is_some_and(|value| !value.is_null());
        PubspecSettings {
            // An empty `dependency_overrides` still replaces that of `pubspec.yaml`.
            overrides: (table.contains_key("dependency_overrides"))
                .then(|| read_requirements(reader, table, "dependency_overrides")),
            members: states("workspace").then(|| reader.list(table, "workspace")),
            resolution: reader.text(table, "resolution"),
        }
    }
}

impl Melos {
    /// Reads a `melos.yaml`. `ignore` becomes exclusions, which win over `packages`.
    pub fn read(reader: &mut JsonFields, table: &JsonTable) -> Melos {
        let mut members = reader.list(table, "packages");
        let ignored = reader.list(table, "ignore");
        members.extend(ignored.iter().map(|pattern| format!("!{pattern}")));
        Melos { members }
    }
}

/// Reads a table of dependencies. A value is a version, a source, or nothing, which means any
/// version.
fn read_requirements(
    reader: &mut JsonFields,
    table: &JsonTable,
    key: &str,
) -> BTreeMap<String, DartRequirement> {
    let mut requirements = BTreeMap::new();
    for (name, value) in reader.table(table, key).into_iter().flatten() {
        let requirement = match value {
            Value::Null => DartRequirement::default(),
            Value::String(version) => DartRequirement {
                version: Some(version.clone()).filter(|version| !version.is_empty()),
                ..DartRequirement::default()
            },
            Value::Object(source) => DartRequirement::read(reader, source),
            _ => {
                reader
                    .add_problem(format!("`{name}` in `{key}` is neither a version nor a source"));
                DartRequirement::default()
            }
        };
        requirements.insert(name.clone(), requirement);
    }
    requirements
}

impl DartRequirement {
    /// Reads a source. `hosted` is the server's URL, or an object with the URL and the name there.
    /// `git` and `sdk` sources have no fields that matter here.
    fn read(reader: &mut JsonFields, source: &JsonTable) -> DartRequirement {
        let name = match source.get("hosted") {
            Some(Value::Object(hosted)) => reader.text(hosted, "name"),
            _ => None,
        };
        DartRequirement {
            name,
            version: reader.text(source, "version"),
            path: reader.text(source, "path"),
        }
    }
}
