//! Finds a POM of the repository by its coordinates: name and version must fit. Maven does the same
//! in its reactor, the set of modules that it builds together.

use std::collections::HashMap;

use super::super::interpolate::{PlaceholderSyntax, has_placeholder};
use kenning_model::RepoPath;

/// The POMs of the repository, by name and version.
#[derive(Default)]
pub struct PomIndex {
    found: HashMap<(String, VersionFit), Candidates>,
}

/// A criterion that selects among the POMs of one name.
#[derive(PartialEq, Eq, Hash)]
enum VersionFit {
    Any,
    Version(String),
    /// POMs whose version is not known, and so may be any.
    Unknown,
}

/// POMs that fit equally. Maven itself refuses two modules of the same coordinates. But examples
/// and test projects beside the real ones share names freely; then the nearest is taken.
#[derive(Default)]
struct Candidates {
    all: Vec<(usize, RepoPath)>,
    /// For each directory, the best candidate in or below it. Empty unless there are several
    /// candidates.
    below: HashMap<RepoPath, usize>,
}

impl PomIndex {
    /// Indexes POMs given as name, version and directory; their order is their number.
    pub fn new(poms: impl Iterator<Item = (String, Option<String>, RepoPath)>) -> PomIndex {
        let mut homes = PomIndex::default();
        for (index, (name, version, directory)) in poms.enumerate() {
            if has_placeholder(&name, PlaceholderSyntax::Braces) {
                // The template of a POM, which nothing can depend on.
                continue;
            }
            let version = version.filter(|version| is_exact_version(version));
            for fit in [VersionFit::Any, version.map_or(VersionFit::Unknown, VersionFit::Version)] {
                let candidates = homes.found.entry((name.clone(), fit)).or_default();
                candidates.all.push((index, directory.clone()));
            }
        }
        for candidates in homes.found.values_mut() {
            candidates.rank_candidates();
        }
        homes
    }

    /// Finds the POM that a file in `directory` means by these coordinates. An unknown version or a
    /// range fits every POM of the name.
    pub fn find_pom(
        &self,
        directory: &RepoPath,
        name: &str,
        version: Option<&str>,
    ) -> Option<usize> {
        let fits = match version.filter(|version| is_exact_version(version)) {
            Some(version) => vec![VersionFit::Version(version.to_string()), VersionFit::Unknown],
            None => vec![VersionFit::Any],
        };
        let mut candidates =
            fits.into_iter().filter_map(|fit| self.found.get(&(name.to_string(), fit)));
        candidates.next()?.find_nearest(directory)
    }
}

/// True if a version is a single version, not a range or an expression.
pub fn is_exact_version(version: &str) -> bool {
    !version.starts_with(['[', '(']) && !has_placeholder(version, PlaceholderSyntax::Braces)
}

impl Candidates {
    /// Fills `below`. The shallowest candidate wins, then the first by path.
    fn rank_candidates(&mut self) {
        if self.all.len() < 2 {
            return;
        }
        // The shallowest first; the sort is stable, so equals stay in the order of their paths.
        self.all.sort_by_key(|(_, directory)| directory.segments().count());
        for (index, directory) in &self.all {
            for above in directory.ancestors() {
                self.below.entry(above).or_insert(*index);
            }
        }
    }

    /// The candidate that shares the longest path with a directory.
    fn find_nearest(&self, directory: &RepoPath) -> Option<usize> {
        match self.all.as_slice() {
            [(index, _)] => Some(*index),
            _ => directory.ancestors().find_map(|above| self.below.get(&above).copied()),
        }
    }
}
