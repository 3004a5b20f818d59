//! Objects that get members by assignment, as in JavaScript: constructor functions, members that
//! are assigned to functions and objects, object literals, and the object of a file's exports.
//!
//! `members` has what classes declare. Extraction stores an assigned member as a symbol whose scope
//! is the text before the dot: `page.open = function () {}` has the scope `page`.

use crate::inference::{InferredValue, Type};
use crate::modules::module_table::Module;
use crate::resolve_reference::Resolution;
use crate::resolver::resolver_view;
use crate::resolver::{Position, ResolvedTarget};
use crate::rules::OpenObjects;
use crate::scopes::Namespace;
use crate::symbol_table::{FileIndex, SymbolId, is_callable, is_type};
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference, ReferenceKind};

resolver_view! {
    /// Objects that get members by assignment: their members, literals, and exports.
    Objects
}

impl<'t> Objects<'_, 't> {
    /// Finds the definition that a file exports as its whole module: `module.exports = …`.
    pub fn find_module_exports(&self, file: FileIndex) -> Option<ResolvedTarget> {
        let names = self.object_names(file)?;
        let module = Module::File(file);
        let exported = self.modules().find_export(&module, names.module_exports);
        exported.or_else(|| {
            self.record_dependency(names.exports);
            let facts = self.table.file(file);
            let mut named = facts.children(None, names.exports);
            let assigned = named.find(|&index| {
                let scope = facts.symbols()[index as usize].scope.as_deref();
                scope == Some(names.module)
            });
            assigned.map(|index| ResolvedTarget::symbol(file, index))
        })
    }

    /// Infers the value of `exports` in a file.
    pub(crate) fn infer_exports(&self, file: FileIndex) -> InferredValue {
        match self.find_module_exports(file) {
            Some(ResolvedTarget::Symbol(id)) => {
                InferredValue::Instance(self.inference().type_of_symbol(id))
            }
            _ => InferredValue::Module(Module::File(file)),
        }
    }

    /// Infers the value of `require("module")`.
    pub(crate) fn infer_require(&self, at: Position, module: &str) -> InferredValue {
        let Some(names) = self.object_names(at.file) else {
            return InferredValue::Foreign;
        };
        let import = Reference {
            name: names.default_export.to_string(),
            kind: ReferenceKind::Import,
            receiver: Some(module.to_string()),
            labels: Vec::new(),
            line: 0,
            start_byte: at.byte,
            container: at.symbol,
        };
        match self.modules().resolve_import(at.file, &import) {
            Some(target) => self.inference().value_of_targets(&[target]),
            None => InferredValue::Foreign,
        }
    }

    /// Infers the type that `new name` creates. Where objects are open, a function can be a
    /// constructor; the symbol of the function is then also the type.
    pub(crate) fn infer_constructed_type(&self, at: Position, name: &str) -> Type {
        let found = self.inference().resolve_type(at, &self.parse_type(name));
        if !matches!(found, Type::Foreign { .. }) || !self.has_open_objects(at.file) {
            return found;
        }
        match self.inference().infer_value(at, &self.parse_expression(name)) {
            InferredValue::Functions(symbols, _) => self.inference().type_of_symbol(symbols[0]),
            InferredValue::Type(constructed @ Type::Known { .. }) => constructed,
            _ => found,
        }
    }

    /// Infers `this` in a function that is assigned to an object, is written in one, or is a
    /// constructor.
    pub(crate) fn infer_this(&self, at: Position) -> Option<InferredValue> {
        if !self.has_open_objects(at.file) {
            return None;
        }
        let file = self.table.file(at.file);
        let functions = file
            .ancestors(at.symbol)
            .filter(|&outer| is_callable(file.symbols()[outer as usize].kind));
        for outer in functions {
            let id = SymbolId { file: at.file, symbol: outer };
            // `app.use = function () { this }`: `this` is `app`.
            if let Some(owner) = self.assigned_owner(id) {
                return self.infer_owner_object(id, &owner);
            }
            // `{ open() { this } }`: `this` is the object, with its declared type if it has one.
            if let Some(parent) = self.table.parent(id).filter(|&parent| self.can_be_object(parent))
            {
                let is_typed = self.table.symbol(parent).type_text.is_some();
                return Some(match is_typed || self.has_assigned_members(parent) {
                    true if is_typed => {
                        InferredValue::Instance(self.scopes().infer_variable(parent, None))
                    }
                    true => InferredValue::Instance(self.inference().type_of_symbol(parent)),
                    false => InferredValue::Namespace(parent),
                });
            }
            // `function Page() { this }` with `Page.prototype.open = …` is a constructor.
            if self.has_assigned_members(id) || self.has_inherits_call(id) {
                return Some(InferredValue::Instance(self.inference().type_of_symbol(id)));
            }
        }
        None
    }

    /// Returns the object to which a member is assigned: `app` of `app.use = function () {}`.
    fn assigned_owner(&self, id: SymbolId) -> Option<String> {
        let scope = self.table.symbol(id).scope.as_deref()?;
        let Some(parent) = self.table.parent(id) else {
            return Some(scope.to_string());
        };
        let outer = self.qualified_name(parent);
        let rest = scope.strip_prefix(&outer)?.strip_prefix('.')?;
        Some(rest.to_string())
    }

    /// Infers the object to which a member is assigned.
    fn infer_owner_object(&self, member: SymbolId, owner: &str) -> Option<InferredValue> {
        if self.object_names(member.file).is_some_and(|names| names.is_exports(owner)) {
            return Some(self.infer_exports(member.file));
        }
        let at = Position {
            file: member.file,
            symbol: self.table.parent(member).map(|parent| parent.symbol),
            byte: self.table.symbol(member).span.start_byte,
        };
        let found = self.scopes().resolve_name(at, owner, Namespace::Value)?;
        let id = found.symbols().next()?;
        let kind = self.table.symbol(id).kind;
        let is_owner = is_type(kind) || is_callable(kind) || self.can_be_object(id);
        is_owner.then(|| InferredValue::Instance(self.inference().type_of_symbol(id)))
    }

    /// Returns the members of a name that are assigned to a function or an object, written in its
    /// literal, or exported by the module whose exports it is.
    pub(crate) fn object_members(&self, owner: SymbolId, name: &str) -> Vec<SymbolId> {
        self.record_dependency(name);
        let assigned = self.assigned_members(owner);
        let mut found: Vec<SymbolId> =
            assigned.filter(|&id| self.table.symbol(id).name == name).collect();
        if self.can_be_object(owner) {
            let written = self.table.file(owner.file).children(Some(owner.symbol), name);
            found.extend(written.map(|symbol| SymbolId { symbol, ..owner }));
        }
        if found.is_empty()
            && self.find_module_exports(owner.file) == Some(ResolvedTarget::Symbol(owner))
        {
            let exported = self.modules().find_export(&Module::File(owner.file), name);
            found.extend(exported.and_then(|target| match target {
                ResolvedTarget::Symbol(id) => Some(id).filter(|&id| id != owner),
                ResolvedTarget::Module(_) => None,
            }));
        }
        found
    }

    /// True if code assigns members to a definition.
    pub(crate) fn has_assigned_members(&self, owner: SymbolId) -> bool {
        self.has_open_objects(owner.file) && self.assigned_members(owner).next().is_some()
    }

    /// True if `member` is assigned to `owner`.
    pub(crate) fn is_assigned_member(&self, owner: SymbolId, member: SymbolId) -> bool {
        self.has_open_objects(owner.file) && self.assigned_members(owner).any(|id| id == member)
    }

    /// True if a function is assigned to an object, other than the exports of its file.
    pub(crate) fn is_member_of_object(&self, id: SymbolId) -> bool {
        let symbol = self.table.symbol(id);
        let owner = symbol.scope.as_deref().filter(|_| self.table.parent(id).is_none());
        let is_member = |names: &OpenObjects| owner.is_some_and(|owner| !names.is_exports(owner));
        is_callable(symbol.kind) && self.object_names(id.file).is_some_and(is_member)
    }

    /// Returns the members that are assigned to a definition in its own block.
    fn assigned_members(&self, owner: SymbolId) -> impl Iterator<Item = SymbolId> + use<'_> {
        let symbol = self.table.symbol(owner);
        let qualified = self.qualified_name(owner);
        let out_of_line = self.table.out_of_line_members(&symbol.name).iter().copied();
        out_of_line.filter(move |&id| {
            id.file == owner.file
                && self.table.symbol(id).scope.as_deref() == Some(qualified.as_str())
                && self.table.parent(id) == self.table.parent(owner)
        })
    }

    /// True if a heritage clause names the definition as its subject, as `inherits(Owner, Base)`
    /// does.
    pub(crate) fn has_inherits_call(&self, owner: SymbolId) -> bool {
        let name = &self.table.symbol(owner).name;
        let mut heritage = self.table.file(owner.file).heritage().iter();
        heritage.any(|clause| clause.subject == *name)
    }

    /// True if a constant has the members of an object literal that it passes through a function:
    /// `const a = freeze({ b() {} })`. A constant with a declared type has the members of that
    /// type.
    pub(crate) fn has_literal_members(&self, id: SymbolId, found: &Type) -> bool {
        if !self.has_open_objects(id.file) || !self.inference().has_children(id) {
            return false;
        }
        match found {
            Type::Foreign { .. } => {
                matches!(
                    self.members().unwrap_wrapper(found),
                    Some(Type::Unknown | Type::Opaque | Type::Parameter { .. })
                )
            }
            Type::Opaque => self.is_frozen(id),
            _ => false,
        }
    }

    /// True if the value is `Object.freeze({ … })` or `Object.seal({ … })`.
    fn is_frozen(&self, id: SymbolId) -> bool {
        let own = self.scopes().own_binding(id);
        let value = own.and_then(|binding| binding.value.as_deref());
        let names = self.object_names(id.file);
        value.zip(names).is_some_and(|(value, names)| {
            names.literal_calls.iter().any(|call| value.starts_with(call))
        })
    }

    /// Returns the declared type of an object literal. The object inherits members from it that it
    /// does not write out.
    pub(crate) fn declared_literal_type(&self, id: SymbolId) -> Option<Type> {
        let is_literal = self.has_open_objects(id.file)
            && self.can_be_object(id)
            && self.inference().has_children(id);
        let is_typed = || {
            let own = self.scopes().own_binding(id);
            own.is_some_and(|binding| binding.type_text.is_some())
        };
        (is_literal && is_typed())
            .then(|| self.with_budget(|| self.scopes().infer_variable(id, None)))
    }

    /// Finds the object literals of a file whose declared type is an interface or an alias, as
    /// pairs of constant and type. They implement the type like a class does.
    pub fn find_typed_literals(&self, file: FileIndex) -> Vec<(SymbolId, SymbolId)> {
        let symbols = 0..self.table.file(file).symbols().len() as u32;
        let found = symbols.filter_map(|symbol| {
            let id = SymbolId { file, symbol };
            match self.declared_literal_type(id)? {
                Type::Known { symbol: base, .. } => {
                    let kind = self.table.symbol(base).kind;
                    let asks = matches!(kind, ChunkKind::Interface | ChunkKind::TypeAlias);
                    asks.then_some((id, base))
                }
                _ => None,
            }
        });
        found.collect()
    }

    /// Returns the name with its scope: `app.router.use`.
    fn qualified_name(&self, id: SymbolId) -> String {
        let symbol = self.table.symbol(id);
        match &symbol.scope {
            Some(scope) => format!("{scope}.{}", symbol.name),
            None => symbol.name.clone(),
        }
    }

    /// True if a definition is a variable, and so may hold an object literal.
    fn can_be_object(&self, id: SymbolId) -> bool {
        use ChunkKind::{Constant, Property, Variable};
        matches!(self.table.symbol(id).kind, Constant | Property | Variable)
    }

    /// Resolves `open.call(page)` and `this.open.apply(page)` as calls of `open`, if that is a
    /// function.
    pub(crate) fn resolve_applied_call(
        &self,
        at: Position,
        reference: &Reference,
    ) -> Option<Resolution> {
        let name = &reference.name;
        let (function, reason) = match &reference.receiver {
            Some(receiver) => (format!("{receiver}.{name}"), Reason::QualifiedPath),
            None => (name.clone(), Reason::LexicalScope),
        };
        match self.inference().infer_value(at, &self.parse_expression(&function)) {
            InferredValue::Functions(found, _) => {
                self.select_call_targets(at, found, reference, Confidence::High, reason)
            }
            _ => None,
        }
    }

    /// True if objects of a file's language get members by assignment.
    pub(crate) fn has_open_objects(&self, file: FileIndex) -> bool {
        self.object_names(file).is_some()
    }

    /// Returns the names by which a file's language works with such objects.
    pub(crate) fn object_names(&self, file: FileIndex) -> Option<&'static OpenObjects> {
        self.table.file(file).rules.open_objects.as_ref()
    }
}
