//! Resolves a bare name at its place: definitions around it, imports, neighbours.

pub(crate) mod bindings;
pub(crate) mod macros;

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use foldhash::HashMap;

use crate::inference::Type;
use crate::resolver::part;
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::{Exports, Members, Reach};
use crate::symbol_table::FileIndex;
use crate::symbol_table::file_symbols::File;
use crate::symbol_table::{SymbolId, is_callable, is_type};
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference, ReferenceKind, Symbol};

/// The namespace of a lookup: types or values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameKind {
    Type,
    Value,
}

/// The targets of a name in scope, with the confidence and the reason.
#[derive(Clone, Debug)]
pub struct Scoped {
    pub targets: Vec<ResolvedTarget>,
    pub confidence: Confidence,
    pub reason: Reason,
}

impl Scoped {
    fn sure(targets: Vec<ResolvedTarget>, reason: Reason) -> Option<Scoped> {
        (!targets.is_empty()).then_some(Scoped { targets, confidence: Confidence::High, reason })
    }

    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.targets.iter().filter_map(|target| match target {
            ResolvedTarget::Symbol(id) => Some(*id),
            ResolvedTarget::Module(_) => None,
        })
    }
}

part! {
    /// Names in scope: definitions around a position, imports, neighbours, bindings, macros.
    Scopes
}

/// What the part has found out.
#[derive(Default)]
pub(crate) struct ScopeCache {
    /// Resolved names, by the scope that contains them.
    names: RefCell<HashMap<NameScope, NameCache>>,
    /// Names that no scope of the file defines or imports, by file.
    beyond: RefCell<HashMap<(FileIndex, NameKind), NameCache>>,
    /// Those of them that can be used without an import.
    near: RefCell<HashMap<(FileIndex, NameKind), NameCache>>,
    /// Fields that are only assigned, by their type and name.
    fields: RefCell<HashMap<(SymbolId, String), Option<Type>>>,
}

/// The definition around a position, and the namespace of the lookup.
type NameScope = (FileIndex, Option<u32>, NameKind);

type NameCache = HashMap<String, Option<Rc<Scoped>>>;

