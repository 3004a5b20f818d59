//! Member lookup: the definitions of a name in a value of a type.
//!
//! Contract:
//!
//! - For a type of the repository, the search is breadth-first: the members that it, its extensions
//!   and its out-of-line definitions declare, then those of its bases. The first type that has the
//!   name hides the rest. At last comes the target of `Deref`.
//! - A type parameter has the members of its bounds. A union has those of all its alternatives; the
//!   answer is ambiguous if these differ. A library's wrapper has the members of the wrapped type,
//!   and any that extensions of the repository add.
//! - The name is recorded as a dependency. Only [`Members::members_with_bases`] caches, if
//!   [`is_cacheable`](crate::Resolver) allows it. A lookup visits at most `MAX_BASES` types.
//! - The choice among overloads is left to `overloads`, and the type of a member to `inference`.
//!
//! ```text
//! class View { open() {} }
//! class Page extends View {}
//! ```
//!
//! `find_member(Page, "open")` is `View.open`, with `View` as the owner.

mod out_of_line;
pub(crate) mod prototype_objects;

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::{HashMap, HashSet, HashSetExt};

use crate::heritage::MAX_BASES;
use crate::inference::Type;
use crate::resolver::Position;
use crate::resolver::resolver_view;
use crate::rules::Rules;
use crate::symbol_table::file_symbols;
use crate::symbol_table::{SymbolId, is_type};

/// The result of a member lookup.
#[derive(Clone, Debug)]
pub struct Member {
    /// The definitions: overloads, or alternatives of a union. There is at least one.
    pub symbols: Vec<SymbolId>,
    /// The type that declares it, with its type arguments.
    pub owner: Type,
    /// True if the alternatives of a union declare different definitions.
    pub is_ambiguous: bool,
}

resolver_view! {
    /// Member lookup: own members, those of bases, extensions and wrapped types.
    Members
}

/// Cache of member lookups.
#[derive(Default)]
pub(crate) struct MemberCache {
    /// Members of types and of their bases, by name.
    inherited: RefCell<HashMap<SymbolId, MembersByName>>,
}

/// The members of one type, own and inherited, by name.
type MembersByName = HashMap<String, Rc<[SymbolId]>>;

