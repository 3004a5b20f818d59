//! Parses Claude Code's own files about plugins: where each is installed, which are enabled, and
//! which skills of a shared folder belong to which.
//!
//! Several versions of these files are in use, so unknown entries and entries of another shape are
//! skipped. Only a file that is not JSON, or that lacks its main object, is an error. Nothing here
//! touches the disk: callers pass the text.

use std::collections::BTreeMap;

use serde_json::Value;

/// One place where a plugin was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPlugin {
    /// `name@marketplace`.
    pub key: String,
    /// Absolute, or relative to the folder of the list.
    pub install_path: String,
    /// The only project that it was installed for, if it was installed for one.
    pub project: Option<String>,
}

impl InstalledPlugin {
    /// The part of the key before `@`; the whole key if it has none.
    pub fn name(&self) -> &str {
        self.key.split_once('@').map_or(&self.key, |(name, _)| name)
    }

    /// The part of the key after `@`, if any.
    pub fn marketplace(&self) -> Option<&str> {
        self.key.split_once('@').map(|(_, marketplace)| marketplace)
    }
}

/// Parses `installed_plugins.json`. The result is sorted by key and path.
///
/// A plugin's value is one entry or a list of entries, depending on the version of Claude Code. An
/// entry without `installPath` is skipped.
pub fn parse_installed_plugins(text: &str) -> Result<Vec<InstalledPlugin>, String> {
    let list = parse_json(text)?;
    let plugins = list["plugins"].as_object().ok_or("it has no object `plugins`")?;
    let mut installed = Vec::new();
    for (key, value) in plugins {
        let entries = match value {
            Value::Array(entries) => entries.as_slice(),
            entry => std::slice::from_ref(entry),
        };
        for entry in entries {
            let Some(install_path) = entry["installPath"].as_str() else {
                continue;
            };
            // Only the scopes `project` and `local` bind an installation to one project. In other
            // scopes `projectPath` limits nothing.
            let is_for_one = matches!(entry["scope"].as_str(), Some("project" | "local"));
            let project = entry["projectPath"].as_str().filter(|_| is_for_one);
            installed.push(InstalledPlugin {
                key: key.clone(),
                install_path: install_path.to_string(),
                project: project.map(str::to_string),
            });
        }
    }
    // JSON objects have no order. Sorted, two runs agree.
    installed.sort_by(|a, b| (&a.key, &a.install_path).cmp(&(&b.key, &b.install_path)));
    Ok(installed)
}

/// Parses `enabledPlugins` of a settings file: plugin key to true if it is on. `None` if the file
/// has no such object.
///
/// Anything but a literal `true` counts as off.
pub fn parse_enabled_plugins(text: &str) -> Result<Option<BTreeMap<String, bool>>, String> {
    let settings = parse_json(text)?;
    let Some(plugins) = settings["enabledPlugins"].as_object() else {
        return Ok(None);
    };
    let plugins = plugins.iter().map(|(key, value)| (key.clone(), value == &Value::Bool(true)));
    Ok(Some(plugins.collect()))
}

/// Parses `known_marketplaces.json`: the name of each marketplace to its directory. Entries without
/// a location are skipped.
pub fn parse_marketplace_locations(text: &str) -> Result<BTreeMap<String, String>, String> {
    let marketplaces = parse_json(text)?;
    let entries = marketplaces.as_object().into_iter().flatten();
    let located = entries.filter_map(|(name, entry)| {
        let location = entry["installLocation"].as_str()?;
        Some((name.clone(), location.to_string()))
    });
    Ok(located.collect())
}

/// Parses a marketplace's catalog. Returns the folders with the skills of `plugin`; `None` if the
/// plugin is absent or lists no folders.
pub fn parse_catalog_skills(text: &str, plugin: &str) -> Result<Option<Vec<String>>, String> {
    let catalog = parse_json(text)?;
    let mut plugins = catalog["plugins"].as_array().into_iter().flatten();
    let entry = plugins.find(|entry| entry["name"] == plugin);
    Ok(entry.and_then(|entry| parse_folders(&entry["skills"])))
}

