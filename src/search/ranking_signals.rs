//! The table of ranking signals and their weights. A signal is a number from 0 to 1 that any
//! codebase has. Its weight was measured (`docs/ranking.md`).
//!
//! To add a signal, add a row to [`SIGNALS`] and a function that measures it. Nothing else has to
//! change: reasons, weights from the settings and the documentation follow the table.
//!
//! A signal sees one candidate and the query. It does no I/O and cannot fail.

use std::collections::HashMap;

use crate::search::fusion::FusedCandidate;
use crate::search::parsed_query::{ParsedQuery, QueryKind};
use crate::search::query_idf::QueryIdf;
use crate::search::{CodeSearch, SearchHit};
use kenning_lang::languages;
use kenning_model::{ChunkKind, RepoPath};
use kenning_text::tokenizer;

/// A row of the table.
///
/// The name is part of the interface: `search.weights` and the reasons of a hit use it.
pub struct Signal {
    pub name: &'static str,
    pub effect: SignalEffect,
    pub weight: f32,
    measure: fn(&SignalInput) -> f32,
}

/// The way a signal changes the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalEffect {
    /// Adds weight × signal.
    Bonus,
    /// Multiplies by 1 − weight × signal.
    Penalty,
}

/// The table. Scores of both lists lie between 0 and 1; what is added is on the same scale.
///
/// The order matters: bonuses are added before penalties multiply, so a penalty also applies to
/// them.
pub const SIGNALS: &[Signal] = &[
    bonus(DEFINITION, 2.0, queried_definition),
    bonus(MENTIONED, 0.35, mentioned_definition),
    bonus("message", 1.6, message_run),
    bonus("symbol", 0.2, symbol_words),
    bonus("file name", 0.5, file_name_words),
    bonus(PATH, 0.4, path_in_query),
    bonus("directory", 0.3, directory_words),
    bonus("file coherence", 0.35, file_coherence),
    bonus("file says it", 0.2, words_in_file),
    penalty("test", 0.4, test_code),
    penalty("aside", 0.4, secondary_code),
    penalty("document", 0.5, document_chunk),
    penalty("declaration file", 0.3, declaration_file),
    penalty("no definition", 0.15, nameless_chunk),
];

/// The name of the signal that ranks the definition of a queried name first.
pub const DEFINITION: &str = "definition";

/// The names of the signals for a definition and for a file that the query mentions.
pub const MENTIONED: &str = "defined name in the question";
pub const PATH: &str = "path in the question";

const fn bonus(name: &'static str, weight: f32, measure: fn(&SignalInput) -> f32) -> Signal {
    Signal { name, effect: SignalEffect::Bonus, weight, measure }
}

const fn penalty(name: &'static str, weight: f32, measure: fn(&SignalInput) -> f32) -> Signal {
    Signal { name, effect: SignalEffect::Penalty, weight, measure }
}

/// The input of a signal.
struct SignalInput<'v> {
    query: &'v ParsedQuery,
    query_idf: &'v QueryIdf,
    candidate: &'v FusedCandidate,
    /// The sum of the fused scores of the other candidates in the same file.
    neighbour_score: f32,
}

/// Applies the signals and returns the hits, best first.
///
/// Ties are broken by path and span. The order therefore does not depend on chunk ids, which differ
/// between two builds.
pub fn rank_candidates(
    candidates: Vec<FusedCandidate>,
    query_idf: &QueryIdf,
    search: &CodeSearch,
) -> Vec<SearchHit> {
    // The first chunk id identifies a file, because the chunks of a file have consecutive ids.
    let mut by_file: HashMap<u32, f32> = HashMap::new();
    for candidate in &candidates {
        let file = candidate.chunk.file_chunks.start;
        *by_file.entry(file).or_default() += candidate.fused.max(0.0);
    }
    let weights = effective_weights(search);
    let mut found: Vec<SearchHit> = candidates
        .into_iter()
        .map(|candidate| {
            let view = SignalInput {
                query: search.query,
                query_idf,
                neighbour_score: by_file[&candidate.chunk.file_chunks.start]
                    - candidate.fused.max(0.0),
                candidate: &candidate,
            };
            let (score, reasons) = score_candidate(&view, &weights);
            SearchHit {
                chunk: candidate.chunk,
                score,
                reasons,
                retriever_scores: candidate.retriever_scores,
            }
        })
        .collect();
    found.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.chunk.path.cmp(&b.chunk.path)).then(a.chunk.span.cmp(&b.chunk.span))
    });
    found
}

