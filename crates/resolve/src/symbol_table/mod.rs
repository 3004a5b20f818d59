//! The symbol table: the definitions, imports, bindings and heritage clauses of every file, and the
//! indexes by which resolution finds them.
//!
//! Contract:
//!
//! - It answers lookups by name ([`SymbolTable::definitions`] and its variants), by path
//!   ([`SymbolTable::modules`]) and within one file ([`file_symbols::FileSymbols`]). It infers
//!   nothing, and applies no scope: visibility by package is a separate question,
//!   [`SymbolTable::can_use`].
//! - Results list definitions in the order of files, and within a file in the order of the text, no
//!   matter how the facts were loaded. Resolution relies on this order to be deterministic.
//! - Facts load on first use, or all at once with [`SymbolTable::load_all`]. After that, a lookup
//!   is one hash probe. Before that, the first lookup of a name asks the source for the files with
//!   that key; the list is then cached.
//! - It is shared between threads and does not know who asks. The caller records dependencies, see
//!   `Resolver::record_dependency`.
//!
//! ```text
//! // a.go
//! type Page struct{}
//! // b.go
//! func (p Page) Open() {}
//! ```
//!
//! `types("Page")` is the struct, and `out_of_line_members("Page")` is `Open`.

pub mod fact_source;
pub mod file_symbols;

use std::sync::Arc;

use elsa::sync::FrozenMap;
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use crate::inference::type_params::TypeParameters;
use crate::modules::module_table::ModuleTable;
use crate::modules::package_visibility::Packages;
use crate::rules::Rules;
use crate::symbol_table::fact_source::FactSource;
use crate::symbol_table::file_symbols::FileSymbols;
use kenning_model::{ChunkKind, GraphFile, LookupKey, Progress, Reference, Symbol};

/// The index of a file in [`SymbolTable::files`].
pub type FileIndex = u32;

/// A definition: its file, and its index in the symbols of that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId {
    /// The file that contains it.
    pub file: FileIndex,
    /// The index in [`file_symbols::FileSymbols::symbols`].
    pub symbol: u32,
}

/// The symbols of all files, with indexes by name.
pub struct SymbolTable {
    /// All files, in the order of the store.
    pub files: Vec<FileSymbols>,
    /// The packages that own the files.
    pub packages: Packages,
    /// Files and directories by path.
    pub modules: ModuleTable,
    /// The source of facts that are not yet loaded.
    source: Arc<dyn FactSource>,
    /// All definitions by name.
    definitions: SymbolIndex,
    /// Types by name.
    types: SymbolIndex,
    /// Extensions and impls by the name of the extended type.
    extensions: SymbolIndex,
    /// Members defined outside of their type, by the name of the type.
    out_of_line_members: SymbolIndex,
    /// Requirements of structural interfaces, by the name of the method or of the embedded
    /// interface.
    required_members: SymbolIndex,
}

/// Definitions by name, in the order of files: complete from the start, or filled lookup by lookup.
#[derive(Default)]
struct SymbolIndex {
    /// The definitions of every name, if all files were loaded.
    complete: Option<HashMap<String, Vec<SymbolId>>>,
    /// The definitions of the names that were looked up. Append-only, so that lookups can return
    /// references while other threads insert.
    cached: FrozenMap<String, Box<[SymbolId]>>,
}

impl SymbolIndex {
    /// Returns the definitions under a name, found now if they were not before.
    fn get_or_find(&self, name: &str, find: impl FnOnce() -> Vec<SymbolId>) -> &[SymbolId] {
        if let Some(all) = &self.complete {
            return all.get(name).map_or(&[], Vec::as_slice);
        }
        let known = self.cached.get(name);
        known.unwrap_or_else(|| self.cached.insert(name.to_string(), find().into()))
    }