/// Parses a plugin's own manifest, `plugin.json`. Returns the folders that it names beside the
/// standard `skills` folder, if any.
pub fn parse_manifest_skills(text: &str) -> Result<Option<Vec<String>>, String> {
    Ok(parse_folders(&parse_json(text)?["skills"]))
}

/// Reads one folder, or a list of folders. Elements that are not texts are skipped.
fn parse_folders(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(folder) => Some(vec![folder.clone()]),
        Value::Array(folders) => {
            let folders = folders.iter().filter_map(Value::as_str);
            Some(folders.map(str::to_string).collect())
        }
        _ => None,
    }
}

/// Parses JSON after an optional byte order mark, which Windows editors write and `serde_json`
/// rejects.
fn parse_json(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(text: &str) -> Vec<(String, String)> {
        let plugins = parse_installed_plugins(text).unwrap().into_iter();
        plugins.map(|plugin| (plugin.name().to_string(), plugin.install_path)).collect()
    }

    #[test]
    fn both_shapes_of_the_list() {
        let first = r#"{"version": 1, "plugins": {"a@m": {"installPath": "/x", "version": "1"}}}"#;
        let second = r#"{"version": 2, "plugins": {
            "b@m": [{"scope": "user", "installPath": "/y"}, {"installPath": "/z"}, {"scope": "user"}],
            "a@m": [{"installPath": "/x"}], "c@m": [], "d@m": 7, "e": {"installPath": "e"}}}"#;
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(installed(first), [pair("a", "/x")]);
        assert_eq!(
            installed(second),
            [pair("a", "/x"), pair("b", "/y"), pair("b", "/z"), pair("e", "e")]
        );
        assert!(parse_installed_plugins("[]").is_err());
        assert!(parse_installed_plugins("{").is_err());
    }

    #[test]
    fn a_plugin_may_belong_to_one_project() {
        let text = r#"{"plugins": {"a@m": [
            {"scope": "project", "projectPath": "/p", "installPath": "/x"},
            {"scope": "user", "projectPath": "/q", "installPath": "/y"}]}}"#;
        let projects: Vec<Option<String>> = parse_installed_plugins(text)
            .unwrap()
            .into_iter()
            .map(|plugin| plugin.project)
            .collect();
        assert_eq!(projects, [Some("/p".to_string()), None]);
    }

    #[test]
    fn settings_say_what_is_on() {
        let on =
            parse_enabled_plugins(r#"{"enabledPlugins": {"a@m": true, "b@m": false, "c@m": "x"}}"#)
                .unwrap()
                .unwrap();
        assert_eq!(on.values().collect::<Vec<_>>(), [&true, &false, &false]);
        assert_eq!(parse_enabled_plugins("{}").unwrap(), None);
        assert!(parse_enabled_plugins("nonsense").is_err());
    }

    #[test]
    fn a_catalog_gives_each_plugin_its_own_skills() {
        let text = r#"{"name": "m", "plugins": [
            {"name": "a", "source": "./", "skills": ["./skills/x", "./skills/y"]},
            {"name": "b", "source": "./", "skills": "./skills/z"}, {"name": "c"}]}"#;
        let of = |plugin: &str| parse_catalog_skills(text, plugin).unwrap();
        assert_eq!(of("a").unwrap(), ["./skills/x", "./skills/y"]);
        assert_eq!(of("b").unwrap(), ["./skills/z"]);
        assert_eq!((of("c"), of("d")), (None, None));
    }

    #[test]
    fn a_manifest_may_name_further_folders() {
        let of = |text: &str| parse_manifest_skills(text).unwrap();
        assert_eq!(of(r#"{"skills": "./more"}"#).unwrap(), ["./more"]);
        assert_eq!(of(r#"{"skills": ["./a", 1, "b"]}"#).unwrap(), ["./a", "b"]);
        assert_eq!(of(r#"{"name": "p"}"#), None);
        assert!(parse_manifest_skills("{").is_err());
    }
}