impl<'t> Members<'_, 't> {
    /// Returns the members of a name that a type, its extensions and its out-of-line definitions
    /// declare.
    pub fn own_members(&self, type_id: SymbolId, name: &str) -> Vec<SymbolId> {
        self.record_dependency(name);
        let kind = self.table.symbol(type_id).kind;
        // A function or object of JavaScript has assigned members.
        if self.objects().has_open_objects(type_id.file) && !is_type(kind) {
            return self.objects().object_members(type_id, name);
        }
        // Hash the name once for all extensions.
        let hash = file_symbols::hash_name(name);
        let extensions = self.heritage().extensions(type_id);
        let bodies = self.inference().reopened_bodies(type_id).into_iter();
        let mut found: Vec<SymbolId> = bodies
            .chain(extensions.iter().copied())
            .flat_map(|home| {
                let file = self.table.file(home.file);
                let inner = file.children_by_hash(Some(home.symbol), name, hash);
                inner.map(move |symbol| SymbolId { symbol, ..home })
            })
            .collect();
        let owner = self.table.symbol(type_id);
        let outside = self.table.out_of_line_members(&owner.name).iter().copied();
        found.extend(outside.filter(|&id| {
            // A Go package is one directory; its methods are in the same one as the type.
            let is_near = self.table.file(id.file).path.parent()
                == self.table.file(type_id.file).path.parent()
                || !self.table.file(id.file).rules.has_members_in_directory;
            self.table.symbol(id).name == name
                && is_near
                && self.table.can_use(id.file, type_id.file)
                && self.is_owner(type_id, id)
        }));
        self.prefer_inherent_members(&mut found);
        found
    }

    /// Removes members from implementations of traits if the type has one by itself, which hides
    /// them.
    fn prefer_inherent_members(&self, found: &mut Vec<SymbolId>) {
        if found.len() < 2 {
            return;
        }
        let is_of_trait = |id: &SymbolId| {
            let rules = self.table.file(id.file).rules;
            let block = self.table.parent(*id);
            let signature = block.and_then(|block| self.table.symbol(block).signature.as_deref());
            signature.is_some_and(rules.is_trait_implementation)
        };
        if found.iter().any(|id| !is_of_trait(id)) {
            found.retain(|id| !is_of_trait(id));
        }
    }

    /// Returns the members of a name that a type declares, else those that it inherits.
    pub fn members_with_bases(&self, type_id: SymbolId, name: &str) -> Rc<[SymbolId]> {
        if let Some(known) = self.member_cache.inherited.borrow().get(&type_id)
            && let Some(known) = known.get(name)
        {
            return known.clone();
        }
        let member = self.find_member(&self.inference().type_of_symbol(type_id), name);
        let found: Rc<[SymbolId]> = member.map_or(Vec::new(), |member| member.symbols).into();
        if self.is_cacheable() {
            let mut cache = self.member_cache.inherited.borrow_mut();
            cache.entry(type_id).or_default().insert(name.to_string(), found.clone());
        }
        found
    }

    /// Finds the member `name` of a value of this type.
    pub fn find_member(&self, of: &Type, name: &str) -> Option<Member> {
        self.with_budget(|| match of {
            Type::Known { symbol, .. } => self.find_member_in_bases(of, name).or_else(|| {
                // A type also has the members of the type that it dereferences to.
                let name_of_target = self.table.file(symbol.file).rules.deref_target;
                let target = self.inference().associated_type(of, name_of_target)?;
                self.find_member(&target, name).filter(|_| target != *of)
            }),
            Type::Parameter { bounds, .. } => {
                bounds.iter().find_map(|bound| self.find_member(bound, name))
            }
            Type::Deferred { .. } => {
                self.find_member(&self.inference().evaluate_deferred(of), name)
            }
            Type::Union(all) => {
                // The first alternative gives the owner; definitions of the others are added.
                let mut found = all.iter().filter_map(|one| self.find_member(one, name));
                let mut first = found.next()?;
                for symbol in found.flat_map(|other| other.symbols) {
                    // Several types may inherit one member from the same base; it counts once.
                    if !first.symbols.contains(&symbol) {
                        first.is_ambiguous = true;
                        first.symbols.push(symbol);
                    }
                }
                Some(first)
            }
            Type::Foreign { name: own, rules, .. } => {
                let wrapped = self.unwrap_wrapper(of);
                wrapped
                    .and_then(|inner| self.find_member(&inner, name))
                    .or_else(|| self.find_extension_member(own, rules, name, of))
            }
            _ => None,
        })
    }

    /// Finds a member that extensions of the repository add to a library type.
    fn find_extension_member(
        &self,
        own: &str,
        rules: &Rules,
        name: &str,
        of: &Type,
    ) -> Option<Member> {
        self.record_dependency(own);
        let extensions = self.table.extensions(own).iter().copied();
        let found: Vec<SymbolId> = extensions
            .filter(|&id| self.table.file(id.file).rules.family == rules.family)
            // An extension that resolves to itself extends no type of the repository.
            .filter(|&id| self.heritage().type_of_extension(id) == id)
            .flat_map(|home| {
                let inner = self.table.file(home.file).children(Some(home.symbol), name);
                inner.map(move |symbol| SymbolId { symbol, ..home })
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        // A wrapper such as `Pin<&mut T>` implements what `T` does by passing calls on, so the call
        // is dispatched.
        let wrapped = self.unwrap_wrapper(of);
        let requirement = wrapped.and_then(|_| self.requirement_of(found[0], name));
        Some(requirement.unwrap_or_else(|| Member {
            symbols: found,
            owner: of.clone(),
            is_ambiguous: false,
        }))
    }

    /// Finds the requirement that a member of an extension implements, in the interface that the
    /// extension names.
    fn requirement_of(&self, member: SymbolId, name: &str) -> Option<Member> {
        let home = self.table.parent(member)?;
        let (file, extension) = (self.table.file(home.file), self.table.symbol(home));
        let span = extension.span;
        let mut clauses = file.heritage_in_lines(span.start_line, span.end_line);
        let clause = clauses.find(|clause| clause.subject_name() == extension.name)?;
        let outside = self.table.parent(home).map(|outer| outer.symbol);
        let at = Position { file: home.file, symbol: outside, byte: span.start_byte };
        let base =
            self.with_budget(|| self.inference().resolve_type(at, &self.parse_type(&clause.base)));
        let Type::Known { symbol, .. } = base else {
            return None;
        };
        let symbols = self.own_members(symbol, name);
        (!symbols.is_empty()).then_some(Member { symbols, owner: base, is_ambiguous: false })
    }

    /// Returns the type inside a wrapper such as `Box<Page>`, whose members the wrapper has.
    pub fn unwrap_wrapper(&self, of: &Type) -> Option<Type> {
        let Type::Foreign { name, arguments, rules } = of else {
            return None;
        };
        let is_wrapper = rules.wrapper_types.contains(&name.as_str());
        arguments.first().filter(|_| is_wrapper).cloned()
    }

    /// Searches a type and its bases, breadth-first.
    fn find_member_in_bases(&self, of: &Type, name: &str) -> Option<Member> {
        let mut open = vec![of.clone()];
        let mut seen = HashSet::new();
        let mut at = 0;
        while at < open.len() && at < MAX_BASES {
            let current = open[at].clone();
            at += 1;
            // A base of a library: only its wrapped type, if any, can have members here.
            let Type::Known { symbol, .. } = &current else {
                if let Some(member) =
                    self.unwrap_wrapper(&current).and_then(|inner| self.find_member(&inner, name))
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
                return Some(Member { symbols: found, owner: current, is_ambiguous: false });
            }
            let bases = self.heritage().bases(*symbol);
            // `Page extends View<Title>`: members of `View` see its type argument.
            open.extend(
                bases.iter().map(|base| self.inference().substitute_arguments(base, &current)),
            );
        }
        None
    }

    /// Returns the type that a Go struct embeds under this name. An embedded type is a field named
    /// after itself.
    pub(crate) fn find_embedded_field(&self, of: &Type, name: &str) -> Option<Type> {
        let Type::Known { symbol, .. } = of else {
            return None;
        };
        if !self.table.file(symbol.file).rules.has_embedding {
            return None;
        }
        let bases = self.heritage().bases(*symbol);
        let found = bases.iter().find(|base| match base {
            Type::Known { symbol, .. } => self.table.symbol(*symbol).name == name,
            Type::Foreign { name: known, .. } => known == name,
            _ => false,
        });
        found.cloned()
    }
}
