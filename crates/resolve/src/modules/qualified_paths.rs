//! Qualified paths at a position: resolves the first segment there, then walks the rest.
//!
//! The rules of a language have the module tree that its absolute paths walk.

use crate::inference::{InferredValue, Type, Types};
use crate::modules::Modules;
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::ImplicitScope;
use crate::scopes::Namespace;
use crate::symbol_table::SymbolId;
use crate::syntax::expression::Expression;
use crate::syntax::type_expr::TypeExpr;
use kenning_model::ChunkKind;

impl<'t> Modules<'_, 't> {
    /// Resolves a path through the module tree at a position. A bare name resolves only if it is a
    /// word that starts a path, such as `crate`.
    pub(crate) fn resolve_path(&self, at: Position, written: &TypeExpr) -> Option<ResolvedTarget> {
        let TypeExpr::Named { path, .. } = written else {
            return None;
        };
        let file = self.table.file(at.file);
        let tree = file.rules.module_tree.as_ref()?;
        let is_word = tree.path_words.contains(&path[0].as_str());
        if is_word || path.len() > 1 { self.resolve_tree_path(at, path) } else { None }
    }

    /// Resolves the first segment of a path, if it is a module or a crate.
    pub(crate) fn resolve_module_name(&self, at: Position, name: &str) -> Option<ResolvedTarget> {
        self.table.file(at.file).rules.module_tree.as_ref()?;
        let found = self.inference().resolve_tree_type_path(at, &[name.to_string()])?;
        let is_module = match &found {
            ResolvedTarget::Module(_) => true,
            ResolvedTarget::Symbol(id) => self.table.symbol(*id).kind == ChunkKind::Module,
        };
        is_module.then_some(found)
    }

    /// Finds the type `name` after a namespace that many files share, as in C++ and C#.
    pub(crate) fn find_type_in_namespace(
        &self,
        at: Position,
        base: &Expression,
        name: &str,
    ) -> Option<InferredValue> {
        let namespace = match base {
            Expression::Name(name) | Expression::Path(_, name) => name,
            _ => return None,
        };
        let is_namespace = |id: &SymbolId| self.table.symbol(*id).kind == ChunkKind::Namespace;
        // Namespaces that span files occur only where whole packages are visible.
        let is_one_file = self.table.file(at.file).rules.implicit_scope != ImplicitScope::Package;
        if is_one_file || !self.definitions(namespace).iter().any(is_namespace) {
            return None;
        }
        let path = vec![namespace.clone(), name.to_string()];
        match self.inference().resolve_named_type(at, &path, Types::default()) {
            found @ Type::Known { .. } => Some(InferredValue::Type(found)),
            _ => None,
        }
    }

    /// Resolves a path through the module tree, from the module around a position.
    pub(crate) fn resolve_tree_path(
        &self,
        at: Position,
        path: &[String],
    ) -> Option<ResolvedTarget> {
        let file = self.table.file(at.file);
        let tree = file.rules.module_tree.as_ref()?;
        let inline = file
            .ancestors(at.symbol)
            .find(|&index| file.symbols()[index as usize].kind == ChunkKind::Module);
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(first) = parts.first()
            && !tree.path_words.contains(&first.trim_start_matches('$'))
        {
            let scoped = self.scopes().resolve_name(at, first, Namespace::Type)?;
            let start = scoped.targets.first()?.clone();
            return parts[1..].iter().try_fold(start, |target, part| self.member_of(&target, part));
        }
        (tree.resolve_path)(self, at.file, inline, &parts)
    }
}
