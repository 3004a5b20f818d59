//! Resolves one reference: a call, a use of a type, an import.
//!
//! This is the top of the recursion. It decides which part to ask, and turns the answer into a
//! [`Resolution`] with a confidence and a reason. It has no cache: every reference is resolved
//! once.

use crate::inference::{InferredValue, Type};
use crate::modules::module_table::Module;
use crate::resolver::{Position, ResolvedTarget, Resolver};
use crate::rules::{ArgumentLabels, ImportPolicy, OverloadMerging};
use crate::scopes::Namespace;
use crate::scopes::macro_calls;
use crate::symbol_table::{FileIndex, SymbolId, is_callable, is_interface, is_type};
use crate::syntax::expression::Expression;
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference, ReferenceKind};

/// The targets of a resolved reference. There is at least one.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// Several if the facts do not distinguish overloads or candidate types.
    pub targets: Vec<ResolvedTarget>,
    /// The strength of the evidence.
    pub confidence: Confidence,
    /// The kind of evidence.
    pub reason: Reason,
}

impl Resolution {
    /// Returns `None` if there are no targets.
    pub(crate) fn new(
        targets: Vec<SymbolId>,
        confidence: Confidence,
        reason: Reason,
    ) -> Option<Resolution> {
        (!targets.is_empty()).then(|| Resolution {
            targets: targets.into_iter().map(ResolvedTarget::Symbol).collect(),
            confidence,
            reason,
        })
    }
}

