//! Extracts the facts of one source file from its path and text: pure, total, one parse per file.
//! The languages are data in [`languages`].
//!
//! The phases, each in files of its own:
//! - parse: `parse` makes the syntax tree within bounds, `parse_budget` counts its work,
//!   `parse_loss` measures what it missed
//! - capture: `tree_query_parse`, `tree_query_exec`, `captures` run the language's query over a
//!   `flat_tree`
//! - assemble: `definitions`, `bindings` and `references` turn captures into facts
//! - chunk: `chunk` cuts the text
//!
//! No phase can fail.

mod abbreviate_expression;
mod bindings;
mod capture_names;
mod captures;
mod definitions;
mod doc_comments;
mod flat_tree;
mod highlight;
mod item_macros;
mod normalize_names;
mod parse;
mod parse_budget;
mod parse_loss;
mod range_sweep;
mod references;
mod signature;
mod tree_query_exec;
mod tree_query_parse;

pub use highlight::{HighlightClass, highlight};
pub use parse_budget::count_parser_memory;

pub(super) use definitions::ExtractedDefinition;
pub(super) use flat_tree::FlatTree;
pub(super) use parse::FileSyntax;
pub(super) use range_sweep::{ByteRange, RangeSweep};

use super::chunk;
use super::languages::{self, Language};
use kenning_model::{CodeFacts, Problem, RepoPath, Symbol};

/// Reads everything that the file at `path` says. A file of no known language, and one that cannot
/// be parsed within bounds, yields chunks of plain text.
pub fn read(path: &RepoPath, text: &str) -> CodeFacts {
    read_in_steps(path, text, &mut |_| {})
}

/// Like [`read`], but returns `None` once `is_wanted` returns false. It is asked every few
/// milliseconds while the parser runs, so it should be cheap.
pub fn read_while(path: &RepoPath, text: &str, is_wanted: &dyn Fn() -> bool) -> Option<CodeFacts> {
    let facts = read_cancellable(path, text, &mut |_| {}, is_wanted);
    is_wanted().then_some(facts)
}

/// The phases of reading a file, in order. Each is reported when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractionPhase {
    Parsed,
    Captured,
    Assembled,
    Chunked,
}

/// Like [`read`], but calls `done` after each phase. A caller that measures brings the clock.
pub fn read_in_steps(
    path: &RepoPath,
    text: &str,
    done: &mut dyn FnMut(ExtractionPhase),
) -> CodeFacts {
    read_cancellable(path, text, done, &|| true)
}

/// Chooses the language. If `is_wanted` turns false, the facts are incomplete and must be dropped.
fn read_cancellable(
    path: &RepoPath,
    text: &str,
    done: &mut dyn FnMut(ExtractionPhase),
    is_wanted: &dyn Fn() -> bool,
) -> CodeFacts {
    match languages::detect_language(path, text) {
        Some(language) => read_language(language, path, text, done, is_wanted),
        None => CodeFacts {
            language: "text",
            chunks: chunk::chunk_plain_text(text, languages::is_test_path(path)),
            ..CodeFacts::default()
        },
    }
}

/// Reads a file of a known language, phase by phase.
fn read_language(
    language: &'static Language,
    path: &RepoPath,
    text: &str,
    done: &mut dyn FnMut(ExtractionPhase),
    is_wanted: &dyn Fn() -> bool,
) -> CodeFacts {
    let is_test = languages::is_test_path(path);
    // A file beyond the bounds of the parser is still found by its text.
    let Some(source) = parse::read_syntax(language, text, is_wanted) else {
        return CodeFacts {
            language: language.name,
            chunks: chunk::chunk_plain_text(text, is_test),
            problems: vec![Problem::new(path, "too large or too tangled to be parsed")],
            ..CodeFacts::default()
        };
    };
    let lines = chunk::LineIndex::new(text);
    done(ExtractionPhase::Parsed);
    let mut captured = captures::run_query(language, &source, text);
    done(ExtractionPhase::Captured);
    let mut definitions = definitions::assemble_definitions(language, &lines, &captured, is_test);
    definitions::mark_macro_items(text, &source.macros.read, &mut definitions);
    let bindings = bindings::collect_bindings(language, &lines, &captured, &definitions);
    let (mut references, heritage) =
        references::collect_references(language, &lines, &mut captured, &definitions);
    references::remove_local_words(&mut references, &bindings, &definitions);
    done(ExtractionPhase::Assembled);
    let chunks =
        chunk::chunk_syntax(&source.syntax, &lines, &definitions, &captured.comments(), is_test);
    done(ExtractionPhase::Chunked);
    let symbols: Vec<Symbol> = definitions.into_iter().map(|found| found.symbol).collect();
    // A language's own reader accepts only texts that it understands in full; a grammar recovers
    // from errors and loses text.
    let problem = match &source.syntax {
        FileSyntax::Tree(tree) => parse_loss::report_loss(path, tree, &lines, &symbols),
        FileSyntax::Flat(_) => None,
    };
    let unread = parse_loss::report_unread_macros(path, &source.macros.unread, &lines);
    CodeFacts {
        language: language.name,
        chunks,
        symbols,
        references,
        bindings,
        heritage,
        problems: problem.into_iter().chain(unread).collect(),
    }
}

#[cfg(test)]
pub use captures::check_query;
#[cfg(test)]
pub mod testing;
