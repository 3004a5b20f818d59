//! Per-name fingerprints of a file's facts. Names whose fingerprints change in an edit become
//! dirty. Only files that depend on a dirty name are resolved again.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::rules::{Interfaces, Rules};
use kenning_model::{
    Binding, ChunkKind, FileFacts, Fingerprints, Reference, ReferenceKind, RepoPath, Symbol,
    methods_key, name_hash, required_key,
};

/// Returns the fingerprints of a file's facts. `rules` are those of its language.
pub fn fingerprints(rules: &Rules, path: &RepoPath, facts: FileFacts) -> Fingerprints {
    let FileFacts { symbols, references, bindings, heritage, .. } = facts;
    let mut builder = FingerprintBuilder { path: path.as_str(), prints: Fingerprints::new() };
    // The existence of the file, under each name that may mean it as a module.
    let stem = path.file_name().split('.').next().unwrap_or_default();
    for name in [stem, path.parent().file_name()] {
        builder.put(name, "file");
    }
    // Types fulfil structural interfaces without naming them.
    let is_structural = rules.interfaces == Interfaces::Structural;
    let interfaces = symbols.iter().filter(|one| one.kind == ChunkKind::Interface);
    let interfaces: HashSet<&str> = interfaces.map(|one| one.name.as_str()).collect();
    for (index, symbol) in symbols.iter().enumerate() {
        // An object that is written out has what is defined in it, one that is not has none of it.
        let next = symbols.get(index + 1);
        let holds = next.is_some_and(|next| next.span.start_byte < symbol.span.end_byte);
        let place = (symbol.kind, symbol.visibility, &symbol.scope, holds);
        let shape = (&symbol.signature, &symbol.parameters, &symbol.type_text);
        builder.put(&symbol.name, (place, shape));
        let owner = symbol.scope.as_deref();
        let is_method = is_structural && symbol.kind == ChunkKind::Method;
        if let Some(owner) = owner.filter(|_| is_method) {
            let said = (&symbol.name, &symbol.signature);
            builder.put(&methods_key(owner), said);
            if interfaces.contains(owner) {
                builder.put(&required_key(&symbol.name), said);
            }
        }
    }
    let is_import =
        |one: &&Reference| matches!(one.kind, ReferenceKind::Import | ReferenceKind::Export);
    for import in references.iter().filter(is_import) {
        let local = import.labels.first().unwrap_or(&import.name);
        let from = (&import.name, &import.receiver, &import.labels);
        builder.put(local, (from, import.kind, import.container.is_some()));
    }
    builder.put_bindings(bindings, symbols);
    for one in heritage {
        let subject = one.subject_name();
        builder.put(subject, (&one.subject, &one.base));
        if is_structural {
            let base = one.base.rsplit('.').next().unwrap_or(&one.base);
            builder.put(&methods_key(subject), &one.base);
            builder.put(&required_key(base), &one.subject);
        }
    }
    builder.prints
}

/// Collects the fingerprints of one file.
struct FingerprintBuilder<'p> {
    path: &'p str,
    prints: Fingerprints,
}

impl FingerprintBuilder<'_> {
    fn put(&mut self, name: &str, said: impl Hash) {
        let mut hasher = DefaultHasher::new();
        (self.path, said).hash(&mut hasher);
        // A fact that occurs twice differs from one that occurs once.
        let mut print = (name_hash(name), hasher.finish());
        while !self.prints.insert(print) {
            print.1 = print.1.wrapping_add(1);
        }
    }

    fn put_bindings(&mut self, bindings: &[Binding], symbols: &[Symbol]) {
        let mut starts: Vec<u32> = bindings.iter().map(|binding| binding.start_byte).collect();
        starts.sort_unstable();
        for binding in bindings {
            // Counts the bindings in its block, which an edit of other lines does not change.
            let before = |byte: u32| starts.partition_point(|&start| start < byte);
            let end = binding.end_byte;
            let within = end.map(|end| before(end) - before(binding.start_byte).min(before(end)));
            self.put_binding(binding, within, symbols);
        }
    }

    /// Adds a binding to the fingerprints of its function and field. The inferred type of a
    /// function's result or of a field may depend on it.
    fn put_binding(&mut self, binding: &Binding, within: Option<usize>, symbols: &[Symbol]) {
        let kind = (&binding.name, binding.kind, within);
        let said = (kind, &binding.type_text, &binding.value);
        let holder = binding.container.and_then(|index| symbols.get(index as usize));
        if let Some(holder) = holder.filter(|holder| holder.type_text.is_none()) {
            self.put(&holder.name, said);
        }
        if let Some((_, field)) = binding.name.rsplit_once('.') {
            self.put(field, said);
        }
    }
}
