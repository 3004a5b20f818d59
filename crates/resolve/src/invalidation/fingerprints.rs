//! Per-name fingerprints of a file's facts.
//!
//! Names whose fingerprints change in an edit become dirty. Only files that depend on a dirty name
//! are resolved again.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::rules::Rules;
use kenning_model::{
    Binding, ChunkKind, FileFacts, Fingerprints, Reference, ReferenceKind, RepoPath, Symbol,
    methods_key, name_hash, required_key,
};

/// Returns the fingerprints of a file's facts. `rules` are those of its language.
pub fn fingerprints(rules: &Rules, path: &RepoPath, facts: FileFacts) -> Fingerprints {
    let FileFacts { symbols, references, bindings, heritage, .. } = facts;
    let mut builder = FingerprintBuilder { path: path.as_str(), fingerprints: Fingerprints::new() };
    // The file itself, under each name by which an import may find it.
    let stem = path.file_name().split('.').next().unwrap_or_default();
    for name in [stem, path.parent().file_name()] {
        builder.add_fact(name, "file");
    }
    // Types implement structural interfaces without naming them, so method sets have keys of their
    // own.
    let is_structural = rules.structural_interfaces.is_some();
    let interfaces: HashSet<&str> = symbols
        .iter()
        .filter(|one| one.kind == ChunkKind::Interface)
        .map(|one| one.name.as_str())
        .collect();
    for (index, symbol) in symbols.iter().enumerate() {
        // An object literal has members only if a definition is nested in it, so the first counts.
        let next = symbols.get(index + 1);
        let has_children = next.is_some_and(|next| next.span.start_byte < symbol.span.end_byte);
        let place = (symbol.kind, symbol.visibility, symbol.is_test, &symbol.scope, has_children);
        let shape = (&symbol.signature, &symbol.parameters, &symbol.type_text);
        builder.add_fact(&symbol.name, (place, shape));
        let owner = symbol.scope.as_deref();
        let is_method = is_structural && symbol.kind == ChunkKind::Method;
        if let Some(owner) = owner.filter(|_| is_method) {
            let fact = (&symbol.name, &symbol.signature);
            builder.add_fact(&methods_key(owner), fact);
            if interfaces.contains(owner) {
                builder.add_fact(&required_key(&symbol.name), fact);
            }
        }
    }
    let is_import =
        |one: &&Reference| matches!(one.kind, ReferenceKind::Import | ReferenceKind::Export);
    for import in references.iter().filter(is_import) {
        let local = import.labels.first().unwrap_or(&import.name);
        let from = (&import.name, &import.receiver, &import.labels);
        builder.add_fact(local, (from, import.kind, import.container.is_some()));
    }
    builder.add_bindings(bindings, symbols);
    for one in heritage {
        let subject = one.subject_name();
        builder.add_fact(subject, (&one.subject, &one.base));
        if is_structural {
            let base = one.base.rsplit('.').next().unwrap_or(&one.base);
            builder.add_fact(&methods_key(subject), &one.base);
            builder.add_fact(&required_key(base), &one.subject);
        }
    }
    builder.fingerprints
}

/// Collects the fingerprints of one file.
struct FingerprintBuilder<'p> {
    /// The path of the file, which is part of every hash.
    path: &'p str,
    /// Pairs of name hash and fact hash.
    fingerprints: Fingerprints,
}

impl FingerprintBuilder<'_> {
    /// Adds the hash of a fact under a name. The path is part of the hash, so that a fact that
    /// moves to another file changes.
    fn add_fact(&mut self, name: &str, fact: impl Hash) {
        let mut hasher = DefaultHasher::new();
        (self.path, fact).hash(&mut hasher);
        // A fact that occurs twice must differ from one that occurs once.
        let mut print = (name_hash(name), hasher.finish());
        while !self.fingerprints.insert(print) {
            print.1 = print.1.wrapping_add(1);
        }
    }

    /// Adds the bindings of a file, from which return types and field types are inferred.
    fn add_bindings(&mut self, bindings: &[Binding], symbols: &[Symbol]) {
        let mut starts: Vec<u32> = bindings.iter().map(|binding| binding.start_byte).collect();
        starts.sort_unstable();
        for binding in bindings {
            // The extent of the block counts bindings and not bytes, which any edit would change.
            let before = |byte: u32| starts.partition_point(|&start| start < byte);
            let end = binding.end_byte;
            let extent = end.map(|end| before(end) - before(binding.start_byte).min(before(end)));
            self.add_binding(binding, extent, symbols);
        }
    }

    /// Adds a binding to the fingerprints of its function and field. The inferred type of a
    /// function's result or of a field may depend on it.
    fn add_binding(&mut self, binding: &Binding, extent: Option<usize>, symbols: &[Symbol]) {
        let kind = (&binding.name, binding.kind, extent);
        let fact = (kind, &binding.type_text, &binding.value);
        let holder = binding.container.and_then(|index| symbols.get(index as usize));
        if let Some(holder) = holder.filter(|holder| holder.type_text.is_none()) {
            self.add_fact(&holder.name, fact);
        }
        if let Some((_, field)) = binding.name.rsplit_once('.') {
            self.add_fact(field, fact);
        }
    }
}
