//! Paths where they are written: what their first part means there, and what is in that. The modules
//! that paths of Rust go through are in `crates`.

use super::expression::Expression;
use super::infer::{InferredValue, Type, Types};
use super::resolver::{Position, ResolvedTarget, Resolver};
use super::rules::Reach;
use super::rust_modules;
use super::scope::NameKind;
use super::symbol_table::SymbolId;
use super::type_expr::TypeExpr;
use kenning_model::ChunkKind;

impl Resolver<'_> {
    /// Resolves a Rust path at this place. A bare name resolves only if it is `crate`, `self` or
    /// `super`.
    pub(super) fn path_target(&self, at: Position, written: &TypeExpr) -> Option<ResolvedTarget> {
        let TypeExpr::Named { path, .. } = written else {
            return None;
        };
        let file = self.world.file(at.file);
        let is_word = ["crate", "self", "super"].contains(&path[0].as_str());
        if file.rules.family == "rust" && (is_word || path.len() > 1) {
            return self.rust_path(at, path);
        }
        None
    }

    /// The module or crate that a path of Rust begins with.
    pub(super) fn module_named(&self, at: Position, name: &str) -> Option<ResolvedTarget> {
        if self.world.file(at.file).rules.family != "rust" {
            return None;
        }
        let found = self.type_path(at, &[name.to_string()])?;
        let is_module = match &found {
            ResolvedTarget::Module(_) => true,
            ResolvedTarget::Symbol(id) => self.world.symbol(*id).kind == ChunkKind::Module,
        };
        is_module.then_some(found)
    }

    /// A type after the name of a namespace of ours, which goes on in many files.
    pub(super) fn type_in_namespace(
        &self,
        at: Position,
        base: &Expression,
        name: &str,
    ) -> Option<InferredValue> {
        let namespace = match base {
            Expression::Name(name) | Expression::Path(_, name) => name,
            _ => return None,
        };
        let is_namespace = |id: &SymbolId| self.world.symbol(*id).kind == ChunkKind::Namespace;
        let is_one_file = self.world.file(at.file).rules.reach != Reach::Package;
        if is_one_file || !self.named(namespace).iter().any(is_namespace) {
            return None;
        }
        let path = vec![namespace.clone(), name.to_string()];
        match self.resolve_named(at, &path, Types::default()) {
            found @ Type::Known { .. } => Some(InferredValue::Type(found)),
            _ => None,
        }
    }

    /// A path of Rust, from the module that this place is in.
    pub(super) fn rust_path(&self, at: Position, path: &[String]) -> Option<ResolvedTarget> {
        let file = self.world.file(at.file);
        let inline = file
            .ancestors(at.symbol)
            .find(|&index| file.symbols()[index as usize].kind == ChunkKind::Module);
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(first) = parts.first()
            && !["crate", "self", "super", "$crate"].contains(first)
        {
            let scoped = self.lookup(at, first, NameKind::Type)?;
            let start = scoped.targets.first()?.clone();
            return parts[1..].iter().try_fold(start, |target, part| self.step(&target, part));
        }
        rust_modules::path_from(self, at.file, inline, &parts)
    }
}
