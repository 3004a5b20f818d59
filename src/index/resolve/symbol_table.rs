//! All that resolution may look at: the definitions, imports, bindings and heritage of every file,
//! with the tables to find them by. It only holds and looks up. Every name that is looked up is
//! noted by the one who asks, so that it is known what a file's edges rest on. The facts of a file
//! are read when they are first asked for, or all at once.

use std::sync::Arc;

use elsa::sync::FrozenMap;
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::fact_source::Kept;
use super::file_symbols::File;
use super::module_paths::ModuleTable;
use super::package_visibility::Packages;
use super::type_params::TypeParameters;
use kenning_model::{ChunkKind, Progress, Reference, Symbol};
use kenning_store::StoreError;
use kenning_store::code::{GraphFile, LookupKey};

/// A file, by its place in [`World::files`].
pub type FileIndex = u32;

/// A definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId {
    pub file: FileIndex,
    pub symbol: u32,
}

/// Everything.
pub struct World {
    pub files: Vec<File>,
    pub packages: Packages,
    pub modules: ModuleTable,
    kept: Arc<dyn Kept>,
    named: Lists,
    types: Lists,
    extensions: Lists,
    apart: Lists,
    asked: Lists,
}

/// Definitions under a name, in the order of files.
#[derive(Default)]
struct Lists {
    /// The definitions of every name, if all files were read.
    all: Option<HashMap<String, Vec<SymbolId>>>,
    /// The definitions of the names that were looked up.
    found: FrozenMap<String, Box<[SymbolId]>>,
}

impl Lists {
    fn under(&self, name: &str, find: impl FnOnce() -> Vec<SymbolId>) -> &[SymbolId] {
        if let Some(all) = &self.all {
            return list(all, name);
        }
        let known = self.found.get(name);
        known.unwrap_or_else(|| self.found.insert(name.to_string(), find().into()))
    }

    /// Lists of all there is.
    fn of<'n>(all: impl Iterator<Item = (&'n str, SymbolId)>) -> Lists {
        let mut lists: HashMap<String, Vec<SymbolId>> = HashMap::new();
        for (name, id) in all {
            match lists.get_mut(name) {
                Some(known) => known.push(id),
                None => {
                    lists.insert(name.to_string(), vec![id]);
                }
            }
        }
        Lists { all: Some(lists), found: FrozenMap::default() }
    }
}

impl World {
    /// A world whose files are looked at when something of them is asked for.
    pub fn new(files: Vec<GraphFile>, packages: Packages, kept: Arc<dyn Kept>) -> World {
        let files = files.into_iter().enumerate();
        let files: Vec<File> = files
            .map(|(index, file)| File::new(index as FileIndex, file, &packages, &kept))
            .collect();
        World {
            modules: ModuleTable::new(&files),
            files,
            packages,
            kept,
            named: Lists::default(),
            types: Lists::default(),
            extensions: Lists::default(),
            apart: Lists::default(),
            asked: Lists::default(),
        }
    }

    /// Reads all files in parallel, which is faster than reading most of them one by one. Stops
    /// early if it is cancelled.
    pub fn look_at_all(&mut self, progress: &dyn Progress) {
        let files = self.files.par_iter();
        let wanted = files.take_any_while(|_| !progress.is_cancelled());
        wanted.for_each(File::read);
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
        let kinds = || (Lists::of(all(is_type)), Lists::of(all(is_extension)));
        let others = || {
            let apart = Lists::of(files.iter().flat_map(File::apart));
            (apart, Lists::of(files.iter().flat_map(File::asks)))
        };
        let ((types, extensions), (apart, asked), named);
        (named, ((types, extensions), (apart, asked))) =
            rayon::join(|| Lists::of(all(|_| true)), || rayon::join(kinds, others));
        (self.named, self.types, self.extensions) = (named, types, extensions);
        (self.apart, self.asked) = (apart, asked);
    }

    /// Gives all memory back, which takes a while: a file has thousands of strings.
    pub fn let_go(self) {
        let World { files, .. } = self;
        files.into_par_iter().for_each(drop);
    }

    /// Every definition of this name.
    pub fn named(&self, name: &str) -> &[SymbolId] {
        self.named.under(name, || {
            let files = self.found_under(LookupKey::Named(name));
            let named = files.flat_map(|file| {
                let places = file.named(name);
                places.map(|symbol| file.symbol_id(symbol))
            });
            named.collect()
        })
    }

    /// The types of this name.
    pub fn types(&self, name: &str) -> &[SymbolId] {
        self.types.under(name, || self.named_as(name, is_type))
    }

    /// The extensions and impls of types of this name.
    pub fn extensions(&self, name: &str) -> &[SymbolId] {
        let find = || self.named_as(name, is_extension);
        self.extensions.under(name, find)
    }

    fn named_as(&self, name: &str, is_wanted: fn(ChunkKind) -> bool) -> Vec<SymbolId> {
        let named = self.named(name).iter().copied();
        named.filter(|&id| is_wanted(self.symbol(id).kind)).collect()
    }

    /// Members written apart from the type of this name: methods of Go, definitions of C++.
    pub fn apart(&self, owner: &str) -> &[SymbolId] {
        self.apart.under(owner, || {
            let files = self.found_under(LookupKey::Apart(owner));
            let all = files.flat_map(File::apart);
            all.filter(|(name, _)| *name == owner).map(|(_, id)| id).collect()
        })
    }

    /// Methods of this name that structural interfaces ask for, and those interfaces that name this
    /// one as a part of themselves.
    pub fn asked(&self, name: &str) -> &[SymbolId] {
        self.asked.under(name, || {
            let files = self.found_under(LookupKey::Asked(name));
            let all = files.flat_map(File::asks);
            all.filter(|(asked, _)| *asked == name).map(|(_, id)| id).collect()
        })
    }

    /// Returns the first read error, if any lookup had one.
    pub fn all_was_read(&self) -> Result<(), StoreError> {
        self.kept.failure().map_or(Ok(()), Err)
    }

    /// All references of a file.
    pub fn references(&self, file: FileIndex) -> Vec<Reference> {
        self.kept.references(file)
    }

    fn found_under(&self, mark: LookupKey) -> impl Iterator<Item = &File> {
        let files = self.kept.found_under(mark).into_iter();
        files.map(|file| self.file(file))
    }

    pub fn file(&self, file: FileIndex) -> &File {
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
