//! Type inference for expressions: it follows names, fields, calls and their return types.

mod closure_params;
mod deferred_types;
mod destructuring;
mod generics;
mod return_types;
mod self_type;
mod stdlib_flows;
mod substitution;
pub(crate) mod type_params;

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;

use crate::modules::module_paths::Module;
use crate::resolver::part;
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::{Imports, Rules};
use crate::scopes::NameKind;
use crate::scopes::bindings::inside;
use crate::symbol_table::{SymbolId, is_callable, is_type};
use crate::syntax::expression::Expression;
use kenning_model::ChunkKind;

/// Cloned often, and long for a union of all nodes of a syntax tree.
pub type Types = Rc<[Type]>;

/// The type of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Type {
    /// One of ours.
    Known {
        symbol: SymbolId,
        arguments: Types,
    },
    /// One of a library, by the name that it is called here.
    Foreign {
        name: String,
        arguments: Types,
        rules: RulesOf,
    },
    /// A parameter of a generic definition, with what it must be.
    Parameter {
        name: String,
        bounds: Types,
    },
    Either(Types),
    Tuple(Types),
    Function(Box<Type>),
    /// A type derived from a type parameter. It is evaluated when the parameter is known.
    Later {
        of: Box<Type>,
        part: DerivedType,
    },
    /// A value, but of nothing that has members of ours.
    Plain,
    #[default]
    Unknown,
}

/// The ways to derive a type from another.
#[derive(Clone, Debug, PartialEq)]
pub enum DerivedType {
    /// `Shape['name']`
    Member(String),
    /// `ReturnType<F>`
    Returned,
}

/// The rules of the language that a type is of.
pub type RulesOf = &'static Rules;

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.family == other.family
    }
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(self.family)
    }
}

/// The use of a member: read or called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Call,
}

/// The inferred value of an expression.
#[derive(Clone, Debug, Default)]
pub enum InferredValue {
    /// A value of a type.
    Instance(Type),
    /// A type itself, of which constructors and static members are taken.
    Type(Type),
    Module(Module),
    /// A `mod` block or namespace.
    Namespace(SymbolId),
    /// Functions of one name, and the type that they were found in.
    Functions(Vec<SymbolId>, Option<Type>),
    /// Something of a library.
    Foreign,
    #[default]
    Unknown,
}

part! {
    /// Type inference: the types of expressions, results, parameters and type arguments.
    Inference
}

/// What the part has found out.
#[derive(Default)]
pub(crate) struct InferenceCache {
    /// Result types of functions.
    returned: RefCell<HashMap<SymbolId, Type>>,
    /// Associated types, by type and name.
    associated: RefCell<HashMap<SymbolId, HashMap<String, Option<Type>>>>,
    /// Type parameters whose bounds are being found. They may be named in their own bounds.
    open_parameters: RefCell<Vec<(SymbolId, String)>>,
}

