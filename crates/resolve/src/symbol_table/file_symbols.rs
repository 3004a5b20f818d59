//! One file as resolution sees it: its facts are read when they are first asked for.

use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use crate::inference::type_params::{self, TypeParameters};
use crate::modules::package_visibility::Packages;
use crate::rules::{Interfaces, Rules};
use crate::symbol_table::fact_source::FactSource;
use crate::symbol_table::{FileIndex, SymbolId, is_type};
use kenning_model::{
    Binding, ChunkKind, GraphFile, Heritage, Reference, ReferenceKind, RepoPath, Symbol, SymbolKey,
    symbol_keys, symbol_parents,
};

/// One file, with its facts once they were asked for.
pub struct File {
    /// In the store.
    pub id: i64,
    pub path: RepoPath,
    pub language: String,
    pub rules: &'static Rules,
    /// Into [`World::packages`].
    pub package: Option<u32>,
    index: FileIndex,
    kept: Arc<dyn FactSource>,
    /// The root file of the Rust crate that this file belongs to, once it was looked up.
    pub(crate) crate_root: OnceLock<Option<FileIndex>>,
    defined: OnceLock<Defined>,
    used: OnceLock<Used>,
}

/// The definitions of a file.
struct Defined {
    symbols: Vec<Symbol>,
    parents: Vec<Option<u32>>,
    keys: OnceLock<Vec<SymbolKey>>,
    by_name: ByName,
    heritage: Vec<Heritage>,
    /// The places of heritage clauses, by line.
    heritage_by_line: Vec<u32>,
    /// The type parameters of each symbol, parsed on first use.
    type_parameters: Vec<OnceLock<TypeParameters>>,
}

/// The imports and bindings of a file.
struct Used {
    imports: Vec<Reference>,
    /// Imports by the name that they bring.
    brought: ByName,
    /// Imports of whatever a module has.
    wildcards: Vec<u32>,
    bindings: Vec<Binding>,
    bound: ByName,
}

/// The places of things by the hash of their name, in the order of the text.
struct ByName(Vec<(u32, u32)>);

impl ByName {
    fn new<T>(things: &[T], name: impl Fn(&T) -> &str) -> ByName {
        let places = things.iter().zip(0..);
        let mut places: Vec<(u32, u32)> =
            places.map(|(thing, place)| (hash(name(thing)), place)).collect();
        places.sort_unstable();
        ByName(places)
    }

    /// Where this name may be; others can have the same hash.
    fn under(&self, name: &str) -> impl Iterator<Item = u32> + use<'_> {
        self.under_hash(hash(name))
    }

    fn under_hash(&self, wanted: u32) -> impl Iterator<Item = u32> + use<'_> {
        let start = self.0.partition_point(|(hash, _)| *hash < wanted);
        let same = self.0[start..].iter().take_while(move |(hash, _)| *hash == wanted);
        same.map(|(_, place)| *place)
    }
}

/// Hashes a name for the lookup tables of files.
pub(crate) fn hash(name: &str) -> u32 {
    foldhash::fast::FixedState::default().hash_one(name) as u32
}

impl File {
    pub(crate) fn new(
        index: FileIndex,
        file: GraphFile,
        rules: &'static Rules,
        packages: &Packages,
        kept: &Arc<dyn FactSource>,
    ) -> File {
        File {
            id: file.id,
            package: packages.index(file.package.as_deref(), &file.path),
            path: file.path,
            rules,
            language: file.language,
            index,
            kept: kept.clone(),
            crate_root: OnceLock::new(),
            defined: OnceLock::new(),
            used: OnceLock::new(),
        }
    }

    pub fn symbols(&self) -> &[Symbol] {
        &self.defined().symbols
    }

    /// Returns the parent of each symbol: the symbol that contains it.
    pub fn parents(&self) -> &[Option<u32>] {
        &self.defined().parents
    }

    pub fn keys(&self) -> &[SymbolKey] {
        let defined = self.defined();
        defined.keys.get_or_init(|| symbol_keys(&defined.symbols))
    }

    /// The symbols of this name, in the order of the text.
    pub fn named(&self, name: &str) -> impl Iterator<Item = u32> {
        let Defined { symbols, by_name, .. } = self.defined();
        let places = by_name.under(name);
        places.filter(move |&place| symbols[place as usize].name == name)
    }

    pub fn heritage(&self) -> &[Heritage] {
        &self.defined().heritage
    }

    /// The heritage clauses between two lines, in their order.
    pub fn heritage_within(&self, first: u32, last: u32) -> impl Iterator<Item = &Heritage> {
        let Defined { heritage, heritage_by_line: places, .. } = self.defined();
        let line = |place: &u32| heritage[*place as usize].line;
        let start = places.partition_point(|place| line(place) < first);
        let end = places.partition_point(|place| line(place) <= last);
        let mut places = places.get(start..end).unwrap_or_default().to_vec();
        places.sort_unstable();
        places.into_iter().map(|place| &heritage[place as usize])
    }

    /// References of the kinds import and export.
    pub fn imports(&self) -> &[Reference] {
        &self.used().imports
    }

