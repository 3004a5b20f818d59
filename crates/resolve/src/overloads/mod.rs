//! Overload resolution: the definitions of one name that a call can mean.
//!
//! Contract:
//!
//! - Candidates are selected by the number and the labels of arguments, by optional parameters and
//!   by trailing closures. The types of other arguments are not known.
//! - For candidates that a scope or a type provides, a filter that would remove all of them removes
//!   none, except where labels are part of a name.
//! - If the type of the receiver is unknown, the only member of that name may be meant. Such
//!   guesses have confidence `low` or `medium`, and skip names that libraries use as well.
//! - Nothing is cached. More than `MAX_NAMESAKES` definitions of one name are not examined.
//! - Candidates are found by `scopes`, `members` and `modules`. The one lookup here, by name alone,
//!   records the name as a dependency.
//!
//! ```text
//! void open(String path) {}
//! void open(String path, int flags) {}
//! open("a", 1);            // the second: the first takes one argument
//! ```

pub(crate) mod required_arguments;

use crate::resolve_reference::{Resolution, is_one_function};
use crate::resolver::Position;
use crate::resolver::resolver_view;
use crate::rules::{ArgumentLabels, ConstructionTarget, Inheritance};
use crate::symbol_table::{SymbolId, is_callable, is_interface, is_type};
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference};

/// More definitions of one name are not examined: a guess among so many is worthless.
const MAX_NAMESAKES: usize = 400;

resolver_view! {
    /// Overloads: which of several definitions of one name a call means.
    Overloads
}

