//! The table of ranking signals and their weights. A signal is a number from 0 to 1 that any
//! codebase has. Its weight was measured (`docs/ranking.md`).

use std::collections::HashMap;

use crate::search::fusion::Candidate;
use crate::search::parsed_query::{Kind, Question};
use crate::search::query_idf::QueryIdf;
use crate::search::{Search, SearchHit};
use kenning_lang::languages;
use kenning_model::{ChunkKind, RepoPath};
use kenning_text::tokenizer;

/// A row of the table.
pub struct Signal {
    pub name: &'static str,
    pub effect: Effect,
    pub weight: f32,
    measure: fn(&View) -> f32,
}

/// How a signal changes the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Adds weight × signal.
    Adds,
    /// Multiplies by 1 − weight × signal.
    Lessens,
}

/// The table. Scores of both lists lie between 0 and 1; what is added is on the same scale.
pub const SIGNALS: &[Signal] = &[
    adds(DEFINITION, 2.0, definition),
    adds("defined name in the question", 0.35, mentioned_definition),
    adds("message", 1.6, says_message),
    adds("symbol", 0.2, symbol_words),
    adds("file name", 0.5, file_words),
    adds("path in the question", 0.4, path_in_question),
    adds("directory", 0.3, directory_words),
    adds("file coherence", 0.35, coherence),
    adds("file says it", 0.2, said_by_file),
    lessens("test", 0.4, is_test),
    lessens("aside", 0.4, is_aside),
    lessens("document", 0.5, is_document),
    lessens("declaration file", 0.3, is_declaration_file),
    lessens("no definition", 0.15, is_nameless),
];

/// The name of the signal that ranks the definition of a queried name first.
pub const DEFINITION: &str = "definition";

const fn adds(name: &'static str, weight: f32, measure: fn(&View) -> f32) -> Signal {
    Signal { name, effect: Effect::Adds, weight, measure }
}

const fn lessens(name: &'static str, weight: f32, measure: fn(&View) -> f32) -> Signal {
    Signal { name, effect: Effect::Lessens, weight, measure }
}

/// The input of a signal.
struct View<'v> {
    question: &'v Question,
    telling: &'v QueryIdf,
    candidate: &'v Candidate,
    /// The sum of the fused scores of the other candidates in the same file.
    neighbours: f32,
}

/// Applies the signals and returns the hits, best first.
pub fn rank(candidates: Vec<Candidate>, telling: &QueryIdf, search: &Search) -> Vec<SearchHit> {
    let mut by_file: HashMap<u32, f32> = HashMap::new();
    for candidate in &candidates {
        let file = candidate.chunk.file_chunks.start;
        *by_file.entry(file).or_default() += candidate.fused.max(0.0);
    }
    let weights = weights(search);
    let mut found: Vec<SearchHit> = candidates
        .into_iter()
        .map(|candidate| {
            let view = View {
                question: search.question,
                telling,
                neighbours: by_file[&candidate.chunk.file_chunks.start] - candidate.fused.max(0.0),
                candidate: &candidate,
            };
            let (score, reasons) = score(&view, &weights);
            SearchHit { chunk: candidate.chunk, score, reasons, legs: candidate.legs }
        })
        .collect();
    found.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.chunk.path.cmp(&b.chunk.path)).then(a.chunk.span.cmp(&b.chunk.span))
    });
    found
}

