//! Readers beside a writer: each sees whole states of files, never one text with the lines of another.

use std::sync::atomic::{AtomicBool, Ordering};

use kenning_store::StoreError;
use kenning_store::backends::{BACKENDS, CollectionReader, WriterStart};
use kenning_store::code::{Changes, Filter, GrepLimits, Pattern};

use crate::corpus::{Corpus, terms};
use crate::subject::{Lent, subjects};

const PATH: &str = "src/changing.rs";

/// So often the file is replaced, and the collection built anew.
const CHANGES: usize = 30;
const REBUILDS: usize = 3;

/// Two texts of one file, of different lengths and with different chunks; every line says which it is.
fn texts() -> [String; 2] {
    let text = |word: &str, functions: usize| {
        let function = |number: usize| {
            format!("/// The {word} one.\nfn {word}_{number}() {{\n    {word}();\n}}\n\n")
        };
        (0..functions).map(function).collect::<String>().repeat(3)
    };
    [text("short", 9), text("considerably_longer", 40)]
}

fn updated(file: kenning_store::code::FileUpdate) -> Changes {
    Changes { updated: vec![file], ..Changes::default() }
}

/// Returns the answers to three kinds of questions about the file, each from one view.
fn shown(shelf: &dyn CollectionReader) -> Result<Vec<Vec<String>>, StoreError> {
    let everything = Filter::default();
    let mut answers = Vec::new();
    for question in 0..3 {
        let view = shelf.view()?;
        let numbers = match question {
            0 => view.list(&everything, 1000)?,
            1 => {
                let hits = view.search_terms(&terms("the one fn"), &everything, 50)?;
                hits.into_iter().map(|hit| hit.chunk).collect()
            }
            _ => {
                let found =
                    view.find_text(&Pattern::exact("fn "), &everything, GrepLimits::NONE)?;
                found.into_iter().map(|found| found.chunk).collect()
            }
        };
        let chunks = view.chunks(&numbers)?;
        let texts = view.texts(&chunks)?;
        let both = chunks.iter().zip(texts);
        let of_file = both.filter(|(chunk, _)| chunk.path.as_str() == PATH);
        answers.push(of_file.map(|(_, text)| text).collect());
    }
    Ok(answers)
}

/// Everything in an answer is of one text, and is cut where a chunk of it is.
fn check(name: &str, answers: &[Vec<String>], chunks: &[Vec<String>; 2]) {
    for answer in answers {
        let whole = |chunks: &Vec<String>| answer.iter().all(|text| chunks.contains(text));
        assert!(chunks.iter().any(whole), "{name}: {answer:?}");
    }
}

#[test]
fn readers_see_whole_files_while_they_are_replaced() {
    let corpus = Corpus::read();
    let settings = corpus.settings();
    let files = texts().map(|text| (corpus.file(PATH, &text), text));
    let chunks = files.each_ref().map(|(file, text)| {
        let spans = file.facts.chunks.iter().map(|chunk| chunk.span);
        let cut = spans.map(|span| text[span.start_byte as usize..span.end_byte as usize].into());
        cut.collect::<Vec<String>>()
    });
    for subject in subjects() {
        let lent = subject.collection();
        let some = corpus.files[..4].to_vec();
        let mut first = updated(files[0].0.clone());
        first.updated.extend(some.clone());
        lent.apply(&settings, &first);
        let entry = BACKENDS.iter().find(|entry| entry.name == subject.name);
        let sees_one_state = entry.unwrap().caps.snapshots;
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let shelf = lent.open();
                let mut answered = 0;
                while !is_done.load(Ordering::Acquire) || answered == 0 {
                    match shown(&*shelf) {
                        Ok(answers) => {
                            check(subject.name, &answers, &chunks);
                            answered += 1;
                        }
                        Err(StoreError::Changed { .. }) if !sees_one_state => {}
                        Err(error) => panic!("{}: {error}", subject.name),
                    }
                }
            });
            let done = Done(&is_done);
            write(&lent, &settings, &files.each_ref().map(|(file, _)| file), &some);
            drop(done);
            reader.join().unwrap();
        });
    }
}

/// Lets the reader end, also if the writer fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn write(
    lent: &Lent,
    settings: &kenning_store::code::IndexSettings,
    files: &[&kenning_store::code::FileUpdate; 2],
    others: &[kenning_store::code::FileUpdate],
) {
    for number in 0..CHANGES {
        lent.apply(settings, &updated(files[(number + 1) % 2].clone()));
    }
    for number in 0..REBUILDS {
        let mut draft = lent.begin(settings, WriterStart::Rebuild);
        let mut all = updated(files[number % 2].clone());
        all.updated.extend(others.to_vec());
        draft.apply(&all).unwrap();
        draft.publish().unwrap();
    }
}
