//! What an expression is a value of: followed through names, fields, calls and what they return.

use super::expression::{self, Expression};
use super::modules::Module;
use super::resolver::{At, Resolver, Target};
use super::rules::{Flow, Imports, Patterns, Rules};
use super::scope::Want;
use super::types::{self, Written};
use super::world::{SymbolId, is_callable, is_type};
use crate::model::{Binding, BindingKind, ChunkKind};

/// The type of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Type {
    /// One of ours.
    Known {
        symbol: SymbolId,
        arguments: Vec<Type>,
    },
    /// One of a library, by the name that it is called here.
    Foreign {
        name: String,
        arguments: Vec<Type>,
        rules: RulesOf,
    },
    /// A parameter of a generic definition, with what it must be.
    Parameter {
        name: String,
        bounds: Vec<Type>,
    },
    Either(Vec<Type>),
    Tuple(Vec<Type>),
    Function(Box<Type>),
    /// A value, but of nothing that has members of ours.
    Plain,
    #[default]
    Unknown,
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

/// Whether a member is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Read,
    Call,
}

/// What an expression stands for.
#[derive(Clone, Debug, Default)]
pub enum Value {
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

impl Resolver<'_> {
    /// What an expression that is written at this place stands for.
    pub fn value(&self, at: At, expression: &Expression) -> Value {
        self.deeper(|| match expression {
            Expression::Name(name) => self.value_of_name(at, name),
            Expression::Member(..) | Expression::Path(..) => {
                self.value_of_member(at, expression, Use::Read)
            }
            Expression::Call {
                function,
                types,
                argument,
            } => self.value_of_call(at, function, types, argument.as_deref()),
            Expression::Index(base) => Value::Instance(self.held(&self.instance(at, base))),
            Expression::New(name) | Expression::Cast(name) => {
                Value::Instance(self.resolve_type(at, &types::parse(name)))
            }
            Expression::Literal(name) => self.value_of_literal(at, name),
            Expression::Await(inner) => Value::Instance(awaited(self.instance(at, inner))),
            Expression::Try(inner) => Value::Instance(inside(self.instance(at, inner))),
            Expression::Either(first, second) => {
                let found = self.value(at, first);
                match is_weak(&found) {
                    true => self.value(at, second),
                    false => found,
                }
            }
            Expression::List(inner) => {
                let rules = self.world.file(at.file).rules;
                Value::Instance(Type::Foreign {
                    name: rules.list.to_string(),
                    arguments: vec![self.instance(at, inner)],
                    rules,
                })
            }
            Expression::Text | Expression::Plain => Value::Instance(Type::Plain),
            Expression::Unknown => Value::Unknown,
        })
    }

    /// What stands after the last dot of an expression.
    fn value_of_member(&self, at: At, expression: &Expression, for_what: Use) -> Value {
        match expression {
            Expression::Member(base, name) => {
                let base = self.value(at, base);
                self.used_member(at, &base, name, for_what)
            }
            Expression::Path(base, name) => {
                let base = self.value_of_path(at, base);
                self.used_member(at, &base, name, for_what)
            }
            other => self.value(at, other),
        }
    }

    /// The type of the value that an expression is.
    pub fn instance(&self, at: At, expression: &Expression) -> Type {
        match self.value(at, expression) {
            Value::Instance(Type::Tuple(all)) => all.into_iter().next().unwrap_or_default(),
            Value::Instance(found) => found,
            Value::Foreign => Type::Plain,
            _ => Type::Unknown,
        }
    }

    fn value_of_name(&self, at: At, name: &str) -> Value {
        let file = self.world.file(at.file);
        let rules = file.rules;
        if rules.receivers.contains(&name)
            && let Some(own) = self.own_type(at)
        {
            return match name {
                "cls" => Value::Type(own),
                _ => Value::Instance(own),
            };
        }
        if rules.supers.contains(&name) {
            return self.super_value(at);
        }
        if rules.own_types.contains(&name)
            && let Some(own) = self.own_type(at)
        {
            return Value::Type(own);
        }
        if let Some(found) = self.local(at, name) {
            return Value::Instance(found);
        }
        match self.lookup(at, name, Want::Value) {
            Some(scoped) => self.value_of_targets(&scoped.targets),
            None => {
                let parameter = self.type_parameter(at, name);
                let unknown = match rules.imports {
                    Imports::Everything => Value::Foreign,
                    Imports::Something => Value::Unknown,
                };
                parameter.map_or(unknown, Value::Type)
            }
        }
    }