fn score(view: &View, weights: &[f32]) -> (f32, Vec<(&'static str, f32)>) {
    let mut score = view.candidate.fused;
    let shares = view.candidate.shares;
    let mut reasons = Vec::with_capacity(2 + SIGNALS.len());
    reasons.extend([("words", shares.words), ("meaning", shares.meaning)]);
    reasons.retain(|(_, share)| *share != 0.0);
    for (signal, weight) in SIGNALS.iter().zip(weights) {
        let measured = (signal.measure)(view);
        if measured == 0.0 || *weight == 0.0 {
            continue;
        }
        let before = score;
        match signal.effect {
            Effect::Adds => score += weight * measured,
            // A factor below 1 would raise a negative score.
            Effect::Lessens if score > 0.0 => score *= 1.0 - weight * measured,
            Effect::Lessens => continue,
        }
        reasons.push((signal.name, score - before));
    }
    (score, reasons)
}

fn weights(search: &Search) -> Vec<f32> {
    let weight = |signal: &Signal| {
        let given = search.weights.iter().find(|(name, _)| name == signal.name);
        given.map_or(signal.weight, |(_, weight)| *weight)
    };
    SIGNALS.iter().map(weight).collect()
}

/// The chunk defines the name that is the query.
fn definition(view: &View) -> f32 {
    match view.question.kind {
        Kind::Name => view.candidate.defines,
        Kind::Words | Kind::Report => 0.0,
    }
}

/// The chunk defines a name that the query mentions among other words.
fn mentioned_definition(view: &View) -> f32 {
    match view.question.kind {
        Kind::Words | Kind::Report => view.candidate.defines,
        Kind::Name => 0.0,
    }
}

/// The chunk contains a pasted message in a row. Squared, because half of the words may match by
/// chance.
fn says_message(view: &View) -> f32 {
    view.candidate.says.powi(2)
}

/// Returns the share of the symbol's words that the query contains.
fn symbol_words(view: &View) -> f32 {
    let symbol = view.candidate.chunk.symbol.as_deref();
    let of_name = tokenizer::parts(symbol.unwrap_or_default());
    let asked = of_name.iter();
    let asked = asked.filter(|part| view.question.word_set.contains(part));
    let asked = asked.count();
    // A symbol of one word counts half: many are called `get` or `config`.
    asked as f32 / of_name.len().max(2) as f32
}

fn file_words(view: &View) -> f32 {
    let name = telling_name(&view.candidate.chunk.path);
    view.telling.share_asked_for(name)
}

/// The query names the file: by its path, as a module (`http.server`), or by its name.
fn path_in_question(view: &View) -> f32 {
    let text = view.question.paths_in.as_str();
    if text.is_empty() {
        return 0.0;
    }
    let path = &view.candidate.chunk.path;
    let whole = path.as_str().to_lowercase();
    let module = whole.rsplit_once('.').map_or(whole.as_str(), |(stem, _)| stem);
    let module = module.replace('/', ".");
    if has_whole(text, &whole) {
        1.0
    } else if has_whole(text, &path.file_name().to_lowercase())
        || module.contains('.') && has_whole(text, &module)
    {
        0.7
    } else {
        0.0
    }
}

/// True if the text contains this name as a whole word.
fn has_whole(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns the file's name without its extension. For the main file of a directory, such as
/// `parser/mod.rs`, it returns the directory's name.
pub fn telling_name(path: &RepoPath) -> &str {
    let name = path.file_name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let first = stem.split('.').next().unwrap_or(stem);
    if languages::is_directory_stem(first) { last_directory(path) } else { stem }
}

/// True if the name is in the list, ignoring ASCII case.
fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|one| one.eq_ignore_ascii_case(name))
}

fn last_directory(path: &RepoPath) -> &str {
    let mut segments = path.as_str().rsplit('/');
    segments.next();
    segments.next().unwrap_or_default()
}

fn directory_words(view: &View) -> f32 {
    view.telling.share_of_directory(directories(view))
}

fn directories<'v>(view: &View<'v>) -> &'v str {
    let path = &view.candidate.chunk.path;
    let directories = path.as_str().strip_suffix(path.file_name());
    directories.unwrap_or_default()
}

fn said_by_file(view: &View) -> f32 {
    view.telling.share_said(&view.candidate.chunk.file_chunks)
}

/// Several good chunks of one file support each other.
fn coherence(view: &View) -> f32 {
    (view.neighbours / 3.0).min(1.0)
}

fn is_test(view: &View) -> f32 {
    truth(view.candidate.chunk.is_test)
}

