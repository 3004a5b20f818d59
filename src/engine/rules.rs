//! From settings to the rules of a package build.

use toml::{Table, Value};

use crate::config::{Config, ConfigError, Origin};
use crate::extract::custom::CustomRule;
use crate::index::packages::Rules;

pub fn package_rules(config: &Config) -> Result<Rules, ConfigError> {
    let custom = config.tables("packages.custom");
    let origin = config.origin("packages.custom");
    let custom: Result<Vec<CustomRule>, ConfigError> = custom
        .into_iter()
        .map(|table| custom_rule(table, &origin))
        .collect();
    let describe = config.tables("packages.describe");
    let descriptions = describe
        .into_iter()
        .filter_map(|table| Some((text(table, "name")?, text(table, "description")?)));
    Ok(Rules {
        exclude: config.list("index.exclude"),
        manifests: config.list("packages.manifests"),
        custom: custom?,
        descriptions: descriptions.collect(),
        max_file_size: config.number("index.max_file_size").unwrap_or(u64::MAX),
    })
}

fn custom_rule(table: &Table, origin: &Origin) -> Result<CustomRule, ConfigError> {
    let missing = |field| missing(origin, field);
    let name = text(table, "name").ok_or_else(|| missing("name"))?;
    let requires = list(table, "requires");
    if requires.is_empty() {
        return Err(missing("requires"));
    }
    let max_depth = table.get("max_depth").and_then(Value::as_integer);
    Ok(CustomRule {
        name,
        kind: text(table, "kind").ok_or_else(|| missing("kind"))?,
        requires,
        paths: list(table, "paths"),
        exclude: list(table, "exclude"),
        max_depth: max_depth.and_then(|depth| usize::try_from(depth).ok()),
        name_prefix: text(table, "name_prefix"),
    })
}

fn missing(origin: &Origin, field: &str) -> ConfigError {
    ConfigError::Unreadable {
        origin: origin.clone(),
        message: format!("a custom rule needs `{field}` (name, kind and requires)"),
    }
}

fn text(table: &Table, field: &str) -> Option<String> {
    Some(table.get(field)?.as_str()?.to_string())
}

fn list(table: &Table, field: &str) -> Vec<String> {
    let items = table
        .get(field)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    items
        .filter_map(|item| Some(item.as_str()?.to_string()))
        .collect()
}
