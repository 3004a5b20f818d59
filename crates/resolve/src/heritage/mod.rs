//! Heritage: the bases of a type, its extensions, and the interfaces that it implements.
//!
//! Contract:
//!
//! - [`Heritage::bases`] lists the types that a type and its extensions name as bases, with type
//!   arguments, those of the type first. A base outside of the repository is a `Foreign` type.
//! - While the bases of a type are computed, it has none; this ends cycles such as a type that
//!   extends a generic of itself. Answers that other parts cache by `is_cacheable` are not cached
//!   meanwhile.
//! - Bases are cached unless a type parameter is open, on which their arguments may depend.
//! - Walks over bases visit at most `MAX_BASES` types.
//! - Names of bases are resolved by `inference` and recorded by the lookups that it makes.
//!   Structural interfaces record the keys of the method sets that they compare.
//!
//! ```text
//! class Page extends View<Title> implements Closeable {}
//! ```
//!
//! `bases(Page)` is `[View<Title>, Closeable]`.

pub(crate) mod clauses;
mod extended_types;
mod mixins;
mod structural;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashSet, HashSetExt};

use crate::inference::type_params::find_name;
use crate::inference::{Type, Types};
use crate::resolver::Position;
use crate::resolver::resolver_view;
use crate::rules::Inheritance;
use crate::symbol_table::{SymbolId, is_type};
use crate::syntax::type_expr::TypeExpr;
use kenning_model::ChunkKind;

/// The limit of types that a walk over bases visits.
pub(crate) const MAX_BASES: usize = 64;

resolver_view! {
    /// Heritage: bases, extensions, and interfaces that a type fulfils.
    Heritage
}

/// Cache of bases and extensions.
#[derive(Default)]
pub(crate) struct HeritageCache {
    /// Bases of types; empty while they are computed.
    bases: RefCell<HashMap<SymbolId, Types>>,
    /// Extensions of types.
    extensions: RefCell<HashMap<SymbolId, Rc<[SymbolId]>>>,
    /// The type that each extension extends.
    extended_types: RefCell<HashMap<SymbolId, SymbolId>>,
    /// The number of types whose bases are being computed, one inside the other.
    open_bases: Cell<usize>,
}

