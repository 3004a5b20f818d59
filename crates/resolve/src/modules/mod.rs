//! Modules, imports and exports: the target of an import, the export of a module, the member of a
//! qualified path.
//!
//! Contract:
//!
//! - Answers are a [`ResolvedTarget`]: a symbol, or a module, which is a file or a directory.
//!   `None` means that the repository does not define it; it may belong to a library.
//! - Every name that is looked up is recorded as a dependency. An import also records the file stem
//!   of its module, because a new file of that name can change the target.
//! - Re-exports may form cycles. A lookup that returns to itself finds nothing on that path, and
//!   [`cycle_memo::CycleMemo`] computes each export at most once per outermost lookup.
//! - Targets of imports are cached if [`is_cacheable`](crate::Resolver) allows it. Exports are
//!   cached once they are final.
//! - The spelling of module names is left to `rules` and `module_table`, bare names to `scopes`,
//!   and members of types to `members`.
//!
//! ```text
//! // a.ts
//! export * from "./b";
//! // b.ts
//! export const limit = 10;
//! ```
//!
//! `find_export(a.ts, "limit")` is the constant in b.ts.

mod cycle_memo;
mod declaration_merging;
pub(crate) mod module_table;
pub(crate) mod package_visibility;
mod qualified_paths;

use std::cell::RefCell;

use foldhash::HashMap;

use crate::modules::cycle_memo::CycleMemo;
use crate::modules::module_table::Module;
use crate::resolver::ResolvedTarget;
use crate::resolver::resolver_view;
use crate::rules::ExportStyle;
use crate::symbol_table::{FileIndex, SymbolId, is_callable, is_type};
use kenning_model::{ChunkKind, Reference, ReferenceKind};

resolver_view! {
    /// Modules and imports.
    Modules
}

/// Cache of import targets and exports.
#[derive(Default)]
pub(crate) struct ModuleCache {
    /// Targets of imports, by the address of the reference in the symbol table.
    imports: RefCell<HashMap<*const Reference, Option<ResolvedTarget>>>,
    /// Exports that were looked up, with those whose lookup is under way.
    exports: CycleMemo<ExportKey, ResolvedTarget>,
}

/// A lookup of an export: the file, the block in it, and the name.
type ExportKey = (FileIndex, Option<u32>, String);

