//! All that resolution may look at: the definitions, imports, bindings and heritage of every file,
//! with the tables to find them by. It only holds and looks up. Every name that is looked up is
//! noted by the one who asks, so that it is known what a file's edges rest on.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::modules::ModuleTable;
use super::rules::{self, Interfaces, Rules};
use crate::model::{
    Binding, ChunkKind, Heritage, Package, Reference, ReferenceKind, RepoPath, Symbol,
};

/// A file, by its place in [`World::files`].
pub type FileIndex = u32;

/// A definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId {
    pub file: FileIndex,
    pub symbol: u32,
}

/// The facts of one file.
pub struct File {
    /// In the store.
    pub id: i64,
    pub path: RepoPath,
    pub language: String,
    pub rules: &'static Rules,
    /// Into [`World::packages`].
    pub package: Option<u32>,
    pub symbols: Vec<Symbol>,
    /// Of each symbol, the one that it stands in.
    pub parents: Vec<Option<u32>>,
    pub by_name: HashMap<String, Vec<u32>>,
    /// References of the kinds import and export.
    pub imports: Vec<Reference>,
    pub bindings: Vec<Binding>,
    /// Bindings by name, in the order of the text.
    pub bound: HashMap<String, Vec<u32>>,
    pub heritage: Vec<Heritage>,
}

/// What a file is made of.
pub struct FileInput {
    pub id: i64,
    pub path: RepoPath,
    pub language: String,
    pub package: Option<String>,
    pub symbols: Vec<Symbol>,
    pub references: Vec<Reference>,
    pub bindings: Vec<Binding>,
    pub heritage: Vec<Heritage>,
}

impl File {
    pub fn new(input: FileInput, packages: &Packages) -> File {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
        for (index, symbol) in input.symbols.iter().enumerate() {
            let places = by_name.entry(symbol.name.clone()).or_default();
            places.push(index as u32);
        }
        let mut bound: HashMap<String, Vec<u32>> = HashMap::new();
        for (index, binding) in input.bindings.iter().enumerate() {
            bound
                .entry(binding.name.clone())
                .or_default()
                .push(index as u32);
        }
        let is_import =
            |one: &Reference| matches!(one.kind, ReferenceKind::Import | ReferenceKind::Export);
        File {
            id: input.id,
            package: packages.index(input.package.as_deref(), &input.path),
            path: input.path,
            rules: rules::of(&input.language),
            language: input.language,
            parents: parents(&input.symbols),
            symbols: input.symbols,
            by_name,
            imports: input.references.into_iter().filter(is_import).collect(),
            bindings: input.bindings,
            bound,
            heritage: input.heritage,
        }
    }

    /// The symbols of this name directly in `parent`, or at the top of the file.
    pub fn children<'f>(
        &'f self,
        parent: Option<u32>,
        name: &str,
    ) -> impl Iterator<Item = u32> + use<'f> {
        let named = self.by_name.get(name);
        let named = named.into_iter().flatten().copied();
        named.filter(move |&index| self.parents[index as usize] == parent)
    }

    /// `symbol`, what it stands in, what that stands in, …
    pub fn ancestors(&self, symbol: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(symbol, |&index| self.parents[index as usize])
    }
}

/// Symbols come in the order of the text, containers before what they contain.
fn parents(symbols: &[Symbol]) -> Vec<Option<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let mut parents = Vec::with_capacity(symbols.len());
    for (index, symbol) in symbols.iter().enumerate() {
        while let Some(&last) = open.last() {
            let outer = &symbols[last as usize].span;
            let is_around = outer.end_byte >= symbol.span.end_byte
                && outer.start_byte <= symbol.span.start_byte
                && *outer != symbol.span;
            if is_around {
                break;
            }
            open.pop();
        }
        parents.push(open.last().copied());
        open.push(index as u32);
    }
    parents
}