impl<'w> Scopes<'_, 'w> {
    /// The definitions, or the module, that `name` means here.
    pub fn lookup(&self, at: Position, name: &str, want: NameKind) -> Option<Rc<Scoped>> {
        let find = || {
            self.record_dependency(name);
            self.look_around(at, name, want)
        };
        let scope = (at.file, at.symbol, want);
        let found = once(&self.scope_cache.names, scope, name, find, || self.is_cacheable());
        found.map(|found| self.nearest(at, found))
    }

    /// Selects one of several JavaScript classes of one name: the last before this place, else one
    /// of another file, else the first. Such classes are in closures, whose extent is unknown.
    fn nearest(&self, at: Position, found: Rc<Scoped>) -> Rc<Scoped> {
        if found.targets.len() < 2 || !self.objects().is_script(at.file) {
            return found;
        }
        let is_class = |id: &SymbolId| self.world.symbol(*id).kind == ChunkKind::Class;
        let start = |id: &SymbolId| self.world.symbol(*id).span.start_byte;
        let classes: Vec<SymbolId> = found.symbols().filter(is_class).collect();
        if classes.len() != found.targets.len() {
            return found;
        }
        let here = classes.iter().filter(|id| id.file == at.file);
        let before = here.filter(|id| start(id) < at.byte).max_by_key(|id| start(id));
        let elsewhere = || classes.iter().find(|id| id.file != at.file);
        let meant = before.or_else(elsewhere).or(classes.first());
        meant.map_or(found.clone(), |id| {
            Rc::new(Scoped { targets: vec![ResolvedTarget::Symbol(*id)], ..(*found).clone() })
        })
    }

    fn look_around(&self, at: Position, name: &str, want: NameKind) -> Option<Rc<Scoped>> {
        self.enclosing(at, name, want)
            .or_else(|| self.at_top(at, name, want))
            .or_else(|| self.through_imports(at, name))
            .map(Rc::new)
            .or_else(|| self.beyond(at, name, want))
    }

    /// Resolves a name that no scope around it defines or imports. The result is the same for the
    /// whole file.
    fn beyond(&self, at: Position, name: &str, want: NameKind) -> Option<Rc<Scoped>> {
        let find = || {
            let found = self.in_file_modules(at, name).map(Rc::new);
            found
                .or_else(|| self.neighbours(at, name, want))
                .or_else(|| self.through_wildcards(at, name).map(Rc::new))
        };
        once(&self.scope_cache.beyond, (at.file, want), name, find, || self.is_cacheable())
    }

    /// Finds the name in the definitions around this place.
    fn enclosing(&self, at: Position, name: &str, want: NameKind) -> Option<Scoped> {
        let file = self.world.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let kind = file.symbols()[outer as usize].kind;
            let holds_members = is_type(kind) || kind == ChunkKind::Extension;
            let outer_name = file.symbols()[outer as usize].name.as_str();
            let is_seen = |index: &u32| {
                let symbol = &file.symbols()[*index as usize];
                let inner = symbol.kind;
                // `object.name = …` in a function of JavaScript defines no name in it.
                let scope = symbol.scope.as_deref().unwrap_or_default();
                let is_of_another = file.rules.family == "ecmascript"
                    && !holds_members
                    && !scope.ends_with(outer_name);
                match want {
                    _ if is_of_another || !holds_members && is_part(file, symbol) => false,
                    NameKind::Type => is_type(inner),
                    NameKind::Value => {
                        inner != ChunkKind::Extension
                            && (!holds_members || file.rules.members == Members::Implicit)
                    }
                }
            };
            let found = file.children(Some(outer), name).filter(is_seen);
            let found: Vec<ResolvedTarget> =
                found.map(|index| ResolvedTarget::symbol(at.file, index)).collect();
            if !found.is_empty() {
                return Scoped::sure(found, Reason::LexicalScope);
            }
            if holds_members && (file.rules.members == Members::Implicit || want == NameKind::Type)
            {
                let members = self.implicit_members(at, outer, name, want);
                if !members.is_empty() {
                    return Scoped::sure(members, Reason::OwnMember);
                }
            }
            if kind == ChunkKind::Module && file.language == "rust" {
                return self.step_into(at, outer, name);
            }
        }
        None
    }

    /// Finds a name in a `mod` block, which sees its own imports and nothing of the module around
    /// it.
    fn step_into(&self, at: Position, module: u32, name: &str) -> Option<Scoped> {
        let found = self.modules().step(&ResolvedTarget::symbol(at.file, module), name)?;
        Scoped::sure(vec![found], Reason::Import)
    }

    fn implicit_members(
        &self,
        at: Position,
        outer: u32,
        name: &str,
        want: NameKind,
    ) -> Vec<ResolvedTarget> {
        let own = self.heritage().type_of_extension(SymbolId { file: at.file, symbol: outer });
        let found = self.members().members_with_bases(own, name);
        let kept = found.iter().copied().filter(|&id| match want {
            NameKind::Type => is_type(self.world.symbol(id).kind),
            NameKind::Value => true,
        });
        kept.map(ResolvedTarget::Symbol).collect()
    }

    fn at_top(&self, at: Position, name: &str, want: NameKind) -> Option<Scoped> {
        let file = self.world.file(at.file);
        let found = file.children(None, name).filter(|&index| {
            let symbol = &file.symbols()[index as usize];
            // A member that is assigned to `exports` or another object is no bare name.
            let is_assigned = file.rules.exports == Exports::Assigned && !is_type(symbol.kind);
            let is_member = symbol.scope.is_some() && (is_callable(symbol.kind) || is_assigned);
            fits(symbol.kind, want) && !is_member
        });
        let found: Vec<u32> = found.collect();
        let is_variable = |&index: &u32| {
            let kind = file.symbols()[index as usize].kind;
            !is_type(kind) && !is_callable(kind)
        };
        // A variable that stands in for an import that may fail.
        if !found.is_empty() && found.iter().all(is_variable) && self.imports(at, name) {
            return None;
        }
        let is_class = |&index: &u32| file.symbols()[index as usize].kind == ChunkKind::Class;
        let is_closed =
            self.objects().is_script(at.file) && !found.is_empty() && found.iter().all(is_class);
        let found = found.into_iter().map(|index| ResolvedTarget::symbol(at.file, index));
        let mut found: Vec<ResolvedTarget> = found.collect();
        // A file cannot import a name and also declare it at the top, so the class is in a closure.
        if is_closed && self.imports(at, name) {
            let imported = self.through_imports(at, name);
            found.extend(imported.into_iter().flat_map(|scoped| scoped.targets));
        }
        Scoped::sure(found, Reason::SameFile)
    }

    fn imports(&self, at: Position, name: &str) -> bool {
        let file = self.world.file(at.file);
        let mut imports = file.imports_of(name);
        imports.any(|import| import.kind == ReferenceKind::Import)
    }

    fn through_imports(&self, at: Position, name: &str) -> Option<Scoped> {
        let file = self.world.file(at.file);
        // Imports of the innermost block come first.
        let around: Vec<u32> = file.ancestors(at.symbol).collect();
        let named = file.imports_of(name);
        let mut named: Vec<&Reference> = named
            .filter(|import| import.container.is_none_or(|inside| around.contains(&inside)))
            .collect();
        named.sort_by_key(|import| {
            let depth =
                import.container.and_then(|inside| around.iter().position(|&one| one == inside));
            depth.unwrap_or(usize::MAX)
        });
        for import in named {
            let found = self.modules().known_import(at.file, import);
            if let Some(target) = found {
                return Scoped::sure(vec![target], Reason::Import);
            }
        }
        None
    }

    /// A module whose file lies where this file's modules lie.
    fn in_file_modules(&self, at: Position, name: &str) -> Option<Scoped> {
        let file = self.world.file(at.file);
        let here = ResolvedTarget::Module(crate::modules::module_paths::Module::File(at.file));
        let found = (file.rules.within)(self, &here, name)?;
        Scoped::sure(vec![found], Reason::QualifiedPath)
    }

    /// Finds names that are visible without an import. The result depends on the facts alone, so it
    /// is always cached.
    fn neighbours(&self, at: Position, name: &str, want: NameKind) -> Option<Rc<Scoped>> {
        let find = || self.find_neighbours(at, name, want).map(Rc::new);
        once(&self.scope_cache.near, (at.file, want), name, find, || true)
    }

    fn find_neighbours(&self, at: Position, name: &str, want: NameKind) -> Option<Scoped> {
        let file = self.world.file(at.file);
        if file.rules.reach == Reach::File {
            return None;
        }
        let home = file.rules.home(file);
        if file.rules.reach == Reach::Namespace {
            // A file that begins to be in it, or no longer is, would change it.
            self.record_dependency(home.rsplit('\\').next().unwrap_or_default());
        }
        let named = self.definitions(name).iter().copied().filter(|&id| {
            let symbol = self.world.symbol(id);
            let other = self.world.file(id.file);
            let is_member = self.world.parent(id).is_some_and(|parent| {
                let kind = self.world.symbol(parent).kind;
                is_type(kind) || kind == ChunkKind::Extension || is_callable(kind)
            }) || symbol.scope.is_some()
                && is_callable(symbol.kind)
                && self.world.parent(id).is_none();
            fits(symbol.kind, want)
                && (!is_member || want == NameKind::Type && is_type(symbol.kind))
                && self.world.can_use(at.file, id.file)
                && (file.rules.reach == Reach::Package || file.rules.home(other) == home)
        });
        let mut named: Vec<(usize, SymbolId)> =
            named.map(|id| (self.distance(at, id), id)).collect();
        let nearest = named.iter().map(|(distance, _)| *distance).min()?;
        named.retain(|(distance, _)| *distance == nearest);
        named.sort_unstable();
        let named: Vec<SymbolId> = named.into_iter().map(|(_, id)| id).collect();
        let reason = match nearest {
            0 | 1 => Reason::SameDirectory,
            2 => Reason::SamePackage,
            _ => Reason::OtherPackage,
        };
        let is_one = named.len() == 1 || is_callable(self.world.symbol(named[0]).kind);
        let confidence = if is_one && nearest < 3 || named.len() == 1 {
            Confidence::High
        } else {
            Confidence::Medium
        };
        Some(Scoped {
            targets: named.into_iter().map(ResolvedTarget::Symbol).collect(),
            confidence,
            reason,
        })
    }

    /// How far a definition is: same file, directory, package, elsewhere; what stands in another
    /// type is further.
    pub fn distance(&self, at: Position, id: SymbolId) -> usize {
        let (here, there) = (self.world.file(at.file), self.world.file(id.file));
        let nested = usize::from(self.world.parent(id).is_some()) * 4;
        let distance = match () {
            () if at.file == id.file => 0,
            () if here.rules.home(here) == here.rules.home(there) => 1,
            () if here.package == there.package => 2,
            () => 3,
        };
        distance + nested
    }

    pub fn through_wildcards(&self, at: Position, name: &str) -> Option<Scoped> {
        let file = self.world.file(at.file);
        let all = file
            .imports()
            .iter()
            .filter(|import| import.name == "*" && import.labels.is_empty() || import.name == "_");
        for import in all {
            let target = self.modules().known_import(at.file, import);
            let found = match target {
                Some(target) => self.with_budget(|| self.modules().step(&target, name)),
                None => self.in_package(at, import.receiver.as_deref(), name),
            };
            if let Some(found) = found {
                return Scoped::sure(vec![found], Reason::Import);
            }
        }
        None
    }

    /// `import a.b.*`, where packages are directories.
    fn in_package(
        &self,
        at: Position,
        package: Option<&str>,
        name: &str,
    ) -> Option<ResolvedTarget> {
        let wanted = package?.replace('.', "/");
        let mut named = self.definitions(name).iter().copied().filter(|&id| {
            let home = self.world.file(id.file).path.parent();
            self.world.parent(id).is_none()
                && home.as_str().ends_with(&wanted)
                && self.world.can_use(at.file, id.file)
        });
        named.next().map(ResolvedTarget::Symbol)
    }
}

