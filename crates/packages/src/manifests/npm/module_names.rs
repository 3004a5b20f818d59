//! The names by which code imports files: the exports of `package.json`, and the path mappings of
//! `tsconfig.json`. The code index resolves imports with them.

use std::collections::HashMap;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;

use super::super::lenient_json::JsonTable;
use super::manifest_facts::{ExportEntry, NpmFile};
use super::workspace_packages::NpmPackages;
use kenning_model::{ModuleName, Package, RepoPath};

/// The most entries of one file that are kept. A package with more exports lists its files one by
/// one.
const MAX_ENTRIES: usize = 500;

/// Fields that name the main file of a package, those of sources first.
const MAIN_FIELDS: &[&str] = &["source", "types", "typings", "module", "main"];

/// Returns the entries that a `package.json` exports, its main files last. Subpaths begin with `.`;
/// without any, `exports` is the main entry, as in Node.
pub fn read_exports(table: &JsonTable) -> Vec<ExportEntry> {
    let mut found: Vec<ExportEntry> = Vec::new();
    match table.get("exports") {
        // An object whose keys do not begin with `.` is a set of conditions for the main entry.
        Some(Value::Object(all)) if all.keys().any(|key| key.starts_with('.')) => {
            for (name, value) in all {
                found.push((name.clone(), collect_targets(value)));
            }
        }
        Some(value) => found.push((".".to_string(), collect_targets(value))),
        None => {}
    }
    let mains = MAIN_FIELDS
        .iter()
        .filter_map(|field| table.get(*field))
        .filter_map(|value| value.as_str().map(str::to_string));
    found.push((".".to_string(), mains.collect()));
    found.retain(|(name, paths)| !name.ends_with(".json") && !paths.is_empty());
    found.truncate(MAX_ENTRIES);
    found
}

/// Returns all files that an export may resolve to under some condition, sources before build
/// results. Walks nested conditions with a stack of its own.
fn collect_targets(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        match next {
            Value::String(path) => found.push(path.clone()),
            Value::Array(all) => open.extend(all.iter().rev()),
            Value::Object(all) => open.extend(all.values().rev()),
            _ => {}
        }
    }
    // Declaration files such as `x.d.ts` are build results.
    let is_source = |path: &String| {
        let ending = path.rsplit('.').next().unwrap_or_default();
        ["ts", "tsx", "mts", "cts"].contains(&ending) && !path.contains(".d.")
    };
    found.sort_by_key(|path| !is_source(path));
    found.dedup();
    found
}

/// Returns the path mappings of a `tsconfig.json`, which may contain comments. An unreadable file
/// maps nothing: it is no manifest, and its own tools report the error. `extends` is not followed.
pub fn read_path_mappings(text: &str) -> Vec<ExportEntry> {
    let read = CstRootNode::parse(text, &ParseOptions::default())
        .ok()
        .and_then(|root| root.to_serde_value());
    let Some(Value::Object(table)) = read else {
        return Vec::new();
    };
    let Some(Value::Object(options)) = table.get("compilerOptions") else {
        return Vec::new();
    };
    let base = options.get("baseUrl").and_then(Value::as_str);
    let from_base = |path: &str| format!("{}/{path}", base.unwrap_or("."));
    let mut found = Vec::new();
    if let Some(Value::Object(all)) = options.get("paths") {
        for (name, value) in all {
            let targets =
                value.as_array().into_iter().flatten().filter_map(Value::as_str).map(from_base);
            found.push((name.clone(), targets.collect()));
        }
    }
    // With `baseUrl`, files below it can be imported without `./`.
    if base.is_some() {
        found.push(("*".to_string(), vec![from_base("*")]));
    }
    found.truncate(MAX_ENTRIES);
    found
}

/// Gives each package the names of its exports, and the mappings of the configurations in it. A
/// mapping holds only below the directory of its file.
pub fn assign_module_names(
    packages: &mut [Package],
    files: &[(RepoPath, NpmFile)],
    locals: &NpmPackages,
) {
    let places: HashMap<RepoPath, usize> =
        packages.iter().enumerate().map(|(place, package)| (package.path.clone(), place)).collect();
    for local in locals.iter() {
        let Some(&place) = places.get(&local.directory) else {
            continue;
        };
        let own = local.facts.entries.iter().map(|(name, paths)| ModuleName {
            name: format!("{}{}", local.name, name.trim_start_matches('.')),
            paths: resolve_paths(&local.directory, paths),
            within: None,
        });
        packages[place].modules.extend(own);
    }
    for (path, file) in files {
        let directory = path.parent();
        let mut above = directory.ancestors();
        let owner = above.find_map(|home| places.get(&home).copied());
        if let (NpmFile::Paths(entries), Some(owner)) = (file, owner) {
            let own = entries.iter().map(|(name, paths)| ModuleName {
                name: name.clone(),
                paths: resolve_paths(&directory, paths),
                within: Some(directory.to_string()),
            });
            packages[owner].modules.extend(own);
        }
    }
    for package in packages {
        package.modules.retain(|module| !module.paths.is_empty());
    }
}

/// Resolves paths against a directory. Paths out of the repository are dropped.
fn resolve_paths(directory: &RepoPath, paths: &[String]) -> Vec<String> {
    let joined = paths.iter().filter_map(|path| directory.join(path));
    joined.map(|path| path.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exported(text: &str) -> Vec<ExportEntry> {
        let Ok(Value::Object(table)) = serde_json::from_str(text) else {
            panic!("no object: {text}");
        };
        read_exports(&table)
    }

    fn entry(name: &str, paths: &[&str]) -> ExportEntry {
        (name.to_string(), paths.iter().map(|path| path.to_string()).collect())
    }

    #[test]
    fn what_packages_export() {
        assert_eq!(
            exported(r#"{"exports": "./a.js", "main": "b.js"}"#),
            [entry(".", &["./a.js"]), entry(".", &["b.js"])]
        );
        assert_eq!(
            exported(
                r#"{"exports": {"import": {"types": "./a.d.ts", "own": "./src/a.ts"}, "x": null}}"#
            ),
            [entry(".", &["./src/a.ts", "./a.d.ts"])]
        );
        assert_eq!(
            exported(
                r#"{"exports": {"./package.json": "./package.json", "./b/*": ["./dist/b/*.js"]}}"#
            ),
            [entry("./b/*", &["./dist/b/*.js"])]
        );
        assert_eq!(exported(r#"{"exports": 1, "main": 2}"#), []);
    }

    #[test]
    fn what_a_configuration_maps() {
        let text = r#"{ // comment
            "compilerOptions": { "baseUrl": "src", "paths": { "@app/*": ["app/*"], "odd": "x" }, },
        }"#;
        let expected = [entry("@app/*", &["src/app/*"]), entry("odd", &[]), entry("*", &["src/*"])];
        assert_eq!(read_path_mappings(text), expected);
        assert_eq!(read_path_mappings("{"), []);
        assert_eq!(read_path_mappings("[1]"), []);
    }
}
