//! Replacing, removing, saying things twice, stopping half way: what is seen is always whole.

use std::collections::BTreeMap;

use kenning_model::RepoPath;
use kenning_store::StoreError;
use kenning_store::backends::{BACKENDS, WriterStart};
use kenning_store::code::{Changes, Filter, Pattern, Stamp, Touch, Vector};

use crate::corpus::{Corpus, terms};
use crate::subject::{Lent, subjects};

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// Everything that can be seen of a collection, in a form that can be compared.
fn seen(lent: &Lent) -> Vec<String> {
    let shelf = lent.open();
    let view = shelf.view().unwrap();
    let numbers = view.list(&Filter::default(), 100_000).unwrap();
    let chunks = view.chunks(&numbers).unwrap();
    let texts = view.texts(&chunks).unwrap();
    let shown = chunks.iter().zip(texts);
    let mut seen: Vec<String> = shown
        .map(|(chunk, text)| {
            format!("{}:{} {:?} {text:?}", chunk.path, chunk.span.start_line, chunk.package)
        })
        .collect();
    seen.push(format!("{}", view.stats().unwrap().chunks));
    seen
}

/// Returns the scores of a search by words.
fn scores(lent: &Lent) -> BTreeMap<String, f32> {
    let shelf = lent.open();
    let view = shelf.view().unwrap();
    let terms = terms("the question of a file and its chunks");
    let hits = view.search_terms(&terms, &Filter::default(), 50).unwrap();
    let hits = hits.into_iter().map(|hit| {
        let chunk = &view.chunks(&[hit.chunk]).unwrap()[0];
        (format!("{}:{}", chunk.path, chunk.span.start_line), hit.score)
    });
    hits.collect()
}

/// Scores may be off by so much where the rarity of words is not exact.
const TOLERANCE: f32 = 0.02;

fn assert_alike(name: &str, ours: &BTreeMap<String, f32>, theirs: &BTreeMap<String, f32>) {
    let entry = BACKENDS.iter().find(|entry| entry.name == name).unwrap();
    let tolerance = if entry.caps.exact_rarity { 1e-4 } else { TOLERANCE };
    let both: Vec<_> =
        ours.iter().filter_map(|(place, score)| Some((place, score, theirs.get(place)?))).collect();
    // The last may be another where scores are close.
    assert!(both.len() * 10 >= ours.len() * 9, "{name}");
    for (place, ours, theirs) in both {
        let difference = (ours - theirs).abs() / theirs;
        assert!(difference <= tolerance, "{name} {place}: {ours}, {theirs}");
    }
}

fn updated(files: Vec<kenning_store::code::FileUpdate>) -> Changes {
    Changes { updated: files, ..Changes::default() }
}

#[test]
fn a_collection_that_grew_is_like_one_made_at_once() {
    let corpus = Corpus::read();
    let mut all = corpus.files.clone();
    let changed = corpus.file("src/search/mod.rs", "//! Another text.\nfn question() {}\n");
    for subject in subjects() {
        let grown = subject.collection();
        grown.apply(&corpus.settings(), &corpus.changes());
        grown.apply(&corpus.settings(), &updated(vec![changed.clone()]));
        // The same once more, as after a crash behind the last write and before its receipt.
        grown.apply(&corpus.settings(), &updated(vec![changed.clone()]));
        let gone = path("src/search/intent.rs");
        let removal =
            Changes { removed: vec![gone.clone(), path("never/was.rs")], ..Changes::default() };
        grown.apply(&corpus.settings(), &removal);
        grown.apply(&corpus.settings(), &removal);
        all.retain(|file| file.stamp.path != gone);
        for file in &mut all {
            if file.stamp.path == changed.stamp.path {
                *file = changed.clone();
            }
        }
        let fresh = subject.collection();
        fresh.apply(&corpus.settings(), &updated(all.clone()));
        assert_eq!(seen(&grown), seen(&fresh), "{}", subject.name);
        assert_alike(subject.name, &scores(&grown), &scores(&fresh));
        let mut intake = grown.begin(&corpus.settings(), WriterStart::Update);
        let known = intake.known_files().unwrap();
        assert_eq!(known.len(), all.len(), "{}", subject.name);
        assert_eq!(known[&changed.stamp.path], changed.hash);
    }
}