    /// The first part of a path is no variable.
    fn value_of_path(&self, at: At, expression: &Expression) -> Value {
        match expression {
            Expression::Name(name) => {
                let written = types::parse(name);
                match self.path_target(at, &written) {
                    Some(target) => self.value_of_targets(&[target]),
                    None => match self.resolve_type(at, &written) {
                        Type::Foreign { .. } | Type::Plain => Value::Foreign,
                        Type::Unknown => Value::Unknown,
                        found => Value::Type(found),
                    },
                }
            }
            other => self.value(at, other),
        }
    }

    fn path_target(&self, at: At, written: &Written) -> Option<Target> {
        let Written::Named { path, .. } = written else {
            return None;
        };
        let file = self.world.file(at.file);
        let is_word = ["crate", "self", "super"].contains(&path[0].as_str());
        if file.rules.family == "rust" && (is_word || path.len() > 1) {
            return self.rust_path(at, path);
        }
        None
    }

    /// A path of Rust, from the module that this place is in.
    fn rust_path(&self, at: At, path: &[String]) -> Option<Target> {
        let file = self.world.file(at.file);
        let inline = file
            .ancestors(at.symbol)
            .find(|&index| file.symbols[index as usize].kind == ChunkKind::Module);
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(first) = parts.first()
            && !["crate", "self", "super", "$crate"].contains(first)
        {
            let scoped = self.lookup(at, first, Want::Type)?;
            let start = scoped.targets.first()?.clone();
            return parts[1..]
                .iter()
                .try_fold(start, |target, part| self.step(&target, part));
        }
        super::crates::path_from(self, at.file, inline, &parts)
    }

    fn value_of_targets(&self, targets: &[Target]) -> Value {
        match targets {
            [] => Value::Unknown,
            [Target::Module(module)] => Value::Module(module.clone()),
            _ => {
                let symbols = targets.iter().filter_map(|target| match target {
                    Target::Symbol(id) => Some(*id),
                    Target::Module(_) => None,
                });
                self.value_of_symbols(symbols.collect(), None)
            }
        }
    }

    /// What definitions of one name stand for, as members of `owner`.
    pub fn value_of_symbols(&self, symbols: Vec<SymbolId>, owner: Option<&Type>) -> Value {
        let Some(&first) = symbols.first() else {
            return Value::Unknown;
        };
        let symbol = self.world.symbol(first);
        let file = self.world.file(first.file);
        match symbol.kind {
            ChunkKind::Module | ChunkKind::Namespace => Value::Namespace(first),
            kind if is_type(kind) => Value::Type(self.followed(Type::Known {
                symbol: first,
                arguments: Vec::new(),
            })),
            kind if is_callable(kind) => {
                let signature = symbol.signature.as_deref().unwrap_or_default();
                let is_getter = file.rules.getters.iter().any(|mark| {
                    signature.starts_with(mark) || signature.contains(&format!(" {mark}"))
                });
                match is_getter {
                    true => Value::Instance(self.returned(first, owner)),
                    false => Value::Functions(symbols, owner.cloned()),
                }
            }
            _ => match self.variable(first, owner) {
                // An object that is written out has what is defined in it.
                Type::Unknown if self.has_parts(first) => Value::Namespace(first),
                found => Value::Instance(found),
            },
        }
    }

    fn has_parts(&self, id: SymbolId) -> bool {
        let file = self.world.file(id.file);
        let next = file.parents.get(id.symbol as usize + 1);
        next == Some(&Some(id.symbol))
    }