/// Returns the cached result for a name, or computes it. It is cached if `is_for_good` says that it
/// is final.
fn once<F: Eq + Hash>(
    known: &RefCell<HashMap<F, NameCache>>,
    from: F,
    name: &str,
    find: impl FnOnce() -> Option<Rc<Scoped>>,
    is_for_good: impl FnOnce() -> bool,
) -> Option<Rc<Scoped>> {
    if let Some(found) = known.borrow().get(&from).and_then(|names| names.get(name)) {
        return found.clone();
    }
    let found = find();
    if is_for_good() {
        let mut known = known.borrow_mut();
        let names = known.entry(from).or_default();
        names.insert(name.to_string(), found.clone());
    }
    found
}

/// True if a function of JavaScript is a part of an object that is written out, and so no name in it.
fn is_part(file: &File, symbol: &Symbol) -> bool {
    if file.rules.family != "ecmascript" {
        return false;
    }
    // `{ open() {} }` and `{ open: () => {} }`
    let signature = symbol.signature.as_deref().unwrap_or_default();
    let after = signature.strip_prefix(symbol.name.as_str());
    symbol.kind == ChunkKind::Method || after.is_some_and(|after| after.starts_with(':'))
}

fn fits(kind: ChunkKind, want: NameKind) -> bool {
    match want {
        NameKind::Type => {
            is_type(kind) || kind == ChunkKind::Namespace || kind == ChunkKind::Module
        }
        NameKind::Value => kind != ChunkKind::Extension,
    }
}
