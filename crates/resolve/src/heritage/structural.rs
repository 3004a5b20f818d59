//! Structural interfaces: a type implements an interface if its method set has every
//! method that the interface requires.
//!
//! The language normalizes signatures, so that equal methods have equal ones. An interface with one
//! common method such as `String() string` is then implemented by each type with that method, and
//! by no other.

use std::collections::{BTreeMap, BTreeSet};

use crate::heritage::Heritage;
use crate::inference::{Type, Types};
use crate::rules::StructuralInterfaces;
use crate::symbol_table::{FileIndex, SymbolId, is_interface, is_type};
use kenning_model::{methods_key, required_key};

/// The methods that a type has, or that an interface requires.
#[derive(Default)]
struct MethodSet {
    /// By name: the normalized signature, and the directory, to which an unexported name is
    /// private.
    methods: BTreeMap<String, (String, String)>,
    /// True if an embedded library type may add methods.
    is_incomplete: bool,
}

/// The number of known methods from which an incomplete interface is compared. With fewer, too many
/// types would match.
const MIN_KNOWN_METHODS: usize = 2;

/// The limit of embedded types that are visited for one method set.
const MAX_EMBEDDED: usize = 64;

impl<'t> Heritage<'_, 't> {
    /// Finds the interfaces that types of a file implement without naming them, as pairs of type
    /// and interface.
    pub fn find_structural_interfaces(&self, file: FileIndex) -> Vec<(SymbolId, SymbolId)> {
        let facts = self.table.file(file);
        let Some(comparison) = &facts.rules.structural_interfaces else {
            return Vec::new();
        };
        let top_level_types =
            facts.symbols().iter().enumerate().filter(|(index, symbol)| {
                is_type(symbol.kind) && facts.parents()[*index].is_none()
            });
        let mut found = Vec::new();
        for (index, _) in top_level_types {
            let subject = SymbolId { file, symbol: index as u32 };
            let bases = self.implemented_interfaces(subject, comparison);
            found.extend(bases.into_iter().map(|base| (subject, base)));
        }
        found
    }

    /// Returns the interfaces that a type implements structurally. Candidates are the interfaces
    /// that require one of its methods, and those that embed an implemented one.
    fn implemented_interfaces(
        &self,
        subject: SymbolId,
        comparison: &StructuralInterfaces,
    ) -> BTreeSet<SymbolId> {
        let own = self.method_set(subject);
        let mut open: Vec<SymbolId> = Vec::new();
        for name in own.methods.keys() {
            self.record_dependency(&required_key(name));
            let required = self.table.required_members(name).iter();
            open.extend(required.filter_map(|&method| self.table.parent(method)));
        }
        let mut seen = BTreeSet::from([subject]);
        let mut found = BTreeSet::new();
        while let Some(interface) = open.pop() {
            if !seen.insert(interface) || !self.implements_interface(&own, interface, comparison) {
                continue;
            }
            found.insert(interface);
            // An interface may consist of embedded interfaces only; no own method leads to it.
            let name = &self.table.symbol(interface).name;
            self.record_dependency(&required_key(name));
            open.extend(
                self.table
                    .required_members(name)
                    .iter()
                    .copied()
                    .filter(|&id| is_interface(self.table.symbol(id).kind)),
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

    /// True if a method set has every method that an interface requires.
    fn implements_interface(
        &self,
        own: &MethodSet,
        interface: SymbolId,
        comparison: &StructuralInterfaces,
    ) -> bool {
        let required = self.method_set(interface);
        let is_specific = if required.is_incomplete {
            required.methods.len() >= MIN_KNOWN_METHODS
        } else {
            !required.methods.is_empty()
        };
        is_specific
            && required.methods.iter().all(|(name, (signature, home))| {
                own.methods.get(name).is_some_and(|(known, own_home)| {
                    // An unexported method can only be implemented in its own package.
                    let is_seen = (comparison.is_exported)(name) || home == own_home;
                    is_seen && (comparison.is_compatible)(known, signature)
                })
            })
    }

    /// Returns the method set of a type, with those of embedded types. A nearer method hides a
    /// deeper one.
    fn method_set(&self, of: SymbolId) -> MethodSet {
        let mut found = MethodSet::default();
        let mut open = vec![Type::Known { symbol: of, arguments: Types::default() }];
        let mut seen = BTreeSet::new();
        let mut at = 0;
        while at < open.len() && at < MAX_EMBEDDED {
            let current = open[at].clone();
            at += 1;
            match current {
                Type::Known { symbol, .. } if seen.insert(symbol) => {
                    self.add_declared_methods(symbol, &mut found);
                    open.extend(self.embedded_types(symbol).iter().cloned());
                }
                Type::Foreign { name, rules, .. } => match (rules.library_methods)(&name) {
                    // A few interfaces of the library are known by their methods.
                    Some(methods) => {
                        found.add_library_methods(methods, rules.structural_interfaces.as_ref())
                    }
                    None => found.is_incomplete = true,
                },
                _ => {}
            }
        }
        found
    }

    /// Returns the embedded types whose methods a type also has. A type that only renames
    /// another, such as `type A B`, does not have its methods.
    fn embedded_types(&self, of: SymbolId) -> Types {
        match self.table.symbol(of).kind {
            kenning_model::ChunkKind::TypeAlias => Types::default(),
            _ => self.bases(of),
        }
    }

    /// Adds the methods that a type declares, in its body or in its package.
    fn add_declared_methods(&self, of: SymbolId, found: &mut MethodSet) {
        let name = &self.table.symbol(of).name;
        self.record_dependency(&methods_key(name));
        let file = self.table.file(of.file);
        let Some(comparison) = &file.rules.structural_interfaces else {
            return;
        };
        let home = file.path.parent();
        // A package is a directory; a type of the same name in another has its own methods.
        let out_of_line = self
            .table
            .out_of_line_members(name)
            .iter()
            .copied()
            .filter(|id| self.table.file(id.file).path.parent() == home);
        let next = of.symbol + 1..file.symbols().len() as u32;
        let inside = next
            .take_while(|&index| file.ancestors(Some(index)).any(|outer| outer == of.symbol))
            .filter(|&index| file.parents()[index as usize] == Some(of.symbol))
            .map(|symbol| SymbolId { symbol, ..of });
        let methods = out_of_line.chain(inside).filter(|&id| {
            let symbol = self.table.symbol(id);
            symbol.kind == kenning_model::ChunkKind::Method
        });
        for id in methods {
            let symbol = self.table.symbol(id);
            let signature = symbol.signature.as_deref().unwrap_or_default();
            let normalized = (comparison.normalize_signature)(signature, &symbol.name);
            if let Some(normalized) = normalized {
                let known = found.methods.entry(symbol.name.clone());
                known.or_insert_with(|| (normalized, home.to_string()));
            }
        }
    }
}

impl MethodSet {
    /// Adds the methods of a library type, unless a nearer type has declared them.
    fn add_library_methods(&mut self, methods: &[&str], comparison: Option<&StructuralInterfaces>) {
        let Some(comparison) = comparison else {
            return;
        };
        for method in methods {
            let name = method.split('(').next().unwrap_or(method);
            if let Some(signature) = (comparison.normalize_signature)(method, name) {
                let known = self.methods.entry(name.to_string());
                known.or_insert_with(|| (signature, String::new()));
            }
        }
    }
}