    /// Returns the namespace that a PHP file declares; empty if it declares none.
    pub fn namespace(&self) -> String {
        let mut said = self.imports().iter();
        let said = said.find(|one| one.kind == ReferenceKind::Export);
        let whole = said.map(|one| match &one.receiver {
            Some(outer) => format!("{outer}\\{}", one.name),
            None => one.name.clone(),
        });
        whole.unwrap_or_default()
    }

    /// The imports that bring this name, in the order of the text.
    pub fn imports_of<'f, 'n>(
        &'f self,
        name: &'n str,
    ) -> impl Iterator<Item = &'f Reference> + use<'f, 'n> {
        let Used { imports, brought, .. } = self.used();
        let local_name = self.rules.local_name;
        let found = brought.under(name).map(|place| &imports[place as usize]);
        found.filter(move |import| local_name(import) == Some(name))
    }

    /// The imports of all that a module has, in the order of the text.
    pub fn wildcards(&self) -> impl Iterator<Item = &Reference> {
        let Used { imports, wildcards, .. } = self.used();
        wildcards.iter().map(|&place| &imports[place as usize])
    }

    /// The parameters that a definition names as generic.
    pub fn type_parameters(&self, symbol: u32) -> &TypeParameters {
        let defined = self.defined();
        let found = &defined.type_parameters[symbol as usize];
        found.get_or_init(|| type_params::parameters(&defined.symbols[symbol as usize]))
    }

    /// Bindings of this name, in the order of the text.
    pub fn bound<'f>(&'f self, name: &str) -> impl Iterator<Item = &'f Binding> {
        let Used { bindings, bound, .. } = self.used();
        let found = bound.under(name).map(|place| &bindings[place as usize]);
        found.filter(move |binding| binding.name == name)
    }

    /// Reads all of it now.
    pub(crate) fn read(&self) {
        self.defined();
        self.used();
    }

    fn defined(&self) -> &Defined {
        self.defined.get_or_init(|| {
            let symbols = self.kept.symbols(self.index);
            let heritage = self.kept.heritage(self.index);
            let mut heritage_by_line: Vec<u32> = (0..heritage.len() as u32).collect();
            heritage_by_line.sort_by_key(|&place| heritage[place as usize].line);
            Defined {
                parents: symbol_parents(&symbols),
                keys: OnceLock::new(),
                type_parameters: symbols.iter().map(|_| OnceLock::new()).collect(),
                by_name: ByName::new(&symbols, |symbol| &symbol.name),
                symbols,
                heritage,
                heritage_by_line,
            }
        })
    }

    fn used(&self) -> &Used {
        self.used.get_or_init(|| {
            let (imports, bindings) = self.kept.uses(self.index);
            let local_name = self.rules.local_name;
            let places = 0..imports.len() as u32;
            Used {
                brought: ByName::new(&imports, |import| local_name(import).unwrap_or_default()),
                wildcards: places.filter(|&place| imports[place as usize].name == "*").collect(),
                imports,
                bound: ByName::new(&bindings, |binding| &binding.name),
                bindings,
            }
        })
    }

    /// The symbols of this name directly in `parent`, or at the top of the file.
    pub fn children(&self, parent: Option<u32>, name: &str) -> impl Iterator<Item = u32> {
        self.children_under(parent, name, hash(name))
    }

    /// The same, for one who asks several files and has the name's hash.
    pub fn children_under(
        &self,
        parent: Option<u32>,
        name: &str,
        hash: u32,
    ) -> impl Iterator<Item = u32> {
        let Defined { symbols, parents, by_name, .. } = self.defined();
        let inside = by_name.under_hash(hash);
        let inside = inside.filter(move |&place| parents[place as usize] == parent);
        inside.filter(move |&place| symbols[place as usize].name == name)
    }

    /// Returns `symbol`, its parent, the parent of that, and so on.
    pub fn ancestors(&self, symbol: Option<u32>) -> impl Iterator<Item = u32> {
        let parents = self.parents();
        std::iter::successors(symbol, |&index| parents[index as usize])
    }

    /// Members that are defined outside of their type's braces, with the type's name.
    pub(crate) fn apart(&self) -> impl Iterator<Item = (&str, SymbolId)> {
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
    pub(crate) fn asks(&self) -> Vec<(&str, SymbolId)> {
        if self.rules.interfaces != Interfaces::Structural {
            return Vec::new();
        }
        let is_interface = |index: u32| self.symbols()[index as usize].kind == ChunkKind::Interface;
        let symbols = self.symbols().iter().zip(self.parents()).enumerate();
        let methods = symbols.filter(|(_, (_, parent))| parent.is_some_and(is_interface));
        let methods = methods
            .map(|(index, (symbol, _))| (symbol.name.as_str(), self.symbol_id(index as u32)));
        let parts = self.heritage().iter().filter_map(|part| {
            let mut subjects = self.named(&part.subject);
            let subject = subjects.find(|&index| is_interface(index))?;
            let base = part.base.rsplit('.').next().unwrap_or(&part.base);
            Some((base, self.symbol_id(subject)))
        });
        methods.chain(parts).collect()
    }

    pub(crate) fn symbol_id(&self, symbol: u32) -> SymbolId {
        SymbolId { file: self.index, symbol }
    }
}
