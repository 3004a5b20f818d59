//! The store as its users see it, against naive versions of itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use super::testing::Random;
use super::*;
use crate::model::{
    Chunk, ChunkKind, CodeFacts, Heritage, HeritageKind, Problem, Reference, ReferenceKind,
    RepoPath, Silent, Span, Symbol, Visibility,
};
use crate::store::StoreError;

const DIMENSION: usize = 8;

fn settings() -> Settings {
    Settings {
        provider: "static".to_string(),
        model: "tiny".to_string(),
        dimension: DIMENSION as u32,
        chunker: "1".to_string(),
        reference_length: 20.0,
    }
}

fn repo_path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// A chunk of a file to be: what it says, and what the store is told of it.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    content: ChunkContent,
}

fn chunk(start_byte: usize, end_byte: usize) -> Chunk {
    Chunk {
        kind: ChunkKind::Function,
        symbol: None,
        scope: None,
        signature: None,
        doc: None,
        outline: None,
        is_test: false,
        span: Span {
            start_line: 1,
            end_line: 9,
            start_byte: start_byte as u32,
            end_byte: end_byte as u32,
        },
    }
}

fn update(path: &str, pieces: Vec<Piece>) -> FileUpdate {
    let mut text = String::new();
    let mut chunks = Vec::new();
    for piece in &pieces {
        let start = text.len();
        text.push_str(&piece.text);
        chunks.push(chunk(start, text.len()));
    }
    let contents = pieces.into_iter().map(|piece| piece.content);
    FileUpdate {
        stamp: Stamp {
            path: repo_path(path),
            size: 1,
            modified_ns: 2,
        },
        hash: [3; 32],
        is_test: false,
        package: None,
        facts: CodeFacts {
            language: "rust",
            chunks,
            ..CodeFacts::default()
        },
        packed: Packed::new(&text, &CodeFacts::default()),
        contents: contents.collect(),
    }
}

fn texts(snapshot: &Snapshot, ids: &[u32]) -> Vec<String> {
    let chunks = snapshot.chunks(ids).unwrap();
    snapshot.texts(&chunks).unwrap()
}

fn updated(updated: Vec<FileUpdate>) -> Changes {
    Changes {
        updated,
        ..Changes::default()
    }
}

/// One chunk that says `term`.
fn saying(term: u32, text: &str) -> Piece {
    let content = ChunkContent {
        terms: vec![(term, 1.0)],
        embedding: None,
    };
    Piece {
        text: text.to_string(),
        content,
    }
}

struct Home {
    _directory: tempfile::TempDir,
    database: PathBuf,
}

fn home() -> Home {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("code.db");
    Home {
        _directory: directory,
        database,
    }
}

/// What a chunk says, before the store rounds it.
fn random_piece(random: &mut Random) -> Piece {
    let length = 1 + random.below(40);
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for _ in 0..length {
        // The square makes small terms frequent, as words are.
        let term = random.below(25) * random.below(25);
        *counts.entry(term.wrapping_mul(0x9E37_79B1)).or_default() += 1;
    }
    let weight = |count: u32| bm25::weight(count as f32, length as f32, 20.0);
    let vector: Vec<f32> = (0..DIMENSION).map(|_| random.signed()).collect();
    let terms = counts
        .into_iter()
        .map(|(term, count)| (term, weight(count)));
    let content = ChunkContent {
        terms: terms.collect(),
        embedding: Some(Embedding {
            vector: Vector::quantise(&vector),
            key: None,
        }),
    };
    Piece {
        text: format!("text {}", random.next()),
        content,
    }
}

type Files = BTreeMap<String, Vec<Piece>>;

