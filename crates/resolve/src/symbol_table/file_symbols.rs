//! The facts of one file, loaded on first use, with indexes by name.
//!
//! Definitions and usages load separately, because most files are only looked into for definitions.

use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use crate::inference::type_params::{self, TypeParameters};
use crate::modules::package_visibility::Packages;
use crate::rules::Rules;
use crate::symbol_table::fact_source::FactSource;
use crate::symbol_table::{FileIndex, SymbolId, is_type};
use kenning_model::{
    Binding, ChunkKind, GraphFile, Heritage, Reference, ReferenceKind, RepoPath, Symbol, SymbolKey,
    symbol_keys, symbol_parents,
};

/// One file, with the facts that were loaded so far.
pub struct FileSymbols {
    /// The row id in the store.
    pub id: i64,
    /// The path below the root.
    pub path: RepoPath,
    /// The name of the language.
    pub language: String,
    /// The resolution rules of the language.
    pub rules: &'static Rules,
    /// The index of its package in the symbol table's packages.
    pub package: Option<u32>,
    /// The index of this file in the symbol table.
    index: FileIndex,
    /// The source of the facts.
    source: Arc<dyn FactSource>,
    /// The root file of the Rust crate that this file belongs to, once it was looked up.
    pub module_root: OnceLock<Option<FileIndex>>,
    /// Loaded on the first lookup of a definition.
    definitions: OnceLock<FileDefinitions>,
    /// Loaded on the first lookup of an import or a binding.
    usages: OnceLock<FileUsages>,
}

/// The definitions of a file.
struct FileDefinitions {
    /// In the order of the text; parents come before their children.
    symbols: Vec<Symbol>,
    /// The index of each symbol's parent.
    parents: Vec<Option<u32>>,
    /// Computed on first use, because only targets of edges need keys.
    keys: OnceLock<Vec<SymbolKey>>,
    /// Symbols by name.
    symbols_by_name: NameIndex,
    /// Heritage clauses, in the order of the text.
    heritage: Vec<Heritage>,
    /// Indexes of heritage clauses, sorted by line.
    heritage_by_line: Vec<u32>,
    /// The type parameters of each symbol, parsed on first use.
    type_parameters: Vec<OnceLock<TypeParameters>>,
}

/// The imports and bindings of a file.
struct FileUsages {
    /// Imports and exports, in the order of the text.
    imports: Vec<Reference>,
    /// Imports by the local name that they introduce.
    imports_by_name: NameIndex,
    /// Indexes of imports of `*`.
    wildcard_imports: Vec<u32>,
    /// Bindings, in the order of the text.
    bindings: Vec<Binding>,
    /// Bindings by name.
    bindings_by_name: NameIndex,
}

/// Positions of items in a list, sorted by the hash of their name and then by position. A sorted
/// list of 8 bytes an item takes less memory than a hash map with the names as keys.
struct NameIndex(Vec<(u32, u32)>);

impl NameIndex {
    /// Indexes items by name.
    fn new<T>(items: &[T], name: impl Fn(&T) -> &str) -> NameIndex {
        let mut places: Vec<(u32, u32)> =
            items.iter().zip(0..).map(|(item, place)| (hash_name(name(item)), place)).collect();
        places.sort_unstable();
        NameIndex(places)
    }

    /// Returns the positions at which the name may be. Another name can have the same hash, so the
    /// caller compares names.
    fn positions(&self, name: &str) -> impl Iterator<Item = u32> + use<'_> {
        self.positions_by_hash(hash_name(name))
    }

    /// Returns the positions under a hash, by binary search.
    fn positions_by_hash(&self, wanted: u32) -> impl Iterator<Item = u32> + use<'_> {
        let start = self.0.partition_point(|(hash, _)| *hash < wanted);
        let same = self.0[start..].iter().take_while(move |(hash, _)| *hash == wanted);
        same.map(|(_, place)| *place)
    }
}

/// Hashes a name for the lookup tables of files.
pub(crate) fn hash_name(name: &str) -> u32 {
    foldhash::fast::FixedState::default().hash_one(name) as u32
}

impl FileSymbols {
    /// Makes a file whose facts are not loaded.
    pub(crate) fn new(
        index: FileIndex,
        file: GraphFile,
        rules: &'static Rules,
        packages: &Packages,
        source: &Arc<dyn FactSource>,
    ) -> FileSymbols {
        FileSymbols {
            id: file.id,
            package: packages.package_of_file(file.package.as_deref(), &file.path),
            path: file.path,
            rules,
            language: file.language,
            index,
            source: source.clone(),
            module_root: OnceLock::new(),
            definitions: OnceLock::new(),
            usages: OnceLock::new(),
        }
    }

