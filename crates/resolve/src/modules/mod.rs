//! Modules and imports: what an import brings, what a module exports, what a path means.
//!
//! Contract: every name that is looked up is recorded as a dependency. Re-exports may form cycles, so
//! each export is looked up once while its own lookup is under way, and answers are cached only when
//! no lookup is open.

mod cycle_memo;
mod declaration_merging;
pub(crate) mod module_paths;
pub(crate) mod package_visibility;
mod qualified_paths;
pub(crate) mod rust_modules;

use std::cell::RefCell;

use foldhash::HashMap;

use crate::modules::cycle_memo::Asked;
use crate::modules::module_paths::Module;
use crate::resolver::ResolvedTarget;
use crate::resolver::part;
use crate::rules::Exports;
use crate::symbol_table::{FileIndex, SymbolId, is_callable, is_type};
use kenning_model::{ChunkKind, Reference, ReferenceKind};

part! {
    /// Modules and imports.
    Modules
}

/// What the part has found out.
#[derive(Default)]
pub(crate) struct ModuleCache {
    /// Targets of imports, by the address of the reference.
    imports: RefCell<HashMap<*const Reference, Option<ResolvedTarget>>>,
    /// Exports that were looked up.
    exports: Asked<Export, ResolvedTarget>,
}

/// A name that a file, or a block in it, may export.
type Export = (FileIndex, Option<u32>, String);

