//! Resolves the references of one file: the resolver's state, and lookup in modules and types.
//! `scope` has names in scope, `members` has members, `infer` has expressions.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use super::cycle_memo::Asked;
use super::expression::{self, Expression};
use super::infer::{Type, Types};
use super::module_paths::Module;
use super::rules::Exports;
use super::scope::{NameKind, Scoped};
use super::symbol_table::{FileIndex, SymbolId, World, is_callable, is_type};
use super::type_expr::{self, TypeExpr};
use kenning_model::{ChunkKind, Reference, ReferenceKind};

/// The target of a path or an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedTarget {
    Symbol(SymbolId),
    Module(Module),
}

impl ResolvedTarget {
    pub fn symbol(file: FileIndex, symbol: u32) -> ResolvedTarget {
        ResolvedTarget::Symbol(SymbolId { file, symbol })
    }
}

/// Where something is written.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub file: FileIndex,
    /// The innermost definition around it.
    pub symbol: Option<u32>,
    pub byte: u32,
}

/// The longest chain of resolution steps. Longer chains lead nowhere.
const MAX_STEPS: usize = 100;

/// The limit of resolution steps for one name, over all chains that are tried. Types whose bounds
/// name each other could take too long without it.
const MAX_WORK: usize = 100_000;

/// The resolution of one file. What it has found out it keeps, in the order of the file's text, so
/// that the outcome depends on the facts alone.
pub struct Resolver<'w> {
    pub world: &'w World,
    /// Every name that was looked up.
    touched: RefCell<HashSet<String>>,
    pub(super) returned: RefCell<HashMap<SymbolId, Type>>,
    /// Fields that are only assigned, by their type and name.
    pub(super) fields: RefCell<HashMap<(SymbolId, String), Option<Type>>>,
    /// The extensions of types, and the type of each extension.
    pub(super) extended: RefCell<HashMap<SymbolId, Rc<[SymbolId]>>>,
    pub(super) extending: RefCell<HashMap<SymbolId, SymbolId>>,
    pub(super) based: RefCell<HashMap<SymbolId, Types>>,
    /// Members of types and of their bases, by name.
    pub(super) inherited: RefCell<HashMap<SymbolId, Named>>,
    /// How many types' bases are being found, one for the other.
    pub(super) open_bases: Cell<usize>,
    /// Parameters of which it is being found what is said of them: they may be named in it.
    pub(super) open_parameters: RefCell<Vec<(SymbolId, String)>>,
    /// Cache of the associated types of Rust types, by name.
    pub(super) associated: RefCell<HashMap<SymbolId, HashMap<String, Option<Type>>>>,
    /// Cache of resolved names, by the scope that contains them.
    pub(super) meant: RefCell<HashMap<NameScope, NameCache>>,
    /// Cache of names that no scope of the file defines or imports, by file.
    pub(super) beyond: RefCell<HashMap<(FileIndex, NameKind), NameCache>>,
    /// Those of them that can be used without an import.
    pub(super) near: RefCell<HashMap<(FileIndex, NameKind), NameCache>>,
    /// Cache of resolved imports, by the address of the reference.
    imported: RefCell<HashMap<*const Reference, Option<ResolvedTarget>>>,
    /// Caches of parsed types and expressions, by their text.
    written: RefCell<HashMap<String, Rc<TypeExpr>>>,
    expressions: RefCell<HashMap<String, Rc<Expression>>>,
    /// Memo of module exports that were looked up.
    exports: Asked<Export, ResolvedTarget>,
    steps: Cell<usize>,
    work: Cell<usize>,
}

/// The definition around a place, and what kind of thing is looked for there.
pub(super) type NameScope = (FileIndex, Option<u32>, NameKind);

/// Definitions by name.
pub(super) type Named = HashMap<String, Rc<[SymbolId]>>;

/// By name.
pub(super) type NameCache = HashMap<String, Option<Rc<Scoped>>>;

/// A name that a file, or a block in it, may give.
type Export = (FileIndex, Option<u32>, String);

impl<'w> Resolver<'w> {
    pub fn new(world: &'w World) -> Resolver<'w> {
        Resolver {
            world,
            touched: RefCell::default(),
            returned: RefCell::default(),
            fields: RefCell::default(),
            extended: RefCell::default(),
            extending: RefCell::default(),
            based: RefCell::default(),
            inherited: RefCell::default(),
            open_bases: Cell::new(0),
            open_parameters: RefCell::default(),
            associated: RefCell::default(),
            meant: RefCell::default(),
            beyond: RefCell::default(),
            near: RefCell::default(),
            imported: RefCell::default(),
            written: RefCell::default(),
            expressions: RefCell::default(),
            exports: Asked::default(),
            steps: Cell::new(0),
            work: Cell::new(0),
        }
    }

    /// The next name is looked at.
    pub fn begin(&self) {
        self.work.set(0);
    }

    /// Every name that was looked up.
    pub fn into_touched(self) -> HashSet<String> {
        self.touched.into_inner()
    }

    /// True if an answer that is found now is the answer for good: not one that lacks what is just
    /// being found out, or what is too far away.
    pub(super) fn is_for_good(&self) -> bool {
        self.open_bases.get() == 0
            && self.open_parameters.borrow().is_empty()
            && self.exports.is_idle()
            && self.steps.get() < MAX_STEPS / 2
            && self.work.get() < MAX_WORK
    }

    pub fn touch(&self, name: &str) {
        let mut touched = self.touched.borrow_mut();
        if !touched.contains(name) {
            touched.insert(name.to_string());
        }
    }

    /// A type, read.
    pub fn written(&self, text: &str) -> Rc<TypeExpr> {
        read_once(&self.written, text, type_expr::parse)
    }

    /// An expression, read.
    pub fn expression(&self, text: &str) -> Rc<Expression> {
        read_once(&self.expressions, text, expression::parse)
    }

    /// Every definition of this name.
    pub fn named(&self, name: &str) -> &'w [SymbolId] {
        self.touch(name);
        self.world.named(name)
    }

