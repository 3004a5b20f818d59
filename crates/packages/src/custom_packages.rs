//! Packages that no manifest declares: directories that hold the files a configured rule requires
//! (`[[discovery.custom]]` of shire.toml, `[[packages.custom]]` of kenning.toml).
//!
//! Such packages have a name and a path, but no version and no dependencies. Files are not opened:
//! only names decide.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobSet, GlobSetBuilder};

use kenning_model::{Package, Problem, RepoPath};

/// One configured rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomRule {
    /// The rule's name, which problems and the metadata of its packages state.
    pub name: String,
    /// The kind of the packages that it makes.
    pub kind: String,
    /// File-name globs, each of which must match a file of the directory.
    pub requires: Vec<String>,
    /// Subtrees to look in; none means everywhere.
    pub paths: Vec<String>,
    /// Directory names that are not entered.
    pub exclude: Vec<String>,
    /// The number of levels that are searched below each of `paths`; `None` means all.
    pub max_depth: Option<usize>,
    /// A prefix of the package's name, before the directory.
    pub name_prefix: Option<String>,
}

/// Returns the packages that `rules` find among `files`, and problems of invalid rules.
///
/// A directory that holds a declared package is skipped, and so is everything below a directory
/// that a rule matched. Earlier rules win.
pub fn discover_packages(
    rules: &[CustomRule],
    files: &[RepoPath],
    declared: &BTreeSet<RepoPath>,
) -> (Vec<Package>, Vec<Problem>) {
    // A `BTreeMap` lists parents before their children, so that an outer directory is taken before
    // an inner one.
    let mut directories: BTreeMap<RepoPath, Vec<&RepoPath>> = BTreeMap::new();
    for file in files {
        directories.entry(file.parent()).or_default().push(file);
    }
    let mut problems = Vec::new();
    let mut taken: BTreeSet<RepoPath> = BTreeSet::new();
    let mut packages = Vec::new();
    for rule in rules {
        let matchers = match compile_matchers(rule) {
            Ok(matchers) => matchers,
            Err(error) => {
                let message = format!("custom rule {:?}: {error}", rule.name);
                problems.push(Problem::new(&RepoPath::default(), message));
                continue;
            }
        };
        for (directory, files) in &directories {
            let is_free = !declared.contains(directory)
                && !directory.ancestors().any(|above| taken.contains(&above));
            if is_free && is_in_scope(rule, directory) && has_required_files(&matchers, files) {
                taken.insert(directory.clone());
                packages.push(build_package(rule, directory, files[0]));
            }
        }
    }
    (packages, problems)
}

/// Compiles one matcher for each required pattern: every pattern must match some file.
fn compile_matchers(rule: &CustomRule) -> Result<Vec<GlobSet>, globset::Error> {
    let single = |pattern: &String| {
        let mut builder = GlobSetBuilder::new();
        builder.add(Glob::new(pattern)?);
        builder.build()
    };
    rule.requires.iter().map(single).collect()
}

/// True if each matcher matches a file name.
fn has_required_files(matchers: &[GlobSet], files: &[&RepoPath]) -> bool {
    // A rule that requires nothing would make every directory a package.
    !matchers.is_empty()
        && matchers
            .iter()
            .all(|matcher| files.iter().any(|file| matcher.is_match(file.file_name())))
}

/// True if a rule looks into a directory, by its paths, depth and exclusions.
fn is_in_scope(rule: &CustomRule, directory: &RepoPath) -> bool {
    let excluded = |segment: &str| rule.exclude.iter().any(|name| name == segment);
    let is_near = |start: &RepoPath| {
        let depth = directory.segments().count() - start.segments().count();
        rule.max_depth.is_none_or(|limit| depth <= limit)
    };
    let mut starts: Vec<RepoPath> =
        rule.paths.iter().filter_map(|path| RepoPath::new(path)).collect();
    if rule.paths.is_empty() {
        starts.push(RepoPath::default());
    }
    !directory.segments().any(excluded)
        && starts.iter().any(|start| directory.is_within(start) && is_near(start))
}

/// Builds the package of a directory. It is named after the prefix and the path; at the root, after
/// the prefix without its colon or the rule.
fn build_package(rule: &CustomRule, directory: &RepoPath, file: &RepoPath) -> Package {
    let name = match (&rule.name_prefix, directory.is_root()) {
        (Some(prefix), true) => prefix.trim_end_matches(':').to_string(),
        (Some(prefix), false) => format!("{prefix}{directory}"),
        (None, true) => rule.name.clone(),
        (None, false) => directory.to_string(),
    };
    let mut package = Package::new(&rule.kind, name, file);
    let rule_name = serde_json::Value::from(rule.name.as_str());
    package.metadata.insert("custom_rule".to_string(), rule_name);
    package
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: CustomRule, files: &[&str], declared: &[&str], expected: &[&str]) {
        let paths = |paths: &[&str]| -> Vec<RepoPath> {
            paths.iter().filter_map(|path| RepoPath::new(path)).collect()
        };
        let declared = paths(declared).into_iter().collect();
        let (packages, problems) = discover_packages(&[rule], &paths(files), &declared);
        let names: Vec<_> = packages.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, expected);
        assert_eq!(problems, []);
    }

    fn rule(requires: &[&str]) -> CustomRule {
        CustomRule {
            name: "apps".to_string(),
            kind: "go".to_string(),
            requires: requires.iter().map(|text| text.to_string()).collect(),
            ..CustomRule::default()
        }
    }

    #[test]
    fn every_required_pattern_must_match() {
        let files = ["cmd/a/main.go", "cmd/a/own.yml", "cmd/b/main.go"];
        check(rule(&["main.go", "*.yml"]), &files, &[], &["cmd/a"]);
        check(rule(&[]), &files, &[], &[]);
    }

    #[test]
    fn paths_depth_exclude_and_prefix() {
        let limited = CustomRule {
            paths: vec!["cmd/".to_string()],
            exclude: vec!["testdata".to_string()],
            max_depth: Some(1),
            name_prefix: Some("go:".to_string()),
            ..rule(&["main.go"])
        };
        let files = ["cmd/a/main.go", "cmd/x/y/main.go", "cmd/testdata/main.go", "b/main.go"];
        check(limited, &files, &[], &["go:cmd/a"]);
    }

    #[test]
    fn declared_directories_and_nested_matches_are_left_alone() {
        let files = ["a/main.go", "a/b/main.go", "c/main.go"];
        check(rule(&["main.go"]), &files, &["c"], &["a"]);
    }
}
