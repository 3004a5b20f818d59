//! Bare names: the definition that a name means at a position.
//!
//! Contract:
//!
//! - The search order is: definitions around the position, the top level of the file, and imports;
//!   then submodule files, definitions that are visible without an import, and wildcard imports.
//!   The first that has the name hides the rest.
//! - The answer is a [`ScopeEntry`] with the targets, a confidence and a reason. `None` means that
//!   the name is unknown here; whether it then belongs to a library is a rule of the language.
//! - Each lookup that is not cached records the name as a dependency; a cached one already has.
//! - Names are cached by enclosing definition and namespace, and those found outside of all scopes
//!   by file, if [`is_cacheable`](crate::Resolver) allows it. Names that are visible without an
//!   import depend on facts alone and are always cached.
//! - Variables, parameters and assigned fields are no symbols. `binding_types` infers their types, and
//!   `macro_calls` resolves macro calls. Members after a dot are left to `members`.
//!
//! ```text
//! from pages import Page
//! def load():
//!     return Page()
//! ```
//!
//! `resolve_name` of `Page` inside of `load` is the class in pages.py, with the reason `Import`.

pub(crate) mod binding_types;
mod implicit_scope;
pub(crate) mod macro_calls;
mod namespaces;

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use foldhash::HashMap;

use crate::inference::Type;
use crate::resolver::resolver_view;
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::{ExportStyle, MemberAccess};
use crate::symbol_table::FileIndex;
use crate::symbol_table::file_symbols::FileSymbols;
use crate::symbol_table::{SymbolId, is_callable, is_type};
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference, ReferenceKind, Symbol};

/// The namespace of a lookup: types or values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// Types, modules and namespaces.
    Type,
    /// Everything that an expression can name, types included.
    Value,
}

/// The targets of a name in scope. There is at least one.
#[derive(Clone, Debug)]
pub struct ScopeEntry {
    /// Definitions of the name, or one module.
    pub targets: Vec<ResolvedTarget>,
    /// The strength of the evidence.
    pub confidence: Confidence,
    /// The scope in which the name was found.
    pub reason: Reason,
}

impl ScopeEntry {
    /// Makes an entry with high confidence; `None` if there are no targets.
    fn with_high_confidence(targets: Vec<ResolvedTarget>, reason: Reason) -> Option<ScopeEntry> {
        (!targets.is_empty()).then_some(ScopeEntry {
            targets,
            confidence: Confidence::High,
            reason,
        })
    }

    /// Returns the targets that are definitions.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.targets.iter().filter_map(|target| match target {
            ResolvedTarget::Symbol(id) => Some(*id),
            ResolvedTarget::Module(_) => None,
        })
    }
}

resolver_view! {
    /// Names in scope: definitions around a position, imports, neighbours, bindings, macros.
    Scopes
}

/// Cache of resolved names and assigned fields.
#[derive(Default)]
pub(crate) struct ScopeCache {
    /// Resolved names, by the scope that contains them.
    names: RefCell<HashMap<ScopeKey, NameCache>>,
    /// Names that no scope of the file defines or imports, by file.
    unscoped_names: RefCell<HashMap<(FileIndex, Namespace), NameCache>>,
    /// Names that are visible without an import, by file.
    visible_names: RefCell<HashMap<(FileIndex, Namespace), NameCache>>,
    /// Types of fields that are assigned and not declared, by owner and name.
    fields: RefCell<HashMap<(SymbolId, String), Option<Type>>>,
}

/// The definition around a position, and the namespace of the lookup.
type ScopeKey = (FileIndex, Option<u32>, Namespace);

/// Resolved names, also those that mean nothing, which are looked up as often.
type NameCache = HashMap<String, Option<Rc<ScopeEntry>>>;

