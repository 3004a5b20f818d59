//! A part of the code that a question is about: files, or definitions within them. What the index
//! knows of names is asked elsewhere.

use crate::search::SearchHit;
use crate::search::trace::{Label, TracedChunk};
use kenning_model::{RepoPath, Span};
use kenning_store::code::{Filter, SymbolRecord};

pub struct Within {
    pub filter: Filter,
    /// The definitions that alone count; everything if there are none.
    definitions: Vec<Definition>,
}

struct Definition {
    path: RepoPath,
    span: Span,
    label: Label,
}

impl Within {
    /// Whatever is in the file.
    pub fn file(path: RepoPath) -> Within {
        Within { filter: only(vec![path]), definitions: Vec::new() }
    }

    pub fn definitions(symbols: Vec<SymbolRecord>) -> Within {
        let definitions = symbols.into_iter().map(|symbol| Definition {
            path: symbol.path,
            span: symbol.fact.span,
            label: Label { name: symbol.fact.name, line: symbol.fact.line },
        });
        let definitions: Vec<Definition> = definitions.collect();
        let paths = definitions.iter().map(|one| one.path.clone());
        Within { filter: only(paths.collect()), definitions }
    }

    /// A definition, a part of it, or a chunk that it is a part of.
    pub fn holds(&self, found: &SearchHit) -> bool {
        let mut definitions = self.definitions.iter();
        let chunk = &found.chunk;
        self.definitions.is_empty() || definitions.any(|one| one.meets(&chunk.path, chunk.span))
    }

    /// The definition that was asked for is what a place in it is called.
    pub fn label(&self, place: &mut TracedChunk) {
        let chunk = &place.chunk;
        let mut definitions = self.definitions.iter();
        if let Some(asked) = definitions.find(|one| one.meets(&chunk.path, chunk.span)) {
            place.label = Some(asked.label.clone());
        }
    }
}

impl Definition {
    fn meets(&self, path: &RepoPath, span: Span) -> bool {
        let is_before = self.span.end_line < span.start_line;
        let is_behind = self.span.start_line > span.end_line;
        self.path == *path && !is_before && !is_behind
    }
}

/// True if the innermost scopes are these: `Kettle` is not the end of `TeaKettle`.
pub fn is_owned(scope: &str, owner: &str) -> bool {
    let outer = scope.strip_suffix(owner);
    owner.is_empty() || outer.is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
}

/// These files, whatever is in them.
pub fn only(mut paths: Vec<RepoPath>) -> Filter {
    paths.sort();
    paths.dedup();
    let escaped = paths.iter().map(|path| {
        let characters = path.as_str().chars().map(|c| match c {
            '*' | '?' | '[' | '{' | '}' => format!("[{c}]"),
            c => c.to_string(),
        });
        characters.collect()
    });
    Filter { globs: escaped.collect(), ..Filter::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_whole_scopes() {
        for (scope, owner, expected) in [
            ("kettle", "kettle", true),
            ("tea.kettle", "kettle", true),
            ("tea.kettle", "tea.kettle", true),
            ("teakettle", "kettle", false),
            ("kettle.lid", "kettle", false),
            ("", "kettle", false),
            ("anything", "", true),
        ] {
            assert_eq!(is_owned(scope, owner), expected, "{scope} {owner}");
        }
    }
}
