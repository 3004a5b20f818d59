//! A part of the code that a question is about: files, or definitions within them.
//!
//! A filter of the store selects files. Definitions are finer than that, so hits are checked a
//! second time by their lines.

use crate::search::SearchHit;
use crate::search::trace::{SymbolLabel, TracedChunk};
use kenning_model::{RepoPath, Span};
use kenning_store::code::{Filter, SymbolRecord};

/// `filter` goes to the search; [`ScopeFilter::accepts_hit`] checks what it returns.
pub struct ScopeFilter {
    pub filter: Filter,
    /// The definitions that hits must overlap. If empty, every hit in the files counts.
    definitions: Vec<ScopedDefinition>,
}

/// A definition, reduced to what the checks need.
struct ScopedDefinition {
    path: RepoPath,
    span: Span,
    label: SymbolLabel,
}

impl ScopeFilter {
    /// Selects everything in one file.
    pub fn for_file(path: RepoPath) -> ScopeFilter {
        ScopeFilter { filter: only_files(vec![path]), definitions: Vec::new() }
    }

    /// Selects definitions, which may be in several files.
    pub fn for_definitions(symbols: Vec<SymbolRecord>) -> ScopeFilter {
        let definitions: Vec<ScopedDefinition> = symbols
            .into_iter()
            .map(|symbol| ScopedDefinition {
                path: symbol.path,
                span: symbol.fact.span,
                label: SymbolLabel { name: symbol.fact.name, line: symbol.fact.line },
            })
            .collect();
        let paths = definitions.iter().map(|one| one.path.clone());
        ScopeFilter { filter: only_files(paths.collect()), definitions }
    }

    /// True if the hit is a selected definition, a part of one, or a chunk that contains one.
    pub fn accepts_hit(&self, found: &SearchHit) -> bool {
        let mut definitions = self.definitions.iter();
        let chunk = &found.chunk;
        self.definitions.is_empty()
            || definitions.any(|one| one.overlaps_span(&chunk.path, chunk.span))
    }

    /// Labels a place with the selected definition that it overlaps, because the user asked about
    /// that one.
    pub fn apply_label(&self, place: &mut TracedChunk) {
        let chunk = &place.chunk;
        let mut definitions = self.definitions.iter();
        if let Some(asked) = definitions.find(|one| one.overlaps_span(&chunk.path, chunk.span)) {
            place.label = Some(asked.label.clone());
        }
    }
}

impl ScopedDefinition {
    /// True if the definition and a span of the same file share a line.
    fn overlaps_span(&self, path: &RepoPath, span: Span) -> bool {
        let is_before = self.span.end_line < span.start_line;
        let is_behind = self.span.start_line > span.end_line;
        self.path == *path && !is_before && !is_behind
    }
}

/// True if the innermost scopes are these: `Kettle` is not the end of `TeaKettle`. An empty owner
/// matches everything.
pub fn has_owner(scope: &str, owner: &str) -> bool {
    let outer = scope.strip_suffix(owner);
    owner.is_empty() || outer.is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
}

/// Returns a filter for exactly these files. Glob characters in names are escaped.
pub fn only_files(mut paths: Vec<RepoPath>) -> Filter {
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
            assert_eq!(has_owner(scope, owner), expected, "{scope} {owner}");
        }
    }
}
