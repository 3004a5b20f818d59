//! Text search: exactly as written, then ignoring case, then all words in any order and spelling.
//! Nearer matches come first.
//!
//! It finds text, not meaning, and uses no vectors. Semantic search is in the parent module. Each
//! stage runs only if the stages before it found too little.

mod rank;

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_store::code::{ChunkRecord, Filter, GrepLimits, Pattern, TextMatch};
use kenning_text::tokenizer::{self, Word};

/// The arguments of one text search.
pub struct TextSearch<'q> {
    pub text: &'q str,
    pub mode: TextMode,
    pub filter: &'q Filter,
    pub limit: usize,
    /// The deadline of the search, in every mode. It is checked while a regular expression or a
    /// case-insensitive text is matched; an exact text is found sooner than that.
    pub deadline: Option<Instant>,
}

/// The way a text is matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextMode {
    /// Exactly; if there are too few matches, ignoring case; then by all words.
    #[default]
    Nearest,
    Exact,
    Expression,
}

/// A chunk that matches the text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextSearchHit {
    pub chunk: ChunkRecord,
    pub kind: TextMatchKind,
    /// From 0 to 1.
    pub score: f32,
    /// The matching lines of the file, from 1; empty if only the words match.
    pub lines: Vec<u32>,
}

/// The way in which a chunk matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextMatchKind {
    Exact,
    IgnoringCase,
    Words,
}

/// The number of chunks to find per requested result, and its minimum, before the best are chosen.
/// The search for a frequent text stops there.
const DEPTH_PER_RESULT: usize = 4;
const MIN_DEPTH: usize = 100;

/// The most definitions that are read for one name.
const MAX_DEFINITIONS: usize = 30;

/// Returns the nearest matches, nearest first. It fails with `Refused` if a regular expression is
/// invalid or takes too long.
///
/// The stages are not merged by score. A chunk counts with the first, and therefore nearest, kind
/// of match.
pub fn search(view: &dyn View, search: &TextSearch) -> Result<Vec<TextSearchHit>, StoreError> {
    let refused = |error: kenning_store::code::BadPattern| StoreError::InvalidArgument {
        what: error.to_string(),
    };
    let mut found = MatchCollector::default();
    match search.mode {
        TextMode::Expression => {
            let pattern = Pattern::expression(search.text).map_err(refused)?;
            found.add_matches(find_pattern(view, search, &pattern)?, TextMatchKind::Exact);
        }
        TextMode::Exact | TextMode::Nearest => {
            let pattern = Pattern::exact(search.text);
            found.add_matches(find_definitions(view, search, &pattern)?, TextMatchKind::Exact);
            found.add_matches(find_pattern(view, search, &pattern)?, TextMatchKind::Exact);
        }
    }
    if search.mode == TextMode::Nearest && found.len() < search.limit {
        // A text too long for this pattern was already searched exactly.
        if let Ok(pattern) = Pattern::ignoring_case(search.text) {
            found.add_matches(find_pattern(view, search, &pattern)?, TextMatchKind::IgnoringCase);
        }
    }
    if search.mode == TextMode::Nearest && found.len() < search.limit {
        found.add_matches(find_all_words(view, search)?, TextMatchKind::Words);
    }
    rank::rank_matches(view, search, found.into_matches())
}

/// Chunks in the order of discovery, each with its first kind of match.
#[derive(Default)]
struct MatchCollector {
    matches: Vec<(TextMatch, TextMatchKind)>,
    known: HashMap<u32, TextMatchKind>,
}

impl MatchCollector {
    /// Keeps the first kind of match of each chunk, because the stages run from near to far.
    fn add_matches(&mut self, found: Vec<TextMatch>, how: TextMatchKind) {
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

    fn into_matches(self) -> Vec<(TextMatch, TextMatchKind)> {
        self.matches
    }
}

/// Runs one pattern over the index, within the depth of the search.
fn find_pattern(
    view: &dyn View,
    search: &TextSearch,
    pattern: &Pattern,
) -> Result<Vec<TextMatch>, StoreError> {
    let bounds = GrepLimits {
        chunks: MIN_DEPTH.max(search.limit.saturating_mul(DEPTH_PER_RESULT)),
        deadline: search.deadline,
    };
    view.find_text(pattern, search.filter, bounds)
}

/// Finds the definitions of exactly this name, however many other places contain it.
///
/// The bounded search could stop before it reaches the definition of a frequent name. This lookup
/// therefore runs first.
fn find_definitions(
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
        let lines = pattern.matching_lines(text.as_bytes(), None).unwrap_or_default();
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

/// Finds the chunks that contain every word of the text, by word score.
///
/// BM25 also returns chunks with some of the words only, so each text is checked again. Matches
/// have no lines, because the words may be anywhere.
fn find_all_words(view: &dyn View, search: &TextSearch) -> Result<Vec<TextMatch>, StoreError> {
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
