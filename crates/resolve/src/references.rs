//! Resolves one reference: a call, a mention of a type, an import.

use crate::inference::{InferredValue, Type};
use crate::modules::module_paths::Module;
use crate::resolver::{Position, ResolvedTarget, Resolver};
use crate::rules::{Imports, Labels, Overloads};
use crate::scopes::NameKind;
use crate::scopes::macros;
use crate::symbol_table::{FileIndex, SymbolId, is_callable, is_interface, is_type};
use crate::syntax::expression::Expression;
use crate::syntax::type_expr::TypeExpr;
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference, ReferenceKind};

/// The targets of a resolved reference, with the confidence and the reason.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub targets: Vec<ResolvedTarget>,
    pub confidence: Confidence,
    pub reason: Reason,
}

impl Meaning {
    pub(crate) fn new(
        targets: Vec<SymbolId>,
        confidence: Confidence,
        reason: Reason,
    ) -> Option<Meaning> {
        (!targets.is_empty()).then(|| Meaning {
            targets: targets.into_iter().map(ResolvedTarget::Symbol).collect(),
            confidence,
            reason,
        })
    }
}

impl Resolver<'_> {
    /// Resolves a reference of this file; `None` if it means a library or is unknown.
    pub fn meaning(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        match reference.kind {
            ReferenceKind::Call => self.call(file, reference),
            ReferenceKind::Type => self.mention(file, reference),
            ReferenceKind::Import | ReferenceKind::Export => self.import(file, reference),
        }
    }

    fn call(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        let at = Position { file, symbol: reference.container, byte: reference.start_byte };
        if macros::is_macro(reference) {
            return self.scopes().macro_call(at, reference);
        }
        if reference.is_applied() {
            return self.objects().applied_call(at, reference);
        }
        let receiver = reference.receiver.as_deref();
        match receiver.filter(|receiver| !receiver.is_empty()) {
            Some(receiver) => {
                let member = self.member_call(at, reference, receiver);
                self.heritage().unless_extended(at, reference, member)
            }
            None if reference.receiver.is_some() => self.overloads().by_name(at, reference),
            None => self.bare_call(at, reference),
        }
    }

    fn bare_call(&self, at: Position, reference: &Reference) -> Option<Meaning> {
        let name = reference.name.as_str();
        let rules = self.world.file(at.file).rules;
        if rules.own_types.contains(&name)
            && !rules.constructors.is_empty()
            && let Some(Type::Known { symbol, .. }) = self.inference().own_type(at)
        {
            return self.meant(at, vec![symbol], reference, Confidence::High, Reason::OwnMember);
        }
        let is_local = self.overloads().is_local(at, name);
        let scoped = self.scopes().lookup(at, name, NameKind::Value);
        if is_local {
            // A variable of a block that has ended may have had the name of a function.
            let found: Vec<SymbolId> = scoped.iter().flat_map(|scoped| scoped.symbols()).collect();
            let is_function = |id: &SymbolId| is_callable(self.world.symbol(*id).kind);
            let is_parameter = self.overloads().is_parameter(at, name);
            if is_parameter || found.is_empty() || !found.iter().all(is_function) {
                return None;
            }
            return self.meant(at, found, reference, Confidence::Medium, Reason::UniqueName);
        }
        if let Some(scoped) = scoped {
            let mut found: Vec<SymbolId> = scoped.symbols().collect();
            if let Some(inner) = self.called_like_its_module(&scoped.targets, name) {
                found = vec![inner];
            }
            return self.meant(at, found, reference, scoped.confidence, scoped.reason);
        }
        if rules.imports == Imports::Everything {
            return None;
        }
        let mixed_in = self.heritage().of_including(at, reference);
        if !mixed_in.is_empty() {
            return Meaning::new(mixed_in, Confidence::Medium, Reason::UniqueMember);
        }
        let found = self.overloads().namesakes(at, reference, |id| !self.overloads().is_member(id));
        Meaning::new(found, Confidence::Low, Reason::UniqueName)
    }

    /// `mod open; use open::open;`: modules and functions of Rust do not hide each other.
    fn called_like_its_module(&self, targets: &[ResolvedTarget], name: &str) -> Option<SymbolId> {
        let [target] = targets else {
            return None;
        };
        let file = match target {
            ResolvedTarget::Symbol(id) if self.world.symbol(*id).kind == ChunkKind::Module => {
                id.file
            }
            ResolvedTarget::Module(Module::File(file)) => *file,
            _ => return None,
        };
        let is_rust = self.world.file(file).rules.family == "rust";
        let inner = is_rust.then(|| self.modules().step(target, name))??;
        match inner {
            ResolvedTarget::Symbol(id) if is_callable(self.world.symbol(id).kind) => Some(id),
            _ => None,
        }
    }

    fn member_call(&self, at: Position, reference: &Reference, receiver: &str) -> Option<Meaning> {
        // Extraction writes `…` for a receiver that is too long: a chain of calls, mostly of a
        // library's builder. The guess by name counts only if its target is in this file.
        if receiver == "…" {
            let guess = self.overloads().by_name(at, reference)?;
            let is_here = matches!(guess.targets.first(), Some(ResolvedTarget::Symbol(id)) if id.file == at.file);
            return is_here.then_some(guess);
        }
        let parsed = self.parse_expression(receiver);
        let value = match &*parsed {
            // Rust writes paths with `::`, which the receiver's end does not show.
            Expression::Name(name) if self.is_path(at, name) => self.path_value(at, name),
            _ => self.inference().value(at, &parsed),
        };
        let name = reference.name.as_str();
        match &value {
            InferredValue::Module(module) => {
                let target = self.modules().exported(module, name)?;
                self.meant_target(at, target, reference, Reason::Import)
            }
            InferredValue::Namespace(id) => {
                let target = self.modules().step(&ResolvedTarget::Symbol(*id), name)?;
                self.meant_target(at, target, reference, Reason::QualifiedPath)
            }
            InferredValue::Type(of) | InferredValue::Instance(of) => {
                self.call_on(at, reference, of)
            }
            InferredValue::Foreign => None,
            InferredValue::Functions(symbols, _) if self.objects().is_script(symbols[0].file) => {
                let members = self.objects().object_members(symbols[0], name);
                let reason = Reason::QualifiedPath;
                self.meant(at, members, reference, Confidence::High, reason)
            }
            InferredValue::Functions(..) => None,
            InferredValue::Unknown => {
                if self.is_foreign_name(at, &parsed) {
                    None
                } else {
                    self.overloads().by_name(at, reference)
                }
            }
        }
    }

    /// True if a name is no variable but the start of a path.
    fn is_path(&self, at: Position, name: &str) -> bool {
        let is_rust = self.world.file(at.file).rules.family == "rust";
        let is_upper = name.starts_with(|c: char| c.is_uppercase());
        is_rust && (is_upper || ["crate", "self", "super"].contains(&name)) && name != "self"
    }

    fn path_value(&self, at: Position, name: &str) -> InferredValue {
        if ["crate", "super"].contains(&name) {
            return self.inference().value_of_path(at, &Expression::Name(name.to_string()));
        }
        match self.inference().resolve_type(at, &self.parse_type(name)) {
            Type::Foreign { .. } => {
                match self.inference().value(at, &Expression::Name(name.to_string())) {
                    InferredValue::Unknown => InferredValue::Foreign,
                    found => found,
                }
            }
            found => InferredValue::Type(found),
        }
    }

    /// Where everything is imported, a name that means nothing of ours is a library's.
    fn is_foreign_name(&self, at: Position, expression: &Expression) -> bool {
        let rules = self.world.file(at.file).rules;
        let mut base = expression;
        loop {
            base = match base {
                Expression::Member(inner, _)
                | Expression::Path(inner, _)
                | Expression::Index(inner)
                | Expression::Await(inner)
                | Expression::Try(inner)
                | Expression::Call { function: inner, .. } => inner,
                Expression::Name(name) => {
                    return rules.imports == Imports::Everything
                        && !rules.receivers.contains(&name.as_str())
                        && !rules.supers.contains(&name.as_str())
                        && self.scopes().local(at, name).is_none()
                        && self.scopes().lookup(at, name, NameKind::Value).is_none();
                }
                Expression::Text | Expression::Plain => return true,
                _ => return false,
            };
        }
    }

    fn call_on(&self, at: Position, reference: &Reference, of: &Type) -> Option<Meaning> {
        let name = reference.name.as_str();
        if let Some(member) = self.members().member(of, name) {
            let reason = self.member_reason(of, &member.owner);
            let (confidence, reason) = if member.is_unsure {
                (Confidence::Medium, Reason::OneOfSeveralTypes)
            } else {
                (Confidence::High, reason)
            };
            return self.meant(at, member.symbols, reference, confidence, reason);
        }
        match of {
            Type::Unknown => self.overloads().by_name(at, reference),
            Type::Parameter { bounds, .. } if bounds.is_empty() => {
                self.overloads().by_name(at, reference)
            }
            Type::Known { symbol, .. } => self.overloads().undeclared(at, reference, *symbol),
            _ => None,
        }
    }

    fn member_reason(&self, of: &Type, owner: &Type) -> Reason {
        let Type::Known { symbol: owner, .. } = owner else {
            return Reason::Requirement;
        };
        match of {
            _ if is_interface(self.world.symbol(*owner).kind) => Reason::Requirement,
            Type::Known { symbol, .. } if symbol != owner => Reason::InheritedMember,
            Type::Known { .. } => Reason::ReceiverType,
            // The member was found in the type inside a pointer or an optional.
            Type::Foreign { .. } => Reason::ReceiverType,
            _ => Reason::Requirement,
        }
    }

    fn meant_target(
        &self,
        at: Position,
        target: ResolvedTarget,
        reference: &Reference,
        reason: Reason,
    ) -> Option<Meaning> {
        let inner = self.called_like_its_module(std::slice::from_ref(&target), &reference.name);
        match inner.map_or(target, ResolvedTarget::Symbol) {
            ResolvedTarget::Symbol(id) => {
                self.meant(at, vec![id], reference, Confidence::High, reason)
            }
            ResolvedTarget::Module(_) => None,
        }
    }

    /// The definitions that a call means, of those that its name does: those that take its
    /// arguments, and of a type what constructs it.
    pub(crate) fn meant(
        &self,
        at: Position,
        found: Vec<SymbolId>,
        reference: &Reference,
        confidence: Confidence,
        reason: Reason,
    ) -> Option<Meaning> {
        let mut found: Vec<SymbolId> =
            found.into_iter().map(|id| self.modules().as_value(id)).collect();
        found.dedup();
        let rules = self.world.file(at.file).rules;
        if rules.family == "rust" {
            found.retain(|&id| self.world.symbol(id).kind != ChunkKind::Macro);
        }
        let is_made = |id: &SymbolId| is_type(self.world.symbol(*id).kind);
        if let Some(&made) = found.iter().find(|id| is_made(id)) {
            let made = self.overloads().constructors(made, reference);
            return Meaning::new(made, confidence, reason);
        }
        let found = self.modules().with_types(self.overloads().callable(found));
        let fitting: Vec<SymbolId> =
            found.iter().copied().filter(|&id| self.overloads().takes(id, reference)).collect();
        if rules.overloads == Overloads::One && same_home(self, &found) {
            return Meaning::new(found, confidence, reason);
        }
        let is_strict = rules.labels == Labels::PartOfName;
        let chosen = match (fitting.is_empty(), is_strict && found.len() > 1) {
            (true, true) => return None,
            (true, false) => found,
            (false, _) => fitting,
        };
        let chosen = self.overloads().closest(chosen, reference);
        let (chosen, confidence) = match chosen.len() {
            1 => (chosen, confidence),
            _ if same_home(self, &chosen) => (chosen, confidence),
            _ => (chosen, confidence.min(Confidence::Medium)),
        };
        Meaning::new(chosen, confidence, reason)
    }

    fn mention(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        let at = Position { file, symbol: reference.container, byte: reference.start_byte };
        let rules = self.world.file(file).rules;
        if rules.own_types.contains(&reference.name.as_str())
            || self.inference().type_parameter(at, &reference.name).is_some()
        {
            return None;
        }
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
                    Meaning::new(vec![symbol], Confidence::High, Reason::QualifiedPath)
                }
                _ => None,
            };
        }
        if reference.is_qualifier() {
            return self.qualifier(at, &reference.name);
        }
        let scoped = self.scopes().lookup(at, &reference.name, NameKind::Type)?;
        let mut found: Vec<SymbolId> =
            scoped.symbols().filter_map(|id| self.modules().as_type(id)).collect();
        found.dedup();
        Meaning::new(found, scoped.confidence, scoped.reason)
    }

    /// The type that a name before a member is, if it is one and no variable.
    fn qualifier(&self, at: Position, name: &str) -> Option<Meaning> {
        if self.scopes().local(at, name).is_some() {
            return None;
        }
        let want = if self.objects().is_script(at.file) { NameKind::Value } else { NameKind::Type };
        let scoped = self.scopes().lookup(at, name, want)?;
        let mut found: Vec<SymbolId> =
            scoped.symbols().map(|id| self.modules().as_value(id)).collect();
        found.retain(|&id| is_type(self.world.symbol(id).kind));
        found.dedup();
        Meaning::new(found, scoped.confidence, scoped.reason)
    }

    fn import(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        let facts = self.world.file(file);
        let target = self.modules().imported(file, reference).or_else(|| {
            let module = reference.receiver.as_deref().unwrap_or(&reference.name);
            (facts.rules.module)(self.world, file, module).map(ResolvedTarget::Module)
        })?;
        Some(Meaning {
            targets: vec![target],
            confidence: Confidence::High,
            reason: Reason::Import,
        })
    }
}

/// Overloads of one definition are one answer.
fn same_home(resolver: &Resolver, found: &[SymbolId]) -> bool {
    let home = |id: &SymbolId| (id.file, resolver.world.parent(*id));
    found.windows(2).all(|pair| home(&pair[0]) == home(&pair[1]))
}
