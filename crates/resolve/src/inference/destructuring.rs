//! Types that patterns bind from enum variants and structs, by position and by name. `bindings` has
//! the names that patterns declare.

use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;

use crate::inference::Inference;
use crate::inference::Type;
use crate::inference::type_params::parts;
use crate::resolver::{Position, ResolvedTarget};
use crate::scopes::NameKind;
use crate::symbol_table::SymbolId;
use crate::syntax::expression::Expression;
use crate::syntax::type_expr::TypeExpr;
use kenning_model::ChunkKind;

impl<'w> Inference<'_, 'w> {
    /// Returns the type that an enum variant holds at this position. `text` is the variant's path,
    /// or a value and the variant's name.
    pub(crate) fn payload(&self, at: Position, text: &str, place: usize) -> Option<Type> {
        match &*self.parse_expression(text) {
            Expression::Member(value, case) => {
                let of = self.instance(at, value);
                self.case_payload(&of, case, place)
            }
            _ => self.path_payload(at, text, place),
        }
    }

    fn case_payload(&self, of: &Type, case: &str, place: usize) -> Option<Type> {
        match of {
            Type::Known { symbol, .. } => {
                let mut own = self.members().own_members(*symbol, case).into_iter();
                let found = own.find_map(|id| self.held_by_case(id, place))?;
                Some(self.substituted(&found, of))
            }
            Type::Foreign { name, arguments, .. } if place == 0 => match (name.as_str(), case) {
                ("Result", "success") | ("Optional", "some") => arguments.first().cloned(),
                ("Result", "failure") => arguments.get(1).cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    fn path_payload(&self, at: Position, path: &str, place: usize) -> Option<Type> {
        self.held_by_case(self.case_named(at, path)?, place)
    }

    /// Returns the type of a field that a Rust pattern binds from an enum variant by name: `left`
    /// of `Tree::Both { left, .. }`.
    pub(crate) fn field_of_case(&self, at: Position, text: &str) -> Option<Type> {
        let (case, field) = text.rsplit_once('.')?;
        let name = case.rsplit(':').next().unwrap_or(case);
        let is_rust = self.world.file(at.file).rules.family == "rust";
        if !is_rust || !name.starts_with(char::is_uppercase) {
            return None;
        }
        let id = self.case_named(at, case).filter(|&id| self.is_case(id))?;
        // The fields of a variant are no symbols; only its signature has them.
        let (_, fields) = self.world.symbol(id).signature.as_deref()?.split_once('{')?;
        let mut fields = parts(fields).into_iter().filter_map(|one| one.split_once(':'));
        let (_, text) = fields.find(|(name, _)| name.split_whitespace().last() == Some(field))?;
        let holder = Position {
            file: id.file,
            symbol: Some(id.symbol),
            byte: self.world.symbol(id).span.start_byte,
        };
        Some(self.with_budget(|| self.resolve_type(holder, &self.parse_type(text.trim()))))
    }

    pub(crate) fn is_case(&self, id: SymbolId) -> bool {
        let kind = |id: SymbolId| self.world.symbol(id).kind;
        let holder = self.world.parent(id).map(kind);
        kind(id) == ChunkKind::Constant && holder == Some(ChunkKind::Enum)
    }

    /// Resolves the path before a pattern's brackets.
    fn case_named(&self, at: Position, path: &str) -> Option<SymbolId> {
        let written = self.parse_type(path);
        let TypeExpr::Named { path, .. } = &*written else {
            return None;
        };
        let target = match path.as_slice() {
            [_] => None,
            _ => self.modules().path_target(at, &written),
        };
        let target = target.or_else(|| {
            let last = path.last()?;
            // `use Command::*` in the function at hand comes before what the module imports.
            let scoped = self.scopes().through_wildcards(at, last).map(Rc::new);
            let scoped = scoped.or_else(|| self.scopes().lookup(at, last, NameKind::Value))?;
            scoped.targets.first().cloned()
        });
        match target {
            Some(ResolvedTarget::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    /// Returns the type at this position of an enum variant or of a tuple struct.
    fn held_by_case(&self, id: SymbolId, place: usize) -> Option<Type> {
        if self.world.symbol(id).kind == ChunkKind::Struct {
            return self.held_at(id, id, place);
        }
        let holder = self.world.parent(id).filter(|_| self.is_case(id))?;
        self.held_at(id, holder, place)
    }

    /// Returns the type at this position in the brackets after a name: `struct Name(A, B)`.
    fn held_at(&self, id: SymbolId, scope: SymbolId, place: usize) -> Option<Type> {
        let symbol = self.world.symbol(id);
        let signature = VISIBILITY.replace_all(symbol.signature.as_deref()?, "");
        let (_, inner) = signature.split_once('(')?;
        let first = self.parse_type(&format!("({inner}"));
        let at =
            Position { file: id.file, symbol: Some(scope.symbol), byte: symbol.span.start_byte };
        Some(match self.resolve_type(at, &first) {
            Type::Tuple(all) => all.get(place).cloned().unwrap_or_default(),
            found if place == 0 => found,
            _ => Type::Unknown,
        })
    }

    /// Returns the type of `value.0`, for a tuple or a tuple struct.
    pub(crate) fn place_of(&self, of: &Type, name: &str) -> Option<Type> {
        let place: usize = name.parse().ok()?;
        match of {
            Type::Tuple(all) => all.get(place).cloned(),
            Type::Known { symbol, .. } => {
                let is_struct = self.world.symbol(*symbol).kind == ChunkKind::Struct;
                let held = is_struct.then(|| self.held_at(*symbol, *symbol, place))??;
                Some(self.substituted(&held, of))
            }
            Type::Foreign { .. } => {
                let inner = self.members().unwrapped(of)?;
                self.place_of(&inner, name)
            }
            _ => None,
        }
    }
}

/// `pub ` and `pub(crate) `, whose brackets are not those of a name.
static VISIBILITY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bpub(\([^)]*\))? ").expect("it is one"));
