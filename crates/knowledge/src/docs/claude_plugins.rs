//! Reads Claude Code's own files about plugins: where each is installed, which are enabled, and
//! which skills of a shared folder belong to which. Several versions of these files are in use, so
//! unknown entries are skipped.

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
    pub fn name(&self) -> &str {
        self.key.split_once('@').map_or(&self.key, |(name, _)| name)
    }

    pub fn marketplace(&self) -> Option<&str> {
        self.key.split_once('@').map(|(_, marketplace)| marketplace)
    }
}

/// `installed_plugins.json`: an entry for each plugin, or a list of them.
pub fn parse_installed_plugins(text: &str) -> Result<Vec<InstalledPlugin>, String> {
    let list = parse_json(text)?;
    let plugins = list["plugins"].as_object();
    let plugins = plugins.ok_or("it has no object `plugins`")?;
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
            let is_for_one = matches!(entry["scope"].as_str(), Some("project" | "local"));
            let project = entry["projectPath"].as_str().filter(|_| is_for_one);
            installed.push(InstalledPlugin {
                key: key.clone(),
                install_path: install_path.to_string(),
                project: project.map(str::to_string),
            });
        }
    }
    // The order of the file says nothing; two runs have to agree.
    installed.sort_by(|a, b| (&a.key, &a.install_path).cmp(&(&b.key, &b.install_path)));
    Ok(installed)
}

/// `enabledPlugins` of a settings file: which are on and off; nothing if it does not say.
pub fn parse_enabled_plugins(text: &str) -> Result<Option<BTreeMap<String, bool>>, String> {
    let settings = parse_json(text)?;
    let Some(plugins) = settings["enabledPlugins"].as_object() else {
        return Ok(None);
    };
    let plugins = plugins.iter();
    let plugins = plugins.map(|(key, value)| (key.clone(), value == &Value::Bool(true)));
    Ok(Some(plugins.collect()))
}

/// `known_marketplaces.json`: where each marketplace lies.
pub fn parse_marketplace_locations(text: &str) -> Result<BTreeMap<String, String>, String> {
    let known = parse_json(text)?;
    let known = known.as_object().into_iter().flatten();
    let located = known.filter_map(|(name, entry)| {
        let location = entry["installLocation"].as_str()?;
        Some((name.clone(), location.to_string()))
    });
    Ok(located.collect())
}

/// A marketplace's catalog: the folders that hold the skills of one of its plugins, if it says.
pub fn parse_catalog_skills(text: &str, plugin: &str) -> Result<Option<Vec<String>>, String> {
    let catalog = parse_json(text)?;
    let mut plugins = catalog["plugins"].as_array().into_iter().flatten();
    let entry = plugins.find(|entry| entry["name"] == plugin);
    Ok(entry.and_then(|entry| parse_folders(&entry["skills"])))
}

/// A plugin's own manifest, `plugin.json`: the folders that it names beside `skills`, if any.
pub fn parse_manifest_skills(text: &str) -> Result<Option<Vec<String>>, String> {
    Ok(parse_folders(&parse_json(text)?["skills"]))
}

/// One folder, or a list of them.
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
            parse_enabled_plugins(r#"{"enabledPlugins": {"a@m": true, "b@m": false, "c@m": "x"}}"#);
        let on = on.unwrap().unwrap();
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