impl<'t> Scopes<'_, 't> {
    /// Resolves a bare name at a position.
    pub fn resolve_name(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<Rc<ScopeEntry>> {
        let find = || {
            self.record_dependency(name);
            self.search_scopes(at, name, namespace)
        };
        let scope = (at.file, at.symbol, namespace);
        let found =
            get_or_resolve(&self.scope_cache.names, scope, name, find, || self.is_cacheable());
        found.map(|found| self.select_nearest_class(at, found))
    }

    /// Selects one of several JavaScript classes of one name: the last before the position, else
    /// one of another file, else the first. Such classes are in closures, whose extent is unknown.
    fn select_nearest_class(&self, at: Position, found: Rc<ScopeEntry>) -> Rc<ScopeEntry> {
        if found.targets.len() < 2 || !self.objects().has_open_objects(at.file) {
            return found;
        }
        let is_class = |id: &SymbolId| self.table.symbol(*id).kind == ChunkKind::Class;
        let start = |id: &SymbolId| self.table.symbol(*id).span.start_byte;
        let classes: Vec<SymbolId> = found.symbols().filter(is_class).collect();
        if classes.len() != found.targets.len() {
            return found;
        }
        let here = classes.iter().filter(|id| id.file == at.file);
        let before = here.filter(|id| start(id) < at.byte).max_by_key(|id| start(id));
        let elsewhere = || classes.iter().find(|id| id.file != at.file);
        let nearest = before.or_else(elsewhere).or(classes.first());
        nearest.map_or(found.clone(), |id| {
            Rc::new(ScopeEntry { targets: vec![ResolvedTarget::Symbol(*id)], ..(*found).clone() })
        })
    }

    /// Searches the scopes from the inside out.
    fn search_scopes(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<Rc<ScopeEntry>> {
        let rules = self.table.file(at.file).rules;
        if rules.has_nested_constants && name.starts_with(char::is_uppercase) {
            let found = self.inference().resolve_constant(at, &[name.to_string()]);
            // A constant may also hold a value, which is looked up as any other name.
            if let Some(id) = found {
                let targets = vec![ResolvedTarget::Symbol(id)];
                return ScopeEntry::with_high_confidence(targets, Reason::LexicalScope)
                    .map(Rc::new);
            }
        }
        self.find_in_enclosing(at, name, namespace)
            .or_else(|| self.find_at_top_level(at, name, namespace))
            .or_else(|| self.find_import(at, name))
            .or_else(|| self.find_in_namespaces(at, name, namespace))
            .map(Rc::new)
            .or_else(|| self.resolve_unscoped_name(at, name, namespace))
    }

    /// Resolves a name that no scope around it defines or imports. The result is the same for the
    /// whole file.
    fn resolve_unscoped_name(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<Rc<ScopeEntry>> {
        let find = || {
            let found = self.find_submodule_of_file(at, name).map(Rc::new);
            found
                .or_else(|| self.resolve_visible_name(at, name, namespace))
                .or_else(|| self.find_wildcard_import(at, name).map(Rc::new))
        };
        get_or_resolve(&self.scope_cache.unscoped_names, (at.file, namespace), name, find, || {
            self.is_cacheable()
        })
    }

    /// Finds a name in the definitions around a position, innermost first.
    fn find_in_enclosing(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<ScopeEntry> {
        let file = self.table.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let kind = file.symbols()[outer as usize].kind;
            // The body of a type holds members, which need a receiver in some languages.
            let holds_members = is_type(kind) || kind == ChunkKind::Extension;
            let found: Vec<ResolvedTarget> = file
                .children(Some(outer), name)
                .filter(|&index| self.is_seen_inside(file, outer, index, namespace))
                .map(|index| ResolvedTarget::symbol(at.file, index))
                .collect();
            if !found.is_empty() {
                return ScopeEntry::with_high_confidence(found, Reason::LexicalScope);
            }
            if holds_members
                && (file.rules.member_access == MemberAccess::Implicit
                    || namespace == Namespace::Type)
            {
                let members = self.implicit_members(at, outer, name, namespace);
                if !members.is_empty() {
                    return ScopeEntry::with_high_confidence(members, Reason::OwnMember);
                }
            }
            let members = self.members_of_written_scope(at, outer, name, namespace);
            if !members.is_empty() {
                return ScopeEntry::with_high_confidence(members, Reason::OwnMember);
            }
            // A `mod` block of Rust sees nothing of the module around it, so the search ends here.
            if kind == ChunkKind::Module && file.rules.module_tree.is_some() {
                return self.find_in_mod_block(at, outer, name);
            }
        }
        None
    }

    /// True if a definition directly inside of another is a bare name there.
    fn is_seen_inside(
        &self,
        file: &FileSymbols,
        outer: u32,
        index: u32,
        namespace: Namespace,
    ) -> bool {
        let (outer, symbol) = (&file.symbols()[outer as usize], &file.symbols()[index as usize]);
        let holds_members = is_type(outer.kind) || outer.kind == ChunkKind::Extension;
        // `object.name = …` in a function introduces no bare name.
        let scope = symbol.scope.as_deref().unwrap_or_default();
        let is_of_another = file.rules.open_objects.is_some()
            && !holds_members
            && !scope.ends_with(outer.name.as_str());
        let id = file.symbol_id(index);
        if is_of_another
            || self.has_written_scope(id)
            || self.is_constructor_of_namespaces(id)
            || !holds_members && is_object_property(file, symbol)
        {
            return false;
        }
        match namespace {
            Namespace::Type => is_type(symbol.kind),
            Namespace::Value => {
                symbol.kind != ChunkKind::Extension
                    && (!holds_members || file.rules.member_access == MemberAccess::Implicit)
            }
        }
    }

    /// Finds a name in a `mod` block, which sees its own imports and nothing of the module around
    /// it.
    fn find_in_mod_block(&self, at: Position, module: u32, name: &str) -> Option<ScopeEntry> {
        let found = self.modules().member_of(&ResolvedTarget::symbol(at.file, module), name)?;
        ScopeEntry::with_high_confidence(vec![found], Reason::Import)
    }

    /// Returns the members of the type around a position that a bare name can mean.
    fn implicit_members(
        &self,
        at: Position,
        outer: u32,
        name: &str,
        namespace: Namespace,
    ) -> Vec<ResolvedTarget> {
        let own = self.heritage().type_of_extension(SymbolId { file: at.file, symbol: outer });
        self.members_in_namespace(own, name, namespace)
    }

    /// Returns the members of a type and of its bases that are in a namespace.
    pub(super) fn members_in_namespace(
        &self,
        owner: SymbolId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<ResolvedTarget> {
        let found = self.members().members_with_bases(owner, name);
        let wanted = found.iter().copied().filter(|&id| match namespace {
            Namespace::Type => is_type(self.table.symbol(id).kind),
            Namespace::Value => !self.is_constructor_of_namespaces(id),
        });
        wanted.map(ResolvedTarget::Symbol).collect()
    }

    /// Finds a name among the top-level definitions of the file.
    fn find_at_top_level(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<ScopeEntry> {
        let file = self.table.file(at.file);
        let is_visible = |&index: &u32| {
            let symbol = &file.symbols()[index as usize];
            // A member that is assigned to `exports` or another object is no bare name.
            let is_assigned =
                file.rules.export_style == ExportStyle::Assigned && !is_type(symbol.kind);
            let is_member = symbol.scope.is_some() && (is_callable(symbol.kind) || is_assigned)
                || self.has_written_scope(file.symbol_id(index));
            is_in_namespace(symbol.kind, namespace) && !is_member
        };
        let symbols: Vec<u32> = file.children(None, name).filter(is_visible).collect();
        let is_variable = |&index: &u32| {
            let kind = file.symbols()[index as usize].kind;
            !is_type(kind) && !is_callable(kind)
        };
        // A variable may be the fallback of an import: `try: import x` and `except: x = None`.
        if !symbols.is_empty() && symbols.iter().all(is_variable) && self.is_imported(at, name) {
            return None;
        }
        let is_class = |&index: &u32| file.symbols()[index as usize].kind == ChunkKind::Class;
        let is_closed = self.objects().has_open_objects(at.file)
            && !symbols.is_empty()
            && symbols.iter().all(is_class);
        let mut targets: Vec<ResolvedTarget> =
            symbols.into_iter().map(|index| ResolvedTarget::symbol(at.file, index)).collect();
        // A file cannot import a name and also declare it at the top, so the class is in a closure.
        if is_closed && self.is_imported(at, name) {
            let imported = self.find_import(at, name);
            targets.extend(imported.into_iter().flat_map(|scoped| scoped.targets));
        }
        ScopeEntry::with_high_confidence(targets, Reason::SameFile)
    }

    /// True if the file imports the name, whatever the target.
    fn is_imported(&self, at: Position, name: &str) -> bool {
        let file = self.table.file(at.file);
        let mut imports = file.imports_named(name);
        imports.any(|import| import.kind == ReferenceKind::Import)
    }

    /// Finds a name among the imports that are visible at a position.
    fn find_import(&self, at: Position, name: &str) -> Option<ScopeEntry> {
        let file = self.table.file(at.file);
        // Imports of the innermost block come first.
        let around: Vec<u32> = file.ancestors(at.symbol).collect();
        let mut visible: Vec<&Reference> = file
            .imports_named(name)
            .filter(|import| import.container.is_none_or(|inside| around.contains(&inside)))
            .collect();
        visible.sort_by_key(|import| {
            let depth =
                import.container.and_then(|inside| around.iter().position(|&one| one == inside));
            depth.unwrap_or(usize::MAX)
        });
        let mut found = Vec::new();
        let mut block = None;
        for import in visible {
            // Imports of an outer block are hidden.
            if block.is_some_and(|block| block != import.container) {
                break;
            }
            if let Some(target) = self.modules().resolve_import_cached(at.file, import)
                && !found.contains(&target)
            {
                found.push(target);
                block = Some(import.container);
            }
            if !found.is_empty() && !file.rules.has_conditional_items {
                break;
            }
        }
        self.select_import_twin(at, found)
    }

    /// Selects among imports of one name in one block. Only one of them is compiled; shipped code
    /// does not use the one for tests.
    fn select_import_twin(&self, at: Position, found: Vec<ResolvedTarget>) -> Option<ScopeEntry> {
        let is_callable_target = |target: &ResolvedTarget| match target {
            ResolvedTarget::Symbol(id) => is_callable(self.table.symbol(*id).kind),
            ResolvedTarget::Module(_) => false,
        };
        let first = found.first().filter(|_| found.len() > 1);
        let Some(is_function) = first.map(is_callable_target) else {
            return ScopeEntry::with_high_confidence(found, Reason::Import);
        };
        // Modules and values have separate namespaces, so a module and a function do not conflict.
        let twins = found.into_iter().filter(|target| is_callable_target(target) == is_function);
        let twins: Vec<ResolvedTarget> = twins.collect();
        let is_test = |target: &ResolvedTarget| match target {
            ResolvedTarget::Symbol(id) => self.modules().is_test_code(*id),
            ResolvedTarget::Module(_) => false,
        };
        let file = self.table.file(at.file);
        let tests = at.symbol.is_some_and(|symbol| file.symbols()[symbol as usize].is_test);
        let shipped: Vec<ResolvedTarget> =
            twins.iter().filter(|target| !is_test(target)).cloned().collect();
        let targets = if tests || shipped.is_empty() { twins } else { shipped };
        let confidence = if targets.len() == 1 { Confidence::High } else { Confidence::Medium };
        Some(ScopeEntry { targets, confidence, reason: Reason::Import })
    }

    /// Finds a submodule of the file, which may be named without an import.
    fn find_submodule_of_file(&self, at: Position, name: &str) -> Option<ScopeEntry> {
        let file = self.table.file(at.file);
        let here = ResolvedTarget::Module(crate::modules::module_table::Module::File(at.file));
        let found = (file.rules.find_submodule)(self, &here, name)?;
        ScopeEntry::with_high_confidence(vec![found], Reason::QualifiedPath)
    }

    /// Finds a name in the modules whose members the file imports with `*`.
    pub fn find_wildcard_import(&self, at: Position, name: &str) -> Option<ScopeEntry> {
        let file = self.table.file(at.file);
        let all = file
            .imports()
            .iter()
            .filter(|import| import.name == "*" && import.labels.is_empty() || import.name == "_");
        for import in all {
            let target = self.modules().resolve_import_cached(at.file, import);
            let found = match target {
                Some(target) => self.with_budget(|| self.modules().member_of(&target, name)),
                None => self.find_in_package(at, import.receiver.as_deref(), name),
            };
            if let Some(found) = found {
                return ScopeEntry::with_high_confidence(vec![found], Reason::Import);
            }
        }
        None
    }

    /// Finds a top-level name of a package for `import a.b.*`, where packages are directories.
    fn find_in_package(
        &self,
        at: Position,
        package: Option<&str>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let wanted = package?.replace('.', "/");
        let mut named = self.definitions(name).iter().copied().filter(|&id| {
            let home = self.table.file(id.file).path.parent();
            self.table.parent(id).is_none()
                && home.as_str().ends_with(&wanted)
                && self.table.can_use(at.file, id.file)
        });
        named.next().map(ResolvedTarget::Symbol)
    }
}

/// Returns the cached result for a name, or computes it. It is cached if `is_final` holds after the
/// computation.
fn get_or_resolve<F: Eq + Hash>(
    cache: &RefCell<HashMap<F, NameCache>>,
    from: F,
    name: &str,
    find: impl FnOnce() -> Option<Rc<ScopeEntry>>,
    is_final: impl FnOnce() -> bool,
) -> Option<Rc<ScopeEntry>> {
    if let Some(found) = cache.borrow().get(&from).and_then(|names| names.get(name)) {
        return found.clone();
    }
    let found = find();
    if is_final() {
        let mut cache = cache.borrow_mut();
        let names = cache.entry(from).or_default();
        names.insert(name.to_string(), found.clone());
    }
    found
}

/// True if a definition of JavaScript is a property of an object literal, which is no bare name.
fn is_object_property(file: &FileSymbols, symbol: &Symbol) -> bool {
    if file.rules.open_objects.is_none() {
        return false;
    }
    // `{ open() {} }` and `{ open: () => {} }`
    let signature = symbol.signature.as_deref().unwrap_or_default();
    let after = signature.strip_prefix(symbol.name.as_str());
    symbol.kind == ChunkKind::Method || after.is_some_and(|after| after.starts_with(':'))
}

/// True if definitions of this kind are in the namespace.
fn is_in_namespace(kind: ChunkKind, namespace: Namespace) -> bool {
    match namespace {
        Namespace::Type => {
            is_type(kind) || kind == ChunkKind::Namespace || kind == ChunkKind::Module
        }
        Namespace::Value => kind != ChunkKind::Extension,
    }
}
