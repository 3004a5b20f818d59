//! Type inference: the type of an expression, and what a name, a member or a call denotes.
//!
//! Contract:
//!
//! - Types flow forward, from declarations and initial values to uses. There is no unification. The
//!   answer is an [`InferredValue`]; `Foreign` means that it belongs to a library, and `Unknown`
//!   that inference gave up. A wrong type would make a wrong edge, so it gives up early.
//! - Every member name that is looked up is recorded as a dependency.
//! - Return types are cached. While one is computed, the function returns `Unknown`, which ends
//!   recursion. A type parameter that is named in its own bounds has no bounds there.
//! - Type arguments deeper than a fixed depth are dropped, because chains of calls would double
//!   them.
//! - Names are left to `scopes`, members to `members`, paths to `modules`, and the choice among
//!   overloads to `overloads`; inference uses the first overload.
//!
//! ```text
//! struct Page { title: Title }
//! fn load() -> Option<Page> { … }
//! let page = load()?;
//! page.title               // infer_value: an instance of `Title`
//! ```

mod closure_params;
mod destructuring;
pub(crate) mod nested_constants;
mod resolve_type;
mod return_types;
mod self_type;
mod stdlib_types;
mod substitution;
mod type_operators;
pub(crate) mod type_params;
mod types;

use std::cell::RefCell;

use foldhash::HashMap;

use crate::resolver::resolver_view;
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::ImportPolicy;
use crate::scopes::Namespace;
use crate::scopes::binding_types::unwrap_optional;
use crate::symbol_table::{FileIndex, SymbolId, is_callable, is_type};
use crate::syntax::expression::Expression;
use kenning_model::ChunkKind;

pub(crate) use types::MemberUse;
pub use types::{InferredValue, Type, TypeOperator, Types};

resolver_view! {
    /// Type inference: the types of expressions, results, parameters and type arguments.
    Inference
}

/// Cache of return types and associated types.
#[derive(Default)]
pub(crate) struct InferenceCache {
    /// Return types of functions, before substitution.
    return_types: RefCell<HashMap<SymbolId, Type>>,
    /// Associated types, by type and name.
    associated_types: RefCell<HashMap<SymbolId, HashMap<String, Option<Type>>>>,
    /// Type parameters whose bounds are being resolved. They may be named in their own bounds.
    open_parameters: RefCell<Vec<(SymbolId, String)>>,
}

