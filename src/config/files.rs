//! Configuration files: ours, in which every key must be known, and those of the programs that
//! Kenning replaces, from which only the supported keys are read.
//!
//! Reading a file has no side effects. Which values count is decided later: `repository_policy` judges
//! those of a repository.

use std::path::Path;

use toml::{Table, Value};

use super::env_and_flags;
use super::settings::{self, SettingShape};
use super::{Assignment, ConfigError, Layer, Origin};
use kenning_source::disk;

/// The largest configuration file that is read, in bytes. It is far more than anybody writes by
/// hand.
const MAX_BYTES: u64 = 1 << 20;

/// A configuration file of another program: its path below the root, and its keys with ours.
pub struct ForeignFile {
    path: &'static str,
    keys: &'static [(&'static str, &'static str)],
}

/// The files of other programs, from the weakest to the strongest. Keys that are not listed are
/// ignored.
pub const FOREIGN_FILES: &[ForeignFile] = &[
    ForeignFile {
        path: ".swiftindex.toml",
        keys: &[
            ("indexing.exclude", "index.exclude"),
            ("indexing.max_file_size", "index.max_file_size"),
            ("logging.level", "log"),
            ("embedding.provider", "embedding.provider"),
            ("embedding.model", "embedding.model"),
            ("embedding.dimension", "embedding.dimension"),
            ("embedding.batch_size", "embedding.batch_size"),
        ],
    },
    ForeignFile {
        path: ".spox/config.toml",
        keys: &[("paths.spec_folder", "specs.folder"), ("paths.changes_folder", "specs.changes")],
    },
    ForeignFile {
        path: "shire.toml",
        keys: &[
            ("db_path", "packages.db"),
            ("discovery.manifests", "packages.manifests"),
            ("discovery.exclude", "index.exclude"),
            ("discovery.custom", "packages.custom"),
            ("packages", "packages.describe"),
        ],
    },
];

/// Reads a file in our own format; empty if there is no such file. Every key in it must be known.
///
/// An error carries the line of the key, so that the user finds it.
pub fn read_own_file(path: &Path) -> Result<Layer, ConfigError> {
    let origin = Origin::File(path.to_path_buf());
    let Some((table, text)) = read_table(path, &origin)? else {
        return Ok(Layer::new());
    };
    let mut layer = Layer::new();
    flatten_table("", table, &origin, &mut layer)
        .map_err(|error| error.at_line(|key| line_of(&text, key)))?;
    for assignment in &mut layer {
        assignment.line = line_of(&text, assignment.setting.key);
    }
    Ok(layer)
}

/// Reads the repository's `kenning.toml`.
pub fn read_repository_file(root: &Path) -> Result<Layer, ConfigError> {
    read_own_file(&root.join("kenning.toml"))
}

/// Finds the line in which a dotted key is set.
///
/// Lines count from 1. The value parser keeps no positions, so the text is parsed a second time.
fn line_of(text: &str, dotted: &str) -> Option<usize> {
    let document: toml_edit::Document<&str> = toml_edit::Document::parse(text).ok()?;
    let mut item: &toml_edit::Item = document.as_item();
    let mut at = None;
    for segment in dotted.split('.') {
        // In an array of tables, takes the first table that has the key.
        let table = match item {
            toml_edit::Item::ArrayOfTables(tables) => tables
                .iter()
                .find(|table| table.contains_key(segment))
                .map(|table| table as &dyn toml_edit::TableLike)?,
            item => item.as_table_like()?,
        };
        let (key, below) = table.get_key_value(segment)?;
        at = key.span().or(below.span()).or(at);
        item = below;
    }
    let before = text.get(..at?.start)?;
    Some(before.matches('\n').count() + 1)
}

/// Reads the supported keys of another program's file. Unknown keys are none of our business.
pub fn read_foreign_file(foreign: &ForeignFile, root: &Path) -> Result<Layer, ConfigError> {
    let path = root.join(foreign.path);
    let origin = Origin::File(path.clone());
    let Some((table, text)) = read_table(&path, &origin)? else {
        return Ok(Layer::new());
    };
    let mut layer = Layer::new();
    for (theirs, ours) in foreign.keys {
        if let Some(value) = get_dotted(&table, theirs) {
            let setting = env_and_flags::find_setting(ours, &origin)?;
            let value = env_and_flags::check_shape(setting, value.clone(), &origin)?;
            let line = line_of(&text, theirs);
            layer.push(Assignment { setting, value, origin: origin.clone(), line });
        }
    }
    Ok(layer)
}

/// Reads and parses a file; returns its text too, for line numbers. `None` if it does not exist.
fn read_table(path: &Path, origin: &Origin) -> Result<Option<(Table, String)>, ConfigError> {
    let unreadable = |message: String| ConfigError::Unreadable { origin: origin.clone(), message };
    // `NotADirectory` counts as absent: a file has the name of a foreign configuration's folder.
    match disk::read_text(path, MAX_BYTES) {
        Ok(Some(text)) => match toml::from_str(&text) {
            Ok(table) => Ok(Some((table, text))),
            Err(error) => Err(unreadable(redact_parse_error(&error, &text))),
        },
        Ok(None) => Ok(None),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

/// Returns the error's message with its line, but without the text of the line, which may hold a
/// secret.
fn redact_parse_error(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            format!("line {line}: {}", error.message())
        }
        None => error.message().to_string(),
    }
}

/// Flattens tables into dotted keys, down to the keys that are settings.
///
/// A table that is itself a setting, such as a list of tables, is not flattened.
fn flatten_table(
    prefix: &str,
    table: Table,
    origin: &Origin,
    layer: &mut Layer,
) -> Result<(), ConfigError> {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        let inner = format!("{key}.");
        let is_group = settings::SETTINGS.iter().any(|setting| setting.key.starts_with(&inner));
        match value {
            Value::Table(table) if is_group => flatten_table(&inner, table, origin, layer)?,
            value => {
                let setting = env_and_flags::find_setting(&key, origin)?;
                let value = env_and_flags::check_shape(setting, value, origin)?;
                check_fields(setting, &value, origin)?;
                layer.push(Assignment { setting, value, origin: origin.clone(), line: None });
            }
        }
    }
    Ok(())
}

/// Fails if a table of a `[[key]]` setting has an unknown field.
fn check_fields(
    setting: &settings::Setting,
    value: &Value,
    origin: &Origin,
) -> Result<(), ConfigError> {
    let SettingShape::Tables(fields) = setting.shape else {
        return Ok(());
    };
    let tables = value.as_array().into_iter().flatten().filter_map(Value::as_table);
    for field in tables.flat_map(Table::keys) {
        if !fields.contains(&field.as_str()) {
            return Err(ConfigError::UnknownKey {
                origin: origin.clone(),
                line: None,
                key: format!("{}.{field}", setting.key),
                nearest: env_and_flags::nearest_name(field, fields.iter().copied()),
            });
        }
    }
    Ok(())
}

/// Returns the value at a dotted key; `None` if a segment is missing.
fn get_dotted<'a>(table: &'a Table, dotted: &str) -> Option<&'a Value> {
    let mut segments = dotted.split('.');
    let first = table.get(segments.next()?)?;
    segments.try_fold(first, |value, segment| value.get(segment))
}
