//! The type around a place, and what it inherits from.

use super::infer::{Type, Types, Value};
use super::resolver::{At, Resolver};
use super::scope::Want;
use super::world::{SymbolId, is_callable, is_type};
use crate::model::ChunkKind;

impl Resolver<'_> {
    /// The type around this place.
    pub fn own_type(&self, at: At) -> Option<Type> {
        let file = self.world.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let symbol = &file.symbols()[outer as usize];
            let id = SymbolId {
                file: at.file,
                symbol: outer,
            };
            if is_type(symbol.kind) {
                return Some(self.own(id));
            }
            if symbol.kind == ChunkKind::Extension {
                let extended = self.type_of_extension(id);
                // `impl<T: Shape> Draw for T` is for whatever has the shape.
                let inside = At {
                    symbol: Some(outer),
                    ..at
                };
                let name = symbol.name.trim_start_matches(['&', '*']);
                let name = name.rsplit([' ', '*', '&']).next().unwrap_or(name);
                let parameter = match extended == id {
                    true => self.type_parameter(inside, name),
                    false => None,
                };
                return Some(parameter.unwrap_or_else(|| self.own(extended)));
            }
            // A method that is written apart from its type.
            let is_top = file.parents()[outer as usize].is_none_or(|parent| {
                !is_type(file.symbols()[parent as usize].kind)
                    && file.symbols()[parent as usize].kind != ChunkKind::Extension
            });
            if let Some(scope) = symbol.scope.as_deref().filter(|_| is_top)
                && is_callable(symbol.kind)
            {
                let name = scope.rsplit('.').next().unwrap_or(scope);
                let found = self.lookup(At { symbol: None, ..at }, name, Want::Type);
                let found = found.and_then(|scoped| {
                    scoped
                        .symbols()
                        .find(|&id| is_type(self.world.symbol(id).kind))
                });
                if let Some(id) = found {
                    return Some(self.own(id));
                }
            }
        }
        None
    }

    /// A type with its own parameters as arguments.
    pub(super) fn own(&self, symbol: SymbolId) -> Type {
        Type::Known {
            symbol,
            arguments: Types::default(),
        }
    }

    pub(super) fn super_value(&self, at: At) -> Value {
        let Some(Type::Known { symbol, .. }) = self.own_type(at) else {
            return Value::Unknown;
        };
        let bases = self.bases(symbol);
        match bases.len() {
            0 => Value::Unknown,
            1 => Value::Instance(bases[0].clone()),
            _ => Value::Instance(Type::Either(bases)),
        }
    }
}
