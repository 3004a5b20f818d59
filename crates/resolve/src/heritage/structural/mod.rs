//! Interfaces that types fulfil without saying so, as in Go: a type whose methods have the names,
//! parameters and results that an interface asks for. Shapes are compared as written, without the
//! names of packages, so that an interface of one common method such as `String() string` is
//! fulfilled by what has that method, and by nothing else.

mod method_signature;

use std::collections::{BTreeMap, BTreeSet};

use crate::heritage::Heritage;
use crate::inference::{Type, Types};
use crate::rules::Interfaces;
use crate::symbol_table::{FileIndex, SymbolId, is_interface, is_type};
use kenning_model::{go_type_methods, methods_key, required_key};

/// The methods that a type has or an interface asks for.
#[derive(Default)]
struct Methods {
    /// By name: the shape, and the directory that a name without a capital is private to.
    known: BTreeMap<String, (String, String)>,
    /// True if there may be more, of a library's type that is part of this one.
    is_open: bool,
}

/// An interface of which only so few methods are known says too little.
const ENOUGH: usize = 2;

/// No type is part of so many.
const MAX_PARTS: usize = 64;

impl<'w> Heritage<'_, 'w> {
    /// Finds the interfaces that types of a file fulfil without naming them, as pairs of type and
    /// interface.
    pub fn fulfilled(&self, file: FileIndex) -> Vec<(SymbolId, SymbolId)> {
        let facts = self.world.file(file);
        if facts.rules.interfaces == Interfaces::Named {
            return Vec::new();
        }
        let types = facts.symbols().iter().enumerate();
        let types = types
            .filter(|(index, symbol)| is_type(symbol.kind) && facts.parents()[*index].is_none());
        let mut found = Vec::new();
        for (symbol, _) in types {
            let symbol = symbol as u32;
            let subject = SymbolId { file, symbol };
            let bases = self.interfaces_of(subject);
            found.extend(bases.into_iter().map(|base| (subject, base)));
        }
        found
    }

    fn interfaces_of(&self, subject: SymbolId) -> BTreeSet<SymbolId> {
        let own = self.methods(subject);
        let mut open: Vec<SymbolId> = Vec::new();
        for name in own.known.keys() {
            self.record_dependency(&required_key(name));
            let asked = self.world.asked(name).iter();
            open.extend(asked.filter_map(|&method| self.world.parent(method)));
        }
        let mut seen = BTreeSet::from([subject]);
        let mut found = BTreeSet::new();
        while let Some(interface) = open.pop() {
            if !seen.insert(interface) || !self.fits(&own, interface) {
                continue;
            }
            found.insert(interface);
            // An interface may ask for nothing but what others ask for.
            let name = &self.world.symbol(interface).name;
            self.record_dependency(&required_key(name));
            open.extend(
                self.world
                    .asked(name)
                    .iter()
                    .copied()
                    .filter(|&id| is_interface(self.world.symbol(id).kind)),
            );
        }
        // Declared bases need no structural match; heritage clauses give those relations.
        for base in self.bases(subject).iter() {
            if let Type::Known { symbol, .. } = base {
                found.remove(symbol);
            }
        }
        found
    }

    fn fits(&self, own: &Methods, interface: SymbolId) -> bool {
        let asked = self.methods(interface);
        let is_told =
            if asked.is_open { asked.known.len() >= ENOUGH } else { !asked.known.is_empty() };
        is_told
            && asked.known.iter().all(|(name, (shape, home))| {
                own.known.get(name).is_some_and(|(known, own_home)| {
                    let is_seen = name.starts_with(char::is_uppercase) || home == own_home;
                    is_seen && method_signature::are_alike(known, shape)
                })
            })
    }

    /// The methods of a type with those of what is part of it, nearest first.
    fn methods(&self, of: SymbolId) -> Methods {
        let mut found = Methods::default();
        let mut open = vec![Type::Known { symbol: of, arguments: Types::default() }];
        let mut seen = BTreeSet::new();
        let mut at = 0;
        while at < open.len() && at < MAX_PARTS {
            let current = open[at].clone();
            at += 1;
            match current {
                Type::Known { symbol, .. } if seen.insert(symbol) => {
                    self.own_methods(symbol, &mut found);
                    open.extend(self.parts(symbol).iter().cloned());
                }
                Type::Foreign { name, .. } => match go_type_methods(&name) {
                    Some(methods) => found.add_library(methods),
                    None => found.is_open = true,
                },
                _ => {}
            }
        }
        found
    }

    /// Returns the embedded types whose methods a type also has. A Go type such as `type A B` does
    /// not have the methods of `B`.
    fn parts(&self, of: SymbolId) -> Types {
        match self.world.symbol(of).kind {
            kenning_model::ChunkKind::TypeAlias => Types::default(),
            _ => self.bases(of),
        }
    }

    fn own_methods(&self, of: SymbolId, found: &mut Methods) {
        let name = &self.world.symbol(of).name;
        self.record_dependency(&methods_key(name));
        let file = self.world.file(of.file);
        let home = file.path.parent();
        let apart = self.world.apart(name).iter().copied();
        let apart = apart.filter(|id| self.world.file(id.file).path.parent() == home);
        let next = of.symbol + 1..file.symbols().len() as u32;
        let inside = next
            .take_while(|&index| file.ancestors(Some(index)).any(|outer| outer == of.symbol))
            .filter(|&index| file.parents()[index as usize] == Some(of.symbol))
            .map(|symbol| SymbolId { symbol, ..of });
        let methods = apart.chain(inside).filter(|&id| {
            let symbol = self.world.symbol(id);
            symbol.kind == kenning_model::ChunkKind::Method
        });
        for id in methods {
            let symbol = self.world.symbol(id);
            let signature = symbol.signature.as_deref().unwrap_or_default();
            if let Some(shape) = method_signature::of(signature, &symbol.name) {
                let known = found.known.entry(symbol.name.clone());
                known.or_insert_with(|| (shape, home.to_string()));
            }
        }
    }
}

impl Methods {
    fn add_library(&mut self, methods: &[&str]) {
        for method in methods {
            let name = method.split('(').next().unwrap_or(method);
            if let Some(shape) = method_signature::of(method, name) {
                let known = self.known.entry(name.to_string());
                known.or_insert_with(|| (shape, String::new()));
            }
        }
    }
}
