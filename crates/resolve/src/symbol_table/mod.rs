//! All that resolution may look at: the definitions, imports, bindings and heritage of every file,
//! with the tables to find them by. It only holds and looks up. Every name that is looked up is
//! noted by the one who asks, so that it is known what a file's edges rest on. The facts of a file
//! are read when they are first asked for, or all at once.

pub mod fact_source;
pub mod file_symbols;

use std::sync::Arc;

use elsa::sync::FrozenMap;
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use crate::inference::type_params::TypeParameters;
use crate::modules::module_paths::ModuleTable;
use crate::modules::package_visibility::Packages;
use crate::rules::Rules;
use crate::symbol_table::fact_source::FactSource;
use crate::symbol_table::file_symbols::FileSymbols;
use kenning_model::{ChunkKind, GraphFile, LookupKey, Progress, Reference, Symbol};

/// A file, by its place in [`World::files`].
pub type FileIndex = u32;

/// A definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId {
    pub file: FileIndex,
    pub symbol: u32,
}

/// Everything.
pub struct SymbolTable {
    pub files: Vec<FileSymbols>,
    pub packages: Packages,
    pub modules: ModuleTable,
    source: Arc<dyn FactSource>,
    definitions: SymbolIndex,
    types: SymbolIndex,
    extensions: SymbolIndex,
    out_of_line_members: SymbolIndex,
    required_members: SymbolIndex,
}

/// Definitions under a name, in the order of files.
#[derive(Default)]
struct SymbolIndex {
    /// The definitions of every name, if all files were read.
    complete: Option<HashMap<String, Vec<SymbolId>>>,
    /// The definitions of the names that were looked up.
    cached: FrozenMap<String, Box<[SymbolId]>>,
}

impl SymbolIndex {
    fn get_or_find(&self, name: &str, find: impl FnOnce() -> Vec<SymbolId>) -> &[SymbolId] {
        if let Some(all) = &self.complete {
            return list(all, name);
        }
        let known = self.cached.get(name);
        known.unwrap_or_else(|| self.cached.insert(name.to_string(), find().into()))
    }

