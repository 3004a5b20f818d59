//! The type around a position (`self`, `this`, `Self`), and its supertype (`super`).

use crate::inference::Inference;
use crate::inference::type_params::find_name;
use crate::inference::{InferredValue, Type, Types};
use crate::resolver::Position;
use crate::rules::Inheritance;
use crate::scopes::Namespace;
use crate::symbol_table::{SymbolId, is_callable, is_type};
use kenning_model::{ChunkKind, Symbol};

impl<'t> Inference<'_, 't> {
    /// Returns the type around a position: a type, the type that an extension extends, or the owner
    /// of an out-of-line method.
    pub fn enclosing_type(&self, at: Position) -> Option<Type> {
        let file = self.table.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let symbol = &file.symbols()[outer as usize];
            let id = SymbolId { file: at.file, symbol: outer };
            if is_type(symbol.kind) {
                return Some(self.type_of_symbol(id));
            }
            if symbol.kind == ChunkKind::Extension {
                let extended = self.heritage().type_of_extension(id);
                // `impl<T: Shape> Draw for T`: the self type is the parameter.
                let inside = Position { symbol: Some(outer), ..at };
                let extended_text = symbol.name.trim_start_matches(['&', '*']);
                let name = extended_text.rsplit([' ', '*', '&']).next().unwrap_or(extended_text);
                let parameter =
                    if extended == id { self.resolve_type_parameter(inside, name) } else { None };
                return Some(parameter.unwrap_or_else(|| self.impl_self_type(inside, extended)));
            }
            // An out-of-line method, whose scope names its type.
            let is_top = file.parents()[outer as usize].is_none_or(|parent| {
                !is_type(file.symbols()[parent as usize].kind)
                    && file.symbols()[parent as usize].kind != ChunkKind::Extension
            });
            if let Some(scope) = symbol.scope.as_deref().filter(|_| is_top)
                && is_callable(symbol.kind)
            {
                let name = scope.rsplit('.').next().unwrap_or(scope);
                let top_level = Position { symbol: None, ..at };
                let scoped = self.scopes().resolve_name(top_level, name, Namespace::Type);
                let named = scoped.and_then(|scoped| {
                    scoped.symbols().find(|&id| is_type(self.table.symbol(id).kind))
                });
                let owner = named.filter(|&type_id| self.members().is_owner(type_id, id));
                let nested = || {
                    let has_namespaces = file.rules.has_open_namespaces;
                    has_namespaces.then(|| self.members().owner_of_out_of_line(id)).flatten()
                };
                if let Some(id) = owner.or_else(nested) {
                    return Some(self.type_of_symbol(id));
                }
            }
        }
        None
    }

    /// Returns the self type of an impl with the impl's type arguments, whose parameters have
    /// bounds there: `impl<T: Buf> Take<T>`.
    fn impl_self_type(&self, inside: Position, extended: SymbolId) -> Type {
        let own = self.type_of_symbol(extended);
        let file = self.table.file(inside.file);
        if file.rules.inheritance != Inheritance::Traits
            || self.table.type_parameters(extended).is_empty()
        {
            return own;
        }
        let home = inside.symbol.map(|symbol| &file.symbols()[symbol as usize]);
        let Some(text) = home.and_then(impl_target_text) else {
            return own;
        };
        // A type of the same name may be another one, then the plain type is used.
        match self.with_budget(|| self.resolve_type(inside, &self.parse_type(text))) {
            found @ Type::Known { symbol, .. } if symbol == extended => found,
            _ => own,
        }
    }

    /// Returns the type that a symbol defines, without type arguments.
    pub(crate) fn type_of_symbol(&self, symbol: SymbolId) -> Type {
        Type::Known { symbol, arguments: Types::default() }
    }

    /// Returns the enum of a constant with a body, as in Java. Extraction yields a class for it,
    /// but its name is a value of the enum. No other class inside of an enum can be a subtype of
    /// it.
    pub(crate) fn enum_of_constant(&self, constant: SymbolId) -> Option<SymbolId> {
        let holder = self.table.parent(constant)?;
        let kind = |id: SymbolId| self.table.symbol(id).kind;
        if kind(constant) != ChunkKind::Class || kind(holder) != ChunkKind::Enum {
            return None;
        }
        self.heritage().is_subtype(constant, holder).then_some(holder)
    }

    /// Infers `super`: an instance of the base, or of one of several.
    pub(crate) fn infer_super(&self, at: Position) -> InferredValue {
        let Some(Type::Known { symbol, .. }) = self.enclosing_type(at) else {
            return InferredValue::Unknown;
        };
        let bases = self.heritage().bases(symbol);
        match bases.len() {
            0 => InferredValue::Unknown,
            1 => InferredValue::Instance(bases[0].clone()),
            // With several bases, a member of any of them may be meant.
            _ => InferredValue::Instance(Type::Union(bases)),
        }
    }
}

/// Returns the text of the type that an impl is for: `Take<T>` of `impl<T: Buf> Buf for Take<T>
/// where …`.
fn impl_target_text(home: &Symbol) -> Option<&str> {
    let signature = home.signature.as_deref()?;
    let head = signature.split(" where ").next().unwrap_or(signature);
    let at = find_name(head, &home.name)?;
    // In `impl From<Take> for Take<T>`, the self type is the one after `for`.
    let from = head.rfind(" for ").map_or(at, |place| place + " for ".len());
    Some(head[from.max(at)..].trim())
}
