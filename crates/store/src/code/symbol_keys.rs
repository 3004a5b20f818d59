//! The keys under which a file is found by its definitions. These are their names, the types to
//! which it adds members from outside, and the methods that its interfaces require.

use std::collections::BTreeSet;

use super::enum_codes::{folded_hash, name_hash};
use kenning_model::{
    ChunkKind, Heritage, RepoPath, Symbol, asked_mark, methods_mark, symbol_parents,
};

/// A key by which files are looked up.
#[derive(Clone, Copy, Debug)]
pub enum LookupKey<'n> {
    /// They define something of this name.
    Named(&'n str),
    /// They define members of a type of this name outside of its braces.
    Apart(&'n str),
    /// They have an interface that types need not name, and that asks for this.
    Asked(&'n str),
}

impl LookupKey<'_> {
    /// Two marks may share one.
    pub fn hash(self) -> u32 {
        match self {
            LookupKey::Named(name) => folded_hash(name),
            LookupKey::Apart(name) => name_hash(&methods_mark(name)),
            LookupKey::Asked(name) => name_hash(&asked_mark(name)),
        }
    }
}

/// True if interfaces in this file are fulfilled by types that do not name them.
pub fn is_structural(path: &RepoPath) -> bool {
    path.file_name().ends_with(".go")
}

/// The hashes of all marks under which a file with these facts is found.
pub fn of(path: &RepoPath, symbols: &[Symbol], heritage: &[Heritage]) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> = BTreeSet::new();
    let is_structural = is_structural(path);
    let parents = symbol_parents(symbols);
    for (symbol, parent) in symbols.iter().zip(&parents) {
        found.insert(LookupKey::Named(&symbol.name).hash());
        let parent = parent.map(|parent| &symbols[parent as usize]);
        if let Some(scope) = &symbol.scope
            && parent.is_none_or(|parent| !scope.ends_with(parent.name.as_str()))
        {
            found.insert(LookupKey::Apart(last(scope)).hash());
        }
        if is_structural && parent.is_some_and(|parent| parent.kind == ChunkKind::Interface) {
            found.insert(LookupKey::Asked(&symbol.name).hash());
        }
    }
    for part in heritage.iter().filter(|_| is_structural) {
        found.insert(LookupKey::Asked(last(&part.base)).hash());
    }
    found
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
