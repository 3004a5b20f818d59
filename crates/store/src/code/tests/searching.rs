//! Searches against naive versions of themselves.

use super::*;
use kenning_text::bm25;

/// The content of a chunk, before the store quantizes it.
fn random_piece(random: &mut Random) -> Piece {
    let length = 1 + random.next_below(40);
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for _ in 0..length {
        // The square makes small terms frequent, as words are.
        let term = random.next_below(25_u32) * random.next_below(25);
        *counts.entry(term.wrapping_mul(0x9E37_79B1)).or_default() += 1;
    }
    let weight = |count: u32| bm25::weight(count as f32, length as f32, 20.0);
    let vector: Vec<f32> = (0..DIMENSION).map(|_| random.next_signed()).collect();
    let terms = counts.into_iter().map(|(term, count)| (term, weight(count)));
    let content = ChunkContent {
        terms: terms.collect(),
        embedding: Some(Embedding { vector: Vector::quantise(&vector), key: None }),
    };
    Piece { text: format!("text {}", random.next_u64()), content }
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
        let holding = chunks.iter().filter(|chunk| weight(chunk, *term).is_some()).count();
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
    chunks.map(|chunk| (chunk.text.clone(), score(chunk))).collect()
}

/// How far a score may be off: the weight of a word is kept in a byte, a value of a vector in six bits.
const OF_WORDS: f32 = 2e-3;
const OF_VECTORS: f32 = 5e-2;

/// The hits are the best of the naive scores, in order, each with its score.
fn check_hits(
    snapshot: &Snapshot,
    hits: &[Hit],
    (naive, tolerance): (&BTreeMap<String, f32>, f32),
    limit: usize,
) {
    let mut best: Vec<f32> = naive.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(hits.len(), best.len().min(limit));
    let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    let texts = texts(snapshot, &ids);
    assert_eq!(texts.len(), hits.len(), "a hit that does not live");
    for ((hit, text), best) in hits.iter().zip(&texts).zip(best) {
        let tolerance = tolerance * (1.0 + best.abs());
        assert!((hit.score - naive[text]).abs() < tolerance);
        assert!((hit.score - best).abs() < tolerance, "{} {best}", hit.score);
    }
}

/// Returns the score of each text, to the last bit.
fn exact_scores(path: &Path, terms: &[(u32, f32)]) -> BTreeMap<String, u32> {
    let reader = Reader::open(path).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let hits = snapshot.search_terms(terms, &Filter::default(), 100_000).unwrap();
    let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    texts(&snapshot, &ids).into_iter().zip(hits.iter().map(|hit| hit.score.to_bits())).collect()
}

fn random_terms(random: &mut Random) -> Vec<(u32, f32)> {
    let count = 1 + random.next_below(8);
    let mut term = || random.next_below(25_u32) * random.next_below(25);
    let mut terms: Vec<u32> = (0..count).map(|_| term()).collect();
    terms.sort_unstable();
    terms.dedup();
    terms.into_iter().map(|term| (term.wrapping_mul(0x9E37_79B1), 1.0)).collect()
}