impl<'t> Heritage<'_, 't> {
    /// True if no bases are being computed.
    pub(crate) fn is_idle(&self) -> bool {
        self.heritage_cache.open_bases.get() == 0
    }

    /// Marks bases as being computed while `find` runs, so that `is_cacheable` is false meanwhile.
    pub(crate) fn while_finding_bases<T>(&self, find: impl FnOnce() -> T) -> T {
        let open = &self.heritage_cache.open_bases;
        open.set(open.get() + 1);
        let found = find();
        open.set(open.get() - 1);
        found
    }

    /// True if a type inherits from a type outside of the repository, whose members are unknown.
    pub fn has_foreign_base(&self, type_id: SymbolId) -> bool {
        let mut open = vec![type_id];
        let mut seen = HashSet::new();
        while let Some(next) = open.pop() {
            if !seen.insert(next) || seen.len() > MAX_BASES {
                continue;
            }
            for base in self.bases(next).iter() {
                match base {
                    Type::Known { symbol, .. } => open.push(*symbol),
                    _ => return true,
                }
            }
        }
        false
    }

    /// True if a type is another, or has it among its transitive bases.
    pub fn is_subtype(&self, type_id: SymbolId, other: SymbolId) -> bool {
        let mut open = vec![type_id];
        let mut seen = HashSet::new();
        while let Some(next) = open.pop() {
            if next == other {
                return true;
            }
            if !seen.insert(next) || seen.len() > MAX_BASES {
                continue;
            }
            let bases = self.bases(next);
            open.extend(bases.iter().filter_map(|base| match base {
                Type::Known { symbol, .. } => Some(*symbol),
                _ => None,
            }));
        }
        false
    }

    /// Returns the bases of a type: the types that it and its extensions extend or implement.
    pub fn bases(&self, type_id: SymbolId) -> Types {
        if let Some(known) = self.heritage_cache.bases.borrow().get(&type_id) {
            return known.clone();
        }
        // While its bases are computed, a type has none; this ends cycles.
        self.heritage_cache.bases.borrow_mut().insert(type_id, Types::default());
        let bases = Types::from(self.while_finding_bases(|| self.compute_bases(type_id)));
        let mut cache = self.heritage_cache.bases.borrow_mut();
        // A base's argument may be a parameter that is still being resolved; such bases are not
        // cached.
        if self.inference().is_idle() {
            cache.insert(type_id, bases.clone())
        } else {
            cache.remove(&type_id)
        };
        bases
    }

    /// Computes what `bases` caches: declared bases, then those of scripts, then the target of an
    /// alias.
    fn compute_bases(&self, type_id: SymbolId) -> Vec<Type> {
        let mut bases = Vec::new();
        let extensions = self.extensions(type_id);
        let bodies = self.inference().reopened_bodies(type_id).into_iter();
        for home in bodies.chain(extensions.iter().copied()) {
            let file = self.table.file(home.file);
            let symbol = self.table.symbol(home);
            // Clauses of nested types are in the same lines, so the subject must match.
            for heritage in file.heritage_in_lines(symbol.span.start_line, symbol.span.end_line) {
                if heritage.subject_name() != symbol.name {
                    continue;
                }
                let at = Position {
                    file: home.file,
                    symbol: Some(home.symbol),
                    byte: symbol.span.start_byte,
                };
                // In the scope of the type, a nested type could hide the base.
                let outer = Position { symbol: file.parents()[home.symbol as usize], ..at };
                let text = self.base_text(home, &heritage.base);
                let written = self.parse_type(&text);
                let outside = self.with_budget(|| self.resolve_base(at, outer, &written));
                // A mixin is named in the body of the type, where nested modules are in scope.
                let is_nested = file.rules.has_nested_constants;
                let base = if is_nested && matches!(outside, Type::Foreign { .. }) {
                    self.with_budget(|| self.resolve_base(at, at, &written))
                } else {
                    outside
                };
                if !bases.contains(&base) {
                    bases.push(base);
                }
            }
        }
        bases.extend(self.bases_from_calls(type_id));
        bases.extend(self.objects().declared_literal_type(type_id));
        // The target of a Go type alias or of a newtype counts as a base.
        let symbol = self.table.symbol(type_id);
        if symbol.kind == ChunkKind::TypeAlias
            && let Some(text) = &symbol.type_text
        {
            let at = Position {
                file: type_id.file,
                symbol: self.table.parent(type_id).map(|parent| parent.symbol),
                byte: symbol.span.start_byte,
            };
            bases.push(
                self.with_budget(|| self.inference().resolve_type(at, &self.parse_type(text))),
            );
        }
        bases
    }

    /// Resolves a base. Its name is looked up outside of the type, its arguments inside, because
    /// these may be type parameters of the type.
    fn resolve_base(&self, inside: Position, outside: Position, written: &TypeExpr) -> Type {
        match written {
            TypeExpr::Named { path, arguments } => {
                let arguments =
                    arguments.iter().map(|one| self.inference().resolve_type(inside, one));
                self.inference().resolve_named_type(outside, path, arguments.collect())
            }
            other => self.inference().resolve_type(outside, other),
        }
    }

    /// Returns the bases of a constructor function by calls such as `inherits(Page, View)`.
    fn bases_from_calls(&self, owner: SymbolId) -> Vec<Type> {
        let symbol = self.table.symbol(owner);
        if !self.objects().has_open_objects(owner.file) || is_type(symbol.kind) {
            return Vec::new();
        }
        let at = Position {
            file: owner.file,
            symbol: self.table.parent(owner).map(|parent| parent.symbol),
            byte: symbol.span.start_byte,
        };
        let clauses = self.table.file(owner.file).heritage().iter();
        let own = clauses.filter(|clause| clause.subject == symbol.name);
        own.map(|clause| {
            self.with_budget(|| self.objects().infer_constructed_type(at, &clause.base))
        })
        .collect()
    }

    /// Returns the text of a base with its type arguments, from the signature. Heritage clauses
    /// have the name only.
    fn base_text(&self, home: SymbolId, base: &str) -> String {
        let signature = self.table.symbol(home).signature.as_deref().unwrap_or_default();
        let mut from = 0;
        // The first hit may be part of the type's own name, so the search goes on until one has
        // arguments.
        while let Some(at) = find_name(&signature[from..], base) {
            let after = &signature[from + at + base.len()..];
            if let Some(open) = after.chars().next().filter(|c| matches!(c, '<' | '[')) {
                let close = if open == '<' { '>' } else { ']' };
                let mut depth = 0usize;
                for (end, c) in after.char_indices() {
                    match c {
                        c if c == open => depth += 1,
                        c if c == close => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        return format!("{base}{}", &after[..=end]);
                    }
                }
            }
            from += at + base.len();
        }
        base.to_string()
    }

    /// Returns a type and its transitive supertypes, breadth-first. A trait is no supertype of the
    /// Rust types that implement it.
    pub fn supertypes(&self, type_id: SymbolId) -> Vec<SymbolId> {
        let mut found = vec![type_id];
        let mut at = 0;
        while at < found.len() && at < MAX_BASES {
            let current = found[at];
            at += 1;
            let rules = self.table.file(current.file).rules;
            let is_trait = self.table.symbol(current).kind == ChunkKind::Trait;
            // Implementing a trait is no subtyping; only a trait has supertraits.
            if rules.inheritance == Inheritance::Traits && !is_trait {
                continue;
            }
            for base in self.bases(current).iter() {
                if let Type::Known { symbol, .. } = base
                    && !found.contains(symbol)
                {
                    found.push(*symbol);
                }
            }
        }
        found
    }
}
