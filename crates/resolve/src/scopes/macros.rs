//! Macros that are marked as such where they are called, as in Rust: what `name!(…)` means. They have
//! names of their own, are seen in all that follows them in their crate, and belong to their crate and
//! not to a module of it.

use crate::references::Meaning;
use crate::resolver::{Position, ResolvedTarget};
use crate::scopes::Scopes;
use crate::symbol_table::SymbolId;
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference};

/// The label of a reference that is a macro call.
const MARK: &str = "!";

/// True if a macro is called.
pub(crate) fn is_macro(reference: &Reference) -> bool {
    reference.labels.len() == 1 && reference.labels[0] == MARK
}

impl<'w> Scopes<'_, 'w> {
    /// Resolves a macro call.
    pub(crate) fn macro_call(&self, at: Position, reference: &Reference) -> Option<Meaning> {
        let file = self.world.file(at.file);
        let import = file.imports_of(&reference.name).next();
        // An import may give another name to it.
        let name = match (import, &reference.receiver) {
            (Some(import), None) => import.name.as_str(),
            _ => reference.name.as_str(),
        };
        let named = self.definitions(name).iter().copied();
        let mut found: Vec<SymbolId> = named
            .filter(|&id| self.world.symbol(id).kind == ChunkKind::Macro)
            .filter(|&id| self.world.can_use(at.file, id.file))
            .filter(|&id| self.sees_macro(at, id))
            .collect();
        if found.is_empty() {
            return None;
        }
        let own = self.world.file(at.file).package;
        let package = match self.path_to_macro(at, reference) {
            Some(path) => self.package_at(at, &path)?,
            None => own,
        };
        found.retain(|id| self.world.file(id.file).package == package);
        let nearest = found.iter().map(|&id| self.nearness(at, id)).max()?;
        found.retain(|&id| self.nearness(at, id) == nearest);
        let is_one_place = found.iter().all(|id| id.file == found[0].file);
        let confidence = if is_one_place { Confidence::High } else { Confidence::Medium };
        let reason = match () {
            () if found[0].file == at.file => Reason::SameFile,
            () if package == own => Reason::SamePackage,
            () => Reason::Import,
        };
        Meaning::new(found, confidence, reason)
    }

    /// True if a macro can be seen from a place: one that stands in a block is seen in the rest of
    /// that block.
    fn sees_macro(&self, at: Position, id: SymbolId) -> bool {
        let Some(block) = self.world.parent(id) else {
            return true;
        };
        let mut around = self.world.file(at.file).ancestors(at.symbol);
        let is_within = at.file == id.file && around.any(|outer| outer == block.symbol);
        is_within && self.world.symbol(id).span.start_byte < at.byte
    }

    /// The path before a macro's name, there or where the name is imported.
    fn path_to_macro(&self, at: Position, reference: &Reference) -> Option<String> {
        if let Some(path) = &reference.receiver {
            return Some(path.clone());
        }
        let file = self.world.file(at.file);
        let mut imports = file.imports_of(&reference.name);
        imports.find_map(|import| import.receiver.clone())
    }

    /// The package of the crate that a path begins with, if that is one of ours.
    fn package_at(&self, at: Position, path: &str) -> Option<Option<u32>> {
        let first = path.trim_start_matches("::").split("::").next()?;
        if ["crate", "$crate", "self", "super"].contains(&first) {
            return Some(self.world.file(at.file).package);
        }
        let file = match self.inference().type_path(at, &[first.to_string()])? {
            ResolvedTarget::Symbol(id) => id.file,
            ResolvedTarget::Module(module) => match module {
                crate::modules::module_paths::Module::File(file) => file,
                crate::modules::module_paths::Module::Directory(_) => return None,
            },
        };
        Some(self.world.file(file).package)
    }

    /// How much of its path a definition's file has in common with the one at hand.
    fn nearness(&self, at: Position, id: SymbolId) -> usize {
        if at.file == id.file {
            return usize::MAX;
        }
        let here = self.world.file(at.file).path.as_str().split('/');
        let there = self.world.file(id.file).path.as_str().split('/');
        here.zip(there).take_while(|(a, b)| a == b).count()
    }
}
