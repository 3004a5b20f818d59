//! Macro calls that are marked as such: `name!(…)` of Rust.
//!
//! Macros have a namespace of their own. They belong to a crate and not to a module, and one that a
//! block defines is visible in the rest of that block.

use crate::resolve_reference::Resolution;
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::ModuleTree;
use crate::scopes::Scopes;
use crate::symbol_table::SymbolId;
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference};

/// The label of a reference that is a macro call.
const MACRO_LABEL: &str = "!";

/// True if a reference is a macro call.
pub(crate) fn is_macro_call(reference: &Reference) -> bool {
    reference.labels.len() == 1 && reference.labels[0] == MACRO_LABEL
}

impl<'t> Scopes<'_, 't> {
    /// Resolves a macro call.
    pub(crate) fn resolve_macro_call(
        &self,
        at: Position,
        reference: &Reference,
    ) -> Option<Resolution> {
        let file = self.table.file(at.file);
        let import = file.imports_named(&reference.name).next();
        // An import may rename the macro.
        let name = match (import, &reference.receiver) {
            (Some(import), None) => import.name.as_str(),
            _ => reference.name.as_str(),
        };
        let named = self.definitions(name).iter().copied();
        let mut found: Vec<SymbolId> = named
            .filter(|&id| self.table.symbol(id).kind == ChunkKind::Macro)
            .filter(|&id| self.table.can_use(at.file, id.file))
            .filter(|&id| self.can_see_macro(at, id))
            .collect();
        if found.is_empty() {
            return None;
        }
        let own = self.table.file(at.file).package;
        // `other::name!()` means a macro of another crate; a bare name one of this crate.
        let package = match self.macro_path(at, reference) {
            Some(path) => self.package_of_path(at, &path)?,
            None => own,
        };
        found.retain(|id| self.table.file(id.file).package == package);
        // Macros shadow by text order across files, which is unknown; the nearest file is
        // likeliest.
        let nearest = found.iter().map(|&id| self.common_path_length(at, id)).max()?;
        found.retain(|&id| self.common_path_length(at, id) == nearest);
        let is_one_place = found.iter().all(|id| id.file == found[0].file);
        let confidence = if is_one_place { Confidence::High } else { Confidence::Medium };
        let reason = match () {
            () if found[0].file == at.file => Reason::SameFile,
            () if package == own => Reason::SamePackage,
            () => Reason::Import,
        };
        Resolution::new(found, confidence, reason)
    }

    /// True if a macro is visible at a position. One in a block is visible in the rest of the
    /// block.
    fn can_see_macro(&self, at: Position, id: SymbolId) -> bool {
        let Some(block) = self.table.parent(id) else {
            return true;
        };
        let mut around = self.table.file(at.file).ancestors(at.symbol);
        let is_within = at.file == id.file && around.any(|outer| outer == block.symbol);
        is_within && self.table.symbol(id).span.start_byte < at.byte
    }

    /// Returns the path before a macro's name, at the call or at the import of the name.
    fn macro_path(&self, at: Position, reference: &Reference) -> Option<String> {
        if let Some(path) = &reference.receiver {
            return Some(path.clone());
        }
        let file = self.table.file(at.file);
        let mut imports = file.imports_named(&reference.name);
        imports.find_map(|import| import.receiver.clone())
    }

    /// Returns the package of the crate that a path begins with. The outer `None` means that the
    /// crate is not in the repository; the inner one that its file has no package.
    fn package_of_path(&self, at: Position, path: &str) -> Option<Option<u32>> {
        let first = path.trim_start_matches("::").split("::").next()?;
        let tree = self.table.file(at.file).rules.module_tree.as_ref();
        let is_word = |tree: &ModuleTree| tree.path_words.contains(&first.trim_start_matches('$'));
        if tree.is_some_and(is_word) {
            return Some(self.table.file(at.file).package);
        }
        let file = match self.inference().resolve_tree_type_path(at, &[first.to_string()])? {
            ResolvedTarget::Symbol(id) => id.file,
            ResolvedTarget::Module(module) => match module {
                crate::modules::module_table::Module::File(file) => file,
                crate::modules::module_table::Module::Directory(_) => return None,
            },
        };
        Some(self.table.file(file).package)
    }

    /// Counts the leading path segments that the files of a position and a definition share. Of
    /// several macros of one name, the one with the longest common path is the likeliest.
    fn common_path_length(&self, at: Position, id: SymbolId) -> usize {
        if at.file == id.file {
            return usize::MAX;
        }
        let here = self.table.file(at.file).path.as_str().split('/');
        let there = self.table.file(id.file).path.as_str().split('/');
        here.zip(there).take_while(|(a, b)| a == b).count()
    }
}