    /// Returns the definitions of the file, in the order of the text.
    pub fn symbols(&self) -> &[Symbol] {
        &self.definitions().symbols
    }

    /// Returns the parent of each symbol: the symbol that contains it.
    pub fn parents(&self) -> &[Option<u32>] {
        &self.definitions().parents
    }

    /// Returns the key of each symbol, which stays the same when other lines of the file change.
    pub fn keys(&self) -> &[SymbolKey] {
        let defined = self.definitions();
        defined.keys.get_or_init(|| symbol_keys(&defined.symbols))
    }

    /// Returns the symbols of a name, in the order of the text.
    pub fn symbols_named(&self, name: &str) -> impl Iterator<Item = u32> {
        let FileDefinitions { symbols, symbols_by_name: by_name, .. } = self.definitions();
        let places = by_name.positions(name);
        places.filter(move |&place| symbols[place as usize].name == name)
    }

    /// Returns the heritage clauses of the file.
    pub fn heritage(&self) -> &[Heritage] {
        &self.definitions().heritage
    }

    /// Returns the heritage clauses between two lines, inclusive, in the order of the text.
    pub fn heritage_in_lines(&self, first: u32, last: u32) -> impl Iterator<Item = &Heritage> {
        let FileDefinitions { heritage, heritage_by_line: places, .. } = self.definitions();
        let line = |place: &u32| heritage[*place as usize].line;
        let start = places.partition_point(|place| line(place) < first);
        let end = places.partition_point(|place| line(place) <= last);
        let mut places = places.get(start..end).unwrap_or_default().to_vec();
        places.sort_unstable();
        places.into_iter().map(|place| &heritage[place as usize])
    }

    /// Returns the references of the kinds import and export.
    pub fn imports(&self) -> &[Reference] {
        &self.usages().imports
    }

    /// Returns the namespace that a PHP file declares; empty if it declares none.
    pub fn namespace(&self) -> String {
        let declaration = self.imports().iter().find(|one| one.kind == ReferenceKind::Export);
        match declaration {
            None => String::new(),
            Some(Reference { receiver: Some(outer), name, .. }) => format!("{outer}\\{name}"),
            Some(Reference { receiver: None, name, .. }) => name.clone(),
        }
    }