impl<'t> Modules<'_, 't> {
    /// True if no lookup of an export is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.module_cache.exports.is_idle()
    }

    /// Resolves an import that the symbol table stores, and caches the target. The address is a
    /// safe key, because stored imports do not move.
    pub fn resolve_import_cached(
        &self,
        file: FileIndex,
        import: &'t Reference,
    ) -> Option<ResolvedTarget> {
        if let Some(known) = self.module_cache.imports.borrow().get(&std::ptr::from_ref(import)) {
            return known.clone();
        }
        let found = self.resolve_import(file, import);
        if self.is_cacheable() {
            let mut imported = self.module_cache.imports.borrow_mut();
            imported.insert(std::ptr::from_ref(import), found.clone());
        }
        found
    }

    /// Resolves an import of a file.
    pub fn resolve_import(&self, file: FileIndex, import: &Reference) -> Option<ResolvedTarget> {
        let module = import.receiver.as_deref().unwrap_or(&import.name);
        // A file of this name that is added or removed changes the target.
        let last = module.rsplit(['/', '.', ':', '\\']).find(|part| part.len() > 2);
        self.record_dependency(crate::modules::module_table::file_stem(last.unwrap_or(module)));
        self.with_budget(|| (self.table.file(file).rules.resolve_import)(self, file, import))
    }

    /// Finds an export of a module by name.
    pub fn find_export(&self, module: &Module, name: &str) -> Option<ResolvedTarget> {
        self.record_dependency(name);
        self.with_budget(|| match module {
            Module::File(file) => self.find_file_export(*file, None, name),
            Module::Directory(path) => {
                let files = self.table.modules.files_in(path).iter();
                let mut found = files.flat_map(|&file| {
                    let facts = self.table.file(file);
                    // Go writes methods at the top level of a file, but a package does not export
                    // them by name.
                    let inner = facts
                        .children(None, name)
                        .filter(|&index| facts.symbols()[index as usize].scope.is_none());
                    inner.map(move |symbol| ResolvedTarget::symbol(file, symbol))
                });
                found.next().or_else(|| {
                    let file = self.table.modules.files_in(path).first()?;
                    let within = self.table.file(*file).rules.find_submodule;
                    within(self, &ResolvedTarget::Module(module.clone()), name)
                })
            }
        })
    }

    /// Finds an export of a file or of a block in it: definitions, submodules, re-exports.
    /// Re-exports may form cycles, so each lookup is memoized.
    fn find_file_export(
        &self,
        file: FileIndex,
        inside: Option<u32>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let export = (file, inside, name.to_string());
        self.module_cache
            .exports
            .get_or_compute(export, || self.compute_file_export(file, inside, name))
    }

    /// Computes what `find_file_export` memoizes. Definitions hide submodules, and these hide
    /// re-exports.
    fn compute_file_export(
        &self,
        file: FileIndex,
        inside: Option<u32>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let facts = self.table.file(file);
        let mut own: Vec<u32> = facts.children(inside, name).collect();
        if facts.rules.export_style == ExportStyle::Assigned {
            own.retain(|&index| self.is_exported(file, inside, index));
        }
        if let Some(symbol) = select_definition(own, |index| facts.symbols()[index as usize].kind) {
            // The import belongs to another condition of the build. The definition only replaces
            // it, so the import takes precedence.
            if facts.rules.has_conditional_items
                && is_callable(facts.symbols()[symbol as usize].kind)
                && let Some(twin) = self.find_imported_twin(file, inside, name)
            {
                return Some(twin);
            }
            // `mod x;` is only a declaration; the module is the file `x.rs`.
            let target = ResolvedTarget::symbol(file, symbol);
            let is_module = facts.symbols()[symbol as usize].kind == ChunkKind::Module;
            let here = self.scope_target(file, inside);
            let file = is_module.then(|| (facts.rules.find_submodule)(self, &here, name));
            return Some(file.flatten().unwrap_or(target));
        }
        (facts.rules.find_submodule)(self, &self.scope_target(file, inside), name)
            .or_else(|| self.find_re_export(file, inside, name))
    }

    /// Finds an imported function with the same name as one that the file defines. Code for tests
    /// does not count.
    fn find_imported_twin(
        &self,
        file: FileIndex,
        inside: Option<u32>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let mut imports = self.table.file(file).imports_named(name);
        imports.find_map(|import| {
            let is_here = import.container == inside && import.name != "*";
            let found = self.resolve_import_cached(file, import).filter(|_| is_here)?;
            let is_function = matches!(found, ResolvedTarget::Symbol(id)
                if id.file != file
                    && is_callable(self.table.symbol(id).kind)
                    && self.table.symbol(id).kind != ChunkKind::Macro
                    && !self.is_test_code(id));
            is_function.then_some(found)
        })
    }

    /// Finds the target of a name that a file re-exports, by name or by a wildcard.
    fn find_re_export(
        &self,
        file: FileIndex,
        inside: Option<u32>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let facts = self.table.file(file);
        // Explicit exports come before plain imports.
        let by_kind = |imports: &mut Vec<&Reference>| {
            imports.retain(|import| import.container == inside);
            imports.sort_by_key(|import| import.kind != ReferenceKind::Export);
        };
        let mut named: Vec<&Reference> = facts.imports_named(name).collect();
        by_kind(&mut named);
        // A script re-exports an import only by an export clause.
        let is_re_export = |import: &&Reference| import.kind == ReferenceKind::Export;
        let mut wildcards: Vec<&Reference> = facts.wildcard_imports().collect();
        if facts.rules.export_style == ExportStyle::Assigned && !named.iter().any(is_re_export) {
            named.clear();
            wildcards.retain(is_re_export);
        }
        // A named clause hides wildcards.
        for import in named.into_iter().filter(|import| import.name != "*") {
            let found = self.resolve_re_export(file, import, name);
            if found.is_some() {
                return found;
            }
        }
        by_kind(&mut wildcards);
        for import in wildcards {
            // `export * as pages from "./pages"` exports the module under a name.
            let is_named = import.labels.first().is_some_and(|alias| alias == name);
            let target = self.resolve_import_cached(file, import);
            match target {
                found @ Some(_) if is_named => return found,
                Some(target)
                    if import.labels.is_empty() && !self.is_same_scope(&target, file, inside) =>
                {
                    let found = self.with_budget(|| self.member_of(&target, name));
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// True if a definition at the top level of a module can be an export. Members that
    /// are assigned to other objects are none, nor are variables that hold an import.
    fn is_exported(&self, file: FileIndex, inside: Option<u32>, index: u32) -> bool {
        let facts = self.table.file(file);
        let symbol = &facts.symbols()[index as usize];
        let scope = symbol.scope.as_deref();
        let objects = facts.rules.open_objects.as_ref();
        let is_exports = |scope: &str| objects.is_some_and(|names| names.is_exports(scope));
        let is_elsewhere = inside.is_none() && scope.is_some_and(|scope| !is_exports(scope));
        let is_import = || {
            let mut imports = facts.imports_named(&symbol.name);
            imports.any(|import| import.receiver.is_some() && import.container == inside)
        };
        !is_elsewhere && (is_type(symbol.kind) || is_callable(symbol.kind) || !is_import())
    }

    /// True if a target is the file or block itself, as for `use self::*`; following it would not
    /// end.
    fn is_same_scope(&self, target: &ResolvedTarget, file: FileIndex, inside: Option<u32>) -> bool {
        *target == self.scope_target(file, inside)
    }

    /// Returns a block as a target, or the file if there is no block.
    fn scope_target(&self, file: FileIndex, inside: Option<u32>) -> ResolvedTarget {
        match inside {
            Some(symbol) => ResolvedTarget::symbol(file, symbol),
            None => ResolvedTarget::Module(Module::File(file)),
        }
    }

    /// Resolves one import or export clause to its target.
    fn resolve_re_export(
        &self,
        file: FileIndex,
        import: &'t Reference,
        name: &str,
    ) -> Option<ResolvedTarget> {
        if import.receiver.is_none() && import.kind == ReferenceKind::Export && import.name != name
        {
            // `export { a as b }` exports a definition of this file, or one of its imports.
            let own = self.with_budget(|| self.find_file_export(file, None, &import.name));
            let found = own.or_else(|| {
                let mut imports = self.table.file(file).imports_named(&import.name);
                imports.find_map(|import| self.resolve_import_cached(file, import))
            });
            // `pub extern crate a as b;` exports a crate that no import of the file names.
            return found.or_else(|| self.resolve_import_cached(file, import));
        }
        self.resolve_import_cached(file, import)
    }

    /// Finds the member `name` of a module, a type or an object: one segment of a qualified path.
    pub fn member_of(&self, target: &ResolvedTarget, name: &str) -> Option<ResolvedTarget> {
        self.record_dependency(name);
        match target {
            ResolvedTarget::Module(module) => self.find_export(module, name),
            ResolvedTarget::Symbol(id) => {
                let kind = self.table.symbol(*id).kind;
                // `Type::method`, `Outer.Inner`.
                if is_type(kind) || kind == ChunkKind::Extension {
                    let type_id = self.heritage().type_of_extension(*id);
                    let found = self.members().own_members(type_id, name);
                    return found.first().copied().map(ResolvedTarget::Symbol);
                }
                // `object.member` of JavaScript.
                if self.objects().has_open_objects(id.file)
                    && kind != ChunkKind::Namespace
                    && kind != ChunkKind::Module
                {
                    let found = self.objects().object_members(*id, name);
                    if let Some(first) = found.first() {
                        return Some(ResolvedTarget::Symbol(*first));
                    }
                }
                // `module::name`, where the module is another file.
                if let Some(module) = self.find_module_file(*id) {
                    return self.find_export(&module, name);
                }
                self.with_budget(|| self.find_file_export(id.file, Some(id.symbol), name))
            }
        }
    }

    /// True if a definition is test code: by its own marks, or because the module that is its file
    /// is declared as a test.
    pub(crate) fn is_test_code(&self, id: SymbolId) -> bool {
        if self.table.symbol(id).is_test {
            return true;
        }
        // Elsewhere, no declaration says that a file is a test.
        if self.table.file(id.file).rules.module_tree.is_none() {
            return false;
        }
        let path = &self.table.file(id.file).path;
        let stem = module_table::file_stem(path.file_name());
        let parent = path.parent();
        let names = [stem, parent.file_name()];
        names.iter().filter(|name| !name.is_empty()).any(|name| {
            self.definitions(name).iter().any(|&module| {
                self.table.symbol(module).is_test
                    && self.find_module_file(module) == Some(Module::File(id.file))
            })
        })
    }

    /// Finds the file of a module that is only declared here, as by `mod x;` of Rust.
    fn find_module_file(&self, id: SymbolId) -> Option<Module> {
        let file = self.table.file(id.file);
        let symbol = &file.symbols()[id.symbol as usize];
        if symbol.kind != ChunkKind::Module || self.inference().has_children(id) {
            return None;
        }
        let around = self.scope_target(id.file, file.parents()[id.symbol as usize]);
        match (file.rules.find_submodule)(self, &around, &symbol.name)? {
            ResolvedTarget::Module(module) => Some(module),
            ResolvedTarget::Symbol(_) => None,
        }
    }
}

/// Selects one of several definitions of a name: the first that is no extension, else the first.
fn select_definition(mut found: Vec<u32>, kind: impl Fn(u32) -> ChunkKind) -> Option<u32> {
    found.sort_by_key(|&index| (kind(index) == ChunkKind::Extension, index));
    found.first().copied()
}
