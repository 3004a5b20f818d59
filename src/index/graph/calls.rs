//! What one reference means: a call, a mention of a type, an import.

use super::expression::{self, Expression};
use super::infer::{Type, Value};
use super::resolver::{At, Resolver, Target};
use super::rules::{Constructed, Imports, Labels, Overloads};
use super::scope::Want;
use super::types::{self, Written};
use super::world::{FileIndex, SymbolId, is_callable, is_interface, is_type};
use super::{Confidence, Reason};
use crate::model::{ChunkKind, Reference, ReferenceKind};

/// What a reference means, and how that is known.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub targets: Vec<Target>,
    pub confidence: Confidence,
    pub reason: Reason,
}

impl Meaning {
    fn new(targets: Vec<SymbolId>, confidence: Confidence, reason: Reason) -> Option<Meaning> {
        (!targets.is_empty()).then(|| Meaning {
            targets: targets.into_iter().map(Target::Symbol).collect(),
            confidence,
            reason,
        })
    }
}

/// More candidates of one name than this are not looked through.
const MAX_NAMESAKES: usize = 400;

impl Resolver<'_> {
    /// What a reference of this file means; `None` if it is of a library, or nothing is known.
    pub fn meaning(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        match reference.kind {
            ReferenceKind::Call => self.call(file, reference),
            ReferenceKind::Type => self.mention(file, reference),
            ReferenceKind::Import | ReferenceKind::Export => self.import(file, reference),
        }
    }

    fn call(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        let at = At {
            file,
            symbol: reference.inside,
            byte: reference.start_byte,
        };
        let receiver = reference.receiver.as_deref();
        match receiver.filter(|receiver| !receiver.is_empty()) {
            Some(receiver) => self.member_call(at, reference, receiver),
            None if reference.receiver.is_some() => self.by_name(at, reference),
            None => self.bare_call(at, reference),
        }
    }

    fn bare_call(&self, at: At, reference: &Reference) -> Option<Meaning> {
        let name = reference.name.as_str();
        let rules = self.world.file(at.file).rules;
        if rules.own_types.contains(&name)
            && let Some(Type::Known { symbol, .. }) = self.own_type(at)
        {
            return self.meant(
                at,
                vec![symbol],
                reference,
                Confidence::High,
                Reason::OwnMember,
            );
        }
        if self.is_local(at, name) {
            return None;
        }
        if let Some(scoped) = self.lookup(at, name, Want::Value) {
            let found: Vec<SymbolId> = scoped.symbols().collect();
            return self.meant(at, found, reference, scoped.confidence, scoped.reason);
        }
        if rules.imports == Imports::Everything {
            return None;
        }
        let found = self.namesakes(at, reference, |_, parent| parent.is_none());
        Meaning::new(found, Confidence::Low, Reason::UniqueName)
    }

    /// Whether the name is a variable here: the nearest definition that knows it has it as a
    /// variable or parameter, and not as a function.
    fn is_local(&self, at: At, name: &str) -> bool {
        let file = self.world.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let symbol = &file.symbols[outer as usize];
            if !is_callable(symbol.kind) {
                continue;
            }
            let mut inner = file.children(Some(outer), name);
            if inner.any(|index| is_callable(file.symbols[index as usize].kind)) {
                return false;
            }
            let bindings = file.bound.get(name).into_iter().flatten();
            let is_bound = bindings.into_iter().any(|&index| {
                let binding = &file.bindings[index as usize];
                binding.inside == Some(outer) && binding.start_byte < at.byte && symbol.name != name
            });
            if is_bound || symbol.parameters.iter().any(|(label, _)| label == name) {
                return true;
            }
        }
        false
    }

    fn member_call(&self, at: At, reference: &Reference, receiver: &str) -> Option<Meaning> {
        let parsed = expression::parse(receiver);
        let value = match &parsed {
            // Rust writes paths with `::`, which the receiver's end does not show.
            Expression::Name(name) if self.is_path(at, name) => self.path_value(at, name),
            _ => self.value(at, &parsed),
        };
        let name = reference.name.as_str();
        match &value {
            Value::Module(module) => {
                let target = self.exported(module, name)?;
                self.meant_target(at, target, reference, Reason::Import)
            }
            Value::Namespace(id) => {
                let target = self.step(&Target::Symbol(*id), name)?;
                self.meant_target(at, target, reference, Reason::QualifiedPath)
            }
            Value::Type(of) | Value::Instance(of) => self.call_on(at, reference, of),
            Value::Foreign => None,
            Value::Functions(..) => None,
            Value::Unknown => match self.is_foreign_name(at, &parsed) {
                true => None,
                false => self.by_name(at, reference),
            },
        }
    }

    /// Whether a name is no variable but the start of a path.
    fn is_path(&self, at: At, name: &str) -> bool {
        let is_rust = self.world.file(at.file).rules.family == "rust";
        let is_upper = name.starts_with(|c: char| c.is_uppercase());
        is_rust && (is_upper || ["crate", "self", "super"].contains(&name)) && name != "self"
    }

    fn path_value(&self, at: At, name: &str) -> Value {
        match self.resolve_type(at, &types::parse(name)) {
            Type::Foreign { .. } => match self.value(at, &Expression::Name(name.to_string())) {
                Value::Unknown => Value::Foreign,
                found => found,
            },
            found => Value::Type(found),
        }
    }

    /// Where everything is imported, a name that means nothing of ours is a library's.
    fn is_foreign_name(&self, at: At, expression: &Expression) -> bool {
        let rules = self.world.file(at.file).rules;
        let mut base = expression;
        loop {
            base = match base {
                Expression::Member(inner, _)
                | Expression::Path(inner, _)
                | Expression::Index(inner)
                | Expression::Await(inner)
                | Expression::Try(inner)
                | Expression::Call {
                    function: inner, ..
                } => inner,
                Expression::Name(name) => {
                    return rules.imports == Imports::Everything
                        && !rules.receivers.contains(&name.as_str())
                        && !rules.supers.contains(&name.as_str())
                        && self.local(at, name).is_none()
                        && self.lookup(at, name, Want::Value).is_none();
                }
                Expression::Text | Expression::Plain => return true,
                _ => return false,
            };
        }
    }

    fn call_on(&self, at: At, reference: &Reference, of: &Type) -> Option<Meaning> {
        let name = reference.name.as_str();
        if let Some(member) = self.member(of, name) {
            let reason = self.member_reason(of, &member.owner);
            let (confidence, reason) = match member.is_unsure {
                true => (Confidence::Medium, Reason::OneOfSeveralTypes),
                false => (Confidence::High, reason),
            };
            return self.meant(at, member.symbols, reference, confidence, reason);
        }
        match of {
            Type::Unknown => self.by_name(at, reference),
            Type::Parameter { bounds, .. } if bounds.is_empty() => self.by_name(at, reference),
            Type::Known { symbol, .. } => self.undeclared(at, reference, *symbol),
            _ => None,
        }
    }

    fn member_reason(&self, of: &Type, owner: &Type) -> Reason {
        let (Type::Known { symbol: owner, .. }, Type::Known { symbol, .. }) = (owner, of) else {
            return Reason::Requirement;
        };
        match owner == symbol {
            _ if is_interface(self.world.symbol(*owner).kind) => Reason::Requirement,
            true => Reason::ReceiverType,
            false => Reason::InheritedMember,
        }
    }

    /// A type of ours that declares no such member: a constructor, or what others give to all.
    fn undeclared(&self, at: At, reference: &Reference, type_id: SymbolId) -> Option<Meaning> {
        let rules = self.world.file(at.file).rules;
        if rules.constructors.contains(&reference.name.as_str()) {
            return Meaning::new(vec![type_id], Confidence::High, Reason::ReceiverType);
        }
        if self.has_foreign_base(type_id) && rules.family != "rust" {
            return None;
        }
        let found = self.namesakes(at, reference, |resolver, parent| {
            parent.is_some_and(|parent| is_interface(resolver.world.symbol(parent).kind))
        });
        Meaning::new(found, Confidence::Low, Reason::UniqueMember)
    }

    /// The only member of that name that the call could mean, if it is no name of libraries.
    fn by_name(&self, at: At, reference: &Reference) -> Option<Meaning> {
        let name = reference.name.as_str();
        let rules = self.world.file(at.file).rules;
        if rules.common.contains(&name) || name.len() < 3 || name.starts_with("__") {
            return None;
        }
        let found = self.namesakes(at, reference, |_, parent| parent.is_some());
        let is_near = found
            .first()
            .is_some_and(|id| self.world.file(id.file).package == self.world.file(at.file).package);
        let confidence = match found.len() == 1 && is_near {
            true => Confidence::Medium,
            false => Confidence::Low,
        };
        Meaning::new(found, confidence, Reason::UniqueMember)
    }

    /// The definitions of the reference's name that can be meant; none if there are several.
    fn namesakes(
        &self,
        at: At,
        reference: &Reference,
        fits: impl Fn(&Self, Option<SymbolId>) -> bool,
    ) -> Vec<SymbolId> {
        let named = self.named(&reference.name);
        if named.len() > MAX_NAMESAKES {
            return Vec::new();
        }
        let mut found: Vec<SymbolId> = named
            .iter()
            .copied()
            .filter(|&id| {
                let symbol = self.world.symbol(id);
                let owner = self.owner(id);
                is_callable(symbol.kind)
                    && fits(self, owner)
                    && self.world.can_use(at.file, id.file)
                    && self.takes(id, reference)
            })
            .collect();
        // A requirement and what fulfils it are one answer: the requirement.
        if found.len() > 1 {
            let asked: Vec<SymbolId> = found
                .iter()
                .copied()
                .filter(|&id| {
                    self.owner(id)
                        .is_some_and(|owner| is_interface(self.world.symbol(owner).kind))
                })
                .collect();
            if asked.len() == 1 {
                found = asked;
            }
        }
        match found.len() {
            1 => found,
            _ => Vec::new(),
        }
    }

    /// The type that a member belongs to.
    pub fn owner(&self, id: SymbolId) -> Option<SymbolId> {
        let parent = self.world.parent(id).filter(|&parent| {
            let kind = self.world.symbol(parent).kind;
            is_type(kind) || kind == ChunkKind::Extension
        });
        if let Some(parent) = parent {
            return Some(self.type_of_extension(parent));
        }
        let symbol = self.world.symbol(id);
        let scope = symbol
            .scope
            .as_deref()
            .filter(|_| self.world.parent(id).is_none())?;
        let name = scope.rsplit('.').next().unwrap_or(scope);
        let named = self.named(name).iter().copied();
        let mut types = named.filter(|&other| {
            is_type(self.world.symbol(other).kind) && self.world.can_use(id.file, other.file)
        });
        types.next()
    }

    /// Whether a definition can be called with these arguments.
    fn takes(&self, id: SymbolId, reference: &Reference) -> bool {
        let symbol = self.world.symbol(id);
        let rules = self.world.file(id.file).rules;
        let own = symbol.parameters.iter();
        let own: Vec<&(String, Option<String>)> = own
            .filter(|(name, _)| !rules.receivers.contains(&name.as_str()))
            .collect();
        if rules.labels == Labels::PartOfName {
            return labels_fit(&own, &reference.labels);
        }
        let is_open = own.iter().any(|(name, written)| {
            name.starts_with(['*', '.'])
                || written.as_ref().is_some_and(|text| text.contains("..."))
        });
        is_open || reference.labels.len() <= own.len()
    }

    fn meant_target(
        &self,
        at: At,
        target: Target,
        reference: &Reference,
        reason: Reason,
    ) -> Option<Meaning> {
        match target {
            Target::Symbol(id) => self.meant(at, vec![id], reference, Confidence::High, reason),
            Target::Module(_) => None,
        }
    }

    /// The definitions that a call means, of those that its name does: those that take its
    /// arguments, and of a type what constructs it.
    fn meant(
        &self,
        at: At,
        found: Vec<SymbolId>,
        reference: &Reference,
        confidence: Confidence,
        reason: Reason,
    ) -> Option<Meaning> {
        let is_made = |id: &SymbolId| is_type(self.world.symbol(*id).kind);
        if let Some(&made) = found.iter().find(|id| is_made(id)) {
            let made = self.constructors(made, reference);
            return Meaning::new(made, confidence, reason);
        }
        let found = self.callable(found);
        let fitting: Vec<SymbolId> = found
            .iter()
            .copied()
            .filter(|&id| self.takes(id, reference))
            .collect();
        let rules = self.world.file(at.file).rules;
        if rules.overloads == Overloads::One && same_home(self, &found) {
            return Meaning::new(found, confidence, reason);
        }
        let is_strict = rules.labels == Labels::PartOfName;
        let chosen = match (fitting.is_empty(), is_strict && found.len() > 1) {
            (true, true) => return None,
            (true, false) => found,
            (false, _) => fitting,
        };
        let exact = self.exact_arity(&chosen, reference);
        let chosen = if exact.is_empty() { chosen } else { exact };
        let (chosen, confidence) = match chosen.len() {
            1 => (chosen, confidence),
            _ if same_home(self, &chosen) => (chosen, confidence),
            _ => (chosen, confidence.min(Confidence::Medium)),
        };
        Meaning::new(chosen, confidence, reason)
    }

    /// What can be called of these: functions before variables, and no cases of enums, which only
    /// hold what they are given.
    fn callable(&self, found: Vec<SymbolId>) -> Vec<SymbolId> {
        let kind = |id: SymbolId| self.world.symbol(id).kind;
        let functions: Vec<SymbolId> = found
            .iter()
            .copied()
            .filter(|&id| is_callable(kind(id)))
            .collect();
        if !functions.is_empty() {
            return functions;
        }
        let is_case = |&id: &SymbolId| {
            let parent = self.world.parent(id);
            kind(id) == ChunkKind::Constant
                && parent.is_some_and(|parent| kind(parent) == ChunkKind::Enum)
        };
        found.into_iter().filter(|id| !is_case(id)).collect()
    }

    fn exact_arity(&self, found: &[SymbolId], reference: &Reference) -> Vec<SymbolId> {
        let count = reference.labels.len();
        let fits = found.iter().copied().filter(|&id| {
            let rules = self.world.file(id.file).rules;
            let own = self.world.symbol(id).parameters.iter();
            let own = own.filter(|(name, _)| !rules.receivers.contains(&name.as_str()));
            own.count() == count
        });
        fits.collect()
    }

    /// What constructs a value of a type: its constructor if it declares one, else the type.
    fn constructors(&self, type_id: SymbolId, reference: &Reference) -> Vec<SymbolId> {
        let rules = self.world.file(type_id.file).rules;
        if rules.constructed == Constructed::Type {
            return vec![type_id];
        }
        let mut fitting = self.declared_constructors(type_id);
        fitting.retain(|&id| self.takes(id, reference));
        let exact = self.exact_arity(&fitting, reference);
        match (exact.is_empty(), fitting.is_empty()) {
            (false, _) => exact,
            (true, false) => fitting,
            (true, true) => vec![type_id],
        }
    }

    fn declared_constructors(&self, type_id: SymbolId) -> Vec<SymbolId> {
        let rules = self.world.file(type_id.file).rules;
        let name = self.world.symbol(type_id).name.as_str();
        let names = rules.constructors.iter().copied().chain([name]);
        let found = names.flat_map(|name| self.own_members(type_id, name));
        found
            .filter(|&id| self.world.symbol(id).kind == ChunkKind::Initializer)
            .collect()
    }

    fn mention(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        let at = At {
            file,
            symbol: reference.inside,
            byte: reference.start_byte,
        };
        let rules = self.world.file(file).rules;
        if rules.own_types.contains(&reference.name.as_str())
            || self.type_parameter(at, &reference.name).is_some()
        {
            return None;
        }
        if let Some(receiver) = &reference.receiver {
            let text = format!("{}.{}", receiver.replace("::", "."), reference.name);
            let Written::Named { path, .. } = types::parse(&text) else {
                return None;
            };
            return match self.resolve_type(
                at,
                &Written::Named {
                    path,
                    arguments: Vec::new(),
                },
            ) {
                Type::Known { symbol, .. } => {
                    Meaning::new(vec![symbol], Confidence::High, Reason::QualifiedPath)
                }
                _ => None,
            };
        }
        let scoped = self.lookup(at, &reference.name, Want::Type)?;
        let found = scoped.symbols();
        let found: Vec<SymbolId> = found
            .filter(|&id| is_type(self.world.symbol(id).kind))
            .collect();
        Meaning::new(found, scoped.confidence, scoped.reason)
    }

    fn import(&self, file: FileIndex, reference: &Reference) -> Option<Meaning> {
        let facts = self.world.file(file);
        let target = self.imported(file, reference).or_else(|| {
            let module = reference.receiver.as_deref().unwrap_or(&reference.name);
            (facts.rules.module)(self.world, file, module).map(Target::Module)
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
    found
        .windows(2)
        .all(|pair| home(&pair[0]) == home(&pair[1]))
}

/// Whether arguments with these labels can be given: labels in order, some parameters left out, and
/// a closure at the end without its label.
fn labels_fit(parameters: &[&(String, Option<String>)], labels: &[String]) -> bool {
    let mut at = 0;
    for (index, label) in labels.iter().enumerate() {
        let rest = parameters.get(at..).unwrap_or_default();
        let found = rest.iter().position(|(name, _)| name == label);
        let is_last = index + 1 >= labels.len();
        match found {
            Some(skipped) => at += skipped + 1,
            // Variadic arguments go on without labels.
            None if label == "_" && index > 0 && at > 0 => {}
            None if label == "_" && is_last && at < parameters.len() => at = parameters.len(),
            None if label == "_" => return false,
            None => return false,
        }
    }
    true
}