    /// Builds a complete index.
    fn build<'n>(all: impl Iterator<Item = (&'n str, SymbolId)>) -> SymbolIndex {
        let mut lists: HashMap<String, Vec<SymbolId>> = HashMap::new();
        for (name, id) in all {
            match lists.get_mut(name) {
                Some(known) => known.push(id),
                None => {
                    lists.insert(name.to_string(), vec![id]);
                }
            }
        }
        SymbolIndex { complete: Some(lists), cached: FrozenMap::default() }
    }
}

impl SymbolTable {
    /// Makes a table that loads the facts of a file on first use. `rules_of` returns the rules of a
    /// language by its name.
    pub fn new(
        files: Vec<GraphFile>,
        packages: Packages,
        source: Arc<dyn FactSource>,
        rules_of: fn(&str) -> &'static Rules,
    ) -> SymbolTable {
        let files: Vec<FileSymbols> = files
            .into_iter()
            .enumerate()
            .map(|(index, file)| {
                let rules = rules_of(&file.language);
                FileSymbols::new(index as FileIndex, file, rules, &packages, &source)
            })
            .collect();
        SymbolTable {
            modules: ModuleTable::new(&files),
            files,
            packages,
            source,
            definitions: SymbolIndex::default(),
            types: SymbolIndex::default(),
            extensions: SymbolIndex::default(),
            out_of_line_members: SymbolIndex::default(),
            required_members: SymbolIndex::default(),
        }
    }

    /// Loads all files in parallel, which is faster than loading most of them one by one. If it is
    /// cancelled, it stops early and the table stays lazy.
    pub fn load_all(&mut self, progress: &dyn Progress) {
        let files = self.files.par_iter();
        // `take_any_while` stops all threads soon after cancellation.
        let wanted = files.take_any_while(|_| !progress.is_cancelled());
        wanted.for_each(FileSymbols::load);
        if progress.is_cancelled() {
            return;
        }
        let files = &self.files;
        let all = |is_wanted: fn(ChunkKind) -> bool| {
            files.iter().flat_map(move |file| {
                let symbols = file.symbols().iter().enumerate();
                let wanted = symbols.filter(move |(_, symbol)| is_wanted(symbol.kind));
                wanted.map(|(index, symbol)| (symbol.name.as_str(), file.symbol_id(index as u32)))
            })
        };
        // The five indexes are independent, so they are built in parallel.
        let kinds = || (SymbolIndex::build(all(is_type)), SymbolIndex::build(all(is_extension)));
        let others = || {
            let out_of_line_members =
                SymbolIndex::build(files.iter().flat_map(FileSymbols::out_of_line_members));
            (
                out_of_line_members,
                SymbolIndex::build(files.iter().flat_map(FileSymbols::requirements)),
            )
        };
        let ((types, extensions), (out_of_line_members, required_members), definitions);
        (definitions, ((types, extensions), (out_of_line_members, required_members))) =
            rayon::join(|| SymbolIndex::build(all(|_| true)), || rayon::join(kinds, others));
        (self.definitions, self.types, self.extensions) = (definitions, types, extensions);
        (self.out_of_line_members, self.required_members) = (out_of_line_members, required_members);
    }

    /// Frees the table on all threads. A file has thousands of strings, so one thread takes long.
    pub fn drop_parallel(self) {
        let SymbolTable { files, .. } = self;
        files.into_par_iter().for_each(drop);
    }

    /// Returns every definition of a name.
    pub fn definitions(&self, name: &str) -> &[SymbolId] {
        self.definitions.get_or_find(name, || {
            let files = self.files_with(LookupKey::Name(name));
            let definitions = files.flat_map(|file| {
                let places = file.symbols_named(name);
                places.map(|symbol| file.symbol_id(symbol))
            });
            definitions.collect()
        })
    }

    /// Returns the types of a name.
    pub fn types(&self, name: &str) -> &[SymbolId] {
        self.types.get_or_find(name, || self.definitions_of_kind(name, is_type))
    }

    /// Returns the extensions and impls of types of a name.
    pub fn extensions(&self, name: &str) -> &[SymbolId] {
        let find = || self.definitions_of_kind(name, is_extension);
        self.extensions.get_or_find(name, find)
    }

