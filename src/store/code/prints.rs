//! What a file tells other files, by name: if the prints of a name are the same before and after a
//! change, no edge of another file can have become another.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::codes::name_hash;
use crate::model::{Binding, Heritage, Reference, ReferenceKind, RepoPath, Symbol};

/// The hash of a name, and of something that is said of it.
pub type Prints = HashSet<(u32, u64)>;

/// What these facts say of each name.
pub fn of(
    path: &RepoPath,
    symbols: &[Symbol],
    references: &[Reference],
    bindings: &[Binding],
    heritage: &[Heritage],
) -> Prints {
    let mut prints = Prints::new();
    let mut put = |name: &str, what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        // The same said twice is not the same as said once.
        let mut print = (name_hash(name), hasher.finish());
        while !prints.insert(print) {
            print.1 = print.1.wrapping_add(1);
        }
    };
    let text = path.as_str();
    // That there is such a file, under each name by which a module may be meant.
    let stem = path.file_name().split('.').next().unwrap_or_default();
    let parent = path.parent();
    for name in [stem, parent.file_name()] {
        put(name, &|hasher| text.hash(hasher));
    }
    for symbol in symbols {
        put(&symbol.name, &|hasher| {
            (text, symbol.kind, symbol.visibility, &symbol.scope).hash(hasher);
            (&symbol.signature, &symbol.parameters, &symbol.type_text).hash(hasher);
        });
    }
    for reference in references {
        if matches!(
            reference.kind,
            ReferenceKind::Import | ReferenceKind::Export
        ) {
            let local = reference.labels.first().unwrap_or(&reference.name);
            put(local, &|hasher| {
                (
                    text,
                    &reference.name,
                    &reference.receiver,
                    &reference.labels,
                )
                    .hash(hasher);
                (reference.kind, reference.inside.is_some()).hash(hasher);
            });
        }
    }
    for binding in bindings {
        let said = |hasher: &mut DefaultHasher| {
            (text, &binding.name, binding.kind).hash(hasher);
            (&binding.type_text, &binding.value).hash(hasher);
        };
        let holder = binding.inside.and_then(|index| symbols.get(index as usize));
        if let Some(holder) = holder.filter(|holder| holder.type_text.is_none()) {
            put(&holder.name, &said);
        }
        if let Some((_, field)) = binding.name.rsplit_once('.') {
            put(field, &said);
        }
    }
    for one in heritage {
        let subject = one.subject.rsplit(['.', ':']).next();
        put(subject.unwrap_or_default(), &|hasher| {
            (text, &one.subject, &one.base).hash(hasher);
        });
    }
    prints
}