/// Scores by text, of every chunk that holds a term, with loops and nothing else.
fn naive_words(files: &Files, terms: &[(u32, f32)]) -> BTreeMap<String, f32> {
    let chunks: Vec<&Piece> = files.values().flatten().collect();
    let weight = |chunk: &Piece, term: u32| {
        let mut terms = chunk.content.terms.iter();
        let found = terms.find(|(candidate, _)| *candidate == term);
        found.map(|(_, weight)| f32::from(bm25::quantise(*weight)) * bm25::WEIGHT_STEP)
    };
    let mut scores = BTreeMap::new();
    for (term, asked) in terms {
        let holding = chunks
            .iter()
            .filter(|chunk| weight(chunk, *term).is_some())
            .count();
        let idf = bm25::idf(chunks.len() as u32, holding as u32);
        for chunk in &chunks {
            if let Some(weight) = weight(chunk, *term) {
                *scores.entry(chunk.text.clone()).or_default() += asked * idf * weight;
            }
        }
    }
    scores
}

fn naive_vectors(files: &Files, question: &[f32]) -> BTreeMap<String, f32> {
    let chunks = files.values().flatten();
    let score = |chunk: &Piece| {
        let vector = chunk.content.embedding.as_ref().unwrap().vector.restore();
        vector.iter().zip(question).map(|(a, b)| a * b).sum()
    };
    chunks
        .map(|chunk| (chunk.text.clone(), score(chunk)))
        .collect()
}

/// The hits are the best of the naive scores, in order, each with its score.
fn check_hits(snapshot: &Snapshot, hits: &[Hit], naive: &BTreeMap<String, f32>, limit: usize) {
    let mut best: Vec<f32> = naive.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(hits.len(), best.len().min(limit));
    let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    let texts = texts(snapshot, &ids);
    assert_eq!(texts.len(), hits.len(), "a hit that does not live");
    for ((hit, text), best) in hits.iter().zip(&texts).zip(best) {
        let tolerance = 2e-3 * (1.0 + best.abs());
        assert!((hit.score - naive[text]).abs() < tolerance);
        assert!((hit.score - best).abs() < tolerance, "{} {best}", hit.score);
    }
}

/// What each text scores, to the last bit.
fn exact_scores(path: &Path, terms: &[(u32, f32)]) -> BTreeMap<String, u32> {
    let reader = Reader::open(path).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let hits = snapshot
        .search_terms(terms, &Filter::default(), 100_000)
        .unwrap();
    let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    texts(&snapshot, &ids)
        .into_iter()
        .zip(hits.iter().map(|hit| hit.score.to_bits()))
        .collect()
}

fn random_terms(random: &mut Random) -> Vec<(u32, f32)> {
    let count = 1 + random.below(8);
    let mut term = || random.below(25) * random.below(25);
    let mut terms: Vec<u32> = (0..count).map(|_| term()).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
        .into_iter()
        .map(|term| (term.wrapping_mul(0x9E37_79B1), 1.0))
        .collect()
}

#[test]
fn searches_equal_naive_ones_through_updates_removals_and_merges() {
    let mut random = Random::new(11);
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let mut files = Files::new();
    let mut most_segments = 0;
    for round in 0..60 {
        let mut changes = Changes::default();
        for _ in 0..1 + random.below(6) {
            let path = format!("src/{}.rs", random.below(40));
            if random.below(4) == 0 {
                files.remove(&path);
                changes.removed.push(repo_path(&path));
            } else if !changes.removed.contains(&repo_path(&path)) {
                let contents: Vec<Piece> = (0..random.below(5))
                    .map(|_| random_piece(&mut random))
                    .collect();
                changes
                    .updated
                    .retain(|update| update.stamp.path != repo_path(&path));
                changes.updated.push(update(&path, contents.clone()));
                files.insert(path, contents);
            }
        }
        // Removals come first within a transaction.
        changes
            .updated
            .retain(|update| files.contains_key(update.stamp.path.as_str()));
        assert_eq!(writer.apply(&changes).unwrap(), round + 1);
        let snapshot = reader.snapshot().unwrap();
        assert_eq!(snapshot.generation(), round + 1);
        most_segments = most_segments.max(snapshot.stats().unwrap().segments);
        for limit in [3, 1000] {
            let terms = random_terms(&mut random);
            let hits = snapshot
                .search_terms(&terms, &Filter::default(), limit)
                .unwrap();
            check_hits(&snapshot, &hits, &naive_words(&files, &terms), limit);
            let question: Vec<f32> = (0..DIMENSION).map(|_| random.signed()).collect();
            let hits = snapshot
                .search_vector(&question, &Filter::default(), limit)
                .unwrap();
            check_hits(&snapshot, &hits, &naive_vectors(&files, &question), limit);
        }
    }
    assert!((8..=17).contains(&most_segments), "{most_segments}");

    // A collection that grew scores to the last bit like one that was built at once.
    let fresh = super::tests::home();
    let all = files
        .iter()
        .map(|(path, contents)| update(path, contents.clone()));
    let mut other = Writer::open(&fresh.database, &settings(), &Silent).unwrap();
    other.apply(&updated(all.collect())).unwrap();
    for _ in 0..50 {
        let terms = random_terms(&mut random);
        assert_eq!(
            exact_scores(&home.database, &terms),
            exact_scores(&fresh.database, &terms)
        );
    }
}