impl<'t> Overloads<'_, 't> {
    /// True if a name is a local variable or parameter at a position, and no nested function of
    /// that name is nearer.
    pub(crate) fn is_local_variable(&self, at: Position, name: &str) -> bool {
        let file = self.table.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let symbol = &file.symbols()[outer as usize];
            if !is_callable(symbol.kind) {
                continue;
            }
            // A nested function of that name is what the call means.
            let mut inner = file.children(Some(outer), name);
            if inner.any(|index| is_callable(file.symbols()[index as usize].kind)) {
                return false;
            }
            // A binding counts only after its position and inside of its block.
            let is_bound = file.bindings_named(name).any(|binding| {
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

    /// True if a definition around the position has a parameter of this name.
    pub(crate) fn is_parameter(&self, at: Position, name: &str) -> bool {
        let file = self.table.file(at.file);
        file.ancestors(at.symbol).any(|outer| {
            let symbol = &file.symbols()[outer as usize];
            symbol.parameters.iter().any(|(label, _)| label == name)
        })
    }

    /// Finds the members of the type around a position with the labels of a call, if none of the
    /// functions in scope has them. Labels are part of a name, so these functions hide none.
    pub(crate) fn find_labelled_members(
        &self,
        at: Position,
        reference: &Reference,
        in_scope: &[SymbolId],
    ) -> Option<Vec<SymbolId>> {
        let rules = self.table.file(at.file).rules;
        let has_other_labels = |&id: &SymbolId| {
            is_callable(self.table.symbol(id).kind) && !self.can_accept(id, reference)
        };
        if rules.argument_labels != ArgumentLabels::PartOfName
            || !in_scope.iter().all(has_other_labels)
        {
            return None;
        }
        let own = self.inference().enclosing_type(at)?;
        let mut members = self.members().find_member(&own, &reference.name)?.symbols;
        members.retain(|&id| self.can_accept(id, reference));
        (!members.is_empty()).then_some(members)
    }

    /// Resolves a call of a member that the receiver's type does not declare: a constructor, a
    /// member of a subtype to which the receiver was narrowed, or the only requirement of that
    /// name.
    pub(crate) fn resolve_undeclared_member(
        &self,
        at: Position,
        reference: &Reference,
        type_id: SymbolId,
    ) -> Option<Resolution> {
        let rules = self.table.file(at.file).rules;
        // A type without a declared constructor has a default one.
        if rules.constructors.contains(&reference.name.as_str()) {
            return Resolution::new(vec![type_id], Confidence::High, Reason::ReceiverType);
        }
        // The member may come from the library's base.
        if self.heritage().has_foreign_base(type_id) && rules.inheritance != Inheritance::Traits {
            return None;
        }
        // A condition before the call may have narrowed the receiver to a subtype.
        let is_narrower = |id| {
            let owner = self.owner_type(id);
            owner
                .is_some_and(|owner| owner != type_id && self.heritage().is_subtype(owner, type_id))
        };
        if rules.inheritance == Inheritance::Subtyping {
            let found = self.find_unique_candidate(at, reference, is_narrower);
            if !found.is_empty() {
                return Resolution::new(found, Confidence::Medium, Reason::UniqueMember);
            }
        }
        let found = self.find_unique_candidate(at, reference, |id| self.is_requirement(id));
        Resolution::new(found, Confidence::Low, Reason::UniqueMember)
    }

    /// Resolves a call whose receiver is unknown to the only member of that name, unless libraries
    /// use the name as well.
    pub(crate) fn resolve_unique_member(
        &self,
        at: Position,
        reference: &Reference,
    ) -> Option<Resolution> {
        let name = reference.name.as_str();
        let rules = self.table.file(at.file).rules;
        // Short and common names are more often a library's.
        let is_common = rules.ambiguous_names.contains(&name) || (rules.is_library_name)(name);
        if is_common || name.len() < 3 || name.starts_with("__") {
            return None;
        }
        // A name after a bare dot may be an enum variant, which is no call.
        if self.definitions(name).iter().any(|&id| self.inference().is_enum_variant(id)) {
            return None;
        }
        let found = self.find_unique_candidate(at, reference, |id| self.is_member(id));
        // A member of the same package is a better guess.
        let is_near = found
            .first()
            .is_some_and(|id| self.table.file(id.file).package == self.table.file(at.file).package);
        let confidence = if is_near { Confidence::Medium } else { Confidence::Low };
        let reason = if self.stands_for_others(at, &found) {
            Reason::OneOfSeveralTypes
        } else {
            Reason::UniqueMember
        };
        Resolution::new(found, confidence, reason)
    }

    /// True if a candidate is a requirement that members of several types implement.
    fn stands_for_others(&self, at: Position, found: &[SymbolId]) -> bool {
        let [only] = found else {
            return false;
        };
        let is_other = |id: &SymbolId| id != only && self.table.can_use(at.file, id.file);
        let mut others =
            self.definitions(&self.table.symbol(*only).name).iter().filter(|id| is_other(id));
        self.is_requirement(*only) && others.any(|&id| self.is_member(id))
    }

    /// Finds the only definition of the reference's name that accepts the call and fits; empty if
    /// there are several.
    pub(crate) fn find_unique_candidate(
        &self,
        at: Position,
        reference: &Reference,
        fits: impl Fn(SymbolId) -> bool,
    ) -> Vec<SymbolId> {
        let named = self.definitions(&reference.name);
        if named.len() > MAX_NAMESAKES {
            return Vec::new();
        }
        // Production code does not call tests.
        let is_test = at
            .symbol
            .is_none_or(|symbol| self.table.file(at.file).symbols()[symbol as usize].is_test);
        let mut found: Vec<SymbolId> = named
            .iter()
            .copied()
            .filter(|&id| {
                let symbol = self.table.symbol(id);
                is_callable(symbol.kind)
                    && (is_test || !symbol.is_test)
                    && self.table.can_use(at.file, id.file)
                    && self.can_accept(id, reference)
                    && fits(id)
            })
            .collect();
        // Code comes before the declaration of its types.
        let only_declares = |id: &SymbolId| {
            let file = self.table.file(id.file);
            (file.rules.only_declares)(&file.path)
        };
        if found.iter().any(|id| !only_declares(id)) {
            found.retain(|id| !only_declares(id));
        }
        // A requirement and its implementations are one answer: the requirement.
        if found.len() > 1 {
            let all = found.iter().copied();
            let requirements: Vec<SymbolId> = all.filter(|&id| self.is_requirement(id)).collect();
            if let [requirement] = requirements.as_slice()
                && self.is_requirement_of_all(*requirement, &found)
            {
                found = requirements;
            }
        }
        if self.is_one_answer(&found) { found } else { Vec::new() }
    }

    /// True for one definition, and for a function with its declarations.
    fn is_one_answer(&self, found: &[SymbolId]) -> bool {
        let has_namespaces = |id: &SymbolId| self.table.file(id.file).rules.has_open_namespaces;
        found.len() == 1
            || found.first().is_some_and(has_namespaces) && is_one_function(self, found)
    }

    /// True if all of these members implement a requirement.
    fn is_requirement_of_all(&self, requirement: SymbolId, members: &[SymbolId]) -> bool {
        let rules = self.table.file(requirement.file).rules;
        let Some(interface) = self.owner_type(requirement) else {
            return false;
        };
        rules.structural_interfaces.is_some()
            || members.iter().all(|&member| {
                let owner = self.owner_type(member);
                owner.is_some_and(|owner| {
                    owner == interface || self.heritage().is_subtype(owner, interface)
                })
            })
    }

    /// True if a definition is a member of an interface.
    fn is_requirement(&self, id: SymbolId) -> bool {
        let owner = self.owner_type(id);
        owner.is_some_and(|owner| is_interface(self.table.symbol(owner).kind))
    }

    /// True if a definition is a member of some type.
    pub(crate) fn is_member(&self, id: SymbolId) -> bool {
        self.containing_type(id).is_some()
            || self.owner_type(id).is_some()
            || self.objects().is_member_of_object(id)
    }

    /// Returns the type or extension that directly contains a member.
    fn containing_type(&self, id: SymbolId) -> Option<SymbolId> {
        self.table.parent(id).filter(|&parent| {
            let kind = self.table.symbol(parent).kind;
            is_type(kind) || kind == ChunkKind::Extension
        })
    }

    /// Returns the type that a member belongs to, also for an out-of-line member.
    pub fn owner_type(&self, id: SymbolId) -> Option<SymbolId> {
        if let Some(braces) = self.containing_type(id) {
            return Some(self.heritage().type_of_extension(braces));
        }
        self.members().owner_of_out_of_line(id)
    }

    /// True if a definition can accept the arguments of a call, by labels or by their number.
    pub(crate) fn can_accept(&self, id: SymbolId, reference: &Reference) -> bool {
        let symbol = self.table.symbol(id);
        let rules = self.table.file(id.file).rules;
        // Python and Rust list the receiver as a parameter.
        let own: Vec<&(String, Option<String>)> = symbol
            .parameters
            .iter()
            .filter(|(name, _)| !rules.receivers.contains(&name.as_str()))
            .collect();
        if rules.argument_labels == ArgumentLabels::PartOfName {
            return can_accept_labels(&own, reference.arguments());
        }
        let is_open = own.iter().any(|(name, written)| {
            name.starts_with(['*', '.'])
                || written.as_ref().is_some_and(|text| text.contains("..."))
        });
        is_open
            || reference.arguments().len() <= own.len()
            || required_arguments::is_variadic(symbol, rules)
    }

    /// Returns the callable definitions: functions if there are any, else all but enum variants,
    /// which only hold values.
    pub(crate) fn select_callables(&self, found: Vec<SymbolId>) -> Vec<SymbolId> {
        let kind = |id: SymbolId| self.table.symbol(id).kind;
        let functions: Vec<SymbolId> =
            found.iter().copied().filter(|&id| is_callable(kind(id))).collect();
        if !functions.is_empty() {
            return functions;
        }
        found.into_iter().filter(|&id| !self.inference().is_enum_variant(id)).collect()
    }

    /// Selects the overloads that the call supplies in full. Of these it prefers those with the
    /// call's number of arguments, if there are any.
    pub(crate) fn select_by_arity(
        &self,
        found: Vec<SymbolId>,
        reference: &Reference,
    ) -> Vec<SymbolId> {
        if found.len() < 2 {
            return found;
        }
        let found = self.select_complete(found, reference);
        let exact = self.select_exact_arity(&found, reference);
        if exact.is_empty() { found } else { exact }
    }

    /// Selects the overloads with exactly the call's number of arguments. Where labels are part of
    /// a name, those with exactly its labels come first.
    fn select_exact_arity(&self, found: &[SymbolId], reference: &Reference) -> Vec<SymbolId> {
        let has_labels = |id: &SymbolId| {
            let labels = self.table.symbol(*id).parameters.iter();
            let is_strict =
                self.table.file(id.file).rules.argument_labels == ArgumentLabels::PartOfName;
            let given = reference.arguments().iter().map(|label| normalize_label(label));
            is_strict && labels.map(|(label, _)| label.as_str()).eq(given)
        };
        if found.iter().any(has_labels) {
            return found.iter().copied().filter(has_labels).collect();
        }
        let count = reference.arguments().len();
        let fits = found.iter().copied().filter(|&id| {
            let rules = self.table.file(id.file).rules;
            let parameters = self.table.symbol(id).parameters.iter();
            let own = parameters.filter(|(name, _)| !rules.receivers.contains(&name.as_str()));
            own.count() == count
        });
        fits.collect()
    }

    /// Returns the symbols that construct a type: its fitting constructors if it declares any, else
    /// the type.
    pub(crate) fn select_constructors(
        &self,
        type_id: SymbolId,
        reference: &Reference,
    ) -> Vec<SymbolId> {
        let rules = self.table.file(type_id.file).rules;
        if rules.construction_target == ConstructionTarget::Type {
            return vec![type_id];
        }
        let mut fitting = self.declared_constructors(type_id);
        fitting.retain(|&id| self.can_accept(id, reference));
        if fitting.is_empty() { vec![type_id] } else { self.select_by_arity(fitting, reference) }
    }

    /// Returns the constructors that a type declares.
    pub(crate) fn declared_constructors(&self, type_id: SymbolId) -> Vec<SymbolId> {
        let rules = self.table.file(type_id.file).rules;
        let name = self.table.symbol(type_id).name.as_str();
        let names = rules.constructors.iter().copied().chain([name]);
        let found = names.flat_map(|name| self.members().own_members(type_id, name));
        found.filter(|&id| self.table.symbol(id).kind == ChunkKind::Initializer).collect()
    }
}

/// Returns the label of an argument. A trailing closure counts as unlabelled.
fn normalize_label(label: &str) -> &str {
    if label == Reference::TRAILING { "_" } else { label }
}

/// True if parameters accept these labels in order. Some parameters may be skipped, and a last
/// closure may lack its label.
fn can_accept_labels(parameters: &[&(String, Option<String>)], labels: &[String]) -> bool {
    let mut at = 0;
    for (index, label) in labels.iter().enumerate() {
        let label = normalize_label(label);
        let rest = parameters.get(at..).unwrap_or_default();
        let found = rest.iter().position(|(name, _)| name == label);
        let is_last = index + 1 >= labels.len();
        match found {
            Some(skipped) => at += skipped + 1,
            // Further arguments of a variadic parameter have no labels.
            None if label == "_" && index > 0 && at > 0 => {}
            None if label == "_" && is_last && at < parameters.len() => at = parameters.len(),
            None if label == "_" => return false,
            None => return false,
        }
    }
    true
}
