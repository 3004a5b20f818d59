//! Turns the dependency tables of one package into dependencies, each with the package of the
//! repository that it resolves to, if any. The rules are stated in [`super`].

use super::specifier::{Spec, SpecifierSource};
use super::workspace_packages::{Local, Locals};
use super::workspaces::Workspaces;
use kenning_model::{DepKind, Dependency, Problem, RepoPath};

/// One package whose dependencies are being resolved.
pub struct Linker<'a> {
    pub workspaces: &'a Workspaces<'a>,
    pub locals: &'a Locals<'a>,
    pub local: &'a Local<'a>,
    pub problems: Vec<Problem>,
}

impl<'a> Linker<'a> {
    pub fn dependencies(&mut self) -> Vec<Dependency> {
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
                dependencies.push(self.dependency(kind, name, written));
            }
        }
        dependencies
    }

    fn dependency(&mut self, kind: DepKind, name: &'a str, written: &'a str) -> Dependency {
        let declared = self.without_catalog(Spec::parse(name, written));
        let target = match self.overriding(declared.name) {
            Some((spec, root)) => {
                let spec = self.without_catalog(spec);
                self.target(kind, &spec, &root)
            }
            None => {
                let target = self.target(kind, &declared, &self.local.directory);
                if target.is_none() && declared.source.is_workspace() {
                    let trouble = "and its workspace has no such package";
                    self.note(format!("`{name}` is `{written}`, {trouble}"));
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
    /// stays. Without any catalog it is probably yarn's, whose file is hidden.
    fn without_catalog(&mut self, spec: Spec<'a>) -> Spec<'a> {
        let SpecifierSource::Catalog(catalog) = spec.source else {
            return spec;
        };
        match self.workspaces.catalog_entry(&self.local.directory, catalog, spec.name) {
            None => {}
            Some(Some(written)) => return Spec::parse(spec.name, written),
            Some(None) => self.note(format!("`{}` is not in the catalog `{catalog}`", spec.name)),
        }
        spec
    }

    /// Returns the override for `name` at the root of the workspace, and the directory that its
    /// paths are relative to. Outside of a workspace, the package is its own root.
    fn overriding(&self, name: &'a str) -> Option<(Spec<'a>, RepoPath)> {
        let root = self.local.root.as_ref().unwrap_or(&self.local.directory);
        let written = self.workspaces.get(root)?.override_of(name)?;
        Some((Spec::parse(name, written), root.clone()))
    }

    fn target(&self, kind: DepKind, spec: &Spec, base: &RepoPath) -> Option<&'a Local<'a>> {
        let visible = || self.locals.visible(self.local, spec.name);
        match &spec.source {
            SpecifierSource::Workspace => visible(),
            SpecifierSource::WorkspacePath(path) => self.at(base, path).or_else(|| {
                // pnpm takes the path from the package, and yarn from the root.
                self.at(self.local.root.as_ref()?, path)
            }),
            SpecifierSource::Path(path) => self.at(base, path),
            SpecifierSource::Range(range) if self.links(kind) => visible().filter(|target| {
                let version = target.version.as_ref();
                spec.is_any() || version.is_some_and(|version| range.accepts(version))
            }),
            SpecifierSource::Tag if self.links(kind) && self.is_in_pnpm() => visible(),
            SpecifierSource::Range(_)
            | SpecifierSource::Tag
            | SpecifierSource::Catalog(_)
            | SpecifierSource::Elsewhere => None,
        }
    }

    fn at(&self, base: &RepoPath, path: &str) -> Option<&'a Local<'a>> {
        self.locals.at(&base.join(path)?)
    }

    /// True if a range may mean a member. A peer always may: it is not fetched, but met by
    /// whatever its dependents bring.
    fn links(&self, kind: DepKind) -> bool {
        let root = self.local.root.as_ref().and_then(|root| self.workspaces.get(root));
        kind == DepKind::Peer || !root.is_some_and(|root| root.is_protocol_only())
    }

    fn is_in_pnpm(&self) -> bool {
        let root = self.local.root.as_ref();
        root.is_some_and(|root| self.workspaces.is_pnpm(root))
    }

    fn note(&mut self, message: String) {
        self.problems.push(Problem::new(self.local.manifest, message));
    }
}