/// Returns the score and its parts. The parts add up to the score, so that the reasons of a hit
/// explain it fully.
fn score_candidate(view: &SignalInput, weights: &[f32]) -> (f32, Vec<(&'static str, f32)>) {
    let mut score = view.candidate.fused;
    let shares = view.candidate.shares;
    let mut reasons = Vec::with_capacity(2 + SIGNALS.len());
    reasons.extend([("words", shares.words), ("meaning", shares.vector)]);
    reasons.retain(|(_, share)| *share != 0.0);
    for (signal, weight) in SIGNALS.iter().zip(weights) {
        let measured = (signal.measure)(view);
        if measured == 0.0 || *weight == 0.0 {
            continue;
        }
        let before = score;
        match signal.effect {
            SignalEffect::Bonus => score += weight * measured,
            // A factor below 1 would raise a negative score.
            SignalEffect::Penalty if score > 0.0 => score *= 1.0 - weight * measured,
            SignalEffect::Penalty => continue,
        }
        reasons.push((signal.name, score - before));
    }
    (score, reasons)
}

/// Returns the weight of each signal, in the order of the table. A weight from the search replaces
/// that of the table.
fn effective_weights(search: &CodeSearch) -> Vec<f32> {
    let weight = |signal: &Signal| {
        let given = search.weights.iter().find(|(name, _)| name == signal.name);
        given.map_or(signal.weight, |(_, weight)| *weight)
    };
    SIGNALS.iter().map(weight).collect()
}

/// The chunk defines the name that is the query.
fn queried_definition(view: &SignalInput) -> f32 {
    match view.query.kind {
        QueryKind::Name => view.candidate.definition_likelihood,
        QueryKind::Words | QueryKind::Report => 0.0,
    }
}

/// The chunk defines a name that the query mentions among other words.
fn mentioned_definition(view: &SignalInput) -> f32 {
    match view.query.kind {
        QueryKind::Words | QueryKind::Report => view.candidate.definition_likelihood,
        QueryKind::Name => 0.0,
    }
}

/// The chunk contains a pasted message in a row. Squared, because half of the words may match by
/// chance.
fn message_run(view: &SignalInput) -> f32 {
    view.candidate.message_share.powi(2)
}

/// Returns the share of the symbol's words that the query contains.
fn symbol_words(view: &SignalInput) -> f32 {
    let symbol = view.candidate.chunk.symbol.as_deref();
    let of_name = tokenizer::parts(symbol.unwrap_or_default());
    let asked = of_name.iter().filter(|part| view.query.word_set.contains(part)).count();
    // A symbol of one word counts half: many are called `get` or `config`.
    asked as f32 / of_name.len().max(2) as f32
}

/// Returns the share of the file name's words that the query contains, weighted by rarity.
fn file_name_words(view: &SignalInput) -> f32 {
    let name = significant_name(&view.candidate.chunk.path);
    view.query_idf.name_share(name)
}

/// The query names the file: by its path, as a module (`http.server`), or by its name.
///
/// Reports paste paths with other roots, so a bare file name also counts, but less.
fn path_in_query(view: &SignalInput) -> f32 {
    let text = view.query.path_text.as_str();
    if text.is_empty() {
        return 0.0;
    }
    let path = &view.candidate.chunk.path;
    let whole = path.as_str().to_lowercase();
    let module = whole.rsplit_once('.').map_or(whole.as_str(), |(stem, _)| stem).replace('/', ".");
    if has_whole_name(text, &whole) {
        1.0
    } else if has_whole_name(text, &path.file_name().to_lowercase())
        || module.contains('.') && has_whole_name(text, &module)
    {
        0.7
    } else {
        0.0
    }
}

/// True if the text contains this name as a whole word.
fn has_whole_name(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns the file's name without its extension. For the main file of a directory, such as
/// `parser/mod.rs`, it returns the directory's name.
pub fn significant_name(path: &RepoPath) -> &str {
    let name = path.file_name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let first = stem.split('.').next().unwrap_or(stem);
    if languages::is_directory_stem(first) { last_directory(path) } else { stem }
}

/// True if the name is in the list, ignoring ASCII case.
fn is_listed(name: &str, names: &[&str]) -> bool {
    names.iter().any(|one| one.eq_ignore_ascii_case(name))
}

/// Returns the directory that contains the file, without its parents; empty at the root.
fn last_directory(path: &RepoPath) -> &str {
    let mut segments = path.as_str().rsplit('/');
    segments.next();
    segments.next().unwrap_or_default()
}

/// Returns the best share of a directory name's words that the query contains.
fn directory_words(view: &SignalInput) -> f32 {
    view.query_idf.best_directory_share(directories(view))
}

/// Returns the path without the file name, with its trailing `/`.
fn directories<'v>(view: &SignalInput<'v>) -> &'v str {
    let path = &view.candidate.chunk.path;
    let directories = path.as_str().strip_suffix(path.file_name());
    directories.unwrap_or_default()
}