    /// Returns the imports that introduce a local name, in the order of the text.
    pub fn imports_named<'f, 'n>(
        &'f self,
        name: &'n str,
    ) -> impl Iterator<Item = &'f Reference> + use<'f, 'n> {
        let FileUsages { imports, imports_by_name, .. } = self.usages();
        let local_name = self.rules.local_name;
        let found = imports_by_name.positions(name).map(|place| &imports[place as usize]);
        found.filter(move |import| local_name(import) == Some(name))
    }

    /// Returns the imports of `*`, in the order of the text.
    pub fn wildcard_imports(&self) -> impl Iterator<Item = &Reference> {
        let FileUsages { imports, wildcard_imports: wildcards, .. } = self.usages();
        wildcards.iter().map(|&place| &imports[place as usize])
    }

    /// Returns the type parameters that a generic definition declares.
    pub fn type_parameters(&self, symbol: u32) -> &TypeParameters {
        let defined = self.definitions();
        let found = &defined.type_parameters[symbol as usize];
        found.get_or_init(|| type_params::parse_type_parameters(&defined.symbols[symbol as usize]))
    }

    /// Returns the bindings of a name, in the order of the text.
    pub fn bindings_named<'f>(&'f self, name: &str) -> impl Iterator<Item = &'f Binding> {
        let FileUsages { bindings, bindings_by_name: bound, .. } = self.usages();
        let found = bound.positions(name).map(|place| &bindings[place as usize]);
        found.filter(move |binding| binding.name == name)
    }

    /// Loads all facts of the file now.
    pub(crate) fn load(&self) {
        self.definitions();
        self.usages();
    }

    /// Returns the definitions, loading them on first use.
    fn definitions(&self) -> &FileDefinitions {
        self.definitions.get_or_init(|| {
            let symbols = self.source.symbols(self.index);
            let heritage = self.source.heritage(self.index);
            let mut heritage_by_line: Vec<u32> = (0..heritage.len() as u32).collect();
            heritage_by_line.sort_by_key(|&place| heritage[place as usize].line);
            FileDefinitions {
                parents: symbol_parents(&symbols),
                keys: OnceLock::new(),
                type_parameters: symbols.iter().map(|_| OnceLock::new()).collect(),
                symbols_by_name: NameIndex::new(&symbols, |symbol| &symbol.name),
                symbols,
                heritage,
                heritage_by_line,
            }
        })
    }

    /// Returns the imports and bindings, loading them on first use.
    fn usages(&self) -> &FileUsages {
        self.usages.get_or_init(|| {
            let (imports, bindings) = self.source.imports_and_bindings(self.index);
            let local_name = self.rules.local_name;
            let places = 0..imports.len() as u32;
            FileUsages {
                imports_by_name: NameIndex::new(&imports, |import| {
                    local_name(import).unwrap_or_default()
                }),
                wildcard_imports: places
                    .filter(|&place| imports[place as usize].name == "*")
                    .collect(),
                imports,
                bindings_by_name: NameIndex::new(&bindings, |binding| &binding.name),
                bindings,
            }
        })
    }

    /// Returns the symbols of a name directly in `parent`, or at the top level of the file.
    pub fn children(&self, parent: Option<u32>, name: &str) -> impl Iterator<Item = u32> {
        self.children_by_hash(parent, name, hash_name(name))
    }

    /// Returns the same for a name whose hash is known: member lookup asks many files for one name.
    pub fn children_by_hash(
        &self,
        parent: Option<u32>,
        name: &str,
        hash: u32,
    ) -> impl Iterator<Item = u32> {
        let FileDefinitions { symbols, parents, symbols_by_name: by_name, .. } = self.definitions();
        by_name
            .positions_by_hash(hash)
            .filter(move |&place| parents[place as usize] == parent)
            .filter(move |&place| symbols[place as usize].name == name)
    }

    /// Returns `symbol`, its parent, the parent of that, and so on.
    pub fn ancestors(&self, symbol: Option<u32>) -> impl Iterator<Item = u32> {
        let parents = self.parents();
        std::iter::successors(symbol, |&index| parents[index as usize])
    }

    /// Returns the part of a symbol's scope that is written with its name: `Page` of
    /// `void Page::open()`. Enclosing definitions account for the rest.
    pub(crate) fn written_scope(&self, symbol: u32) -> Option<&str> {
        let scope = self.symbols()[symbol as usize].scope.as_deref()?;
        let Some(parent) = self.parents()[symbol as usize] else {
            return Some(scope);
        };
        let outer = &self.symbols()[parent as usize];
        let inside = match &outer.scope {
            Some(around) => scope.strip_prefix(around.as_str())?.strip_prefix('.')?,
            None => scope,
        };
        inside.strip_prefix(outer.name.as_str())?.strip_prefix('.')
    }

    /// Returns the names of the definitions around a symbol, and its own, outermost first.
    pub(crate) fn path_of(&self, symbol: u32) -> Vec<&str> {
        let symbol = &self.symbols()[symbol as usize];
        let around = symbol.scope.as_deref().unwrap_or_default();
        let segments = around.split('.').filter(|segment| !segment.is_empty());
        segments.chain([symbol.name.as_str()]).collect()
    }

    /// Returns the members that are defined outside of their type, with the type's name.
    pub(crate) fn out_of_line_members(&self) -> impl Iterator<Item = (&str, SymbolId)> {
        let symbols = self.symbols().iter().zip(self.parents()).enumerate();
        symbols.filter_map(|(index, (symbol, parent))| {
            let scope = symbol.scope.as_deref()?;
            let is_outside = parent.is_none_or(|parent| {
                let outer = &self.symbols()[parent as usize];
                !is_type(outer.kind) && !scope.ends_with(outer.name.as_str())
            });
            let owner = scope.rsplit('.').next().unwrap_or(scope);
            is_outside.then(|| (owner, self.symbol_id(index as u32)))
        })
    }

    /// Returns the requirements of this file's structural interfaces. Methods are listed by name;
    /// embedding interfaces by the name of the one that they embed.
    pub(crate) fn requirements(&self) -> Vec<(&str, SymbolId)> {
        if self.rules.structural_interfaces.is_none() {
            return Vec::new();
        }
        let is_interface = |index: u32| self.symbols()[index as usize].kind == ChunkKind::Interface;
        let symbols = self.symbols().iter().zip(self.parents()).enumerate();
        let methods = symbols
            .filter(|(_, (_, parent))| parent.is_some_and(is_interface))
            .map(|(index, (symbol, _))| (symbol.name.as_str(), self.symbol_id(index as u32)));
        let embedding = self.heritage().iter().filter_map(|part| {
            let mut subjects = self.symbols_named(&part.subject);
            let subject = subjects.find(|&index| is_interface(index))?;
            let base = part.base.rsplit('.').next().unwrap_or(&part.base);
            Some((base, self.symbol_id(subject)))
        });
        methods.chain(embedding).collect()
    }

    /// Returns the id of a symbol of this file.
    pub(crate) fn symbol_id(&self, symbol: u32) -> SymbolId {
        SymbolId { file: self.index, symbol }
    }
}
