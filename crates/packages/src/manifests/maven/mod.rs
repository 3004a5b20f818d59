//! Maven: `pom.xml`, as the effective POM that Maven builds from parents, properties, managed
//! versions and BOMs, as far as they are in this repository.
//!
//! Not read: settings, `.mvn`, plugins, and profiles that depend on the machine or the command
//! line.
//!
//! A dependency is internal if its coordinates are those of a POM of the repository, version
//! included: Maven takes another version from its registry.

mod dependency_management;
mod effective_pom;
mod parents;
mod pom;
mod pom_index;

use std::collections::HashSet;

use super::xml::join_lines;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use dependency_management::DependencyManagement;
use effective_pom::EffectivePoms;
use kenning_model::{DepKind, Dependency, Package, RepoPath};
use pom::{Pom, PomDependency};

/// The ecosystem of Maven.
pub struct Maven;

impl Ecosystem for Maven {
    type Facts = Pom;
    const KIND: &'static str = "maven";
    const FILES: &'static [&'static str] = &["pom.xml"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<Pom> {
        pom::parse(path, text)
    }

    fn link(&self, _: &Repo, files: &[(RepoPath, Pom)]) -> LinkedEcosystem {
        let mut linked = LinkedEcosystem::default();
        let models = EffectivePoms::new(files, &mut linked.problems);
        let management = DependencyManagement::new(&models);
        for (index, (path, pom)) in files.iter().enumerate() {
            let mut package = Package::new(Self::KIND, models.name(index), path);
            package.version = models.version(index).map(str::to_string);
            package.description = models.description(index).as_deref().and_then(join_lines);
            let packaging = pom.packaging.as_ref().map(|name| models.fill_expressions(index, name));
            if let Some(packaging) = packaging.filter(|name| name != "jar") {
                package.metadata.insert("packaging".to_string(), packaging.into());
            }
            package.dependencies = collect_dependencies(&models, &management, index);
            linked.packages.push(package);
        }
        linked
    }
}

/// Returns the dependencies of a POM by kind; within a kind, its own come before the inherited
/// ones. Of two declarations with one key, the nearer counts.
fn collect_dependencies(
    models: &EffectivePoms,
    management: &DependencyManagement,
    index: usize,
) -> Vec<Dependency> {
    let own = models.poms[index].0.parent();
    let mut keys = HashSet::new();
    let mut seen = HashSet::new();
    let mut dependencies = Vec::new();
    let lineage = models.lineage(index).iter();
    for declared in lineage.flat_map(|ancestor| &models.poms[*ancestor].1.dependencies) {
        let key = models.fill_expressions(index, &declared.key());
        if keys.contains(&key) {
            continue;
        }
        let dependency = resolve_dependency(models, management, index, declared, &key);
        keys.insert(key);
        // A parent can hand a module a dependency on itself; Maven then refuses to build it.
        if dependency.internal.as_ref() == Some(&own) {
            continue;
        }
        // Another type or classifier of an artifact is the same package.
        if seen.insert((dependency.name.clone(), dependency.kind)) {
            dependencies.push(dependency);
        }
    }
    dependencies.sort_by_key(|dependency| dependency.kind);
    dependencies
}

/// Resolves one declaration. A version or scope that it leaves out comes from dependency
/// management.
fn resolve_dependency(
    models: &EffectivePoms,
    management: &DependencyManagement,
    index: usize,
    declared: &PomDependency,
    key: &str,
) -> Dependency {
    let managed = management.find_entry(index, key);
    let part = |field: fn(&PomDependency) -> Option<&String>| match (field(declared), managed) {
        (Some(own), _) => Some(models.fill_expressions(index, own)),
        (None, Some((manager, entry))) => Some(models.fill_expressions(manager, field(entry)?)),
        (None, None) => None,
    };
    let name = models.fill_expressions(index, &declared.name());
    let version = part(|declared| declared.version.as_ref());
    // Management does not decide whether a dependency is optional.
    let optional = declared
        .optional
        .as_ref()
        .is_some_and(|value| models.fill_expressions(index, value) == "true");
    // Maven's scopes: `provided` is on the class path of the build only, like a peer. `system` and
    // `runtime` count as runtime.
    let kind = match part(|declared| declared.scope.as_ref()).as_deref() {
        Some("test") => DepKind::Dev,
        _ if optional => DepKind::Optional,
        Some("provided") => DepKind::Peer,
        _ => DepKind::Runtime,
    };
    let home = models.find_pom(index, &name, version.as_deref());
    Dependency {
        internal: home.map(|home| models.poms[home].0.parent()),
        version_req: version,
        name,
        kind,
    }
}

#[cfg(test)]
mod tests;
