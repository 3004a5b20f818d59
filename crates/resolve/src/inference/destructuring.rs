//! Types that patterns bind out of enum variants and tuple structs, by position and by name.
//!
//! `binding_types` has the names that patterns declare.

use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;

use crate::inference::Inference;
use crate::inference::Type;
use crate::inference::type_params::split_list;
use crate::resolver::{Position, ResolvedTarget};
use crate::scopes::Namespace;
use crate::symbol_table::SymbolId;
use crate::syntax::expression::Expression;
use crate::syntax::type_expr::TypeExpr;
use kenning_model::ChunkKind;

impl<'t> Inference<'_, 't> {
    /// Returns the type that an enum variant holds at this position. `text` is the variant's path,
    /// or a value and the variant's name.
    pub(crate) fn infer_payload(&self, at: Position, text: &str, place: usize) -> Option<Type> {
        match &*self.parse_expression(text) {
            Expression::Member(value, case) => {
                let of = self.infer_instance(at, value);
                self.member_payload(&of, case, place)
            }
            _ => self.path_payload(at, text, place),
        }
    }

    /// Returns the payload of a variant of a type. Some enums of the library are known.
    fn member_payload(&self, of: &Type, case: &str, place: usize) -> Option<Type> {
        match of {
            Type::Known { symbol, .. } => {
                let mut own = self.members().own_members(*symbol, case).into_iter();
                let found = own.find_map(|id| self.variant_element(id, place))?;
                Some(self.substitute_arguments(&found, of))
            }
            Type::Foreign { name, arguments, rules } if place == 0 => {
                let mut known = rules.library.variants.iter();
                let found = known.find(|(of, variant, _)| of == name && *variant == case)?;
                arguments.get(found.2).cloned()
            }
            _ => None,
        }
    }

    /// Returns the payload of the variant that a path names.
    fn path_payload(&self, at: Position, path: &str, place: usize) -> Option<Type> {
        self.variant_element(self.resolve_variant(at, path)?, place)
    }

    /// Returns the type of a field that a Rust pattern binds from an enum variant by name: `left`
    /// of `Tree::Both { left, .. }`.
    pub(crate) fn infer_variant_field(&self, at: Position, text: &str) -> Option<Type> {
        let (case, field) = text.rsplit_once('.')?;
        let name = case.rsplit(':').next().unwrap_or(case);
        let has_fields = self.table.file(at.file).rules.has_variant_fields;
        if !has_fields || !name.starts_with(char::is_uppercase) {
            return None;
        }
        let id = self.resolve_variant(at, case).filter(|&id| self.is_enum_variant(id))?;
        // The fields of a variant are no symbols; only its signature has them.
        let (_, fields) = self.table.symbol(id).signature.as_deref()?.split_once('{')?;
        let mut fields = split_list(fields).into_iter().filter_map(|one| one.split_once(':'));
        let (_, text) = fields.find(|(name, _)| name.split_whitespace().last() == Some(field))?;
        let holder = Position {
            file: id.file,
            symbol: Some(id.symbol),
            byte: self.table.symbol(id).span.start_byte,
        };
        Some(self.with_budget(|| self.resolve_type(holder, &self.parse_type(text.trim()))))
    }

    /// True if a definition is a variant of an enum.
    pub(crate) fn is_enum_variant(&self, id: SymbolId) -> bool {
        let kind = |id: SymbolId| self.table.symbol(id).kind;
        let holder = self.table.parent(id).map(kind);
        kind(id) == ChunkKind::Constant && holder == Some(ChunkKind::Enum)
    }

    /// Resolves the path of a pattern: `Tree::Leaf` of `Tree::Leaf(page)`.
    fn resolve_variant(&self, at: Position, path: &str) -> Option<SymbolId> {
        let written = self.parse_type(path);
        let TypeExpr::Named { path, .. } = &*written else {
            return None;
        };
        let qualified = match path.as_slice() {
            [_] => None,
            _ => self.modules().resolve_path(at, &written),
        };
        let target = qualified.or_else(|| {
            let last = path.last()?;
            // `use Command::*` in the function comes before the imports of the module.
            let entry = self
                .scopes()
                .find_wildcard_import(at, last)
                .map(Rc::new)
                .or_else(|| self.scopes().resolve_name(at, last, Namespace::Value))?;
            entry.targets.first().cloned()
        });
        match target {
            Some(ResolvedTarget::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    /// Returns the type at this position of an enum variant or of a tuple struct.
    fn variant_element(&self, id: SymbolId, place: usize) -> Option<Type> {
        if self.table.symbol(id).kind == ChunkKind::Struct {
            return self.tuple_element(id, id, place);
        }
        let holder = self.table.parent(id).filter(|_| self.is_enum_variant(id))?;
        self.tuple_element(id, holder, place)
    }

    /// Returns the type at this position in the brackets after a name: `struct Name(A, B)`.
    fn tuple_element(&self, id: SymbolId, scope: SymbolId, place: usize) -> Option<Type> {
        let symbol = self.table.symbol(id);
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
    pub(crate) fn infer_tuple_index(&self, of: &Type, name: &str) -> Option<Type> {
        let place: usize = name.parse().ok()?;
        match of {
            Type::Tuple(all) => all.get(place).cloned(),
            Type::Known { symbol, .. } => {
                let is_struct = self.table.symbol(*symbol).kind == ChunkKind::Struct;
                let held = is_struct.then(|| self.tuple_element(*symbol, *symbol, place))??;
                Some(self.substitute_arguments(&held, of))
            }
            Type::Foreign { .. } => {
                let inner = self.members().unwrap_wrapper(of)?;
                self.infer_tuple_index(&inner, name)
            }
            _ => None,
        }
    }
}

/// `pub ` and `pub(crate) `, whose brackets are not those of the fields.
static VISIBILITY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bpub(\([^)]*\))? ").expect("it is one"));
