//! Ruby modules that are mixed into classes. A bare name in a module may mean a method of the class
//! that includes it.

use crate::heritage::Heritage;
use crate::resolver::Position;
use crate::symbol_table::{SymbolId, is_callable, is_type};
use kenning_model::{ChunkKind, Reference};

/// More definitions of one name are not examined.
const MAX_NAMESAKES: usize = 100;

impl<'t> Heritage<'_, 't> {
    /// Finds the methods of the reference's name in the class that includes the Ruby module around
    /// the position. The result is empty if several such classes have the method.
    pub(crate) fn find_including_class_methods(
        &self,
        at: Position,
        reference: &Reference,
    ) -> Vec<SymbolId> {
        let file = self.table.file(at.file);
        if !file.rules.has_mixins {
            return Vec::new();
        }
        let symbols = file.symbols();
        // Only code inside of a module can mean methods of an including class.
        let mut around = file.ancestors(at.symbol);
        let module = around.find(|&index| symbols[index as usize].kind == ChunkKind::Module);
        let Some(module) = module.map(|index| symbols[index as usize].name.as_str()) else {
            return Vec::new();
        };
        let named = self.definitions(&reference.name);
        if named.len() > MAX_NAMESAKES {
            return Vec::new();
        }
        let mut classes = Vec::new();
        let mut found = Vec::new();
        for &id in named {
            // The candidate must be a method of a class that includes the module.
            let class = self.table.parent(id).filter(|&class| {
                let is_method = is_callable(self.table.symbol(id).kind);
                is_method
                    && is_type(self.table.symbol(class).kind)
                    && self.includes_module(class, module)
            });
            if let Some(class) = class
                && self.table.can_use(at.file, id.file)
            {
                let symbol = self.table.symbol(class);
                let name = (&symbol.scope, &symbol.name);
                // A reopened class counts once: it is the same name in the same scope.
                if !classes.contains(&name) {
                    classes.push(name);
                }
                found.push(id);
            }
        }
        // Several classes include the module, and any of their methods may be called.
        if classes.len() > 1 {
            found.clear();
        }
        found
    }

    /// True if a class includes a module of this name in any of its reopened bodies.
    fn includes_module(&self, class: SymbolId, module: &str) -> bool {
        let symbol = self.table.symbol(class);
        self.record_dependency(&symbol.name);
        let namesakes = self.table.types(&symbol.name).iter();
        let mut bodies = namesakes.filter(|&&id| self.table.symbol(id).scope == symbol.scope);
        bodies.any(|&id| {
            let span = self.table.symbol(id).span;
            let file = self.table.file(id.file);
            let mut clauses = file.heritage_in_lines(span.start_line, span.end_line);
            clauses.any(|clause| {
                let base = clause.base.rsplit("::").next().unwrap_or(&clause.base);
                clause.subject_name() == symbol.name && base == module
            })
        })
    }
}