    /// The type of a field, variable or case.
    fn variable(&self, id: SymbolId, owner: Option<&Type>) -> Type {
        let symbol = self.world.symbol(id);
        let parent = self.world.parent(id);
        let is_case = symbol.kind == ChunkKind::Constant
            && symbol.type_text.is_none()
            && parent.is_some_and(|parent| self.world.symbol(parent).kind == ChunkKind::Enum);
        if let Some(parent) = parent.filter(|_| is_case) {
            return Type::Known {
                symbol: parent,
                arguments: Vec::new(),
            };
        }
        let at = At {
            file: id.file,
            symbol: Some(id.symbol),
            byte: symbol.span.end_byte,
        };
        let found = match &symbol.type_text {
            Some(text) => self.resolve_type(at, &types::parse(text)),
            None => self.initial(id),
        };
        match owner {
            Some(owner) => self.substituted(&found, owner),
            None => found,
        }
    }

    /// What a definition is set to.
    fn initial(&self, id: SymbolId) -> Type {
        let file = self.world.file(id.file);
        let symbol = self.world.symbol(id);
        let bindings = file.bound.get(&symbol.name).into_iter().flatten();
        let mut own = bindings
            .map(|&index| &file.bindings[index as usize])
            .filter(|binding| binding.inside == Some(id.symbol));
        own.next()
            .map_or(Type::Unknown, |binding| self.bound(id.file, binding))
    }

    /// The type of a local name: a variable, or a parameter of a function around it.
    pub fn local(&self, at: At, name: &str) -> Option<Type> {
        let file = self.world.file(at.file);
        let bindings = file.bound.get(name);
        let around: Vec<u32> = file.ancestors(at.symbol).collect();
        for &outer in &around {
            let symbol = &file.symbols[outer as usize];
            if !is_callable(symbol.kind) && !is_local_holder(symbol.kind) {
                continue;
            }
            let own = |index: &&u32| file.bindings[**index as usize].inside == Some(outer);
            let own = bindings.into_iter().flatten().filter(own);
            let before = own.clone().rfind(|&&index| {
                let binding = &file.bindings[index as usize];
                // A function's own name is no variable in it.
                binding.start_byte < at.byte && symbol.name != name
            });
            // A function that is defined within another may run after what follows it.
            let is_outer = Some(outer) != at.symbol;
            let found = before.or_else(|| own.clone().find(|_| is_outer && symbol.name != name));
            if let Some(&index) = found {
                return Some(self.bound(at.file, &file.bindings[index as usize]));
            }
            let parameter = symbol.parameters.iter().find(|(label, _)| label == name);
            if let Some((_, written)) = parameter {
                let inner = At {
                    symbol: Some(outer),
                    ..at
                };
                return Some(match written {
                    Some(text) => self.resolve_type(inner, &types::parse(text)),
                    None => Type::Unknown,
                });
            }
        }
        // Code outside of every definition has variables too.
        let found = bindings.into_iter().flatten().rev().find(|&&index| {
            let binding = &file.bindings[index as usize];
            binding.inside.is_none() && (binding.start_byte < at.byte || at.symbol.is_some())
        });
        found.map(|&index| self.bound(at.file, &file.bindings[index as usize]))
    }

    /// What a binding says.
    pub fn bound(&self, file: u32, binding: &Binding) -> Type {
        let at = At {
            file,
            symbol: binding.inside,
            byte: binding.start_byte,
        };
        let written = binding
            .type_text
            .as_deref()
            .filter(|text| !INFERRED.contains(text));
        if let Some(text) = written {
            return self.deeper(|| self.resolve_type(at, &types::parse(text)));
        }
        let Some(value) = &binding.value else {
            return Type::Unknown;
        };
        let found = self.deeper(|| match self.value(at, &expression::parse(value)) {
            Value::Instance(Type::Tuple(all)) => all.into_iter().next().unwrap_or_default(),
            Value::Instance(found) => found,
            Value::Foreign => Type::Plain,
            _ => Type::Unknown,
        });
        match binding.kind {
            BindingKind::Value | BindingKind::Returned => found,
            BindingKind::Element => self.element(&found),
            BindingKind::Inner => {
                if let Some(payload) = self.payload(at, value) {
                    return payload;
                }
                let rules = self.world.file(file).rules;
                match rules.patterns {
                    Patterns::Inside => inside(found),
                    Patterns::Members => {
                        let value = self.member_value(at, &Value::Instance(found), &binding.name);
                        match value {
                            Value::Instance(found) => found,
                            _ => Type::Unknown,
                        }
                    }
                }
            }
        }
    }