/// Returns the share of the query's words that the whole file contains. A concept often spans
/// several chunks.
fn words_in_file(view: &SignalInput) -> f32 {
    view.query_idf.file_share(&view.candidate.chunk.file_chunks)
}

/// Several good chunks of one file support each other.
///
/// A sum of 3 is the maximum, so a file of many mediocre chunks does not win by its length.
fn file_coherence(view: &SignalInput) -> f32 {
    (view.neighbour_score / 3.0).min(1.0)
}

/// The chunk is in a test. The filter excludes tests altogether; this only ranks them lower where
/// they are included.
fn test_code(view: &SignalInput) -> f32 {
    signal_of_bool(view.candidate.chunk.is_test)
}

/// Directories of secondary code: examples, generated and legacy code, benchmarks, documents.
const SECONDARY_DIRECTORIES: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "generated",
    "__generated__",
    "autogen",
    "legacy",
    "deprecated",
    "compat",
    "benchmark",
    "benchmarks",
    "bench",
    "benches",
    "fixture",
    "fixtures",
    "testdata",
    "test_data",
    "mocks",
    "docs",
    "doc",
    "scripts",
    "website",
    "playground",
];

/// A directory of the path is in the list of secondary code.
fn secondary_code(view: &SignalInput) -> f32 {
    let mut segments = directories(view).split('/');
    signal_of_bool(segments.any(|segment| is_listed(segment, SECONDARY_DIRECTORIES)))
}

/// The chunk is prose or data, not code.
fn document_chunk(view: &SignalInput) -> f32 {
    let kind = view.candidate.chunk.kind;
    signal_of_bool(matches!(
        kind,
        ChunkKind::Section | ChunkKind::Document | ChunkKind::Entry | ChunkKind::Comment
    ))
}

/// The file only declares code that is elsewhere.
fn declaration_file(view: &SignalInput) -> f32 {
    signal_of_bool(languages::is_declaration_file(&view.candidate.chunk.path))
}

/// The chunk contains imports or other text between definitions.
fn nameless_chunk(view: &SignalInput) -> f32 {
    signal_of_bool(view.candidate.chunk.kind == ChunkKind::File)
}

