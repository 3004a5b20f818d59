//! JavaScript without classes: functions that construct, members that are assigned to functions and
//! objects, and all that a module is said to be. What a class declares is in `members`.

use crate::inference::{InferredValue, Type};
use crate::modules::module_paths::Module;
use crate::references::Meaning;
use crate::resolver::part;
use crate::resolver::{Position, ResolvedTarget};
use crate::scopes::NameKind;
use crate::symbol_table::{FileIndex, SymbolId, is_callable, is_type};
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference, ReferenceKind};

/// The object that a module of CommonJS gives.
const MODULE_EXPORTS: &str = "module.exports";

/// The objects whose members are the exports of a CommonJS module.
pub(crate) const EXPORTS: &[&str] = &["exports", MODULE_EXPORTS];

part! {
    /// Objects of scripts: what is assigned to them, and what a module exports by assignment.
    Objects
}

impl<'w> Objects<'_, 'w> {
    /// Finds the definition that a file exports as its whole module: `module.exports = …`.
    pub(crate) fn whole_module(&self, file: FileIndex) -> Option<ResolvedTarget> {
        let module = Module::File(file);
        let said = self.modules().exported(&module, MODULE_EXPORTS);
        said.or_else(|| {
            self.record_dependency("exports");
            let facts = self.world.file(file);
            let mut named = facts.children(None, "exports");
            let assigned = named.find(|&index| {
                let scope = facts.symbols()[index as usize].scope.as_deref();
                scope == Some("module")
            });
            assigned.map(|index| ResolvedTarget::symbol(file, index))
        })
    }

    /// Infers the value of `exports` in a file.
    pub(crate) fn exports_of(&self, file: FileIndex) -> InferredValue {
        match self.whole_module(file) {
            Some(ResolvedTarget::Symbol(id)) => InferredValue::Instance(self.inference().own(id)),
            _ => InferredValue::Module(Module::File(file)),
        }
    }

    /// Infers the value of `require("module")`.
    pub(crate) fn required(&self, at: Position, module: &str) -> InferredValue {
        let import = Reference {
            name: "default".to_string(),
            kind: ReferenceKind::Import,
            receiver: Some(module.to_string()),
            labels: Vec::new(),
            line: 0,
            start_byte: at.byte,
            container: at.symbol,
        };
        match self.modules().imported(at.file, &import) {
            Some(target) => self.inference().value_of_targets(&[target]),
            None => InferredValue::Foreign,
        }
    }

    /// Infers the type that `new name` creates. In JavaScript a function can be a constructor, too.
    pub(crate) fn constructed(&self, at: Position, name: &str) -> Type {
        let found = self.inference().resolve_type(at, &self.parse_type(name));
        if !matches!(found, Type::Foreign { .. }) || !self.is_script(at.file) {
            return found;
        }
        match self.inference().value(at, &self.parse_expression(name)) {
            InferredValue::Functions(symbols, _) => self.inference().own(symbols[0]),
            InferredValue::Type(made @ Type::Known { .. }) => made,
            _ => found,
        }
    }

    /// Infers `this` in a function that is assigned to an object, is written in one, or is a
    /// constructor.
    pub(crate) fn own_object(&self, at: Position) -> Option<InferredValue> {
        if !self.is_script(at.file) {
            return None;
        }
        let file = self.world.file(at.file);
        let functions = file
            .ancestors(at.symbol)
            .filter(|&outer| is_callable(file.symbols()[outer as usize].kind));
        for outer in functions {
            let id = SymbolId { file: at.file, symbol: outer };
            if let Some(owner) = self.owner_in_text(id) {
                return self.object_named(id, &owner);
            }
            if let Some(parent) = self.world.parent(id).filter(|&parent| self.is_object(parent)) {
                let is_typed = self.world.symbol(parent).type_text.is_some();
                return Some(match is_typed || self.is_assigned_to(parent) {
                    true if is_typed => {
                        InferredValue::Instance(self.scopes().variable(parent, None))
                    }
                    true => InferredValue::Instance(self.inference().own(parent)),
                    false => InferredValue::Namespace(parent),
                });
            }
            if self.is_assigned_to(id) || self.inherits_by_call(id) {
                return Some(InferredValue::Instance(self.inference().own(id)));
            }
        }
        None
    }

    /// `app` of `app.use = function () {}`.
    fn owner_in_text(&self, id: SymbolId) -> Option<String> {
        let scope = self.world.symbol(id).scope.as_deref()?;
        let Some(parent) = self.world.parent(id) else {
            return Some(scope.to_string());
        };
        let outer = self.qualified(parent);
        let rest = scope.strip_prefix(&outer)?.strip_prefix('.')?;
        Some(rest.to_string())
    }

    fn object_named(&self, member: SymbolId, owner: &str) -> Option<InferredValue> {
        if EXPORTS.contains(&owner) {
            return Some(self.exports_of(member.file));
        }
        let at = Position {
            file: member.file,
            symbol: self.world.parent(member).map(|parent| parent.symbol),
            byte: self.world.symbol(member).span.start_byte,
        };
        let found = self.scopes().lookup(at, owner, NameKind::Value)?;
        let id = found.symbols().next()?;
        let kind = self.world.symbol(id).kind;
        let is_owner = is_type(kind) || is_callable(kind) || self.is_object(id);
        is_owner.then(|| InferredValue::Instance(self.inference().own(id)))
    }

    /// The members of this name that are assigned to a function or an object, or written in it.
    pub(crate) fn object_members(&self, owner: SymbolId, name: &str) -> Vec<SymbolId> {
        self.record_dependency(name);
        let assigned = self.assigned(owner);
        let mut found: Vec<SymbolId> =
            assigned.filter(|&id| self.world.symbol(id).name == name).collect();
        if self.is_object(owner) {
            let written = self.world.file(owner.file).children(Some(owner.symbol), name);
            found.extend(written.map(|symbol| SymbolId { symbol, ..owner }));
        }
        if found.is_empty() && self.whole_module(owner.file) == Some(ResolvedTarget::Symbol(owner))
        {
            let exported = self.modules().exported(&Module::File(owner.file), name);
            found.extend(exported.and_then(|target| match target {
                ResolvedTarget::Symbol(id) => Some(id).filter(|&id| id != owner),
                ResolvedTarget::Module(_) => None,
            }));
        }
        found
    }

    /// True if something is assigned to a member of it.
    pub(crate) fn is_assigned_to(&self, owner: SymbolId) -> bool {
        self.is_script(owner.file) && self.assigned(owner).next().is_some()
    }

    /// True if a definition is a member that is assigned to another.
    pub(crate) fn is_assigned(&self, owner: SymbolId, member: SymbolId) -> bool {
        self.is_script(owner.file) && self.assigned(owner).any(|id| id == member)
    }

    fn assigned(&self, owner: SymbolId) -> impl Iterator<Item = SymbolId> + use<'_> {
        let symbol = self.world.symbol(owner);
        let qualified = self.qualified(owner);
        let apart = self.world.apart(&symbol.name).iter().copied();
        apart.filter(move |&id| {
            id.file == owner.file
                && self.world.symbol(id).scope.as_deref() == Some(qualified.as_str())
                && self.world.parent(id) == self.world.parent(owner)
        })
    }

    /// True if `inherits(Owner, Base)` or the like is said of it.
    pub(crate) fn inherits_by_call(&self, owner: SymbolId) -> bool {
        let name = &self.world.symbol(owner).name;
        let mut heritage = self.world.file(owner.file).heritage().iter();
        heritage.any(|clause| clause.subject == *name)
    }

    /// True if a constant has what is written in its value, though that went through a function:
    /// `const a = freeze({ b() {} })`. One that is said to be of a type has what the type asks for.
    pub(crate) fn is_written_out(&self, id: SymbolId, found: &Type) -> bool {
        if !self.is_script(id.file) || !self.inference().has_parts(id) {
            return false;
        }
        match found {
            Type::Foreign { .. } => {
                matches!(
                    self.members().unwrapped(found),
                    Some(Type::Unknown | Type::Plain | Type::Parameter { .. })
                )
            }
            Type::Plain => self.is_frozen(id),
            _ => false,
        }
    }

    /// `Object.freeze({ … })`.
    fn is_frozen(&self, id: SymbolId) -> bool {
        let own = self.scopes().own_binding(id);
        let value = own.and_then(|binding| binding.value.as_deref());
        let value = value.and_then(|value| value.strip_prefix("Object."));
        value.is_some_and(|value| ["freeze(", "seal("].iter().any(|name| value.starts_with(name)))
    }

    /// Returns the declared type of an object literal. The object inherits members from it that it
    /// does not write out.
    pub(crate) fn written_type(&self, id: SymbolId) -> Option<Type> {
        let is_literal =
            self.is_script(id.file) && self.is_object(id) && self.inference().has_parts(id);
        let is_typed = || {
            let own = self.scopes().own_binding(id);
            own.is_some_and(|binding| binding.type_text.is_some())
        };
        (is_literal && is_typed()).then(|| self.with_budget(|| self.scopes().variable(id, None)))
    }

    /// The constants of a file that are written out as what an interface or an alias asks for.
    pub fn written_as(&self, file: FileIndex) -> Vec<(SymbolId, SymbolId)> {
        let symbols = 0..self.world.file(file).symbols().len() as u32;
        let found = symbols.filter_map(|symbol| {
            let id = SymbolId { file, symbol };
            match self.written_type(id)? {
                Type::Known { symbol: base, .. } => {
                    let kind = self.world.symbol(base).kind;
                    let asks = matches!(kind, ChunkKind::Interface | ChunkKind::TypeAlias);
                    asks.then_some((id, base))
                }
                _ => None,
            }
        });
        found.collect()
    }

    fn qualified(&self, id: SymbolId) -> String {
        let symbol = self.world.symbol(id);
        match &symbol.scope {
            Some(scope) => format!("{scope}.{}", symbol.name),
            None => symbol.name.clone(),
        }
    }

    fn is_object(&self, id: SymbolId) -> bool {
        use ChunkKind::{Constant, Property, Variable};
        matches!(self.world.symbol(id).kind, Constant | Property | Variable)
    }

    /// Resolves `open.call(page)` and `this.open.apply(page)` as calls of `open`, if that is a
    /// function.
    pub(crate) fn applied_call(&self, at: Position, reference: &Reference) -> Option<Meaning> {
        let name = &reference.name;
        let (function, reason) = match &reference.receiver {
            Some(receiver) => (format!("{receiver}.{name}"), Reason::QualifiedPath),
            None => (name.clone(), Reason::LexicalScope),
        };
        match self.inference().value(at, &self.parse_expression(&function)) {
            InferredValue::Functions(found, _) => {
                self.meant(at, found, reference, Confidence::High, reason)
            }
            _ => None,
        }
    }

    pub(crate) fn is_script(&self, file: FileIndex) -> bool {
        self.world.file(file).rules.family == "ecmascript"
    }
}