    /// What a case of an enum holds, if `path` is one.
    fn payload(&self, at: At, path: &str) -> Option<Type> {
        let written = types::parse(path);
        let Written::Named { path, .. } = &written else {
            return None;
        };
        let target = match path.as_slice() {
            [_] => None,
            _ => self.path_target(at, &written),
        };
        let target = target.or_else(|| {
            let last = path.last()?;
            let scoped = self.lookup(at, last, Want::Value)?;
            scoped.targets.first().cloned()
        });
        let Some(Target::Symbol(id)) = target else {
            return None;
        };
        let symbol = self.world.symbol(id);
        let parent = self.world.parent(id)?;
        let is_case =
            symbol.kind == ChunkKind::Constant && self.world.symbol(parent).kind == ChunkKind::Enum;
        let signature = symbol.signature.as_deref().filter(|_| is_case)?;
        let (_, inner) = signature.split_once('(')?;
        let first = types::parse(&format!("({inner}"));
        let at = At {
            file: id.file,
            symbol: Some(parent.symbol),
            byte: symbol.span.start_byte,
        };
        Some(match self.resolve_type(at, &first) {
            Type::Tuple(all) => all.into_iter().next().unwrap_or_default(),
            found => found,
        })
    }

    /// The type around this place.
    pub fn own_type(&self, at: At) -> Option<Type> {
        let file = self.world.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let symbol = &file.symbols[outer as usize];
            let id = SymbolId {
                file: at.file,
                symbol: outer,
            };
            if is_type(symbol.kind) || symbol.kind == ChunkKind::Extension {
                return Some(self.own(self.type_of_extension(id)));
            }
            // A method that is written apart from its type.
            let is_top = file.parents[outer as usize].is_none_or(|parent| {
                !is_type(file.symbols[parent as usize].kind)
                    && file.symbols[parent as usize].kind != ChunkKind::Extension
            });
            if let Some(scope) = symbol.scope.as_deref().filter(|_| is_top)
                && is_callable(symbol.kind)
            {
                let name = scope.rsplit('.').next().unwrap_or(scope);
                let found = self.lookup(At { symbol: None, ..at }, name, Want::Type);
                let found = found.and_then(|scoped| {
                    scoped
                        .symbols()
                        .find(|&id| is_type(self.world.symbol(id).kind))
                });
                if let Some(id) = found {
                    return Some(self.own(id));
                }
            }
        }
        None
    }

    /// A type with its own parameters as arguments.
    fn own(&self, symbol: SymbolId) -> Type {
        Type::Known {
            symbol,
            arguments: Vec::new(),
        }
    }

    fn super_value(&self, at: At) -> Value {
        let Some(Type::Known { symbol, .. }) = self.own_type(at) else {
            return Value::Unknown;
        };
        let bases = self.bases(symbol);
        match bases.len() {
            0 => Value::Unknown,
            1 => Value::Instance(bases.into_iter().next().unwrap_or_default()),
            _ => Value::Instance(Type::Either(bases)),
        }
    }

    /// What `name` is of a value, a type or a module, read and not called.
    pub fn member_value(&self, at: At, base: &Value, name: &str) -> Value {
        self.used_member(at, base, name, Use::Read)
    }

    fn used_member(&self, at: At, base: &Value, name: &str, for_what: Use) -> Value {
        self.touch(name);
        match base {
            Value::Module(module) => match self.exported(module, name) {
                Some(target) => self.value_of_targets(&[target]),
                None => Value::Unknown,
            },
            Value::Namespace(id) => match self.step(&Target::Symbol(*id), name) {
                Some(target) => self.value_of_targets(&[target]),
                None => Value::Unknown,
            },
            Value::Type(of) | Value::Instance(of) => self.member_of_type(at, of, name, for_what),
            // A function has fields in JavaScript; a decorated one is an object in Python.
            Value::Functions(..) | Value::Unknown => Value::Unknown,
            Value::Foreign => Value::Foreign,
        }
    }

    fn member_of_type(&self, at: At, of: &Type, name: &str, for_what: Use) -> Value {
        if let Some(mut member) = self.member(of, name) {
            // A field and a method may have one name.
            member.symbols.sort_by_key(|&id| {
                is_callable(self.world.symbol(id).kind) != (for_what == Use::Call)
            });
            return self.value_of_symbols(member.symbols, Some(&member.owner));
        }
        if let Some(field) = self.assigned_field(of, name) {
            return Value::Instance(field);
        }
        if let Some(found) = self.flow(at, of, name) {
            return Value::Instance(found);
        }
        match of {
            Type::Foreign { .. } | Type::Plain | Type::Tuple(_) | Type::Function(_) => {
                Value::Foreign
            }
            Type::Known { symbol, .. } if self.has_foreign_base(*symbol) => Value::Foreign,
            _ => Value::Unknown,
        }
    }

    /// A field that no declaration names: one that a method assigns, or that a constructor declares
    /// as it takes it.
    fn assigned_field(&self, of: &Type, name: &str) -> Option<Type> {
        let Type::Known { symbol, .. } = of else {
            return None;
        };
        for type_id in self.supertypes(*symbol) {
            let file = self.world.file(type_id.file);
            for receiver in file.rules.receivers {
                let written = format!("{receiver}.{name}");
                let bindings = file.bound.get(&written).into_iter().flatten();
                let own = bindings
                    .map(|&index| &file.bindings[index as usize])
                    .filter(|binding| self.is_in(type_id, binding.inside));
                let found: Vec<Type> = own.map(|one| self.bound(type_id.file, one)).collect();
                let is_known = |one: &&Type| !matches!(one, Type::Unknown | Type::Plain);
                let known = found.iter().find(is_known);
                let known = known.or_else(|| found.iter().find(|one| **one == Type::Plain));
                if known.is_some() {
                    return known.cloned();
                }
            }
            let bindings = file.bound.get(name).into_iter().flatten();
            let declared = bindings
                .map(|&index| &file.bindings[index as usize])
                .find(|binding| {
                    let inside = binding.inside.map(|index| &file.symbols[index as usize]);
                    let is_constructor =
                        inside.is_some_and(|inside| inside.kind == ChunkKind::Initializer);
                    is_constructor && self.is_in(type_id, binding.inside)
                });
            if let Some(binding) = declared {
                return Some(self.bound(type_id.file, binding));
            }
        }
        None
    }

    fn is_in(&self, type_id: SymbolId, inside: Option<u32>) -> bool {
        let file = self.world.file(type_id.file);
        file.ancestors(inside).any(|index| index == type_id.symbol)
    }

    /// What comes out of a well-known method.
    fn flow(&self, at: At, of: &Type, name: &str) -> Option<Type> {
        let rules = self.world.file(at.file).rules;
        let flow = |kind: &str| {
            let mut known = rules.flows.iter();
            let found = known.find(|(owner, method, _)| *owner == kind && *method == name);
            found.map(|(_, _, flow)| *flow)
        };
        let (own, arguments) = match of {
            Type::Foreign {
                name, arguments, ..
            } => (flow(name), arguments.as_slice()),
            Type::Known { arguments, .. } => (None, arguments.as_slice()),
            _ => (None, [].as_slice()),
        };
        let argument = |place: Option<&Type>| place.cloned().unwrap_or_default();
        let list = |inner: Type| Type::Foreign {
            name: rules.list.to_string(),
            arguments: vec![inner],
            rules,
        };
        Some(match own.or_else(|| flow(""))? {
            Flow::Same => of.clone(),
            Flow::First => argument(arguments.first()),
            Flow::Second => argument(arguments.get(1)),
            Flow::Last => argument(arguments.last()),
            Flow::ListOfFirst => list(argument(arguments.first())),
            Flow::ListOfLast => list(argument(arguments.last())),
        })
    }

    fn value_of_call(
        &self,
        at: At,
        function: &Expression,
        written: &[String],
        argument: Option<&Expression>,
    ) -> Value {
        if let Expression::Name(name) = function
            && self
                .world
                .file(at.file)
                .rules
                .supers
                .contains(&name.as_str())
        {
            return self.super_value(at);
        }
        match self.value_of_member(at, function, Use::Call) {
            Value::Functions(symbols, owner) => {
                let first = symbols[0];
                let found = self.returned(first, owner.as_ref());
                let found = self.applied(at, first, found, written, argument);
                // What a generic constructor of a library takes is what it holds.
                Value::Instance(found)
            }
            Value::Type(Type::Known { symbol, .. }) => Value::Instance(Type::Known {
                symbol,
                arguments: self.resolved_all(at, written),
            }),
            Value::Type(found) => Value::Instance(found),
            Value::Instance(Type::Function(found)) => Value::Instance(*found),
            Value::Instance(found) => Value::Instance(self.called(at, found)),
            Value::Foreign | Value::Unknown => self.value_of_foreign_call(at, function, argument),
            Value::Module(_) | Value::Namespace(_) => Value::Unknown,
        }
    }

    /// What calling a value gives. What flows out of a well-known method is already that.
    fn called(&self, at: At, value: Type) -> Type {
        let name = self.world.file(at.file).rules.call_member;
        let Some(member) = self.member(&value, name).filter(|_| !name.is_empty()) else {
            return value;
        };
        self.returned(member.symbols[0], Some(&member.owner))
    }

    /// `Arc::new(x)`, `Some(x)`, `Ok(x)`: what wraps holds what it is given.
    fn value_of_foreign_call(
        &self,
        at: At,
        function: &Expression,
        argument: Option<&Expression>,
    ) -> Value {
        let rules = self.world.file(at.file).rules;
        let name = match function {
            Expression::Name(name) => name.as_str(),
            Expression::Path(base, _) => match &**base {
                Expression::Name(name) => name.as_str(),
                _ => "",
            },
            _ => "",
        };
        let wrapped = match name {
            "Some" | "Option" => "Option",
            "Ok" => "Result",
            "Mutex" | "RwLock" | "RefCell" | "Cell" | "Arc" | "Rc" | "Box" => name,
            _ if rules.wrappers.contains(&name) => name,
            _ if rules.copies.contains(&name) => "",
            _ => return Value::Foreign,
        };
        let inner = argument.map_or(Type::Unknown, |argument| self.instance(at, argument));
        if wrapped.is_empty() {
            return Value::Instance(inner);
        }
        Value::Instance(Type::Foreign {
            name: wrapped.to_string(),
            arguments: vec![inner],
            rules,
        })
    }

    fn value_of_literal(&self, at: At, name: &str) -> Value {
        let written = types::parse(name);
        let target = self.path_target(at, &written);
        match target {
            Some(Target::Symbol(id)) if is_type(self.world.symbol(id).kind) => {
                Value::Instance(self.own(id))
            }
            // A case of an enum is of the enum.
            Some(Target::Symbol(id)) => match self.world.parent(id) {
                Some(parent) => Value::Instance(self.own(parent)),
                None => Value::Unknown,
            },
            _ => Value::Instance(self.resolve_type(at, &written)),
        }
    }

    /// What a function gives back, called on a value of `owner`.
    pub fn returned(&self, id: SymbolId, owner: Option<&Type>) -> Type {
        let known = self.returned.borrow().get(&id).cloned();
        let found = known.unwrap_or_else(|| {
            // Meanwhile, and for one that returns what it returns: nothing is known.
            self.returned.borrow_mut().insert(id, Type::Unknown);
            let found = self.deeper(|| self.declared_or_inferred(id));
            self.returned.borrow_mut().insert(id, found.clone());
            found
        });
        match owner {
            Some(owner) => self.substituted(&found, owner),
            None => found,
        }
    }

    fn declared_or_inferred(&self, id: SymbolId) -> Type {
        let symbol = self.world.symbol(id);
        let at = At {
            file: id.file,
            symbol: Some(id.symbol),
            byte: symbol.span.end_byte,
        };
        if symbol.kind == ChunkKind::Initializer {
            return self.own_type(at).unwrap_or_default();
        }
        if let Some(text) = &symbol.type_text {
            return self.resolve_type(at, &types::parse(text));
        }
        let file = self.world.file(id.file);
        let bindings = file.bound.get("").into_iter().flatten();
        let returned = bindings
            .map(|&index| &file.bindings[index as usize])
            .filter(|binding| binding.inside == Some(id.symbol));
        let mut found = returned.take(4).map(|binding| self.bound(id.file, binding));
        let known = found.find(|found| !matches!(found, Type::Unknown | Type::Plain));
        known.unwrap_or_default()
    }

    fn resolved_all(&self, at: At, written: &[String]) -> Vec<Type> {
        let all = written.iter();
        all.map(|text| self.resolve_type(at, &types::parse(text)))
            .collect()
    }

    /// What a generic function gives back, given types or an argument.
    fn applied(
        &self,
        at: At,
        function: SymbolId,
        returned: Type,
        written: &[String],
        argument: Option<&Expression>,
    ) -> Type {
        let Type::Parameter { name, .. } = &returned else {
            return returned;
        };
        let symbol = self.world.symbol(function);
        let names = super::generics::parameters(symbol);
        let place = names.iter().position(|(parameter, _)| parameter == name);
        let Some(place) = place else {
            return returned;
        };
        if let Some(text) = written.get(place) {
            return self.resolve_type(at, &types::parse(text));
        }
        let Some(argument) = argument else {
            return returned;
        };
        let first = symbol.parameters.iter().find(|(label, _)| label != "self");
        let first = first.and_then(|(_, written)| written.as_deref());
        let first = first.map(types::parse);
        let is_parameter = |written: &Written| matches!(written, Written::Named { path, .. } if path.len() == 1 && path[0] == *name);
        match first {
            Some(written) if is_parameter(&written) => match self.value(at, argument) {
                Value::Instance(found) => found,
                _ => returned,
            },
            // `resolve(Foo)`: a constructor of what comes back.
            Some(Written::Named { arguments, .. }) if arguments.iter().any(is_parameter) => {
                match self.value(at, argument) {
                    Value::Type(found) => found,
                    Value::Instance(found) => self.held(&found),
                    _ => returned,
                }
            }
            _ => returned,
        }
    }

    /// What one step of going through a value gives.
    pub fn element(&self, of: &Type) -> Type {
        match of {
            Type::Foreign {
                arguments, name, ..
            } => match arguments.as_slice() {
                [one] => one.clone(),
                [first, _] if ["Result", "Promise"].contains(&name.as_str()) => first.clone(),
                _ => Type::Unknown,
            },
            Type::Known { arguments, .. } => match arguments.as_slice() {
                [one] => one.clone(),
                _ => Type::Unknown,
            },
            Type::Either(all) => all.first().map_or(Type::Unknown, |one| self.element(one)),
            _ => Type::Unknown,
        }
    }

    /// What is at a place of a container.
    fn held(&self, of: &Type) -> Type {
        match of {
            Type::Foreign { arguments, .. } | Type::Known { arguments, .. } => {
                arguments.last().cloned().unwrap_or_default()
            }
            _ => Type::Unknown,
        }
    }
}

