//! Resolves a use of a type's name: in an annotation, before a member, as a qualified path.

use crate::inference::Type;
use crate::resolve_reference::Resolution;
use crate::resolver::{Position, Resolver};
use crate::scopes::Namespace;
use crate::symbol_table::{FileIndex, SymbolId, is_type};
use crate::syntax::type_expr::TypeExpr;
use crate::{Confidence, Reason};
use kenning_model::Reference;

impl Resolver<'_> {
    /// Resolves a use of a type's name.
    pub(crate) fn resolve_type_reference(
        &self,
        file: FileIndex,
        reference: &Reference,
    ) -> Option<Resolution> {
        let at = Position { file, symbol: reference.container, byte: reference.start_byte };
        let rules = self.table.file(file).rules;
        // Self types and type parameters are no definitions that an edge could lead to.
        if rules.self_type_names.contains(&reference.name.as_str())
            || self.inference().resolve_type_parameter(at, &reference.name).is_some()
        {
            return None;
        }
        // A qualified name: `module.Type`, `Outer::Inner`.
        if let Some(receiver) = &reference.receiver {
            let text = format!("{}.{}", receiver.replace("::", "."), reference.name);
            let TypeExpr::Named { path, .. } = &*self.parse_type(&text) else {
                return None;
            };
            return match self
                .inference()
                .resolve_type(at, &TypeExpr::Named { path: path.clone(), arguments: Vec::new() })
            {
                Type::Known { symbol, .. } => {
                    Resolution::new(vec![symbol], Confidence::High, Reason::QualifiedPath)
                }
                _ => None,
            };
        }
        // `Page` of `Page.open()` may be a variable, so the type must be certain.
        if reference.is_qualifier() {
            return self.resolve_qualifier(at, &reference.name);
        }
        let scoped = self.scopes().resolve_name(at, &reference.name, Namespace::Type)?;
        let mut found: Vec<SymbolId> =
            scoped.symbols().filter_map(|id| self.modules().type_side(id)).collect();
        found.dedup();
        Resolution::new(found, scoped.confidence, scoped.reason)
    }

    /// Resolves the name before a member, `Page` of `Page.open()`, if it is a type and no variable.
    fn resolve_qualifier(&self, at: Position, name: &str) -> Option<Resolution> {
        if self.scopes().infer_local(at, name).is_some() {
            return None;
        }
        let namespace = if self.objects().has_open_objects(at.file) {
            Namespace::Value
        } else {
            Namespace::Type
        };
        let scoped = self.scopes().resolve_name(at, name, namespace)?;
        let mut found: Vec<SymbolId> =
            scoped.symbols().map(|id| self.modules().value_side(id)).collect();
        found.retain(|&id| is_type(self.table.symbol(id).kind));
        found.dedup();
        Resolution::new(found, scoped.confidence, scoped.reason)
    }
}