#[test]
fn facts_come_back_and_go_with_their_file() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    let path = repo_path("src/a.rs");
    let symbol = Symbol {
        name: "login".to_string(),
        kind: ChunkKind::Method,
        visibility: Visibility::Internal,
        signature: Some("fn login(user: User)".to_string()),
        scope: Some("Session".to_string()),
        span: Span {
            start_line: 3,
            end_line: 5,
            start_byte: 30,
            end_byte: 80,
        },
        line: 4,
        parameters: vec![("user".to_string(), Some("User".to_string()))],
        type_text: None,
        is_test: true,
    };
    let reference = Reference {
        name: "authenticate".to_string(),
        kind: ReferenceKind::Call,
        receiver: Some("self".to_string()),
        labels: vec!["_".to_string()],
        line: 4,
        start_byte: 44,
        inside: Some(0),
    };
    let heritage = Heritage {
        subject: "Session".to_string(),
        base: "Login".to_string(),
        how: HeritageKind::Extension,
        condition: Some("T: Send".to_string()),
        line: 1,
    };
    let mut file = update("src/a.rs", vec![saying(1, "fn login() {}")]);
    file.facts.symbols = vec![symbol.clone()];
    file.facts.references = vec![reference.clone()];
    file.facts.heritage = vec![heritage.clone()];
    file.facts.problems = vec![Problem::new(&path, "odd").at_line(2)];
    file.packed = Packed::new("fn login() {}", &file.facts);
    let skip = Skip {
        stamp: Stamp {
            path: repo_path("big.bin"),
            size: 1,
            modified_ns: 2,
        },
        reason: "binary".to_string(),
    };
    let changes = Changes {
        skipped: Some(vec![skip.clone()]),
        ..updated(vec![file.clone()])
    };
    writer.apply(&changes).unwrap();
    writer.apply(&updated(vec![file.clone()])).unwrap();
    let touched = Touch {
        stamp: Stamp {
            modified_ns: 77,
            ..file.stamp.clone()
        },
        package: Some("app".to_string()),
    };
    writer
        .apply(&Changes {
            touched: vec![touched],
            ..Changes::default()
        })
        .unwrap();

    let reader = Reader::open(&home.database).unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(snapshot.symbols_named("login").unwrap()[0].fact, symbol);
    assert_eq!(snapshot.symbols_in(&path).unwrap().len(), 1);
    assert_eq!(
        snapshot.references_to("authenticate").unwrap()[0].fact,
        reference
    );
    assert_eq!(snapshot.references_to("authenticat").unwrap(), []);
    assert_eq!(snapshot.references_in(&path).unwrap().len(), 1);
    assert_eq!(snapshot.heritage_of("Login").unwrap()[0].fact, heritage);
    assert_eq!(snapshot.heritage_by("Session").unwrap().len(), 1);
    assert_eq!(snapshot.problems().unwrap(), file.facts.problems);
    assert_eq!(snapshot.skips().unwrap(), [skip]);
    let record = snapshot.file(&path).unwrap().unwrap();
    assert_eq!((record.stamp.modified_ns, record.hash), (77, [3; 32]));
    assert_eq!(record.package.as_deref(), Some("app"));
    let ids: Vec<u32> = record.chunks.collect();
    let chunks = snapshot.chunks(&ids).unwrap();
    assert_eq!(chunks[0].kind, ChunkKind::Function);
    assert_eq!(chunks[0].span, file.facts.chunks[0].span);
    assert_eq!(texts(&snapshot, &ids), ["fn login() {}"]);
    drop(snapshot);

    writer
        .apply(&Changes {
            removed: vec![path],
            ..Changes::default()
        })
        .unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(snapshot.symbols_named("login").unwrap(), []);
    assert_eq!(snapshot.references_to("authenticate").unwrap(), []);
    assert_eq!(snapshot.heritage_of("Login").unwrap(), []);
    assert_eq!(snapshot.problems().unwrap(), []);
    assert_eq!(snapshot.files().unwrap(), []);
    assert_eq!(
        snapshot
            .search_terms(&[(1, 1.0)], &Filter::default(), 9)
            .unwrap(),
        []
    );
    let stats = snapshot.stats().unwrap();
    assert_eq!((stats.files, stats.chunks, stats.segments), (0, 0, 0));
}