impl<'w> Inference<'_, 'w> {
    /// True if no type parameter's bounds are being found.
    pub(crate) fn is_settled(&self) -> bool {
        self.inference_cache.open_parameters.borrow().is_empty()
    }

    /// Infers the value of an expression at this place.
    pub fn value(&self, at: Position, expression: &Expression) -> InferredValue {
        self.with_budget(|| match expression {
            Expression::Name(name) => self.value_of_name(at, name),
            Expression::Member(..) | Expression::Path(..) => {
                self.value_of_member(at, expression, Use::Read)
            }
            Expression::Call { function, types, argument } => {
                self.value_of_call(at, function, types, argument.as_deref())
            }
            Expression::Index(base) => InferredValue::Instance(self.held(&self.instance(at, base))),
            Expression::New(name) => InferredValue::Instance(self.objects().constructed(at, name)),
            Expression::Cast(name) => {
                InferredValue::Instance(self.resolve_type(at, &self.parse_type(name)))
            }
            Expression::Required(module) => self.objects().required(at, module),
            Expression::Literal(name) => self.value_of_literal(at, name),
            Expression::Await(inner) => {
                InferredValue::Instance(self.waited_for(self.instance(at, inner)))
            }
            Expression::Try(inner) => InferredValue::Instance(inside(self.instance(at, inner))),
            Expression::Either(first, second) => {
                let found = self.value(at, first);
                if is_weak(&found) { self.value(at, second) } else { found }
            }
            Expression::List(inner) => {
                let rules = self.world.file(at.file).rules;
                InferredValue::Instance(Type::Foreign {
                    name: rules.list.to_string(),
                    arguments: [self.instance(at, inner)].into(),
                    rules,
                })
            }
            // Together they have nothing of what each of them has.
            Expression::Several(first) => {
                InferredValue::Instance(Type::Tuple([self.instance(at, first)].into()))
            }
            Expression::Text | Expression::Plain => InferredValue::Instance(Type::Plain),
            Expression::Unknown => InferredValue::Unknown,
        })
    }

    /// Infers the value of a member expression or a path.
    pub(crate) fn value_of_member(
        &self,
        at: Position,
        expression: &Expression,
        for_what: Use,
    ) -> InferredValue {
        match expression {
            Expression::Member(base, name) => {
                let base = self.value(at, base);
                self.used_member(at, &base, name, for_what)
            }
            // `crate::super`: modules do not have each other as members.
            Expression::Path(base, name) if name == "super" => {
                let mut path = vec![name.clone()];
                let mut base = base;
                while let Expression::Path(outer, name) = &**base {
                    path.push(name.clone());
                    base = outer;
                }
                let Expression::Name(first) = &**base else {
                    return InferredValue::Unknown;
                };
                path.push(first.clone());
                path.reverse();
                let target = self.modules().rust_path(at, &path);
                target.map_or(InferredValue::Unknown, |target| self.value_of_targets(&[target]))
            }
            Expression::Path(base, name) => {
                let outer = self.value_of_path(at, base);
                match self.used_member(at, &outer, name, for_what) {
                    found @ (InferredValue::Unknown | InferredValue::Foreign) => {
                        self.modules().type_in_namespace(at, base, name).unwrap_or(found)
                    }
                    found => found,
                }
            }
            other => self.value(at, other),
        }
    }

    /// The type of the value that an expression is.
    pub fn instance(&self, at: Position, expression: &Expression) -> Type {
        match self.value(at, expression) {
            InferredValue::Instance(Type::Tuple(all)) => all.first().cloned().unwrap_or_default(),
            InferredValue::Instance(found) => found,
            InferredValue::Foreign => Type::Plain,
            _ => Type::Unknown,
        }
    }

    fn value_of_name(&self, at: Position, name: &str) -> InferredValue {
        let file = self.world.file(at.file);
        let rules = file.rules;
        if rules.receivers.contains(&name)
            && let Some(own) = self.own_type(at)
        {
            return match name {
                "cls" => InferredValue::Type(own),
                _ => InferredValue::Instance(own),
            };
        }
        if rules.receivers.contains(&name)
            && let Some(own) = self.objects().own_object(at)
        {
            return own;
        }
        if rules.supers.contains(&name) {
            return self.super_value(at);
        }
        if rules.own_types.contains(&name)
            && let Some(own) = self.own_type(at)
        {
            return InferredValue::Type(own);
        }
        if let Some(found) = self.scopes().local(at, name) {
            return InferredValue::Instance(found);
        }
        if name == "exports" && self.objects().is_script(at.file) {
            return self.objects().exports_of(at.file);
        }
        match self.scopes().lookup(at, name, NameKind::Value) {
            Some(scoped) => self.value_of_targets(&scoped.targets),
            None => {
                if let Some(module) = self.modules().module_named(at, name) {
                    return self.value_of_targets(&[module]);
                }
                let parameter = self.type_parameter(at, name);
                let unknown = match rules.imports {
                    Imports::Everything => InferredValue::Foreign,
                    Imports::Something => InferredValue::Unknown,
                };
                parameter.map_or(unknown, InferredValue::Type)
            }
        }
    }

    /// The first part of a path is no variable.
    pub(crate) fn value_of_path(&self, at: Position, expression: &Expression) -> InferredValue {
        match expression {
            Expression::Name(name) => {
                let written = self.parse_type(name);
                let target = self.modules().path_target(at, &written);
                match target.or_else(|| self.modules().module_named(at, name)) {
                    Some(target) => self.value_of_targets(&[target]),
                    None => match self.resolve_type(at, &written) {
                        Type::Foreign { .. } | Type::Plain => InferredValue::Foreign,
                        Type::Unknown => InferredValue::Unknown,
                        found => InferredValue::Type(found),
                    },
                }
            }
            other => self.value(at, other),
        }
    }

    pub(crate) fn value_of_targets(&self, targets: &[ResolvedTarget]) -> InferredValue {
        match targets {
            [] => InferredValue::Unknown,
            [ResolvedTarget::Module(module)] => InferredValue::Module(module.clone()),
            _ => {
                let symbols = targets.iter().filter_map(|target| match target {
                    ResolvedTarget::Symbol(id) => Some(self.modules().as_value(*id)),
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
        let symbol = self.world.symbol(first);
        let file = self.world.file(first.file);
        match symbol.kind {
            ChunkKind::Module | ChunkKind::Namespace => InferredValue::Namespace(first),
            kind if is_type(kind) => match self.enum_of_constant(first) {
                Some(of) => InferredValue::Instance(self.own(of)),
                None => InferredValue::Type(self.followed(self.own(first))),
            },
            kind if is_callable(kind) => {
                let signature = symbol.signature.as_deref().unwrap_or_default();
                let is_getter = file.rules.getters.iter().any(|mark| {
                    signature.starts_with(mark) || signature.contains(&format!(" {mark}"))
                });
                if is_getter {
                    InferredValue::Instance(self.returned(first, owner))
                } else {
                    InferredValue::Functions(symbols, owner.cloned())
                }
            }
            _ => match self.scopes().variable(first, owner) {
                Type::Unknown | Type::Plain if self.objects().is_assigned_to(first) => {
                    InferredValue::Instance(self.own(first))
                }
                // An object that is written out has what is defined in it.
                Type::Unknown if self.has_parts(first) => InferredValue::Namespace(first),
                found if self.objects().is_written_out(first, &found) => {
                    InferredValue::Instance(self.own(first))
                }
                found => InferredValue::Instance(found),
            },
        }
    }

    pub(crate) fn has_parts(&self, id: SymbolId) -> bool {
        let file = self.world.file(id.file);
        let next = file.parents().get(id.symbol as usize + 1);
        next == Some(&Some(id.symbol))
    }

    /// Infers the member `name` of a value, type or module, as a read and not as a call.
    pub fn member_value(&self, at: Position, base: &InferredValue, name: &str) -> InferredValue {
        self.used_member(at, base, name, Use::Read)
    }

    pub(crate) fn used_member(
        &self,
        at: Position,
        base: &InferredValue,
        name: &str,
        for_what: Use,
    ) -> InferredValue {
        self.record_dependency(name);
        match base {
            InferredValue::Module(module) => match self.modules().exported(module, name) {
                Some(target) => self.value_of_targets(&[target]),
                None => InferredValue::Unknown,
            },
            InferredValue::Namespace(id) => {
                match self.modules().step(&ResolvedTarget::Symbol(*id), name) {
                    Some(target) => self.value_of_targets(&[target]),
                    None => InferredValue::Unknown,
                }
            }
            // `Page.prototype.open` is what pages have.
            InferredValue::Functions(symbols, _)
                if name == "prototype" && self.objects().is_script(symbols[0].file) =>
            {
                InferredValue::Instance(self.own(symbols[0]))
            }
            InferredValue::Type(of) if name == "prototype" && self.objects().is_script(at.file) => {
                InferredValue::Instance(of.clone())
            }
            InferredValue::Type(of) | InferredValue::Instance(of) => {
                self.member_of_type(at, of, name, for_what)
            }
            // A function has fields in JavaScript; a decorated one is an object in Python.
            InferredValue::Functions(symbols, _) if self.objects().is_script(symbols[0].file) => {
                self.value_of_symbols(self.objects().object_members(symbols[0], name), None)
            }
            InferredValue::Functions(..) | InferredValue::Unknown => InferredValue::Unknown,
            InferredValue::Foreign => InferredValue::Foreign,
        }
    }

    fn member_of_type(&self, at: Position, of: &Type, name: &str, for_what: Use) -> InferredValue {
        if let Some(mut member) = self.members().member(of, name) {
            // A field and a method may have one name.
            member.symbols.sort_by_key(|&id| {
                is_callable(self.world.symbol(id).kind) != (for_what == Use::Call)
            });
            // A method that returns its own object returns the type of the receiver.
            let owner = if self.returns_own(member.symbols[0]) { of } else { &member.owner };
            let value = self.value_of_symbols(member.symbols, Some(owner));
            // The value that is assigned to a field may give the type that its declaration lacks.
            let is_unknown = matches!(value, InferredValue::Instance(Type::Unknown));
            let assigned = is_unknown.then(|| self.scopes().assigned_field(of, name)).flatten();
            return assigned.map_or(value, InferredValue::Instance);
        }
        if let Some(part) = self.place_of(of, name) {
            return InferredValue::Instance(part);
        }
        if let Some(field) = self.scopes().assigned_field(of, name) {
            return InferredValue::Instance(field);
        }
        if let Some(embedded) = self.members().embedded_field(of, name) {
            return InferredValue::Instance(embedded);
        }
        if let Some(found) = self.flow(at, of, name) {
            return InferredValue::Instance(found);
        }
        if let Some(inner) = self.members().unwrapped(of) {
            return self.member_of_type(at, &inner, name, for_what);
        }
        match of {
            Type::Foreign { .. } | Type::Plain | Type::Tuple(_) | Type::Function(_) => {
                InferredValue::Foreign
            }
            Type::Known { symbol, .. } if self.heritage().has_foreign_base(*symbol) => {
                InferredValue::Foreign
            }
            _ => InferredValue::Unknown,
        }
    }
}

/// True if little is known: an empty list says nothing of what it will hold.
fn is_weak(value: &InferredValue) -> bool {
    match value {
        InferredValue::Unknown | InferredValue::Instance(Type::Unknown | Type::Plain) => true,
        InferredValue::Instance(Type::Foreign { arguments, .. }) => {
            arguments.iter().all(|one| *one == Type::Unknown)
        }
        _ => false,
    }
}