/// The packages of a repository and what each can reach.
#[derive(Default)]
pub struct Packages {
    pub all: Vec<PackageFacts>,
    by_home: BTreeMap<String, u32>,
    /// By the name that code calls a crate of Rust.
    crates: HashMap<String, Vec<u32>>,
}

pub struct PackageFacts {
    pub kind: String,
    pub name: String,
    pub home: RepoPath,
    /// Itself and all that it depends on, through others too.
    reaches: HashSet<u32>,
}

impl Packages {
    pub fn new(packages: &[Package]) -> Packages {
        let mut by_home = BTreeMap::new();
        for (index, package) in packages.iter().enumerate() {
            let home = package.path.as_str().to_string();
            by_home.entry(home).or_insert(index as u32);
        }
        let direct: Vec<Vec<u32>> = packages
            .iter()
            .map(|package| {
                let internal = package.dependencies.iter();
                let internal = internal.filter_map(|one| one.internal.as_ref());
                let found = internal.filter_map(|home| by_home.get(home.as_str()));
                found.copied().collect()
            })
            .collect();
        let all = packages.iter().enumerate().map(|(index, package)| {
            let mut reaches = HashSet::from([index as u32]);
            let mut open = vec![index as u32];
            while let Some(next) = open.pop() {
                for &target in &direct[next as usize] {
                    if reaches.insert(target) {
                        open.push(target);
                    }
                }
            }
            PackageFacts {
                kind: package.kind.clone(),
                name: package.name.clone(),
                home: package.path.clone(),
                reaches,
            }
        });
        let mut crates: HashMap<String, Vec<u32>> = HashMap::new();
        for (index, package) in packages.iter().enumerate() {
            if package.kind == "cargo" {
                let name = package.name.replace('-', "_");
                crates.entry(name).or_default().push(index as u32);
            }
        }
        Packages {
            all: all.collect(),
            by_home,
            crates,
        }
    }

    /// The crates of Rust that code calls so.
    pub fn crates(&self, name: &str) -> &[u32] {
        self.crates.get(name).map_or(&[], Vec::as_slice)
    }

    /// The package of a file: the one whose directory is nearest above it.
    fn index(&self, name: Option<&str>, file: &RepoPath) -> Option<u32> {
        name?;
        let mut homes = file.parent().ancestors().collect::<Vec<_>>().into_iter();
        homes.find_map(|home| self.by_home.get(home.as_str()).copied())
    }

    /// Whether code of `from` can use code of `to`. What belongs to no package, or to packages of
    /// two ecosystems, is not ruled out by what manifests say.
    pub fn can_use(&self, from: Option<u32>, to: Option<u32>) -> bool {
        let (Some(from), Some(to)) = (from, to) else {
            return true;
        };
        let (user, used) = (&self.all[from as usize], &self.all[to as usize]);
        user.kind != used.kind || user.reaches.contains(&to)
    }
}

/// Everything.
pub struct World {
    pub files: Vec<File>,
    pub packages: Packages,
    /// Definitions by name, in the order of files.
    names: HashMap<String, Vec<SymbolId>>,
    /// Members that are defined outside of their type's braces, by the type's name: methods of Go,
    /// definitions of C++.
    scoped: HashMap<String, Vec<SymbolId>>,
    /// What structural interfaces ask for: their methods by name, and by the name of an interface
    /// those that ask for all of it.
    asked: HashMap<String, Vec<SymbolId>>,
    pub modules: ModuleTable,
}

