//! Words that are variables, or calls of a method without arguments: `stop` in `def run; stop; end`.

use crate::resolve_reference::Resolution;
use crate::resolver::{Position, Resolver};
use crate::symbol_table::{SymbolId, is_type};
use crate::{Confidence, Reason};
use kenning_model::{ChunkKind, Reference};

impl Resolver<'_> {
    /// Resolves a word that calls a method without arguments: a method of the type around it, of a
    /// base, or of a class that includes the module around it, else a function of the same file.
    /// Any other word is a variable or a library's method.
    pub(crate) fn resolve_bare_word(&self, at: Position, word: &Reference) -> Option<Resolution> {
        if self.overloads().is_local_variable(at, &word.name) {
            return None;
        }
        let is_function = |id: &SymbolId| {
            matches!(self.table.symbol(*id).kind, ChunkKind::Function | ChunkKind::Method)
        };
        let call = Reference { labels: Vec::new(), ..word.clone() };
        let (own, reason) = self.members_around(at, &word.name);
        let methods: Vec<SymbolId> = own.into_iter().filter(is_function).collect();
        if !methods.is_empty() {
            return self.select_call_targets(at, methods, &call, Confidence::High, reason);
        }
        let mixed_in = self.heritage().find_including_class_methods(at, &call);
        if !mixed_in.is_empty() {
            return Resolution::new(mixed_in, Confidence::Medium, Reason::UniqueMember);
        }
        let file = self.table.file(at.file);
        let top_level = file.children(None, &word.name).map(|index| file.symbol_id(index));
        let functions = top_level.filter(is_function).collect();
        self.select_call_targets(at, functions, &call, Confidence::High, Reason::SameFile)
    }

    /// Returns the members of a name in the innermost type or module around a position.
    fn members_around(&self, at: Position, name: &str) -> (Vec<SymbolId>, Reason) {
        let file = self.table.file(at.file);
        let kind = |index: u32| file.symbols()[index as usize].kind;
        let mut around = file.ancestors(at.symbol);
        let home = around.find(|&index| is_type(kind(index)) || kind(index) == ChunkKind::Module);
        match home {
            None => (Vec::new(), Reason::OwnMember),
            Some(home) => {
                let own = self.members().members_with_bases(file.symbol_id(home), name);
                (own.to_vec(), Reason::OwnMember)
            }
        }
    }
}