/// Directories of secondary code: examples, generated and legacy code, benchmarks, documents.
const ASIDES: &[&str] = &[
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

fn is_aside(view: &View) -> f32 {
    let mut segments = directories(view).split('/');
    truth(segments.any(|segment| is_one_of(segment, ASIDES)))
}

/// The chunk is prose or data, not code.
fn is_document(view: &View) -> f32 {
    let kind = view.candidate.chunk.kind;
    truth(matches!(
        kind,
        ChunkKind::Section | ChunkKind::Document | ChunkKind::Entry | ChunkKind::Comment
    ))
}

/// The file only declares code that is elsewhere.
fn is_declaration_file(view: &View) -> f32 {
    truth(languages::is_declaration_file(&view.candidate.chunk.path))
}

/// The chunk contains imports or other text between definitions.
fn is_nameless(view: &View) -> f32 {
    truth(view.candidate.chunk.kind == ChunkKind::File)
}

fn truth(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::found;

    fn candidate(path: &str, kind: ChunkKind, symbol: Option<&str>) -> Candidate {
        let mut chunk = found(path, 0.5).chunk;
        chunk.kind = kind;
        chunk.symbol = symbol.map(str::to_string);
        Candidate {
            chunk,
            fused: 0.5,
            shares: Default::default(),
            legs: Default::default(),
            defines: 0.0,
            says: 0.0,
        }
    }

    /// What the signal of that name says.
    fn measured(signal: &str, question: &str, candidate: &Candidate, neighbours: f32) -> f32 {
        let view = View {
            question: &Question::new(question),
            telling: &QueryIdf::of_words(question, 1.0, &[(0, 0.5)]),
            candidate,
            neighbours,
        };
        let signal = SIGNALS.iter().find(|one| one.name == signal).unwrap();
        (signal.measure)(&view)
    }

    /// The signal speaks for the first and not, or less, for the second.
    fn check(signal: &str, question: &str, first: (&str, ChunkKind), second: (&str, ChunkKind)) {
        let say = |(path, kind): (&str, ChunkKind)| {
            let (path, symbol) = path.split_once('#').unwrap_or((path, ""));
            let symbol = Some(symbol).filter(|symbol| !symbol.is_empty());
            measured(signal, question, &candidate(path, kind, symbol), 0.0)
        };
        assert!(say(first) > say(second), "{signal}: {} {}", say(first), say(second));
    }

    #[test]
    fn each_signal_tells_what_it_should() {
        use ChunkKind::{File, Function, Section};
        let question = "how are urls parsed";
        check(
            "symbol",
            question,
            ("a.rs#parse_url", Function),
            ("a.rs#write_url_back_out", Function),
        );
        check("file name", question, ("url.rs", Function), ("path.rs", Function));
        check("file name", question, ("url/mod.rs", Function), ("path/mod.rs", Function));
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
        check("directory", question, ("url/a.rs", Function), ("path/a.rs", Function));
        check("test", question, ("tests/a.rs", Function), ("src/a.rs", Function));
        check("aside", question, ("examples/a.rs", Function), ("src/a.rs", Function));
        check("document", question, ("a.md", Section), ("a.rs", Function));
        check("declaration file", question, ("a.d.ts", Function), ("a.ts", Function));
        check("no definition", question, ("a.rs", File), ("a.rs", Function));
        let one = candidate("a.rs", Function, None);
        assert_eq!(measured("file says it", question, &one, 0.0), 0.5);
        let of_many = measured("file coherence", question, &one, 2.0);
        assert!(of_many > measured("file coherence", question, &one, 0.0));
    }

    #[test]
    fn a_definition_counts_by_how_it_is_asked_for() {
        let mut one = candidate("a.rs", ChunkKind::Struct, Some("UrlParser"));
        one.defines = 0.8;
        let (alone, among) = ("UrlParser", "what does UrlParser do");
        for (signal, question, expected) in [
            ("definition", alone, 0.8),
            ("definition", among, 0.0),
            ("defined name in the question", alone, 0.0),
            ("defined name in the question", among, 0.8),
        ] {
            assert_eq!(measured(signal, question, &one, 0.0), expected, "{question}");
        }
    }

    #[test]
    fn a_message_counts_by_how_much_of_it_is_there() {
        let mut one = candidate("a.rs", ChunkKind::Function, None);
        one.says = 0.5;
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