#[test]
fn searches_equal_naive_ones_through_updates_removals_and_merges() {
    let mut random = Random::new(11);
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let mut files = Files::new();
    let mut most_segments = 0;
    for round in 0..60 {
        let mut changes = Changes::default();
        for _ in 0..1 + random.next_below(6) {
            let path = format!("src/{}.rs", random.next_below(40));
            if random.next_below(4) == 0 {
                files.remove(&path);
                changes.removed.push(repo_path(&path));
            } else if !changes.removed.contains(&repo_path(&path)) {
                let contents: Vec<Piece> =
                    (0..random.next_below(5)).map(|_| random_piece(&mut random)).collect();
                changes.updated.retain(|update| update.stamp.path != repo_path(&path));
                changes.updated.push(update(&path, contents.clone()));
                files.insert(path, contents);
            }
        }
        // Removals come first within a transaction.
        changes.updated.retain(|update| files.contains_key(update.stamp.path.as_str()));
        assert_eq!(writer.apply(&changes).unwrap(), round + 1);
        let snapshot = reader.snapshot().unwrap();
        assert_eq!(snapshot.generation(), round + 1);
        most_segments = most_segments.max(snapshot.stats().unwrap().segments);
        for limit in [3, 1000] {
            let terms = random_terms(&mut random);
            let hits = snapshot.search_terms(&terms, &Filter::default(), limit).unwrap();
            let naive = naive_words(&files, &terms);
            check_hits(&snapshot, &hits, (&naive, OF_WORDS), limit);
            let question: Vec<f32> = (0..DIMENSION).map(|_| random.next_signed()).collect();
            let hits = snapshot.search_vector(&question, &Filter::default(), limit).unwrap();
            let naive = naive_vectors(&files, &question);
            check_hits(&snapshot, &hits, (&naive, OF_VECTORS), limit);
        }
    }
    assert!((8..=17).contains(&most_segments), "{most_segments}");

    // A collection that grew scores to the last bit like one that was built at once.
    let fresh = super::tests::home();
    let all = files.iter().map(|(path, contents)| update(path, contents.clone()));
    let mut other = Writer::open(&fresh.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    other.apply(&updated(all.collect())).unwrap();
    for _ in 0..50 {
        let terms = random_terms(&mut random);
        assert_eq!(exact_scores(&home.database, &terms), exact_scores(&fresh.database, &terms));
    }
}

/// Chunks with equal scores rank by path, whatever the order in which their files were indexed.
#[test]
fn ties_are_broken_by_path_and_place() {
    let vector = Vector::quantise(&[1.0; DIMENSION]);
    let piece = |text: &str| {
        let mut piece = saying(7, text);
        let vector = vector.clone();
        piece.content.embedding = Some(Embedding { vector, key: None });
        piece
    };
    let file =
        |name: &str| update(name, vec![piece(&format!("{name}1")), piece(&format!("{name}2"))]);
    let names = ["a", "b", "c", "d", "e", "f"];
    let found = |order: &[usize]| {
        let home = home();
        let mut writer =
            Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
        for place in order {
            writer.apply(&updated(vec![file(names[*place])])).unwrap();
        }
        let reader = Reader::open(&home.database).unwrap();
        let snapshot = reader.snapshot().unwrap();
        let terms = [(7, 1.0)];
        let question = [1.0; DIMENSION];
        let (words, meaning) =
            snapshot.search_both(&terms, &question, &Filter::default(), 5).unwrap();
        [words, meaning].map(|hits| {
            let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
            texts(&snapshot, &ids)
        })
    };
    let best = ["a1", "a2", "b1", "b2", "c1"];
    for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 0, 5, 2, 4, 1]] {
        let [words, meaning] = found(&order);
        assert_eq!(words, best);
        assert_eq!(meaning, best);
    }
    // Stored once more, the first file has the greatest ids.
    assert_eq!(found(&[0, 1, 2, 3, 4, 5, 0])[0], best);
}

/// Many pages of vectors are read by several threads, and give what one would.
#[test]
fn vectors_of_many_pages_are_all_there() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let mut random = Random::new(11);
    let mut files = Files::new();
    for round in 0..12 {
        let name = format!("{round}.rs");
        let pieces: Vec<Piece> = (0..20).map(|_| random_piece(&mut random)).collect();
        files.insert(name.clone(), pieces.clone());
        writer.apply(&updated(vec![update(&name, pieces)])).unwrap();
    }
    for _ in 0..5 {
        let reader = Reader::open(&home.database).unwrap();
        let snapshot = reader.snapshot().unwrap();
        let question: Vec<f32> = (0..DIMENSION).map(|_| random.next_signed()).collect();
        let hits = snapshot.search_vector(&question, &Filter::default(), 30).unwrap();
        let naive = naive_vectors(&files, &question);
        check_hits(&snapshot, &hits, (&naive, OF_VECTORS), 30);
    }
}