impl Resolver<'_> {
    /// Resolves a reference of a file. `None` if it belongs to a library, or is unknown.
    pub fn resolve_reference(&self, file: FileIndex, reference: &Reference) -> Option<Resolution> {
        match reference.kind {
            ReferenceKind::Call => {
                let found = self.resolve_call(file, reference)?;
                Some(self.limit_calls_of_tests(file, reference, found))
            }
            ReferenceKind::Type => self.resolve_type_reference(file, reference),
            ReferenceKind::Import | ReferenceKind::Export => {
                self.resolve_import_reference(file, reference)
            }
        }
    }

    /// Lowers the confidence of a call that leads from shipped code to test code only. Such a call
    /// usually means a definition of the same name that the index lacks.
    fn limit_calls_of_tests(
        &self,
        file: FileIndex,
        reference: &Reference,
        found: Resolution,
    ) -> Resolution {
        let container = reference.container.map(|symbol| SymbolId { file, symbol });
        let is_test = |target: &ResolvedTarget| match target {
            ResolvedTarget::Symbol(id) => id.file != file && self.modules().is_test_code(*id),
            ResolvedTarget::Module(_) => false,
        };
        let leads_to_tests = found.confidence == Confidence::High
            && found.targets.iter().all(is_test)
            && container.is_some_and(|caller| !self.modules().is_test_code(caller));
        if leads_to_tests { Resolution { confidence: Confidence::Medium, ..found } } else { found }
    }

    /// Resolves a call. The shape of the reference decides the way: a macro, `f.call(x)`, a
    /// receiver, a bare dot as in `.shared()` of Swift, or a bare name.
    fn resolve_call(&self, file: FileIndex, reference: &Reference) -> Option<Resolution> {
        let at = Position { file, symbol: reference.container, byte: reference.start_byte };
        if macro_calls::is_macro_call(reference) {
            return self.scopes().resolve_macro_call(at, reference);
        }
        if reference.is_taken() {
            return self.resolve_taken_function(at, &reference.name);
        }
        if reference.is_bare() {
            return self.resolve_bare_word(at, reference);
        }
        if reference.is_applied() {
            return self.objects().resolve_applied_call(at, reference);
        }
        let receiver = reference.receiver.as_deref();
        match receiver.filter(|receiver| !receiver.is_empty()) {
            Some(receiver) => {
                let member = self.resolve_member_call(at, reference, receiver);
                self.heritage().resolve_extension_call(at, reference, member)
            }
            None if reference.receiver.is_some() => {
                self.overloads().resolve_unique_member(at, reference)
            }
            None => self.resolve_bare_call(at, reference),
        }
    }

    /// Resolves a name whose address is taken, if it is a function. The call is elsewhere, so the
    /// confidence is medium.
    fn resolve_taken_function(&self, at: Position, name: &str) -> Option<Resolution> {
        if self.overloads().is_local_variable(at, name) {
            return None;
        }
        let scoped = self.scopes().resolve_name(at, name, Namespace::Value)?;
        let mut found: Vec<SymbolId> = scoped.symbols().collect();
        found.retain(|id| {
            matches!(self.table.symbol(*id).kind, ChunkKind::Function | ChunkKind::Method)
        });
        Resolution::new(found, scoped.confidence.min(Confidence::Medium), scoped.reason)
    }

    /// Resolves `name(…)`.
    fn resolve_bare_call(&self, at: Position, reference: &Reference) -> Option<Resolution> {
        let name = reference.name.as_str();
        let rules = self.table.file(at.file).rules;
        // `Self(…)` constructs the type around the call.
        if rules.self_type_names.contains(&name)
            && !rules.constructors.is_empty()
            && let Some(Type::Known { symbol, .. }) = self.inference().enclosing_type(at)
        {
            return self.select_call_targets(
                at,
                vec![symbol],
                reference,
                Confidence::High,
                Reason::OwnMember,
            );
        }
        // A local variable hides functions of other scopes, but it is no definition.
        let is_local = self.overloads().is_local_variable(at, name);
        let scoped = self.scopes().resolve_name(at, name, Namespace::Value);
        if is_local {
            let found = scoped.iter().flat_map(|scoped| scoped.symbols()).collect();
            return self.resolve_shadowed_function(at, reference, found);
        }
        if let Some(scoped) = scoped {
            let mut found: Vec<SymbolId> = scoped.symbols().collect();
            // The name may resolve to a module that contains a function of the same name.
            if let Some(inner) = self.find_function_named_like_module(&scoped.targets, name) {
                found = vec![inner];
            }
            let fitting = self.overloads().find_labelled_members(at, reference, &found);
            let (found, reason) = match fitting {
                Some(members) => (members, Reason::OwnMember),
                None => (found, scoped.reason),
            };
            return self.select_call_targets(at, found, reference, scoped.confidence, reason);
        }
        // Where every name is imported, a name that is in no scope is a library's.
        if rules.import_policy == ImportPolicy::Complete {
            return None;
        }
        let mixed_in = self.heritage().find_including_class_methods(at, reference);
        if !mixed_in.is_empty() {
            return Resolution::new(mixed_in, Confidence::Medium, Reason::UniqueMember);
        }
        let found = self
            .overloads()
            .find_unique_candidate(at, reference, |id| !self.overloads().is_member(id));
        Resolution::new(found, Confidence::Low, Reason::UniqueName)
    }

    /// Resolves a call of a name that is also a local variable. The block of the variable may have
    /// ended before the call, so functions of the name are still candidates; for a parameter they
    /// are not.
    fn resolve_shadowed_function(
        &self,
        at: Position,
        reference: &Reference,
        found: Vec<SymbolId>,
    ) -> Option<Resolution> {
        let is_function = |id: &SymbolId| is_callable(self.table.symbol(*id).kind);
        let is_parameter = self.overloads().is_parameter(at, &reference.name);
        if is_parameter || found.is_empty() || !found.iter().all(is_function) {
            return None;
        }
        self.select_call_targets(at, found, reference, Confidence::Medium, Reason::UniqueName)
    }

    /// Finds the function `open::open` for `mod open; use open::open;`. Modules and functions of
    /// Rust have separate namespaces, but an import of the name finds the module first.
    fn find_function_named_like_module(
        &self,
        targets: &[ResolvedTarget],
        name: &str,
    ) -> Option<SymbolId> {
        let [target] = targets else {
            return None;
        };
        let file = match target {
            ResolvedTarget::Symbol(id) if self.table.symbol(*id).kind == ChunkKind::Module => {
                id.file
            }
            ResolvedTarget::Module(Module::File(file)) => *file,
            _ => return None,
        };
        let has_module_tree = self.table.file(file).rules.module_tree.is_some();
        let inner = has_module_tree.then(|| self.modules().member_of(target, name))??;
        match inner {
            ResolvedTarget::Symbol(id) if is_callable(self.table.symbol(id).kind) => Some(id),
            _ => None,
        }
    }

    /// Resolves `receiver.name(…)`.
    fn resolve_member_call(
        &self,
        at: Position,
        reference: &Reference,
        receiver: &str,
    ) -> Option<Resolution> {
        // Extraction writes `…` for a receiver that is too long: a chain of calls, mostly of a
        // library's builder. The guess by name counts only if its target is in this file.
        if receiver == "…" {
            let guess = self.overloads().resolve_unique_member(at, reference)?;
            let is_here = matches!(guess.targets.first(), Some(ResolvedTarget::Symbol(id)) if id.file == at.file);
            return is_here.then_some(guess);
        }
        let parsed = self.parse_expression(receiver);
        let value = match &*parsed {
            // Extraction stores `Foo` as the receiver of `Foo::new()` and of `Foo.new()` alike.
            Expression::Name(name) if self.is_path_start(at, name) => {
                self.infer_path_start(at, name)
            }
            _ => self.inference().infer_value(at, &parsed),
        };
        let name = reference.name.as_str();
        match &value {
            // `module.name()`.
            InferredValue::Module(module) => {
                let target = self.modules().find_export(module, name)?;
                self.resolve_call_target(at, target, reference, Reason::Import)
            }
            // `namespace.name()`, or a member of an object literal.
            InferredValue::Namespace(id) => {
                let target = self.modules().member_of(&ResolvedTarget::Symbol(*id), name)?;
                self.resolve_call_target(at, target, reference, Reason::QualifiedPath)
            }
            InferredValue::Type(of) => self
                .resolve_construct_call(at, reference, of)
                .or_else(|| self.resolve_method_call(at, reference, of)),
            InferredValue::Instance(of) => self.resolve_method_call(at, reference, of),
            InferredValue::Foreign => None,
            InferredValue::Functions(symbols, _)
                if self.objects().has_open_objects(symbols[0].file) =>
            {
                let members = self.objects().object_members(symbols[0], name);
                let reason = Reason::QualifiedPath;
                self.select_call_targets(at, members, reference, Confidence::High, reason)
            }
            InferredValue::Functions(..) => None,
            InferredValue::Unknown => {
                if self.is_foreign_name(at, &parsed) {
                    None
                } else {
                    self.overloads().resolve_unique_member(at, reference)
                }
            }
        }
    }

    /// True if a receiver of Rust is the start of a path, and no variable.
    fn is_path_start(&self, at: Position, name: &str) -> bool {
        let Some(tree) = &self.table.file(at.file).rules.module_tree else {
            return false;
        };
        let is_upper = name.starts_with(|c: char| c.is_uppercase());
        let rules = self.table.file(at.file).rules;
        (is_upper || tree.path_words.contains(&name)) && !rules.receivers.contains(&name)
    }

    /// Infers the value of the first segment of a Rust path: a module, or a type.
    fn infer_path_start(&self, at: Position, name: &str) -> InferredValue {
        let tree = self.table.file(at.file).rules.module_tree.as_ref();
        if tree.is_some_and(|tree| tree.path_words.contains(&name)) {
            return self.inference().infer_path(at, &Expression::Name(name.to_string()));
        }
        match self.inference().resolve_type(at, &self.parse_type(name)) {
            Type::Foreign { .. } => {
                match self.inference().infer_value(at, &Expression::Name(name.to_string())) {
                    InferredValue::Unknown => InferredValue::Foreign,
                    found => found,
                }
            }
            found => InferredValue::Type(found),
        }
    }

    /// True if the first name of a chain belongs to a library: the language imports every name, and
    /// neither a scope nor a binding has this one.
    fn is_foreign_name(&self, at: Position, expression: &Expression) -> bool {
        let rules = self.table.file(at.file).rules;
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
                    return rules.import_policy == ImportPolicy::Complete
                        && !rules.receivers.contains(&name.as_str())
                        && !rules.supers.contains(&name.as_str())
                        && self.scopes().infer_local(at, name).is_none()
                        && self.scopes().resolve_name(at, name, Namespace::Value).is_none();
                }
                // Literals have library types.
                Expression::StringLiteral | Expression::Opaque => return true,
                _ => return false,
            };
        }
    }

    /// Resolves `Page.new()`, where that is how the language constructs a type and the type defines
    /// no such method.
    fn resolve_construct_call(
        &self,
        at: Position,
        reference: &Reference,
        of: &Type,
    ) -> Option<Resolution> {
        let Type::Known { symbol, .. } = of else {
            return None;
        };
        let is_construct = reference.name == self.table.file(at.file).rules.construct_method;
        if !is_construct || self.members().find_member(of, &reference.name).is_some() {
            return None;
        }
        let found = self.overloads().select_constructors(*symbol, reference);
        Resolution::new(found, Confidence::High, Reason::ReceiverType)
    }

    /// Resolves a call of a method on a value of a type.
    fn resolve_method_call(
        &self,
        at: Position,
        reference: &Reference,
        of: &Type,
    ) -> Option<Resolution> {
        let name = reference.name.as_str();
        if let Some(member) = self.members().find_member(of, name) {
            let reason = self.member_reason(of, &member.owner);
            let (confidence, reason) = if member.is_ambiguous {
                (Confidence::Medium, Reason::OneOfSeveralTypes)
            } else {
                (Confidence::High, reason)
            };
            return self.select_call_targets(at, member.symbols, reference, confidence, reason);
        }
        // The type has no such member. Only an unknown type leaves a guess by name.
        match of {
            Type::Unknown => self.overloads().resolve_unique_member(at, reference),
            Type::Parameter { bounds, .. } if bounds.is_empty() => {
                self.overloads().resolve_unique_member(at, reference)
            }
            Type::Known { symbol, .. } => {
                self.overloads().resolve_undeclared_member(at, reference, *symbol)
            }
            _ => None,
        }
    }

    /// Returns the reason of an edge to a member: declared by the receiver's type, inherited, or
    /// required by an interface, in which case the call is dispatched.
    fn member_reason(&self, of: &Type, owner: &Type) -> Reason {
        let Type::Known { symbol: owner, .. } = owner else {
            return Reason::Requirement;
        };
        match of {
            _ if is_interface(self.table.symbol(*owner).kind) => Reason::Requirement,
            Type::Known { symbol, .. } if symbol != owner => Reason::InheritedMember,
            Type::Known { .. } => Reason::ReceiverType,
            // The member was found in the type inside a pointer or an optional.
            Type::Foreign { .. } => Reason::ReceiverType,
            _ => Reason::Requirement,
        }
    }

    /// Resolves a call whose qualified path leads to this target. A module cannot be called.
    fn resolve_call_target(
        &self,
        at: Position,
        target: ResolvedTarget,
        reference: &Reference,
        reason: Reason,
    ) -> Option<Resolution> {
        let inner =
            self.find_function_named_like_module(std::slice::from_ref(&target), &reference.name);
        match inner.map_or(target, ResolvedTarget::Symbol) {
            ResolvedTarget::Symbol(id) => {
                self.select_call_targets(at, vec![id], reference, Confidence::High, reason)
            }
            ResolvedTarget::Module(_) => None,
        }
    }

    /// Selects the targets of a call among the definitions of its name: those that accept its
    /// arguments, and the constructors of a type. Overloads in several places lower the confidence.
    pub(crate) fn select_call_targets(
        &self,
        at: Position,
        definitions: Vec<SymbolId>,
        reference: &Reference,
        confidence: Confidence,
        reason: Reason,
    ) -> Option<Resolution> {
        let mut values: Vec<SymbolId> =
            definitions.into_iter().map(|id| self.modules().value_side(id)).collect();
        values.dedup();
        let rules = self.table.file(at.file).rules;
        // Macros of Rust have a namespace of their own, see `scopes::macro_calls`.
        if rules.has_macro_namespace {
            values.retain(|&id| self.table.symbol(id).kind != ChunkKind::Macro);
        }
        let is_constructed = |id: &SymbolId| is_type(self.table.symbol(*id).kind);
        if let Some(&type_id) = values.iter().find(|id| is_constructed(id)) {
            let constructors = self.overloads().select_constructors(type_id, reference);
            return Resolution::new(constructors, confidence, reason);
        }
        let candidates = self.modules().add_merged_types(self.overloads().select_callables(values));
        let fitting: Vec<SymbolId> = candidates
            .iter()
            .copied()
            .filter(|&id| self.overloads().can_accept(id, reference))
            .collect();
        // Merged overloads are one function, so that arguments select none of them.
        if rules.overload_merging == OverloadMerging::Merged && is_one_function(self, &candidates) {
            return Resolution::new(candidates, confidence, reason);
        }
        let is_strict = rules.argument_labels == ArgumentLabels::PartOfName;
        let accepting = match (fitting.is_empty(), is_strict && candidates.len() > 1) {
            (true, true) => return None,
            (true, false) => candidates,
            (false, _) => fitting,
        };
        let selected = self.overloads().select_by_arity(accepting, reference);
        let is_sure = selected.len() == 1 || is_one_function(self, &selected);
        let limit = if is_sure { confidence } else { confidence.min(Confidence::Medium) };
        Resolution::new(selected, limit, reason)
    }

    /// Resolves an import. If the imported name is unknown, the module itself is the target.
    fn resolve_import_reference(
        &self,
        file: FileIndex,
        reference: &Reference,
    ) -> Option<Resolution> {
        let facts = self.table.file(file);
        let target = self.modules().resolve_import(file, reference).or_else(|| {
            let module = reference.receiver.as_deref().unwrap_or(&reference.name);
            (facts.rules.resolve_module)(self.table, file, module).map(ResolvedTarget::Module)
        })?;
        Some(Resolution {
            targets: vec![target],
            confidence: Confidence::High,
            reason: Reason::Import,
        })
    }
}

/// True if all definitions are one function: they have the same parent, or the same path with all
/// but one file only declaring it. Overloads in one place are one answer.
pub(crate) fn is_one_function(resolver: &Resolver, found: &[SymbolId]) -> bool {
    let home = |id: &SymbolId| (id.file, resolver.table.parent(*id));
    let are_alike = |is_alike: &dyn Fn(&SymbolId, &SymbolId) -> bool| {
        found.windows(2).all(|pair| is_alike(&pair[0], &pair[1]))
    };
    are_alike(&|a, b| home(a) == home(b)) || {
        let path = |id: &SymbolId| resolver.table.file(id.file).path_of(id.symbol);
        let is_included = |id: &&SymbolId| {
            let file = resolver.table.file(id.file);
            (file.rules.is_included_file)(&file.path)
        };
        let mut defining = found.iter().filter(|id| !is_included(id)).map(|id| id.file);
        let first = defining.next();
        defining.all(|file| Some(file) == first) && are_alike(&|a, b| path(a) == path(b))
    }
}
