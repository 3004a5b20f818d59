//! Searching for text as it is written: exactly, then whatever its capitals, then all of its words
//! in any order and any spelling of identifiers. What is nearer to what was asked comes first.

mod rank;

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crate::embed::tokenizer::{self, Word};
use crate::store::StoreError;
use crate::store::backends::View;
use crate::store::code::{Bounds, ChunkRecord, Filter, Pattern, TextMatch};

/// What to look for, and how.
pub struct TextSearch<'q> {
    pub text: &'q str,
    pub mode: Mode,
    pub filter: &'q Filter,
    pub limit: usize,
    /// When the search has had its time. It holds in every mode, and is looked at while an expression is
    /// matched, as it is for text in any capitals; a text as it is written is found sooner than that.
    pub deadline: Option<Instant>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Exactly; if that is too little, whatever its capitals; if that is, all of its words.
    #[default]
    Nearest,
    Exact,
    Expression,
}

/// A chunk that has the text.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundText {
    pub chunk: ChunkRecord,
    pub how: How,
    /// From 0 to 1.
    pub score: f32,
    /// The lines of the file with a match, from 1; none if only its words are there.
    pub lines: Vec<u32>,
}

/// In which way a chunk has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    Exact,
    IgnoringCase,
    Words,
}

/// So many chunks are found for each that is wanted, and at least, before the best are chosen: a
/// text that is everywhere is not looked for everywhere.
const DEPTH_PER_RESULT: usize = 4;
const MIN_DEPTH: usize = 100;

/// Definitions of one name beyond this many are not told apart by being definitions.
const MAX_DEFINITIONS: usize = 30;

/// The nearest, nearest first. Fails with `Refused` if the text is not a regular expression where
/// it should be one, or takes too long.
pub fn search(view: &dyn View, search: &TextSearch) -> Result<Vec<FoundText>, StoreError> {
    let refused =
        |error: crate::store::code::BadPattern| StoreError::Refused { what: error.to_string() };
    let mut found = Gathered::default();
    match search.mode {
        Mode::Expression => {
            let pattern = Pattern::expression(search.text).map_err(refused)?;
            found.take(find(view, search, &pattern)?, How::Exact);
        }
        Mode::Exact | Mode::Nearest => {
            let pattern = Pattern::exact(search.text);
            found.take(definitions(view, search, &pattern)?, How::Exact);
            found.take(find(view, search, &pattern)?, How::Exact);
        }
    }
    if search.mode == Mode::Nearest && found.len() < search.limit {
        // A text that is too long for it has been looked for as it is.
        if let Ok(pattern) = Pattern::ignoring_case(search.text) {
            found.take(find(view, search, &pattern)?, How::IgnoringCase);
        }
    }
    if search.mode == Mode::Nearest && found.len() < search.limit {
        found.take(with_all_words(view, search)?, How::Words);
    }
    rank::rank(view, search, found.into_matches())
}

/// Chunks in the order in which they were found, each as it was found first.
#[derive(Default)]
struct Gathered {
    matches: Vec<(TextMatch, How)>,
    known: HashMap<u32, How>,
}

impl Gathered {
    fn take(&mut self, found: Vec<TextMatch>, how: How) {
        for one in found {
            self.known.entry(one.chunk).or_insert_with(|| {
                self.matches.push((one, how));
                how
            });
        }
    }

    fn len(&self) -> usize {
        self.matches.len()
    }

    fn into_matches(self) -> Vec<(TextMatch, How)> {
        self.matches
    }
}

fn find(
    view: &dyn View,
    search: &TextSearch,
    pattern: &Pattern,
) -> Result<Vec<TextMatch>, StoreError> {
    let bounds = Bounds {
        chunks: MIN_DEPTH.max(search.limit.saturating_mul(DEPTH_PER_RESULT)),
        deadline: search.deadline,
    };
    view.find_text(pattern, search.filter, bounds)
}

/// Where something of this very name is defined, however many other places have it.
fn definitions(
    view: &dyn View,
    search: &TextSearch,
    pattern: &Pattern,
) -> Result<Vec<TextMatch>, StoreError> {
    let name = search.text.trim();
    if !tokenizer::is_name(name) {
        return Ok(Vec::new());
    }
    let last = tokenizer::last_name(name);
    let defined = view.definitions(last, search.filter, MAX_DEFINITIONS)?;
    let mut ids: Vec<u32> = defined.into_iter().flat_map(|one| one.chunks).collect();
    ids.sort_unstable();
    ids.dedup();
    let chunks = view.chunks(&ids)?;
    let texts = view.texts(&chunks)?;
    let mut found = Vec::new();
    for (chunk, text) in chunks.iter().zip(texts) {
        let lines = pattern.lines(text.as_bytes(), None).unwrap_or_default();
        if !lines.is_empty() {
            let first = chunk.span.start_line - 1;
            found.push(TextMatch {
                chunk: chunk.id,
                lines: lines.into_iter().map(|line| line + first).collect(),
            });
        }
    }
    Ok(found)
}

/// The chunks that have every word of the text, by how much they say about them.
fn with_all_words(view: &dyn View, search: &TextSearch) -> Result<Vec<TextMatch>, StoreError> {
    let wanted = tokenizer::of_question(search.text);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let terms: Vec<(Word, f32)> = wanted.iter().map(|word| (*word, 1.0)).collect();
    let depth = MIN_DEPTH.max(search.limit.saturating_mul(DEPTH_PER_RESULT));
    let hits = view.search_terms(&terms, search.filter, depth)?;
    let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    let chunks = view.chunks(&ids)?;
    let texts = view.texts(&chunks)?;
    let mut found = Vec::new();
    for (chunk, text) in chunks.iter().zip(texts) {
        let mut said: HashSet<Word> = HashSet::new();
        tokenizer::each(&text, |word| {
            said.insert(word);
        });
        tokenizer::each(chunk.symbol.as_deref().unwrap_or_default(), |word| {
            said.insert(word);
        });
        if wanted.iter().all(|word| said.contains(word)) {
            found.push(TextMatch { chunk: chunk.id, lines: Vec::new() });
        }
    }
    Ok(found)
}
