//! The members of a type: its own, those of its extensions, those of its bases.

use std::rc::Rc;

use foldhash::{HashSet, HashSetExt};

use super::file_symbols;
use super::infer::{Type, Types};
use super::resolver::{Position, Resolver};
use super::rules::{Inheritance, Rules};
use super::symbol_table::{SymbolId, is_type};
use super::type_expr::TypeExpr;
use super::type_params::find_name;
use kenning_model::ChunkKind;

/// No chain of bases is longer.
const MAX_BASES: usize = 64;

/// A member that was found.
#[derive(Clone, Debug)]
pub struct Member {
    pub symbols: Vec<SymbolId>,
    /// The type that has it, with its arguments.
    pub owner: Type,
    /// True if one of several possible types has it.
    pub is_unsure: bool,
}

impl Resolver<'_> {
    /// The members of this name that the type itself and its extensions declare.
    pub fn own_members(&self, type_id: SymbolId, name: &str) -> Vec<SymbolId> {
        self.touch(name);
        let kind = self.world.symbol(type_id).kind;
        if self.is_script(type_id.file) && !is_type(kind) {
            return self.object_members(type_id, name);
        }
        let hash = file_symbols::hash(name);
        let extensions = self.extensions(type_id);
        let homes = std::iter::once(type_id).chain(extensions.iter().copied());
        let mut found: Vec<SymbolId> = homes
            .flat_map(|home| {
                let file = self.world.file(home.file);
                let inner = file.children_under(Some(home.symbol), name, hash);
                inner.map(move |symbol| SymbolId { symbol, ..home })
            })
            .collect();
        let owner = self.world.symbol(type_id);
        let outside = self.world.apart(&owner.name).iter().copied();
        found.extend(outside.filter(|&id| {
            let is_near = self.world.file(id.file).path.parent()
                == self.world.file(type_id.file).path.parent()
                || self.world.file(id.file).rules.family != "go";
            self.world.symbol(id).name == name
                && is_near
                && self.world.can_use(id.file, type_id.file)
        }));
        self.own_before_asked(&mut found);
        found
    }

    /// Removes members from trait impls if the Rust type has an inherent one, which hides them.
    fn own_before_asked(&self, found: &mut Vec<SymbolId>) {
        if found.len() < 2 || self.world.file(found[0].file).rules.heritage != Inheritance::Traits {
            return;
        }
        let is_asked = |id: &SymbolId| {
            let home = self.world.parent(*id);
            let signature = home.and_then(|home| self.world.symbol(home).signature.as_deref());
            signature.is_some_and(|text| text.starts_with("impl") && text.contains(" for "))
        };
        if found.iter().any(|id| !is_asked(id)) {
            found.retain(|id| !is_asked(id));
        }
    }

    /// Own members, else those of the bases.
    pub fn members_with_bases(&self, type_id: SymbolId, name: &str) -> Rc<[SymbolId]> {
        if let Some(known) = self.inherited.borrow().get(&type_id)
            && let Some(known) = known.get(name)
        {
            return known.clone();
        }
        let member = self.member(&self.own(type_id), name);
        let found: Rc<[SymbolId]> = member.map_or(Vec::new(), |member| member.symbols).into();
        if self.is_for_good() {
            let mut known = self.inherited.borrow_mut();
            let known = known.entry(type_id).or_default();
            known.insert(name.to_string(), found.clone());
        }
        found
    }

    /// Finds the member `name` of a value of this type.
    pub fn member(&self, of: &Type, name: &str) -> Option<Member> {
        self.deeper(|| match of {
            Type::Known { .. } => self.known_member(of, name).or_else(|| {
                // A Rust type also has the members of its `Deref` target: `impl Deref for Name`.
                let target = self.associated(of, "Target")?;
                self.member(&target, name).filter(|_| target != *of)
            }),
            Type::Parameter { bounds, .. } => {
                bounds.iter().find_map(|bound| self.member(bound, name))
            }
            Type::Later { .. } => self.member(&self.told(of), name),
            Type::Either(all) => {
                let mut found = all.iter().filter_map(|one| self.member(one, name));
                let mut first = found.next()?;
                for symbol in found.flat_map(|other| other.symbols) {
                    // Several types may inherit one member from the same base; it counts once.
                    if !first.symbols.contains(&symbol) {
                        first.is_unsure = true;
                        first.symbols.push(symbol);
                    }
                }
                Some(first)
            }
            Type::Foreign { name: own, rules, .. } => {
                let inner = self.unwrapped(of);
                let inner = inner.and_then(|inner| self.member(&inner, name));
                inner.or_else(|| self.extension_member(own, rules, name, of))
            }
            _ => None,
        })
    }

    /// Finds a member that our extensions add to a library type.
    fn extension_member(&self, own: &str, rules: &Rules, name: &str, of: &Type) -> Option<Member> {
        self.touch(own);
        let extensions = self.world.extensions(own).iter().copied();
        let found: Vec<SymbolId> = extensions
            .filter(|&id| self.world.file(id.file).rules.family == rules.family)
            .filter(|&id| self.type_of_extension(id) == id)
            .flat_map(|home| {
                let inner = self.world.file(home.file).children(Some(home.symbol), name);
                inner.map(move |symbol| SymbolId { symbol, ..home })
            })
            .collect();
        (!found.is_empty()).then(|| Member { symbols: found, owner: of.clone(), is_unsure: false })
    }

    /// Returns the type inside a wrapper, if the type is one.
    pub fn unwrapped(&self, of: &Type) -> Option<Type> {
        let Type::Foreign { name, arguments, rules } = of else {
            return None;
        };
        let is_wrapper = rules.wrappers.contains(&name.as_str());
        arguments.first().filter(|_| is_wrapper).cloned()
    }

    fn known_member(&self, of: &Type, name: &str) -> Option<Member> {
        let mut open = vec![of.clone()];
        let mut seen = HashSet::new();
        let mut at = 0;
        while at < open.len() && at < MAX_BASES {
            let current = open[at].clone();
            at += 1;
            let Type::Known { symbol, .. } = &current else {
                if let Some(member) =
                    self.unwrapped(&current).and_then(|inner| self.member(&inner, name))
                {
                    return Some(member);
                }
                continue;
            };
            if !seen.insert(*symbol) {
                continue;
            }
            let found = self.own_members(*symbol, name);
            if !found.is_empty() {
                return Some(Member { symbols: found, owner: current, is_unsure: false });
            }
            let bases = self.bases(*symbol);
            let bases = bases.iter();
            open.extend(bases.map(|base| self.substituted(base, &current)));
        }
        None
    }

    /// True if a type has a base that is not ours: what it inherits is not known.
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

    /// True if a type says, or its bases say, that it is a kind of another.
    pub fn is_kind_of(&self, type_id: SymbolId, other: SymbolId) -> bool {
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

    /// Returns the type that a Go struct embeds under this name. An embedded type is a field named
    /// after itself.
    pub(super) fn embedded_field(&self, of: &Type, name: &str) -> Option<Type> {
        let Type::Known { symbol, .. } = of else {
            return None;
        };
        if self.world.file(symbol.file).rules.family != "go" {
            return None;
        }
        let bases = self.bases(*symbol);
        let found = bases.iter().find(|base| match base {
            Type::Known { symbol, .. } => self.world.symbol(*symbol).name == name,
            Type::Foreign { name: known, .. } => known == name,
            _ => false,
        });
        found.cloned()
    }

    /// Returns the bases of a type: the types that it extends or implements.
    pub fn bases(&self, type_id: SymbolId) -> Types {
        if let Some(known) = self.based.borrow().get(&type_id) {
            return known.clone();
        }
        // While its bases are computed, a type has none; this ends cycles.
        self.based.borrow_mut().insert(type_id, Types::default());
        self.open_bases.set(self.open_bases.get() + 1);
        let mut bases = Vec::new();
        let extensions = self.extensions(type_id);
        let homes = std::iter::once(type_id).chain(extensions.iter().copied());
        for home in homes {
            let file = self.world.file(home.file);
            let symbol = self.world.symbol(home);
            for heritage in file.heritage_within(symbol.span.start_line, symbol.span.end_line) {
                if heritage.subject_name() != symbol.name {
                    continue;
                }
                let at = Position {
                    file: home.file,
                    symbol: Some(home.symbol),
                    byte: symbol.span.start_byte,
                };
                // In the type's own scope, a name of its own could hide its base.
                let outer = Position { symbol: file.parents()[home.symbol as usize], ..at };
                let text = self.base_text(home, &heritage.base);
                let written = self.written(&text);
                let base = self.deeper(|| self.resolve_base(at, outer, &written));
                if !bases.contains(&base) {
                    bases.push(base);
                }
            }
        }
        bases.extend(self.called_bases(type_id));
        bases.extend(self.written_type(type_id));
        // The target of a Go type alias or of a newtype counts as a base.
        let symbol = self.world.symbol(type_id);
        if symbol.kind == ChunkKind::TypeAlias
            && let Some(text) = &symbol.type_text
        {
            let at = Position {
                file: type_id.file,
                symbol: self.world.parent(type_id).map(|parent| parent.symbol),
                byte: symbol.span.start_byte,
            };
            bases.push(self.deeper(|| self.resolve_type(at, &self.written(text))));
        }
        let bases = Types::from(bases);
        self.open_bases.set(self.open_bases.get() - 1);
        let mut based = self.based.borrow_mut();
        // A base's argument may be a parameter that is still being resolved; such bases are not
        // cached.
        if self.open_parameters.borrow().is_empty() {
            based.insert(type_id, bases.clone())
        } else {
            based.remove(&type_id)
        };
        bases
    }

    /// A base as written: its name means what it means around the type, its arguments may be
    /// parameters of the type.
    fn resolve_base(&self, inside: Position, outside: Position, written: &TypeExpr) -> Type {
        match written {
            TypeExpr::Named { path, arguments } => {
                let arguments = arguments.iter().map(|one| self.resolve_type(inside, one));
                self.resolve_named(outside, path, arguments.collect())
            }
            other => self.resolve_type(outside, other),
        }
    }

    /// Returns the bases of a constructor function by calls such as `inherits(Page, View)`.
    fn called_bases(&self, owner: SymbolId) -> Vec<Type> {
        let symbol = self.world.symbol(owner);
        if !self.is_script(owner.file) || is_type(symbol.kind) {
            return Vec::new();
        }
        let at = Position {
            file: owner.file,
            symbol: self.world.parent(owner).map(|parent| parent.symbol),
            byte: symbol.span.start_byte,
        };
        let clauses = self.world.file(owner.file).heritage().iter();
        let own = clauses.filter(|clause| clause.subject == symbol.name);
        own.map(|clause| self.deeper(|| self.constructed(at, &clause.base))).collect()
    }

    /// The base with its arguments, as the signature has it.
    fn base_text(&self, home: SymbolId, base: &str) -> String {
        let signature = self.world.symbol(home).signature.as_deref().unwrap_or_default();
        let mut from = 0;
        // The name of a base may be the end of the type's own.
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

    /// The types that a type is a kind of, itself first; traits of Rust are not such.
    pub fn supertypes(&self, type_id: SymbolId) -> Vec<SymbolId> {
        let mut found = vec![type_id];
        let mut at = 0;
        while at < found.len() && at < MAX_BASES {
            let current = found[at];
            at += 1;
            let rules = self.world.file(current.file).rules;
            let is_trait = self.world.symbol(current).kind == ChunkKind::Trait;
            if rules.heritage == Inheritance::Traits && !is_trait {
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
