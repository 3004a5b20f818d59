//! Gradle: build and settings scripts in Groovy and in Kotlin, version catalogs and
//! `gradle.properties`. A project is a package, called `group:project-path` or by its path alone;
//! the root by its own name.
//!
//! Scripts are programs, and only what they state literally is known: strings, names of properties
//! that are strings, and paths. Plugins are left out, and with them what convention plugins add,
//! because a plugin's id does not name its package. Lock files are not read.
//!
//! Parsing goes through `lexer`, `ast` (with `cursor`, `statement` and `expression`) and `interpret_script`.
//! Linking goes through `project_tree`, `applied_sections`, `properties` and `resolve`.

mod applied_sections;
mod ast;
mod block_context;
mod composite_builds;
mod cursor;
mod dependency_notation;
mod expression;
mod file_index;
mod interpret_script;
mod lexer;
mod project_tree;
mod properties;
mod resolve;
mod script_facts;
mod statement;
mod string_template;
mod version_catalog;

use std::collections::BTreeMap;

use self::ast::Script;
use self::lexer::Dialect;
use self::project_tree::ProjectTree;
use self::resolve::GradleResolver;
use self::script_facts::GradleFile;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{Problem, RepoPath};

/// The ecosystem of Gradle.
pub struct Gradle;

/// The largest script that is read. A larger one was not written by people.
const MAX_BYTES: usize = 1024 * 1024;

impl Ecosystem for Gradle {
    type Facts = GradleFile;
    const KIND: &'static str = "gradle";
    const FILES: &'static [&'static str] =
        &["*.gradle", "*.gradle.kts", "*.versions.toml", "gradle.properties"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<GradleFile> {
        if text.len() > MAX_BYTES {
            return ParsedManifest::from_problem(Problem::new(path, "larger than 1 MiB"));
        }
        match path.file_name() {
            "gradle.properties" => {
                ParsedManifest::from_facts(GradleFile::Properties(parse_properties(text)))
            }
            name if name.ends_with(".toml") => match version_catalog::parse_catalog(path, text) {
                Ok((catalog, problems)) => {
                    ParsedManifest::with_problems(GradleFile::Catalog(catalog), problems)
                }
                Err(problem) => ParsedManifest::from_problem(problem),
            },
            name => {
                let dialect =
                    if name.ends_with(".kts") { Dialect::Kotlin } else { Dialect::Groovy };
                parse_script(path, &Script::new(text, dialect))
            }
        }
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, GradleFile)]) -> LinkedEcosystem {
        let tree = ProjectTree::new(files);
        let (packages, problems) = GradleResolver::new(&tree, repo).build_packages();
        LinkedEcosystem { packages, problems }
    }
}

/// Parses a script. A script may well declare nothing, but one with an unmatched bracket that
/// declares nothing is broken.
fn parse_script(path: &RepoPath, script: &Script) -> ParsedManifest<GradleFile> {
    let facts = interpret_script::interpret_script(script);
    let problem = script.unmatched.map(|line| {
        let problem = Problem::new(path, "a bracket has no partner");
        problem.at_line(line)
    });
    match problem {
        Some(problem) if facts.is_empty() => ParsedManifest::from_problem(problem),
        problem => {
            ParsedManifest::with_problems(GradleFile::Script(facts), problem.into_iter().collect())
        }
    }
}

/// Parses a `gradle.properties` in the format of Java properties, without escapes. Keys that only
/// configure Gradle are dropped.
fn parse_properties(text: &str) -> BTreeMap<String, String> {
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    let lines = joined.lines().map(str::trim_start).filter(|line| !line.starts_with(['#', '!']));
    let pairs = lines.filter_map(|line| {
        let end = line.find(['=', ':', ' ', '\t'])?;
        let (key, rest) = line.split_at(end);
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let value = trimmed.strip_prefix(['=', ':']).unwrap_or(trimmed);
        Some((key.to_string(), value.trim().to_string()))
    });
    let is_about_tool =
        |key: &str| key.starts_with("org.gradle.") || key.starts_with("systemProp.");
    pairs.filter(|(key, _)| !key.is_empty() && !is_about_tool(key)).collect()
}

#[cfg(test)]
mod tests;