impl<'w> Modules<'_, 'w> {
    /// True if no export is being looked up.
    pub(crate) fn is_settled(&self) -> bool {
        self.module_cache.exports.is_idle()
    }

    /// Resolves an import that the symbol table stores, and caches the target. The address is a
    /// safe key, because stored imports do not move.
    pub fn known_import(&self, file: FileIndex, import: &'w Reference) -> Option<ResolvedTarget> {
        if let Some(known) = self.module_cache.imports.borrow().get(&std::ptr::from_ref(import)) {
            return known.clone();
        }
        let found = self.imported(file, import);
        if self.is_cacheable() {
            let mut imported = self.module_cache.imports.borrow_mut();
            imported.insert(std::ptr::from_ref(import), found.clone());
        }
        found
    }

    /// Resolves an import of a file.
    pub fn imported(&self, file: FileIndex, import: &Reference) -> Option<ResolvedTarget> {
        let module = import.receiver.as_deref().unwrap_or(&import.name);
        // A file that appears under this name, or goes, would change it.
        let last = module.rsplit(['/', '.', ':', '\\']).find(|part| part.len() > 2);
        self.record_dependency(crate::modules::module_paths::stem(last.unwrap_or(module)));
        self.with_budget(|| (self.world.file(file).rules.imported)(self, file, import))
    }

    /// Finds the export of this name in a module.
    pub fn exported(&self, module: &Module, name: &str) -> Option<ResolvedTarget> {
        self.record_dependency(name);
        self.with_budget(|| match module {
            Module::File(file) => self.exported_by_file(*file, None, name),
            Module::Directory(path) => {
                let files = self.world.modules.directory(path).iter();
                let mut found = files.flat_map(|&file| {
                    let facts = self.world.file(file);
                    // Methods of Go are beside their types at the top of a file, but a package does
                    // not export them.
                    let inner = facts
                        .children(None, name)
                        .filter(|&index| facts.symbols()[index as usize].scope.is_none());
                    inner.map(move |symbol| ResolvedTarget::symbol(file, symbol))
                });
                found.next().or_else(|| {
                    let file = self.world.modules.directory(path).first()?;
                    let within = self.world.file(*file).rules.within;
                    within(self, &ResolvedTarget::Module(module.clone()), name)
                })
            }
        })
    }

    /// Finds the export of this name in a file or a block: definitions, submodules, re-exports.
    /// Re-exports may form cycles, so each lookup is memoized.
    fn exported_by_file(
        &self,
        file: FileIndex,
        inside: Option<u32>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let export = (file, inside, name.to_string());
        self.module_cache.exports.once(export, || self.look_into(file, inside, name))
    }

    fn look_into(
        &self,
        file: FileIndex,
        inside: Option<u32>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let facts = self.world.file(file);
        let mut own: Vec<u32> = facts.children(inside, name).collect();
        if facts.rules.exports == Exports::Assigned {
            own.retain(|&index| self.is_given(file, inside, index));
        }
        if let Some(symbol) = best_child(own, |index| facts.symbols()[index as usize].kind) {
            // `mod x;` of Rust only says that there is a file.
            let target = ResolvedTarget::symbol(file, symbol);
            let is_module = facts.symbols()[symbol as usize].kind == ChunkKind::Module;
            let here = self.home_of(file, inside);
            let file = is_module.then(|| (facts.rules.within)(self, &here, name));
            return Some(file.flatten().unwrap_or(target));
        }
        (facts.rules.within)(self, &self.home_of(file, inside), name)
            .or_else(|| self.find_re_export(file, inside, name))
    }

    /// The target of a name that a file only passes on: by naming it, or by a wildcard.
    fn find_re_export(
        &self,
        file: FileIndex,
        inside: Option<u32>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let facts = self.world.file(file);
        // Explicit exports come before plain imports.
        let by_kind = |imports: &mut Vec<&Reference>| {
            imports.retain(|import| import.container == inside);
            imports.sort_by_key(|import| import.kind != ReferenceKind::Export);
        };
        let mut passed: Vec<&Reference> = facts.imports_of(name).collect();
        by_kind(&mut passed);
        // A script re-exports an import only if it says so.
        let is_passed = |import: &&Reference| import.kind == ReferenceKind::Export;
        let mut wildcards: Vec<&Reference> = facts.wildcards().collect();
        if facts.rules.exports == Exports::Assigned && !passed.iter().any(is_passed) {
            passed.clear();
            wildcards.retain(is_passed);
        }
        for import in passed.into_iter().filter(|import| import.name != "*") {
            let found = self.passed_on(file, import, name);
            if found.is_some() {
                return found;
            }
        }
        by_kind(&mut wildcards);
        for import in wildcards {
            let is_named = import.labels.first().is_some_and(|alias| alias == name);
            let target = self.known_import(file, import);
            match target {
                found @ Some(_) if is_named => return found,
                Some(target)
                    if import.labels.is_empty() && !self.is_here(&target, file, inside) =>
                {
                    let found = self.with_budget(|| self.step(&target, name));
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// True if a definition at the top of a module of JavaScript can be meant by others: not what is
    /// assigned to an object of it, nor a variable for what it imports.
    fn is_given(&self, file: FileIndex, inside: Option<u32>, index: u32) -> bool {
        let facts = self.world.file(file);
        let symbol = &facts.symbols()[index as usize];
        let scope = symbol.scope.as_deref();
        let is_elsewhere = inside.is_none()
            && scope.is_some_and(|scope| !crate::members::objects::EXPORTS.contains(&scope));
        let is_import = || {
            let mut imports = facts.imports_of(&symbol.name);
            imports.any(|import| import.receiver.is_some() && import.container == inside)
        };
        !is_elsewhere && (is_type(symbol.kind) || is_callable(symbol.kind) || !is_import())
    }

    fn is_here(&self, target: &ResolvedTarget, file: FileIndex, inside: Option<u32>) -> bool {
        *target == self.home_of(file, inside)
    }

    fn home_of(&self, file: FileIndex, inside: Option<u32>) -> ResolvedTarget {
        match inside {
            Some(symbol) => ResolvedTarget::symbol(file, symbol),
            None => ResolvedTarget::Module(Module::File(file)),
        }
    }

    fn passed_on(
        &self,
        file: FileIndex,
        import: &'w Reference,
        name: &str,
    ) -> Option<ResolvedTarget> {
        if import.receiver.is_none() && import.kind == ReferenceKind::Export && import.name != name
        {
            // `export { a as b }`: one of its own.
            let own = self.with_budget(|| self.exported_by_file(file, None, &import.name));
            return own.or_else(|| {
                let mut imports = self.world.file(file).imports_of(&import.name);
                imports.find_map(|import| self.known_import(file, import))
            });
        }
        self.known_import(file, import)
    }

    /// Finds the member `name` of a module or a type.
    pub fn step(&self, target: &ResolvedTarget, name: &str) -> Option<ResolvedTarget> {
        self.record_dependency(name);
        match target {
            ResolvedTarget::Module(module) => self.exported(module, name),
            ResolvedTarget::Symbol(id) => {
                let kind = self.world.symbol(*id).kind;
                if is_type(kind) || kind == ChunkKind::Extension {
                    let type_id = self.heritage().type_of_extension(*id);
                    let found = self.members().own_members(type_id, name);
                    return found.first().copied().map(ResolvedTarget::Symbol);
                }
                if self.objects().is_script(id.file)
                    && kind != ChunkKind::Namespace
                    && kind != ChunkKind::Module
                {
                    let found = self.objects().object_members(*id, name);
                    if let Some(first) = found.first() {
                        return Some(ResolvedTarget::Symbol(*first));
                    }
                }
                if let Some(module) = self.module_elsewhere(*id) {
                    return self.exported(&module, name);
                }
                self.with_budget(|| self.exported_by_file(id.file, Some(id.symbol), name))
            }
        }
    }

    /// The file of a module that is only named here, as `mod x;` of Rust does.
    fn module_elsewhere(&self, id: SymbolId) -> Option<Module> {
        let file = self.world.file(id.file);
        let symbol = &file.symbols()[id.symbol as usize];
        if symbol.kind != ChunkKind::Module || self.inference().has_parts(id) {
            return None;
        }
        let around = self.home_of(id.file, file.parents()[id.symbol as usize]);
        match (file.rules.within)(self, &around, &symbol.name)? {
            ResolvedTarget::Module(module) => Some(module),
            ResolvedTarget::Symbol(_) => None,
        }
    }
}

/// Returns the likeliest of several definitions of one name: the first that is no extension, else
/// the first.
fn best_child(mut found: Vec<u32>, kind: impl Fn(u32) -> ChunkKind) -> Option<u32> {
    found.sort_by_key(|&index| (kind(index) == ChunkKind::Extension, index));
    found.first().copied()
}