#[test]
fn a_touched_file_moves_home_and_keeps_its_text() {
    let corpus = Corpus::read();
    let stamp = Stamp { size: 77, modified_ns: 78, ..corpus.files[0].stamp.clone() };
    let touch = Changes {
        touched: vec![Touch { stamp: stamp.clone(), package: Some("elsewhere".to_string()) }],
        ..Changes::default()
    };
    for subject in subjects() {
        let lent = subject.collection();
        lent.apply(&corpus.settings(), &corpus.changes());
        lent.apply(&corpus.settings(), &touch);
        let shelf = lent.open();
        let view = shelf.view().unwrap();
        assert_eq!(view.file(&stamp.path).unwrap().unwrap().stamp, stamp, "{}", subject.name);
        let elsewhere = Filter { packages: vec!["elsewhere".to_string()], ..Filter::default() };
        let moved = view.list(&elsewhere, 1000).unwrap();
        assert_eq!(moved.len(), corpus.files[0].contents.len(), "{}", subject.name);
    }
}

#[test]
fn a_rebuild_is_seen_when_it_is_whole() {
    let corpus = Corpus::read();
    for subject in subjects() {
        let lent = subject.collection();
        lent.apply(&corpus.settings(), &corpus.changes());
        let before = seen(&lent);
        // Given up half way: nothing happened.
        let mut draft = lent.begin(&corpus.settings(), WriterStart::Rebuild);
        draft.apply(&updated(corpus.files[..2].to_vec())).unwrap();
        assert_eq!(seen(&lent), before, "{}", subject.name);
        drop(draft);
        assert_eq!(seen(&lent), before, "{}", subject.name);
        let mut draft = lent.begin(&corpus.settings(), WriterStart::Rebuild);
        assert!(draft.known_files().unwrap().is_empty());
        draft.apply(&updated(corpus.files[..2].to_vec())).unwrap();
        draft.publish().unwrap();
        let shelf = lent.open();
        assert_eq!(shelf.view().unwrap().files().unwrap().len(), 2, "{}", subject.name);
        // Made with another model: begun anew without being told.
        let mut other = corpus.settings();
        other.model = "another".to_string();
        let mut draft = lent.begin(&other, WriterStart::Update);
        assert!(draft.known_files().unwrap().is_empty());
        draft.apply(&updated(corpus.files[..1].to_vec())).unwrap();
        draft.publish().unwrap();
        // An open shelf goes over by itself.
        let view = shelf.view().unwrap();
        assert_eq!(view.settings(), &other, "{}", subject.name);
        assert_eq!(view.files().unwrap().len(), 1, "{}", subject.name);
        let found = view.find_text(
            &Pattern::exact("e"),
            &Filter::default(),
            kenning_store::code::GrepLimits::NONE,
        );
        assert!(!found.unwrap().is_empty());
    }
}

