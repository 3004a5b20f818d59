//! How a setting gets its value outside of files: from variables and flags, checked against its shape.

use std::collections::BTreeMap;

use toml::Value;

use super::foreign_env::FOREIGN_VARIABLES;
use super::settings::{SETTINGS, Setting, SettingShape};
use super::{Assignment, ConfigError, Layer, Origin};

pub fn variable_name(setting: &Setting) -> String {
    format!("KEN_{}", setting.key.replace('.', "_").to_uppercase())
}

/// Each variable for itself: one that is wrong does not take the others with it.
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

fn foreign_variables() -> impl Iterator<Item = (String, &'static Setting)> {
    FOREIGN_VARIABLES.iter().filter_map(|(name, key)| {
        let setting = SETTINGS.iter().find(|setting| setting.key == *key)?;
        Some((name.to_string(), setting))
    })
}

pub fn read_flags(flags: &[(String, String)]) -> Result<Layer, ConfigError> {
    let mut layer = Layer::new();
    for (key, text) in flags {
        let setting = find_setting(key, &Origin::Flag)?;
        let value = check_shape(setting, parse_text(setting, text), &Origin::Flag)?;
        layer.push(Assignment { setting, value, origin: Origin::Flag, line: None });
    }
    Ok(layer)
}

/// The setting of that key, or an error that names the nearest one.
pub fn find_setting(key: &str, origin: &Origin) -> Result<&'static Setting, ConfigError> {
    let found = SETTINGS.iter().find(|setting| setting.key == key);
    found.ok_or_else(|| ConfigError::UnknownKey {
        origin: origin.clone(),
        line: None,
        key: key.to_string(),
        nearest: nearest_name(key, keys_and_groups()),
    })
}

/// `index` beside `index.exclude`: a mistyped table is as likely as a mistyped key.
fn keys_and_groups() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().flat_map(|setting| {
        let group = setting.key.split_once('.').map(|(group, _)| group);
        group.into_iter().chain([setting.key])
    })
}

pub fn nearest_name<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let nearest = kenning_text::fuzzy::nearest(word, known).into_iter().next();
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

/// Text from a shell: a list may be given as `a,b`, anything else as TOML.
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