/// Maps a condition to the scale of signals: 0 or 1.
fn signal_of_bool(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::found;

    fn candidate(path: &str, kind: ChunkKind, symbol: Option<&str>) -> FusedCandidate {
        let mut chunk = found(path, 0.5).chunk;
        chunk.kind = kind;
        chunk.symbol = symbol.map(str::to_string);
        FusedCandidate {
            chunk,
            fused: 0.5,
            shares: Default::default(),
            retriever_scores: Default::default(),
            definition_likelihood: 0.0,
            message_share: 0.0,
        }
    }

    /// Measures the signal of that name.
    fn measured(signal: &str, query: &str, candidate: &FusedCandidate, neighbours: f32) -> f32 {
        let view = SignalInput {
            query: &ParsedQuery::new(query),
            query_idf: &QueryIdf::from_words(query, 1.0, &[(0, 0.5)]),
            candidate,
            neighbour_score: neighbours,
        };
        let signal = SIGNALS.iter().find(|one| one.name == signal).unwrap();
        (signal.measure)(&view)
    }

    /// The signal speaks for the first and not, or less, for the second.
    fn check(signal: &str, query: &str, first: (&str, ChunkKind), second: (&str, ChunkKind)) {
        let say = |(path, kind): (&str, ChunkKind)| {
            let (path, symbol) = path.split_once('#').unwrap_or((path, ""));
            let symbol = Some(symbol).filter(|symbol| !symbol.is_empty());
            measured(signal, query, &candidate(path, kind, symbol), 0.0)
        };
        assert!(say(first) > say(second), "{signal}: {} {}", say(first), say(second));
    }

    #[test]
    fn each_signal_tells_what_it_should() {
        use ChunkKind::{File, Function, Section};
        let query = "how are urls parsed";
        check("symbol", query, ("a.rs#parse_url", Function), ("a.rs#write_url_back_out", Function));
        check("file name", query, ("url.rs", Function), ("path.rs", Function));
        check("file name", query, ("url/mod.rs", Function), ("path/mod.rs", Function));
        check(
            "path in the question",
            "panic in src/url.rs:7",
            ("src/url.rs", Function),
            ("src/lib/url.rs", Function),
        );
        check(
            "path in the question",
            "what does url.rs do",
            ("src/url.rs", Function),
            ("src/curl.rs", Function),
        );
        check(
            "path in the question",
            "import http.server fails",
            ("http/server.py", Function),
            ("http/client.py", Function),
        );
        check("directory", query, ("url/a.rs", Function), ("path/a.rs", Function));
        check("test", query, ("tests/a.rs", Function), ("src/a.rs", Function));
        check("aside", query, ("examples/a.rs", Function), ("src/a.rs", Function));
        check("document", query, ("a.md", Section), ("a.rs", Function));
        check("declaration file", query, ("a.d.ts", Function), ("a.ts", Function));
        check("no definition", query, ("a.rs", File), ("a.rs", Function));
        let one = candidate("a.rs", Function, None);
        assert_eq!(measured("file says it", query, &one, 0.0), 0.5);
        let of_many = measured("file coherence", query, &one, 2.0);
        assert!(of_many > measured("file coherence", query, &one, 0.0));
    }

    #[test]
    fn a_definition_counts_by_how_it_is_asked_for() {
        let mut one = candidate("a.rs", ChunkKind::Struct, Some("UrlParser"));
        one.definition_likelihood = 0.8;
        let (alone, among) = ("UrlParser", "what does UrlParser do");
        for (signal, query, expected) in [
            ("definition", alone, 0.8),
            ("definition", among, 0.0),
            ("defined name in the question", alone, 0.0),
            ("defined name in the question", among, 0.8),
        ] {
            assert_eq!(measured(signal, query, &one, 0.0), expected, "{query}");
        }
    }

    #[test]
    fn a_message_counts_by_how_much_of_it_is_there() {
        let mut one = candidate("a.rs", ChunkKind::Function, None);
        one.message_share = 0.5;
        assert_eq!(measured("message", "Cannot open it", &one, 0.0), 0.25);
    }

    #[test]
    fn signals_are_numbers_from_0_to_1_with_names_of_their_own() {
        let mut names: Vec<&str> = SIGNALS.iter().map(|signal| signal.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SIGNALS.len());
        let crowded = candidate("tests/url/url.d.ts", ChunkKind::File, Some("url"));
        for signal in SIGNALS {
            let value = measured(signal.name, "url", &crowded, 1e9);
            assert!((0.0..=1.0).contains(&value), "{}: {value}", signal.name);
        }
    }
}
