//! Finding a POM of the repository by its coordinates, the way Maven does for the modules that it
//! builds together: name and version must fit.

use std::collections::HashMap;

use super::super::interpolate::{Syntax, is_open};
use kenning_model::RepoPath;

/// Where the POMs of the repository are, by name and version.
#[derive(Default)]
pub struct Homes {
    found: HashMap<(String, Fit), Candidates>,
}

/// A criterion that selects among the POMs of one name.
#[derive(PartialEq, Eq, Hash)]
enum Fit {
    Any,
    Version(String),
    /// Those whose version is not known, so that it may be any.
    Unknown,
}

/// POMs that fit equally. Maven itself refuses two modules of the same coordinates, but examples
/// and test projects beside the real ones share names freely; then the nearest is meant.
#[derive(Default)]
struct Candidates {
    all: Vec<(usize, RepoPath)>,
    /// For each directory the best candidate in or below it; only if there are several.
    below: HashMap<RepoPath, usize>,
}

impl Homes {
    /// Indexes POMs given as name, version and directory; their order is their number.
    pub fn new(poms: impl Iterator<Item = (String, Option<String>, RepoPath)>) -> Homes {
        let mut homes = Homes::default();
        for (index, (name, version, directory)) in poms.enumerate() {
            if is_open(&name, Syntax::Braces) {
                // The template of a POM, which nothing can depend on.
                continue;
            }
            let version = version.filter(|version| is_exact(version));
            for fit in [Fit::Any, version.map_or(Fit::Unknown, Fit::Version)] {
                let candidates = homes.found.entry((name.clone(), fit)).or_default();
                candidates.all.push((index, directory.clone()));
            }
        }
        for candidates in homes.found.values_mut() {
            candidates.rank();
        }
        homes
    }

    /// The POM that a file in `directory` means by these coordinates. An unknown version or a
    /// range fits every POM of the name.
    pub fn find(&self, directory: &RepoPath, name: &str, version: Option<&str>) -> Option<usize> {
        let fits = match version.filter(|version| is_exact(version)) {
            Some(version) => vec![Fit::Version(version.to_string()), Fit::Unknown],
            None => vec![Fit::Any],
        };
        let mut candidates =
            fits.into_iter().filter_map(|fit| self.found.get(&(name.to_string(), fit)));
        candidates.next()?.nearest(directory)
    }
}

/// True if a version names one version, rather than a range or an expression.
pub fn is_exact(version: &str) -> bool {
    !version.starts_with(['[', '(']) && !is_open(version, Syntax::Braces)
}

impl Candidates {
    fn rank(&mut self) {
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

    fn nearest(&self, directory: &RepoPath) -> Option<usize> {
        match self.all.as_slice() {
            [(index, _)] => Some(*index),
            _ => directory.ancestors().find_map(|above| self.below.get(&above).copied()),
        }
    }
}
