//! Version catalogs: `libs.versions.toml`, and catalogs that a settings script declares.
//!
//! Aliases are stored as scripts write them, with dots; see [`to_accessor`]. Plugins of a catalog
//! are not read.

use serde_json::Value;

use super::ast::{Argument, Chain, Expression};
use super::dependency_notation::RichVersion;
use super::script_facts::{Catalog, CatalogVersion, Library};
use super::string_template::Template;
use kenning_model::{Problem, RepoPath};

/// Parses a catalog file. An entry that cannot be read is skipped and reported.
pub fn parse_catalog(path: &RepoPath, text: &str) -> Result<(Catalog, Vec<Problem>), Problem> {
    let whole = parse_toml(path, text)?;
    let mut catalog = Catalog::default();
    let mut odd = Vec::new();
    for (alias, value) in table_entries(&whole["versions"]) {
        match parse_version(value) {
            Some(CatalogVersion::Plain(version)) => {
                catalog.versions.insert(to_accessor(alias), version);
            }
            _ => odd.push(alias),
        }
    }
    for (alias, value) in table_entries(&whole["libraries"]) {
        match parse_library(value) {
            Some(library) => drop(catalog.libraries.insert(to_accessor(alias), library)),
            None => odd.push(alias),
        }
    }
    for (alias, value) in table_entries(&whole["bundles"]) {
        let aliases = value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(to_accessor)
            .collect();
        catalog.bundles.insert(to_accessor(alias), aliases);
    }
    let problems = odd
        .into_iter()
        .map(|alias| Problem::new(path, format!("the catalog's entry {alias:?} cannot be read")));
    Ok((catalog, problems.collect()))
}

/// Parses TOML to JSON values, which are easier to take apart. A syntax error keeps its line.
fn parse_toml(path: &RepoPath, text: &str) -> Result<Value, Problem> {
    let table: Result<toml::Table, toml::de::Error> = text.parse();
    match table {
        Ok(table) => Ok(serde_json::to_value(table).unwrap_or_default()),
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| 1 + before.matches('\n').count());
            let problem = Problem::new(path, error.message());
            Err(problem.at_line(u32::try_from(line).unwrap_or(u32::MAX)))
        }
    }
}

/// Converts an alias to the form that scripts use: `kotlin-stdlib_jdk8` becomes
/// `kotlin.stdlib.jdk8`, as in Gradle's generated accessors.
pub fn to_accessor(alias: &str) -> String {
    alias.replace(['-', '_'], ".")
}

/// The entries of a table; none if it is no table.
fn table_entries(table: &Value) -> impl Iterator<Item = (&String, &Value)> {
    table.as_object().into_iter().flatten()
}

/// Parses `"group:name:version"`, or a table with `module`, or with `group` and `name`.
fn parse_library(value: &Value) -> Option<Library> {
    let text = |key: &str| value[key].as_str();
    if let Some(coordinates) = value.as_str() {
        return Library::parse(coordinates);
    }
    let module = match text("module") {
        Some(module) => module.to_string(),
        None => format!("{}:{}", text("group")?, text("name")?),
    };
    let version = parse_version(&value["version"]);
    Some(Library { module, version })
}

/// Parses `"1.0"`, `{ ref = "alias" }`, or a rich version.
fn parse_version(value: &Value) -> Option<CatalogVersion> {
    if let Some(text) = value.as_str() {
        return Some(CatalogVersion::Plain(text.to_string()));
    }
    if let Some(alias) = value["ref"].as_str() {
        return Some(CatalogVersion::Reference(to_accessor(alias)));
    }
    let part = |key: &str| value[key].as_str().map(Template::text);
    let rich = RichVersion {
        strictly: part("strictly"),
        require: part("require"),
        prefer: part("prefer"),
    };
    rich.short_form()?.as_text().map(CatalogVersion::Plain)
}