#[test]
fn filters_apply_inside_the_search() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    let mut files = Vec::new();
    for path in ["src/a.rs", "src/deep/b.rs", "web/c.ts", "tests/d.rs"] {
        let mut file = update(path, vec![saying(1, path), saying(1, path)]);
        file.facts.chunks[1].kind = ChunkKind::Struct;
        file.facts.language = if path.ends_with("ts") {
            "typescript"
        } else {
            "rust"
        };
        file.is_test = path.starts_with("tests");
        let is_test = file.is_test;
        let chunks = file.facts.chunks.iter_mut();
        chunks.for_each(|chunk| chunk.is_test = is_test);
        file.package = path.starts_with("src").then(|| "core".to_string());
        files.push(file);
    }
    writer.apply(&updated(files.clone())).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let check = |filter: Filter, expected: &[&str]| {
        let snapshot = reader.snapshot().unwrap();
        let hits = snapshot.search_terms(&[(1, 1.0)], &filter, 99).unwrap();
        let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
        let mut paths = texts(&snapshot, &ids);
        paths.dedup();
        assert_eq!(paths, expected, "{filter:?}");
    };
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| word.to_string())
            .collect::<Vec<_>>()
    };
    let open = Filter::default;
    for _ in 0..2 {
        check(
            Filter {
                globs: words(&["src/*.rs"]),
                ..open()
            },
            &["src/a.rs"],
        );
        check(
            Filter {
                globs: words(&["src/**", "web/*"]),
                ..open()
            },
            &["src/a.rs", "src/deep/b.rs", "web/c.ts"],
        );
        check(
            Filter {
                languages: words(&["typescript"]),
                ..open()
            },
            &["web/c.ts"],
        );
        check(
            Filter {
                packages: words(&["core"]),
                ..open()
            },
            &["src/a.rs", "src/deep/b.rs"],
        );
        check(
            Filter {
                tests: Tests::Only,
                ..open()
            },
            &["tests/d.rs"],
        );
        check(
            Filter {
                tests: Tests::Excluded,
                kinds: vec![ChunkKind::Struct],
                ..open()
            },
            &["src/a.rs", "src/deep/b.rs", "web/c.ts"],
        );
        check(
            Filter {
                kinds: vec![ChunkKind::Actor],
                ..open()
            },
            &[],
        );
    }
    // The next generation's filters know what changed and what did not.
    let removed = vec![repo_path("web/c.ts")];
    let moved = update("web/e.ts", vec![saying(1, "web/e.ts")]);
    writer
        .apply(&Changes {
            removed,
            ..updated(vec![moved])
        })
        .unwrap();
    check(
        Filter {
            globs: words(&["web/*", "tests/*"]),
            ..open()
        },
        &["tests/d.rs", "web/e.ts"],
    );
    let bad = Filter {
        globs: words(&["[a"]),
        ..open()
    };
    let error = reader
        .snapshot()
        .unwrap()
        .search_terms(&[], &bad, 1)
        .unwrap_err();
    assert!(error.to_string().contains("not a glob"), "{error}");
}