    /// Lists of all there is.
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
    /// A table whose files are looked at when something of them is asked for.
    /// `rules_of` returns the rules of a language by its name.
    pub fn new(
        files: Vec<GraphFile>,
        packages: Packages,
        source: Arc<dyn FactSource>,
        rules_of: fn(&str) -> &'static Rules,
    ) -> SymbolTable {
        let files = files.into_iter().enumerate();
        let files: Vec<FileSymbols> = files
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

    /// Reads all files in parallel, which is faster than reading most of them one by one. Stops
    /// early if it is cancelled.
    pub fn load_all(&mut self, progress: &dyn Progress) {
        let files = self.files.par_iter();
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
        let kinds = || (SymbolIndex::build(all(is_type)), SymbolIndex::build(all(is_extension)));
        let others = || {
            let apart = SymbolIndex::build(files.iter().flat_map(FileSymbols::out_of_line_members));
            (apart, SymbolIndex::build(files.iter().flat_map(FileSymbols::requirements)))
        };
        let ((types, extensions), (apart, asked), named);
        (named, ((types, extensions), (apart, asked))) =
            rayon::join(|| SymbolIndex::build(all(|_| true)), || rayon::join(kinds, others));
        (self.definitions, self.types, self.extensions) = (named, types, extensions);
        (self.out_of_line_members, self.required_members) = (apart, asked);
    }

    /// Gives all memory back, which takes a while: a file has thousands of strings.
    pub fn drop_parallel(self) {
        let SymbolTable { files, .. } = self;
        files.into_par_iter().for_each(drop);
    }

    /// Every definition of this name.
    pub fn definitions(&self, name: &str) -> &[SymbolId] {
        self.definitions.get_or_find(name, || {
            let files = self.files_with(LookupKey::Name(name));
            let named = files.flat_map(|file| {
                let places = file.symbols_named(name);
                places.map(|symbol| file.symbol_id(symbol))
            });
            named.collect()
        })
    }

    /// The types of this name.
    pub fn types(&self, name: &str) -> &[SymbolId] {
        self.types.get_or_find(name, || self.definitions_of_kind(name, is_type))
    }

    /// The extensions and impls of types of this name.
    pub fn extensions(&self, name: &str) -> &[SymbolId] {
        let find = || self.definitions_of_kind(name, is_extension);
        self.extensions.get_or_find(name, find)
    }

    fn definitions_of_kind(&self, name: &str, is_wanted: fn(ChunkKind) -> bool) -> Vec<SymbolId> {
        let named = self.definitions(name).iter().copied();
        named.filter(|&id| is_wanted(self.symbol(id).kind)).collect()
    }

    /// Members written apart from the type of this name: methods of Go, definitions of C++.
    pub fn out_of_line_members(&self, owner: &str) -> &[SymbolId] {
        self.out_of_line_members.get_or_find(owner, || {
            let files = self.files_with(LookupKey::OutOfLineMembers(owner));
            let all = files.flat_map(FileSymbols::out_of_line_members);
            all.filter(|(name, _)| *name == owner).map(|(_, id)| id).collect()
        })
    }

    /// Methods of this name that structural interfaces ask for, and those interfaces that name this
    /// one as a part of themselves.
    pub fn required_members(&self, name: &str) -> &[SymbolId] {
        self.required_members.get_or_find(name, || {
            let files = self.files_with(LookupKey::RequiredMember(name));
            let all = files.flat_map(FileSymbols::requirements);
            all.filter(|(asked, _)| *asked == name).map(|(_, id)| id).collect()
        })
    }

    /// All references of a file.
    pub fn references(&self, file: FileIndex) -> Vec<Reference> {
        self.source.references(file)
    }

    fn files_with(&self, key: LookupKey) -> impl Iterator<Item = &FileSymbols> {
        let files = self.source.files_with(key).into_iter();
        files.map(|file| self.file(file))
    }

    pub fn file(&self, file: FileIndex) -> &FileSymbols {
        &self.files[file as usize]
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.file(id.file).symbols()[id.symbol as usize]
    }

    pub fn type_parameters(&self, id: SymbolId) -> &TypeParameters {
        self.file(id.file).type_parameters(id.symbol)
    }

    pub fn parent(&self, id: SymbolId) -> Option<SymbolId> {
        let parent = self.file(id.file).parents()[id.symbol as usize];
        parent.map(|symbol| SymbolId { symbol, ..id })
    }

    /// True if code of one file can use code of another, by languages and packages.
    pub fn can_use(&self, from: FileIndex, to: FileIndex) -> bool {
        let (from, to) = (self.file(from), self.file(to));
        // Languages of the common rules know nothing of each other.
        let is_related = if from.rules.languages.is_empty() {
            from.language == to.language
        } else {
            from.rules.family == to.rules.family
        };
        is_related && self.packages.can_use(from.package, to.package)
    }
}

fn list<'l, T>(lists: &'l HashMap<String, Vec<T>>, name: &str) -> &'l [T] {
    lists.get(name).map_or(&[], Vec::as_slice)
}

/// True if symbols of this kind can have members.
pub fn is_type(kind: ChunkKind) -> bool {
    use ChunkKind::{Actor, Class, Enum, Interface, Protocol, Struct, Trait, TypeAlias};
    matches!(kind, Class | Struct | Enum | Protocol | Interface | Trait | Actor | TypeAlias)
}

fn is_extension(kind: ChunkKind) -> bool {
    kind == ChunkKind::Extension
}

/// True if it can be called.
pub fn is_callable(kind: ChunkKind) -> bool {
    use ChunkKind::{Function, Initializer, Macro, Method, Subscript};
    matches!(kind, Function | Method | Initializer | Macro | Subscript)
}

/// True if it asks others for what it names.
pub fn is_interface(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Protocol | ChunkKind::Interface | ChunkKind::Trait)
}
