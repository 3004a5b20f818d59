//! Selects the definitions of a name that a call can mean: by arguments, by constructors, and last
//! by being the only one.

pub(crate) mod arguments;

use crate::references::Meaning;
use crate::resolver::Position;
use crate::resolver::part;
use crate::rules::{Constructed, Inheritance, Interfaces, Labels};
use crate::symbol_table::{SymbolId, is_callable, is_interface, is_type};
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference};

/// More candidates of one name than this are not looked through.
const MAX_NAMESAKES: usize = 400;

part! {
    /// Overloads: which of several definitions of one name a call means.
    Overloads
}

impl<'w> Overloads<'_, 'w> {
    /// True if the name is a variable here: the nearest definition that knows it has it as a
    /// variable or parameter, and not as a function.
    pub(crate) fn is_local(&self, at: Position, name: &str) -> bool {
        let file = self.world.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let symbol = &file.symbols()[outer as usize];
            if !is_callable(symbol.kind) {
                continue;
            }
            let mut inner = file.children(Some(outer), name);
            if inner.any(|index| is_callable(file.symbols()[index as usize].kind)) {
                return false;
            }
            let is_bound = file.bound(name).any(|binding| {
                binding.container == Some(outer)
                    && binding.start_byte < at.byte
                    && binding.is_visible_at(at.byte)
            });
            if is_bound || symbol.parameters.iter().any(|(label, _)| label == name) {
                return true;
            }
        }
        false
    }

    pub(crate) fn is_parameter(&self, at: Position, name: &str) -> bool {
        let file = self.world.file(at.file);
        file.ancestors(at.symbol).any(|outer| {
            let symbol = &file.symbols()[outer as usize];
            symbol.parameters.iter().any(|(label, _)| label == name)
        })
    }

    /// A type of ours that declares no such member: a constructor, or what others give to all.
    pub(crate) fn undeclared(
        &self,
        at: Position,
        reference: &Reference,
        type_id: SymbolId,
    ) -> Option<Meaning> {
        let rules = self.world.file(at.file).rules;
        if rules.constructors.contains(&reference.name.as_str()) {
            return Meaning::new(vec![type_id], Confidence::High, Reason::ReceiverType);
        }
        if self.heritage().has_foreign_base(type_id) && rules.family != "rust" {
            return None;
        }
        // A condition before the call may have narrowed the receiver to a subtype.
        let is_narrower = |id| {
            let owner = self.owner(id);
            owner
                .is_some_and(|owner| owner != type_id && self.heritage().is_kind_of(owner, type_id))
        };
        if rules.heritage == Inheritance::Subtyping {
            let found = self.namesakes(at, reference, is_narrower);
            if !found.is_empty() {
                return Meaning::new(found, Confidence::Medium, Reason::UniqueMember);
            }
        }
        let found = self.namesakes(at, reference, |id| self.is_asked(id));
        Meaning::new(found, Confidence::Low, Reason::UniqueMember)
    }

    /// The only member of that name that the call could mean, if it is no name of libraries.
    pub(crate) fn by_name(&self, at: Position, reference: &Reference) -> Option<Meaning> {
        let name = reference.name.as_str();
        let rules = self.world.file(at.file).rules;
        let is_common = rules.common.contains(&name) || (rules.is_of_library)(name);
        if is_common || name.len() < 3 || name.starts_with("__") {
            return None;
        }
        // A name after a bare dot may be a case of an enum, which is no call.
        if self.definitions(name).iter().any(|&id| self.inference().is_case(id)) {
            return None;
        }
        let found = self.namesakes(at, reference, |id| self.is_member(id));
        let is_near = found
            .first()
            .is_some_and(|id| self.world.file(id.file).package == self.world.file(at.file).package);
        let confidence =
            if found.len() == 1 && is_near { Confidence::Medium } else { Confidence::Low };
        Meaning::new(found, confidence, Reason::UniqueMember)
    }

    /// The definitions of the reference's name that can be meant; none if there are several.
    pub(crate) fn namesakes(
        &self,
        at: Position,
        reference: &Reference,
        fits: impl Fn(SymbolId) -> bool,
    ) -> Vec<SymbolId> {
        let named = self.definitions(&reference.name);
        if named.len() > MAX_NAMESAKES {
            return Vec::new();
        }
        // Code that is shipped does not call tests.
        let is_test = at
            .symbol
            .is_none_or(|symbol| self.world.file(at.file).symbols()[symbol as usize].is_test);
        let mut found: Vec<SymbolId> = named
            .iter()
            .copied()
            .filter(|&id| {
                let symbol = self.world.symbol(id);
                is_callable(symbol.kind)
                    && (is_test || !symbol.is_test)
                    && self.world.can_use(at.file, id.file)
                    && self.takes(id, reference)
                    && fits(id)
            })
            .collect();
        // A requirement and what fulfils it are one answer: the requirement.
        if found.len() > 1 {
            let all = found.iter().copied();
            let asked: Vec<SymbolId> = all.filter(|&id| self.is_asked(id)).collect();
            if let [requirement] = asked.as_slice()
                && self.is_asked_of_all(*requirement, &found)
            {
                found = asked;
            }
        }
        match found.len() {
            1 => found,
            _ => Vec::new(),
        }
    }

    /// True if all of these members are what a requirement asks of their types.
    fn is_asked_of_all(&self, requirement: SymbolId, members: &[SymbolId]) -> bool {
        let rules = self.world.file(requirement.file).rules;
        let Some(interface) = self.owner(requirement) else {
            return false;
        };
        rules.interfaces == Interfaces::Structural
            || members.iter().all(|&member| {
                let owner = self.owner(member);
                owner.is_some_and(|owner| {
                    owner == interface || self.heritage().is_kind_of(owner, interface)
                })
            })
    }

    /// True if an interface asks for it.
    fn is_asked(&self, id: SymbolId) -> bool {
        let owner = self.owner(id);
        owner.is_some_and(|owner| is_interface(self.world.symbol(owner).kind))
    }

    /// True if a definition is a member of some type.
    pub(crate) fn is_member(&self, id: SymbolId) -> bool {
        self.braces(id).is_some() || self.owner(id).is_some()
    }

    /// Returns the type or extension that contains a member.
    fn braces(&self, id: SymbolId) -> Option<SymbolId> {
        self.world.parent(id).filter(|&parent| {
            let kind = self.world.symbol(parent).kind;
            is_type(kind) || kind == ChunkKind::Extension
        })
    }

    /// The type that a member belongs to.
    pub fn owner(&self, id: SymbolId) -> Option<SymbolId> {
        if let Some(braces) = self.braces(id) {
            return Some(self.heritage().type_of_extension(braces));
        }
        let symbol = self.world.symbol(id);
        let scope = symbol.scope.as_deref().filter(|_| self.world.parent(id).is_none())?;
        let name = scope.rsplit('.').next().unwrap_or(scope);
        self.record_dependency(name);
        let mut types = self.world.types(name).iter().copied();
        types.find(|&other| self.world.can_use(id.file, other.file))
    }

    /// True if a definition can be called with these arguments.
    pub(crate) fn takes(&self, id: SymbolId, reference: &Reference) -> bool {
        let symbol = self.world.symbol(id);
        let rules = self.world.file(id.file).rules;
        let own = symbol.parameters.iter();
        let own: Vec<&(String, Option<String>)> =
            own.filter(|(name, _)| !rules.receivers.contains(&name.as_str())).collect();
        if rules.labels == Labels::PartOfName {
            return labels_fit(&own, reference.arguments());
        }
        let is_open = own.iter().any(|(name, written)| {
            name.starts_with(['*', '.'])
                || written.as_ref().is_some_and(|text| text.contains("..."))
        });
        is_open || reference.arguments().len() <= own.len() || arguments::is_open(symbol)
    }

    /// Returns the callable definitions: functions if there are any, else all but enum variants,
    /// which only hold values.
    pub(crate) fn callable(&self, found: Vec<SymbolId>) -> Vec<SymbolId> {
        let kind = |id: SymbolId| self.world.symbol(id).kind;
        let functions: Vec<SymbolId> =
            found.iter().copied().filter(|&id| is_callable(kind(id))).collect();
        if !functions.is_empty() {
            return functions;
        }
        found.into_iter().filter(|&id| !self.inference().is_case(id)).collect()
    }

    /// Selects the overloads that the call supplies in full. Of these it prefers those with the
    /// call's number of arguments, if there are any.
    pub(crate) fn closest(&self, found: Vec<SymbolId>, reference: &Reference) -> Vec<SymbolId> {
        if found.len() < 2 {
            return found;
        }
        let found = self.complete(found, reference);
        let exact = self.exact_arity(&found, reference);
        if exact.is_empty() { found } else { exact }
    }

    /// Those that take as many; where labels are part of a name those with just these, if there are any.
    fn exact_arity(&self, found: &[SymbolId], reference: &Reference) -> Vec<SymbolId> {
        let has_labels = |id: &SymbolId| {
            let labels = self.world.symbol(*id).parameters.iter();
            let is_strict = self.world.file(id.file).rules.labels == Labels::PartOfName;
            let given = reference.arguments().iter().map(|label| plain(label));
            is_strict && labels.map(|(label, _)| label.as_str()).eq(given)
        };
        if found.iter().any(has_labels) {
            return found.iter().copied().filter(has_labels).collect();
        }
        let count = reference.arguments().len();
        let fits = found.iter().copied().filter(|&id| {
            let rules = self.world.file(id.file).rules;
            let own = self.world.symbol(id).parameters.iter();
            let own = own.filter(|(name, _)| !rules.receivers.contains(&name.as_str()));
            own.count() == count
        });
        fits.collect()
    }

    /// Returns the symbols that construct a type: its fitting constructors if it declares any, else
    /// the type.
    pub(crate) fn constructors(&self, type_id: SymbolId, reference: &Reference) -> Vec<SymbolId> {
        let rules = self.world.file(type_id.file).rules;
        if rules.constructed == Constructed::Type {
            return vec![type_id];
        }
        let mut fitting = self.declared_constructors(type_id);
        fitting.retain(|&id| self.takes(id, reference));
        if fitting.is_empty() { vec![type_id] } else { self.closest(fitting, reference) }
    }

    pub(crate) fn declared_constructors(&self, type_id: SymbolId) -> Vec<SymbolId> {
        let rules = self.world.file(type_id.file).rules;
        let name = self.world.symbol(type_id).name.as_str();
        let names = rules.constructors.iter().copied().chain([name]);
        let found = names.flat_map(|name| self.members().own_members(type_id, name));
        found.filter(|&id| self.world.symbol(id).kind == ChunkKind::Initializer).collect()
    }
}

/// A closure after the brackets has no label.
fn plain(label: &str) -> &str {
    if label == Reference::TRAILING { "_" } else { label }
}

/// True if arguments with these labels can be given: labels in order, some parameters left out, and
/// a closure at the end without its label.
fn labels_fit(parameters: &[&(String, Option<String>)], labels: &[String]) -> bool {
    let mut at = 0;
    for (index, label) in labels.iter().enumerate() {
        let label = plain(label);
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
