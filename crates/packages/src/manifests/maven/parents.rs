//! Finds the parent of each POM by Maven's rule. The POM at `relativePath` counts if it has the
//! stated coordinates. Otherwise the coordinates select a POM of the repository; if none fits, the
//! parent is external.

use std::collections::HashMap;

use super::pom::{Parent, Pom};
use super::pom_index::{PomIndex, is_exact_version};
use kenning_model::{Problem, RepoPath};

/// The most ancestors that a POM inherits from.
const MAX_ANCESTORS: usize = 64;

/// Returns for each POM the indexes of the POMs that it inherits from: itself, its parent, and so
/// on. A loop ends where it closes and is reported.
pub fn find_lineages(poms: &[(RepoPath, Pom)], problems: &mut Vec<Problem>) -> Vec<Vec<usize>> {
    let parents = find_parents(poms);
    let lineages = poms.iter().enumerate().map(|(index, (path, _))| {
        let mut lineage = vec![index];
        let mut next = parents[index];
        while let Some(parent) = next {
            if parent == index {
                problems.push(Problem::new(path, "it is among its own parents"));
            }
            if lineage.contains(&parent) || lineage.len() == MAX_ANCESTORS {
                break;
            }
            lineage.push(parent);
            next = parents[parent];
        }
        lineage
    });
    lineages.collect()
}

/// Returns the parent of each POM. Coordinates are compared as written, because properties cannot
/// be resolved before parents are known.
fn find_parents(poms: &[(RepoPath, Pom)]) -> Vec<Option<usize>> {
    let by_path: HashMap<&RepoPath, usize> =
        poms.iter().enumerate().map(|(index, (path, _))| (path, index)).collect();
    let homes = PomIndex::new(poms.iter().map(|(path, pom)| {
        let name = format!("{}:{}", pom.stated_group().unwrap_or_default(), pom.artifact);
        (name, pom.stated_version().map(str::to_string), path.parent())
    }));
    let parents = poms.iter().map(|(path, pom)| {
        let parent = pom.parent.as_ref()?;
        let nearby = find_by_relative_path(&by_path, path, parent);
        nearby.filter(|candidate| has_stated_coordinates(parent, &poms[*candidate].1)).or_else(
            || {
                let name = format!("{}:{}", parent.group.as_ref()?, parent.artifact.as_ref()?);
                homes.find_pom(&path.parent(), &name, parent.version.as_deref())
            },
        )
    });
    parents.collect()
}

/// The POM at `relativePath`, which is a file or a directory. The default is `../pom.xml`; an empty
/// element turns the search off.
fn find_by_relative_path(
    by_path: &HashMap<&RepoPath, usize>,
    path: &RepoPath,
    parent: &Parent,
) -> Option<usize> {
    let relative = parent.relative_path.as_deref().unwrap_or("../pom.xml");
    if relative.is_empty() {
        return None;
    }
    let target = path.parent().join(relative)?;
    let file = by_path.get(&target);
    file.or_else(|| by_path.get(&target.join("pom.xml")?)).copied()
}

/// True if a POM found by path has the coordinates that the child states. Maven 4 lets a child
/// leave them out. A version that is a range or an expression fits any.
fn has_stated_coordinates(parent: &Parent, candidate: &Pom) -> bool {
    let fits = |wanted: Option<&str>, found: Option<&str>| wanted.is_none() || wanted == found;
    let exact = |version: &&str| is_exact_version(version);
    fits(parent.group.as_deref(), candidate.stated_group())
        && fits(parent.artifact.as_deref(), Some(&candidate.artifact))
        && match (parent.version.as_deref().filter(exact), candidate.stated_version().filter(exact))
        {
            (Some(wanted), Some(found)) => wanted == found,
            _ => true,
        }
}
