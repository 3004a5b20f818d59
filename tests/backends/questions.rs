//! The same questions to every backend: sets are identical, scores and rankings alike.

use std::collections::{BTreeMap, HashMap};

use kenning::search::{CodeSearch, ParsedQuery, search};
use kenning_embed::Purpose;
use kenning_model::{ChunkKind, Span};
use kenning_store::backends::View;
use kenning_store::code::{ChunkRecord, Exported, Filter, GrepLimits, Hit, Pattern, Tests};
use kenning_text::tokenizer;

use crate::corpus::{Corpus, REFERENCE_LENGTH, terms};
use crate::subject::subjects;

/// A chunk by what all backends call it.
type Named = (String, Span, Option<String>);

fn named(chunk: ChunkRecord) -> Named {
    (chunk.path.to_string(), chunk.span, chunk.symbol)
}

fn names(view: &dyn View, numbers: &[u32]) -> Vec<Named> {
    view.chunks(numbers).unwrap().into_iter().map(named).collect()
}

/// Asks every backend and compares with what the first, the embedded store, says.
fn compare<T: PartialEq + std::fmt::Debug>(ask: impl Fn(&dyn View, &Corpus) -> T) {
    let corpus = Corpus::read();
    let mut expected = None;
    for subject in subjects() {
        let lent = subject.collection();
        lent.apply(&corpus.settings(), &corpus.changes());
        let shelf = lent.open();
        let view = shelf.view().unwrap();
        let answer = ask(&*view, &corpus);
        match &expected {
            None => expected = Some(answer),
            Some(expected) => assert!(*expected == answer, "{}: {answer:#?}", subject.name),
        }
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

fn filters() -> Vec<Filter> {
    let globs = [
        "src/**",
        "**/*.rs",
        "src/search/**/*.rs",
        "docs/*.md",
        "*.rs",
        "**/mod.rs",
        "app/[id]/page.tsx",
        "src/{search,graph}/*.rs",
        "nowhere/**",
        "größe/**",
        "**",
    ];
    let glob = |glob: &&str| Filter { globs: strings(&[glob]), ..Filter::default() };
    let mut filters: Vec<Filter> = globs.iter().map(glob).collect();
    let open = Filter::default;
    filters.extend([
        open(),
        Filter { languages: strings(&["rust"]), ..open() },
        Filter { languages: strings(&["markdown", "typescript"]), ..open() },
        Filter { packages: strings(&["search"]), ..open() },
        Filter { packages: strings(&["none"]), ..open() },
        Filter { chunk_kinds: vec![ChunkKind::Function, ChunkKind::Struct], ..open() },
        Filter { tests: Tests::Excluded, ..open() },
        Filter { tests: Tests::Only, ..open() },
        Filter { symbols: strings(&["search", "Found"]), ..open() },
        Filter { scopes: strings(&["Question"]), ..open() },
        Filter { start_lines: vec![1..=3, 40..=60], ..open() },
        Filter { end_lines: vec![0..=20], ..open() },
        // Every line by its number, as programs ask.
        Filter { start_lines: (1..3000).step_by(2).map(|line| line..=line).collect(), ..open() },
        Filter { symbols: strings(&["search\0", "\0"]), ..open() },
        Filter { texts: strings(&["HashMap<"]), ..open() },
        Filter { texts: strings(&["日本", "Überlänge"]), ..open() },
        Filter { exported: Exported::Only, ..open() },
        Filter { exported: Exported::Not, ..open() },
        Filter {
            globs: strings(&["src/search/**", "docs/**"]),
            chunk_kinds: vec![ChunkKind::Function, ChunkKind::Section],
            tests: Tests::Excluded,
            texts: strings(&["the"]),
            ..open()
        },
    ]);
    filters
}

#[test]
fn filters_and_globs_let_the_same_through() {
    compare(|view, _| {
        let list = |filter: &Filter| {
            let all = names(view, &view.list(filter, 100_000).unwrap());
            let first = names(view, &view.list(filter, 3).unwrap());
            assert_eq!(first, all[..all.len().min(3)]);
            all
        };
        let filters = filters();
        let found: Vec<Vec<Named>> = filters.iter().map(list).collect();
        let count = found.iter().filter(|found| !found.is_empty()).count();
        assert!(count >= filters.len() - 5, "only {count} filters say something");
        found
    });
}

#[test]
fn text_is_found_in_the_same_lines() {
    compare(|view, _| {
        let mut found = Vec::new();
        let exact =
            ["fn ", "Snapshot", "=> {", "größe", "日本", "\\t'", "no such text", "ab", "\n\n"];
        let mut patterns: Vec<Pattern> = exact.map(Pattern::exact).into();
        for text in ["question", "task", "ÜBERLÄNGE", "hashmap<string"] {
            patterns.push(Pattern::ignoring_case(text).unwrap());
        }
        for text in
            [r"fn\s+\w+_of\(", "(foo|search)_(vector|code)", r"^//! \w", r"\d{4}", "(?i)TODO|the"]
        {
            patterns.push(Pattern::expression(text).unwrap());
        }
        for pattern in &patterns {
            for filter in
                [Filter::default(), Filter { tests: Tests::Excluded, ..Filter::default() }]
            {
                let matches = view.find_text(pattern, &filter, GrepLimits::NONE).unwrap();
                let numbers: Vec<u32> = matches.iter().map(|one| one.chunk).collect();
                let lines = matches.into_iter().map(|one| one.lines);
                let matches: Vec<(Named, Vec<u32>)> =
                    names(view, &numbers).into_iter().zip(lines).collect();
                found.push(matches);
            }
        }
        let some = GrepLimits { chunks: 5, deadline: None };
        let some = view.find_text(&patterns[0], &Filter::default(), some).unwrap();
        assert_eq!(some.len(), 5);
        found
    });
}

#[test]
fn facts_are_the_same() {
    compare(|view, corpus| {
        let all = view.list(&Filter::default(), 100_000).unwrap();
        let chunks = view.chunks(&all).unwrap();
        let headers = view.are_headers(&chunks).unwrap();
        let members = chunks.iter().zip(&headers).filter(|(_, is_header)| **is_header);
        let members: Vec<_> = members.map(|(chunk, _)| view.members(chunk).unwrap()).collect();
        assert!(members.iter().any(|members| members.len() > 2));
        let files = view.files().unwrap().into_iter();
        let files: Vec<_> = files
            .map(|file| {
                (
                    file.stamp,
                    file.hash,
                    file.language,
                    file.is_test,
                    file.package,
                    file.chunks.len(),
                )
            })
            .collect();
        let one = &corpus.files[3].stamp.path;
        assert_eq!(view.file(one).unwrap().unwrap().stamp, corpus.files[3].stamp);
        let symbols: Vec<_> =
            corpus.files.iter().map(|file| view.symbols_in(&file.stamp.path).unwrap()).collect();
        let definitions = ["search", "SEARCH", "Found", "new", "nothing_of_the_kind"].map(|name| {
            let found = view.definitions(name, &Filter::default(), 30).unwrap().into_iter();
            found.map(|one| (one.symbol, names(view, &one.chunks))).collect::<Vec<_>>()
        });
        let stats = view.stats().unwrap();
        let texts = view.texts(&chunks).unwrap();
        let chunks: Vec<_> = chunks
            .into_iter()
            .map(|chunk| {
                (
                    chunk.file_chunks.len(),
                    ChunkRecord {
                        // Servers do not keep it.
                        line: None,
                        id: 0,
                        file_chunks: 0..0,
                        ..chunk
                    },
                )
            })
            .collect();
        (
            (files, symbols, definitions, headers, members, texts, chunks),
            (view.metadata().unwrap(), view.skips().unwrap(), view.problems().unwrap()),
            (stats.files, stats.chunks, stats.symbols, stats.vectors),
            view.settings().clone(),
        )
    });
}

const QUESTIONS: &[&str] = &[
    "how are two ranked lists fused into one",
    "select further chunks of a file",
    "retry a request with backoff",
    "tokenizer of the BERT model",
    "search_vector",
    "what is the rarity of a word",
    "regular expression deadline",
];

/// The score of every chunk, straight from the texts and from BM25 as it is printed: k1 = 1.2, b =
/// 0.75, and the reference length for the mean.
fn reference(view: &dyn View, question: &[(u32, f32)]) -> BTreeMap<u32, f32> {
    let all = view.list(&Filter::default(), 100_000).unwrap();
    let chunks = view.chunks(&all).unwrap();
    let texts = view.texts(&chunks).unwrap();
    let mut counted: BTreeMap<u32, HashMap<u32, f64>> = BTreeMap::new();
    for (chunk, text) in chunks.iter().zip(texts) {
        let terms = counted.entry(chunk.id).or_default();
        tokenizer::each(&text, |word| *terms.entry(word).or_default() += 1.0);
    }
    let count = counted.len() as f64;
    let rarity = |(term, weight): &(u32, f32)| {
        let held = counted.values().filter(|one| one.contains_key(term));
        let held = held.count() as f64;
        let rarity = (1.0 + (count - held + 0.5) / (held + 0.5)).ln();
        (*term, f64::from(*weight) * rarity)
    };
    let asked: Vec<(u32, f64)> = question.iter().map(rarity).collect();
    let score = |terms: &HashMap<u32, f64>| -> f64 {
        let length: f64 = terms.values().sum();
        let norm = 1.2 * (0.25 + 0.75 * length / f64::from(REFERENCE_LENGTH));
        let part = |(term, factor): &(u32, f64)| {
            let frequency = terms.get(term).copied().unwrap_or_default();
            factor * frequency * 2.2 / (frequency + norm)
        };
        asked.iter().map(part).sum()
    };
    let scores = counted.iter().map(|(chunk, terms)| (*chunk, score(terms) as f32));
    scores.filter(|(_, score)| *score > 0.0).collect()
}

#[test]
fn words_score_as_the_formula_says() {
    let corpus = Corpus::read();
    for subject in subjects() {
        let lent = subject.collection();
        lent.apply(&corpus.settings(), &corpus.changes());
        let shelf = lent.open();
        let view = shelf.view().unwrap();
        for question in QUESTIONS {
            let asked: Vec<(u32, f32)> =
                tokenizer::of_question(question).into_iter().map(|word| (word, 1.0)).collect();
            let expected = reference(&*view, &asked);
            let hits = view.search_terms(&asked, &Filter::default(), 100_000).unwrap();
            assert_eq!(hits.len(), expected.len(), "{}: {question}", subject.name);
            for hit in &hits {
                let wanted = expected[&hit.chunk];
                let error = (hit.score - wanted).abs() / wanted;
                assert!(error < 0.02, "{}: {question}: {} for {wanted}", subject.name, hit.score);
            }
            assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
        }
    }
}

#[test]
fn filters_apply_inside_of_both_legs() {
    compare(|view, corpus| {
        let asked = terms("how is a question searched for in the files of a view");
        let vector = corpus.vector("how is a question searched for", Purpose::Query);
        let mut found = Vec::new();
        for filter in filters() {
            let allowed = view.list(&filter, 100_000).unwrap();
            let (by_words, by_meaning) = view.search_both(&asked, &vector, &filter, 20).unwrap();
            let set = |hits: &[Hit]| {
                assert!(hits.iter().all(|hit| allowed.contains(&hit.chunk)), "{filter:?}");
                hits.len()
            };
            // As many as there are: a filter is no sieve behind the search.
            assert_eq!(set(&by_meaning), allowed.len().min(20), "{filter:?}");
            found.push((set(&by_words), set(&by_meaning)));
            assert_eq!(view.search_terms(&asked, &filter, 20).unwrap().len(), by_words.len());
            assert_eq!(view.search_vector(&vector, &filter, 20).unwrap().len(), by_meaning.len());
        }
        found
    });
}

/// For each documented definition, where its own first sentence finds it.
#[test]
fn rankings_are_as_good() {
    let corpus = Corpus::read();
    let mut yardstick = None;
    for subject in subjects() {
        let lent = subject.collection();
        lent.apply(&corpus.settings(), &corpus.changes());
        let shelf = lent.open();
        let view = shelf.view().unwrap();
        let (mut gain, mut count) = (0.0, 0);
        for file in &corpus.files {
            for chunk in file.facts.chunks.iter().filter(|chunk| chunk.doc.is_some()).take(3) {
                let text = chunk.doc.as_deref().unwrap_or_default();
                let text: String = text.chars().take(120).collect();
                let question = ParsedQuery::new(&text);
                let vector = corpus.vector(&text, Purpose::Query);
                let search = |view: &dyn View| {
                    let asked = CodeSearch {
                        query: &question,
                        vector: Some(&vector),
                        semantic_weight: 0.7,
                        filter: &Filter::default(),
                        limit: 10,
                        weights: &[],
                    };
                    search(view, &asked).unwrap().hits
                };
                let found = search(&*view);
                let is_it = |found: &kenning::search::SearchHit| {
                    found.chunk.path == file.stamp.path && found.chunk.span == chunk.span
                };
                if let Some(place) = found.iter().position(is_it) {
                    gain += 1.0 / (place as f64 + 2.0).log2();
                }
                count += 1;
            }
        }
        let ndcg = gain / f64::from(count);
        eprintln!("{}: NDCG@10 {ndcg:.4} of {count} questions", subject.name);
        assert!(count > 100 && ndcg > 0.5);
        let expected = *yardstick.get_or_insert(ndcg);
        assert!((ndcg - expected).abs() < 0.005, "{}: {ndcg}, not {expected}", subject.name);
    }
}
