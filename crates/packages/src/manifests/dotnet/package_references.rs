//! References to packages, with the versions that the project, the files around it, or central
//! package management give them.

use std::collections::{HashMap, HashSet};

use super::conditions::Verdict;
use super::evaluation::{EvaluatedItem, Evaluation, Position};
use super::file_index::MsbuildFile;
use super::msbuild_file::{Action, ItemKind};
use super::paths::is_unknown;
use super::project_dependencies::{expand_names, is_private};
use kenning_model::{DepKind, Dependency};

/// Returns the packages among the included items, after later items have changed them. Central
/// package management counts as on unless the project turns it off.
pub fn package_references(evaluation: &Evaluation, includes: &[EvaluatedItem]) -> Vec<Dependency> {
    let management = match evaluation.certain_value("managepackageversionscentrally") {
        Some(value) if value.eq_ignore_ascii_case("false") => CentralManagement::Off,
        _ => CentralManagement::On,
    };
    let mut references = Vec::new();
    for found in includes {
        let is_global = match (found.item.kind, management) {
            (ItemKind::PackageReference, _) => false,
            (ItemKind::GlobalPackageReference, CentralManagement::On) => true,
            _ => continue,
        };
        for name in expand_names(evaluation, found) {
            let mut reference = PendingReference::new(evaluation, name, found);
            if is_global {
                // These are for tools of the build, and never reach those who use the package.
                reference.private_assets = Some("all".to_string());
            }
            references.push(reference);
        }
    }
    let implicit = implicit_references(evaluation, &references);
    references.extend(implicit);
    // NuGet has one version of a package in a project, so each group gives one dependency.
    let groups = group_by_name(references).into_iter();
    groups.filter_map(|group| resolve_group(evaluation, group, management)).collect()
}

/// Groups the references by package, in the order of reading. NuGet ignores the case of names.
fn group_by_name(references: Vec<PendingReference>) -> Vec<Vec<PendingReference>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Vec<PendingReference>> = Vec::new();
    for reference in references {
        let place = *places.entry(reference.name.to_lowercase()).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(reference);
    }
    groups
}

/// Follows one package through the evaluation. The first reference counts, because later items
/// change it, unless it is removed and added again.
fn resolve_group(
    evaluation: &Evaluation,
    group: Vec<PendingReference>,
    management: CentralManagement,
) -> Option<Dependency> {
    let key = group.first()?.name.to_lowercase();
    let mut references = group.into_iter().peekable();
    let mut current: Option<PendingReference> = None;
    let mut central = None;
    for found in evaluation.items(|file| file.package_items(&key)) {
        // Items apply only to references that were read before them.
        while let Some(reference) = references.next_if(|next| next.position < found.position) {
            current = current.or(Some(reference));
        }
        let remark = PendingReference::new(evaluation, String::new(), &found);
        match (found.item.kind, found.verdict) {
            (ItemKind::PackageVersion, Verdict::True) => central = remark.version.or(central),
            (ItemKind::PackageVersion, _) => central = central.or(remark.version),
            _ => current = current.and_then(|current| current.apply_item(&found, remark)),
        }
    }
    let reference = current.or_else(|| references.next())?;
    Some(reference.into_dependency(central.filter(|_| management == CentralManagement::On)))
}

/// Returns references that the project updates but does not make. The SDK, or a file outside of the
/// repository, makes those.
fn implicit_references(
    evaluation: &Evaluation,
    references: &[PendingReference],
) -> Vec<PendingReference> {
    let known: HashSet<String> =
        references.iter().map(|reference| reference.name.to_lowercase()).collect();
    let mut updates = evaluation.items(MsbuildFile::changes);
    updates.retain(|found| found.file == evaluation.project && found.item.action == Action::Update);
    let mut implicit = Vec::new();
    for found in &updates {
        let names = expand_names(evaluation, found)
            .into_iter()
            .filter(|name| !known.contains(&name.to_lowercase()))
            .filter(|name| !name.contains(['*', '@']));
        implicit.extend(names.map(|name| PendingReference::new(evaluation, name, found)));
    }
    implicit
}

/// The state of central package management. If it is on, versions may come from `PackageVersion`
/// items, and references from `GlobalPackageReference` items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CentralManagement {
    On,
    Off,
}

/// A reference that later items may still change.
struct PendingReference {
    name: String,
    position: Position,
    version: Option<String>,
    version_override: Option<String>,
    private_assets: Option<String>,
}

impl PendingReference {
    /// Reads the reference of an item, with its properties filled.
    fn new(evaluation: &Evaluation, name: String, found: &EvaluatedItem) -> PendingReference {
        let fill = |text: &Option<String>| {
            let text = text.as_ref()?;
            Some(evaluation.fill_item(text, found.file))
        };
        PendingReference {
            name,
            position: found.position,
            version: fill(&found.item.version),
            version_override: fill(&found.item.version_override),
            private_assets: fill(&found.item.private_assets),
        }
    }

    /// Applies a later item to this reference. Returns `None` if the item removes it. An item with
    /// an undecided condition only fills fields that are still empty.
    fn apply_item(
        mut self,
        found: &EvaluatedItem,
        change: PendingReference,
    ) -> Option<PendingReference> {
        let is_sure = found.verdict == Verdict::True;
        if found.item.action == Action::Remove {
            return (!is_sure).then_some(self);
        }
        for (part, change) in [
            (&mut self.version, change.version),
            (&mut self.version_override, change.version_override),
            (&mut self.private_assets, change.private_assets),
        ] {
            if change.is_some() && (is_sure || part.is_none()) {
                *part = change;
            }
        }
        Some(self)
    }

    /// The dependency of the final reference. `PrivateAssets="all"` makes it a dev dependency.
    fn into_dependency(self, central: Option<String>) -> Dependency {
        // An undefined version gives way to the central one.
        let own = self
            .version_override
            .or(self.version)
            .filter(|own| central.is_none() || !is_unknown(own));
        let kind = if is_private(self.private_assets.as_deref()) {
            DepKind::Dev
        } else {
            DepKind::Runtime
        };
        Dependency { name: self.name, kind, version_req: own.or(central), internal: None }
    }
}
