//! The facts of `package.json` and `pnpm-workspace.yaml`, each file by itself.
//! [`super::workspaces`] combines them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::lenient_json::{JsonFields, JsonTable};
use super::module_names;

/// One of the files that this ecosystem reads.
#[derive(Serialize, Deserialize)]
pub enum NpmFile {
    Package(PackageJson),
    Pnpm(WorkspaceSettings),
    /// The path mappings of `tsconfig.json` and similar files.
    Paths(Vec<ExportEntry>),
}

/// A name that code imports, and the files that it may mean, as written and relative to the file's
/// directory.
pub type ExportEntry = (String, Vec<String>);

/// The part of a `package.json` that declares a package.
#[derive(Serialize, Deserialize)]
pub struct PackageJson {
    pub name: Option<String>,
    pub version: Option<String>,
    pub description: Option<String>,
    pub dependencies: BTreeMap<String, String>,
    pub dev_dependencies: BTreeMap<String, String>,
    pub peer_dependencies: BTreeMap<String, String>,
    pub optional_dependencies: BTreeMap<String, String>,
    pub settings: WorkspaceSettings,
    /// The names that other code imports: `.` for the package itself, `./sub` for parts of it.
    pub entries: Vec<ExportEntry>,
}

/// The settings of a file for the packages below it, if it is at the root of a workspace.
#[derive(Default, Serialize, Deserialize)]
pub struct WorkspaceSettings {
    /// Globs over the directories of its members, with `!` for exclusions. `None` if the file
    /// declares no workspace.
    pub members: Option<Vec<String>>,
    /// Version catalogs: catalog name, package name, specifier. The unnamed catalog is `default`.
    pub catalogs: BTreeMap<String, BTreeMap<String, String>>,
    /// Specifiers that replace those of dependencies, by package name.
    pub overrides: BTreeMap<String, String>,
    /// True if pnpm's setting `linkWorkspacePackages` is false: then only `workspace:` dependencies
    /// resolve to members.
    pub protocol_only: bool,
}

impl PackageJson {
    /// Reads a `package.json`.
    pub fn read(reader: &mut JsonFields, table: &JsonTable) -> PackageJson {
        let optional_dependencies = reader.texts(table, "optionalDependencies");
        let mut dependencies = reader.texts(table, "dependencies");
        // npm adds every optional dependency to the others when it publishes, and lets it win.
        dependencies.retain(|name, _| !optional_dependencies.contains_key(name));
        let mut package = PackageJson {
            name: reader.text(table, "name"),
            version: reader.text(table, "version"),
            description: reader.text(table, "description"),
            dependencies,
            dev_dependencies: reader.texts(table, "devDependencies"),
            peer_dependencies: reader.texts(table, "peerDependencies"),
            optional_dependencies,
            settings: read_package_settings(reader, table),
            entries: module_names::read_exports(table),
        };
        package.resolve_override_references();
        package
    }

    /// Resolves overrides of the form `$name`, which mean the specifier that the root itself states
    /// for `name`. npm and pnpm have this form.
    fn resolve_override_references(&mut self) {
        let own = [&self.dependencies, &self.dev_dependencies, &self.optional_dependencies];
        let overrides = std::mem::take(&mut self.settings.overrides).into_iter();
        self.settings.overrides = overrides
            .filter_map(|(name, written)| match written.strip_prefix('$') {
                Some(other) => Some((name, own.iter().find_map(|table| table.get(other))?.clone())),
                None => Some((name, written)),
            })
            .collect();
    }
}

/// Reads the workspace settings of a `package.json`. `workspaces` is a list for npm, and may be an
/// object for yarn and bun, with catalogs in it.
fn read_package_settings(reader: &mut JsonFields, table: &JsonTable) -> WorkspaceSettings {
    let mut settings = WorkspaceSettings::default();
    let mut catalogs = Catalogs::default();
    catalogs.read(reader, table);
    match table.get("workspaces") {
        None | Some(Value::Null) => {}
        Some(Value::Object(workspaces)) => {
            let names_members = workspaces.contains_key("packages");
            settings.members = names_members.then(|| reader.list(workspaces, "packages"));
            catalogs.read(reader, workspaces);
        }
        Some(_) => settings.members = Some(reader.list(table, "workspaces")),
    }
    settings.catalogs = catalogs.0;
    for key in ["overrides", "resolutions"] {
        settings.overrides.extend(read_overrides(reader, table, key));
    }
    if let Some(pnpm) = reader.table(table, "pnpm") {
        settings.overrides.extend(read_overrides(reader, pnpm, "overrides"));
    }
    settings
}

impl WorkspaceSettings {
    /// Reads a `pnpm-workspace.yaml`. Without `packages` the file only holds settings, and declares
    /// no workspace.
    pub fn read_pnpm(reader: &mut JsonFields, table: &JsonTable) -> WorkspaceSettings {
        let mut catalogs = Catalogs::default();
        catalogs.read(reader, table);
        let names_members = table.contains_key("packages");
        let mut overrides = read_overrides(reader, table, "overrides");
        overrides.retain(|_, written| !written.starts_with('$'));
        WorkspaceSettings {
            members: names_members.then(|| reader.list(table, "packages")),
            catalogs: catalogs.0,
            overrides,
            protocol_only: table.get("linkWorkspacePackages") == Some(&Value::Bool(false)),
        }
    }
}

/// Collects the catalogs of a file.
#[derive(Default)]
struct Catalogs(BTreeMap<String, BTreeMap<String, String>>);

impl Catalogs {
    fn read(&mut self, reader: &mut JsonFields, table: &JsonTable) {
        self.add("default", reader.texts(table, "catalog"));
        let Some(named) = reader.table(table, "catalogs") else {
            return;
        };
        for name in named.keys() {
            self.add(name, reader.texts(named, name));
        }
    }

    fn add(&mut self, name: &str, versions: BTreeMap<String, String>) {
        if !versions.is_empty() {
            let catalog = self.0.entry(name.to_string()).or_default();
            catalog.extend(versions);
        }
    }
}

/// Reads the overrides that hold for a package wherever it is required. Overrides for one version,
/// or below one dependent, do not affect what manifests declare.
fn read_overrides(
    reader: &mut JsonFields,
    table: &JsonTable,
    key: &str,
) -> BTreeMap<String, String> {
    let entries = reader.table(table, key).into_iter().flatten();
    entries
        .filter_map(|(selector, value)| {
            let name = selector.strip_prefix("**/").unwrap_or(selector);
            let written = value.as_str()?.trim();
            is_plain_name(name).then(|| (name.to_string(), written.to_string()))
        })
        .collect()
}

/// True for a package name without a version or a path of dependents.
fn is_plain_name(selector: &str) -> bool {
    let unscoped = match selector.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').map(|(_, name)| name),
        None => Some(selector),
    };
    unscoped.is_some_and(|name| !name.is_empty() && !name.contains(['/', '@', '>', ' ']))
}
