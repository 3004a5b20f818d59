//! Values of settings from environment variables and flags, checked against the setting's shape.
//!
//! It takes the variables as an argument and does not read the environment itself.

use std::collections::BTreeMap;

use toml::Value;

use super::foreign_env::FOREIGN_VARIABLES;
use super::settings::{SETTINGS, Setting, SettingShape};
use super::{Assignment, ConfigError, Layer, Origin};

/// Returns the variable of a setting: `KEN_` and the key in capitals, with `_` for `.`.
///
/// ```text
/// index.max_files  ->  KEN_INDEX_MAX_FILES
/// ```
pub fn variable_name(setting: &Setting) -> String {
    format!("KEN_{}", setting.key.replace('.', "_").to_uppercase())
}

/// Reads the variables that are set, from the weakest to the strongest. Each is a layer of its own,
/// so that an invalid one does not discard the others.
pub fn read_environment(variables: &BTreeMap<String, String>) -> Vec<Result<Layer, ConfigError>> {
    let mut layers = Vec::new();
    let own = SETTINGS.iter().map(|setting| (variable_name(setting), setting));
    // Ours come last, and win.
    for (name, setting) in foreign_variables().chain(own) {
        // An empty variable is how a shell unsets one for a single command.
        let value = variables.get(&name).filter(|value| !value.is_empty());
        if let Some(text) = value {
            let origin = Origin::Environment(name);
            let value = check_shape(setting, parse_text(setting, text), &origin);
            layers.push(value.map(|value| vec![Assignment { setting, value, origin, line: None }]));
        }
    }
    layers
}

/// Returns the variables of other programs, with the settings that they set.
fn foreign_variables() -> impl Iterator<Item = (String, &'static Setting)> {
    FOREIGN_VARIABLES.iter().filter_map(|(name, key)| {
        let setting = SETTINGS.iter().find(|setting| setting.key == *key)?;
        Some((name.to_string(), setting))
    })
}

/// Reads the `key=value` settings of the command line. One invalid flag fails all, because the user
/// just typed it.
pub fn read_flags(flags: &[(String, String)]) -> Result<Layer, ConfigError> {
    let mut layer = Layer::new();
    for (key, text) in flags {
        let setting = find_setting(key, &Origin::Flag)?;
        let value = check_shape(setting, parse_text(setting, text), &Origin::Flag)?;
        layer.push(Assignment { setting, value, origin: Origin::Flag, line: None });
    }
    Ok(layer)
}

/// Returns the setting of that key. The error suggests the nearest known key.
pub fn find_setting(key: &str, origin: &Origin) -> Result<&'static Setting, ConfigError> {
    let found = SETTINGS.iter().find(|setting| setting.key == key);
    found.ok_or_else(|| ConfigError::UnknownKey {
        origin: origin.clone(),
        line: None,
        key: key.to_string(),
        nearest: nearest_name(key, keys_and_groups()),
    })
}

/// Returns all keys and their groups, such as `index`: a mistyped table is as likely as a mistyped
/// key.
fn keys_and_groups() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().flat_map(|setting| {
        let group = setting.key.split_once('.').map(|(group, _)| group);
        group.into_iter().chain([setting.key])
    })
}

/// Returns the known name nearest to a word; `None` if none is similar.
pub fn nearest_name<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let nearest = kenning_text::fuzzy_match::nearest(word, known).into_iter().next();
    nearest.map(str::to_string)
}

/// Returns the value if it has the setting's shape, else an error that names the expected shape.
pub fn check_shape(setting: &Setting, value: Value, origin: &Origin) -> Result<Value, ConfigError> {
    let is_list = |value: &Value| value.as_array().is_some_and(|a| a.iter().all(Value::is_str));
    let (fits, expected) = match setting.shape {
        SettingShape::Text | SettingShape::Path | SettingShape::Secret => (value.is_str(), "text"),
        SettingShape::Number => (
            value.as_integer().is_some_and(|number| number >= 0),
            "a whole number that is not negative",
        ),
        SettingShape::List => (is_list(&value), "a list of strings"),
        SettingShape::Tables(_) => {
            (value.as_array().is_some_and(|a| a.iter().all(Value::is_table)), "a list of tables")
        }
    };
    if fits {
        return Ok(value);
    }
    Err(ConfigError::WrongType {
        origin: origin.clone(),
        line: None,
        key: setting.key.to_string(),
        expected,
        found: setting.redact_value(&value).to_string(),
    })
}

/// Parses text from a shell: a list may be written as `a,b`, anything else as TOML. Text that is no
/// TOML stays text, and the check rejects it.
fn parse_text(setting: &Setting, text: &str) -> Value {
    let as_toml = || {
        let table: Option<toml::Table> = toml::from_str(&format!("value = {text}")).ok();
        table.and_then(|mut table| table.remove("value"))
    };
    let plain = || Value::from(text);
    match setting.shape {
        SettingShape::Text | SettingShape::Path | SettingShape::Secret => plain(),
        SettingShape::Number | SettingShape::Tables(_) => as_toml().unwrap_or_else(plain),
        SettingShape::List if text.trim_start().starts_with('[') => as_toml().unwrap_or_else(plain),
        SettingShape::List => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::from(items.map(str::to_string).collect::<Vec<_>>())
        }
    }
}