/// Whether little is known: an empty list says nothing of what it will hold.
fn is_weak(value: &Value) -> bool {
    match value {
        Value::Unknown | Value::Instance(Type::Unknown | Type::Plain) => true,
        Value::Instance(Type::Foreign { arguments, .. }) => {
            arguments.iter().all(|one| *one == Type::Unknown)
        }
        _ => false,
    }
}

/// Words that stand where a type would, and say nothing.
const INFERRED: &[&str] = &["var", "auto", "_", "val", "let"];

/// Definitions that hold variables which are no symbols.
fn is_local_holder(kind: ChunkKind) -> bool {
    matches!(
        kind,
        ChunkKind::Variable | ChunkKind::Property | ChunkKind::Constant
    )
}

fn awaited(found: Type) -> Type {
    const LATER: &[&str] = &[
        "Promise",
        "PromiseLike",
        "Task",
        "ValueTask",
        "Future",
        "Awaitable",
        "Coroutine",
    ];
    match found {
        Type::Foreign {
            ref name,
            ref arguments,
            ..
        } if LATER.contains(&name.as_str()) => arguments.last().cloned().unwrap_or_default(),
        found => found,
    }
}

/// What an optional or a result holds.
fn inside(found: Type) -> Type {
    match found {
        Type::Foreign {
            ref name,
            ref arguments,
            ..
        } if ["Option", "Result", "Optional"].contains(&name.as_str())
            || name.ends_with("Result") =>
        {
            arguments.first().cloned().unwrap_or_default()
        }
        found => found,
    }
}
