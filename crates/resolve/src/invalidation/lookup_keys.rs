//! The keys under which a file is found by its definitions: their names, the types to which it adds
//! members from outside, and the methods that its interfaces require.

use std::collections::BTreeSet;

use crate::rules::Rules;
use kenning_model::{ChunkKind, FileFacts, LookupKey, symbol_parents};

/// Returns the hashes of all keys under which a file with these facts is found. `rules` are those
/// of its language.
pub fn lookup_keys(rules: &Rules, facts: FileFacts) -> BTreeSet<u32> {
    let FileFacts { symbols, heritage, .. } = facts;
    let mut found: BTreeSet<u32> = BTreeSet::new();
    let is_structural = rules.structural_interfaces.is_some();
    let parents = symbol_parents(symbols);
    for (symbol, parent) in symbols.iter().zip(&parents) {
        found.insert(LookupKey::Name(&symbol.name).hash());
        let parent = parent.map(|parent| &symbols[parent as usize]);
        // The scope names a type that does not enclose the symbol: an out-of-line member.
        if let Some(scope) = &symbol.scope
            && parent.is_none_or(|parent| !scope.ends_with(parent.name.as_str()))
        {
            found.insert(LookupKey::OutOfLineMembers(last_segment(scope)).hash());
        }
        // A method of an interface is found by types that have a method of that name.
        if is_structural && parent.is_some_and(|parent| parent.kind == ChunkKind::Interface) {
            found.insert(LookupKey::RequiredMember(&symbol.name).hash());
        }
    }
    // An embedded interface leads to the interfaces that embed it.
    for part in heritage.iter().filter(|_| is_structural) {
        found.insert(LookupKey::RequiredMember(last_segment(&part.base)).hash());
    }
    found
}

/// Returns the text after the last dot.
fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