/// All files of generation `number` say `number`, so a reader can tell a mixture.
fn numbered(number: u32) -> Changes {
    let text = number.to_string();
    updated(
        (0..6)
            .map(|file| update(&format!("{file}.rs"), vec![saying(7, &text); 3]))
            .collect(),
    )
}

fn check_whole(snapshot: &Snapshot) {
    let hits = snapshot
        .search_terms(&[(7, 1.0)], &Filter::default(), 99)
        .unwrap();
    let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    let texts = texts(snapshot, &ids);
    let listed: Vec<u32> = snapshot
        .files()
        .unwrap()
        .into_iter()
        .flat_map(|file| file.chunks)
        .collect();
    let expected = if snapshot.generation() == 0 { 0 } else { 18 };
    assert_eq!(
        (ids.len(), texts.len(), listed.len()),
        (expected, expected, expected)
    );
    assert!(ids.iter().all(|id| listed.contains(id)));
    let number = snapshot.generation().to_string();
    assert!(texts.iter().all(|text| *text == number));
}

#[test]
fn readers_see_whole_generations_while_one_writes() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut newest = 0;
                while !is_done.load(Ordering::Relaxed) {
                    let snapshot = reader.snapshot().unwrap();
                    check_whole(&snapshot);
                    assert!(snapshot.generation() >= newest);
                    newest = snapshot.generation();
                }
            });
        }
        for number in 1..=150 {
            writer.apply(&numbered(number)).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
    });
    check_whole(&reader.snapshot().unwrap());
    assert_eq!(reader.snapshot().unwrap().generation(), 150);
}

const VICTIM: &str = "KEN_TEST_KILLED_WRITER";

/// Does nothing but in the process that [`a_killed_writer_leaves_the_last_generation`] starts.
#[test]
fn a_writer_to_be_killed() {
    let Some(path) = std::env::var_os(VICTIM) else {
        return;
    };
    let mut writer = Writer::open(Path::new(&path), &settings(), &Silent).unwrap();
    let reader = Reader::open(Path::new(&path)).unwrap();
    let first = reader.snapshot().unwrap().generation() as u32;
    for number in first + 1.. {
        writer.apply(&numbered(number)).unwrap();
    }
}

#[test]
fn a_killed_writer_leaves_the_last_generation() {
    let home = home();
    drop(Writer::open(&home.database, &settings(), &Silent).unwrap());
    let reader = Reader::open(&home.database).unwrap();
    let mut random = Random::new(12);
    for _ in 0..12 {
        let before = reader.snapshot().unwrap().generation();
        let until = before + 1 + u64::from(random.below(25));
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::code::tests::a_writer_to_be_killed"])
            .env(VICTIM, &home.database)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        loop {
            let snapshot = reader.snapshot().unwrap();
            check_whole(&snapshot);
            assert_eq!(victim.try_wait().unwrap(), None, "it ended by itself");
            if snapshot.generation() >= until {
                break;
            }
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
        check_whole(&reader.snapshot().unwrap());
        check_whole(&Reader::open(&home.database).unwrap().snapshot().unwrap());
        // The lock went with its holder, and the next writer goes on from there.
        let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
        let next = reader.snapshot().unwrap().generation() + 1;
        assert_eq!(writer.apply(&numbered(next as u32)).unwrap(), next);
        check_whole(&reader.snapshot().unwrap());
    }
}

#[test]
fn a_refused_transaction_changes_nothing() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    writer.apply(&numbered(1)).unwrap();
    let mut bad = numbered(2);
    let vector = Vector::quantise(&[1.0]);
    bad.updated[5].contents[2].embedding = Some(Embedding { vector, key: None });
    let error = writer.apply(&bad).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("1 dimensions among vectors of 8"),
        "{error}"
    );
    let reader = Reader::open(&home.database).unwrap();
    check_whole(&reader.snapshot().unwrap());
    assert_eq!(writer.apply(&numbered(2)).unwrap(), 2);
    check_whole(&reader.snapshot().unwrap());
}