#[test]
fn wrong_dimensions_and_unknown_names_are_told() {
    let corpus = Corpus::read();
    for subject in subjects() {
        let lent = subject.collection();
        let unknown = subject.backend.open("no-such-collection").err().unwrap();
        assert!(matches!(unknown, StoreError::Unknown { .. }), "{}: {unknown}", subject.name);
        let unknown = subject.backend.remove("no-such-collection").err().unwrap();
        assert!(matches!(unknown, StoreError::Unknown { .. }), "{}: {unknown}", subject.name);
        lent.apply(&corpus.settings(), &corpus.changes());
        let before = seen(&lent);
        let mut odd = corpus.file("odd.rs", "fn odd() {}\n");
        let embedding = odd.contents[0].embedding.as_mut().unwrap();
        embedding.vector = Vector::quantise(&[1.0, 0.0]);
        let good = corpus.file("good.rs", "fn good() {}\n");
        let mut intake = lent.begin(&corpus.settings(), WriterStart::Update);
        let refused = intake.apply(&updated(vec![good, odd])).unwrap_err();
        assert!(refused.is_refusal(), "{}: {refused}", subject.name);
        drop(intake);
        assert_eq!(seen(&lent), before, "{}", subject.name);
        let shelf = lent.open();
        let view = shelf.view().unwrap();
        let refused = view.search_vector(&[1.0, 0.0], &Filter::default(), 5).unwrap_err();
        assert!(refused.is_refusal(), "{}: {refused}", subject.name);
        let names: Vec<String> =
            subject.backend.collections().unwrap().into_iter().map(|card| card.name).collect();
        assert!(names.contains(&lent.card.name), "{}: {names:?}", subject.name);
    }
}

/// Two who write one collection at the same time: one goes on, the other is told, and what comes of it
/// is what the one who went on has said.
#[test]
fn of_two_writers_one_is_told() {
    let corpus = Corpus::read();
    let settings = corpus.settings();
    let path = "src/search/mod.rs";
    let of_older = corpus.file(path, "//! By the older.\nfn older() {}\n");
    let of_younger = corpus.file(path, "//! By the younger.\nfn younger() {}\nfn more() {}\n");
    let is_busy = |error: &StoreError| matches!(error, StoreError::Busy { .. });
    let servers = subjects().into_iter();
    for subject in servers.filter(|subject| subject.name != "embedded") {
        let lent = subject.collection();
        lent.apply(&settings, &corpus.changes());
        let mut older = lent.begin(&settings, WriterStart::Update);
        older.apply(&updated(vec![of_older.clone()])).unwrap();
        let younger = subject.backend.write(&lent.card, &settings, WriterStart::Update);
        let winner = match younger {
            // Where there are locks.
            Err(error) => {
                assert!(is_busy(&error), "{}: {error}", subject.name);
                older.publish().unwrap();
                &of_older
            }
            Ok(mut younger) => {
                younger.apply(&updated(vec![of_younger.clone()])).unwrap();
                let again = updated(vec![of_older.clone()]);
                let told = older.apply(&again).unwrap_err();
                assert!(is_busy(&told), "{}: {told}", subject.name);
                let told = older.publish().unwrap_err();
                assert!(is_busy(&told), "{}: {told}", subject.name);
                younger.publish().unwrap();
                &of_younger
            }
        };
        let mut all = corpus.files.clone();
        all.retain(|file| file.stamp.path != winner.stamp.path);
        all.push(winner.clone());
        let fresh = subject.collection();
        fresh.apply(&settings, &updated(all));
        assert_eq!(seen(&lent), seen(&fresh), "{}", subject.name);
        assert_alike(subject.name, &scores(&lent), &scores(&fresh));
    }
}

/// One who builds anew while another brings the old state up to date.
#[test]
fn a_rebuild_and_an_update_do_not_mix() {
    let corpus = Corpus::read();
    let settings = corpus.settings();
    let servers = subjects().into_iter();
    for subject in servers.filter(|subject| subject.name != "embedded") {
        let lent = subject.collection();
        lent.apply(&settings, &corpus.changes());
        let before = seen(&lent);
        let mut rebuild = lent.begin(&settings, WriterStart::Rebuild);
        let few = updated(corpus.files[..2].to_vec());
        rebuild.apply(&few).unwrap();
        let update = subject.backend.write(&lent.card, &settings, WriterStart::Update);
        match update {
            Err(error) => {
                assert!(matches!(error, StoreError::Busy { .. }), "{error}");
                drop(rebuild);
            }
            Ok(update) => {
                let told = rebuild.apply(&few).unwrap_err();
                assert!(matches!(told, StoreError::Busy { .. }), "{told}");
                drop(rebuild);
                update.publish().unwrap();
            }
        }
        assert_eq!(seen(&lent), before, "{}", subject.name);
    }
}
