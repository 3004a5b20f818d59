//! The projects of the repository: their names, and the lookup of a reference's target.

use std::collections::BTreeMap;

use globset::GlobBuilder;

use super::evaluation::Evaluation;
use super::file_index::MsbuildFiles;
use super::paths::{file_stem, is_unknown};
use kenning_model::RepoPath;

/// The longest pattern that is compiled. Compiling costs more than its length.
const MAX_PATTERN_LENGTH: usize = 500;

/// All projects, by the number of their file.
pub struct ProjectIndex<'a> {
    files: &'a MsbuildFiles<'a>,
    names: BTreeMap<usize, String>,
}

impl<'a> ProjectIndex<'a> {
    pub fn new(files: &'a MsbuildFiles<'a>, evaluations: &[Evaluation]) -> ProjectIndex<'a> {
        let names =
            evaluations.iter().map(|evaluation| (evaluation.project, package_name(evaluation)));
        ProjectIndex { files, names: names.collect() }
    }

    /// The name of a project that [`ProjectIndex::find`] returned.
    pub fn name(&self, project: usize) -> &str {
        &self.names[&project]
    }

    /// Finds the projects that a path, written in a file of `directory`, means. There are several
    /// if it has wildcards.
    pub fn find(&self, path: &str, directory: &RepoPath) -> Vec<usize> {
        if path.contains('*') {
            return self.find_by_pattern(path, directory).unwrap_or_default();
        }
        let file =
            self.files.find_by_path(path, directory).filter(|file| self.names.contains_key(file));
        file.into_iter().collect()
    }

    /// Finds the projects that match a wildcard pattern; `None` if the pattern is unusable.
    fn find_by_pattern(&self, path: &str, directory: &RepoPath) -> Option<Vec<usize>> {
        let pattern = if path.starts_with(['/', '\\']) {
            RepoPath::new(path)?
        } else {
            directory.join(path)?
        };
        if pattern.as_str().len() > MAX_PATTERN_LENGTH {
            return None;
        }
        let glob = GlobBuilder::new(pattern.as_str())
            .literal_separator(true)
            .case_insensitive(true)
            .build()
            .ok()?
            .compile_matcher();
        // Files are sorted by path, so those with the literal beginning of the pattern are
        // neighbours.
        let beginning = pattern.as_str().split('*').next().unwrap_or_default();
        let all = &self.files.all;
        let start = all.partition_point(|file| file.path.as_str() < beginning);
        let below = (start..all.len())
            .take_while(|file| all[*file].path.as_str().starts_with(beginning))
            .filter(|file| self.names.contains_key(file))
            .filter(|file| glob.is_match(all[*file].path.as_str()));
        Some(below.collect())
    }
}

/// True for the path of a C#, F# or Visual Basic project.
pub fn is_project(path: &str) -> bool {
    let path = path.to_lowercase();
    [".csproj", ".fsproj", ".vbproj"].iter().any(|ending| path.ends_with(ending))
}

/// The name of a project's package: `PackageId`, else `AssemblyName`, else the file's name, as
/// NuGet chooses it.
fn package_name(evaluation: &Evaluation) -> String {
    ["packageid", "assemblyname"]
        .iter()
        .filter_map(|property| evaluation.certain_value(property))
        .find(|name| !is_unknown(name))
        .unwrap_or_else(|| {
            let path = evaluation.files.all[evaluation.project].path;
            file_stem(path.file_name()).to_string()
        })
}