#[test]
fn a_rebuild_replaces_the_file_under_a_reader() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    let key = [9; 16];
    let vector = Vector::quantise(&[1.0; DIMENSION]);
    let mut first = numbered(1);
    first.updated[0].contents[0].embedding = Some(Embedding {
        vector: vector.clone(),
        key: Some(key),
    });
    writer.apply(&first).unwrap();
    assert_eq!(
        writer.embeddings(&[key, [1; 16]]).unwrap(),
        [Some(vector.clone()), None]
    );
    drop(writer);
    let reader = Reader::open(&home.database).unwrap();
    check_whole(&reader.snapshot().unwrap());

    let other = Settings {
        chunker: "2".to_string(),
        ..settings()
    };
    let error = Writer::open(&home.database, &other, &Silent).err().unwrap();
    assert!(matches!(error, StoreError::OtherSettings { .. }), "{error}");
    for round in 0..3 {
        let mut draft = Writer::rebuild(&home.database, &other, &Silent).unwrap();
        assert_eq!(draft.adopt_embeddings(&home.database).unwrap(), 1);
        for number in 1..=2 + round {
            draft.apply(&numbered(number)).unwrap();
        }
        let before = reader.snapshot().unwrap();
        check_whole(&before);
        let before = before.generation();
        draft.publish().unwrap();
        let snapshot = reader.snapshot().unwrap();
        check_whole(&snapshot);
        assert_eq!(snapshot.generation(), before + 1);
        assert_eq!(snapshot.settings(), &other);
        assert_eq!(snapshot.embeddings(&[key]).unwrap(), [Some(vector.clone())]);
    }
    let mut writer = Writer::open(&home.database, &other, &Silent).unwrap();
    writer.apply(&numbered(5)).unwrap();
    check_whole(&reader.snapshot().unwrap());
    // A draft that was left behind is nobody's.
    drop(writer);
    drop(Writer::rebuild(&home.database, &other, &Silent).unwrap());
    check_whole(&Reader::open(&home.database).unwrap().snapshot().unwrap());
}

#[cfg(unix)]
#[test]
fn where_nothing_can_be_made_beside_it_the_file_alone_is_read() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    writer.apply(&numbered(1)).unwrap();
    drop(writer);
    // In the way of what SQLite would share, as if the directory could not be written.
    let in_the_way = write::with_suffix(&home.database, "-shm");
    std::os::unix::fs::symlink("/nowhere/at/all", &in_the_way).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    check_whole(&reader.snapshot().unwrap());
    std::fs::remove_file(&in_the_way).unwrap();
    let mut writer = Writer::open(&home.database, &settings(), &Silent).unwrap();
    writer.apply(&numbered(2)).unwrap();
    let snapshot = reader.snapshot().unwrap();
    check_whole(&snapshot);
    assert_eq!(snapshot.generation(), 2);
}

#[test]
fn other_files_are_refused_and_spared() {
    let home = home();
    let missing = Reader::open(&home.database).err().unwrap();
    assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    std::fs::write(&home.database, "my only copy").unwrap();
    for error in [
        Reader::open(&home.database).err().unwrap(),
        Writer::open(&home.database, &settings(), &Silent)
            .err()
            .unwrap(),
    ] {
        assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    }
    assert_eq!(
        std::fs::read_to_string(&home.database).unwrap(),
        "my only copy"
    );
}