    /// Returns the definitions of a name whose kind fits.
    fn definitions_of_kind(&self, name: &str, is_wanted: fn(ChunkKind) -> bool) -> Vec<SymbolId> {
        let definitions = self.definitions(name).iter().copied();
        definitions.filter(|&id| is_wanted(self.symbol(id).kind)).collect()
    }

    /// Returns the members that are defined outside of the type of this name: methods of Go, member
    /// functions of C++, assigned members of JavaScript.
    pub fn out_of_line_members(&self, owner: &str) -> &[SymbolId] {
        self.out_of_line_members.get_or_find(owner, || {
            let files = self.files_with(LookupKey::OutOfLineMembers(owner));
            let all = files.flat_map(FileSymbols::out_of_line_members);
            all.filter(|(name, _)| *name == owner).map(|(_, id)| id).collect()
        })
    }

    /// Returns the methods of this name that structural interfaces require, and the interfaces that
    /// embed an interface of this name.
    pub fn required_members(&self, name: &str) -> &[SymbolId] {
        self.required_members.get_or_find(name, || {
            let files = self.files_with(LookupKey::RequiredMember(name));
            let all = files.flat_map(FileSymbols::requirements);
            all.filter(|(required_members, _)| *required_members == name)
                .map(|(_, id)| id)
                .collect()
        })
    }

    /// Loads all references of a file. They are not kept: only the file's own resolution needs
    /// them.
    pub fn references(&self, file: FileIndex) -> Vec<Reference> {
        self.source.references(file)
    }

    /// Returns the files that the source finds under a key.
    fn files_with(&self, key: LookupKey) -> impl Iterator<Item = &FileSymbols> {
        let files = self.source.files_with(key).into_iter();
        files.map(|file| self.file(file))
    }

    /// Returns a file.
    pub fn file(&self, file: FileIndex) -> &FileSymbols {
        &self.files[file as usize]
    }

    /// Returns the facts of a definition.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.file(id.file).symbols()[id.symbol as usize]
    }

    /// Returns the type parameters that a generic definition declares.
    pub fn type_parameters(&self, id: SymbolId) -> &TypeParameters {
        self.file(id.file).type_parameters(id.symbol)
    }

    /// Returns the definition that directly encloses another.
    pub fn parent(&self, id: SymbolId) -> Option<SymbolId> {
        let parent = self.file(id.file).parents()[id.symbol as usize];
        parent.map(|symbol| SymbolId { symbol, ..id })
    }

    /// True if code of one file can use code of another, by languages and packages.
    pub fn can_use(&self, from: FileIndex, to: FileIndex) -> bool {
        let (from, to) = (self.file(from), self.file(to));
        // Languages without rules of their own share the default rules, but cannot use each other.
        let is_related = if from.rules.family.is_empty() {
            from.language == to.language
        } else {
            from.rules.family == to.rules.family
        };
        is_related && self.packages.can_use(from.package, to.package)
    }
}

/// True if symbols of this kind can have members.
pub fn is_type(kind: ChunkKind) -> bool {
    use ChunkKind::{Actor, Class, Enum, Interface, Protocol, Struct, Trait, TypeAlias};
    matches!(kind, Class | Struct | Enum | Protocol | Interface | Trait | Actor | TypeAlias)
}

/// True if symbols of this kind add members to another type.
fn is_extension(kind: ChunkKind) -> bool {
    kind == ChunkKind::Extension
}

/// True if symbols of this kind can be called.
pub fn is_callable(kind: ChunkKind) -> bool {
    use ChunkKind::{Function, Initializer, Macro, Method, Subscript};
    matches!(kind, Function | Method | Initializer | Macro | Subscript)
}

/// True if members of symbols of this kind are requirements for the types that implement them.
pub fn is_interface(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Protocol | ChunkKind::Interface | ChunkKind::Trait)
}
