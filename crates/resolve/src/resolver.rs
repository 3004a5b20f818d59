//! The resolver of one file: its dependency set, its budget, and the caches of its parts.
//!
//! Resolution is mutually recursive: a name in scope may be an import, an import a member of a
//! type, and a type the result of a call. The parts (`Modules`, `Scopes`, `Members`, `Heritage`,
//! `Inference`, `Overloads`) are therefore views of one [`Resolver`]. Each has the methods of one
//! subject and a cache that no other part reads. A view derefs to the resolver, so each part can
//! call every other.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::heritage::{Heritage, HeritageCache};
use crate::inference::{Inference, InferenceCache};
use crate::members::prototype_objects::Objects;
use crate::members::{MemberCache, Members};
use crate::modules::module_table::Module;
use crate::modules::{ModuleCache, Modules};
use crate::overloads::Overloads;
use crate::rules::SyntaxRules;
use crate::scopes::{ScopeCache, Scopes};
use crate::symbol_table::{FileIndex, SymbolId, SymbolTable};
use crate::syntax::expression::{self, Expression};
use crate::syntax::type_expr::{self, TypeExpr};

/// The target of a name, a path or an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedTarget {
    /// A definition.
    Symbol(SymbolId),
    /// A file or a directory as a whole.
    Module(Module),
}

impl ResolvedTarget {
    /// The definition at `symbol` in a file.
    pub fn symbol(file: FileIndex, symbol: u32) -> ResolvedTarget {
        ResolvedTarget::Symbol(SymbolId { file, symbol })
    }
}

/// A position in the source text, from which names are looked up.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The file.
    pub file: FileIndex,
    /// The innermost definition around the position; `None` at the top level of the file.
    pub symbol: Option<u32>,
    /// The byte offset. Bindings after it are not visible.
    pub byte: u32,
}

/// The recursion limit. Real chains of members and calls are far shorter; only cycles reach it.
const MAX_DEPTH: usize = 100;

/// The limit of resolution steps for one reference, over all paths of the search. Types whose
/// bounds name each other have exponentially many paths within the recursion limit.
const MAX_WORK: usize = 100_000;

/// Resolves the references of one file. Its caches live as long as the file is resolved. References
/// are visited in text order, so the content of the caches, and the result, depend on the facts
/// alone.
pub struct Resolver<'t> {
    /// The symbols of all files.
    pub table: &'t SymbolTable,
    /// Every name that was looked up, by any part.
    dependencies: RefCell<HashSet<String>>,
    /// The syntax of the file's language. All files that it can use are of the same family.
    syntax: &'static SyntaxRules,
    /// The steps taken for the current reference.
    budget: Budget,
    /// Parsed types and expressions, by their text.
    types: RefCell<HashMap<String, Rc<TypeExpr>>>,
    expressions: RefCell<HashMap<String, Rc<Expression>>>,
    /// The caches of the parts. Each part reads and writes only its own.
    pub(crate) module_cache: ModuleCache,
    pub(crate) scope_cache: ScopeCache,
    pub(crate) member_cache: MemberCache,
    pub(crate) heritage_cache: HeritageCache,
    pub(crate) inference_cache: InferenceCache,
}

/// The steps taken so far: `depth` on the current path, `work` for the current reference.
#[derive(Default)]
struct Budget {
    depth: Cell<usize>,
    work: Cell<usize>,
}

impl<'t> Resolver<'t> {
    /// Makes a resolver with empty caches, for one file.
    pub fn new(table: &'t SymbolTable, file: FileIndex) -> Resolver<'t> {
        Resolver {
            table,
            syntax: &table.file(file).rules.syntax,
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

    /// Starts the budget of the next reference.
    pub fn reset_budget(&self) {
        self.budget.work.set(0);
    }

    /// Returns every name that was looked up.
    pub fn into_dependencies(self) -> HashSet<String> {
        self.dependencies.into_inner()
    }

    /// True if an answer may be cached. It is final only if no lookup is under way that it may
    /// depend on, and if the budget did not cut it short. Half of the depth is kept as a margin: an
    /// answer at that depth may have been cut off further down, and could be found from a shallower
    /// start.
    pub(crate) fn is_cacheable(&self) -> bool {
        self.heritage().is_idle()
            && self.inference().is_idle()
            && self.modules().is_idle()
            && self.budget.depth.get() < MAX_DEPTH / 2
            && self.budget.work.get() < MAX_WORK
    }

    /// Records that the edges of the file depend on a name. Call it for each lookup, also for one
    /// that finds nothing: a definition that is added later would change the answer.
    pub fn record_dependency(&self, name: &str) {
        let mut dependencies = self.dependencies.borrow_mut();
        if !dependencies.contains(name) {
            dependencies.insert(name.to_string());
        }
    }

    /// Parses a type, or returns the cached parse.
    pub fn parse_type(&self, text: &str) -> Rc<TypeExpr> {
        parse_once(&self.types, text, |text| type_expr::parse(text, self.syntax))
    }

    /// Parses an expression, or returns the cached parse.
    pub fn parse_expression(&self, text: &str) -> Rc<Expression> {
        parse_once(&self.expressions, text, |text| expression::parse(text, self.syntax))
    }

    /// Returns every definition of a name, and records the dependency.
    pub fn definitions(&self, name: &str) -> &'t [SymbolId] {
        self.record_dependency(name);
        self.table.definitions(name)
    }

    /// Runs a recursive step, or returns the default if the budget is spent.
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

    /// Imports, exports and paths.
    pub fn modules(&self) -> Modules<'_, 't> {
        Modules(self)
    }

    /// Bare names and bindings.
    pub fn scopes(&self) -> Scopes<'_, 't> {
        Scopes(self)
    }

    /// Members of types.
    pub fn members(&self) -> Members<'_, 't> {
        Members(self)
    }

    /// Objects of JavaScript without classes.
    pub fn objects(&self) -> Objects<'_, 't> {
        Objects(self)
    }

    /// Bases, extensions and interfaces.
    pub fn heritage(&self) -> Heritage<'_, 't> {
        Heritage(self)
    }

    /// Types of expressions.
    pub fn inference(&self) -> Inference<'_, 't> {
        Inference(self)
    }

    /// Selection among definitions of one name.
    pub fn overloads(&self) -> Overloads<'_, 't> {
        Overloads(self)
    }
}

/// Declares a part of the resolver: a view with the methods of one subject. A view is a reference,
/// so passing it around is free.
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

/// Parses a text, or returns the cached result. Most texts occur in a file more than once, such as
/// `self` or the name of a type.
fn parse_once<T>(
    cache: &RefCell<HashMap<String, Rc<T>>>,
    text: &str,
    parse: impl FnOnce(&str) -> T,
) -> Rc<T> {
    if let Some(known) = cache.borrow().get(text) {
        return known.clone();
    }
    let found = Rc::new(parse(text));
    cache.borrow_mut().insert(text.to_string(), found.clone());
    found
}