    /// Resolves an import that the symbol table stores, and caches the target. The address is a
    /// safe key, because stored imports do not move.
    pub fn known_import(&self, file: FileIndex, import: &'w Reference) -> Option<ResolvedTarget> {
        if let Some(known) = self.imported.borrow().get(&std::ptr::from_ref(import)) {
            return known.clone();
        }
        let found = self.imported(file, import);
        if self.is_for_good() {
            let mut imported = self.imported.borrow_mut();
            imported.insert(std::ptr::from_ref(import), found.clone());
        }
        found
    }

    /// Resolves an import of a file.
    pub fn imported(&self, file: FileIndex, import: &Reference) -> Option<ResolvedTarget> {
        let module = import.receiver.as_deref().unwrap_or(&import.name);
        // A file that appears under this name, or goes, would change it.
        let last = module.rsplit(['/', '.', ':', '\\']).find(|part| part.len() > 2);
        self.touch(super::module_paths::stem(last.unwrap_or(module)));
        self.deeper(|| (self.world.file(file).rules.imported)(self, file, import))
    }

    /// Runs one step further down, unless that is too deep or there were too many.
    pub fn deeper<T: Default>(&self, step: impl FnOnce() -> T) -> T {
        if self.steps.get() >= MAX_STEPS || self.work.get() >= MAX_WORK {
            return T::default();
        }
        self.work.set(self.work.get() + 1);
        self.steps.set(self.steps.get() + 1);
        let found = step();
        self.steps.set(self.steps.get() - 1);
        found
    }

    /// Finds the export of this name in a module.
    pub fn exported(&self, module: &Module, name: &str) -> Option<ResolvedTarget> {
        self.touch(name);
        self.deeper(|| match module {
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
        self.exports.once(export, || self.look_into(file, inside, name))
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
            imports.retain(|import| import.inside == inside);
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
                    let found = self.deeper(|| self.step(&target, name));
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
            && scope.is_some_and(|scope| !super::commonjs::EXPORTS.contains(&scope));
        let is_import = || {
            let mut imports = facts.imports_of(&symbol.name);
            imports.any(|import| import.receiver.is_some() && import.inside == inside)
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
            let own = self.deeper(|| self.exported_by_file(file, None, &import.name));
            return own.or_else(|| {
                let mut imports = self.world.file(file).imports_of(&import.name);
                imports.find_map(|import| self.known_import(file, import))
            });
        }
        self.known_import(file, import)
    }

    /// Finds the member `name` of a module or a type.
    pub fn step(&self, target: &ResolvedTarget, name: &str) -> Option<ResolvedTarget> {
        self.touch(name);
        match target {
            ResolvedTarget::Module(module) => self.exported(module, name),
            ResolvedTarget::Symbol(id) => {
                let kind = self.world.symbol(*id).kind;
                if is_type(kind) || kind == ChunkKind::Extension {
                    let type_id = self.type_of_extension(*id);
                    let found = self.own_members(type_id, name);
                    return found.first().copied().map(ResolvedTarget::Symbol);
                }
                if self.is_script(id.file)
                    && kind != ChunkKind::Namespace
                    && kind != ChunkKind::Module
                {
                    let found = self.object_members(*id, name);
                    if let Some(first) = found.first() {
                        return Some(ResolvedTarget::Symbol(*first));
                    }
                }
                if let Some(module) = self.module_elsewhere(*id) {
                    return self.exported(&module, name);
                }
                self.deeper(|| self.exported_by_file(id.file, Some(id.symbol), name))
            }
        }
    }

    /// The file of a module that is only named here, as `mod x;` of Rust does.
    fn module_elsewhere(&self, id: SymbolId) -> Option<Module> {
        let file = self.world.file(id.file);
        let symbol = &file.symbols()[id.symbol as usize];
        if symbol.kind != ChunkKind::Module || self.has_parts(id) {
            return None;
        }
        let around = self.home_of(id.file, file.parents()[id.symbol as usize]);
        match (file.rules.within)(self, &around, &symbol.name)? {
            ResolvedTarget::Module(module) => Some(module),
            ResolvedTarget::Symbol(_) => None,
        }
    }
}

/// Parses a text, or returns the cached result. Most texts occur in a file more than once: `self`,
/// a type.
fn read_once<T>(
    known: &RefCell<HashMap<String, Rc<T>>>,
    text: &str,
    read: impl FnOnce(&str) -> T,
) -> Rc<T> {
    if let Some(known) = known.borrow().get(text) {
        return known.clone();
    }
    let found = Rc::new(read(text));
    known.borrow_mut().insert(text.to_string(), found.clone());
    found
}

/// Returns the likeliest of several definitions of one name: the first that is no extension, else
/// the first.
fn best_child(mut found: Vec<u32>, kind: impl Fn(u32) -> ChunkKind) -> Option<u32> {
    found.sort_by_key(|&index| (kind(index) == ChunkKind::Extension, index));
    found.first().copied()
}
