//! Builds the rules of package and code builds from the settings.
//!
//! Settings are checked for their shape when they are loaded. This module checks their meaning,
//! such as the names of manifests, and names the setting in each error.

use toml::{Table, Value};

use crate::config::{Config, ConfigError, Origin};
use crate::indexing;
use kenning_packages::build::{PackageRules, is_manifest_name};
use kenning_packages::custom_packages::CustomRule;
use kenning_packages::manifests::MANIFESTS;
use kenning_secrets::SecretRules;
use kenning_source::{FileSystems, WalkBounds};

/// Returns the rules of a package build. It fails if a table or a manifest name is invalid.
pub fn package_rules(config: &Config) -> Result<PackageRules, ConfigError> {
    Ok(PackageRules {
        exclude: config.list("index.exclude"),
        manifests: manifest_names(config)?,
        custom: custom_rules(config)?,
        descriptions: package_descriptions(config)?.into_iter().collect(),
        max_file_size: max_file_size(config),
        bounds: walk_bounds(config),
    })
}

/// Returns the size of the largest file that is read.
pub fn max_file_size(config: &Config) -> u64 {
    config.number("index.max_file_size").unwrap_or(u64::MAX)
}

/// Returns the file systems below the root that are read.
///
/// Other file systems may be network mounts, which make a walk slow. They are read only on request.
pub fn file_systems(config: &Config) -> FileSystems {
    match config.text("index.other_file_systems") {
        Some("on") => FileSystems::All,
        _ => FileSystems::OfRoot,
    }
}

/// Returns the bounds of a walk. A tree with more files than the limit is refused, not cut.
fn walk_bounds(config: &Config) -> WalkBounds {
    let most = config.number("index.max_files").unwrap_or(u64::MAX);
    WalkBounds {
        max_files: usize::try_from(most).unwrap_or(usize::MAX),
        file_systems: file_systems(config),
    }
}

/// Returns the rules of a code build, without the default exclusions. Those are build outputs and
/// third-party packages. Code has its own list of the latter, and git ignores the former.
pub fn code_rules(config: &Config) -> indexing::CodeRules {
    indexing::CodeRules {
        exclude: config.list_without_default("index.exclude"),
        max_file_size: max_file_size(config),
        bounds: walk_bounds(config),
        secrets: SecretRules::new(&config.list("index.secrets")),
    }
}

/// Checks the configured manifest names. An unknown name would silently disable everything.
fn manifest_names(config: &Config) -> Result<Vec<String>, ConfigError> {
    let names = config.list("packages.manifests");
    let known = || MANIFESTS.iter().flat_map(|manifest| manifest.files()).copied();
    let unknown = names
        .iter()
        .find(|name| !is_manifest_name(name) && !known().any(|pattern| pattern == *name));
    match unknown {
        None => Ok(names),
        Some(name) => Err(ConfigError::Unreadable {
            origin: config.origin("packages.manifests"),
            message: format!(
                "`packages.manifests`: nothing reads {name:?}; there are {}",
                known().collect::<Vec<_>>().join(", ")
            ),
        }),
    }
}

/// Reads `[[packages.custom]]`. Name, kind and the required files must be set.
fn custom_rules(config: &Config) -> Result<Vec<CustomRule>, ConfigError> {
    let fields = TableReader { key: "packages.custom", origin: config.origin("packages.custom") };
    let rule = |table: &Table| {
        Ok(CustomRule {
            name: fields.require(fields.text(table, "name")?, "name")?,
            kind: fields.require(fields.text(table, "kind")?, "kind")?,
            requires: fields.require(fields.list(table, "requires")?, "requires")?,
            paths: fields.list(table, "paths")?.unwrap_or_default(),
            exclude: fields.list(table, "exclude")?.unwrap_or_default(),
            max_depth: fields.number(table, "max_depth")?,
            name_prefix: fields.text(table, "name_prefix")?,
        })
    };
    config.tables("packages.custom").into_iter().map(rule).collect()
}

/// Reads `[[packages.describe]]` as pairs of package and description.
fn package_descriptions(config: &Config) -> Result<Vec<(String, String)>, ConfigError> {
    let fields =
        TableReader { key: "packages.describe", origin: config.origin("packages.describe") };
    let mut descriptions = Vec::new();
    for table in config.tables("packages.describe") {
        let name = fields.require(fields.text(table, "name")?, "name")?;
        // shire's own file may name a package without describing it.
        if let Some(description) = fields.text(table, "description")? {
            descriptions.push((name, description));
        }
    }
    Ok(descriptions)
}

/// A reader for the fields of `[[key]]` tables, with errors that name the field.
struct TableReader {
    key: &'static str,
    origin: Origin,
}

impl TableReader {
    fn text(&self, table: &Table, field: &str) -> Result<Option<String>, ConfigError> {
        self.read_field(table, field, "text", |value| Some(value.as_str()?.to_string()))
    }

    fn list(&self, table: &Table, field: &str) -> Result<Option<Vec<String>>, ConfigError> {
        self.read_field(table, field, "a list of strings", |value| {
            let items = value.as_array()?.iter();
            items.map(|item| Some(item.as_str()?.to_string())).collect()
        })
    }

    fn number(&self, table: &Table, field: &str) -> Result<Option<usize>, ConfigError> {
        self.read_field(table, field, "a whole number that is not negative", |value| {
            usize::try_from(value.as_integer()?).ok()
        })
    }

    /// Fails with the name of the table if a required field is missing.
    fn require<T>(&self, value: Option<T>, field: &str) -> Result<T, ConfigError> {
        value.ok_or_else(|| ConfigError::Unreadable {
            origin: self.origin.clone(),
            message: format!("each `[[{}]]` needs `{field}`", self.key),
        })
    }

    /// A missing field is `None`, and a field of another type is an error.
    fn read_field<T>(
        &self,
        table: &Table,
        field: &str,
        expected: &'static str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(value) = table.get(field) else {
            return Ok(None);
        };
        convert(value).map(Some).ok_or_else(|| ConfigError::WrongType {
            line: None,
            origin: self.origin.clone(),
            key: format!("{}.{field}", self.key),
            expected,
            found: value.to_string(),
        })
    }
}
