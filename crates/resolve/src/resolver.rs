//! The resolver of one file: its parts, the names that it looked up, and its budget.
//!
//! Each part is a view of the resolver with the methods of one subject, and owns a cache that no other
//! part sees. The parts call each other: a name in scope may be an import, an import a member of a type,
//! and a type the result of a call.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::heritage::{Heritage, HeritageCache};
use crate::inference::{Inference, InferenceCache};
use crate::members::objects::Objects;
use crate::members::{MemberCache, Members};
use crate::modules::module_paths::Module;
use crate::modules::{ModuleCache, Modules};
use crate::overloads::Overloads;
use crate::scopes::{ScopeCache, Scopes};
use crate::symbol_table::{FileIndex, SymbolId, SymbolTable};
use crate::syntax::expression::{self, Expression};
use crate::syntax::type_expr::{self, TypeExpr};

/// The target of a path or an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedTarget {
    Symbol(SymbolId),
    Module(Module),
}

impl ResolvedTarget {
    pub fn symbol(file: FileIndex, symbol: u32) -> ResolvedTarget {
        ResolvedTarget::Symbol(SymbolId { file, symbol })
    }
}

/// A position in the source text.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub file: FileIndex,
    /// The innermost definition around it.
    pub symbol: Option<u32>,
    pub byte: u32,
}

/// The longest chain of resolution steps. Longer chains lead nowhere.
const MAX_DEPTH: usize = 100;

/// The limit of resolution steps for one name, over all chains that are tried. Types whose bounds
/// name each other could take too long without it.
const MAX_WORK: usize = 100_000;

/// The resolution of one file. It caches its findings, in the order of the file's text, so that the
/// outcome depends on the facts alone.
pub struct Resolver<'t> {
    pub table: &'t SymbolTable,
    /// Every name that was looked up.
    dependencies: RefCell<HashSet<String>>,
    budget: Budget,
    /// Parsed types and expressions, by their text.
    types: RefCell<HashMap<String, Rc<TypeExpr>>>,
    expressions: RefCell<HashMap<String, Rc<Expression>>>,
    pub(crate) module_cache: ModuleCache,
    pub(crate) scope_cache: ScopeCache,
    pub(crate) member_cache: MemberCache,
    pub(crate) heritage_cache: HeritageCache,
    pub(crate) inference_cache: InferenceCache,
}

/// The steps that were taken: `depth` on the way that is tried now, `work` for the name at hand.
#[derive(Default)]
struct Budget {
    depth: Cell<usize>,
    work: Cell<usize>,
}

impl<'t> Resolver<'t> {
    pub fn new(table: &'t SymbolTable) -> Resolver<'t> {
        Resolver {
            table,
            dependencies: RefCell::default(),
            budget: Budget::default(),
            types: RefCell::default(),
            expressions: RefCell::default(),
            module_cache: ModuleCache::default(),
            scope_cache: ScopeCache::default(),
            member_cache: MemberCache::default(),
            heritage_cache: HeritageCache::default(),
            inference_cache: InferenceCache::default(),
        }
    }

    /// Starts the budget of the next name.
    pub fn reset_budget(&self) {
        self.budget.work.set(0);
    }

    /// Every name that was looked up.
    pub fn into_dependencies(self) -> HashSet<String> {
        self.dependencies.into_inner()
    }

    /// True if an answer may be cached. An answer is final only if no lookup that it may depend on is
    /// under way, and if the budget did not cut it short.
    pub(crate) fn is_cacheable(&self) -> bool {
        self.heritage().is_idle()
            && self.inference().is_idle()
            && self.modules().is_idle()
            && self.budget.depth.get() < MAX_DEPTH / 2
            && self.budget.work.get() < MAX_WORK
    }

    /// Records that the edges of the file depend on a name.
    pub fn record_dependency(&self, name: &str) {
        let mut touched = self.dependencies.borrow_mut();
        if !touched.contains(name) {
            touched.insert(name.to_string());
        }
    }

    /// Parses a type, or returns the cached parse.
    pub fn parse_type(&self, text: &str) -> Rc<TypeExpr> {
        parse_once(&self.types, text, type_expr::parse)
    }

    /// Parses an expression, or returns the cached parse.
    pub fn parse_expression(&self, text: &str) -> Rc<Expression> {
        parse_once(&self.expressions, text, expression::parse)
    }

    /// Every definition of this name.
    pub fn definitions(&self, name: &str) -> &'t [SymbolId] {
        self.record_dependency(name);
        self.table.definitions(name)
    }

    /// Runs one step further down, unless the budget is spent.
    pub fn with_budget<T: Default>(&self, step: impl FnOnce() -> T) -> T {
        let Budget { depth, work } = &self.budget;
        if depth.get() >= MAX_DEPTH || work.get() >= MAX_WORK {
            return T::default();
        }
        work.set(work.get() + 1);
        depth.set(depth.get() + 1);
        let found = step();
        depth.set(depth.get() - 1);
        found
    }

    pub fn modules(&self) -> Modules<'_, 't> {
        Modules(self)
    }

    pub fn scopes(&self) -> Scopes<'_, 't> {
        Scopes(self)
    }

    pub fn members(&self) -> Members<'_, 't> {
        Members(self)
    }

    pub fn objects(&self) -> Objects<'_, 't> {
        Objects(self)
    }

    pub fn heritage(&self) -> Heritage<'_, 't> {
        Heritage(self)
    }

    pub fn inference(&self) -> Inference<'_, 't> {
        Inference(self)
    }

    pub fn overloads(&self) -> Overloads<'_, 't> {
        Overloads(self)
    }
}

/// Declares a part of the resolver: a view with the methods of one subject.
macro_rules! resolver_view {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'r, 't>(pub(crate) &'r $crate::resolver::Resolver<'t>);

        impl<'t> std::ops::Deref for $name<'_, 't> {
            type Target = $crate::resolver::Resolver<'t>;

            fn deref(&self) -> &$crate::resolver::Resolver<'t> {
                self.0
            }
        }
    };
}

pub(crate) use resolver_view;

/// Parses a text, or returns the cached result. Most texts occur in a file more than once: `self`,
/// a type.
fn parse_once<T>(
    known: &RefCell<HashMap<String, Rc<T>>>,
    text: &str,
    read: impl FnOnce(&str) -> T,
) -> Rc<T> {
    if let Some(known) = known.borrow().get(text) {
        return known.clone();
    }
    let found = Rc::new(read(text));
    known.borrow_mut().insert(text.to_string(), found.clone());
    found
}