impl<'t> Inference<'_, 't> {
    /// True if no bounds of a type parameter are being resolved.
    pub(crate) fn is_idle(&self) -> bool {
        self.inference_cache.open_parameters.borrow().is_empty()
    }

    /// Infers the value of an expression at a position.
    pub fn infer_value(&self, at: Position, expression: &Expression) -> InferredValue {
        self.with_budget(|| match expression {
            Expression::Name(name) => self.infer_name(at, name),
            Expression::Member(..) | Expression::Path(..) => {
                self.infer_member_expression(at, expression, MemberUse::Read)
            }
            Expression::Call { function, types, argument } => {
                self.infer_call(at, function, types, argument.as_deref())
            }
            Expression::Index(base) => {
                InferredValue::Instance(self.infer_indexed_type(&self.infer_instance(at, base)))
            }
            Expression::New(name) => {
                InferredValue::Instance(self.objects().infer_constructed_type(at, name))
            }
            Expression::Cast(name) => {
                InferredValue::Instance(self.resolve_type(at, &self.parse_type(name)))
            }
            // `require("./page")` is the module, or the object that it exports.
            Expression::Require(module) => self.objects().infer_require(at, module),
            Expression::Literal(name) => self.infer_literal(at, name),
            Expression::Await(inner) => {
                InferredValue::Instance(self.infer_awaited_type(self.infer_instance(at, inner)))
            }
            Expression::Try(inner) => {
                InferredValue::Instance(unwrap_optional(self.infer_instance(at, inner)))
            }
            // `a ?? b`: the first alternative that tells something.
            Expression::Alternative(first, second) => {
                let found = self.infer_value(at, first);
                if is_inconclusive(&found) { self.infer_value(at, second) } else { found }
            }
            // A list literal is the language's list type, with the type of the first element.
            Expression::List(inner) => {
                let rules = self.table.file(at.file).rules;
                InferredValue::Instance(Type::Foreign {
                    name: rules.list.to_string(),
                    arguments: [self.infer_instance(at, inner)].into(),
                    rules,
                })
            }
            // A tuple has none of the members of its elements.
            Expression::Tuple(first) => {
                InferredValue::Instance(Type::Tuple([self.infer_instance(at, first)].into()))
            }
            Expression::StringLiteral | Expression::Opaque => InferredValue::Instance(Type::Opaque),
            Expression::Unknown => InferredValue::Unknown,
        })
    }

    /// Infers the value of a member expression or a path.
    pub(crate) fn infer_member_expression(
        &self,
        at: Position,
        expression: &Expression,
        member_use: MemberUse,
    ) -> InferredValue {
        match expression {
            Expression::Member(base, name) => {
                let receiver = self.infer_value(at, base);
                self.infer_member_for(at, &receiver, name, member_use)
            }
            // `crate::super`: the parent module is no member, so the whole path is resolved.
            Expression::Path(base, name) if self.is_parent_module(at.file, name) => {
                let mut path = vec![name.clone()];
                let mut current = base;
                while let Expression::Path(outer, name) = &**current {
                    path.push(name.clone());
                    current = outer;
                }
                let Expression::Name(first) = &**current else {
                    return InferredValue::Unknown;
                };
                path.push(first.clone());
                path.reverse();
                let target = self.modules().resolve_tree_path(at, &path);
                target.map_or(InferredValue::Unknown, |target| self.value_of_targets(&[target]))
            }
            Expression::Path(base, name) => {
                let outer = self.infer_path(at, base);
                match self.infer_member_for(at, &outer, name, member_use) {
                    found @ (InferredValue::Unknown | InferredValue::Foreign) => {
                        self.modules().find_type_in_namespace(at, base, name).unwrap_or(found)
                    }
                    found => found,
                }
            }
            other => self.infer_value(at, other),
        }
    }

    /// True if a path segment means the parent of the module before it.
    fn is_parent_module(&self, file: FileIndex, segment: &str) -> bool {
        let tree = self.table.file(file).rules.module_tree.as_ref();
        tree.is_some_and(|tree| segment == tree.parent_word)
    }

    /// True if a member holds the members of the objects that its function constructs.
    fn is_prototype(&self, file: FileIndex, member: &str) -> bool {
        let names = self.objects().object_names(file);
        names.is_some_and(|names| member == names.prototype)
    }

    /// Infers the type of an expression that is used as one value: of several results, the first.
    pub fn infer_instance(&self, at: Position, expression: &Expression) -> Type {
        match self.infer_value(at, expression) {
            InferredValue::Instance(Type::Tuple(all)) => all.first().cloned().unwrap_or_default(),
            InferredValue::Instance(found) => found,
            InferredValue::Foreign => Type::Opaque,
            _ => Type::Unknown,
        }
    }

    /// Infers a bare name: the receiver, a local, a definition in scope, a module, a type
    /// parameter.
    fn infer_name(&self, at: Position, name: &str) -> InferredValue {
        let file = self.table.file(at.file);
        let rules = file.rules;
        // `self` and `this` are instances of the type around the position, `cls` is that type.
        if rules.receivers.contains(&name)
            && let Some(own) = self.enclosing_type(at)
        {
            return if name == rules.type_receiver {
                InferredValue::Type(own)
            } else {
                InferredValue::Instance(own)
            };
        }
        if rules.receivers.contains(&name)
            && let Some(own) = self.objects().infer_this(at)
        {
            return own;
        }
        // `super` has the members of the base.
        if rules.supers.contains(&name) {
            return self.infer_super(at);
        }
        if rules.self_type_names.contains(&name)
            && let Some(own) = self.enclosing_type(at)
        {
            return InferredValue::Type(own);
        }
        // Locals hide definitions.
        if let Some(found) = self.scopes().infer_local(at, name) {
            return InferredValue::Instance(found);
        }
        // The object that collects the exports of the file.
        if self.objects().object_names(at.file).is_some_and(|names| name == names.exports) {
            return self.objects().infer_exports(at.file);
        }
        match self.scopes().resolve_name(at, name, Namespace::Value) {
            Some(scoped) => self.value_of_targets(&scoped.targets),
            None => {
                if let Some(module) = self.modules().resolve_module_name(at, name) {
                    return self.value_of_targets(&[module]);
                }
                let parameter = self.resolve_type_parameter(at, name);
                // Where every name is imported, an unknown one belongs to a library.
                let unknown = match rules.import_policy {
                    ImportPolicy::Complete => InferredValue::Foreign,
                    ImportPolicy::Partial => InferredValue::Unknown,
                };
                parameter.map_or(unknown, InferredValue::Type)
            }
        }
    }

    /// Infers the part of a path before `::`. Its first segment is no variable.
    pub(crate) fn infer_path(&self, at: Position, expression: &Expression) -> InferredValue {
        match expression {
            Expression::Name(name) => {
                let written = self.parse_type(name);
                let target = self.modules().resolve_path(at, &written);
                match target.or_else(|| self.modules().resolve_module_name(at, name)) {
                    Some(target) => self.value_of_targets(&[target]),
                    None => match self.resolve_type(at, &written) {
                        Type::Foreign { .. } | Type::Opaque => InferredValue::Foreign,
                        Type::Unknown => InferredValue::Unknown,
                        found => InferredValue::Type(found),
                    },
                }
            }
            other => self.infer_value(at, other),
        }
    }

    /// Returns the value that targets of a name denote.
    pub(crate) fn value_of_targets(&self, targets: &[ResolvedTarget]) -> InferredValue {
        match targets {
            [] => InferredValue::Unknown,
            [ResolvedTarget::Module(module)] => InferredValue::Module(module.clone()),
            _ => {
                let symbols = targets.iter().filter_map(|target| match target {
                    ResolvedTarget::Symbol(id) => Some(self.modules().value_side(*id)),
                    ResolvedTarget::Module(_) => None,
                });
                self.value_of_symbols(symbols.collect(), None)
            }
        }
    }

    /// Infers the value of definitions of one name, as members of `owner`.
    pub fn value_of_symbols(&self, symbols: Vec<SymbolId>, owner: Option<&Type>) -> InferredValue {
        let Some(&first) = symbols.first() else {
            return InferredValue::Unknown;
        };
        let symbol = self.table.symbol(first);
        let file = self.table.file(first.file);
        match symbol.kind {
            ChunkKind::Module | ChunkKind::Namespace => InferredValue::Namespace(first),
            kind if is_type(kind) => match self.enum_of_constant(first) {
                Some(of) => InferredValue::Instance(self.type_of_symbol(of)),
                None => InferredValue::Type(self.resolve_alias(self.type_of_symbol(first))),
            },
            kind if is_callable(kind) => {
                let signature = symbol.signature.as_deref().unwrap_or_default();
                // A getter is read like a field: its value is its result.
                let is_getter = file.rules.getter_markers.iter().any(|mark| {
                    signature.starts_with(mark) || signature.contains(&format!(" {mark}"))
                });
                if is_getter {
                    InferredValue::Instance(self.return_type(first, owner))
                } else {
                    InferredValue::Functions(symbols, owner.cloned())
                }
            }
            _ => match self.scopes().infer_variable(first, owner) {
                // An object with assigned members is its own type.
                Type::Unknown | Type::Opaque if self.objects().has_assigned_members(first) => {
                    InferredValue::Instance(self.type_of_symbol(first))
                }
                // An object literal has the members that are defined in it.
                Type::Unknown if self.has_children(first) => InferredValue::Namespace(first),
                found if self.objects().has_literal_members(first, &found) => {
                    InferredValue::Instance(self.type_of_symbol(first))
                }
                found => InferredValue::Instance(found),
            },
        }
    }

    /// True if a definition contains others. A child follows its parent directly in the list.
    pub(crate) fn has_children(&self, id: SymbolId) -> bool {
        let file = self.table.file(id.file);
        let next = file.parents().get(id.symbol as usize + 1);
        next == Some(&Some(id.symbol))
    }

    /// Infers the member `name` of a value, type or module, as a read and not as a call.
    pub fn infer_member(&self, at: Position, base: &InferredValue, name: &str) -> InferredValue {
        self.infer_member_for(at, base, name, MemberUse::Read)
    }

    /// Infers the member `name` of a value, for a read or a call.
    pub(crate) fn infer_member_for(
        &self,
        at: Position,
        base: &InferredValue,
        name: &str,
        member_use: MemberUse,
    ) -> InferredValue {
        self.record_dependency(name);
        match base {
            InferredValue::Module(module) => match self.modules().find_export(module, name) {
                Some(target) => self.value_of_targets(&[target]),
                None => InferredValue::Unknown,
            },
            InferredValue::Namespace(id) => {
                match self.modules().member_of(&ResolvedTarget::Symbol(*id), name) {
                    Some(target) => self.value_of_targets(&[target]),
                    None => InferredValue::Unknown,
                }
            }
            // `Page.prototype` has the members of instances.
            InferredValue::Functions(symbols, _) if self.is_prototype(symbols[0].file, name) => {
                InferredValue::Instance(self.type_of_symbol(symbols[0]))
            }
            InferredValue::Type(of) if self.is_prototype(at.file, name) => {
                InferredValue::Instance(of.clone())
            }
            // `Page.new`, which a type seldom defines.
            InferredValue::Type(of @ Type::Known { .. })
                if name == self.table.file(at.file).rules.construct_method
                    && self.members().find_member(of, name).is_none() =>
            {
                InferredValue::Instance(of.clone())
            }
            InferredValue::Type(of) | InferredValue::Instance(of) => {
                self.infer_type_member(at, of, name, member_use)
            }
            // A function has fields in JavaScript; a decorated one is an object in Python.
            InferredValue::Functions(symbols, _)
                if self.objects().has_open_objects(symbols[0].file) =>
            {
                self.value_of_symbols(self.objects().object_members(symbols[0], name), None)
            }
            InferredValue::Functions(..) | InferredValue::Unknown => InferredValue::Unknown,
            InferredValue::Foreign => InferredValue::Foreign,
        }
    }

    /// Infers a member of a type: a declared one, else a tuple index, an assigned field, an
    /// embedded field, a well-known library method, or a member of the wrapped type.
    fn infer_type_member(
        &self,
        at: Position,
        of: &Type,
        name: &str,
        member_use: MemberUse,
    ) -> InferredValue {
        if let Some(mut member) = self.members().find_member(of, name) {
            // A field and a method may have one name.
            member.symbols.sort_by_key(|&id| {
                is_callable(self.table.symbol(id).kind) != (member_use == MemberUse::Call)
            });
            // A method that returns its own object returns the type of the receiver.
            let owner = if self.returns_self_type(member.symbols[0]) { of } else { &member.owner };
            let value = self.value_of_symbols(member.symbols, Some(owner));
            // The value that is assigned to a field may give the type that its declaration lacks.
            let is_unknown = matches!(value, InferredValue::Instance(Type::Unknown));
            let assigned =
                is_unknown.then(|| self.scopes().infer_assigned_field(of, name)).flatten();
            return assigned.map_or(value, InferredValue::Instance);
        }
        if let Some(part) = self.infer_tuple_index(of, name) {
            return InferredValue::Instance(part);
        }
        if let Some(field) = self.scopes().infer_assigned_field(of, name) {
            return InferredValue::Instance(field);
        }
        if let Some(embedded) = self.members().find_embedded_field(of, name) {
            return InferredValue::Instance(embedded);
        }
        if let Some(found) = self.infer_flow(at, of, name) {
            return InferredValue::Instance(found);
        }
        if let Some(inner) = self.members().unwrap_wrapper(of) {
            return self.infer_type_member(at, &inner, name, member_use);
        }
        match of {
            Type::Foreign { .. } | Type::Opaque | Type::Tuple(_) | Type::Function(_) => {
                InferredValue::Foreign
            }
            Type::Known { symbol, .. } if self.heritage().has_foreign_base(*symbol) => {
                InferredValue::Foreign
            }
            _ => InferredValue::Unknown,
        }
    }
}

/// True if another alternative may tell more. An empty list does not tell its element type.
fn is_inconclusive(value: &InferredValue) -> bool {
    match value {
        InferredValue::Unknown | InferredValue::Instance(Type::Unknown | Type::Opaque) => true,
        InferredValue::Instance(Type::Foreign { arguments, .. }) => {
            arguments.iter().all(|one| *one == Type::Unknown)
        }
        _ => false,
    }
}
