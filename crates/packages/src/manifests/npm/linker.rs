//! Resolves the dependency tables of one package. The rules are stated in [`super`].

use super::specifier::{Specifier, SpecifierSource};
use super::workspace_packages::{NpmPackage, NpmPackages};
use super::workspaces::NpmWorkspaces;
use kenning_model::{DepKind, Dependency, Problem, RepoPath};

/// One package whose dependencies are being resolved.
pub struct NpmLinker<'a> {
    pub workspaces: &'a NpmWorkspaces<'a>,
    pub locals: &'a NpmPackages<'a>,
    pub local: &'a NpmPackage<'a>,
    pub problems: Vec<Problem>,
}

impl<'a> NpmLinker<'a> {
    /// Resolves all four tables, in the order of kinds.
    pub fn resolve_dependencies(&mut self) -> Vec<Dependency> {
        let facts = self.local.facts;
        let tables = [
            (DepKind::Runtime, &facts.dependencies),
            (DepKind::Dev, &facts.dev_dependencies),
            (DepKind::Peer, &facts.peer_dependencies),
            (DepKind::Optional, &facts.optional_dependencies),
        ];
        let mut dependencies = Vec::new();
        for (kind, table) in tables {
            for (name, written) in table {
                dependencies.push(self.resolve_dependency(kind, name, written));
            }
        }
        dependencies
    }

    /// Resolves one entry. An override decides the target, but the stated requirement is kept. A
    /// `workspace:` entry without a target is reported.
    fn resolve_dependency(&mut self, kind: DepKind, name: &'a str, written: &'a str) -> Dependency {
        let declared = self.resolve_catalog(Specifier::parse(name, written));
        // Overrides are looked up by the real name, after aliases and catalogs.
        let target = match self.find_override(declared.name) {
            Some((spec, root)) => {
                let spec = self.resolve_catalog(spec);
                self.resolve_target(kind, &spec, &root)
            }
            None => {
                let target = self.resolve_target(kind, &declared, &self.local.directory);
                if target.is_none() && declared.source.is_workspace() {
                    let trouble = "and its workspace has no such package";
                    self.add_problem(format!("`{name}` is `{written}`, {trouble}"));
                }
                target
            }
        };
        let name = target.map_or(declared.name, |target| &target.name);
        Dependency {
            name: name.to_string(),
            kind,
            version_req: declared.version_req.map(str::to_string),
            internal: target.map(|target| target.directory.clone()),
        }
    }

    /// Replaces a reference to a catalog by the catalog's entry. A reference that is not found
    /// stays as it is. Without any catalog it is probably yarn's, whose file is hidden.
    fn resolve_catalog(&mut self, spec: Specifier<'a>) -> Specifier<'a> {
        let SpecifierSource::Catalog(catalog) = spec.source else {
            return spec;
        };
        match self.workspaces.catalog_entry(&self.local.directory, catalog, spec.name) {
            None => {}
            Some(Some(written)) => return Specifier::parse(spec.name, written),
            Some(None) => {
                self.add_problem(format!("`{}` is not in the catalog `{catalog}`", spec.name))
            }
        }
        spec
    }

    /// Returns the override for `name` at the root of the workspace, and the directory that its
    /// paths are relative to. Outside of a workspace, the package is its own root.
    fn find_override(&self, name: &'a str) -> Option<(Specifier<'a>, RepoPath)> {
        let root = self.local.root.as_ref().unwrap_or(&self.local.directory);
        let written = self.workspaces.root_at(root)?.find_override(name)?;
        Some((Specifier::parse(name, written), root.clone()))
    }

    /// Finds the package of the repository that a specifier means. Paths are relative to `base`.
    fn resolve_target(
        &self,
        kind: DepKind,
        spec: &Specifier,
        base: &RepoPath,
    ) -> Option<&'a NpmPackage<'a>> {
        let visible = || self.locals.find_visible(self.local, spec.name);
        match &spec.source {
            SpecifierSource::Workspace => visible(),
            SpecifierSource::WorkspacePath(path) => self.package_at(base, path).or_else(|| {
                // pnpm takes the path from the package, and yarn from the root.
                self.package_at(self.local.root.as_ref()?, path)
            }),
            SpecifierSource::Path(path) => self.package_at(base, path),
            SpecifierSource::Range(range) if self.can_link_range(kind) => {
                visible().filter(|target| {
                    let version = target.version.as_ref();
                    spec.accepts_any_version()
                        || version.is_some_and(|version| range.accepts(version))
                })
            }
            SpecifierSource::Tag if self.can_link_range(kind) && self.is_in_pnpm() => visible(),
            SpecifierSource::Range(_)
            | SpecifierSource::Tag
            | SpecifierSource::Catalog(_)
            | SpecifierSource::Elsewhere => None,
        }
    }

    /// The package in a directory, given by a path.
    fn package_at(&self, base: &RepoPath, path: &str) -> Option<&'a NpmPackage<'a>> {
        self.locals.package_at(&base.join(path)?)
    }

    /// True if a range may resolve to a member. A peer always may: it is not fetched, but provided
    /// by its dependents.
    fn can_link_range(&self, kind: DepKind) -> bool {
        let root = self.local.root.as_ref().and_then(|root| self.workspaces.root_at(root));
        kind == DepKind::Peer || !root.is_some_and(|root| root.is_protocol_only())
    }

    /// True if the package is in a pnpm workspace.
    fn is_in_pnpm(&self) -> bool {
        let root = self.local.root.as_ref();
        root.is_some_and(|root| self.workspaces.is_pnpm(root))
    }

    fn add_problem(&mut self, message: String) {
        self.problems.push(Problem::new(self.local.manifest, message));
    }
}
