//! Resolves type expressions: named types, type parameters, associated types and aliases.

use crate::inference::Inference;
use crate::inference::substitution::substitute;
use crate::inference::{Type, TypeOperator, Types};
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::Inheritance;
use crate::scopes::Namespace;
use crate::symbol_table::{SymbolId, is_type};
use crate::syntax::type_expr::TypeExpr;
use kenning_model::ChunkKind;

impl<'t> Inference<'_, 't> {
    /// Resolves a type parameter by name, among the definitions around a position.
    pub fn resolve_type_parameter(&self, at: Position, name: &str) -> Option<Type> {
        // Longer names are types, not type parameters; returning early saves a walk.
        if name.len() > 20 {
            return None;
        }
        let file = self.table.file(at.file);
        for outer in file.ancestors(at.symbol) {
            let symbol = &file.symbols()[outer as usize];
            let holder = SymbolId { file: at.file, symbol: outer };
            let is_named = |(parameter, _): &&(String, Option<String>)| parameter == name;
            let mut found = file.type_parameters(outer).iter().find(is_named);
            if found.is_none()
                && symbol.kind == ChunkKind::Extension
                && !file.rules.extensions_declare_type_params
            {
                let extended = self.heritage().type_of_extension(holder);
                if extended != holder {
                    found = self.table.type_parameters(extended).iter().find(is_named);
                }
            }
            if let Some((_, bound)) = found {
                let bound = bound.as_deref().map(|bound| self.parse_type(bound));
                // In TypeScript, the bound of one type parameter may name another of the same
                // definition.
                let around = if self.objects().has_open_objects(at.file) {
                    Some(outer)
                } else {
                    file.parents()[outer as usize]
                };
                let outer = Position { symbol: around, ..at };
                let Some(_open) = self.enter_parameter(holder, name) else {
                    return Some(Type::Parameter {
                        name: name.to_string(),
                        bounds: Types::default(),
                    });
                };
                let written = match bound.as_deref() {
                    Some(TypeExpr::Union(all)) => all.as_slice(),
                    Some(one) => std::slice::from_ref(one),
                    None => &[],
                };
                let bounds = written
                    .iter()
                    .map(|bound| self.with_budget(|| self.resolve_type(outer, bound)));
                return Some(Type::Parameter { name: name.to_string(), bounds: bounds.collect() });
            }
        }
        None
    }

    /// Resolves a type expression at a position.
    pub fn resolve_type(&self, at: Position, written: &TypeExpr) -> Type {
        let rules = self.table.file(at.file).rules;
        let foreign = |name: &str, arguments: Types| Type::Foreign {
            name: name.to_string(),
            arguments,
            rules,
        };
        self.with_budget(|| match written {
            TypeExpr::Named { path, arguments } => {
                let inner = arguments.iter().map(|one| self.resolve_type(at, one));
                self.resolve_named_type(at, path, inner.collect())
            }
            TypeExpr::Union(all) => {
                let mut found: Vec<Type> =
                    all.iter().map(|one| self.resolve_type(at, one)).collect();
                // Alternatives without members, such as `null`, do not make a member ambiguous.
                found.retain(|one| !matches!(one, Type::Unknown | Type::Opaque));
                dedup_by_symbol(&mut found);
                match found.len() {
                    0 => Type::Unknown,
                    1 => found.remove(0),
                    _ => Type::Union(found.into()),
                }
            }
            TypeExpr::List(inner) => foreign(rules.list, [self.resolve_type(at, inner)].into()),
            TypeExpr::Map(inner) => {
                let value = self.resolve_type(at, inner);
                foreign(rules.map, [Type::Opaque, value].into())
            }
            TypeExpr::Tuple(all) => {
                let all = all.iter().map(|one| self.resolve_type(at, one));
                Type::Tuple(all.collect())
            }
            TypeExpr::Function(_, inner) => Type::Function(Box::new(self.resolve_type(at, inner))),
            // `Shape['name']` is the type of a member in TypeScript.
            TypeExpr::Indexed(base, name) if self.objects().has_open_objects(at.file) => {
                self.derive_type(self.resolve_type(at, base), TypeOperator::Member(name.clone()))
            }
            // Elsewhere the brackets hold a type argument, in quotes: `list['Page']` of Python.
            TypeExpr::Indexed(base, name) => match &**base {
                TypeExpr::Named { path, .. } => {
                    let inner = self.resolve_type(at, &self.parse_type(name));
                    self.resolve_named_type(at, path, [inner].into())
                }
                _ => Type::Unknown,
            },
            TypeExpr::TypeOf(value) => self.infer_typeof(at, value),
            TypeExpr::Unknown => Type::Unknown,
        })
    }

    /// Resolves a named type: the self type, a type parameter, an associated type, a type in scope
    /// or at a path, else a type of a library.
    pub(crate) fn resolve_named_type(
        &self,
        at: Position,
        path: &[String],
        arguments: Types,
    ) -> Type {
        let rules = self.table.file(at.file).rules;
        let [first, rest @ ..] = path else {
            return Type::Unknown;
        };
        // `Self`, `this`.
        if rules.self_type_names.contains(&first.as_str())
            && rest.is_empty()
            && let Some(own) = self.enclosing_type(at)
        {
            return own;
        }
        // A type parameter hides a type of the same name.
        if rest.is_empty()
            && let Some(parameter) = self.resolve_type_parameter(at, first)
        {
            return parameter;
        }
        // `Self::Item`: an associated type of the type around the position.
        if rules.inheritance == Inheritance::Traits
            && rules.self_type_names.contains(&first.as_str())
            && let [name] = rest
        {
            let own = self.enclosing_type(at);
            let found = own.and_then(|own| self.associated_type(&own, name));
            if let Some(found) = found {
                return found;
            }
        }
        let target = self.find_named_type(at, path);
        // Some languages write tuples as generic types: `tuple[int, Page]`.
        let is_tuple = rules.tuple_types.contains(&path[path.len() - 1].as_str())
            && arguments.len() > 1
            && !arguments.contains(&Type::Unknown);
        match target {
            Some(symbol) => self.resolve_alias(Type::Known { symbol, arguments }),
            None if is_tuple => Type::Tuple(arguments),
            // `ReturnType<F>`: deferred if `F` is a type parameter.
            None if rules.return_type_operators.contains(&first.as_str()) => {
                let function = arguments.first().cloned().unwrap_or_default();
                self.derive_type(function, TypeOperator::ReturnType)
            }
            None => Type::Foreign { name: self.original_import_name(at, path), arguments, rules },
        }
    }

    /// Finds the type of the repository that a path names. A bare name is looked up in scope; a
    /// path is walked from its first segment.
    fn find_named_type(&self, at: Position, path: &[String]) -> Option<SymbolId> {
        let rules = self.table.file(at.file).rules;
        match path {
            _ if rules.has_nested_constants => self.resolve_constant(at, path),
            [first] => {
                let found = self.scopes().resolve_name(at, first, Namespace::Type);
                found
                    .and_then(|scoped| scoped.symbols().find_map(|id| self.modules().type_side(id)))
            }
            _ if rules.module_tree.is_some() => match self.resolve_tree_type_path(at, path) {
                Some(ResolvedTarget::Symbol(id)) => Some(id),
                _ => None,
            },
            _ => self.resolve_dotted_type(at, path),
        }
    }

    /// Returns a library type's own name, if the file imports it under another: `use
    /// std::result::Result as StdResult`.
    fn original_import_name(&self, at: Position, path: &[String]) -> String {
        let [name] = path else {
            return path.last().cloned().unwrap_or_default();
        };
        let mut imports = self.table.file(at.file).imports_named(name);
        let original = imports.find(|import| import.name.starts_with(char::is_uppercase));
        original.map_or(name, |import| &import.name).clone()
    }

    /// Resolves a Rust path to a type or a module, from the module around a position.
    pub(crate) fn resolve_tree_type_path(
        &self,
        at: Position,
        path: &[String],
    ) -> Option<ResolvedTarget> {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let file = self.table.file(at.file);
        let tree = file.rules.module_tree.as_ref()?;
        let inline = file
            .ancestors(at.symbol)
            .find(|&index| file.symbols()[index as usize].kind == ChunkKind::Module);
        if tree.path_words.contains(&parts[0].trim_start_matches('$')) {
            return (tree.resolve_path)(self, at.file, inline, &parts);
        }
        // Associated types are resolved by the caller.
        if file.rules.self_type_names.contains(&parts[0]) {
            return None;
        }
        let scoped = self.scopes().resolve_name(at, parts[0], Namespace::Type);
        let start = scoped.and_then(|scoped| scoped.targets.first().cloned());
        match start {
            Some(start) => parts[1..]
                .iter()
                .try_fold(start, |target, part| self.modules().member_of(&target, part)),
            // An extern crate is not in scope as a name, but a path may begin with it.
            None => (tree.resolve_path)(self, at.file, inline, &parts),
        }
    }

    /// Resolves a dotted path: `module.Type`, `Outer.Inner`.
    fn resolve_dotted_type(&self, at: Position, path: &[String]) -> Option<SymbolId> {
        let (first, rest) = path.split_first()?;
        let scoped = self.scopes().resolve_name(at, first, Namespace::Type);
        let start = scoped.and_then(|scoped| scoped.targets.first().cloned());
        let has_namespaces = self.table.file(at.file).rules.has_open_namespaces;
        let found = start.and_then(|start| {
            rest.iter().try_fold(start, |target, part| {
                if has_namespaces {
                    self.member_of_named_type(&target, part)
                } else {
                    self.modules().member_of(&target, part)
                }
            })
        });
        match found {
            Some(ResolvedTarget::Symbol(id)) => Some(self.modules().type_side(id).unwrap_or(id)),
            _ if has_namespaces => self.find_type_by_path(at, path),
            // The path may begin with a module or namespace that is no symbol, in Swift, C# and
            // C++.
            _ if self.table.file(at.file).rules.implicit_scope
                == crate::rules::ImplicitScope::Package =>
            {
                let last = path.last()?;
                let found = self.scopes().resolve_name(at, last, Namespace::Type);
                found
                    .and_then(|scoped| scoped.symbols().find_map(|id| self.modules().type_side(id)))
            }
            _ => None,
        }
    }

    /// Finds a nested type or a member of a namespace. An alias has those of its target, and a type
    /// those of its bases.
    fn member_of_named_type(&self, target: &ResolvedTarget, name: &str) -> Option<ResolvedTarget> {
        let own = self.modules().member_of(target, name);
        own.or_else(|| match target {
            ResolvedTarget::Symbol(id) if is_type(self.table.symbol(*id).kind) => {
                let meant = self.resolve_alias(self.type_of_symbol(*id));
                let member = self.members().find_member(&meant, name)?;
                member.symbols.first().copied().map(ResolvedTarget::Symbol)
            }
            _ => None,
        })
    }

    /// Finds the type whose path ends with the written one. A namespace may be reopened in any
    /// file, so its members are found by their path.
    fn find_type_by_path(&self, at: Position, path: &[String]) -> Option<SymbolId> {
        let last = path.last()?;
        let mut candidates = self.definitions(last).iter().copied().filter(|&id| {
            let own = self.table.file(id.file).path_of(id.symbol);
            let is_same = own.len() >= path.len()
                && own.iter().rev().zip(path.iter().rev()).all(|(own, written)| own == written);
            is_same && self.scopes().can_name(at, id)
        });
        candidates.find_map(|id| self.modules().type_side(id))
    }

    /// Resolves an associated type of a Rust type: `type Item = Foo;`.
    pub(crate) fn associated_type(&self, of: &Type, name: &str) -> Option<Type> {
        let Type::Known { symbol, .. } = of else {
            return None;
        };
        let rules = self.table.file(symbol.file).rules;
        if rules.inheritance != Inheritance::Traits {
            return None;
        }
        let known = self
            .inference_cache
            .associated_types
            .borrow()
            .get(symbol)
            .and_then(|known| known.get(name))
            .cloned();
        let found = known.unwrap_or_else(|| self.find_associated_type(*symbol, name));
        found.map(|found| self.substitute_arguments(&found, of))
    }

    /// Finds an associated type and caches it. Its resolution looks up names in the bases of the
    /// type, which may need the same associated type; while it is resolved, there is none.
    fn find_associated_type(&self, symbol: SymbolId, name: &str) -> Option<Type> {
        let keep = |found: Option<Type>| {
            let mut associated = self.inference_cache.associated_types.borrow_mut();
            let of_symbol = associated.entry(symbol).or_default();
            of_symbol.insert(name.to_string(), found);
        };
        keep(None);
        let found =
            self.heritage().while_finding_bases(|| self.resolve_associated_alias(symbol, name));
        keep(found.clone());
        found
    }

    /// Resolves the type alias of this name among the members of a type.
    fn resolve_associated_alias(&self, symbol: SymbolId, name: &str) -> Option<Type> {
        let members = self.members().own_members(symbol, name).into_iter();
        let mut aliases = members.filter_map(|id| {
            let facts = self.table.symbol(id);
            let text = facts.type_text.as_deref()?;
            (facts.kind == ChunkKind::TypeAlias).then_some((id, text))
        });
        let (id, text) = aliases.next()?;
        let at = Position {
            file: id.file,
            symbol: self.table.parent(id).map(|parent| parent.symbol),
            byte: self.table.symbol(id).span.start_byte,
        };
        let found = self.with_budget(|| self.resolve_type(at, &self.parse_type(text)));
        (found != Type::Unknown).then_some(found)
    }

    /// Resolves an alias to the type that it names. Other types, and aliases with members of their
    /// own, are returned as they are.
    pub fn resolve_alias(&self, found: Type) -> Type {
        let Type::Known { symbol, .. } = &found else {
            return found;
        };
        let facts = self.table.symbol(*symbol);
        let is_alias = facts.kind == ChunkKind::TypeAlias;
        let Some(text) = facts.type_text.as_deref().filter(|_| is_alias) else {
            return found;
        };
        let at = Position {
            file: symbol.file,
            symbol: Some(symbol.symbol),
            byte: facts.span.start_byte,
        };
        let target_type = self.with_budget(|| self.resolve_type(at, &self.parse_type(text)));
        let has_methods = !self.heritage().extensions(*symbol).is_empty()
            || !self.table.out_of_line_members(&facts.name).is_empty();
        match target_type {
            Type::Unknown | Type::Opaque => found,
            // `type Node = Readonly<{ … }>` has the members that are written in it.
            Type::Foreign { .. }
                if self.has_children(*symbol)
                    && self.members().unwrap_wrapper(&target_type).is_some() =>
            {
                found
            }
            // A Go type has its own methods, and not those of its underlying type.
            _ if has_methods => found,
            target_type => self.substitute_arguments(&target_type, &found),
        }
    }

    /// Substitutes the type arguments of `owner` for its type parameters in a type.
    pub fn substitute_arguments(&self, of: &Type, owner: &Type) -> Type {
        let Type::Known { symbol, arguments } = owner else {
            return of.clone();
        };
        if arguments.is_empty() {
            return of.clone();
        }
        self.normalize_type(substitute(of, self.table.type_parameters(*symbol), arguments))
    }
}

/// Removes repetitions of one type with different arguments; the first remains.
fn dedup_by_symbol(all: &mut Vec<Type>) {
    let mut seen = Vec::new();
    all.retain(|one| match one {
        Type::Known { symbol, .. } if seen.contains(symbol) => false,
        Type::Known { symbol, .. } => {
            seen.push(*symbol);
            true
        }
        _ => true,
    });
}