impl World {
    pub fn new(files: Vec<File>, packages: Packages) -> World {
        let mut names: HashMap<String, Vec<SymbolId>> = HashMap::new();
        let mut scoped: HashMap<String, Vec<SymbolId>> = HashMap::new();
        for (file_index, file) in files.iter().enumerate() {
            for (index, symbol) in file.symbols.iter().enumerate() {
                let id = SymbolId {
                    file: file_index as u32,
                    symbol: index as u32,
                };
                let is_outside = match (file.parents[index], &symbol.scope) {
                    (None, Some(_)) => true,
                    (Some(parent), Some(scope)) => {
                        let outer = &file.symbols[parent as usize];
                        !is_type(outer.kind) && !scope.ends_with(outer.name.as_str())
                    }
                    _ => false,
                };
                if is_outside && let Some(scope) = &symbol.scope {
                    let owner = scope.rsplit('.').next().unwrap_or(scope);
                    scoped.entry(owner.to_string()).or_default().push(id);
                }
                match names.get_mut(&symbol.name) {
                    Some(known) => known.push(id),
                    None => {
                        names.insert(symbol.name.clone(), vec![id]);
                    }
                }
            }
        }
        let modules = ModuleTable::new(&files);
        World {
            asked: asked(&files),
            files,
            packages,
            names,
            scoped,
            modules,
        }
    }

    /// Methods of this name that structural interfaces ask for, and those interfaces that name this
    /// one as a part of themselves.
    pub fn asked(&self, name: &str) -> &[SymbolId] {
        self.asked.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn file(&self, file: FileIndex) -> &File {
        &self.files[file as usize]
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.files[id.file as usize].symbols[id.symbol as usize]
    }

    pub fn parent(&self, id: SymbolId) -> Option<SymbolId> {
        let parent = self.files[id.file as usize].parents[id.symbol as usize];
        parent.map(|symbol| SymbolId { symbol, ..id })
    }

    pub fn named(&self, name: &str) -> &[SymbolId] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// Members written apart from the type of this name.
    pub fn scoped(&self, owner: &str) -> &[SymbolId] {
        self.scoped.get(owner).map_or(&[], Vec::as_slice)
    }

    /// Whether code of one file can use code of another, by languages and packages.
    pub fn can_use(&self, from: FileIndex, to: FileIndex) -> bool {
        let (from, to) = (self.file(from), self.file(to));
        // Languages of the common rules know nothing of each other.
        let is_related = match from.rules.languages.is_empty() {
            true => from.language == to.language,
            false => from.rules.family == to.rules.family,
        };
        is_related && self.packages.can_use(from.package, to.package)
    }
}

fn asked(files: &[File]) -> HashMap<String, Vec<SymbolId>> {
    let mut found: HashMap<String, Vec<SymbolId>> = HashMap::new();
    let structural = files.iter().enumerate();
    let structural = structural.filter(|(_, file)| file.rules.interfaces == Interfaces::Structural);
    for (file_index, file) in structural {
        let is_interface = |index: u32| file.symbols[index as usize].kind == ChunkKind::Interface;
        let id = |symbol: u32| SymbolId {
            file: file_index as u32,
            symbol,
        };
        for (index, symbol) in file.symbols.iter().enumerate() {
            if file.parents[index].is_some_and(is_interface) {
                let asked = found.entry(symbol.name.clone()).or_default();
                asked.push(id(index as u32));
            }
        }
        for part in &file.heritage {
            let subjects = file.by_name.get(&part.subject).into_iter().flatten();
            let subject = subjects.copied().find(|&index| is_interface(index));
            let base = part.base.rsplit('.').next().unwrap_or(&part.base);
            if let Some(subject) = subject {
                found.entry(base.to_string()).or_default().push(id(subject));
            }
        }
    }
    found
}

/// Whether members stand in it.
pub fn is_type(kind: ChunkKind) -> bool {
    use ChunkKind::{Actor, Class, Enum, Interface, Protocol, Struct, Trait, TypeAlias};
    matches!(
        kind,
        Class | Struct | Enum | Protocol | Interface | Trait | Actor | TypeAlias
    )
}

/// Whether it can be called.
pub fn is_callable(kind: ChunkKind) -> bool {
    use ChunkKind::{Function, Initializer, Macro, Method, Subscript};
    matches!(kind, Function | Method | Initializer | Macro | Subscript)
}

/// Whether it asks others for what it names.
pub fn is_interface(kind: ChunkKind) -> bool {
    matches!(
        kind,
        ChunkKind::Protocol | ChunkKind::Interface | ChunkKind::Trait
    )
}
