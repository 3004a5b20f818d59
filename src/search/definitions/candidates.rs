//! The definitions that may answer a report: the functions of the best files, and the chunks
//! without a function that the retrievers found there.

use std::collections::HashMap;

use crate::search::{CodeSearch, SearchHit};
use kenning_model::{ChunkKind, RepoPath, Symbol};
use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_store::code::{ChunkRecord, Tests};

/// The number of files whose definitions are considered.
const MAX_FILES: usize = 40;

/// The most definitions that are considered.
const MAX_DEFINITIONS: usize = 800;

/// The most bytes of a definition that are read.
const MAX_TEXT: usize = 6000;

/// A definition, or a chunk without one, before it is scored.
pub struct DefinitionCandidate {
    /// The lines of the definition, in the form of a chunk.
    pub chunk: ChunkRecord,
    pub text: String,
    pub is_function: bool,
    /// The best score of a chunk that shares lines with it; 0 if no retriever found one.
    pub chunk_score: f32,
    /// The best score of a chunk of its file.
    pub file_score: f32,
}

/// True for code that runs when it is called.
fn is_callable(kind: ChunkKind) -> bool {
    use ChunkKind::{Deinitializer, Function, Initializer, Macro, Method, Subscript};
    matches!(kind, Function | Method | Initializer | Deinitializer | Subscript | Macro)
}

/// The chunks of one file that were found, best first.
struct FoundFile {
    path: RepoPath,
    hits: Vec<SearchHit>,
}

/// Returns the candidates of the best files. `ranked` holds chunks, best first.
pub fn list_candidates(
    view: &dyn View,
    search: &CodeSearch,
    ranked: Vec<SearchHit>,
) -> Result<Vec<DefinitionCandidate>, StoreError> {
    let mut candidates = Vec::new();
    for file in group_by_file(ranked) {
        let symbols = view.symbols_in(&file.path)?.into_iter().map(|record| record.fact);
        let symbols: Vec<Symbol> = symbols.collect();
        let functions = outermost_functions(&symbols);
        let score = file.hits[0].score;
        let mut push = |chunk: ChunkRecord, is_function: bool, chunk_score: f32| {
            candidates.push(DefinitionCandidate {
                chunk,
                text: String::new(),
                is_function,
                chunk_score,
                file_score: score,
            });
        };
        for hit in &file.hits {
            let has_function = functions.iter().any(|one| hit.chunk.span.has_line(one.line));
            let is_inside = |function: &&Symbol| {
                function.span.start_byte <= hit.chunk.span.start_byte
                    && hit.chunk.span.end_byte <= function.span.end_byte
            };
            if !has_function && !functions.iter().any(is_inside) {
                push(hit.chunk.clone(), false, hit.score);
            }
        }
        for function in functions.iter().filter(|one| is_wanted(search, one)) {
            let shared = file.hits.iter().filter(|hit| shares_lines(&hit.chunk, function));
            let best = shared.map(|hit| hit.score).fold(0.0, f32::max);
            push(function_chunk(&file.hits[0].chunk, function), true, best);
        }
        if candidates.len() >= MAX_DEFINITIONS {
            break;
        }
    }
    candidates.truncate(MAX_DEFINITIONS);
    read_texts(view, &mut candidates)?;
    Ok(candidates)
}

/// Reads the beginning of the text of each candidate.
fn read_texts(view: &dyn View, candidates: &mut [DefinitionCandidate]) -> Result<(), StoreError> {
    let chunks: Vec<ChunkRecord> = candidates.iter().map(|one| one.chunk.clone()).collect();
    for (one, text) in candidates.iter_mut().zip(view.texts(&chunks)?) {
        one.text = text;
        let end =
            (0..=one.text.len().min(MAX_TEXT)).rev().find(|at| one.text.is_char_boundary(*at));
        one.text.truncate(end.unwrap_or_default());
    }
    Ok(())
}

/// Groups hits by file. The order is that of the best hit of each file.
fn group_by_file(ranked: Vec<SearchHit>) -> Vec<FoundFile> {
    let mut places: HashMap<RepoPath, usize> = HashMap::new();
    let mut files: Vec<FoundFile> = Vec::new();
    for hit in ranked {
        let path = &hit.chunk.path;
        match places.get(path) {
            Some(place) => files[*place].hits.push(hit),
            None if files.len() < MAX_FILES => {
                places.insert(path.clone(), files.len());
                files.push(FoundFile { path: path.clone(), hits: vec![hit] });
            }
            None => {}
        }
    }
    files
}

/// Returns the functions of a file that are not inside of another function.
fn outermost_functions(symbols: &[Symbol]) -> Vec<&Symbol> {
    let mut functions: Vec<&Symbol> = Vec::new();
    let mut callable: Vec<&Symbol> = symbols.iter().filter(|one| is_callable(one.kind)).collect();
    callable.sort_by_key(|one| (one.span.start_byte, std::cmp::Reverse(one.span.end_byte)));
    for symbol in callable {
        let around = functions.last().filter(|last| symbol.span.end_byte <= last.span.end_byte);
        if around.is_none() {
            functions.push(symbol);
        }
    }
    functions
}

/// True if the filter of the search accepts the symbol itself. Its file was accepted before.
fn is_wanted(search: &CodeSearch, symbol: &Symbol) -> bool {
    let is_visible = match search.filter.tests {
        Tests::Included => true,
        Tests::Excluded => !symbol.is_test,
        Tests::Only => symbol.is_test,
    };
    is_visible && search.filter.accepts_symbol_kind(symbol.kind)
}

fn shares_lines(chunk: &ChunkRecord, symbol: &Symbol) -> bool {
    chunk.span.start_line <= symbol.span.end_line && symbol.span.start_line <= chunk.span.end_line
}

/// Returns the definition in the form of a chunk of its file.
fn function_chunk(of_file: &ChunkRecord, symbol: &Symbol) -> ChunkRecord {
    ChunkRecord {
        kind: symbol.kind,
        is_test: symbol.is_test,
        symbol: Some(symbol.name.clone()),
        scope: symbol.scope.clone(),
        line: Some(symbol.line),
        span: symbol.span,
        ..of_file.clone()
    }
}