impl Library {
    /// Parses `group:name` with an optional version.
    fn parse(coordinates: &str) -> Option<Library> {
        let mut parts = coordinates.splitn(3, ':');
        let module = format!("{}:{}", parts.next()?, parts.next()?);
        let version = parts.next().map(|version| CatalogVersion::Plain(version.to_string()));
        Some(Library { module, version })
    }
}

impl Catalog {
    /// Adds a declaration of a settings script: `version("a", "1.0")`, `library("a",
    /// "group:name:1.0")`, `library("a", "group", "name").versionRef("b")`, `bundle("a", ["b",
    /// "c"])`.
    pub fn add_declaration(&mut self, chain: &Chain) {
        let Some(first) = chain.links.first() else {
            return;
        };
        let arguments = first.call.as_deref().unwrap_or_default();
        let text = |index: usize| argument_text(arguments, index);
        let Some(alias) = text(0).map(|alias| to_accessor(&alias)) else {
            return;
        };
        match (first.name, text(1), text(2)) {
            ("version", Some(version), _) => drop(self.versions.insert(alias, version)),
            ("library", Some(coordinates), None) => {
                let library = Library::parse(&coordinates);
                self.libraries.extend(library.map(|library| (alias, library)));
            }
            ("library", Some(group), Some(name)) => {
                let module = format!("{group}:{name}");
                let version = chain.links.get(1).and_then(|link| {
                    let version = argument_text(link.call.as_deref().unwrap_or_default(), 0)?;
                    match link.name {
                        "version" => Some(CatalogVersion::Plain(version)),
                        "versionRef" => Some(CatalogVersion::Reference(to_accessor(&version))),
                        _ => None,
                    }
                });
                self.libraries.insert(alias, Library { module, version });
            }
            ("bundle", _, _) => {
                let aliases = arguments.get(1).map(|argument| list_texts(&argument.value));
                self.bundles.insert(alias, aliases.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Copies the entries of `other` that this catalog lacks. Entries of a settings script win over
    /// those of the file.
    pub fn fill_missing(&mut self, other: &Catalog) {
        for (alias, version) in &other.versions {
            self.versions.entry(alias.clone()).or_insert_with(|| version.clone());
        }
        for (alias, library) in &other.libraries {
            self.libraries.entry(alias.clone()).or_insert_with(|| library.clone());
        }
        for (alias, aliases) in &other.bundles {
            self.bundles.entry(alias.clone()).or_insert_with(|| aliases.clone());
        }
    }

    /// Finds the libraries of an accessor such as `okio` or `bundles.network`, each with its
    /// version.
    pub fn find_libraries(&self, accessor: &str) -> Option<Vec<(&str, Option<&str>)>> {
        if let Some(library) = self.libraries.get(accessor) {
            return Some(vec![self.resolve_version(library)]);
        }
        let aliases = self.bundles.get(accessor.strip_prefix("bundles.")?)?;
        let libraries = aliases.iter().filter_map(|alias| self.libraries.get(alias));
        Some(libraries.map(|library| self.resolve_version(library)).collect())
    }

    /// The module of a library, and its version with references followed.
    fn resolve_version<'c>(&'c self, library: &'c Library) -> (&'c str, Option<&'c str>) {
        let version = match &library.version {
            None => None,
            Some(CatalogVersion::Plain(version)) => Some(version.as_str()),
            Some(CatalogVersion::Reference(alias)) => self.versions.get(alias).map(String::as_str),
        };
        (&library.module, version)
    }
}

/// The literal text of an argument.
fn argument_text(arguments: &[Argument], index: usize) -> Option<String> {
    arguments.get(index)?.value.template()?.as_text()
}

/// The aliases in a list, or in a call such as `listOf(…)`.
fn list_texts(value: &Expression) -> Vec<String> {
    let arguments: &[Argument] = match value {
        Expression::List(arguments) => arguments,
        Expression::Chain(chain) => chain.links[0].call.as_deref().unwrap_or_default(),
        _ => &[],
    };
    let texts = (0..arguments.len()).filter_map(|index| argument_text(arguments, index));
    texts.map(|alias| to_accessor(&alias)).collect()
}
